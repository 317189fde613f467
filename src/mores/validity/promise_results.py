"""What the draws of a row found of its promise, and what that is called."""

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np
from scipy.stats import binom

from mores.stats.checks import FloatArray
from mores.validity.promises import LEAST_SAID, Promise
from mores.validity.stopping_rule import StoppingRule, counted, departs, power

WIDE, SURE = 0.03, 0.025
"""An interval is called conservative that misses in less than WIDE, and a little short one that misses in more than is
tolerated, unless luck would show that in SURE of rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseResult:
    """What many draws found of one promise.

    `broken` is the share of `draws` in which it was broken (the mean, for a "mean"), `spread` their standard deviation,
    `said` the share in which anything was claimed. `power` is the chance that this row would have been found to depart
    if its promise were broken by two points more often than is nominal.
    """

    promise: Promise
    family: str
    draws: int
    said: float
    broken: float
    spread: float
    departing: bool
    power: float

    @classmethod
    def of(
        cls, promise: Promise, family: str, figures: FloatArray, form: StoppingRule | None = None
    ) -> "PromiseResult":
        """What one column of figures comes to; without a form these draws are all there will be."""
        kept, said = counted(promise, figures), float(np.isfinite(figures).mean()) if figures.size else 0.0
        spread = float(kept.std()) if kept.size else nan
        drawn = form or StoppingRule(enough=figures.size, most=figures.size)
        return cls(
            promise=promise,
            family=family,
            draws=kept.size,
            said=said,
            broken=float(kept.mean()) if kept.size else nan,
            spread=spread,
            departing=bool(departs(promise, figures, drawn)),
            power=power(promise, drawn, said=said, spread=spread) if kept.size else 0.0,
        )

    @property
    def shown(self) -> float:
        """What was found as people say it: coverage for an interval."""
        return 1 - self.broken if self.promise.kind == "interval" else self.broken

    @property
    def error(self) -> float:
        """Monte-Carlo standard error: of a share that is exactly nominal, or of the mean."""
        if self.draws == 0:
            return nan
        spread = self.spread if self.promise.kind == "mean" else sqrt(self.promise.nominal * (1 - self.promise.nominal))
        return spread / sqrt(self.draws)

    @property
    def silent(self) -> bool:
        """True where hardly anything is ever claimed."""
        return self.said < LEAST_SAID

    @property
    def departs(self) -> bool:
        """True where the promise is broken beyond luck, or where nothing is claimed though something has to be."""
        return self.departing or (self.silent and not self.promise.may_refuse)

    @property
    def conservative(self) -> bool:
        """True of an interval that misses so seldom that it is wider than it has to be."""
        if self.promise.kind != "interval" or self.draws == 0:
            return False
        return bool(binom.cdf(round(self.broken * self.draws), self.draws, WIDE) <= SURE)

    @property
    def short(self) -> bool:
        """True of an interval that misses more than is tolerated, and less than the departure that is looked for."""
        if self.promise.kind != "interval" or self.draws == 0:
            return False
        misses = round(self.broken * self.draws)
        return bool(binom.sf(misses - 1, self.draws, self.promise.tolerated) <= SURE)

    @property
    def sound(self) -> bool:
        """True where all is as it should be: promises hold, and naive rules fail."""
        return self.departs == self.promise.naive

    @property
    def verdict(self) -> str:
        """The finding in words."""
        if self.silent and not self.departing:
            return "refuses" if self.promise.may_refuse else "says nothing"
        if self.promise.naive:
            return "must fail, and does" if self.departs else "MUST FAIL, AND DOES NOT"
        if self.departs:
            return "DEPARTS"
        if self.short:
            return "holds, a little short"
        return "holds, conservative" if self.conservative else "holds"
