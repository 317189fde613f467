"""The norm told: is a drop of harder items ever taken for a loss of knowledge, and do intervals of the parts hold?

A model knows a norm with one chance on each rung, and who knows it, or was told it, does what it asks with another: the
skill that the rung's items ask for. Items are harder on the second rung where that skill is less; competence is lost
where the norm is known less often there. Told answers know every norm. Who looks at the plain drop alone takes the one
for the other.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from mores.core.arrays import Floats, Mask
from mores.core.seeds import Seed
from mores.stats.anchors import ToldScores, anchored_fall, told_gain
from mores.stats.intervals import Interval
from mores.stats.judged_scores import JudgedContrast, NormDesign, RungScores, contrast
from mores.stats.rng import generator
from mores.stats.rogan_gladen import FLAWLESS, JudgeErrors
from mores.validity.promises import alarm, interval, missed, promising

FAMILY = "the norm told"
LEVEL = 0.05
NORMS, BUNDLE = 240, 3


class Planted(NamedTuple):
    """Chances to know a norm and to do what it asks, before and after; the judge, FLAWLESS for none, and its range.

    Norms of one bundle are half the time known and done as one. The judge is at the centre of what is known of it, or
    `anywhere` in its range, on each rung apart.
    """

    know: tuple[float, float]
    skill: tuple[float, float]
    judge: JudgeErrors = FLAWLESS
    anywhere: bool = False
    bundled: bool = False

    @property
    def drop(self) -> float:
        """The plain drop that is planted."""
        return self.know[0] * self.skill[0] - self.know[1] * self.skill[1]

    @property
    def taken(self) -> float:
        """The part of it that telling takes away."""
        return self.drop - (self.skill[0] - self.skill[1])

    def drawn(self, rng: np.random.Generator) -> tuple[ToldScores, ToldScores, NormDesign]:
        """Both rungs, plain and told, and how norms were drawn."""
        # One draw a norm, as who knows it where that is hard knows it elsewhere.
        known = self._draws(rng)
        before, after = (
            self._rung(known < know, skill, rng) for know, skill in zip(self.know, self.skill, strict=True)
        )
        clusters = np.arange(NORMS) // (BUNDLE if self.bundled else 1)
        return before, after, NormDesign(clusters, np.zeros(NORMS, dtype=np.int64))

    def _rung(self, known: Mask, skill: float, rng: np.random.Generator) -> ToldScores:
        first = self._draws(rng)
        # A told answer is another answer: half of the norms are done or not by another draw.
        again = np.where(rng.random(NORMS) < 0.5, first, self._draws(rng))
        se, sp = self._rates(rng)
        plain, told = (
            RungScores(
                passed=np.where(kept, rng.random(NORMS) < se, rng.random(NORMS) >= sp).astype(np.float64),
                seen=np.full(NORMS, float(self.judge is not FLAWLESS)),
                verdicts=np.ones(NORMS),
                judge=self.judge,
            )
            for kept in (known & (first < skill), again < skill)
        )
        return ToldScores(plain=plain, told=told)

    def _draws(self, rng: np.random.Generator) -> Floats:
        """A number from 0 to 1 for each norm."""
        own = rng.random(NORMS)
        if not self.bundled:
            return own
        shared = np.repeat(rng.random(NORMS // BUNDLE), BUNDLE)
        return np.where(rng.random(NORMS) < 0.5, shared, own)

    def _rates(self, rng: np.random.Generator) -> tuple[float, float]:
        if not self.anywhere:
            return self.judge.centre
        one, other = (float(rng.uniform(rate.low, rate.high)) for rate in self.judge.rates)
        return one, other


def _said(found: JudgedContrast) -> float:
    """1 where something above 0 is found, for every judge of the range."""
    return float(found.p is not None and found.p < LEVEL and (found.least or 0.0) > 0)


@promising(
    FAMILY,
    alarm("harder items said to be want of knowledge: {}"),
    alarm("the plain drop taken for it: {}", naive=True),
    named="harder items, {}",
)
def _harder_items(seed: Seed, planted: Planted) -> list[float]:
    before, after, design = planted.drawn(generator(seed))
    taken = anchored_fall(before, after, design, seed=seed.child("taken"))
    plain = contrast(before.plain, after.plain, design, seed=seed.child("plain"))
    return [_said(taken), _said(plain)]


@promising(FAMILY, alarm("harder items said to be want of knowledge: {}"), named="harder items under any judge, {}")
def _harder_judged(seed: Seed, planted: Planted) -> list[float]:
    before, after, design = planted.drawn(generator(seed))
    return [_said(anchored_fall(before, after, design, seed=seed.child("taken")))]


@promising(
    FAMILY,
    interval("the part of a drop that is knowledge: {}"),
    interval("what telling adds on a rung: {}"),
    interval("the plain drop taken for knowledge: {}", naive=True),
    named="parts of a drop, {}",
)
def _parts(seed: Seed, planted: Planted) -> list[float]:
    before, after, design = planted.drawn(generator(seed))
    taken = anchored_fall(before, after, design, seed=seed.child("taken"))
    gain = told_gain(after, design, seed=seed.child("gain"))
    plain = contrast(before.plain, after.plain, design, seed=seed.child("plain"))
    adds = planted.skill[1] * (1 - planted.know[1])
    truths = ((taken, planted.taken), (gain, adds), (plain, planted.taken))
    return [missed(_interval(found), truth) for found, truth in truths]


def _interval(found: JudgedContrast) -> Interval:
    return Interval(found.low, found.high, found.method)


_HARDER = partial(Planted, know=(0.8, 0.8), skill=(0.95, 0.75))
_LOST = partial(Planted, know=(0.9, 0.6), skill=(0.95, 0.8))
_WIDE, _NARROW = JudgeErrors.within(0.75, 1.0), JudgeErrors.within(0.9, 1.0)
EXPERIMENTS = (
    _harder_items("nobody judges", 200, _HARDER()),
    _harder_items("norms in bundles", 200, _HARDER(bundled=True)),
    _harder_items("all is known", 200, _HARDER(know=(1.0, 1.0))),
    _harder_judged("judges from .75 to 1", 100, _HARDER(know=(1.0, 1.0), judge=_WIDE, anywhere=True)),
    _harder_judged("judges from .9 to 1", 100, _HARDER(know=(1.0, 1.0), judge=_NARROW, anywhere=True)),
    _parts("nobody judges", 300, _LOST()),
    _parts("norms in bundles", 300, _LOST(bundled=True)),
    _parts("a judge at the centre of .75 to 1", 300, _LOST(judge=_WIDE)),
)
