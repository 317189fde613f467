"""Scores of open answers held against norms: the norm score in its forms, and where answers go.

A unit is a norm of a question. An answer without words leaves its norms open. A verdict that failed is left out, and
the bounds say what it could have done.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from msgspec.structs import replace

from mores.analysis.aggregate import Aggregator, Slice, estimated, rounded
from mores.analysis.gaps import gap_between_places
from mores.analysis.units import first_codes
from mores.benchmarks.scoring import MetricDefinition
from mores.benchmarks.shapes.scoring import fault_points
from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.estimate import Estimate, MetricRows, RowKeys
from mores.core.verdict_table import VerdictColumns, VerdictTable
from mores.judges.verifier import LABELS
from mores.stats.norm_scores import PUBLISHED, StrictnessForm, norm_weights, weighted_interval

STRICTNESS = "strictness"
NORM = "norm"
NORM_SCORE, KEPT = "norm_score", "accuracy"
SHARES = (KEPT, "neutral", "violated")
"""The metrics that say how probably a norm is kept to, left open or broken."""
COUNTED = "counted"
"""The fact of a norm score's rows that verdicts are shares of repeated words, and no probabilities of labels."""


def probabilities(table: VerdictTable) -> Floats:
    """Satisfied, neutral and violated by verdict, in the order of the task's frame; three NaN where ungraded.

    Where no judge was asked, as the answer had no words, all is neutral.
    """
    frame = table.frame(NORM)
    found = np.full((len(frame.item), len(LABELS)), np.nan)
    for row, ballot in enumerate(table.ballots(NORM)):
        if ballot is not None and ballot.label_probs is not None:
            found[row] = [ballot.label_probs[label] for label in LABELS]
    unasked = np.isnan(found[:, 0]) & np.isfinite(frame.points)
    found[unasked] = [float(label == LABELS[1]) for label in LABELS]
    return found


class NormSource:
    """The verdicts of one run on norms, read once for all metrics: a row a norm of an answer."""

    def __init__(self, table: VerdictTable) -> None:
        self.table = table
        self.frame: VerdictColumns = table.frame(NORM)
        self.given = probabilities(table)
        self.keys = _slots(table.keys).take(self.frame.item, self.frame.sample.astype(np.int64))
        strictness = self.keys.groups.get(STRICTNESS)
        unknown = self.frame.item if strictness is None else self.frame.item[strictness.codes < 0]
        if unknown.size:
            about = table.item_metadata[int(unknown[0])]
            raise InputError(f"{about.item}: norm '{about.part}' has no strictness; expected no or sometimes.")
        self.weight = np.ones(0) if strictness is None else norm_weights(strictness.texts())
        self.counted = any(ballot is not None and ballot.hard for ballot in table.ballots(NORM))

    def rows(self, points: Floats, *, weight: Floats | None = None) -> MetricRows:
        """Rows of some points, shares or parts of their weight."""
        low, high = (0.0, 1.0) if weight is None else (-weight, weight)
        facts = {COUNTED: float(self.counted)}
        return MetricRows.within(low, high, keys=self.keys, value=points, task=NORM, weight=weight, facts=facts)


def _slots(keys: RowKeys) -> RowKeys:
    """The same keys, each norm of an item a unit by itself."""
    names = np.unique(np.stack([keys.item.codes, keys.part.codes]), axis=1, return_inverse=True)
    pairs, codes = names[0], names[1].ravel()
    texts = tuple(f"{keys.item.names[item]}\x1f{keys.part.names[part]}" for item, part in pairs.T.tolist())
    return replace(keys, unit=keys.unit._replace(codes=codes, names=texts))


def _mean(source: NormSource) -> MetricRows:
    """Part of each norm of each answer in the score: within its weight, 0 for none."""
    return source.rows(source.weight * utilities(source.given), weight=source.weight)


def utilities(given: Floats) -> Floats:
    """+1 for satisfying a norm, -beta for leaving it open, -1 for violating it, as probable as each is."""
    return given[:, 0] - PUBLISHED.beta * given[:, 1] - given[:, 2]


def _passed(source: NormSource) -> MetricRows:
    """The same of the best of a norm's answers."""
    rows = _mean(source)
    first, unit = first_codes(rows.keys.unit.codes)
    columns = []
    # An ungraded answer is the best only where there is no other; the bounds still count it.
    for values in (np.where(np.isnan(rows.value), -np.inf, rows.value), rows.least, rows.most):
        highest = np.full(len(first), -np.inf)
        np.maximum.at(highest, unit, values)
        columns.append(highest)
    value, least, most = columns
    keys = rows.keys.take(first, np.zeros(len(first), dtype=np.int64))
    value = np.where(np.isinf(value), np.nan, value)
    return MetricRows(keys=keys, value=value, least=least, most=most, task=NORM, weight=source.weight[first])


def _label(label: int, source: NormSource) -> MetricRows:
    return source.rows(source.given[:, label])


def _fault(fault: str, source: NormSource) -> MetricRows:
    return source.rows(fault_points(source.table, source.frame, fault))


def norm_score(form: StrictnessForm) -> Aggregator:
    """The score of a group in points, by the published rule."""
    return partial(_score, form)


def _score(form: StrictnessForm, piece: Slice) -> Estimate:
    units, inside = piece.units, piece.inside
    known = inside & units.graded
    if not known.any():
        return piece.nothing()
    own = np.ones(len(units)) if units.weight is None else units.weight
    # The paper divides by the mean weight of all norms, also of those outside the group.
    weight = own if form == "adjusted" else np.full(len(units), own.mean())
    interval = weighted_interval(
        units.value[known],
        own[known],
        units.keys.cluster.codes[known],
        strata=units.keys.place.codes[known],
        mean_weight=None if form == "adjusted" else float(own.mean()),
    )
    asked, graded = piece.counts
    value = _points(units.value[known], weight[known])
    worst, best = (_points(bound[inside], weight[inside]) for bound in (units.least, units.most))
    found = estimated(piece.metric.name, value, interval, asked=asked, graded=graded, group=piece.group.key)
    return replace(found, worst=worst, best=best)


def _points(values: Floats, weight: Floats) -> float | None:
    return rounded(100 * float(values.sum()) / float(weight.sum()))


MEASURES: dict[str, MetricDefinition[NormSource]] = {
    "norm_score": MetricDefinition(_mean, norm_score("paper"), tasks=(NORM,)),
    "norm_score_adjusted": MetricDefinition(_mean, norm_score("adjusted"), compared=False),
    "norm_score_passed": MetricDefinition(_passed, norm_score("paper"), compared=False),
    "region_std": MetricDefinition(_mean, gap_between_places("std", stream="gap"), is_mean=False),
    "region_gap": MetricDefinition(_mean, gap_between_places("gap", stream="gap"), is_mean=False),
    "region_gap_null": MetricDefinition(_mean, gap_between_places("null", stream="gap"), is_mean=False),
    "region_std_paper": MetricDefinition(_mean, gap_between_places("std", stream="gap", paper=True), is_mean=False),
    "region_gap_paper": MetricDefinition(_mean, gap_between_places("gap", stream="gap", paper=True), is_mean=False),
    "accuracy": MetricDefinition(partial(_label, 0), compared=False, tasks=(NORM,)),
    **{label: MetricDefinition(partial(_label, n), compared=n > 0) for n, label in enumerate(LABELS)},
    "format_error": MetricDefinition(partial(_fault, "format_error")),
    "refusal": MetricDefinition(partial(_fault, "refusal")),
}
"""What every benchmark of norms held against open answers may count."""
