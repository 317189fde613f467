"""What the figures promise, and what is found when the truth is planted: the nouns of the instrument's own certificate.

truths planted by an `Experiment` ─▶ for each draw and promise, 1 where it was broken and 0 where it was kept ─▶
`Found`, beside what is nominal. A naive rule stands in each family that must break its promise, so that the check
itself can fail.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan, sqrt
from typing import Literal, TypeAlias

import numpy as np

from mores.core.seeds import Seed
from mores.stats.arrays import FloatArray
from mores.stats.cluster_sums import Measured
from mores.stats.intervals import Interval

Kind: TypeAlias = Literal["interval", "certificate", "test", "mean"]
ERRORS = 3.0
"""Standard errors beyond which a departure is no luck."""
POINT = 0.01
"""What an interval that is approximate may lack: 94 of 100 for 95, however many the draws."""
LEAST_SAID = 0.5
"""Share of draws in which something has to be claimed: what says nothing breaks no promise either."""
LEAST_DRAWS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """One row of the table.

    `nominal` is the share of draws in which the promise may be broken: a 95 % interval misses in .05, a certificate
    at delta .05 is wrong in .05, a test at level .05 cries wolf in .05. Of a "mean" it is the mean that is promised,
    such as a risk in expectation. `slack` is what it may depart beyond that whatever the draws. A `naive` rule
    promises the same and must not keep it.
    """

    name: str
    kind: Kind
    nominal: float = 0.05
    slack: float = 0.0
    naive: bool = False

    @property
    def shown(self) -> float:
        """What is nominal as people say it: coverage for an interval."""
        return 1 - self.nominal if self.kind == "interval" else self.nominal


def interval(name: str, *, naive: bool = False, slack: float = POINT) -> Promise:
    """The promise of a 95 % interval."""
    return Promise(name=name, kind="interval", slack=slack, naive=naive)


def certificate(name: str, *, naive: bool = False) -> Promise:
    """The promise of a certificate at delta .05."""
    return Promise(name=name, kind="certificate", naive=naive)


def alarm(name: str, *, level: float = 0.05, naive: bool = False) -> Promise:
    """The promise of a test at a level."""
    return Promise(name=name, kind="test", nominal=level, naive=naive)


def mean_of(name: str, nominal: float, *, naive: bool = False) -> Promise:
    """The promise of a mean that is at most nominal."""
    return Promise(name=name, kind="mean", nominal=nominal, naive=naive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One planted truth and the promises that it puts to the test.

    `draw` makes a data set with the truth planted and gives one figure a promise, in their order: 1 broken, 0 kept,
    NaN where nothing was claimed; of a "mean" the figure itself. `draws` says how many suit its cost.
    """

    name: str
    family: str
    promises: tuple[Promise, ...]
    draws: int
    draw: Callable[[Seed], Sequence[float]]

    def times(self, scale: float) -> int:
        """Draws at a scale; never fewer than are needed to find a naive rule out."""
        naive = any(promise.naive for promise in self.promises)
        return max(self.draws if naive else min(self.draws, LEAST_DRAWS), round(self.draws * scale))

    def drawn(self, numbers: range, seed: Seed) -> FloatArray:
        """Figures of some draws, shape (draws, promises); a draw's dice depend on its number alone."""
        dice = seed.child(self.name)
        rows = [self.draw(dice.child(number)) for number in numbers]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(self.promises))


@dataclass(frozen=True, kw_only=True)
class Found:
    """What many draws found of one promise.

    `broken` is the share of draws in which it was broken (the mean, for a "mean"), `said` the share in which anything
    was claimed. Intervals and tests count where they were given; a certificate that was refused is not broken.
    """

    promise: Promise
    family: str
    draws: int
    said: float
    broken: float
    spread: float

    @classmethod
    def of(cls, promise: Promise, family: str, figures: FloatArray) -> "Found":
        """What one column of figures comes to."""
        given = np.isfinite(figures)
        counted = figures[given] if promise.kind in {"interval", "test"} else np.where(given, figures, 0.0)
        few = counted.size == 0
        return cls(
            promise=promise,
            family=family,
            draws=counted.size,
            said=float(given.mean()) if given.size else 0.0,
            broken=nan if few else float(counted.mean()),
            spread=nan if few else float(counted.std()),
        )

    @property
    def shown(self) -> float:
        """What was found as people say it: coverage for an interval."""
        return 1 - self.broken if self.promise.kind == "interval" else self.broken

    @cached_property
    def error(self) -> float:
        """Monte-Carlo standard error: of a share that is exactly nominal, or of the mean."""
        if self.draws == 0:
            return nan
        spread = self.spread if self.promise.kind == "mean" else sqrt(self.promise.nominal * (1 - self.promise.nominal))
        return spread / sqrt(self.draws)

    @property
    def departs(self) -> bool:
        """True where the promise is broken beyond luck and slack, or where hardly anything is ever claimed."""
        if self.said < LEAST_SAID:
            return True
        return self.broken - self.promise.nominal > max(ERRORS * self.error, self.promise.slack)

    @property
    def sound(self) -> bool:
        """True where all is as it should be: promises hold, and naive rules fail."""
        return self.departs == self.promise.naive

    @property
    def verdict(self) -> str:
        """The finding in words."""
        if self.said < LEAST_SAID:
            return "says nothing"
        if self.promise.naive:
            return "must fail, and does" if self.departs else "MUST FAIL, AND DOES NOT"
        return "DEPARTS" if self.departs else "holds"


def missed(found: Interval | Measured, truth: float) -> float:
    """1 where an interval misses the truth, 0 where it holds it, NaN where there is none."""
    low, high, *_ = found.interval if isinstance(found, Measured) else found
    if low is None or high is None:
        return nan
    return float(not low <= truth <= high)


def alarmed(p: float | None, level: float = 0.05) -> float:
    """1 where a test at a level cries wolf, NaN where it was not held."""
    return nan if p is None or np.isnan(p) else float(p <= level)
