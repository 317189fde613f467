"""When a row has been drawn often enough, and whether its promise departs: a sequential test, and its power.

figures of the draws so far ─▶ `departs`: yes, no, or draw on. Two claims are weighed: the promise is kept, or it is
`DEPARTURE` (two points) worse. A row ends as soon as one is likely enough (Wald's sequential probability ratio),
so that clear rows take few draws and doubtful ones many. Exact binomial tails decide where the ratio does not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import floor, log, sqrt
from typing import NamedTuple

import numpy as np
from scipy.stats import binom, norm

from mores.stats.checks import FloatArray
from mores.validity.promises import LEAST_SAID, Promise

DEPARTURE = 0.02
"""What has to be noticed: 93 of 100 where 95 are promised."""
FALSE = 1 / 6000
"""Chance that a row departs though it keeps its promise: one in twenty for three hundred rows together."""
FALSE_OF_NAIVE = 0.01
"""The same of a naive rule, which has to depart: chance that one that keeps its promise is said not to."""
PARTS = 3
"""These chances are dealt out evenly to the ratio at all looks, the tail at `enough` and the tail at `most`."""
OVERLOOKED = 0.1
"""Chance, at most, that a row with the departure ends early as kept."""
DOUBT = 1.5
"""From `enough` draws on a row is drawn on only while the departure is so much likelier than the promise."""
LOOK = 100
WELL = 0.8
"""Power that every row has in the long form."""
LEAST, MOST, STEP = 1000, 6000, 500
"""Draws of a row in the long form: at least, of a mean at most, and the steps in which more are tried."""
MOSTLY = 0.9
"""Share of draws that claim something, at least, of a row that is not expected to refuse."""
SILENT = 500
"""Draws after which a row that hardly ever claims anything is drawn no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppingRule:
    """How long a row is drawn: from `enough` draws on for as long as it is in doubt, and never beyond `most`.

    Before that it ends where it is clear; as kept only from `least` draws on, so that its figure is known well.
    """

    enough: int
    most: int
    least: int = 1

    def looks(self, draws: int) -> Iterator[int]:
        """Numbers of draws, up to so many, at which a row may end."""
        marks = {*range(LOOK, self.most, LOOK), self.enough, self.most}
        return (mark for mark in sorted(marks) if mark <= draws)

    def next_look(self, draws: int) -> int:
        """The first look after so many draws."""
        return next(mark for mark in self.looks(self.most) if mark > draws)


def long_form(promise: Promise) -> StoppingRule:
    """The form in which a row notices the departure with a chance of `WELL`, also where some draws claim nothing.

    The spread of a mean is not known yet, so that it has `MOST` draws.
    """
    if promise.kind == "mean":
        return StoppingRule(enough=MOST, most=MOST, least=LEAST)
    least_said = 1.0 if promise.kind == "certificate" else LEAST_SAID if promise.may_refuse else MOSTLY
    return _long(promise.tolerated, promise.nominal + DEPARTURE, _false(promise) / PARTS, least_said)


@cache
def _long(null: float, bad: float, part: float, said: float) -> StoppingRule:
    forms = (StoppingRule(enough=most, most=most, least=LEAST) for most in range(LEAST, 100 * STEP, STEP))
    return next(form for form in forms if _power(null, bad, _Looks.of(form, said), part) >= WELL)


def counted(promise: Promise, figures: FloatArray) -> FloatArray:
    """The figures that count: intervals and tests where they were given; a certificate refused is not broken."""
    given = np.isfinite(figures)
    return figures[given] if promise.kind in {"interval", "test"} else np.where(given, figures, 0.0)


def departs(promise: Promise, figures: FloatArray, form: StoppingRule) -> bool | None:
    """Whether a promise departs; None where its draws so far leave that open.

    The first look that decides does so for good.

    Args:
        promise: What is promised.
        figures: One for each draw, in their order: 1 broken, 0 kept, NaN nothing claimed; of a "mean" the figure.
        form: How long the row is drawn.
    """
    for mark in form.looks(figures.size):
        found = _at(promise, figures[:mark], form)
        if found is not None:
            return found
    return None


def _at(promise: Promise, figures: FloatArray, form: StoppingRule) -> bool | None:
    kept = counted(promise, figures)
    ratio = _ratio(promise, kept)
    part = _false(promise) / PARTS
    if ratio >= log(1 / part):
        return True
    if figures.size in {form.enough, form.most} and _chance(promise, kept) <= part:
        return True
    silent = np.isfinite(figures).mean() < LEAST_SAID and figures.size >= min(form.enough, SILENT)
    over = figures.size == form.most or silent
    kept_well = figures.size >= form.least and ratio <= log(DOUBT if figures.size >= form.enough else OVERLOOKED)
    return False if over or kept_well else None


def _false(promise: Promise) -> float:
    return FALSE_OF_NAIVE if promise.naive else FALSE


def _ratio(promise: Promise, kept: FloatArray) -> float:
    """Log of how much likelier the departure is than the promise."""
    if promise.kind == "mean":
        beyond = float(kept.sum()) - kept.size * (promise.nominal + DEPARTURE / 2)
        return DEPARTURE * beyond / max(float(kept.var()), 1e-9)
    win, lose = _worth(promise.tolerated, promise.nominal + DEPARTURE)
    broken = float(kept.sum())
    return broken * win + (kept.size - broken) * lose


def _worth(null: float, bad: float) -> tuple[float, float]:
    """What a broken and a kept promise add to the log of the ratio."""
    return log(bad / null), log((1 - bad) / (1 - null))


def _chance(promise: Promise, kept: FloatArray) -> float:
    """Chance that a promise that is just kept is found broken as often or oftener."""
    if kept.size == 0:
        return 1.0
    if promise.kind == "mean":
        error = max(float(kept.std()), 1e-9) / sqrt(kept.size)
        return float(norm.sf((kept.mean() - promise.nominal) / error))
    return float(binom.sf(kept.sum() - 1, kept.size, promise.tolerated))


def power(promise: Promise, form: StoppingRule, *, said: float, spread: float) -> float:
    """Chance that a row departs whose promise is broken by `DEPARTURE` more often than is nominal.

    Exact for counts: the distribution of what is broken is carried from look to look. A mean is taken as normal.

    Args:
        promise: What is promised.
        form: How long the row is drawn.
        said: Share of draws in which anything is claimed; the others do not count.
        spread: Standard deviation of the figures of a mean.
    """
    if promise.kind == "mean":
        return _power_of_mean(form, max(spread, 1e-9), _false(promise) / PARTS)
    share = said if promise.kind in {"interval", "test"} else 1.0
    part = _false(promise) / PARTS
    looks = _Looks.of(form, share)
    return _power(promise.tolerated, promise.nominal + DEPARTURE, looks, part) if share else 0.0


class _Looks(NamedTuple):
    """A form in draws that count."""

    counts: tuple[int, ...]
    enough: int
    least: int

    @classmethod
    def of(cls, form: StoppingRule, share: float = 1.0) -> "_Looks":
        counts = tuple(floor(mark * share) for mark in form.looks(form.most))
        return cls(counts, floor(form.enough * share), floor(form.least * share))


def _power_of_mean(form: StoppingRule, spread: float, part: float) -> float:
    """The departure is in doubt at `enough` and found at `most`, the two going together."""
    doubted = norm.cdf(DEPARTURE / 2 * sqrt(form.enough) / spread)
    found = norm.cdf(DEPARTURE * sqrt(form.most) / spread - norm.isf(part))
    return float(min(doubted if form.enough < form.most else 1.0, found))


@cache
def _power(null: float, bad: float, looks: _Looks, part: float) -> float:
    """Power of a row that is looked at after so many counted draws."""
    win, lose = _worth(null, bad)
    open_still, before, found = np.ones(1), 0, 0.0
    for count in looks.counts:
        step = count - before
        open_still = np.convolve(open_still, binom.pmf(np.arange(step + 1), step, bad))
        before = count
        broken = np.arange(open_still.size)
        ratio = broken * win + (count - broken) * lose
        caught = ratio >= log(1 / part)
        if count in {looks.enough, looks.counts[-1]}:
            caught |= binom.sf(broken - 1, count, null) <= part
        found += float(open_still[caught].sum())
        kept = (ratio <= log(DOUBT if count >= looks.enough else OVERLOOKED)) & (count >= looks.least)
        open_still = np.where(caught | kept, 0.0, open_still)
    return found
