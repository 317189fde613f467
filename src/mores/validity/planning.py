"""Plans, the reliability of an order of places, and questions that are flagged.

A difference is planted among as many units as `mores plan` asks for, and `compare_paired` is put to it at the level
that the family's correction leaves: a miss in more than a fifth of the draws breaks the promise of power .8. Places are
planted with known shares: the interval of their reliability has to hold the true one, and places that are alike may be
listed as weakest and strongest in at most a twentieth of the draws. A question that is guessed may be flagged at its
level, and a wrong key may be missed in a fifth.
"""

from functools import partial
from math import nan
from typing import NamedTuple

import numpy as np
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.seeds import Seed
from mores.stats.items import item_statistics, rival_p
from mores.stats.paired import compare_paired, detectable_after, minimum_detectable_effect
from mores.stats.power import PowerAnalysis
from mores.stats.reliability import reliability_of_means
from mores.stats.rng import generator
from mores.validity.promises import Experiment, alarm, missed, one_promise, promising

POWER, ORDER = "planned power", "order of places"
FAMILY = 15
MISSED = 0.2
"""Share of draws in which a difference may stay unseen at power .8."""
ALIKE = 0.5
"""Chance of a unit to do as its cluster does; its square is the intraclass correlation."""


def _gaps(units: int, d: float, discordance: float, of: int, rng: np.random.Generator) -> Floats:
    """Differences of two models on units: 1, -1 or 0, in clusters of a size."""
    cuts, signs = [(discordance + d) / 2, discordance], np.array([1.0, -1.0, 0.0])
    own = signs[np.digitize(rng.random(units), cuts)]
    if of == 1:
        return own
    shared = np.repeat(signs[np.digitize(rng.random(units // of), cuts)], of)
    return np.where(rng.random(units) < ALIKE, shared, own)


def _power(
    name: str, units: int, difference: tuple[float, float], *, of: int = 1, family: int = 1, naive: bool = False
) -> Experiment:
    """A difference and a discordance among so many units, sought at the level that the first of a family has."""
    d, discordance = difference

    def draw(seed: Seed) -> tuple[float]:
        gap = _gaps(units, d, discordance, of, generator(seed))
        clusters = np.repeat(np.arange(units // of), of)
        # only p is looked at, which draws nothing
        found = compare_paired(gap > 0, gap < 0, clusters, resamples=10, seed=seed.child("flips"))
        return (float(found.p * family >= 0.05),)

    promise = alarm(name, level=MISSED, naive=naive)
    return Experiment(name=name, family=POWER, promises=(promise,), draws=200 if naive else 1000 // of, draw=draw)


def _planned(d: float, discordance: float, family: int = 1) -> Experiment:
    # the level of the first of the family by Holm
    units = PowerAnalysis(discordance=discordance, alpha=0.05 / family).units_needed(d)
    among = f" among {family} places" if family > 1 else ""
    return _power(f"missed: {d:g} of {discordance:g} in {units} units{among}", units, (d, discordance), family=family)


def _least(units: int, discordance: float, *, of: int = 1, family: int = 1) -> Experiment:
    """The least difference that so many units are said to show."""
    deff = 1 + (of - 1) * ALIKE**2
    d = PowerAnalysis(discordance=discordance, design_effect=deff, alpha=0.05 / family).least_difference(
        units, clusters=units // of
    )
    laid = f"{units // of} clusters of {of}" if of > 1 else f"{units} units"
    among = f" among {family} places" if family > 1 else ""
    name = f"missed: the least difference that {laid} show{among}"
    return _power(name, units, (nan if d is None else d, discordance), of=of, family=family)


def _seen(units: int, differ: int) -> Experiment:
    """The difference that units are said to be able to show, of which only a few were found to differ."""
    d = detectable_after(units, differ / units)
    name = f"missed: what {units} units of which {differ} differ could have shown"
    return _power(name, units, (d, max(d, differ / units)))


def _normal_at_places(units: int, discordance: float) -> Experiment:
    """The least difference that the normal formula promises a place among many: more units have to differ for it."""
    d = minimum_detectable_effect(units, discordance, alpha=0.05 / FAMILY)
    name = f"missed: {d:.2f} in {units} units among {FAMILY} places, normal"
    return _power(name, units, (d, max(d, discordance)), family=FAMILY, naive=True)


ITEMS = "flags of items"
TWELVE = np.linspace(0.4, 0.95, 12)
"""Shares that twelve models know."""


class _Asked(NamedTuple):
    """Answers of models to a hundred questions of four answers, 0 being right, and their points."""

    answers: Integers
    points: Floats

    def rival(self, key: int) -> float:
        """The p of another answer to the first question than a key."""
        counts = np.bincount(self.answers[:, 0], minlength=4)
        others = np.where(np.arange(4) == key, -1, counts)
        rest = self.points[:, 1:].mean(1)
        return rival_p(rest[self.answers[:, 0] == key], rest[self.answers[:, 0] == int(others.argmax())], 3)


def _asked(first: float | None, rng: np.random.Generator) -> _Asked:
    """The first question has a difficulty in log odds, or all of its four answers are guessed."""
    difficulty = np.concatenate(([first or 0.0], rng.normal(0, 0.7, 99)))
    knows = rng.random((12, 100)) < special.expit(np.log(TWELVE / (1 - TWELVE))[:, None] - difficulty)
    judged = np.where(knows, 0, rng.integers(1, 4, knows.shape))
    if first is None:
        judged[:, 0] = rng.integers(0, 4, 12)
    return _Asked(judged, (judged == 0).astype(np.float64))


@promising(
    ITEMS,
    alarm("{}: better models do worse"),
    alarm("{}: better models say otherwise"),
    careless=(alarm("{}", naive=True),),
)
def _guessed(seed: Seed, *, naive: bool = False) -> list[float]:
    """A question without bearing on the rest may be flagged at the level; any negative correlation is no flag."""
    asked = _asked(None, generator(seed))
    found = item_statistics(asked.points)
    return [float(found.rest[0] < 0)] if naive else [float(found.negative[0]), float(asked.rival(0) < 0.05)]


@one_promise(ITEMS, partial(alarm, level=MISSED))
def _wrong_key(seed: Seed) -> float:
    """A question that three of four know, with another of its answers for a key."""
    asked = _asked(-0.5, generator(seed))
    # the key is wrong: points go to another answer than most of those who know give
    asked.points[:, 0] = asked.answers[:, 0] == 1
    found = item_statistics(asked.points)
    return float(not (found.negative[0] or found.nobody[0] or asked.rival(1) < 0.05))


SIZES = tuple(int(size) for size in np.linspace(12, 58, 45))
"""Units of the places of CulturalBench that have a dozen at least."""


class _Answers(NamedTuple):
    """Right and wrong answers, the place and the cluster of each, and how reliable the places' figures truly are."""

    right: Floats
    place: Integers
    cluster: Integers
    reliability: float


def _places(sizes: tuple[int, ...], spread: float, of: int, rng: np.random.Generator) -> _Answers:
    """Answers at places whose log odds lie normally with a spread, in clusters of a size within places."""
    shares = special.expit(0.85 + spread * special.ndtri((np.arange(len(sizes)) + 0.5) / len(sizes)))
    place = np.repeat(np.arange(len(sizes)), sizes)
    cluster = np.concatenate([np.arange(size) // of + 1000 * number for number, size in enumerate(sizes)])
    shared = rng.random(int(cluster.max()) + 1)[cluster] < shares[place]
    right = np.where(rng.random(place.size) < (0 if of == 1 else ALIKE), shared, rng.random(place.size) < shares[place])
    met = np.array([np.mean(np.bincount(np.arange(size) // of)[np.arange(size) // of]) for size in sizes])
    noise = shares * (1 - shares) * (1 + (met - 1) * ALIKE**2) / np.array(sizes)
    between = float(shares.var(ddof=1))
    return _Answers(right.astype(np.float64), place, cluster, between / (between + float(noise.mean())))


@one_promise(ORDER)
def _reliability(seed: Seed, sizes: tuple[int, ...], spread: float, *, of: int = 1) -> float:
    """The interval of the reliability of places with planted shares."""
    seen = _places(sizes, spread, of, generator(seed))
    found = reliability_of_means(seen.right, np.ones(seen.right.size), seen.place, seen.cluster)
    return missed(found, seen.reliability)


@one_promise(ORDER, alarm)
def _listed(seed: Seed, sizes: tuple[int, ...], *, of: int = 1, naive: bool = False) -> float:
    """Places that are all alike, called weakest and strongest; naive: every unit is taken as drawn by itself."""
    seen = _places(sizes, 0.0, of, generator(seed))
    own = np.arange(seen.right.size) if naive else seen.cluster
    return float(reliability_of_means(seen.right, np.ones(seen.right.size), seen.place, own).ranks)


@one_promise(ORDER, alarm)
def _bare(seed: Seed, sizes: tuple[int, ...], *, naive: bool) -> float:
    """The same by the noise that each place shows by itself: two units that say the same show none."""
    seen, many = _places(sizes, 0.0, 1, generator(seed)), np.array(sizes)
    share = np.bincount(seen.place, seen.right) / many
    return float(naive and share.var(ddof=1) > 2 * np.mean(share * (1 - share) / (many - 1)))


EXPERIMENTS = (
    _planned(0.1, 0.2),
    _planned(0.2, 0.2, FAMILY),
    _planned(0.5, 0.6, FAMILY),
    _least(60, 0.3),
    _least(120, 0.3, of=4),
    _seen(15, 1),
    _normal_at_places(9, 0.3),
    _normal_at_places(16, 0.2),
    _reliability("reliability of 15 places of 9", 500, (9,) * 15, 0.7),
    _reliability("reliability of 15 places of 9, far apart", 500, (9,) * 15, 1.5),
    _reliability("reliability of 45 places of 12 to 58", 500, SIZES, 0.5),
    _reliability("reliability of 15 places of 9 clusters of 3", 500, (27,) * 15, 0.7, of=3),
    _reliability("reliability of 6 places of 8 to 100", 500, (8, 10, 15, 30, 60, 100), 0.7),
    _listed("listed: 15 places of 9, all alike", 500, (9,) * 15),
    _listed("listed: 45 places of 12 to 58, all alike", 500, SIZES),
    _listed("listed: 4 places of 30, all alike", 500, (30,) * 4),
    _listed("listed: 15 places of 8 clusters of 5, all alike", 500, (40,) * 15, of=5),
    _listed("listed: places of 2 and 28, alike", 500, (2, 28)),
    _listed("listed: places of 8 and 100, alike", 500, (8, 100)),
    _listed("listed: places of 9, 40 and 200, alike", 500, (9, 40, 200)),
    _listed("listed: places of 8, 8 and 60, alike", 500, (8, 8, 60)),
    _listed("listed: 6 places of 10 to 300, alike", 300, (10, 12, 14, 100, 200, 300)),
    _listed("listed: 15 alike places of 8 clusters of 5, clusters ignored", 200, (40,) * 15, of=5, naive=True),
    _bare("listed: places of 2 and 28, each with the noise it shows", 200, (2, 28), naive=True),
    _guessed("flagged: a guessed question", 500),
    _guessed("flagged: a guessed question, any negative correlation", 100, naive=True),
    _wrong_key("missed: a wrong key, 12 models, three of four know the answer", 500),
)
