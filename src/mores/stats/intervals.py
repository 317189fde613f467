"""Intervals of means and shares: the rule of one function, `mean_interval`."""

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri, stdtrit

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.arrays import FloatArray, numbers, share
from mores.stats.clusters import Clusters, clustered, resampled, spread
from mores.stats.dice import generator

Weights: TypeAlias = npt.ArrayLike | Literal["equal"] | None
FEWEST = 8
MANY = 30


class Interval(NamedTuple):
    """Lower and upper end, the method's short name, and why there is none (then both ends are None)."""

    low: float | None
    high: float | None
    method: str
    why: str | None = None


def no_interval(why: str) -> Interval:
    """An interval that is not there, and why."""
    return Interval(None, None, "none", why)


def wilson(successes: float, n: float, confidence: float = 0.95) -> Interval:
    """Wilson score interval of a share.

    n = 0 gives no interval.

    >>> wilson(396, 450)
    """
    share(confidence, "confidence")
    if n == 0:
        return no_interval("nothing graded")
    if not 0 <= successes <= n:
        raise InputError(f"successes is {successes} of {n}; expected a number from 0 to n.")
    low, high = _wilson_ends(np.array([successes / n]), np.array([float(n)]), _z(confidence))
    return Interval(float(low[0]), float(high[0]), "wilson")


def _z(confidence: float) -> float:
    return float(ndtri((1 + confidence) / 2))


def _wilson_ends(p: FloatArray, n: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return np.where(p == 0, 0.0, centre - half), np.where(p == 1, 1.0, centre + half)


def stratified_wilson(
    successes: npt.ArrayLike, n: npt.ArrayLike, *, weights: Weights = None, confidence: float = 0.95
) -> Interval:
    """Interval of the weighted mean of shares in strata fixed by design."""
    x, sizes = numbers(successes, "successes"), numbers(n, "n")
    p = x / sizes
    w = _stratum_weights(weights, sizes)
    low, high = _wilson_ends(p, sizes, _z(confidence))
    mean = float(w @ p)
    down = float(np.sqrt(np.sum((w * (p - low)) ** 2)))
    up = float(np.sqrt(np.sum((w * (high - p)) ** 2)))
    return Interval(max(0.0, mean - down), min(1.0, mean + up), "stratified wilson")


def _stratum_weights(weights: Weights, sizes: FloatArray) -> FloatArray:
    if weights is None:
        return sizes / sizes.sum()
    if isinstance(weights, str):
        return np.full(sizes.size, 1 / sizes.size)
    given = numbers(weights, "weights")
    return given / given.sum()


def stratified_mean(values: npt.ArrayLike, strata: npt.ArrayLike, weights: Weights = "equal") -> float:
    """Weighted mean of the means of strata; by default each stratum counts the same."""
    y = numbers(values, "values")
    _, codes = np.unique(np.asarray(strata), return_inverse=True)
    sizes = np.bincount(codes).astype(float)
    return float(_stratum_weights(weights, sizes) @ (np.bincount(codes, y) / sizes))


def mean_interval(  # noqa: PLR0913 - a statistic with its design and its dice
    values: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    weights: Weights = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: Seed,
) -> Interval:
    """Interval of a mean over units in clusters, by the one rule of the project."""
    y = numbers(values, "values")
    share(confidence, "confidence")
    if y.size == 0:
        return no_interval("nothing graded")
    codes = clustered(clusters, strata, y.size)
    sizes = np.bincount(codes.stratum[codes.of_unit]).astype(float)
    w = _stratum_weights(weights, sizes)
    unit_weight = (w / sizes)[codes.stratum[codes.of_unit]]
    if codes.count == y.size and np.isin(y, (0, 1)).all():
        x = np.bincount(codes.stratum[codes.of_unit], y)
        if sizes.size == 1:
            return wilson(float(x[0]), float(sizes[0]), confidence)
        return stratified_wilson(x, sizes, weights=w, confidence=confidence)
    if codes.count < FEWEST:
        return no_interval(f"too few clusters: {codes.count}, at least {FEWEST} are needed")
    total, mass = codes.sums(unit_weight * y), codes.sums(unit_weight)
    ratio = np.bincount(codes.pool, total) / np.bincount(codes.pool, mass)
    error = spread(total - mass * ratio[codes.pool], codes)
    if error.se < 1e-12:
        return no_interval("every cluster has the same mean")
    mean = float(total.sum())
    if codes.count < MANY:
        t = float(stdtrit(error.freedom, (1 + confidence) / 2))
        return Interval(mean - t * error.se, mean + t * error.se, "t on cluster means")
    means = _bootstrap(total, mass, codes, resamples, seed)
    tail = float(ndtr(-stdtrit(error.freedom, (1 + confidence) / 2)))
    low, high = np.quantile(means, (tail, 1 - tail))
    return Interval(float(low), float(high), "cluster bootstrap")


def _bootstrap(total: FloatArray, mass: FloatArray, codes: Clusters, resamples: int, seed: Seed) -> FloatArray:
    dice = generator(seed)
    means = np.zeros(resamples)
    for pool in range(codes.count - codes.freedom):
        rows = np.column_stack((total, mass))[codes.pool == pool]
        drawn = resampled(rows, max(1, len(rows) - 1), resamples, dice)
        means += rows[:, 1].sum() * drawn[:, 0] / drawn[:, 1]
    return means
