"""Ranks of several models: do their intervals hold all true ranks at once, those of a tie too?

Models answer the same units, alike within clusters. Percentiles of bootstrapped ranks, which is what is often printed,
have to fail where models are alike.
"""

import numpy as np
from scipy import special

from mores.core.seeds import Seed
from mores.stats.checks import FloatArray, IntArray
from mores.stats.rankings import rank_models
from mores.stats.ranks import midranks
from mores.stats.rng import generator
from mores.validity.latent_scores import evenly, hidden
from mores.validity.promises import one_promise

FAMILY = "rankings"
CLUSTERS, EACH, RESAMPLES = 40, 5, 500
ALIKE, APART = (0.7,) * 6, (0.8, 0.8, 0.7, 0.7, 0.55, 0.4)


def true_ranks(shares: tuple[float, ...]) -> tuple[IntArray, IntArray]:
    """The first and the last rank that each model has, 1 being the best; they differ in a tie."""
    given = np.array(shares)
    above, level = (given[None] > given[:, None]).sum(1), (given[None] == given[:, None]).sum(1)
    return 1 + above, above + level


@one_promise(FAMILY)
def _ranks(
    seed: Seed, shares: tuple[float, ...], sample: tuple[int, int] = (CLUSTERS, EACH), *, naive: bool = False
) -> float:
    """Whether any model's rank lies outside; naive: of the percentiles of resampled ranks."""
    (first, last), rng = true_ranks(shares), generator(seed)
    both, own = hidden(*sample, rng), hidden(*sample, rng, len(shares))
    points = (np.sqrt(0.3) * both + np.sqrt(0.7) * own < special.ndtri(np.array(shares))).astype(np.float64).T
    if naive:
        low, high = _percentiles(points, rng)
    else:
        found = rank_models(points, evenly(sample), resamples=RESAMPLES, seed=seed.child("ranks")).models
        low, high = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
    return float(np.any((low > first) | (high < last)))


def _percentiles(points: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    means = points.reshape(len(points), CLUSTERS, EACH).mean(2)
    drawn = rng.multinomial(CLUSTERS, np.full(CLUSTERS, 1 / CLUSTERS), size=RESAMPLES) @ means.T
    low, high = np.quantile(midranks(-drawn), (0.025, 0.975), axis=0)
    return np.floor(low), np.ceil(high)


EXPERIMENTS = (
    _ranks("ranks of 6 models, all alike", 120, ALIKE),
    _ranks("ranks of 6 models, two ties", 120, APART),
    _ranks("ranks of 4 models, all alike: 30 units alone", 120, ALIKE[:4], (30, 1)),
    _ranks("ranks of 6 models, all alike: 10 clusters of 5", 120, ALIKE, (10, 5)),
    _ranks("ranks of 6 alike, percentiles of resampled ranks", 60, ALIKE, naive=True),
)
