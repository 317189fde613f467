"""CultureForest's own figures: the best of three samples, errors of form, gaps between places, norms possessed.

Source:
    CultureForest, sections 3.1 and 4.1, appendices I and J, and its released evaluation.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from msgspec.structs import replace

from mores.analysis.aggregate import Slice, laid_out
from mores.analysis.gaps import GapStatistic, gap_between_places
from mores.benchmarks.scoring import MetricDefinition
from mores.benchmarks.shapes.scoring import CLOSED, UnitCodes, VerdictSource, all_right, any_right, right_of
from mores.core.arrays import Codes, Floats
from mores.core.card import Reading
from mores.core.estimate import Estimate, MetricRows, Missing
from mores.core.verdict_table import VerdictColumns
from mores.stats.intervals import mean_interval

TRUE, FALSE = "true", "false"
FORM_ERRORS = "format_share_of_errors"
REFUSED = "refused"
"""Beside errors of form: whether the model declined, and all that it said could be read."""


def _passed(source: VerdictSource) -> MetricRows:
    """Units that any sample got right."""
    return any_right(source, source.units, source.frame, source.frame.points)


def _errors(source: VerdictSource) -> MetricRows:
    """Of each unit in each sample, whether its error is one of form; what is right weighs nothing.

    A unit of several items is an error of form where any of them could not be read, as in the paper.
    """
    frame, units = source.frame, source.units
    right = right_of(units, frame, frame.points)
    readable = np.where(np.isfinite(frame.points), (frame.fault == -1).astype(float), np.nan)
    read = right_of(units, frame, readable).ravel()
    is_right = right.ravel() >= 1
    value = np.where(
        is_right, 0.0, np.where(np.isnan(right.ravel()) | np.isnan(read), np.nan, (read < 1).astype(float))
    )
    said = right_of(units, frame, np.where(frame.fault == source.table.code("format_error"), 0.0, 1.0)).ravel()
    beside = {REFUSED: ((value == 1) & (said >= 1)).astype(float)}
    keys = source.grid(units, right.shape[1])
    return MetricRows.within(0.0, 1.0, keys=keys, value=value, weight=(~is_right).astype(float), beside=beside)


def _of_errors(piece: Slice) -> Estimate:
    """The share of errors that are of form, a refusal among them, averaged over samples."""
    rows = piece.rows
    errors = piece.group.mask(rows.keys) & (np.ones(len(rows)) if rows.weight is None else rows.weight).astype(bool)
    known = errors & np.isfinite(rows.value)
    if not known.any():
        _, graded = piece.counts
        return piece.nothing() if errors.any() or not graded else piece.nothing(Missing(code="no_errors"))
    sample = rows.keys.sample
    interval = mean_interval(
        rows.value[known], rows.keys.cluster.codes[known], strata=sample[known], weights="equal", seed=piece.seed
    )
    best, worst = (_over_samples(bound[errors], sample[errors]) for bound in (rows.least, rows.most))
    return laid_out(piece, (_over_samples(rows.value[known], sample[known]), worst, best), interval)


def _over_samples(values: Floats, sample: Codes) -> float:
    """The mean over samples of each sample's mean; samples without errors have none."""
    count = np.bincount(sample)
    return float(np.mean(np.bincount(sample, values)[count > 0] / count[count > 0]))


def _possessed(source: VerdictSource, reading: Reading | None = None) -> MetricRows:
    """Norms that are called true and whose negation is called false, each by more than half of its samples."""
    statements = _by_majority(source, reading or source.reading)
    return all_right(source, source.units, statements, statements.points)


def _one_sided(gold: str, source: VerdictSource) -> MetricRows:
    """Statements with one gold label, by whether more than half of the samples judged them rightly."""
    statements = _by_majority(source, source.reading)
    rows = all_right(source, source.items, statements, statements.points)
    kept = np.zeros(len(rows), dtype=np.bool_)
    kept[source.items.of_thing[statements.item[statements.gold == source.table.code(gold)]]] = True
    return rows.take(kept)


def _by_majority(source: VerdictSource, reading: Reading) -> VerdictColumns:
    """A verdict a statement: right where more than half of all samples are, NaN where ungraded ones could decide."""
    frame, items = source.table.frame(reading), source.items
    if not len(frame.item):
        return frame
    right = right_of(items, frame, frame.points)
    samples, surely = right.shape[1], (right == 1).sum(axis=1)
    possibly = surely + np.isnan(right).sum(axis=1)
    points = np.where(2 * surely > samples, 1.0, np.where(2 * possibly > samples, np.nan, 0.0))
    found = frame.take(_first_of(items, frame))
    blank, zero = np.full(len(found.item), -1, dtype=np.int32), np.zeros_like(found.sample)
    return found._replace(sample=zero, points=points, label=blank, fault=blank, cut=zero, empty=zero)


def _first_of(items: UnitCodes, frame: VerdictColumns) -> Codes:
    """The row of the first verdict on each item."""
    first = np.zeros(items.size, dtype=np.int64)
    first[items.of_thing[frame.item][::-1]] = np.arange(len(frame.item))[::-1]
    return first


GAPS: dict[str, GapStatistic] = {"std": "std", "gap": "gap", "gap_null": "null"}
QUESTIONS: dict[str, MetricDefinition[VerdictSource]] = {
    "accuracy_passed": MetricDefinition(_passed, compared=False),
    FORM_ERRORS: MetricDefinition(_errors, _of_errors, is_mean=False),
    **{
        f"region_{name}": replace(CLOSED["accuracy"], aggregate=gap_between_places(of), is_mean=False)
        for name, of in GAPS.items()
    },
}
"""Of questions asked several times, by metric."""
NORMS: dict[str, MetricDefinition[VerdictSource]] = {
    "accuracy": MetricDefinition(_possessed),
    "accuracy_strict": MetricDefinition(partial(_possessed, reading="strict")),
    "accuracy_lenient": MetricDefinition(partial(_possessed, reading="lenient")),
    "affirmed": MetricDefinition(partial(_one_sided, TRUE), compared=False),
    "denied": MetricDefinition(partial(_one_sided, FALSE), compared=False),
}
"""Of norms and their negations, by metric."""
