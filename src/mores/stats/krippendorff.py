"""Krippendorff's alpha: how far raters, any number of them and with gaps, agree beyond chance, on four kinds of scale.

ratings (units, raters) ─▶ pairs of values that raters gave the same unit ─▶ observed over expected disagreement. A
unit's pairs add up over units, so that resampled alphas are functions of resampled sums. Ordinal distances are those
of the ranks in the middle of each value's ties, squared, which is the textbook's sum over the values in between.
"""

from functools import partial
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.stats.checks import FloatArray, IntArray, ratio, same_length
from mores.stats.cluster_sums import ClusterSums, Design, MeasuredFigure, undefined

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
_VALUES = 101  # distinct values up to which pairs of them are counted, as on a scale from 0 to 100
_ALIKE = Missing(code="all_equal")


class CoincidencePairs(NamedTuple):
    """Unordered pairs of values, by their places in the sorted `values`."""

    low: IntArray
    high: IntArray
    values: FloatArray

    def alpha(self, pairs: FloatArray, level: Level) -> FloatArray:
        """Alpha of so many pairs in each cell, (…, cells) to (…); NaN where all values are equal."""
        ends = np.zeros((self.low.size, self.values.size))
        np.add.at(ends, (np.arange(self.low.size), self.low), 1)
        np.add.at(ends, (np.arange(self.low.size), self.high), 1)
        count = pairs @ ends
        if level == "ordinal":
            ranks = np.cumsum(count, -1) - count / 2
            apart, expected = (ranks[..., self.low] - ranks[..., self.high]) ** 2, _squares(count, ranks)
        else:
            far = _distances(self.values, level)
            apart, expected = far[self.low, self.high], np.einsum("...c,ck,...k->...", count, far, count)
        return _one_less(2 * (pairs * apart).sum(-1), expected, count.sum(-1))


def krippendorff_alpha(ratings: npt.ArrayLike, level: Level, design: Design) -> MeasuredFigure:
    """Alpha with its clustered interval; NaN, with the reason, where ratings cannot be compared or are all equal.

    Args:
        ratings: A row a unit, a column a rater, NaN where a rater gave none. For classes without an order any
            numbers serve as names.
        level: "nominal" for names, "ordinal" for an order, "interval" for points, "ratio" for amounts from 0.
        design: Clusters and dice; a design of units, not of ratings.

    Raises:
        InputError: not two-dimensional, infinite, negative amounts, or over 101 distinct values that are no points.

    Source:
        Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    whole = rating_table(ratings)
    several = (~np.isnan(whole)).sum(1) > 1
    same_length(several, np.asarray(design.clusters), "ratings and clusters")
    table, part = whole[several], design.part(several, "alpha")
    if len(table) == 0:
        return undefined(Missing(code="no_two_ratings"))
    unit, rater = np.nonzero(~np.isnan(table))
    if level == "interval":
        columns, alpha = _moments(table), _interval_alpha
    else:
        cells, columns = _pairs(table, level)
        alpha = partial(cells.alpha, level=level)
    sums = ClusterSums.of(columns, part)
    worth = sums.worth(unit, table[unit, rater])
    return sums.measure(alpha, "coefficient", worth=worth, missing=_ALIKE)


def rating_table(ratings: npt.ArrayLike) -> FloatArray:
    """Ratings as numbers, a row a unit and a column a rater, NaN for none.

    Raises:
        InputError: not two-dimensional, or infinite.
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise InputError(f"ratings have shape {table.shape}; expected a row a unit, a column a rater, NaN for none.")
    return table


def _squares(count: FloatArray, values: FloatArray) -> FloatArray:
    """Σ n n' (v - v')² over all values."""
    total = count.sum(-1)
    return np.asarray(2 * (total * (count * values**2).sum(-1) - (count * values).sum(-1) ** 2))


def _distances(values: FloatArray, level: Level) -> FloatArray:
    if level == "nominal":
        return np.asarray(values[:, None] != values, dtype=np.float64)
    return ratio(values[:, None] - values, values[:, None] + values, empty=0.0, least=0.0) ** 2


def _one_less(observed: FloatArray, expected: FloatArray, total: FloatArray) -> FloatArray:
    some = np.where(expected > 1e-12 * np.maximum(total, 1) ** 2, expected, 0.0)
    return np.asarray(1 - ratio((total - 1) * observed, some))


def _moments(table: FloatArray) -> FloatArray:
    """Of each unit: disagreement within, ratings, their sum and their sum of squares, about the mean and in its units.

    Taken about the mean, as sums of squares of large numbers with small differences would lose them.
    """
    present = ~np.isnan(table)
    values = np.where(present, table - table[present].mean(), 0.0)
    values /= float(np.abs(values).max()) or 1.0
    count, one, two = present.sum(1).astype(np.float64), values.sum(1), (values**2).sum(1)
    return np.column_stack((2 * (count * two - one**2) / (count - 1), count, one, two))


def _interval_alpha(rows: FloatArray) -> FloatArray:
    observed, total, one, two = np.moveaxis(rows, -1, 0)
    return _one_less(observed, 2 * (total * two - one**2), total)


def _pairs(table: FloatArray, level: Level) -> tuple[CoincidencePairs, FloatArray]:
    """The cells that occur, and each unit's pairs in them, each weighing 1 / (ratings - 1)."""
    present = ~np.isnan(table)
    values = np.unique(table[present])
    if level == "ratio" and values[0] < 0:
        raise InputError(f"a rating is {values[0]:g}; expected amounts from 0 on a ratio scale.")
    if values.size > _VALUES:
        raise InputError(
            f"ratings have {values.size} distinct values; expected at most {_VALUES} on a {level} scale. "
            "Take them as points (interval), or group them."
        )
    places = np.searchsorted(values, np.where(present, table, values[0]))
    units, keys = [], []
    for one, other in combinations(range(table.shape[1]), 2):
        both = np.flatnonzero(present[:, one] & present[:, other])
        ends = np.sort(places[both][:, (one, other)], axis=1)
        units.append(both)
        keys.append(ends[:, 0] * values.size + ends[:, 1])
    unit = np.concatenate(units)
    found, cell = np.unique(np.concatenate(keys), return_inverse=True)
    pairs = np.zeros((len(table), found.size))
    np.add.at(pairs, (unit, cell), 1 / (present.sum(1) - 1)[unit])
    return CoincidencePairs(found // values.size, found % values.size, values), pairs
