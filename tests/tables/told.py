"""Figures read back from every medium of a run, by what they are of, to be held against each other."""

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from mores.exports.figures.found import MADE_UP
from mores.tables.formatting import group_name, kind_name, kinds_name
from tests.golden.pages import page_as_text


class Key(NamedTuple):
    """What a figure is of; kind and group are empty for everything."""

    model: str
    benchmark: str
    metric: str
    kind: str = ""
    group: str = ""

    @property
    def rung(self) -> str:
        return self.benchmark.partition("/")[2]

    @property
    def name(self) -> str:
        return group_name(self.kind, self.group)


class Told(NamedTuple):
    """What is said of it."""

    value: float | None
    low: float | None
    high: float | None
    asked: int
    graded: int
    judge_low: float | None
    judge_high: float | None


Figures = dict[Key, Told]
Grids = dict[str, list[list[str]]]
"""Tables as people see them, by their captions: a row of heads, and rows of cells."""


def told(row: Mapping[str, Any], value: str, before: str = "") -> Told:
    band = row.get("judge") or {}
    ends = (row.get(f"{before}judge_{name}", band.get(name)) for name in ("low", "high"))
    return Told(row[value], *(row[before + name] for name in ("low", "high", "asked", "graded")), *ends)


def of(row: Mapping[str, Any], metric: str) -> Key:
    return Key(row["model"], row["benchmark"], metric, row.get("kind") or "", row.get("group") or "")


def of_estimate(model: str, benchmark: str, metric: str, groups: Iterable[tuple[str, str]]) -> Key:
    return Key(model, benchmark, metric, *next(iter(groups), ("", "")))


def value_of(text: str) -> Any:
    """A value as it was before it was written into a cell of CSV."""
    for type_ in (int, float):
        try:
            return type_(text)
        except ValueError:
            pass
    return text or None


def rows_of_csv(path: Path) -> list[dict[str, Any]]:
    rows = csv.DictReader(path.read_text().splitlines())
    return [{key: value_of(text) for key, text in row.items()} for row in rows]


# Points of figures.


def point_of(point: Mapping[str, Any]) -> Told:
    return Told(*(value_of(point[name]) for name in ("y", "low", "high", "asked", "n", "judge_low", "judge_high")))


def by_rung(points: Iterable[Mapping[str, str]], model: str, rung: str) -> Figures:
    return {
        Key(point[model].removesuffix(f" {MADE_UP}"), f"ladder/{point[rung]}", "kept"): point_of(point)
        for point in points
    }


def shaded(points: Iterable[Mapping[str, str]], known: Iterable[Key]) -> Iterator[tuple[Key, Told]]:
    """Points of a picture in shades by their keys: places below their regions, then other kinds below their names."""
    by_name = {(key.model, key.kind, key.name if key.kind else "Everything"): key for key in known}
    kinds = {kinds_name(key.kind).casefold(): key.kind for key in by_name.values() if key.kind}
    kind = ""
    for point in points:
        label, model = point["label"], point["series"].removesuffix(f" {MADE_UP}")
        if label == "Everything":
            kind = "place"
            yield by_name[model, "", label], point_of(point)
        elif point["asked"]:
            own = "region" if kind == "place" and point["marked"] else kind
            yield by_name[model, own, label], point_of(point)
        else:
            heads = [head for head in kinds if label.casefold().startswith(head)]
            kind = kinds[max(heads, key=len)] if heads else "apart"


# What people read.


def share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}".replace("-", "−")


def points(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}".replace("-", "−")


def bare(text: str) -> str:
    """Words without spaces, which media set in their own ways, and without pictures."""
    return re.sub(r"\[picture[^\]]*\]|\s", "", text)


def says(cell: str, each: Told, write: Callable[[float | None], str] = share, n: bool = True) -> bool:
    """True of a cell that begins with a figure: `70.0% [35.1, 91.0] n 20`, a reason where there is no interval.

    It has a judge band where the figure has one; a band that stands alone needs no reason. That half of the answers or
    more cannot be used is no figure, and stands beside it.
    """
    text, banded = re.sub(r"\(?\d+%unreadable\)?", "", bare(cell)), each.judge_low is not None
    band = re.match(r"[^(]*(\(judgeband(.*?)\))", text)
    ends_of_band = {f"{write(each.judge_low)}{to}{write(each.judge_high)}" for to in ("–", "to")}
    if banded != bool(band) or (band and band[2] not in ends_of_band):
        return False
    text = text if band is None else text.replace(band[1], "", 1)
    value = write(each.value) + ("%" if write is share and each.value is not None else "")
    ends = re.escape(f"[{write(each.low)},{write(each.high)}]")
    if each.low is None or each.value is None:
        ends = "" if banded and each.value is None else "[a-z]+"
    graded = f"{each.graded}" if each.graded == each.asked else f"{each.graded}of{each.asked}"
    counted = rf"\W?n{graded}(?!\d|of)" if n else ""
    return re.match(f"{re.escape(value)}{ends}{counted}", text) is not None


def is_named(cell: str, key: Key) -> bool:
    """True of a cell with the name of a group, its code, and its kind where there is no room for a column of kinds."""
    if not key.kind:
        return bare(cell) in {"Everything", "Allnorms"}
    names = {bare(key.name), bare(key.name + key.group)}
    return bare(cell) in names | {name + bare(kind_name(key.kind)) for name in names}


def row_of(rows: Iterable[list[str]], key: Key) -> list[str]:
    """The row of a group in a table with a column of kinds."""
    (row,) = (row for row in rows if row[1] == (kind_name(key.kind) if key.kind else "all") and is_named(row[0], key))
    return row


def page_tables(html: str) -> Grids:
    found: Grids = {}
    rows: list[list[str]] = []
    for line in page_as_text(html).splitlines():
        if line.startswith("caption: "):
            rows = found.setdefault(line.removeprefix("caption: "), [])
        elif line.startswith("  "):
            rows.append(line.strip().split(" | "))
    return found


def latex_tables(text: str) -> Grids:
    """Tables in LaTeX, the parts of wide ones put together again."""
    found: Grids = {}
    for part in text.split(r"\begin{longtable}")[1:]:
        caption = re.search(r"\\caption\{(.*?)\. \\textbf", part)
        assert caption is not None
        head = part.partition(r"\toprule")[2].partition(r"\midrule")[0]
        body = part.partition(r"\endhead")[2].partition(r"\bottomrule")[0]
        lines = (line for line in f"{head}{body}".split("\\tabularnewline\n") if line.strip())
        rows = [[plain(cell) for cell in line.split(" & ")] for line in lines]
        name, further, number = plain(caption[1]).partition(", part ")
        before = found.get(name) if further and number[0] != "1" else None
        found[name] = rows if before is None else [[*a, *b[1:]] for a, b in zip(before, rows, strict=True)]
    return found


def plain(text: str) -> str:
    """What LaTeX prints."""
    for command, printed in ((r"$-$", "−"), ("--", "–"), ("$n$", "n"), (r"\small ", "")):
        text = text.replace(command, printed)
    return re.sub(r"\\raggedright ", "", re.sub(r"\\([%_&#$])", r"\1", text)).strip()
