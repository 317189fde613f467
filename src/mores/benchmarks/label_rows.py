"""Labels that people gave, row by row: `item, task, annotator, label`, optionally `sample, step, norm, place, note`.

Rows of a work list have a `code` (an `id`, in those made before) instead of item and task, or no more than the words
that were shown. A row without a label is one that nobody has filled in yet. Exports of the tools that people label with
are read as well (`label_exports`), and any table by the names of its columns (`label_columns`).
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from mores.benchmarks.data_tables import DataRow, filled
from mores.benchmarks.label_columns import AS_NAMED, LabelColumns
from mores.benchmarks.label_exports import LeftOut, exported_rows
from mores.core.errors import InputError
from mores.core.verdict import JudgedUnit

_SHOWN = ("words", "text", "displayed_text")
"""Columns of the words that were shown, as tools call them."""


class LabelRow(Struct, frozen=True, kw_only=True):
    """One label of one person; a code names a row of a work list, else `thing` says what is labelled.

    Of a row that went through a tool either of `codes` may be the code; the other is a number of the tool's own. `task`
    and `place` are what stands beside it: they show where a sheet's columns were sorted apart. `words` are those shown.
    """

    where: str
    codes: tuple[str, ...]
    thing: JudgedUnit | None
    annotator: str
    label: str
    task: str
    place: str
    words: str = ""

    @property
    def id(self) -> str:
        """The code, as far as the row alone tells."""
        return self.codes[0] if self.codes else ""


class Labels(Struct, frozen=True, kw_only=True):
    """The labels of a file, and how many rows of it were left out, by the reason."""

    rows: tuple[LabelRow, ...]
    left_out: Counter[str]


def read_label_rows(path: Path) -> tuple[LabelRow, ...]:
    """The rows of a file that have a label, as `read_labels` reads them."""
    return read_labels(path).rows


def read_labels(path: Path, columns: LabelColumns = AS_NAMED) -> Labels:
    """The rows of a CSV, JSON or JSON Lines file that have a label.

    Raises:
        InputError: the file cannot be read, a row is malformed, one person labels one thing twice, or no row has a
            label.
    """
    left_out = Counter[str]()
    rows = tuple(_once(_labelled(path, columns, left_out)))
    if not rows:
        excluded = f" ({format_counts(left_out)} left out)" if left_out else ""
        raise InputError(f"{path}: no row has a label{excluded}; expected people's labels in the column 'label'.")
    return Labels(rows=rows, left_out=left_out)


def format_counts(counts: Counter[str]) -> str:
    """Counts in words.

    >>> format_counts(Counter(rejected=1, skipped=2))
    '1 rejected, 2 skipped'
    """
    return ", ".join(f"{count:,} {what}" for what, count in counts.items())


def _labelled(path: Path, columns: LabelColumns, left_out: Counter[str]) -> Iterator[LabelRow]:
    for row in exported_rows(path, columns):
        if isinstance(row, LeftOut):
            left_out[row.why] += 1
        elif row.cells["label"].strip():
            yield _label(row)


def _once(rows: Iterator[LabelRow]) -> Iterator[LabelRow]:
    """The rows, as long as nobody labels one thing twice."""
    seen: dict[tuple[object, str], str] = {}
    for one in rows:
        what = one.id or one.thing or one.words
        key = (what, one.annotator)
        if key in seen:
            raise InputError(
                f"{one.where}: a second label of {str(what)[:60]} by '{one.annotator}' (first {seen[key]}); expected "
                "one."
            )
        seen[key] = one.where
        yield one


def _label(row: DataRow) -> LabelRow:
    cells = row.cells
    codes = tuple(dict.fromkeys(filter(None, (cells.get(name, "").strip() for name in ("code", "id")))))
    words = next((cells[name] for name in _SHOWN if cells.get(name, "").strip()), "")
    named = "item" in cells and "task" in cells
    if not codes and not named and not words:
        raise InputError(f"{row.where}: neither an id nor item and task; columns are {sorted(cells)}.")
    return LabelRow(
        where=row.where,
        codes=codes,
        thing=_thing(row) if named and not codes else None,
        annotator=filled(row, "annotator").strip(),
        label=cells["label"].strip(),
        task=cells.get("task", "").strip(),
        place=cells.get("place", "").strip(),
        words=words,
    )


def _thing(row: DataRow) -> JudgedUnit:
    return JudgedUnit(
        item=filled(row, "item").strip(),
        sample=_number(row, "sample") or 0,
        task=filled(row, "task").strip(),
        step=_number(row, "step"),
        norm=row.cells.get("norm", "").strip(),
    )


def _number(row: DataRow, column: str) -> int | None:
    # A table that went through floats has 3.0 for 3.
    text = row.cells.get(column, "").strip().removesuffix(".0")
    if text and not text.isdecimal():
        raise InputError(f"{row.where}: {column} is '{text}'; expected a whole number from 0 up.")
    return int(text) if text else None


def points_of(row: LabelRow) -> float:
    """A label that is points, with a point or, as sheets of many countries have it, a comma.

    Raises:
        InputError: it is no number from 0 to 1.
    """
    try:
        points = float(row.label.replace(",", "."))
    except ValueError:
        points = -1.0
    if not 0.0 <= points <= 1.0:
        raise InputError(f"{row.where}: label is '{row.label}'; expected points from 0 to 1.")
    return points
