"""Gaps between regions, compared with chance if none of them differed, and between conditions of the same units.

The largest of many noisy means lies above the smallest even where all are alike, so a gap says little without the one
that permuting the regions over the clusters gives. `shrunken` is what is left of it when the noise is taken out. Of two
scores on the same units the one may have the wider gap.

A condition that should not matter, such as the words in which units are asked: the same units under each of some
conditions ─▶ the mean under each, and the largest less the smallest.
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.core.seeds import Seed
from mores.stats.checks import confident, numbers, same_length, sums_by
from mores.stats.clusters import clustered
from mores.stats.intervals import mean_interval
from mores.stats.paired import Paired, compare_paired
from mores.stats.rng import generator

_MANY = 20_000  # clusters from which it pays to count kinds of clusters instead of dealing each
_KINDS = 20  # kinds of clusters up to which it does
_TOGETHER = 100  # deals that are summed at once


class Gap(NamedTuple):
    """Spread of regions' values: population standard deviation, and largest less smallest, NaN under two regions.

    `null` is the mean gap where regions are dealt out anew over the clusters, `p` the share of those with a gap
    at least as large as the one observed (counting that one), `permutations` their number. `shrunken` is the gap of
    `shrunken_values`, NaN where the noise within regions cannot be told.
    """

    std: float
    gap: float
    null: float
    p: float
    regions: int
    permutations: int
    shrunken: float = float("nan")


def region_gap(
    values: npt.ArrayLike,
    divisors: npt.ArrayLike,
    regions: Sequence[str] | npt.NDArray[np.integer],
    clusters: npt.ArrayLike,
    *,
    seed: Seed,
    permutations: int = 1000,
) -> Gap:
    """Gap between regions of a ratio of sums, with its permutation null and its shrunken estimate.

    Args:
        values: Of each unit; NaN where ungraded, which leaves the unit out.
        divisors: Of each unit; ones for a plain mean.
        regions: Of each unit; every cluster lies in one region.
        clusters: What is drawn together; whole clusters change region in a deal.
        seed: Seed of the permutations.
        permutations: How many.

    Raises:
        InputError: lengths differ, or a cluster lies in two regions.

    Source:
        Phipson and Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9 (the p-value).
    """
    value, divisor = np.asarray(values, dtype=np.float64), np.asarray(divisors, dtype=np.float64)
    labels, units = np.asarray(regions), np.asarray(clusters)
    for other, name in ((divisor, "divisors"), (labels, "regions"), (units, "clusters")):
        same_length(other, value, f"{name} and values")
    known = ~np.isnan(value)
    names, region = np.unique(labels[known], return_inverse=True)
    which, cluster = np.unique(units[known], return_inverse=True)
    count, size = len(names), len(which)
    if count < 2:
        nan = float("nan")
        return Gap(nan, nan, nan, nan, count, 0)
    of_cluster = _region_of(cluster, region, size)
    top, bottom = sums_by(cluster, value[known], size), sums_by(cluster, divisor[known], size)
    means = sums_by(of_cluster, top, count) / sums_by(of_cluster, bottom, count)
    observed = float(np.ptp(means))
    dealt = _dealt(_Permutation(of_cluster, top, bottom, count), permutations, generator(seed))
    # the places as they are count as one permutation, so that p is never 0; ties but for rounding are as large
    p = (1 + int(np.sum(dealt >= observed - 1e-12))) / (permutations + 1)
    shrunken = float(np.ptp(shrunken_values(means, _noise(of_cluster, top, bottom, means))))
    null = float(dealt.mean()) if permutations else float("nan")
    return Gap(float(means.std()), observed, null, p, count, permutations, shrunken)


class GapChange(NamedTuple):
    """Largest less smallest mean of a region by each score, and how often chance alone changes it as much.

    `p` is two-sided and None where there are fewer than two regions.
    """

    a: float | None
    b: float | None
    p: float | None
    regions: int


def gap_change(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    regions: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    seed: Seed,
    permutations: int = 2_000,
) -> GapChange:
    """The gap between regions by two scores, tested by swapping the two in whole clusters.

    If the scores differ nowhere but by chance, each cluster may as well have had them the other way round. Both gaps
    are wider than the truth, as the largest of noisy means is; the swap is as noisy, so that p holds.

    Args:
        a: One score of each unit.
        b: The other, in the same order.
        regions: Of each unit, in any labels.
        clusters: What is drawn together.
        seed: Seed of the swaps.
        permutations: How many.
    """
    one, other = numbers(a, "a"), numbers(b, "b")
    same_length(one, other, "a and b")
    names, region = np.unique(np.asarray(regions), return_inverse=True)
    which, cluster = np.unique(np.asarray(clusters), return_inverse=True)
    if len(names) < 2:
        return GapChange(None, None, None, len(names))
    size = np.bincount(region, minlength=len(names))
    means = [np.bincount(region, values, minlength=len(names)) / size for values in (one, other)]
    moved = np.zeros((len(which), len(names)))
    np.add.at(moved, (cluster, region), (other - one) / size[region])
    swapped = (generator(seed).random((permutations, len(which))) < 0.5) @ moved
    gaps = [np.ptp(means[0] + swapped, axis=1), np.ptp(means[1] - swapped, axis=1)]
    gap_a, gap_b = (float(np.ptp(each)) for each in means)
    extreme = np.abs(gaps[1] - gaps[0]) >= abs(gap_b - gap_a) - 1e-12
    return GapChange(gap_a, gap_b, (1 + int(extreme.sum())) / (1 + permutations), len(names))


class _Permutation(NamedTuple):
    """Values that are permuted: the region of each cluster, and the sums that it brings with it."""

    of_cluster: Integers
    top: Floats
    bottom: Floats
    regions: int


def _dealt(layout: _Permutation, permutations: int, rng: np.random.Generator) -> Floats:
    """The gap in each of so many deals.

    Clusters with equal sums are exchangeable, so of many that are alike only how many of each kind a region gets is
    drawn: the same law, and a thousand deals of a million clusters take no longer than of a hundred.
    """
    kinds, number = np.unique(np.stack([layout.top, layout.bottom]), axis=1, return_counts=True)
    if layout.of_cluster.size < _MANY or kinds.shape[1] > _KINDS:
        steps = (min(_TOGETHER, permutations - start) for start in range(0, permutations, _TOGETHER))
        return np.concatenate([np.empty(0), *(_shuffled(layout, many, rng) for many in steps)])
    left = np.tile(number, (permutations, 1))
    sums = []
    for size in np.bincount(layout.of_cluster, minlength=layout.regions).tolist():
        got = np.array([rng.multivariate_hypergeometric(each, size, method="marginals") for each in left])
        left = left - got
        sums.append((got @ kinds[0]) / (got @ kinds[1]))
    return np.asarray(np.ptp(np.array(sums), axis=0))


def _shuffled(layout: _Permutation, many: int, rng: np.random.Generator) -> Floats:
    """The gap in each of some deals of single clusters, summed together."""
    codes = np.tile(layout.of_cluster, (many, 1))
    for dealt in codes:
        rng.shuffle(dealt)
    codes += layout.regions * np.arange(many)[:, None]
    bottom = sums_by(layout.of_cluster, layout.bottom, layout.regions)
    if np.any(layout.bottom != layout.bottom[0]):  # else a region has the same sum in every deal
        bottom = _sums(codes, layout.bottom, layout.regions)
    return np.asarray(np.ptp(_sums(codes, layout.top, layout.regions) / bottom, axis=1))


def _sums(codes: Integers, each: Floats, regions: int) -> Floats:
    """Sum of each region of each permutation; shape (permutations, regions)."""
    many = len(codes)
    return sums_by(codes.ravel(), np.tile(each, many), many * regions).reshape(many, regions)


def shrunken_values(values: npt.ArrayLike, variances: npt.ArrayLike) -> Floats:
    """Values drawn towards their mean until they spread as true values would; NaN where a variance is not known.

    The variance between true values, t, is estimated by the method of moments, 0 at least; each value's distance from
    the mean weighted by 1 / (variance + t) is multiplied by the root of t / (t + variance). The root keeps the spread
    of all values true, where the ratio itself, which is best for each value alone, would take too much of it.

    Args:
        values: Of each region.
        variances: Of the noise in each, above 0 or all of them 0.

    Source:
        DerSimonian and Laird (1986), Controlled Clinical Trials 7 (t); Louis (1984), JASA 79 (the root).

    >>> shrunken_values([0.4, 0.6], [0.02, 0.02]).tolist()
    [0.5, 0.5]
    """
    found, noise = np.asarray(values, dtype=np.float64), np.asarray(variances, dtype=np.float64)
    if not np.isfinite(noise).all():
        return np.full(found.shape, np.nan)
    if not noise.any():
        return found
    between = _between(found, noise)
    weights = 1 / (noise + between)
    mean = float(weights @ found / weights.sum())
    return np.asarray(mean + (found - mean) * np.sqrt(between / (between + noise)))


def _between(values: Floats, noise: Floats) -> float:
    weights = 1 / noise
    total = float(weights.sum())
    mean = float(weights @ values) / total
    # Cochran's Q less what chance alone gives it
    excess = float(weights @ (values - mean) ** 2) - (values.size - 1)
    return max(0.0, excess / (total - float(weights @ weights) / total))


def _noise(region: Integers, top: Floats, bottom: Floats, means: Floats) -> Floats:
    """Variance of each region's ratio, from what its clusters vary by; one variance for all, as many have few clusters.

    NaN where no region has two clusters.
    """
    regions, clusters = means.size, top.size
    if clusters <= regions:
        return np.full(regions, np.nan)
    residual = top - means[region] * bottom
    variance = float(residual @ residual) / (clusters - regions)
    return np.asarray(variance * np.bincount(region, minlength=regions) / sums_by(region, bottom, regions) ** 2)


def _region_of(cluster: Integers, region: Integers, size: int) -> Integers:
    found = np.zeros(size, dtype=np.int64)
    found[cluster] = region
    if np.any(found[cluster] != region):
        raise InputError("A cluster lies in two regions; expected each in one.")
    return found


class Facet(Struct, frozen=True, kw_only=True):
    """One figure under each condition; all in points of the figure, None where nothing can be said.

    `mean` is over units and conditions, with the interval of other units under the same conditions. `spread` is the
    largest mean less the smallest; its interval holds the true one together with those of all pairs of conditions,
    and `p` is of all means being equal, corrected for the pairs. What conditions of this kind
    vary by beyond these is for `variance_components`. `missing` says why there are no intervals.
    """

    means: tuple[float, ...]
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    spread: float | None = None
    spread_low: float | None = None
    spread_high: float | None = None
    p: float | None = None
    units: int
    clusters: int
    missing: Missing | None = None


def facet(
    values: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    confidence: float = 0.95,
    seed: Seed,
) -> Facet:
    """Effect of the condition under which units were asked on their mean.

    The spread of noisy means is larger than that of the true ones, so its interval comes from the differences of all
    pairs at once: each pair's interval (see `compare_paired`) at the level divided by the number of pairs; the true
    spread is the largest of true differences. It covers too often rather than too seldom.

    Args:
        values: A row a unit and a column a condition; every unit has a value under each.
        clusters: The cluster of each unit, in any labels.
        strata: The stratum of each unit; see `mean_interval`.
        confidence: Wanted coverage.
        seed: Dice of the bootstrap.

    Raises:
        InputError: fewer than two conditions, a value that is not finite, or lengths differ.

    """
    confident(confidence)
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError(f"values have the shape {table.shape}; expected a row a unit and two columns at least.")
    if not np.isfinite(table).all():
        raise InputError("values hold one that is no number; leave units out that lack a value under a condition.")
    same_length(table[:, 0], np.asarray(clusters), "values and clusters")
    if not len(table):
        return Facet(means=(), units=0, clusters=0, missing=Missing(code="nothing_graded_for_both"))
    codes, means = clustered(clusters, strata, len(table)), table.mean(axis=0)
    overall = mean_interval(table.mean(axis=1), clusters, strata=strata, seed=seed.child("mean"), confidence=confidence)
    # Bonferroni over all pairs, as the largest difference is picked for being large
    share = 1 - (1 - confidence) / comb(table.shape[1], 2)
    pairs = [
        compare_paired(table[:, i], table[:, j], clusters, strata=strata, confidence=share, seed=seed.child(i, j))
        for i, j in combinations(range(table.shape[1]), 2)
    ]
    low, high = _spread(pairs)
    return Facet(
        means=tuple(means.tolist()),
        mean=float(table.mean()),
        low=overall.low,
        high=overall.high,
        spread=float(np.ptp(means)),
        spread_low=low,
        spread_high=high,
        p=min(1.0, len(pairs) * min(pair.p for pair in pairs)),
        units=len(table),
        clusters=codes.count,
        missing=overall.missing or next((pair.missing for pair in pairs if pair.missing is not None), None),
    )


def _spread(pairs: list[Paired]) -> tuple[float | None, float | None]:
    """Ends of the largest difference, each pair's sign put aside; None where a pair has no interval but differs.

    Units that answer alike under both conditions show no difference and no spread of it.
    """
    lows, highs = [], []
    for pair in pairs:
        if pair.low is None or pair.high is None:
            return None, None
        lows.append(max(0.0, pair.low, -pair.high))
        highs.append(max(abs(pair.low), abs(pair.high)))
    return max(lows), max(highs)
