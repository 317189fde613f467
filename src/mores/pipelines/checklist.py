"""Sheets on which people answer yes-or-no questions about scenarios, and what their answers say of a release.

A row a question, under a name and in an order that do not tell what its answer should be; the key lies beside.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from mores.benchmarks.label_columns import AS_NAMED, LabelColumns
from mores.core.codec import encode
from mores.core.codes import row_code
from mores.core.csv_files import sheet_for_people
from mores.core.seeds import Seed
from mores.pipelines.label_table import KEY, SHEET, LabelTable, read_ballots, read_key
from mores.stats.agreement import RaterAgreement, rater_agreement
from mores.stats.cluster_sums import Design, MeasuredFigure, share

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
