"""Experiments in the order of the table, carried out over as many processes as there are cores, and their results.

Each experiment is drawn from look to look until all its rows have ended; what is found depends on seed and form alone.
The next draws of one go out while others are under way, so that no core waits.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from math import nan, sqrt
from multiprocessing import get_context
from time import perf_counter
from typing import NamedTuple

import numpy as np
from msgspec import Struct, field
from scipy.stats import binom

from mores.core.arrays import Floats
from mores.core.errors import UnknownName
from mores.core.seeds import Seed
from mores.validity import (
    agreement,
    certificates,
    contamination,
    corrections,
    families_of_models,
    figures,
    groups,
    hypotheses,
    ladder,
    looks,
    planning,
    runs,
    shared_norms,
    shares,
    short_forms,
    told,
    unequal_clusters,
    variance,
)
from mores.validity.promises import LEAST_CLAIMED, Experiment, Promise, StoppingRule, counted, departs, long_form, power

EXPERIMENTS: tuple[Experiment, ...] = (
    *shares.EXPERIMENTS,
    *shared_norms.EXPERIMENTS,
    *figures.EXPERIMENTS,
    *unequal_clusters.EXPERIMENTS,
    *hypotheses.RANKINGS,
    *figures.PLACES_TOGETHER,
    *agreement.EXPERIMENTS,
    *corrections.EXPERIMENTS,
    *certificates.EXPERIMENTS,
    *hypotheses.EXPERIMENTS,
    *groups.EXPERIMENTS,
    *unequal_clusters.UNEVEN,
    *ladder.EXPERIMENTS,
    *told.EXPERIMENTS,
    *planning.EXPERIMENTS,
    *variance.EXPERIMENTS,
    *contamination.EXPERIMENTS,
    *families_of_models.EXPERIMENTS,
    *looks.EXPERIMENTS,
    *short_forms.EXPERIMENTS,
    *runs.EXPERIMENTS,
)


def families(experiments: Iterable[Experiment] = EXPERIMENTS) -> tuple[str, ...]:
    """Names of the families in their order."""
    return tuple(dict.fromkeys(one.family for one in experiments))


def chosen(names: Sequence[str]) -> tuple[Experiment, ...]:
    """Experiments of the families, or with a row, whose name begins as one of these; all without a name.

    Raises:
        UnknownName: nothing begins so.
    """
    for name in names:
        if not any(_named(one, name) for one in EXPERIMENTS):
            known = (*families(), *(promise.name for one in EXPERIMENTS for promise in one.promises))
            raise UnknownName("family or row", name, known, todo=f"Families: {', '.join(families())}.")
    return tuple(one for one in EXPERIMENTS if not names or any(_named(one, name) for name in names))


def _named(experiment: Experiment, name: str) -> bool:
    known = (experiment.family, experiment.name, *(promise.name for promise in experiment.promises))
    return any(each.casefold().startswith(name.casefold()) for each in known)


WIDE, SURE = 0.03, 0.025
"""An interval is called conservative that misses in less than WIDE, and a little short one that misses in more than is
tolerated, unless luck would show that in SURE of rows."""


class PromiseResult(Struct, frozen=True, kw_only=True):
    """Result of many draws for one promise.

    `broken` is the share of `draws` in which it was broken (the mean, for a "mean"), `spread` their standard deviation,
    `claimed` the share in which anything was claimed. `power` is the chance that this row would have been found to
    depart if its promise were broken by two points more often than is nominal.
    """

    promise: Promise
    family: str
    draws: int
    claimed: float
    broken: float
    spread: float
    departing: bool
    power: float

    @classmethod
    def of(cls, promise: Promise, family: str, figures: Floats, form: StoppingRule | None = None) -> "PromiseResult":
        """Result of one column of figures; without a form these draws are all there will be."""
        kept, claimed = counted(promise, figures), float(np.isfinite(figures).mean()) if figures.size else 0.0
        spread = float(kept.std()) if kept.size else nan
        drawn = form or StoppingRule(enough=figures.size, most=figures.size)
        return cls(
            promise=promise,
            family=family,
            draws=kept.size,
            claimed=claimed,
            broken=float(kept.mean()) if kept.size else nan,
            spread=spread,
            departing=bool(departs(promise, figures, drawn)),
            power=power(promise, drawn, claimed=claimed, spread=spread) if kept.size else 0.0,
        )

    @property
    def shown(self) -> float:
        """Result as people say it: coverage for an interval."""
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
        return self.claimed < LEAST_CLAIMED

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


USUAL = 1000
"""Scale at which each experiment makes as many draws as suit its cost."""
MIN_CLUSTERS = 20
PIECE = 25
"""Draws that go to another process together."""
TYPICAL = 1200
"""Draws after which most rows have ended in the long form."""


class ExperimentProgress(NamedTuple):
    """Progress: rows' experiments that have ended, of how many, and the seconds that the rest may take."""

    ended: int
    of: int
    left: float


OnProgress = Callable[[ExperimentProgress], None]
StoppingRuleOf = Callable[[Experiment], StoppingRule]


def short(scale: float = 1.0) -> StoppingRuleOf:
    """The form for every day: as many draws as suit an experiment's cost, times a scale, and more where in doubt."""
    return lambda one: StoppingRule(enough=max(MIN_CLUSTERS, round(one.draws * scale)), most=long(one).most)


def long(one: Experiment) -> StoppingRule:
    """The form in which every row of an experiment would notice two points."""
    # one draw serves all promises of an experiment, so that the most demanding one decides
    return max((long_form(promise) for promise in one.promises), key=lambda form: form.most)


class _Piece(NamedTuple):
    """Some draws of one experiment, small enough to go to another process by name."""

    place: int
    numbers: range
    seed: Seed


class _Done(NamedTuple):
    piece: _Piece
    table: Floats
    seconds: float


class _Course(Struct, kw_only=True):
    """One experiment under way: what was drawn so far, and what of the next look is still out."""

    experiment: Experiment
    form: StoppingRule
    seed: Seed
    table: Floats
    pieces: dict[int, Floats] = field(default_factory=dict)
    awaited: int = 0
    seconds: float = 0.0
    ended: bool = False

    def next_pieces(self) -> list[_Piece]:
        """The draws up to the next look."""
        drawn = len(self.table)
        # by its place: an experiment holds a function, which cannot be sent to another process
        mark, place = self.form.next_look(drawn), EXPERIMENTS.index(self.experiment)
        starts = range(drawn, mark, PIECE)
        self.awaited = len(starts)
        return [_Piece(place, range(start, min(start + PIECE, mark)), self.seed) for start in starts]

    def take(self, done: _Done) -> bool:
        """Keep a piece; True where it was the last before the look."""
        self.pieces[done.piece.numbers.start] = done.table
        self.seconds += done.seconds
        if len(self.pieces) < self.awaited:
            return False
        # in the order of draws and not of arrival, so that what is found depends on the seed alone
        self.table = np.concatenate([self.table, *(self.pieces[start] for start in sorted(self.pieces))])
        self.pieces.clear()
        columns = zip(self.experiment.promises, self.table.T, strict=True)
        self.ended = all(departs(promise, column, self.form) is not None for promise, column in columns)
        return True

    @property
    def left(self) -> float:
        """Seconds of work that may be left, as most rows go; nothing is known of one that has not begun."""
        drawn = len(self.table)
        # most rows end long before the form allows
        expected = min(self.form.enough, TYPICAL) - drawn
        return max(expected, PIECE) * self.seconds / drawn if drawn else 0.0


def run_experiments(
    experiments: Sequence[Experiment],
    *,
    forms: StoppingRuleOf | None = None,
    seed: Seed,
    workers: int | None = None,
    on_progress: OnProgress = lambda _: None,
) -> Iterator[PromiseResult]:
    """Results of every promise, in the order of the experiments, once all of them are done.

    Args:
        experiments: Those of the registry to carry out.
        forms: How long each is drawn; by default the short form.
        seed: The root of all random draws.
        workers: Processes; by default one a core. One works in this process.
        on_progress: Is called with progress.
    """
    form = forms or short()
    courses = {
        EXPERIMENTS.index(one): _Course(
            experiment=one, form=form(one), seed=seed, table=np.empty((0, len(one.promises)))
        )
        for one in experiments
    }
    many = workers or os.cpu_count() or 1
    if many == 1:
        for course in courses.values():
            while not course.ended:
                for piece in course.next_pieces():
                    course.take(_work(piece))
            on_progress(_progress(courses, many))
    else:
        _in_processes(courses, many, on_progress)
    for course in courses.values():
        yield from found_of(course.experiment, course.table, course.form)


def found_of(experiment: Experiment, table: Floats, form: StoppingRule | None = None) -> Iterator[PromiseResult]:
    """Results of an experiment, promise by promise."""
    for column, promise in zip(table.T, experiment.promises, strict=True):
        yield PromiseResult.of(promise, experiment.family, column, form)


def _work(piece: _Piece) -> _Done:
    started = perf_counter()
    return _Done(piece, EXPERIMENTS[piece.place].drawn(piece.numbers, piece.seed), perf_counter() - started)


def _in_processes(courses: dict[int, _Course], workers: int, on_progress: OnProgress) -> None:
    """Experiments from the last on, as whole runs come last and take longest."""
    # Fresh processes: one that is forked beside threads may stand still.
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        first = [piece for course in reversed(courses.values()) for piece in course.next_pieces()]
        out: set[Future[_Done]] = {pool.submit(_work, piece) for piece in first}
        while out:
            done, out = wait(out, return_when=FIRST_COMPLETED)
            for future in done:
                course = courses[future.result().piece.place]
                if course.take(future.result()) and not course.ended:
                    out |= {pool.submit(_work, piece) for piece in course.next_pieces()}
            on_progress(_progress(courses, workers))


def _progress(courses: dict[int, _Course], workers: int) -> ExperimentProgress:
    still = [course for course in courses.values() if not course.ended]
    return ExperimentProgress(len(courses) - len(still), len(courses), sum(course.left for course in still) / workers)
