"""What the figures promise, and what is found when the truth is planted: the nouns of the instrument's own certificate.

truths planted by an `Experiment` ─▶ for each draw and promise, 1 where it was broken and 0 where it was kept ─▶
`findings.Found`, beside what is nominal. A naive rule stands in each family that must break its promise, so that the
check itself can fail.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Concatenate, Literal, ParamSpec, TypeAlias

import numpy as np

from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.stats.checks import FloatArray
from mores.stats.cluster_sums import MeasuredFigure
from mores.stats.intervals import Interval
from mores.stats.paired import Paired
from mores.stats.reliability import Reliability

Settings = ParamSpec("Settings")
PromiseKind: TypeAlias = Literal["interval", "certificate", "test", "mean"]
APPROXIMATE = 0.005
"""What an interval may lack, as most are approximations: 94.5 of 100 are 95."""
LEAST_SAID = 0.5
"""Share of draws in which something has to be claimed: what says nothing breaks no promise either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
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
        """What is nominal as people say it: coverage for an interval."""
        return 1 - self.nominal if self.kind == "interval" else self.nominal

    @property
    def tolerated(self) -> float:
        """How often the promise may be broken and is still kept."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One planted truth and the promises that it puts to the test.

    `draw` makes a data set with the truth planted and gives one figure a promise, in their order: 1 broken, 0 kept,
    NaN where nothing was claimed; of a "mean" the figure itself. `draws` says how many suit its cost in the short form.
    """

    name: str
    family: str
    promises: tuple[Promise, ...]
    draws: int
    draw: Callable[[Seed], Sequence[float]]

    def drawn(self, numbers: range, seed: Seed) -> FloatArray:
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


def missed(found: Interval | MeasuredFigure | Paired | Estimate | Reliability, truth: float) -> float:
    """1 where an interval misses the truth, 0 where it holds it, NaN where there is none."""
    ends = found.interval if isinstance(found, MeasuredFigure) else found
    if ends.low is None or ends.high is None:
        return nan
    return float(not ends.low <= truth <= ends.high)


def alarmed(p: float | None, level: float = 0.05) -> float:
    """1 where a test at a level cries wolf, NaN where it was not held."""
    return nan if p is None or np.isnan(p) else float(p <= level)
