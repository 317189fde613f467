"""Shares and means of a run: does the interval of every headline hold what was planted?

The designs are those of whole benchmarks, from one place of ten questions to 180 groups; `figures` has the rest.
"""

import numpy as np

from mores.core.seeds import Seed
from mores.stats.cluster_sums import Design as Sample
from mores.stats.cluster_sums import share
from mores.stats.intervals import mean_interval, wilson
from mores.stats.rng import generator
from mores.validity.promises import interval, missed, one_promise
from mores.validity.simulated_scores import CLUSTERED, DESIGNS, HARSH, SimulationDesign, evenly, hidden, run

SHARES, LITTLE, MEANS = "shares of a run", "shares where little is known", "means over clusters"
FIVES, EIGHT = "one place, 12 clusters of 5 known as one", "eight clusters of 5 known as one"


def outside(seed: Seed, design: SimulationDesign, *, naive: bool = False) -> float:
    """1 if a person's share lies outside its interval; naive: clusters and places are left out."""
    one = run(design, generator(seed))
    found = mean_interval(
        one.values,
        np.arange(one.values.size) if naive else one.clusters,
        strata=None if naive else one.places,
        weights="equal" if design.equal else None,
        seed=seed.child("interval"),
    )
    return missed(found, one.truth)


person, little_known = (one_promise(family)(outside) for family in (SHARES, LITTLE))


def _draws(design: SimulationDesign) -> int:
    """Fewer where a draw is dear: many units, or a bootstrap."""
    if design in CLUSTERED:
        return 200 if sum(design.units) < 200 else 80
    return 400 if sum(design.units) < 1000 else 150


def _named(name: str) -> SimulationDesign:
    (design,) = (each for each in (*CLUSTERED, *HARSH) if each.name == name)
    return design


@one_promise(MEANS)
def clustered_mean(seed: Seed, clusters: int, each: int, scale: float, *, naive: bool = False) -> float:
    """Points (or shares, with scale 0) of units that are alike within clusters; the planted mean is .5, or .7."""
    score = hidden(clusters, each, generator(seed))[:, 0]
    # 0.5244 cuts a standard normal score at .7
    values = 0.5 + scale * score if scale else (score < 0.5244005127080407).astype(np.float64)
    found = mean_interval(values, evenly((clusters, each), naive=naive), seed=seed.child("interval"))
    return missed(found, 0.5 if scale else 0.7)


@one_promise(MEANS)
def alone(seed: Seed, n: int) -> float:
    """A share of independent units, drawn evenly from .05 to .95 for each draw."""
    rng = generator(seed)
    truth = float(rng.uniform(0.05, 0.95))
    right = (rng.random(n) < truth).astype(np.float64)
    return missed(share(right, Sample(clusters=np.arange(n), seed=seed), "right"), truth)


ONE = 0.85
"""A share at which one unit is right most of the time, and says little."""


@one_promise(LITTLE, lambda name, naive=False: interval(name, naive=naive, may_refuse=True))
def _few_units(seed: Seed, most: int, *, naive: bool = False) -> float:
    """A place of as many units as chance has it, up to so many, around .85; naive: Wilson's interval of one unit."""
    rng = generator(seed)
    truth, units = float(rng.uniform(ONE - 0.05, ONE + 0.05)), 1 if naive else int(rng.integers(1, most + 1))
    right = (rng.random(units) < truth).astype(np.float64)
    found = wilson(right.sum(), units) if naive else mean_interval(right, np.arange(units), seed=seed)
    return missed(found, truth)


EXPERIMENTS = (
    *(person(design.name, _draws(design), design) for design in (*DESIGNS, *CLUSTERED)),
    person(f"{FIVES}: clusters ignored", 300, _named(FIVES), naive=True),
    *(little_known(design.name, 400, design) for design in HARSH),
    little_known(f"{EIGHT}: clusters ignored", 300, _named(EIGHT), naive=True),
    _few_units("places of 1 to 24 units", 800, 24),
    _few_units("places of one unit: Wilson's", 600, 1, naive=True),
    alone("Wilson, 40 units alone", 1000, 40),
    clustered_mean("share: t over 12 clusters of 20", 400, 12, 20, 0.0),
    clustered_mean("share: t over 8 clusters of 5", 400, 8, 5, 0.0),
    clustered_mean("share: t over 40 clusters of 20", 400, 40, 20, 0.0),
    clustered_mean("points: t over 12 clusters of 20", 400, 12, 20, 2.0),
    clustered_mean("points: bootstrap of 40 clusters of 20", 400, 40, 20, 2.0),
    clustered_mean("share, 40 clusters of 20: clusters ignored", 400, 40, 20, 0.0, naive=True),
)
