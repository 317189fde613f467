"""Promises of figures, experiments that put them to the test, and the rule by which an experiment ends.

truths planted by an `Experiment` ─▶ for each draw and promise, 1 where it was broken and 0 where it was kept ─▶
`PromiseResult`, beside what is nominal. A naive rule stands in each family that must break its promise, so that the
check itself can fail.

figures of the draws so far ─▶ `departs`: yes, no, or draw on. Two claims are weighed: the promise is kept, or it is
`DEPARTURE` (two points) worse. A row ends as soon as one is likely enough (Wald's sequential probability ratio),
so that clear rows take few draws and doubtful ones many. Exact binomial tails decide where the ratio does not.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import floor, log, nan, sqrt
from typing import Concatenate, Literal, NamedTuple, ParamSpec, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from scipy.stats import binom, norm

from mores.core.arrays import Floats
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.stats.cluster_sums import MeasuredFigure
from mores.stats.intervals import Interval
from mores.stats.items import Alpha
from mores.stats.paired import Paired
from mores.stats.reliability import Reliability

Settings = ParamSpec("Settings")
PromiseKind: TypeAlias = Literal["interval", "certificate", "test", "mean"]
APPROXIMATE = 0.005
"""Shortfall of an interval that is tolerated, as most are approximations: 94.5 of 100 are 95."""
LEAST_CLAIMED = 0.5
"""Share of draws in which something has to be claimed: what says nothing breaks no promise either."""


class Promise(Struct, frozen=True, kw_only=True):
    """One row of the table.

    `nominal` is the share of draws in which the promise may be broken: a 95 % interval misses in .05, a certificate
    at delta .05 is wrong in .05, a test at level .05 cries wolf in .05. Of a "mean" it is the mean that is promised,
    such as a share of false claims. A `naive` rule promises the same and must not keep it. Where the honest answer may
    be none, as so little is known, the row `may_refuse`.
    """

    name: str
    kind: PromiseKind
    nominal: float = 0.05
    naive: bool = False
    may_refuse: bool = False

    @property
    def shown(self) -> float:
        """Nominal value as people say it: coverage for an interval."""
        return 1 - self.nominal if self.kind == "interval" else self.nominal

    @property
    def tolerated(self) -> float:
        """Share of draws in which the promise may be broken and is still kept."""
        return self.nominal + (APPROXIMATE if self.kind == "interval" else 0.0)


def interval(name: str, *, naive: bool = False, may_refuse: bool = False) -> Promise:
    """The promise of a 95 % interval."""
    return Promise(name=name, kind="interval", naive=naive, may_refuse=may_refuse and not naive)


def certificate(name: str, *, naive: bool = False) -> Promise:
    """The promise of a certificate at delta .05."""
    return Promise(name=name, kind="certificate", naive=naive)


def alarm(name: str, *, level: float = 0.05, naive: bool = False) -> Promise:
    """The promise of a test at a level."""
    return Promise(name=name, kind="test", nominal=level, naive=naive)


def mean_of(name: str, nominal: float, *, naive: bool = False) -> Promise:
    """The promise of a mean that is at most nominal."""
    return Promise(name=name, kind="mean", nominal=nominal, naive=naive)


class Experiment(Struct, frozen=True, kw_only=True):
    """One planted truth and the promises that it puts to the test.

    `draw` makes a data set with the truth planted and gives one figure a promise, in their order: 1 broken, 0 kept,
    NaN where nothing was claimed; of a "mean" the figure itself. `draws` says how many suit its cost in the short form.
    """

    name: str
    family: str
    promises: tuple[Promise, ...]
    draws: int
    draw: Callable[[Seed], Sequence[float]]

    def drawn(self, numbers: range, seed: Seed) -> Floats:
        """Figures of some draws, shape (draws, promises); a draw's seed depends on its number alone."""
        rng_seed = seed.child(self.name)
        rows = [self.draw(rng_seed.child(number)) for number in numbers]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(self.promises))


ExperimentRows: TypeAlias = Callable[Concatenate[str, int, Settings], Experiment]


def promising(
    family: str, *promises: Promise, careless: Sequence[Promise] = (), named: str = "{}"
) -> Callable[[Callable[Concatenate[Seed, Settings], Sequence[float]]], ExperimentRows[Settings]]:
    """Turn what draws one figure a promise into what makes experiments: of a name, a number of draws and settings.

    "{}" stands for the name, in those of promises and of the experiment. One with `naive` among its settings goes about
    it carelessly, and must break the careless promises.
    """

    def rows(draw: Callable[Concatenate[Seed, Settings], Sequence[float]]) -> ExperimentRows[Settings]:
        def row(name: str, draws: int, /, *given: Settings.args, **settings: Settings.kwargs) -> Experiment:
            # with naive settings an experiment draws figures for the careless promises, which may be fewer
            own = careless if careless and settings.get("naive") else promises
            return Experiment(
                name=named.format(name),
                family=family,
                promises=tuple(replace(each, name=each.name.format(name)) for each in own),
                draws=draws,
                draw=lambda seed: draw(seed, *given, **settings),
            )

        return row

    return rows


def one_promise(
    family: str, promise: Callable[..., Promise] = interval
) -> Callable[[Callable[Concatenate[Seed, Settings], float]], ExperimentRows[Settings]]:
    """The same of what draws one figure."""
    rows = promising(family, promise("{}"), careless=(promise("{}", naive=True),))

    def row(draw: Callable[Concatenate[Seed, Settings], float]) -> ExperimentRows[Settings]:
        def figures(seed: Seed, /, *given: Settings.args, **settings: Settings.kwargs) -> Sequence[float]:
            return (draw(seed, *given, **settings),)

        return rows(figures)

    return row


def missed(found: Interval | MeasuredFigure | Paired | Estimate | Reliability | Alpha, truth: float) -> float:
    """1 where an interval misses the truth, 0 where it holds it, NaN where there is none."""
    ends = found.interval if isinstance(found, MeasuredFigure) else found
    if ends.low is None or ends.high is None:
        return nan
    return float(not ends.low <= truth <= ends.high)


def alarmed(p: float | None, level: float = 0.05) -> float:
    """1 where a test at a level cries wolf, NaN where it was not held."""
    return nan if p is None or np.isnan(p) else float(p <= level)


DEPARTURE = 0.02
"""Departure that has to be noticed: 93 of 100 where 95 are promised."""
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


class StoppingRule(Struct, frozen=True, kw_only=True):
    """Length of a row: it is drawn from `enough` draws on for as long as it is in doubt, and never beyond `most`.

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
    least_claimed = 1.0 if promise.kind == "certificate" else LEAST_CLAIMED if promise.may_refuse else MOSTLY
    return _long(promise.tolerated, promise.nominal + DEPARTURE, _false(promise) / PARTS, least_claimed)


@cache
def _long(null: float, bad: float, part: float, claimed: float) -> StoppingRule:
    # the fewest draws with the wanted power, tried step by step
    forms = (StoppingRule(enough=most, most=most, least=LEAST) for most in range(LEAST, 100 * STEP, STEP))
    return next(form for form in forms if _power(null, bad, _Looks.of(form, claimed), part) >= WELL)


def counted(promise: Promise, figures: Floats) -> Floats:
    """The figures that count: intervals and tests where they were given; a certificate refused is not broken."""
    given = np.isfinite(figures)
    return figures[given] if promise.kind in {"interval", "test"} else np.where(given, figures, 0.0)


def departs(promise: Promise, figures: Floats, form: StoppingRule) -> bool | None:
    """True if a promise departs; None where its draws so far leave that open.

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


def _at(promise: Promise, figures: Floats, form: StoppingRule) -> bool | None:
    kept = counted(promise, figures)
    ratio = _ratio(promise, kept)
    part = _false(promise) / PARTS
    if ratio >= log(1 / part):
        return True
    # the tail is looked at twice only, as each look takes its part of the chance of error
    if figures.size in {form.enough, form.most} and _chance(promise, kept) <= part:
        return True
    silent = np.isfinite(figures).mean() < LEAST_CLAIMED and figures.size >= min(form.enough, SILENT)
    over = figures.size == form.most or silent
    kept_well = figures.size >= form.least and ratio <= log(DOUBT if figures.size >= form.enough else OVERLOOKED)
    return False if over or kept_well else None


def _false(promise: Promise) -> float:
    return FALSE_OF_NAIVE if promise.naive else FALSE


def _ratio(promise: Promise, kept: Floats) -> float:
    """Log of how much likelier the departure is than the promise."""
    if promise.kind == "mean":
        # normal with the variance that was seen: the log of the ratio of two means DEPARTURE apart
        beyond = float(kept.sum()) - kept.size * (promise.nominal + DEPARTURE / 2)
        return DEPARTURE * beyond / max(float(kept.var()), 1e-9)
    win, lose = _worth(promise.tolerated, promise.nominal + DEPARTURE)
    broken = float(kept.sum())
    return broken * win + (kept.size - broken) * lose


def _worth(null: float, bad: float) -> tuple[float, float]:
    """Terms that a broken and a kept promise add to the log of the ratio."""
    return log(bad / null), log((1 - bad) / (1 - null))


def _chance(promise: Promise, kept: Floats) -> float:
    """Chance that a promise that is just kept is found broken as often or oftener."""
    if kept.size == 0:
        return 1.0
    if promise.kind == "mean":
        error = max(float(kept.std()), 1e-9) / sqrt(kept.size)
        return float(norm.sf((kept.mean() - promise.nominal) / error))
    return float(binom.sf(kept.sum() - 1, kept.size, promise.tolerated))


def power(promise: Promise, form: StoppingRule, *, claimed: float, spread: float) -> float:
    """Chance that a row departs whose promise is broken by `DEPARTURE` more often than is nominal.

    Exact for counts: the distribution of what is broken is carried from look to look. A mean is taken as normal.

    Args:
        promise: What is promised.
        form: How long the row is drawn.
        claimed: Share of draws in which anything is claimed; the others do not count.
        spread: Standard deviation of the figures of a mean.
    """
    if promise.kind == "mean":
        return _power_of_mean(form, max(spread, 1e-9), _false(promise) / PARTS)
    share = claimed if promise.kind in {"interval", "test"} else 1.0
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
        # rows that are still open, by how often they were broken, with what the next draws may add
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
