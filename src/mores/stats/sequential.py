"""Looks at a difference while its units are still being asked: boundaries, the test at each look, and what stands then.

planned shares of all units ─▶ `LookPlan`: a boundary a look, which spends the allowed error as units come in
cluster sums so far ─▶ `ClusterScore`: the score of any difference, from which test and interval both come
the look that ended it ─▶ `at_the_stop`: p, a median-unbiased figure and an interval that know of all looks before

The score is the sign-flip test's: a cluster's sum of differences by the root of their squared sum. It is bounded by the
root of the number of clusters, so that few clusters that happen to agree are no proof at the strict early levels.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from math import inf, isfinite, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special
from scipy.optimize import brentq

from mores.core.arrays import Floats
from mores.core.card import SequentialEnd
from mores.core.errors import InputError
from mores.stats.checks import numbers
from mores.stats.clusters import clustered

MOST_LOOKS, FEWEST_CLUSTERS = 10, 30
"""Looks at most, and the clusters that at least come in before each."""
HOPELESS = 0.05
"""Predictive power below which nobody is asked any further: the loss of power is a hundredth or two."""
_STEEP = 2.0
"""Exponent of the spending function."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)
_FAR = 12.0


def spent(share: float, alpha: float) -> float:
    """Error that may have been spent once so much of all units has come in: alpha · share².

    Of the power family with 1, 1.5, 2 and 3, and the spending like Pocock's and O'Brien and Fleming's, the square asks
    least where 5 points in 1,200 questions are to be found without a loss of power above .02: see the row of
    `mores plan` and docs/validity.md.

    Source:
        Kim and DeMets (1987), Biometrika 74, sec. 2; Lan and DeMets (1983), Biometrika 70.
    """
    return float(alpha * min(1.0, share) ** _STEEP)


class LookPlan(Struct, frozen=True, kw_only=True):
    """Shares of all units at which is looked, and for each the score that decides and the one below which it is vain.

    A score beyond `bounds` decides either way. One within `vain` ends it without a finding: nothing is spent on that
    and nothing gained, so that the error holds whether or not it is followed.
    """

    shares: tuple[float, ...]
    bounds: tuple[float, ...]
    vain: tuple[float, ...]
    alpha: float = 0.05

    @classmethod
    def of(cls, shares: Sequence[float], alpha: float = 0.05) -> "LookPlan":
        """The plan of looks at these shares.

        Raises:
            InputError: they do not rise to 1, or alpha is not in (0, 1).
        """
        given = (0.0, *shares)
        rising = all(a < b for a, b in pairwise(given))
        if not shares or not rising or abs(shares[-1] - 1) > 1e-9 or not 0 < alpha < 1:
            raise InputError(f"shares are {list(shares)} and alpha {alpha}; expected a rise to 1, and a level.")
        return _plan(tuple(map(float, shares)), alpha)

    @classmethod
    def even(cls, clusters: int, alpha: float = 0.05) -> "LookPlan":
        """The plan for so many clusters: up to 10 looks, evenly apart, with 30 clusters at least before each."""
        looks = max(1, min(MOST_LOOKS, clusters // FEWEST_CLUSTERS))
        return cls.of([number / looks for number in range(1, looks + 1)], alpha)

    def level(self, look: int) -> float:
        """Two-sided level of the test at a look, from 1."""
        return float(2 * special.ndtr(-self.bounds[look - 1]))

    def end(self, look: int, score: float) -> SequentialEnd | None:
        """Ending of the plan by a score at a look; None where it goes on."""
        if abs(score) >= self.bounds[look - 1]:
            return "shown" if score > 0 else "opposite"
        if look == len(self.shares):
            return "open"
        return "vain" if abs(score) < self.vain[look - 1] else None

    def hope(self, look: int, score: float) -> float:
        """Chance that the last look decides, given the score at an earlier one and no other knowledge.

        Source:
            Spiegelhalter, Freedman and Blackburn (1986), Controlled Clinical Trials 7.
        """
        share = self.shares[look - 1]
        return 0.0 if share >= 1 else _hope(score, share, self.bounds[-1])


@lru_cache(maxsize=64)
def _plan(shares: tuple[float, ...], alpha: float) -> LookPlan:
    process, bounds, before = _Process.begun(), list[float](), 0.0
    for share in shares:
        now = spent(share, alpha)
        bounds.append(_bound(process, share, now - before))
        process, before = process.on(share, ((-bounds[-1], bounds[-1]),)), now
    vain = (*(_vain(share, bounds[-1]) for share in shares[:-1]), bounds[-1])
    return LookPlan(shares=shares, bounds=tuple(bounds), vain=vain, alpha=alpha)


def _bound(process: "_Process", share: float, left: float) -> float:
    """The score that is passed either way with the chance that is left to this look."""
    return _root(lambda bound: left - process.above(share, bound) - process.below(share, -bound), 0.0, _FAR)


def _vain(share: float, last: float) -> float:
    """The largest score at this share with which it is vain to go on; 0 where none is."""
    return 0.0 if _hope(0.0, share, last) >= HOPELESS else _root(lambda z: _hope(z, share, last) - HOPELESS, 0.0, _FAR)


def _hope(score: float, share: float, last: float) -> float:
    mean, sd = score / sqrt(share), sqrt((1 - share) / share)
    return float(special.ndtr((mean - last) / sd) + special.ndtr((-mean - last) / sd))


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Point where a rising function is 0; an end of the range where it is 0 nowhere within."""
    if rising(low) >= 0:
        return low
    return high if rising(high) <= 0 else float(brentq(rising, low, high, xtol=1e-11))


class _Process(NamedTuple):
    """Density of the score's path at a share of all units, over the paths that nothing has stopped.

    A path is a Brownian motion with drift: score times the root of the share.

    Source:
        Armitage, McPherson and Rowe (1969), JRSS A 132; Jennison and Turnbull (2000), Group Sequential Methods,
        ch. 19, for the integration from look to look.
    """

    share: float
    at: Floats
    mass: Floats
    drift: float

    @classmethod
    def begun(cls, drift: float = 0.0) -> "_Process":
        """Before anything was asked; `drift` is the mean of the score once all units have come in."""
        return cls(0.0, np.zeros(1), np.ones(1), drift)

    def _step(self, share: float) -> tuple[Floats, float]:
        return self.at + self.drift * (share - self.share), sqrt(share - self.share)

    def above(self, share: float, score: float) -> float:
        """Chance of a score above this at the next look."""
        mean, sd = self._step(share)
        return float(self.mass @ special.ndtr((mean - score * sqrt(share)) / sd))

    def below(self, share: float, score: float) -> float:
        """Chance of a score below this at the next look."""
        mean, sd = self._step(share)
        return float(self.mass @ special.ndtr((score * sqrt(share) - mean) / sd))

    def on(self, share: float, kept: Sequence[tuple[float, float]]) -> "_Process":
        """After the next look, of which only scores within some ranges go on."""
        mean, sd = self._step(share)
        ranges = [(a * sqrt(share), b * sqrt(share)) for a, b in kept if b > a]
        if not ranges:
            return _Process(share, np.zeros(1), np.zeros(1), self.drift)
        at = np.concatenate([(a + b) / 2 + (b - a) / 2 * _NODES for a, b in ranges])
        weight = np.concatenate([(b - a) / 2 * _WEIGHTS for a, b in ranges])
        density = np.exp(-(((at[:, None] - mean) / sd) ** 2) / 2) / (sd * sqrt(2 * np.pi)) @ self.mass
        return _Process(share, at, weight * density, self.drift)


def p_of(score: float) -> float:
    """Two-sided p of a score that is looked at once."""
    return float(2 * special.ndtr(-abs(score)))


class ExpectedStop(NamedTuple):
    """Chances that a plan finds the difference, its opposite, or ends as vain; and the share it asks on average."""

    found: float
    opposite: float
    vain: float
    share: float


def expected(plan: LookPlan, drift: float) -> ExpectedStop:
    """Chances and length of a plan, where the score's mean would be `drift` once all units have come in.

    That is difference / standard error of all units.
    """
    process, found, opposite, vain, share = _Process.begun(drift), 0.0, 0.0, 0.0, 0.0
    for at, bound, idle in zip(plan.shares, plan.bounds, plan.vain, strict=True):
        up, down = process.above(at, bound), process.below(at, -bound)
        idly = max(0.0, process.below(at, idle) - process.below(at, -idle))
        found, opposite, vain = found + up, opposite + down, vain + idly
        share += at * (up + down + idly)
        process = process.on(at, ((-bound, -idle), (idle, bound)))
    return ExpectedStop(found, opposite, vain, share)


class StoppedScore(NamedTuple):
    """p over all looks, and the drift of the score at the look that ended it: median-unbiased, and its interval."""

    p: float
    low: float
    middle: float
    high: float


def at_the_stop(plan: LookPlan, look: int, score: float) -> StoppedScore:
    """Conclusion from a score at the look (from 1) that ended a plan: an earlier end is stronger, then a larger score.

    The drift is what the score has more than noise; a difference is made of it by `ClusterScore.difference`. Where it
    was vain to go on the interval is the repeated one, which holds at whatever look one ends: by stages it would cover
    .92 of differences that are hard to find, as each look is one more chance to end with a score that is too low.

    Raises:
        InputError: there is no such look.

    Source:
        Tsiatis, Rosner and Mehta (1984), Biometrics 40, on the ordering by stages; Jennison and Turnbull (1989), JRSS
        B 51, on repeated intervals.
    """
    if not 1 <= look <= len(plan.shares) or not isfinite(score):
        raise InputError(f"look {look}, score {score}; expected a look of 1 to {len(plan.shares)} and a finite score.")

    def tail(drift: float) -> float:
        """Chance of an end at least as far up, where the drift at this look is so large."""
        process, chance = _Process.begun(drift / sqrt(plan.shares[look - 1])), 0.0
        for share, bound in zip(plan.shares[: look - 1], plan.bounds, strict=False):
            chance += process.above(share, bound)
            process = process.on(share, ((-bound, bound),))
        return chance + process.above(plan.shares[look - 1], score)

    up = tail(0.0)
    half = plan.alpha / 2
    low, middle, high = (
        _root(partial(_above, tail, level), score - _FAR, score + _FAR) for level in (half, 0.5, 1 - half)
    )
    if plan.end(look, score) == "vain":
        low, high = score - plan.bounds[look - 1], score + plan.bounds[look - 1]
    return StoppedScore(min(1.0, 2 * min(up, 1 - up)), low, middle, high)


def _above(rising: Callable[[float], float], level: float, at: float) -> float:
    return rising(at) - level


class ClusterScore(Struct, frozen=True, kw_only=True, eq=False):
    """Sums of differences and numbers of units, a cluster each."""

    sums: Floats
    units: Floats

    @classmethod
    def of(cls, gaps: npt.ArrayLike, clusters: npt.ArrayLike) -> "ClusterScore":
        """Those of the difference of each unit, by the cluster of each, in any labels.

        Raises:
            InputError: a difference is not finite, or lengths differ.
        """
        each = numbers(gaps, "gaps")
        codes = clustered(clusters, None, each.size)
        return cls(sums=codes.sums(each), units=codes.sums(np.ones(each.size)))

    def score(self, difference: float = 0.0) -> float:
        """The score of a difference: of clusters' sums less what it makes them expect, by the root of their squares.

        0 where there is nothing.
        """
        left = self.sums - difference * self.units
        spread = float(np.sqrt(np.sum(left**2)))
        return float(left.sum()) / spread if spread > 0 else 0.0

    @property
    def mean(self) -> float:
        """Mean difference of units; NaN of none."""
        units = float(self.units.sum())
        return float(self.sums.sum()) / units if units else float("nan")

    @property
    def most(self) -> float:
        """The largest score that any difference can have: the root of the clusters, where all are of one size."""
        return float(self.units.sum() / np.sqrt(np.sum(self.units**2)))

    def difference(self, drift: float) -> float:
        """The difference whose score is `drift` less than that of none; infinite where no difference has it."""
        wanted = self.score() - drift
        if abs(wanted) >= self.most:
            return -inf if wanted > 0 else inf
        return _root(lambda d: wanted - self.score(d), *self._range(wanted))

    def _range(self, wanted: float) -> tuple[float, float]:
        """Two differences between which the score is the wanted one."""
        width = 1.0
        while not self.score(self.mean - width) >= wanted >= self.score(self.mean + width) and width < 1e9:
            width *= 2
        return self.mean - width, self.mean + width
