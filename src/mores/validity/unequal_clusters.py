"""Clusters of very unequal sizes, shares at their upper end, and answers that are numbers between wrong and right.

Sizes are those of real data or log-normal. How much units of a cluster are alike (icc 0 to .3) and the planted share
are drawn anew for each draw, as any interval of one share swings with it. They are alike by degrees, or some clusters
are right or wrong as a whole and the units of all others each by themselves.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from mores.core.seeds import Seed
from mores.stats.checks import FloatArray
from mores.stats.intervals import mean_interval
from mores.stats.paired import compare_paired
from mores.stats.rng import generator
from mores.validity.figures import PAIRS
from mores.validity.latent_scores import Sizes, episodes, in_clusters
from mores.validity.promises import interval, missed, one_promise
from mores.validity.shares import SHARES
from mores.validity.simulated_scores import CULTURAL

Range = tuple[float, float]
Minds = Callable[[Sequence[float], int, np.random.Generator], FloatArray]
"""Chances of each outcome in so many clusters, whose shares of all are given."""

TEXTS = (
    *(78,) * 5, *(70,) * 5, 66, *(61,) * 5, *(57,) * 5, *(52,) * 10, *(46,) * 5, 34, *(33,) * 3, *(32,) * 5, *(28,) * 4,
    *(26,) * 6, 19, *(17,) * 9, *(10,) * 4, 9, 9, *(8,) * 4, 7, 2, 2, *(1,) * 80,
)  # fmt: skip
"""Scenarios a text in SocialCC: 158 texts that weigh as 61."""
DATES = (*(70,) * 5, *(61,) * 5, *(26,) * 6, *(10,) * 4, 9, 2, 2, *(1,) * 80)
"""The same in its dimension of dates: 103 texts that weigh as 19."""
INTEREST = (*(61,) * 5, *(26,) * 6)
"""The same in its topic of political interest: 11 texts that weigh as 9."""
FEW = (60, 40, 25, 15, 10, 8, 5, 4, 3, 2, 2, 2)
"""Twelve clusters that weigh as 5."""
MOST = (0.5, 0.98)
NEAR = (0.8, 0.98)
BEST = (0.98, 0.999)
RIGHT, WRONG = (30.0, 1.2), (1.5, 8.0)
"""Beta laws of what a verifier says of norms that are kept (about .96) and broken (about .16)."""


def sizes(*fixed: int) -> Sizes:
    """The same sizes in each draw."""
    return lambda _: np.array(fixed, dtype=np.int64)


def _minds(law: Sequence[float], clusters: int, rng: np.random.Generator) -> FloatArray:
    """Chances of each outcome in each cluster, alike within by an icc that is drawn from 0 to .3."""
    icc = float(rng.uniform(0.001, 0.3))
    return rng.dirichlet((1 - icc) / icc * np.array(law), clusters)


def _as_one(law: Sequence[float], clusters: int, rng: np.random.Generator) -> FloatArray:
    """The same where so many clusters have one outcome as a whole, and units of the others are independent."""
    whole = rng.random(clusters) < rng.uniform(0.001, 0.3)
    return np.where(whole[:, None], rng.multinomial(1, law, clusters), law)


@one_promise(SHARES, partial(interval, may_refuse=True))
def share(seed: Seed, of: Sizes, within: Range, *, naive: bool = False, minds: Minds = _minds) -> float:
    """A share over clusters; some layouts have too little weight on most of them for an interval."""
    rng = generator(seed)
    cluster, truth = in_clusters(of, rng), float(rng.uniform(*within))
    chances = minds((truth, 1 - truth), int(cluster[-1]) + 1, rng)[:, 0]
    right = (rng.random(cluster.size) < chances[cluster]).astype(np.float64)
    found = mean_interval(right, np.arange(cluster.size) if naive else cluster, seed=seed.child("interval"))
    return missed(found, truth)


@one_promise(SHARES)
def best(seed: Seed, places: Sequence[int], bundle: int) -> float:
    """Places where nearly all is right, in bundles of so many units that are independent."""
    rng, place = generator(seed), np.repeat(np.arange(len(places)), places)
    truth = float(rng.uniform(*BEST))
    right = (rng.random(place.size) < truth).astype(np.float64)
    cluster = np.arange(place.size) // bundle
    return missed(mean_interval(right, cluster, strata=place, seed=seed.child("interval")), truth)


@one_promise(SHARES)
def verified(seed: Seed, places: int, bundles: int, each: int, kept: Range) -> float:
    """A verifier's probabilities that norms are kept, over bundles in places."""
    rng, cluster = generator(seed), np.arange(places * bundles * each) // each
    share_kept = float(rng.uniform(*kept))
    good = rng.random(cluster.size) < share_kept
    said = np.where(good, rng.beta(*RIGHT, cluster.size), rng.beta(*WRONG, cluster.size))
    truth = share_kept * RIGHT[0] / sum(RIGHT) + (1 - share_kept) * WRONG[0] / sum(WRONG)
    return missed(mean_interval(said, cluster, strata=cluster // bundles, seed=seed.child("interval")), truth)


@one_promise(PAIRS, partial(interval, may_refuse=True))
def difference(seed: Seed, of: Sizes, apart: Range) -> float:
    """Two models that differ on a share of units, of which the first is right on a drawn part."""
    rng = generator(seed)
    cluster, differ, lead = in_clusters(of, rng), float(rng.uniform(*apart)), float(rng.uniform(0.05, 0.95))
    law = (differ * lead, differ * (1 - lead), 1 - differ)
    cuts = np.cumsum(_minds(law, int(cluster[-1]) + 1, rng), axis=1)[cluster]
    outcome = rng.random(cluster.size)
    first, second = outcome < cuts[:, 0], (outcome >= cuts[:, 0]) & (outcome < cuts[:, 1])
    return missed(compare_paired(first, second, cluster, seed=seed.child("interval")), law[0] - law[1])


EXPERIMENTS = (
    share("SocialCC's dates: 103 texts that weigh as 19", 300, sizes(*DATES), MOST),
    share("SocialCC's political interest: 11 texts that weigh as 9", 300, sizes(*INTEREST), MOST),
    share("12 clusters that weigh as 5", 400, sizes(*FEW), MOST),
    share("8 episodes of log-normal length", 400, episodes(8, 1.0), MOST),
    share("20 episodes of log-normal length", 400, episodes(20, 1.0), MOST),
    share("60 episodes of log-normal length", 400, episodes(60, 1.5), MOST),
    share("SocialCC, some texts right or wrong as a whole", 300, sizes(*TEXTS), NEAR, minds=_as_one),
    share("40 clusters of 20, some right or wrong as a whole", 300, sizes(*(20,) * 40), NEAR, minds=_as_one),
    share("150 clusters of 15, some right or wrong as a whole", 300, sizes(*(15,) * 150), NEAR, minds=_as_one),
    share("SocialCC's dates, texts taken as alone", 200, sizes(*DATES), MOST, naive=True),
    best("ladder/know, .98 and more", 400, (9,) * 15, 1),
    best("CulturalBench, .98 and more", 300, CULTURAL, 1),
    best("ladder in bundles of 3, .98 and more", 400, (9,) * 15, 3),
    verified("verifier's probabilities: 45 bundles of 3 in 15 places", 400, 15, 3, 3, (0.85, 0.98)),
    verified("verifier's probabilities: 45 bundles of 1 in 15 places", 400, 15, 3, 1, (0.85, 0.98)),
    verified("verifier's probabilities: 100 bundles of 3", 300, 1, 100, 3, (0.85, 0.98)),
    difference("difference: SocialCC's dates", 300, sizes(*DATES), (0.02, 0.4)),
    difference("difference: 12 clusters that weigh as 5", 400, sizes(*FEW), (0.02, 0.4)),
    difference("difference: 20 episodes of log-normal length", 400, episodes(20, 1.0), (0.02, 0.4)),
    difference("difference: 60 episodes of log-normal length", 400, episodes(60, 1.5), (0.02, 0.4)),
)
