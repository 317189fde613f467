"""What people are given to check questions, and what their labels say of a release.

A row a pair of a norm and a course of action, under a name that does not tell what it should be and in an order that
does not either; what each should be lies in a file of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mores.benchmarks.label_columns import AS_NAMED, LabelColumns
from mores.core.codec import encode
from mores.core.codes import row_code
from mores.core.seeds import Seed
from mores.core.table import sheet_for_people
from mores.pipelines.label_table import KEY, SHEET, LabelTable, read_ballots, read_key
from mores.pipelines.questions.draft import LETTERS, MATRIX, OptionStand, UpperLetter
from mores.pipelines.questions.release import BuiltQuestion
from mores.stats.agreement import RaterAgreement, rater_agreement
from mores.stats.cluster_sums import Design, MeasuredFigure, share

LABELS: tuple[OptionStand, OptionStand] = ("satisfy", "violate")
NEUTRAL = "neutral"
"""What somebody may say of a pair where a study asks for it: the norm does not speak of it. No pair should be."""
_SEED = Seed("questions/review")


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionNormPair:
    """One row of the sheet: which norm of which question, and which course of action it is held against."""

    id: str
    question: str
    option: UpperLetter
    norm: int

    @property
    def wanted(self) -> OptionStand:
        """What the matrix has there."""
        return MATRIX[self.option][self.norm - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """What people's labels say: every pair by the majority of those who labelled it, ties left out.

    `hard` is the share of questions of which all twelve pairs are as the matrix has them, `soft` of those whose right
    option keeps to all norms and whose others violate one at least; of the `questions` that have all their labels.
    `unanimous` is the share of pairs on which all of two people or more agree.
    """

    labels: int
    people: int
    pairs: int
    unanimous: float | None
    agreement: RaterAgreement
    hard: MeasuredFigure
    soft: MeasuredFigure
    questions: int
    apart: tuple[str, ...]


def sheet_of(made: Sequence[BuiltQuestion]) -> dict[str, bytes]:
    """The sheet that people fill in, and the key to it."""
    rows = []
    for each in made:
        for letter in LETTERS:
            for number, norm in enumerate(each.grounds.norms, start=1):
                pair = OptionNormPair(
                    id=row_code([each.id, letter, number]), question=each.id, option=letter, norm=number
                )
                rows.append((pair, (pair.id, pair.id, each.grounds.place, each.draft.context, norm.statement,
                                    each.draft.options[letter], "", "")))  # fmt: skip
    rows.sort(key=lambda row: row[0].id)
    heads = ("id", "code", "place", "background", "norm", "option", "annotator", "label")
    return {SHEET: sheet_for_people(heads, (row for _, row in rows)), KEY: encode([pair for pair, _ in rows]) + b"\n"}


def review(
    folder: Path, labels: Sequence[Path], columns: LabelColumns = AS_NAMED, noting: Callable[[str], None] | None = None
) -> Reviewed:
    """What some sheets of labels say of the release in a folder.

    Raises:
        InputError: the folder has no key, or a label is about nothing, of another kind, or given twice.
    """
    pairs = read_key(folder, OptionNormPair)
    return reviewed(pairs, read_ballots([pair.id for pair in pairs], (*LABELS, NEUTRAL), labels, columns, noting))


def reviewed(pairs: Sequence[OptionNormPair], ballots: LabelTable) -> Reviewed:
    """What labels say of the pairs of a sheet, row by row in the same order."""
    questions, said = np.array([pair.question for pair in pairs]), ballots.majority
    right = np.array([LABELS.index(pair.wanted) for pair in pairs])
    hard, whole = _share(questions, said, lambda rows: bool((said[rows] == right[rows]).all()))
    soft, _ = _share(questions, said, lambda rows: _softly([pairs[row] for row in rows], said[rows]))
    return Reviewed(
        labels=ballots.labels,
        people=len(ballots.people),
        pairs=ballots.rows,
        unanimous=ballots.unanimous,
        agreement=rater_agreement(ballots.table, ballots.kinds, Design(clusters=questions, seed=_SEED)),
        hard=hard,
        soft=soft,
        questions=whole,
        apart=tuple(pair.id for pair, each, wanted in zip(pairs, said, right, strict=True)
                    if np.isfinite(each) and each != wanted),
    )  # fmt: skip


def _softly(pairs: Sequence[OptionNormPair], said: npt.NDArray[np.float64]) -> bool:
    told = list(zip(pairs, said, strict=True))
    violated = {pair.option for pair, each in told if each == LABELS.index("violate")}
    right = all(each == LABELS.index("satisfy") for pair, each in told if pair.option == LETTERS[3])
    return right and violated == set(LETTERS[:3])


def _share(
    questions: npt.NDArray[np.str_], said: npt.NDArray[np.float64], holds: Callable[[npt.NDArray[np.int64]], bool]
) -> tuple[MeasuredFigure, int]:
    """The share of questions of which something holds, among those with all labels, and how many these are."""
    every = (np.flatnonzero(questions == question) for question in np.unique(questions))
    found = [float(holds(rows)) for rows in every if np.isfinite(said[rows]).all()]
    return share(found, Design(clusters=range(len(found)), seed=_SEED.child("share")), "compliance"), len(found)
