"""Answers where a scene of one place names another: do they follow the place that is named, or the scene?

the plain evaluation and the same under the control `misplaced` ─▶ answers to items whose right answer differs between
the places ─▶ those that stay at the answer of the own place, and those that give that of the named one ─▶ contrasts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.contrast import Contrast, ContrastOptions, WithGroups, all_first, contrast, of_common_items
from mores.analysis.results import Result, Results
from mores.core.card import Metric
from mores.core.estimate import MetricRows
from mores.core.seeds import Seed
from mores.core.verdict_table import VerdictTable
from mores.tables import Column, Row, Show, Table, View
from mores.tables.blocks import CellValue, Finding, Span
from mores.tables.columns import EVALUATION

_SEED = Seed("wrong place")
STAYS = Metric(name="stays", unit="answer", says="answers that are right of the own place, where another is named")
FOLLOWS = Metric(name="follows", unit="answer", says="answers that are right of the place that is named")


class WrongPlace(Struct, frozen=True, eq=False, kw_only=True):
    """Answers of one model on one benchmark where another place is named.

    `moved` are the shares of answers that are right of the own place: `a` with the other place named, `b` as ever.
    `lean` is, with the other place named, the share that follows it (`b`) less the share that stays (`a`).
    """

    plain: Result
    other: Result
    moved: Contrast
    lean: Contrast


def wrong_places(results: Results) -> tuple[WrongPlace, ...]:
    """Answers where another place is named, model by model; empty where the control was not run.

    Both families of contrasts are corrected over all models and benchmarks.
    """
    found = [
        _of(plain, other)
        for plain in results.evaluations
        for other in results.variants_of(plain)
        if other.variant.control == "misplaced"
    ]
    moved, lean = (all_first([WithGroups(getattr(each, name), {}) for each in found]) for name in ("moved", "lean"))
    return tuple(
        replace(each, moved=one.whole, lean=other.whole) for each, one, other in zip(found, moved, lean, strict=True)
    )


def _of(plain: Result, other: Result) -> WrongPlace:
    own = dict(_keys(plain.verdict_table, plain.headline_tasks[0]))
    right = _answers(plain, own)
    stays, follows = _answers(other, own), _answers(other, dict(_keys(other.verdict_table, other.headline_tasks[0])))
    with_, staying = of_common_items(right, stays)
    seed = _SEED.child(plain.benchmark)
    moved = ContrastOptions(seed.child("moved"), STAYS.name, STAYS, sides=(other, plain))
    lean = ContrastOptions(seed.child("lean"), FOLLOWS.name, FOLLOWS, sides=(other, other))
    return WrongPlace(
        plain=plain, other=other, moved=contrast(staying, with_, moved), lean=contrast(stays, follows, lean)
    )


def _keys(table: VerdictTable, task: str) -> Iterator[tuple[str, str]]:
    """Each item with its right answer in an evaluation."""
    frame = table.frame(task)
    for thing, gold in zip(frame.item.tolist(), frame.gold.tolist(), strict=True):
        yield table.item_metadata[thing].item, table.words[gold]


def _answers(result: Result, right: Mapping[str, str]) -> MetricRows:
    """A row an answer, 1 where it is the right one of a list; what could not be read is neither answer."""
    table = result.verdict_table
    frame = table.frame(result.headline_tasks[0])
    given = [None if code < 0 else table.words[code] for code in frame.label.tolist()]
    items = [table.item_metadata[thing].item for thing in frame.item.tolist()]
    same = np.array([label == right.get(item) for label, item in zip(given, items, strict=True)], dtype=np.float64)
    keys = table.keys.take(frame.item, frame.sample.astype(np.int64))
    rows = MetricRows.within(
        0.0, 1.0, keys=replace(keys, unit=keys.item), value=np.where(np.isnan(frame.points), np.nan, same)
    )
    return rows.parted()[0]


# The table, as programs know it.

WRONG_PLACE = Table.of(
    "wrong_place",
    "Another place named in a scene that stays",
    EVALUATION,
    Column(
        "moved",
        "contrast",
        "answers that are right of the own place as ever, less those with the other place named",
        title="Moved, points",
        main=True,
        ends=("with_place", "stays"),
    ),
    Column(
        "lean",
        "contrast",
        "with the other place named, answers that are right of it less those that are right of the own",
        title="Follow less stay, points",
        ends=("follows", "stays_there"),
    ),
    Column("left_out", "names", "what the control could not ask"),
)
ABOUT = (
    "The same scenes were asked with another place named, whose custom differs, and nothing else changed: names of "
    "people and towns still speak of the own place. Of items whose right answer differs between the two, an answer "
    "stays where it is the right one of the own place, follows where it is that of the place that is named, and may be "
    "neither. Who knows places answers by the one that is named; who recognises scenes stays. Not masking but this "
    "tells the two apart: without its place a scene may still be recognised. p-values are corrected (Holm) for each "
    "column."
)


def rows_of(found: Sequence[WrongPlace]) -> Iterator[Row]:
    """A row a model and benchmark."""
    for each in found:
        remarks = tuple(r for r in each.other.provenance.remarks if r.startswith("Control misplaced:"))
        yield (each.plain, each.moved, each.lean, remarks)


def view_of(rows: Sequence[Row]) -> View:
    """The table for people."""
    left = (f"{row[0].benchmark}: {remark}" for row in rows for remark in row[-1])
    return View(
        title="Another place named in a scene that stays",
        rows=tuple(rows),
        shown=(
            "evaluation",
            Show("with_place", "Own place named"),
            Show("stays", "Stays with it"),
            Show("follows", "Follows the other"),
            "moved",
            "lean",
        ),
        notes=tuple(dict.fromkeys(left)),
    )


def findings_of(found: Sequence[WrongPlace]) -> Iterator[Finding]:
    """Model by model and benchmark, whether answers follow the place that is named or stay with the scene."""
    for each in found:
        lean = each.lean
        if lean.difference is None or lean.a is None or lean.b is None:
            continue
        model, benchmark = Span(each.plain.label, "model"), Span(each.plain.benchmark, "code")
        shares = (
            "; it follows in ",
            CellValue(lean.b, "share"),
            " of answers and stays in ",
            CellValue(lean.a, "share"),
        )
        sure = ("95% interval of the difference ", CellValue(lean, "ends", FOLLOWS), "; ",
                CellValue(lean.p_adjusted, "full_p"), " after Holm's correction.")  # fmt: skip
        if not lean.found:
            verb = " is not found to follow the place that is named more often than the scene on "
        else:
            verb = " follows the place that is named on " if lean.difference > 0 else " stays with the scene on "
        yield Finding(words=(model, verb, benchmark, *shares, "."), id=f"controls.misplaced.{each.plain.benchmark}",
                      sure=sure, weight="differs", found=lean.found)  # fmt: skip
