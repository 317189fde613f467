"""Correlations: of two sets of points over units in clusters, and of models over the regions that they find hard.

A judge whose points go with people's may still be harsher than they are: correlation does not see a shift or another
unit of measure, so a report has the mean difference beside it.

scores (models, regions) ─▶ Spearman for each pair of models, over the regions both have ─▶ consensus, polarization.
The interval takes regions as drawn; models are the ones given. A pair with fewer than five common regions, or a
model that has the same score everywhere, has no correlation: NaN, counted, and never taken as 0.

Source:
    CultureForest, section 3.3.2. Equation 4 is lost: the mean over pairs for consensus, and the largest less the
    smallest for polarization, are our reading; least, most and deviation are given so that others can be had.
"""

from collections.abc import Iterator, Sequence
from math import nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import NOTHING_GRADED, Missing
from mores.core.seeds import Seed
from mores.stats.checks import confident, numbers, ranks, ratio, same_length, sums_by
from mores.stats.cluster_sums import ClusterSums, Design, MeasuredFigure, undefined
from mores.stats.intervals import MIN_CLUSTERS, Interval, no_interval
from mores.stats.rng import generator

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

    def spearman(weights: Floats) -> Floats:
        return _weighted(_ranks(weights, firsts), _ranks(weights, seconds), weights)

    # each resample ranks anew from one column a pair of values, which is cheap only while these are few
    if len(pairs) > _PAIRS:
        value = float(spearman(sums_by(place, design.counts(one.size))))
        return MeasuredFigure(value, no_interval(Missing(code="too_many_pairs", n=len(pairs), of=_PAIRS)))
    columns = np.zeros((one.size, len(pairs)))
    columns[np.arange(one.size), place] = 1.0
    return ClusterSums.of(columns, design).measure(spearman, "coefficient", missing=_CONSTANT)


def _points(values: npt.ArrayLike, name: str) -> Floats:
    """Values about their mean and in units of the largest, so that no sum of squares loses them."""
    given = numbers(values, name)
    centred = given - given.mean() if given.size else given
    largest = float(np.abs(centred).max(initial=0.0))
    # What is left of a constant is rounding, and has no correlation with anything.
    steady = largest <= 1e-12 * float(np.abs(given).max(initial=0.0))
    return np.zeros(given.size) if steady else centred / largest


def _pearson(rows: Floats) -> Floats:
    total, one, other, ones, others, both = np.moveaxis(rows, -1, 0)
    return _bounded(total * both - one * other, total * ones - one**2, total * others - other**2)


def _ranks(weights: Floats, codes: Integers) -> Floats:
    """Of each pair, the place of its value among so many of each: those below, and half of those equal."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    count = np.add.reduceat(weights[..., order], starts, axis=-1)
    return np.asarray((np.cumsum(count, -1) - count / 2)[..., codes])


def _weighted(one: Floats, other: Floats, weights: Floats) -> Floats:
    total = weights.sum(-1, keepdims=True)
    first, second = (x - ratio((x * weights).sum(-1, keepdims=True), total) for x in (one, other))
    products = [(weights * a * b).sum(-1) for a, b in ((first, second), (first, first), (second, second))]
    scale = total[..., 0] ** 2
    return _bounded(*(ratio(product, scale) for product in products))


def _bounded(both: Floats, ones: Floats, others: Floats) -> Floats:
    return np.asarray(np.clip(ratio(both, np.sqrt(np.maximum(ones, 0) * np.maximum(others, 0))), -1, 1))


_COMMON = 5  # regions that two models need in common
_STEADY = 0.95  # share of resamples with all their correlations below which these say too little
_MANY = 30  # regions from which the range of correlations can have an interval
_EXCESS = 0.2  # part of the range that resampling may add to it
_STEP = 250  # resamples held at once


class Consensus(Struct, frozen=True, kw_only=True):
    """Mean of the correlations over pairs of models, and their range, with intervals over regions.

    Where no pair has a correlation figures are NaN and `missing` says why; where some have none it says how many.
    """

    consensus: float = nan
    polarization: float = nan
    least: float = nan
    most: float = nan
    deviation: float = nan
    pairs: int = 0
    consensus_interval: Interval
    polarization_interval: Interval
    missing: Missing | None = None


class _Group(NamedTuple):
    """Pairs of models that have the same regions in common."""

    regions: Integers
    models: Integers
    pairs: Integers
    first: Integers
    second: Integers


def rank_correlations(scores: npt.ArrayLike) -> Floats:
    """Spearman's correlation of each row with each other over the columns that both have, 1 on the diagonal.

    NaN where two rows have fewer than five columns in common, or one of them is constant there.

    Args:
        scores: One row a model, one column a region (or a rubric, and a model); NaN where there is no score.

    Raises:
        InputError: `scores` is not two-dimensional, or holds an infinity.
    """
    x = _table(scores)
    result = np.eye(x.shape[0])
    first, second = np.triu_indices(x.shape[0], 1)
    result[first, second] = result[second, first] = _pairs(x, list(_groups(x)), np.ones((1, x.shape[1])))[0]
    return result


def region_consensus(
    scores: npt.ArrayLike, *, confidence: float = 0.95, resamples: int = 2000, seed: Seed
) -> Consensus:
    """Agreement of models on the order of regions.

    Intervals come from resampled regions; none under 8 regions, or where over a twentieth of the resamples lose a
    correlation. Consensus has percentiles, of one region fewer than there are and widened to the t distribution. A
    range grows with noise, so polarization is given from 30 regions only, where resampling adds less than a fifth to
    it; that is taken off it, and off the lower end once more, as resampling understates it.

    Coverage of 95 % intervals, 8 normal models, 600 draws. Consensus: .915-.96 with 10 regions, .945-.96 with 20,
    .94-.945 with 53. Polarization, 300 draws: .92-.955 with 30 to 200 regions (one outlier among seven alike),
    .915-.95 (all different), given in .9 of draws and more; with models that are all alike, so that any range is
    chance, it is given in .05 and then wrong. Plain percentiles have 0 to .71.

    Args:
        scores: As in `rank_correlations`; regions that no model has are ignored.
        confidence: Wanted coverage.
        resamples: Number of bootstrap samples.
        seed: Seed of their draws.

    Raises:
        InputError: as in `rank_correlations`, or `confidence` is not between 0 and 1.
    """
    confident(confidence)
    x = _table(scores)
    x = x[:, ~np.isnan(x).all(0)]
    groups = list(_groups(x))
    rho = _pairs(x, groups, np.ones((1, x.shape[1])))[0]
    known = rho[~np.isnan(rho)]
    if known.size == 0:
        missing = Missing(code="no_pair_of_models", needed=_COMMON)
        none = no_interval(missing)
        return Consensus(consensus_interval=none, polarization_interval=none, missing=missing)
    around, difference = _intervals(x, groups, rho, confidence, resamples, seed)
    lone = rho.size - known.size
    return Consensus(
        consensus=float(known.mean()),
        polarization=float(np.ptp(known)),
        least=float(known.min()),
        most=float(known.max()),
        deviation=float(known.std()),
        pairs=known.size,
        consensus_interval=around,
        polarization_interval=difference,
        missing=Missing(code="pairs_without_correlation", n=lone, of=rho.size) if lone else None,
    )


def spearman(x: Floats, counts: Floats) -> Floats:
    """Spearman's correlation of all rows with each other, with columns taken so many times; NaN with a constant row.

    A column drawn c times is c columns in a tie. So the ranks of a resample are a product of its counts with who lies
    below whom, which is found once: no sorting, and the covariances are products too.

    Args:
        x: Rows without NaN, (rows, columns).
        counts: How often each column is taken, (resamples, columns).

    Returns:
        Shape (resamples, rows, rows).
    """
    models, regions = x.shape
    below = _orders(x).reshape(models * regions, regions)
    ranks = (counts @ below.T).reshape(counts.shape[0], models, regions)
    # Half a place aside for all: from below, half the ties; their mean is half the number drawn.
    ranks -= counts.sum(1)[:, None, None] / 2
    products = (ranks * counts[:, None, :]) @ ranks.transpose(0, 2, 1)
    squares = np.diagonal(products, axis1=1, axis2=2)
    rho = ratio(products, np.sqrt(squares[:, :, None] * squares[:, None, :]), least=0.0)
    return np.asarray(np.clip(rho, -1, 1))


def _intervals(
    x: Floats, groups: Sequence[_Group], rho: Floats, confidence: float, resamples: int, seed: Seed
) -> tuple[Interval, Interval]:
    known, regions = ~np.isnan(rho), x.shape[1]
    observed = float(np.ptp(rho[known]))
    if regions < MIN_CLUSTERS:
        none = no_interval(Missing(code="too_few_regions", n=regions, needed=MIN_CLUSTERS))
        return none, none
    # One region fewer than there are, which makes the variance unbiased, and percentiles widened to the t distribution.
    drawn = generator(seed).multinomial(regions - 1, np.full(regions, 1 / regions), size=resamples).astype(np.float64)
    parts = [_pairs(x, groups, drawn[start : start + _STEP])[:, known] for start in range(0, resamples, _STEP)]
    redrawn = np.concatenate(parts)
    redrawn = redrawn[~np.isnan(redrawn).any(1)]
    if len(redrawn) < _STEADY * resamples:
        none = no_interval(Missing(code="resamples_lose_a_correlation", n=resamples - len(redrawn), of=resamples))
        return none, none
    tail = float(special.ndtr(-special.stdtrit(regions - 1, (1 + confidence) / 2)))
    low, high = np.quantile(redrawn.mean(1), (tail, 1 - tail)).tolist()
    return Interval(low, high, "region bootstrap"), _range_interval(observed, np.ptp(redrawn, axis=1), regions, tail)


def _range_interval(observed: float, ranges: Floats, regions: int, tail: float) -> Interval:
    """Normal in form; resamples overstate the range about as much as it overstates the truth, or up to twice that."""
    if regions < _MANY:
        return no_interval(Missing(code="too_few_regions_for_a_range", n=regions, needed=_MANY))
    excess = float(ranges.mean()) - observed
    if excess >= _EXCESS * observed:
        return no_interval(Missing(code="range_widened_by_resampling"))
    half = -float(special.ndtri(tail)) * float(ranges.std())
    low, high = observed - 2 * max(excess, 0.0) - half, observed - excess + half
    return Interval(max(low, 0.0), min(high, 2.0), "region bootstrap, bias taken off")


def _pairs(x: Floats, groups: Sequence[_Group], counts: Floats) -> Floats:
    """Correlation of each pair of rows with columns taken so many times; (resamples, columns) to (resamples, pairs)."""
    result = np.full((counts.shape[0], x.shape[0] * (x.shape[0] - 1) // 2), np.nan)
    for group in groups:
        rho = spearman(x[np.ix_(group.models, group.regions)], counts[:, group.regions])
        result[:, group.pairs] = rho[:, group.first, group.second]
    return result


def _groups(x: Floats) -> Iterator[_Group]:
    first, second = np.triu_indices(x.shape[0], 1)
    present = ~np.isnan(x)
    # pairs with the same regions in common share one product of ranks
    common, which = np.unique(present[first] & present[second], axis=0, return_inverse=True)
    for code, mask in enumerate(common):
        if mask.sum() >= _COMMON:
            pairs = np.flatnonzero(which.reshape(-1) == code)
            models = np.unique((first[pairs], second[pairs]))
            places = (np.searchsorted(models, of[pairs]) for of in (first, second))
            yield _Group(np.flatnonzero(mask), models, pairs, *places)


def _orders(x: Floats) -> Floats:
    """For each value and each other of its row: 1 where the other is below, a half where it is equal."""
    mine, other = x[..., :, None], x[..., None, :]
    return np.asarray((other < mine) + 0.5 * (other == mine))


def _table(scores: npt.ArrayLike) -> Floats:
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 2 or np.isinf(x).any():
        raise InputError(f"scores have shape {x.shape}; expected finite numbers or NaN in two dimensions.")
    return x
