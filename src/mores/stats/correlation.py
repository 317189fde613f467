"""How far two sets of points go together, over units in clusters: Pearson's and Spearman's correlations.

A judge whose points go with people's may still be harsher than they are: correlation does not see a shift or another
unit of measure, so a report has the mean difference beside it.
"""

import numpy as np
import numpy.typing as npt

from mores.core.estimate import NOTHING_GRADED, Missing
from mores.stats.checks import FloatArray, IntArray, numbers, ranks, ratio, same_length, sums_by
from mores.stats.cluster_sums import ClusterSums, Design, MeasuredFigure, undefined
from mores.stats.intervals import no_interval

_PAIRS = 1000  # distinct pairs of values up to which their ranks are found again in each resample
_CONSTANT = Missing(code="one_is_constant")


def pearson_correlation(x: npt.ArrayLike, y: npt.ArrayLike, design: Design) -> MeasuredFigure:
    """Pearson's correlation with its clustered interval; NaN where either is the same throughout.

    Raises:
        InputError: a value is not finite, or lengths differ.
    """
    one, other = _points(x, "x"), _points(y, "y")
    same_length(one, other, "x and y")
    columns = np.column_stack((np.ones(one.size), one, other, one**2, other**2, one * other))
    return ClusterSums.of(columns, design).measure(_pearson, "coefficient", missing=_CONSTANT)


def spearman_correlation(x: npt.ArrayLike, y: npt.ArrayLike, design: Design) -> MeasuredFigure:
    """Spearman's correlation, ties sharing the average of their ranks, with its clustered interval.

    Ranks are found again with each cluster left out and in each resample, as they are part of the statistic. With over
    1,000 distinct pairs of values there is no interval.

    Raises:
        InputError: a value is not finite, or lengths differ.
    """
    one, other = numbers(x, "x"), numbers(y, "y")
    same_length(one, other, "x and y")
    if one.size == 0:
        return undefined(NOTHING_GRADED)
    pairs, place = np.unique(np.stack((one, other), 1), axis=0, return_inverse=True)
    firsts, seconds = (ranks(ends) for ends in pairs.T)

    def spearman(weights: FloatArray) -> FloatArray:
        return _weighted(_ranks(weights, firsts), _ranks(weights, seconds), weights)

    if len(pairs) > _PAIRS:
        value = float(spearman(sums_by(place, design.counts(one.size))))
        return MeasuredFigure(value, no_interval(Missing(code="too_many_pairs", n=len(pairs), of=_PAIRS)))
    columns = np.zeros((one.size, len(pairs)))
    columns[np.arange(one.size), place] = 1.0
    return ClusterSums.of(columns, design).measure(spearman, "coefficient", missing=_CONSTANT)


def _points(values: npt.ArrayLike, name: str) -> FloatArray:
    """Values about their mean and in units of the largest, so that no sum of squares loses them."""
    given = numbers(values, name)
    centred = given - given.mean() if given.size else given
    largest = float(np.abs(centred).max(initial=0.0))
    # What is left of a constant is rounding, and has no correlation with anything.
    steady = largest <= 1e-12 * float(np.abs(given).max(initial=0.0))
    return np.zeros(given.size) if steady else centred / largest


def _pearson(rows: FloatArray) -> FloatArray:
    total, one, other, ones, others, both = np.moveaxis(rows, -1, 0)
    return _bounded(total * both - one * other, total * ones - one**2, total * others - other**2)


def _ranks(weights: FloatArray, codes: IntArray) -> FloatArray:
    """Of each pair, the place of its value among so many of each: those below, and half of those equal."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    count = np.add.reduceat(weights[..., order], starts, axis=-1)
    return np.asarray((np.cumsum(count, -1) - count / 2)[..., codes])


def _weighted(one: FloatArray, other: FloatArray, weights: FloatArray) -> FloatArray:
    total = weights.sum(-1, keepdims=True)
    first, second = (x - ratio((x * weights).sum(-1, keepdims=True), total) for x in (one, other))
    products = [(weights * a * b).sum(-1) for a, b in ((first, second), (first, first), (second, second))]
    scale = total[..., 0] ** 2
    return _bounded(*(ratio(product, scale) for product in products))


def _bounded(both: FloatArray, ones: FloatArray, others: FloatArray) -> FloatArray:
    return np.asarray(np.clip(ratio(both, np.sqrt(np.maximum(ones, 0) * np.maximum(others, 0))), -1, 1))
