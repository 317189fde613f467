"""Ranks of several models: do their intervals hold all true ranks at once, those of a tie too?

Models answer the same units, alike within clusters. Percentiles of bootstrapped ranks, which is what is often printed,
have to fail where models are alike.
"""

import numpy as np

from mores.core import special
from mores.core.seeds import Seed
from mores.stats.arrays import FloatArray, IntArray
from mores.stats.rankings import rank_models
from mores.stats.ranks import midranks
from mores.stats.rng import generator
from mores.validity.hidden import hidden
from mores.validity.promises import Experiment, interval

FAMILY = "rankings"
CLUSTERS, EACH, RESAMPLES = 40, 5, 500
ALIKE, APART = (0.7,) * 6, (0.8, 0.8, 0.7, 0.7, 0.55, 0.4)


def true_ranks(shares: tuple[float, ...]) -> tuple[IntArray, IntArray]:
    """The first and the last rank that each model has, 1 being the best; they differ in a tie."""
    given = np.array(shares)
    above, level = (given[None] > given[:, None]).sum(1), (given[None] == given[:, None]).sum(1)
    return 1 + above, above + level


def _ranks(
    name: str, shares: tuple[float, ...], sample: tuple[int, int] = (CLUSTERS, EACH), *, draws: int, naive: bool = False
) -> Experiment:
    first, last = true_ranks(shares)
    cuts = special.ndtri(np.array(shares))

    def draw(seed: Seed) -> tuple[float]:
        rng = generator(seed)
        both, own = hidden(*sample, rng), hidden(*sample, rng, len(shares))
        points = (np.sqrt(0.3) * both + np.sqrt(0.7) * own < cuts).astype(np.float64).T
        of = np.repeat(np.arange(sample[0]), sample[1])
        if naive:
            low, high = _percentiles(points, rng)
        else:
            found = rank_models(points, of, resamples=RESAMPLES, seed=seed.child("ranks")).models
            low, high = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
        return (float(np.any((low > first) | (high < last))),)

    promise = interval(name, naive=naive)
    return Experiment(name=name, family=FAMILY, promises=(promise,), draws=draws, draw=draw)


def _percentiles(points: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    means = points.reshape(len(points), CLUSTERS, EACH).mean(2)
    drawn = rng.multinomial(CLUSTERS, np.full(CLUSTERS, 1 / CLUSTERS), size=RESAMPLES) @ means.T
    low, high = np.quantile(midranks(-drawn), (0.025, 0.975), axis=0)
    return np.floor(low), np.ceil(high)


EXPERIMENTS = (
    _ranks("ranks of 6 models, all alike", ALIKE, draws=120),
    _ranks("ranks of 6 models, two ties", APART, draws=120),
    _ranks("ranks of 4 models, all alike: 30 units alone", ALIKE[:4], (30, 1), draws=120),
    _ranks("ranks of 6 models, all alike: 10 clusters of 5", ALIKE, (10, 5), draws=120),
    _ranks("ranks of 6 alike, percentiles of resampled ranks", ALIKE, draws=60, naive=True),
)
