"""Intervals of the means of many groups at once: each is that of `mean_interval` over the units of its own.

units ─▶ codes of clusters and strata within their group ─▶ one layout of all ─▶ intervals. A report has thousands of
groups of a few dozen units, for which one call each is nearly all overhead. What `mean_interval` refuses for its
weights, or draws for, is left to it: None stands for such a group.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from mores.core.estimate import NOTHING_GRADED
from mores.stats.checks import FloatArray, IntArray, numbers, ranks, sums_by
from mores.stats.clusters import Clusters, joined, pooled
from mores.stats.intervals import ClusteredMeans, Interval, no_interval

CONFIDENCE = 0.95
_SAME = 1e-9  # how near to a bound a sum may come before another order of adding could cross it


def mean_intervals(  # noqa: PLR0913 - as mean_interval, and the groups
    values: npt.ArrayLike,
    clusters: IntArray,
    groups: IntArray,
    count: int,
    *,
    strata: IntArray,
    weights: Literal["equal"] | None = None,
    binary: bool = True,
) -> list[Interval | None]:
    """The interval of each group's mean; None where `mean_interval` has to be asked.

    Args:
        values: One number a unit.
        clusters: The cluster of each unit, as codes from -1.
        groups: The group of each unit, as codes from 0.
        count: How many groups there are.
        strata: The stratum of each unit, as codes from -1.
        weights: None weighs units alike, "equal" the strata of a group.
        binary: As in `mean_interval`.

    Raises:
        InputError: a value is not finite.
    """
    y = numbers(values, "values")
    if y.size == 0:
        return [no_interval(NOTHING_GRADED)] * count
    of_unit, given = _within(groups, clusters), _within(groups, strata)
    group, stratum = np.zeros(int(of_unit.max()) + 1, dtype=np.int64), joined(of_unit, given)
    group[of_unit] = groups
    codes = Clusters(
        of_unit=of_unit, given=given, stratum=stratum, pool=_pooled(stratum, group), size=np.bincount(of_unit),
        group=group, groups=count,
    )  # fmt: skip
    return ClusteredMeans.of(y, codes, weights).intervals(CONFIDENCE, binary=binary, slack=_SAME)


def group_means(
    values: FloatArray, groups: IntArray, count: int, *, strata: IntArray, weights: Literal["equal"] | None
) -> FloatArray:
    """The mean of each group's units, or with equal weights of the means of its strata; NaN without units."""
    if weights is not None:
        wide = int(strata.max(initial=-1)) + 2
        pairs, codes = np.unique(groups * wide + strata + 1, return_inverse=True)
        values, groups = sums_by(codes, values) / np.bincount(codes), pairs // wide
    units = np.bincount(groups, minlength=count)
    return np.asarray(np.divide(sums_by(groups, values, count), units, out=np.full(count, np.nan), where=units > 0))


def _within(groups: IntArray, codes: IntArray) -> IntArray:
    """Codes of pairs of a group and a code, in the order of both."""
    return ranks(groups * (int(codes.max()) + 2) + codes + 1)


def _pooled(stratum: IntArray, group: IntArray) -> IntArray:
    """Pools of the clusters, each group's for itself: strata of one cluster are put together."""
    of = np.empty(int(stratum.max()) + 1, dtype=np.int64)
    of[stratum] = group
    lone = np.bincount(of[np.bincount(stratum) == 1], minlength=int(of.max()) + 1)
    found = stratum.copy()
    for number in np.flatnonzero(lone).tolist():
        own = np.flatnonzero(group == number)
        names, codes = np.unique(stratum[own], return_inverse=True)
        found[own] = names[pooled(codes)]
    return ranks(found)
