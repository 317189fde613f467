"""Places together: families of tests over places, intervals that hold for all at once, gaps of uneven regions."""

import numpy as np
from scipy import special

from mores.core.seeds import Seed
from mores.stats.gaps import region_gap
from mores.stats.group_means import joint_interval
from mores.stats.intervals import wilson
from mores.stats.paired import compare_paired
from mores.stats.partial_pooling import pool_places
from mores.stats.ranks import holm
from mores.stats.rng import generator
from mores.validity.latent_scores import evenly, hidden, hidden_in, uneven
from mores.validity.promises import alarm, alarmed, one_promise, promising

FAMILY = "places together"
CULTURAL = tuple(round(float(size)) for size in np.geomspace(12, 58, 45))


@one_promise(FAMILY)
def at_once(seed: Seed, sizes: tuple[int, ...], each: int, *, naive: bool = False) -> float:
    """Any place's share outside its interval, the intervals being promised to hold together; naive: each at 95 %."""
    rng = generator(seed)
    wrong = False
    for place, size in enumerate(sizes):
        share = float(rng.uniform(0.3, 0.98))
        right = (hidden(size, each, rng)[:, 0] < special.ndtri(share)).astype(np.float64)
        of, family = evenly((size, each)), 1 if naive else len(sizes)
        low, high, *_ = joint_interval(right, of, family=family, resamples=1000, seed=seed.child(place))
        wrong |= low is not None and high is not None and not low <= share <= high
    return float(wrong)


@promising(FAMILY, alarm("{}, by Holm"), alarm("{}, not corrected", naive=True))
def differences(seed: Seed, places: int, clusters: int, each: int) -> list[float]:
    """Two models that are equally good everywhere: any place said to differ, corrected over places, and not."""
    rng = generator(seed)
    of = evenly((clusters, each))
    tests = []
    for place in range(places):
        a, b = (hidden(clusters, each, rng, 2) < special.ndtri(0.7)).astype(np.float64).T
        tests.append(compare_paired(a, b, of, resamples=50, seed=seed.child(place)).p)
    return [float(np.any(holm(np.array(tests)) <= 0.05)), float(min(tests) <= 0.05)]


@one_promise(FAMILY, alarm)
def gap(seed: Seed, regions: tuple[int, ...], share: float) -> float:
    """Regions that are alike, of as many clusters as given, with clusters of log-normal sizes."""
    region, rng = np.repeat(np.arange(len(regions)), regions), generator(seed)
    of = np.repeat(np.arange(region.size), uneven(region.size, 0.8, rng, mean=4))
    right = (hidden_in(of, rng, alike=0.5)[:, 0] < special.ndtri(share)).astype(np.float64)
    found = region_gap(right, np.ones(right.size), region[of], of, seed=seed.child("deals"), permutations=199)
    return alarmed(found.p)


@one_promise(FAMILY)
def together(seed: Seed, places: int, spread: float, *, naive: bool = False) -> float:
    """The share of one place of ten norms, any of so many that differ; naive: that of all places is taken for it."""
    rng, strength = generator(seed), 0.7 * 0.3 / spread**2 - 1
    shares = rng.beta(0.7 * strength, 0.3 * strength, places)
    right = (rng.random((places, 10)) < shares[:, None]).astype(np.float64)
    at = int(rng.integers(places))
    if naive:
        low, high, *_ = wilson(right.sum(), right.size)
        return float(not (low or 0.0) <= shares[at] <= (high or 1.0))
    place = pool_places(right.ravel(), np.repeat([f"{n:02}" for n in range(places)], 10)).places[at]
    return float(not place.low <= shares[at] <= place.high)


EXPERIMENTS = (
    at_once("15 places of 12, all at once", 200, (12,) * 15, 1),
    at_once("45 places of 12 to 58, all at once", 100, CULTURAL, 1),
    at_once("10 places of 10 clusters of 4, all at once", 100, (10,) * 10, 4),
    together("one of 6 places of 10, read together", 200, 6, 0.15),
    together("one of 15 places of 10, read together", 200, 15, 0.1),
    together("one of 40 places of 10, read together", 200, 40, 0.05),
    together("one of 15 places of 10, as all of them", 60, 15, 0.1, naive=True),
    at_once("15 places of 12, each at 95 %", 60, (12,) * 15, 1, naive=True),
    differences("any of 45 places of 30 units", 40, 45, 30, 1),
    differences("any of 10 places of 10 clusters of 5", 100, 10, 10, 5),
    gap("gap of six regions of 3 to 40 clusters", 200, (3, 5, 8, 12, 20, 40), 0.7),
    gap("gap of six regions of 3 to 40 clusters, share .95", 200, (3, 5, 8, 12, 20, 40), 0.95),
)
