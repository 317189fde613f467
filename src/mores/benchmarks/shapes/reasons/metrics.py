"""Scores of explained labels: the label, the reasons, and the two together: right, and for the right reason.

The four shares of the table (label right or wrong × reasons good or bad) add up to 1: an answer is in none of them
unless both its label and its reasons are graded. To count a wrong label without graded reasons as not right-and-good,
which it is, but to leave out a right one would bend the share downwards with each failure of a judge.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

import numpy as np
from msgspec.structs import replace

from mores.analysis.aggregate import pooled
from mores.analysis.f1 import f1_macro
from mores.benchmarks.scoring import MetricDefinition
from mores.benchmarks.shapes.reasons.length_correction import CORRECTED, People, corrected_rows, mean_corrected
from mores.benchmarks.shapes.scoring import VerdictSource, all_right, each_answer, fault_points, labelled_answers
from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.estimate import MetricRows, Missing
from mores.core.verdict import DISAGREEMENT, LABEL
from mores.core.verdict_table import VerdictColumns, VerdictTable

GOOD_FROM = 0.5
"""Points from which reasons are good."""
SIMILARITY = "similarity"
WIDEST = 0.5
"""The greatest variance of points from 0 to 1, that of two votes at the two ends."""


class ReasonSource(VerdictSource):
    """The verdicts on labels and on reasons of one run.

    `people` holds points of reasons by item and sample, None where nobody gave any.

    Raises:
        InputError: the two are not of the same answers.
    """

    def __init__(self, table: VerdictTable, *, label: str, reasons: str, people: People | None) -> None:
        super().__init__(table)
        self.label, self.reasons = table.frame(label), table.frame(reasons)
        self.dimension, self.people = reasons, people
        same = (np.array_equal(getattr(self.label, name), getattr(self.reasons, name)) for name in ("item", "sample"))
        if not all(same):
            raise InputError(f"verdicts on {label} and on {reasons} are not of the same answers.")

    @property
    def good(self) -> Floats:
        """1 where reasons are good, 0 where not, NaN where ungraded."""
        points = self.reasons.points
        return np.where(np.isnan(points), np.nan, (points >= GOOD_FROM).astype(float))

    def rows(self, frame: VerdictColumns, points: Floats) -> MetricRows:
        """Points of each answer."""
        return all_right(self, self.items, frame, points)


def measures_of(metrics: Collection[str], dimension: str) -> dict[str, MetricDefinition[ReasonSource]]:
    """What a benchmark of explained labels with these metrics counts; `dimension` is what its rubric grades."""
    both = "label_accuracy" in metrics
    return {
        **_ALL,
        "accuracy": replace(_ALL["right_good" if both else "label_accuracy"], tasks=(LABEL, dimension)),
        dimension: MetricDefinition(lambda source: source.rows(source.reasons, source.reasons.points)),
        f"{dimension}_{CORRECTED}": MetricDefinition(
            lambda source: corrected_rows(source, source.reasons, source.dimension, source.people),
            mean_corrected,
            is_mean=False,
        ),
    }


def _label(source: ReasonSource) -> MetricRows:
    return source.rows(source.label, source.label.points)


def _both(source: ReasonSource, *, right: bool, good: bool) -> MetricRows:
    """One of the four shares of label × reasons."""
    labels = source.label.points if right else 1 - source.label.points
    return source.rows(source.label, labels * (source.good if good else 1 - source.good))


def _wrong_reason(source: ReasonSource) -> MetricRows:
    """Bad reasons among right labels alone; where the label is ungraded it may be a right one."""
    points = source.label.points
    bad = np.where(points == 1, 1 - source.good, np.nan)
    return each_answer(source, source.label, bad, points != 0)


def _disagreement(source: ReasonSource) -> MetricRows | Missing:
    """The variance of votes on an answer; nobody was asked of an answer that could not be used."""
    ballots = source.table.ballots(source.dimension)
    spread = np.array([np.nan if b is None or b.spread is None else b.spread for b in ballots], dtype=np.float64)
    judged = np.array([b is not None for b in ballots], dtype=np.bool_) | np.isnan(source.reasons.points)
    if not np.isfinite(spread[judged]).any():
        graded = np.isfinite(source.reasons.points).any()
        return Missing(code="one_vote" if graded else "nothing_graded", n=source.items.size)
    return each_answer(source, source.reasons, spread, judged, most=WIDEST)


def _similarity(source: ReasonSource) -> MetricRows | Missing:
    """The cosine of each answer and its reference, where the run has an encoder."""
    frame = source.table.frame(SIMILARITY)
    if not len(frame.item):
        return Missing(code="no_encoder", n=source.items.size)
    return MetricRows.within(-1.0, 1.0, keys=source.answers(frame), value=frame.points, task=SIMILARITY)


def _fault(fault: str, source: ReasonSource) -> MetricRows:
    return source.rows(source.label, fault_points(source.table, source.label, fault))


_ALL: dict[str, MetricDefinition[ReasonSource]] = {
    "label_accuracy": MetricDefinition(_label, compared=False),
    "right_good": MetricDefinition(partial(_both, right=True, good=True), compared=False),
    "right_bad": MetricDefinition(partial(_both, right=True, good=False), compared=False),
    "wrong_good": MetricDefinition(partial(_both, right=False, good=True), compared=False),
    "wrong_bad": MetricDefinition(partial(_both, right=False, good=False), compared=False),
    "wrong_reason": MetricDefinition(_wrong_reason, compared=False),
    DISAGREEMENT: MetricDefinition(_disagreement, compared=False),
    SIMILARITY: MetricDefinition(_similarity),
    "f1_micro": MetricDefinition(_label, pooled, compared=False),
    "f1_macro": MetricDefinition(lambda source: labelled_answers(source, source.label), f1_macro, is_mean=False),
    "format_error": MetricDefinition(partial(_fault, "format_error")),
    "refusal": MetricDefinition(partial(_fault, "refusal")),
}
