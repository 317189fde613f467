"""Claims that are looked at while questions come in: errors over all looks, intervals where a run ended, and power.

Two models answer units that come in looks, as `mores run --until` asks them; the run ends as its plan says. Under the
null any claim is an error, whatever look it is made at; elsewhere the interval at the end has to hold the planted
difference, and a difference may be missed no oftener than `mores plan` says. The naive rule holds the same test at
level .05 at every look, which is what watching a run does.
"""

import numpy as np
from scipy import special

from mores.core.arrays import Floats
from mores.core.seeds import Seed
from mores.stats.rng import generator
from mores.stats.sequential import ClusterScore, LookPlan, at_the_stop, expected
from mores.validity.promises import Experiment, alarm, one_promise
from mores.validity.simulated_scores import hidden

FAMILY = "looks at a claim"
SHARED = 0.7
"""Part of the variance of what a question takes that is the same for both models."""
RIGHT = 0.65


def _sums(sample: tuple[int, int], gap: float, alike: float, right: float, rng: np.random.Generator) -> Floats:
    """Sums of differences a cluster, of two models that share how hard a question is.

    `alike` is the correlation, within clusters, of what each model alone makes of a unit.
    """
    both = hidden(*sample, rng, 1)
    own = hidden(*sample, rng, 2, alike=alike)
    points = np.sqrt(SHARED) * both + np.sqrt(1 - SHARED) * own < special.ndtri([right + gap / 2, right - gap / 2])
    return np.asarray((points[:, 0].astype(float) - points[:, 1]).reshape(sample).sum(1))


def _discordance(gap: float) -> float:
    """Share of units on which the two differ, exactly."""
    both, weights = np.polynomial.hermite_e.hermegauss(80)
    cuts = special.ndtri([RIGHT + gap / 2, RIGHT - gap / 2])[:, None]
    a, b = special.ndtr((cuts - np.sqrt(SHARED) * both) / np.sqrt(1 - SHARED))
    return float(weights @ (a * (1 - b) + b * (1 - a)) / weights.sum())


def _ended(plan: LookPlan, sums: Floats, each: int) -> tuple[int, ClusterScore]:
    """The look that ends a plan, from 1, and what had come in by then."""
    for look, share in enumerate(plan.shares, 1):
        there = round(share * sums.size)
        score = ClusterScore(sums=sums[:there], units=np.full(there, float(each)))
        if plan.end(look, score.score()) is not None:
            break
    return look, score


@one_promise(FAMILY, alarm)
def _error(
    seed: Seed, sample: tuple[int, int], alike: float = 0.0, right: float = RIGHT, *, naive: bool = False
) -> float:
    """1 where two models as good as each other are told apart at any look; naive: at level .05 at each."""
    sums = _sums(sample, 0.0, alike, right, generator(seed))
    plan = LookPlan.even(sample[0])
    if not naive:
        look, score = _ended(plan, sums, sample[1])
        return float(plan.end(look, score.score()) in {"shown", "opposite"})
    ends = [round(share * sums.size) for share in plan.shares]
    scores = (ClusterScore(sums=sums[:end], units=np.ones(end)).score() for end in ends)
    return float(any(abs(score) > special.ndtri(0.975) for score in scores))


@one_promise(FAMILY)
def _covered(seed: Seed, sample: tuple[int, int], gap: float, alike: float = 0.0) -> float:
    """1 where the interval at the end misses the difference."""
    sums, plan = _sums(sample, gap, alike, RIGHT, generator(seed)), LookPlan.even(sample[0])
    look, score = _ended(plan, sums, sample[1])
    found = at_the_stop(plan, look, score.score())
    return float(not score.difference(found.low) <= gap <= score.difference(found.high))


def _missed(name: str, clusters: int, gap: float) -> Experiment:
    """A difference that is shown no less often than was planned, from the discordance that is planted."""
    plan = LookPlan.even(clusters)
    missed = 1 - expected(plan, gap / np.sqrt(_discordance(gap) / clusters)).found

    def draw(seed: Seed) -> tuple[float]:
        look, score = _ended(plan, _sums((clusters, 1), gap, 0.0, RIGHT, generator(seed)), 1)
        return (float(plan.end(look, score.score()) != "shown"),)

    return Experiment(name=name, family=FAMILY, promises=(alarm(name, level=missed),), draws=600, draw=draw)


EXPERIMENTS = (
    _error("error over all looks: 1,200 units", 600, (1200, 1)),
    _error("error over all looks: 120 units, few of which differ", 600, (120, 1), 0.0, 0.95),
    _error("error over all looks: 100 clusters of 5", 600, (100, 5), 0.5),
    _error("level .05 at each look: 1,200 units", 200, (1200, 1), naive=True),
    _covered("interval at the end: no difference, 600 units", 300, (600, 1), 0.0),
    _covered("interval at the end: 5 points, 600 units", 300, (600, 1), 0.05),
    _covered("interval at the end: 10 points, 1,200 units", 300, (1200, 1), 0.1),
    _covered("interval at the end: 10 points, 100 clusters of 5", 300, (100, 5), 0.1, 0.5),
    _missed("missed: 5 points in 1,200 units", 1200, 0.05),
)
