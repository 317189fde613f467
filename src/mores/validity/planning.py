"""What a plan promises: at the units that it names, does the test as shipped find a difference so often?

A difference is planted among as many units as `mores plan` asks for, and `compare_paired` is put to it at the level
that the family's correction leaves. A miss in more than a fifth of the draws breaks the promise of power .8.
"""

from math import nan

import numpy as np

from mores.core.seeds import Seed
from mores.stats.arrays import FloatArray
from mores.stats.dice import generator
from mores.stats.paired import compare_paired, minimum_detectable_effect
from mores.stats.plan import least_difference, units_needed
from mores.validity.promises import Experiment, alarm

POWER = "planned power"
FAMILY = 15
MISSED = 0.2
"""Share of draws in which a difference may stay unseen at power .8."""
ALIKE = 0.5
"""Chance of a unit to do as its cluster does; its square is the intraclass correlation."""


def _gaps(units: int, d: float, discordance: float, of: int, dice: np.random.Generator) -> FloatArray:
    """Differences of two models on units: 1, -1 or 0, in clusters of a size."""
    cuts, signs = [(discordance + d) / 2, discordance], np.array([1.0, -1.0, 0.0])
    own = signs[np.digitize(dice.random(units), cuts)]
    if of == 1:
        return own
    shared = np.repeat(signs[np.digitize(dice.random(units // of), cuts)], of)
    return np.where(dice.random(units) < ALIKE, shared, own)


def _power(
    name: str, units: int, difference: tuple[float, float], *, of: int = 1, family: int = 1, naive: bool = False
) -> Experiment:
    """A difference and a discordance among so many units, sought at the level that the first of a family has."""
    d, discordance = difference

    def draw(seed: Seed) -> tuple[float]:
        gap = _gaps(units, d, discordance, of, generator(seed))
        clusters = np.repeat(np.arange(units // of), of)
        found = compare_paired(gap > 0, gap < 0, clusters, flips=2000, resamples=10, seed=seed.child("flips"))
        return (float(found.p * family >= 0.05),)

    promise = alarm(name, level=MISSED, naive=naive)
    return Experiment(name=name, family=POWER, promises=(promise,), draws=1000, draw=draw)


def _planned(d: float, discordance: float, family: int = 1) -> Experiment:
    units = units_needed(d, discordance=discordance, alpha=0.05 / family)
    among = f" among {family} places" if family > 1 else ""
    return _power(f"missed: {d:g} of {discordance:g} in {units} units{among}", units, (d, discordance), family=family)


def _least(units: int, discordance: float, *, of: int = 1, family: int = 1) -> Experiment:
    """The least difference that so many units are said to show."""
    deff = 1 + (of - 1) * ALIKE**2
    d = least_difference(units, discordance=discordance, clusters=units // of, design_effect=deff, alpha=0.05 / family)
    laid = f"{units // of} clusters of {of}" if of > 1 else f"{units} units"
    among = f" among {family} places" if family > 1 else ""
    name = f"missed: the least difference that {laid} show{among}"
    return _power(name, units, (nan if d is None else d, discordance), of=of, family=family)


def _normal_at_places(units: int, discordance: float) -> Experiment:
    """The least difference that the normal formula promises a place among many: more units have to differ for it."""
    d = minimum_detectable_effect(units, discordance, alpha=0.05 / FAMILY)
    name = f"missed: {d:.2f} in {units} units among {FAMILY} places, normal"
    return _power(name, units, (d, max(d, discordance)), family=FAMILY, naive=True)


EXPERIMENTS = (
    _planned(0.1, 0.2),
    _planned(0.2, 0.2, FAMILY),
    _planned(0.5, 0.6, FAMILY),
    _least(60, 0.3),
    _least(120, 0.3, of=4),
    _normal_at_places(9, 0.3),
    _normal_at_places(16, 0.2),
)
