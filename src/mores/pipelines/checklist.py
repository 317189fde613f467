"""Sheets on which people answer yes-or-no questions about scenarios, and what their answers say of a release.

A row a question, under a name and in an order that do not tell what its answer should be; the key lies beside.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from mores.benchmarks.label_columns import AS_NAMED, LabelColumns
from mores.core.codec import encode
from mores.core.codes import row_code
from mores.core.seeds import Seed
from mores.core.table import sheet_for_people
from mores.pipelines.label_table import KEY, SHEET, LabelTable, read_ballots, read_key
from mores.stats.agreement import RaterAgreement, rater_agreement
from mores.stats.cluster_sums import Design, MeasuredFigure, share

ChecklistAnswer = Literal["yes", "no"]
LABELS: tuple[ChecklistAnswer, ChecklistAnswer] = ("yes", "no")
_SEED = Seed("checklist")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """One row of a sheet: which aspect of which scenario is asked about, and the answer it should have."""

    id: str
    scenario: str
    aspect: str
    wanted: ChecklistAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class AspectReview:
    """What people say of one aspect: the share of rows that most find as they should be, and how far people agree.

    Rows without a label of most are left out of the share; `decided` counts the others.
    """

    aspect: str
    sound: MeasuredFigure
    decided: int
    unanimous: float | None
    agreement: RaterAgreement
    apart: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecklistReview:
    """What people's labels say by aspect; `apart` are the scenarios that most do not find as they should be."""

    labels: int
    people: int
    rows: int
    aspects: tuple[AspectReview, ...]


def checkpoint(scenario: str, aspect: str, wanted: ChecklistAnswer) -> Checkpoint:
    """The row of an aspect of a scenario, under a name that does not tell what its answer should be."""
    return Checkpoint(id=row_code([scenario, aspect]), scenario=scenario, aspect=aspect, wanted=wanted)


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
    """What some sheets of labels say of the release in a folder, with intervals over scenarios.

    Raises:
        InputError: the folder has no key, or a label is about nothing, of another kind, or given twice.
    """
    points = read_key(folder, Checkpoint)
    return checklist_reviewed(points, read_ballots([point.id for point in points], LABELS, labels, columns, noting))


def checklist_reviewed(points: Sequence[Checkpoint], ballots: LabelTable) -> ChecklistReview:
    """What labels say of the rows of a sheet, row by row in the same order, with intervals over scenarios."""
    said, wanted = ballots.majority, np.array([LABELS.index(point.wanted) for point in points])
    scenarios, asked = (np.array([getattr(point, name) for point in points]) for name in ("scenario", "aspect"))
    found = []
    for aspect in dict.fromkeys(sorted(asked.tolist())):
        here = asked == aspect
        decided, seed = here & np.isfinite(said), _SEED.child(aspect)
        sound = (said == wanted)[decided]
        of_aspect = ballots.part(here)
        found.append(
            AspectReview(
                aspect=aspect,
                sound=share(sound.astype(float), Design(clusters=scenarios[decided], seed=seed), "sound"),
                decided=sound.size,
                unanimous=of_aspect.unanimous,
                agreement=rater_agreement(of_aspect.table, len(LABELS), Design(clusters=scenarios[here], seed=seed)),
                apart=tuple(sorted(set(scenarios[decided][~sound].tolist()))),
            )
        )
    return ChecklistReview(labels=ballots.labels, people=len(ballots.people), rows=ballots.rows, aspects=tuple(found))
