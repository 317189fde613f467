"""Planted outcomes, drawn in arrays: scores of a simulated person of known competence, many times over.

A design says how many units each place has, how they come in clusters, what is asked and what is planted. Each draw
is one person's run; its truth is the planted figure, which includes guessing and unusable answers. Units that are alike
within clusters have hidden scores with a known correlation, from which everything is read off exactly.
"""

from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.stats.checks import distinct_pairs

SimulationKind = Literal["hard", "statements", "letter", "three", "two"]
Skill = Literal["even", "uneven", "high", "drawn"]
OPTIONS = {"hard": 2, "statements": 2, "letter": 4, "three": 3, "two": 2}


class SimulationDesign(Struct, frozen=True, kw_only=True):
    """Design of a simulation.

    `units` a place; `cluster` units come together, known as one where `one_mind`; `slips` is the share of unusable
    answers. `skill` is the planted chance to know: .6 everywhere (even), .2 in every second place and .9 in the
    others (uneven), .97 (high), or drawn from .05 to .95 for each place and run. `equal` weighs places alike.
    """

    name: str
    units: tuple[int, ...]
    kind: SimulationKind
    skill: Skill = "even"
    cluster: int = 1
    one_mind: bool = False
    samples: int = 1
    slips: float = 0.01
    equal: bool = False


class Run(NamedTuple):
    """One person's scores with their clusters and places, and the planted figure."""

    values: Floats
    clusters: Integers
    places: Integers
    truth: float


def run(design: SimulationDesign, rng: np.random.Generator) -> Run:
    """One simulated person, scored."""
    sizes = np.array(design.units)
    places = np.repeat(np.arange(sizes.size), sizes).astype(np.int64)
    within = np.concatenate([np.arange(size) // design.cluster for size in sizes])
    clusters = distinct_pairs(places, within)[2]
    knows = _skill(design, sizes.size, rng)
    mind = clusters if design.one_mind else np.arange(places.size)
    known = rng.random(places.size)[mind] < knows[places]
    values = np.stack([_answered(design, known, rng) for _ in range(design.samples)]).mean(axis=0)
    figure = planted(design, knows)
    weights = np.full(sizes.size, 1 / sizes.size) if design.equal else sizes / sizes.sum()
    if design.kind == "statements":
        clusters, places = np.repeat(clusters, 4), np.repeat(places, 4)
    return Run(values.ravel(), clusters, places, float(weights @ figure))


def planted(design: SimulationDesign, knows: Floats) -> Floats:
    """The figure of each place: knowing or guessing all answers of a unit right, with none of them unusable."""
    answers = 4 if design.kind == "hard" else 1
    guessed = OPTIONS[design.kind] ** -answers
    figure: Floats = (knows + (1 - knows) * guessed) * (1 - design.slips) ** answers
    return figure


def _skill(design: SimulationDesign, places: int, rng: np.random.Generator) -> Floats:
    match design.skill:
        case "even":
            return np.full(places, 0.6)
        case "uneven":
            return np.where(np.arange(places) % 2 == 0, 0.2, 0.9)
        case "high":
            return np.full(places, 0.97)
        case "drawn":
            return rng.uniform(0.05, 0.95, places)


def _answered(design: SimulationDesign, known: npt.NDArray[np.bool_], rng: np.random.Generator) -> Floats:
    """One sample: known or guessed, and not unusable; shape (units, 1), or (units, 4) for statements."""
    answers = 4 if design.kind in {"hard", "statements"} else 1
    shape = (known.size, answers)
    right = (known[:, None] | (rng.random(shape) < 1 / OPTIONS[design.kind])) & (rng.random(shape) >= design.slips)
    points: Floats = right.astype(np.float64)
    return points if design.kind == "statements" else points.min(axis=1, keepdims=True)


def _spread(places: int, least: int, most: int) -> tuple[int, ...]:
    """Uneven sizes: from the least to the most, each larger by the same factor."""
    return tuple(round(float(size)) for size in np.geomspace(least, most, places))


CULTURAL = _spread(45, 12, 58)  # 45 countries and about 1,300 questions, as CulturalBench has
NORMAD = _spread(75, 26, 46)  # 75 countries and about 2,600 scenes
BANK = _spread(180, 1, 140)  # CultureBank: many groups of one or two, a few of hundreds

DESIGNS: tuple[SimulationDesign, ...] = (
    SimulationDesign(name="one place of 10, hard", units=(10,), kind="hard", skill="drawn"),
    SimulationDesign(name="one place of 30, hard", units=(30,), kind="hard", skill="drawn"),
    SimulationDesign(name="one place of 100, three labels", units=(100,), kind="three", skill="drawn"),
    SimulationDesign(name="one place of 1,000, yes or no", units=(1000,), kind="two", skill="drawn"),
    SimulationDesign(name="one place of 5,000, one letter", units=(5000,), kind="letter", skill="drawn"),
    SimulationDesign(name="CulturalBench-Hard, even skill", units=CULTURAL, kind="hard"),
    SimulationDesign(name="CulturalBench-Hard, uneven skill", units=CULTURAL, kind="hard", skill="uneven"),
    SimulationDesign(name="CulturalBench-Hard, 5 % unusable", units=CULTURAL, kind="hard", skill="drawn", slips=0.05),
    SimulationDesign(name="CulturalBench-Hard, expert", units=CULTURAL, kind="hard", skill="high"),
    SimulationDesign(name="CulturalBench-Easy, even skill", units=CULTURAL, kind="letter"),
    SimulationDesign(name="CulturalBench-Easy, uneven skill", units=CULTURAL, kind="letter", skill="uneven"),
    SimulationDesign(name="region of five countries, even skill", units=(12, 22, 31, 40, 58), kind="hard", equal=True),
    SimulationDesign(name="region of five countries, drawn skill", units=(12, 22, 31, 40, 58), kind="hard",
        skill="drawn",
           equal=True),
    SimulationDesign(name="region of two countries, uneven skill", units=(20, 45), kind="hard", skill="uneven",
        equal=True),
    SimulationDesign(name="ladder/know, even skill", units=(9,) * 15, kind="hard"),
    SimulationDesign(name="ladder/know, uneven skill", units=(9,) * 15, kind="hard", skill="uneven"),
    SimulationDesign(name="ladder/judge, even skill", units=(9,) * 15, kind="three"),
    SimulationDesign(name="ladder/judge, drawn skill", units=(9,) * 15, kind="three", skill="drawn"),
    SimulationDesign(name="three places of four, drawn skill", units=(4, 4, 4), kind="hard", skill="drawn"),
    SimulationDesign(name="CultureBank, drawn skill", units=BANK, kind="two", skill="drawn"),
    SimulationDesign(name="CultureBank, uneven skill", units=BANK, kind="two", skill="uneven"),
)  # fmt: skip
"""One unit a cluster: Wilson's interval, stratified by place."""

CLUSTERED: tuple[SimulationDesign, ...] = (
    SimulationDesign(name="NormAd, two scenes a rule", units=NORMAD[::4], kind="three", skill="drawn", cluster=2),
    SimulationDesign(name="CASA, pairs of queries", units=_spread(17, 46, 100), kind="two", skill="drawn", cluster=2),
    SimulationDesign(name="CASA, pairs known as one", units=_spread(17, 46, 100), kind="two", skill="uneven", cluster=2,
           one_mind=True),
    SimulationDesign(name="SpecNorm, four personas a statement", units=(48,) * 20, kind="two", skill="drawn", cluster=4,
           one_mind=True),
    SimulationDesign(name="statements of 15 places, in fours", units=(9,) * 15, kind="statements", skill="uneven"),
    SimulationDesign(name="statements of one place of 35", units=(35,), kind="statements", skill="drawn"),
    SimulationDesign(name="hard, three samples a question", units=(9,) * 15, kind="hard", skill="drawn", samples=3),
    SimulationDesign(name="one place, 12 clusters of 5 known as one", units=(60,), kind="three", skill="drawn",
        cluster=5,
           one_mind=True),
)  # fmt: skip
"""Several units a cluster, or several samples a unit: t on cluster means, or the bootstrap of clusters."""

HARSH: tuple[SimulationDesign, ...] = (
    SimulationDesign(name="one place of 10, one skill", units=(10,), kind="hard"),
    SimulationDesign(name="one place of 10, expert", units=(10,), kind="two", skill="high"),
    SimulationDesign(name="two countries of 5 weighed alike", units=(5, 5), kind="hard", skill="uneven", equal=True),
    SimulationDesign(name="75 places of 2, uneven skill", units=(2,) * 75, kind="hard", skill="uneven"),
    SimulationDesign(name="100 places of 1", units=(1,) * 100, kind="three", skill="drawn"),
    SimulationDesign(name="five units beside 40, weighed alike", units=(5, 40), kind="two", skill="drawn", equal=True),
    SimulationDesign(name="ladder/know, expert", units=(9,) * 15, kind="hard", skill="high", slips=0.002),
    SimulationDesign(name="eight clusters of 5 known as one", units=(40,), kind="two", skill="drawn", cluster=5,
        one_mind=True),
    SimulationDesign(name="expert, pairs known as one", units=(30,) * 10, kind="two", skill="high", cluster=2,
        one_mind=True),
    SimulationDesign(name="expert, 12 clusters of 5", units=(60,), kind="two", skill="high", cluster=5, one_mind=True),
    SimulationDesign(name="five places of 9, three samples", units=(9,) * 5, kind="hard", skill="drawn", samples=3),
)  # fmt: skip
"""Mask of draws in which so little is known that an interval varies much, or errs towards wide."""


LATENT = 0.2
"""Correlation of hidden scores within a cluster."""
Sizes = Callable[[np.random.Generator], Integers]
"""Sizes of the clusters of one draw."""
NOISE = 0.7
"""Spread of a rater around a unit's own score, which has a spread of 1."""


def hidden(clusters: int, each: int, rng: np.random.Generator, columns: int = 1, *, alike: float = LATENT) -> Floats:
    """Standard normal scores of units, correlated within a cluster; shape (units, columns)."""
    common = np.repeat(rng.standard_normal((clusters, columns)), each, axis=0)
    alone = rng.standard_normal((clusters * each, columns))
    return np.asarray(np.sqrt(alike) * common + np.sqrt(1 - alike) * alone)


def all_above(cut: float, each: int) -> float:
    """Probability that all scores of a cluster of so many lie above the cut, exactly."""
    scores, weights = np.polynomial.hermite_e.hermegauss(80)
    above = special.ndtr((np.sqrt(LATENT) * scores - cut) / np.sqrt(1 - LATENT))
    return float(weights @ above**each / weights.sum())


def rated(clusters: int, each: int, raters: int, rng: np.random.Generator) -> Floats:
    """Points that raters give around a unit's own score; shape (units, raters)."""
    return hidden(clusters, each, rng) + NOISE * hidden(clusters, each, rng, raters)


@cache
def joint_of_raters(cuts: tuple[float, ...]) -> Floats:
    """Probability that two raters of a unit put it into each pair of classes between the cuts, exactly.

    Given the unit's score two raters are independent, so the table is an integral over that score.
    """
    scores, weights = np.polynomial.hermite_e.hermegauss(80)
    # 80 nodes are exact to rounding for functions as smooth as these
    below = special.ndtr((np.array(cuts)[None, :] - scores[:, None]) / NOISE)
    shares = np.diff(below, axis=1, prepend=0.0, append=1.0)
    table: Floats = (shares * (weights / weights.sum())[:, None]).T @ shares
    return table


def uneven(clusters: int, spread: float, rng: np.random.Generator, *, mean: float = 8) -> Integers:
    """Sizes of clusters from a log-normal distribution of this spread, as episodes have; at least 1."""
    drawn = mean * np.exp(spread * rng.standard_normal(clusters) - spread**2 / 2)
    return np.maximum(1, np.round(drawn)).astype(np.int64)


def episodes(clusters: int, spread: float) -> Sizes:
    """Clusters of log-normal sizes, 8 on average."""
    return lambda rng: uneven(clusters, spread, rng)


def in_clusters(sizes: Sizes, rng: np.random.Generator) -> Integers:
    """The cluster of each unit."""
    many = sizes(rng)
    return np.repeat(np.arange(many.size), many)


def evenly(sample: tuple[int, int], *, naive: bool = False) -> Integers:
    """The cluster of each unit of so many clusters of so many; naive: each unit is taken as one of its own."""
    return np.arange(sample[0] * sample[1]) // (1 if naive else sample[1])


def hidden_in(of: Integers, rng: np.random.Generator, columns: int = 1, *, alike: float = LATENT) -> Floats:
    """Standard normal scores of units, correlated within the clusters they are of; shape (units, columns)."""
    common = rng.standard_normal((int(of.max()) + 1, columns))[of]
    return np.asarray(np.sqrt(alike) * common + np.sqrt(1 - alike) * rng.standard_normal((of.size, columns)))
