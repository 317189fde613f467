"""Sheet on which people check questions, and the review of a release by their labels.

A row a pair of a norm and a course of action, under a name that does not tell what it should be and in an order that
does not either; what each should be lies in a file of its own.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from mores.benchmarks.label_columns import AS_NAMED, LabelColumns
from mores.core.seeds import Seed
from mores.pipelines.questions.prompts import LETTERS, MATRIX, OptionStand, UpperLetter
from mores.pipelines.review_sheets import LabelTable, read_ballots, read_key
from mores.stats.agreement import RaterAgreement, rater_agreement
from mores.stats.cluster_sums import Design, MeasuredFigure, share

LABELS: tuple[OptionStand, OptionStand] = ("satisfy", "violate")
NEUTRAL = "neutral"
"""Label of a pair, where a study asks for it, of whose act the norm does not speak. No pair should have it."""
_SEED = Seed("questions/review")


class OptionNormPair(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the sheet: which norm of which question, and which course of action it is compared with."""

    id: str
    question: str
    option: UpperLetter
    norm: int

    @property
    def wanted(self) -> OptionStand:
        """Stance that the matrix has there."""
        return MATRIX[self.option][self.norm - 1]


class Reviewed(msgspec.Struct, frozen=True, kw_only=True):
    """Review by people's labels: every pair by the majority of those who labelled it, ties left out.

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
    failed: tuple[str, ...]


def review(
    folder: Path, labels: Sequence[Path], columns: LabelColumns = AS_NAMED, noting: Callable[[str], None] | None = None
) -> Reviewed:
    """Review of the release in a folder by some sheets of labels.

    Raises:
        InputError: the folder has no key, or a label is about nothing, of another kind, or given twice.
    """
    pairs = read_key(folder, OptionNormPair)
    return reviewed(pairs, read_ballots([pair.id for pair in pairs], (*LABELS, NEUTRAL), labels, columns, noting))


def reviewed(pairs: Sequence[OptionNormPair], ballots: LabelTable) -> Reviewed:
    """Review of a sheet's pairs by their labels, row by row in the same order."""
    questions, majority = np.array([pair.question for pair in pairs]), ballots.majority
    right = np.array([LABELS.index(pair.wanted) for pair in pairs])
    hard, whole = _share(questions, majority, lambda rows: bool((majority[rows] == right[rows]).all()))
    soft, _ = _share(questions, majority, lambda rows: _softly([pairs[row] for row in rows], majority[rows]))
    return Reviewed(
        labels=ballots.labels,
        people=len(ballots.people),
        pairs=ballots.rows,
        unanimous=ballots.unanimous,
        agreement=rater_agreement(ballots.table, ballots.kinds, Design(clusters=questions, seed=_SEED)),
        hard=hard,
        soft=soft,
        questions=whole,
        failed=tuple(pair.id for pair, each, expected in zip(pairs, majority, right, strict=True)
                    if np.isfinite(each) and each != expected),
    )  # fmt: skip


def _softly(pairs: Sequence[OptionNormPair], labels: npt.NDArray[np.float64]) -> bool:
    answers = list(zip(pairs, labels, strict=True))
    violated = {pair.option for pair, each in answers if each == LABELS.index("violate")}
    right = all(each == LABELS.index("satisfy") for pair, each in answers if pair.option == LETTERS[3])
    return right and violated == set(LETTERS[:3])


def _share(
    questions: npt.NDArray[np.str_], labels: npt.NDArray[np.float64], holds: Callable[[npt.NDArray[np.int64]], bool]
) -> tuple[MeasuredFigure, int]:
    """The share of questions of which something holds, among those with all labels, and how many these are."""
    every = (np.flatnonzero(questions == question) for question in np.unique(questions))
    found = [float(holds(rows)) for rows in every if np.isfinite(labels[rows]).all()]
    return share(found, Design(clusters=range(len(found)), seed=_SEED.child("share")), "compliance"), len(found)
