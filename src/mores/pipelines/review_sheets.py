"""Sheets on which people check a release, their labels as a table of codes, and the review of yes-or-no checklists.

A row a question, under a name and in an order that do not tell what its answer should be; the key lies beside.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
import numpy as np
import numpy.typing as npt

from mores.benchmarks.label_columns import AS_NAMED, LabelColumns
from mores.benchmarks.label_rows import LabelRow, format_counts, read_labels
from mores.core.codec import build, encode, parse_json, read_text
from mores.core.codes import RowCodes, row_code
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.table import sheet_for_people
from mores.stats.agreement import RaterAgreement, rater_agreement
from mores.stats.cluster_sums import Design, MeasuredFigure, share

SHEET, KEY = "review.csv", "review.key.json"
"""Sheet that people fill in, and the key to its rows, which they are not shown."""
T = TypeVar("T")


class LabelTable(msgspec.Struct, frozen=True, kw_only=True):
    """Labels as codes from 0, a row a row of the sheet and a column a person, NaN for none."""

    table: npt.NDArray[np.float64]
    people: tuple[str, ...]

    @property
    def kinds(self) -> int:
        """Number of labels to choose from: the first two, and more where one of these was given."""
        return max(2, int(np.nanmax(self.table, initial=0)) + 1)

    @property
    def labels(self) -> int:
        """Number of labels given."""
        return int(np.isfinite(self.table).sum())

    @property
    def rows(self) -> int:
        """Number of rows with a label."""
        return int(np.isfinite(self.table).any(1).sum())

    @property
    def unanimous(self) -> float | None:
        """The share of rows on which all of two people or more agree; None without such rows."""
        several = self.table[np.isfinite(self.table).sum(1) > 1]
        return float((np.nanmin(several, axis=1) == np.nanmax(several, axis=1)).mean()) if several.size else None

    @property
    def majority(self) -> npt.NDArray[np.float64]:
        """The label of most, NaN for none and where another has as many."""
        votes = np.stack([(self.table == code).sum(1) for code in range(self.kinds)], axis=1)
        most = votes.max(1)
        return np.where((votes == most[:, None]).sum(1) == 1, votes.argmax(1).astype(float), np.nan)

    def part(self, rows: npt.NDArray[np.bool_]) -> "LabelTable":
        """Those of some rows."""
        return LabelTable(table=self.table[rows], people=self.people)


def read_key(folder: Path, kind: type[T]) -> tuple[T, ...]:
    """Rows of a build's sheet, from the key beside it.

    Raises:
        InputError: the folder has no key, or another one.
    """
    path = folder / KEY
    if not path.is_file():
        raise InputError(f"{folder}: no {KEY}; expected a build with a sheet for people.")
    return build(tuple[kind, ...], parse_json(read_text(path), where=str(path)), where=str(path))  # type: ignore[valid-type]


def read_ballots(
    ids: Sequence[str], labels: Sequence[str], files: Sequence[Path], columns: LabelColumns = AS_NAMED,
    noting: Callable[[str], None] | None = None,
) -> LabelTable:  # fmt: skip
    """The labels in some sheets, of the rows with these ids; `noting` is called with those left out, if any were.

    Raises:
        InputError: a file cannot be read, or a label is about nothing, of another kind, or given twice.
    """
    read = [read_labels(path, columns) for path in files]
    rows = [row for each in read for row in each.rows]
    left_out = sum((each.left_out for each in read), Counter[str]())
    if left_out and noting is not None:
        noting(f"Labels left out: {format_counts(left_out)}.")
    at, codes = {name: number for number, name in enumerate(ids)}, RowCodes(ids)
    people = sorted({row.annotator for row in rows})
    table = np.full((len(ids), len(people)), np.nan)
    for row in rows:
        cell = at[_code_of(row, codes)], people.index(row.annotator)
        if row.label.casefold() not in labels:
            raise InputError(f"{row.where}: the label is '{row.label}'; expected {' or '.join(labels)}.")
        if np.isfinite(table[cell]):
            raise InputError(f"{row.where}: a second label of {row.id} by '{row.annotator}'; expected one.")
        table[cell] = labels.index(row.label.casefold())
    return LabelTable(table=table, people=tuple(people))


def _code_of(row: LabelRow, codes: RowCodes) -> str:
    found = {each.code for code in row.codes if (each := codes.find(code)) is not None}
    if len(found) != 1:
        problem = (
            f"two rows have the ids '{row.codes[0]}' and '{row.codes[1]}'" if found else f"no row has the id '{row.id}'"
        )
        raise InputError(f"{row.where}: {problem}; expected one of the sheet {SHEET}.")
    return found.pop()


ChecklistAnswer = Literal["yes", "no"]
LABELS: tuple[ChecklistAnswer, ChecklistAnswer] = ("yes", "no")
_SEED = Seed("checklist")


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a sheet: which aspect of which scenario is asked about, and the answer it should have."""

    id: str
    scenario: str
    aspect: str
    expected: ChecklistAnswer


class AspectReview(msgspec.Struct, frozen=True, kw_only=True):
    """People's labels of one aspect: the share of rows that most find as they should be, and the agreement of people.

    Rows without a label of most are left out of the share; `decided` counts the others.
    """

    aspect: str
    sound: MeasuredFigure
    decided: int
    unanimous: float | None
    agreement: RaterAgreement
    failed: tuple[str, ...]


class ChecklistReview(msgspec.Struct, frozen=True, kw_only=True):
    """People's labels by aspect; `failed` are the scenarios that most do not find as they should be."""

    labels: int
    people: int
    rows: int
    aspects: tuple[AspectReview, ...]


def checkpoint(scenario: str, aspect: str, expected: ChecklistAnswer) -> Checkpoint:
    """The row of an aspect of a scenario, under a name that does not tell what its answer should be."""
    return Checkpoint(id=row_code([scenario, aspect]), scenario=scenario, aspect=aspect, expected=expected)


def checklist(columns: Sequence[str], rows: Iterable[tuple[Checkpoint, Sequence[str]]]) -> dict[str, bytes]:
    """The sheet that people fill in, with these columns between the id and the labels, and the key to it."""
    ordered = sorted(rows, key=lambda row: row[0].id)
    for_people = sheet_for_people(
        ("id", "code", *columns, "annotator", "label"),
        [(point.id, point.id, *cells, "", "") for point, cells in ordered],
    )
    return {SHEET: for_people, KEY: encode([point for point, _ in ordered]) + b"\n"}


def review_checklist(
    folder: Path, labels: Sequence[Path], columns: LabelColumns = AS_NAMED, noting: Callable[[str], None] | None = None
) -> ChecklistReview:
    """Review of the release in a folder by some sheets of labels, with intervals over scenarios.

    Raises:
        InputError: the folder has no key, or a label is about nothing, of another kind, or given twice.
    """
    points = read_key(folder, Checkpoint)
    return checklist_reviewed(points, read_ballots([point.id for point in points], LABELS, labels, columns, noting))


def checklist_reviewed(points: Sequence[Checkpoint], ballots: LabelTable) -> ChecklistReview:
    """Review of a sheet by its labels, row by row in the same order, with intervals over scenarios."""
    majority, expected = ballots.majority, np.array([LABELS.index(point.expected) for point in points])
    scenarios, asked = (np.array([getattr(point, name) for point in points]) for name in ("scenario", "aspect"))
    found = []
    for aspect in dict.fromkeys(sorted(asked.tolist())):
        here = asked == aspect
        decided, seed = here & np.isfinite(majority), _SEED.child(aspect)
        sound = (majority == expected)[decided]
        of_aspect = ballots.part(here)
        found.append(
            AspectReview(
                aspect=aspect,
                sound=share(sound.astype(float), Design(clusters=scenarios[decided], seed=seed), "sound"),
                decided=sound.size,
                unanimous=of_aspect.unanimous,
                agreement=rater_agreement(of_aspect.table, len(LABELS), Design(clusters=scenarios[here], seed=seed)),
                failed=tuple(sorted(set(scenarios[decided][~sound].tolist()))),
            )
        )
    return ChecklistReview(labels=ballots.labels, people=len(ballots.people), rows=ballots.rows, aspects=tuple(found))
