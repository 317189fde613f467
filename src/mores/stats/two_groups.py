"""Two groups of units that share no cluster: the difference of their means, its interval and its test."""

from __future__ import annotations

from typing import NamedTuple

from mores.core import special
from mores.core.arrays import np, npt
from mores.core.estimate import Missing
from mores.core.seeds import Seed
from mores.stats.arrays import numbers
from mores.stats.intervals import mean_interval, z_quantile
from mores.stats.unequal import unequal_errors

MANY = 5_000
"""Clusters above which deals are not drawn."""


class TwoGroups(NamedTuple):
    """Means of the units outside and inside a group and their difference, inside less outside; NaN without units.

    `p` is two-sided, None where it cannot be tested; without an interval `missing` says why.
    """

    outside: float
    inside: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    missing: Missing | None


def compare_groups(values: npt.ArrayLike, inside: npt.ArrayLike, clusters: npt.ArrayLike, *, seed: Seed) -> TwoGroups:
    """The mean of the units inside a group less that of the others.

    The interval squares and adds how far each mean's own interval reaches, so that it is as careful as those of
    `mean_interval` near 0 and 1 and over clusters. The test deals the group out anew over whole clusters; of more than
    5,000 clusters, where that takes long and comes to the same, it is the normal one of the interval's standard error.

    Args:
        values: One number a unit.
        inside: Whether each unit is in the group.
        clusters: The cluster of each unit, in any labels.
        seed: Seed of resamples and deals.

    Raises:
        InputError: a value is not finite, or lengths differ.

    Source:
        Newcombe (1998), Statistics in Medicine 17, method 10; Zou and Donner (2008), the same 27.
    """
    value, within, drawn = numbers(values, "values"), np.asarray(inside, dtype=np.bool_), np.asarray(clusters)
    outer, inner = (float(value[kept].mean()) if kept.any() else float("nan") for kept in (~within, within))
    ends = [mean_interval(value[kept], drawn[kept], seed=seed.child("interval")) for kept in (~within, within)]
    apart = inner - outer
    missing = ends[0].missing or ends[1].missing
    (low_0, high_0, *_), (low_1, high_1, *_) = ends
    if low_0 is None or high_0 is None or low_1 is None or high_1 is None:
        return TwoGroups(outer, inner, apart, None, None, None, missing)
    down = float(np.hypot(inner - low_1, high_0 - outer))
    up = float(np.hypot(high_1 - inner, outer - low_0))
    if len(np.unique(drawn)) > MANY:
        error = float(np.hypot(high_1 - low_1, high_0 - low_0)) / (2 * z_quantile(0.95))
        p = 2 * float(special.ndtr(-abs(apart) / error))
    else:
        tested = unequal_errors(value, np.where(within, "inside", "outside"), drawn, seed=seed.child("deals"))
        p = next(each.p for each in tested if each.group == "inside")
    return TwoGroups(outer, inner, apart, apart - down, apart + up, None if np.isnan(p) else p, None)
