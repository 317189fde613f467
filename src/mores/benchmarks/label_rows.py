"""Labels that people gave, row by row: `item, task, annotator, label`, optionally `sample, step, norm, place, note`.

Rows of a work list have an `id` instead of item and task. A row without a label is one that nobody has filled in yet.
"""

from pathlib import Path

from msgspec import Struct

from mores.benchmarks.tabular import Row, filled, read_table
from mores.core.errors import InputError
from mores.core.vote import JudgedUnit


class LabelRow(Struct, frozen=True, kw_only=True):
    """One label of one person; `id` names a row of a work list, else `thing` says what is labelled.

    `task` and `place` are what stands beside an id: they show where a sheet's columns were sorted apart.
    """

    where: str
    id: str
    thing: JudgedUnit | None
    annotator: str
    label: str
    task: str
    place: str


def read_label_rows(path: Path) -> tuple[LabelRow, ...]:
    """The rows of a CSV or JSON Lines file that have a label.

    Raises:
        InputError: the file cannot be read, a row is malformed, one person labels one thing twice, or no row has a
            label.
    """
    seen: dict[tuple[object, str], str] = {}
    found = []
    for row in read_table(path, ("annotator", "label")):
        if not row.cells["label"].strip():
            continue
        one = _label(row)
        what = one.id or one.thing
        key = (what, one.annotator)
        if key in seen:
            raise InputError(
                f"{row.where}: a second label of {what} by '{one.annotator}' (first {seen[key]}); expected one."
            )
        seen[key] = row.where
        found.append(one)
    if not found:
        raise InputError(f"{path}: no row has a label; expected people's labels in the column 'label'.")
    return tuple(found)


def _label(row: Row) -> LabelRow:
    cells = row.cells
    name = cells.get("id", "").strip()
    if not name and not ("item" in cells and "task" in cells):
        raise InputError(f"{row.where}: neither an id nor item and task; columns are {sorted(cells)}.")
    return LabelRow(
        where=row.where,
        id=name,
        thing=None if name else _thing(row),
        annotator=filled(row, "annotator").strip(),
        label=cells["label"].strip(),
        task=cells.get("task", "").strip(),
        place=cells.get("place", "").strip(),
    )


def _thing(row: Row) -> JudgedUnit:
    return JudgedUnit(
        item=filled(row, "item").strip(),
        sample=_number(row, "sample") or 0,
        task=filled(row, "task").strip(),
        step=_number(row, "step"),
        norm=row.cells.get("norm", "").strip(),
    )


def _number(row: Row, column: str) -> int | None:
    text = row.cells.get(column, "").strip()
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
