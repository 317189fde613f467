"""Units that are alike within clusters: hidden scores with a known correlation, and what is read off them exactly."""

from collections.abc import Callable
from functools import cache

import numpy as np
from scipy import special

from mores.stats.checks import FloatArray, IntArray

LATENT = 0.2
"""Correlation of hidden scores within a cluster."""
Sizes = Callable[[np.random.Generator], IntArray]
"""Sizes of the clusters of one draw."""
NOISE = 0.7
"""Spread of a rater around a unit's own score, which has a spread of 1."""


def hidden(
    clusters: int, each: int, rng: np.random.Generator, columns: int = 1, *, alike: float = LATENT
) -> FloatArray:
    """Standard normal scores of units, correlated within a cluster; shape (units, columns)."""
    common = np.repeat(rng.standard_normal((clusters, columns)), each, axis=0)
    alone = rng.standard_normal((clusters * each, columns))
    return np.asarray(np.sqrt(alike) * common + np.sqrt(1 - alike) * alone)


def all_above(cut: float, each: int) -> float:
    """Probability that all scores of a cluster of so many lie above the cut, exactly."""
    scores, weights = np.polynomial.hermite_e.hermegauss(80)
    above = special.ndtr((np.sqrt(LATENT) * scores - cut) / np.sqrt(1 - LATENT))
    return float(weights @ above**each / weights.sum())


def rated(clusters: int, each: int, raters: int, rng: np.random.Generator) -> FloatArray:
    """Points that raters give around a unit's own score; shape (units, raters)."""
    return hidden(clusters, each, rng) + NOISE * hidden(clusters, each, rng, raters)


@cache
def joint_of_raters(cuts: tuple[float, ...]) -> FloatArray:
    """Probability that two raters of a unit put it into each pair of classes between the cuts, exactly.

    Given the unit's score two raters are independent, so the table is an integral over that score.
    """
    scores, weights = np.polynomial.hermite_e.hermegauss(80)
    below = special.ndtr((np.array(cuts)[None, :] - scores[:, None]) / NOISE)
    shares = np.diff(below, axis=1, prepend=0.0, append=1.0)
    table: FloatArray = (shares * (weights / weights.sum())[:, None]).T @ shares
    return table


def uneven(clusters: int, spread: float, rng: np.random.Generator, *, mean: float = 8) -> IntArray:
    """Sizes of clusters from a log-normal distribution of this spread, as episodes have; at least 1."""
    drawn = mean * np.exp(spread * rng.standard_normal(clusters) - spread**2 / 2)
    return np.maximum(1, np.round(drawn)).astype(np.int64)


def episodes(clusters: int, spread: float) -> Sizes:
    """Clusters of log-normal sizes, 8 on average."""
    return lambda rng: uneven(clusters, spread, rng)


def in_clusters(sizes: Sizes, rng: np.random.Generator) -> IntArray:
    """The cluster of each unit."""
    many = sizes(rng)
    return np.repeat(np.arange(many.size), many)


def evenly(sample: tuple[int, int], *, naive: bool = False) -> IntArray:
    """The cluster of each unit of so many clusters of so many; naive: each unit is taken as one of its own."""
    return np.arange(sample[0] * sample[1]) // (1 if naive else sample[1])


def hidden_in(of: IntArray, rng: np.random.Generator, columns: int = 1, *, alike: float = LATENT) -> FloatArray:
    """Standard normal scores of units, correlated within the clusters they are of; shape (units, columns)."""
    common = rng.standard_normal((int(of.max()) + 1, columns))[of]
    return np.asarray(np.sqrt(alike) * common + np.sqrt(1 - alike) * rng.standard_normal((of.size, columns)))
