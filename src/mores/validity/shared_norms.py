"""Bundles that share norms, as CultureForest's do: does the interval hold what was planted, whole and in one place?

Each place has pools of norms (of one domain and topic), each bundle three norms of a pool, and a model knows a norm or
does not: what it knows of one tells on every bundle that holds it. Bundles that have a norm in common are one cluster.
"""

import numpy as np

from mores.core.estimate import SHARED, CategoricalColumn
from mores.core.seeds import Seed
from mores.stats.checks import ranks
from mores.stats.intervals import mean_interval
from mores.stats.norm_scores import norm_weights, weighted_interval
from mores.stats.rng import generator
from mores.validity.promises import missed, one_promise

FAMILY = "shared norms"
PLACES, NORMS, BUNDLES, SIZE = 6, 15, 15, 3
KNOWN = 0.75
POOLS = 8
"""Pools of each place: as many as have an interval."""
KEPT = (0.9, 0.2)
"""How often an answer keeps to a norm that is known, and to one that is not."""
STRICTNESS = ("no", "sometimes", "sometimes")


@one_promise(FAMILY)
def _shared(seed: Seed, places: int, *, is_open: bool = False, naive: bool = False) -> float:
    """Closed questions that are right where all three norms are known, and else by luck; or norms kept to in answers.

    Of a run of six places one or all are looked at; naive: bundles that are not the very same are apart.
    """
    rng, pools = generator(seed), PLACES * POOLS
    knows = rng.random((pools, NORMS)) < KNOWN
    held = np.argsort(rng.random((pools, BUNDLES, NORMS)), axis=2)[..., :SIZE].reshape(-1, SIZE)
    pool = np.repeat(np.arange(pools), BUNDLES)
    names = [SHARED.join(f"{of}.{norm}" for norm in sorted(own)) for of, own in zip(pool, held.tolist(), strict=True)]
    clusters = ranks(names) if naive else CategoricalColumn.of(names).pooled().codes
    place = pool // POOLS
    shown = place < places
    known = knows[pool[:, None], held][shown]
    if is_open:
        kept = rng.random(known.shape) < np.where(known, *KEPT)
        weight = norm_weights(STRICTNESS * len(kept))
        values = np.where(kept.ravel(), weight, -weight)
        truth = 100 * (2 * (KNOWN * KEPT[0] + (1 - KNOWN) * KEPT[1]) - 1)
        of, where = np.repeat(clusters[shown], SIZE), np.repeat(place[shown], SIZE)
        return missed(weighted_interval(values, weight, of, strata=where), truth)
    right = known.all(axis=1) | (rng.random(len(known)) < 1 / 4)
    every = KNOWN**SIZE
    found = mean_interval(right.astype(np.float64), clusters[shown], strata=place[shown], seed=seed.child("interval"))
    return missed(found, every + (1 - every) / 4)


EXPERIMENTS = (
    _shared("questions of six places", 200, PLACES),
    _shared("questions of one place", 200, 1),
    _shared("norm score of six places", 200, PLACES, is_open=True),
    _shared("norm score of one place", 200, 1, is_open=True),
    _shared("questions of six places, bundles as clusters", 200, PLACES, naive=True),
    _shared("norm score of one place, bundles as clusters", 300, 1, is_open=True, naive=True),
)
