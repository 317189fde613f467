"""What some runs say of days in town: the front, the readings of adherence, groups and what settings change."""

from collections.abc import Sequence
from dataclasses import dataclass

from mores.analysis.compatibility import Mismatch
from mores.analysis.contrast import Contrast
from mores.analysis.results import Result, Results
from mores.benchmarks.liveculture.results.groups import NATIONALITY, TownGroupTable, spots_of, tables_of
from mores.benchmarks.liveculture.results.norm_exposure import NormsInPlay, norms_in_play
from mores.benchmarks.liveculture.results.pareto import FrontPoint, ParetoFront, front_of
from mores.benchmarks.liveculture.results.settings import SettingContrast, SettingSeries, changes_of, series_of
from mores.benchmarks.liveculture.results.town_runs import (
    ADHERENCE,
    GOAL,
    TownRun,
    describe_conditions,
    figure_of,
    mismatches,
    rivals_of,
)
from mores.benchmarks.liveculture.results.trend import trends_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlot:
    """One model's own picture: it as a whole, and its nationalities or its runs as points.

    Each of `points` has a label, and of several `runs` is one; `left_out` are the nationalities with too few days.
    """

    evaluation: Result
    conditions: str
    of: str
    whole: FrontPoint | None
    points: tuple[tuple[FrontPoint, str], ...]
    runs: tuple[Result, ...] = ()
    left_out: int = 0


@dataclass(frozen=True, kw_only=True)
class TownResults:
    """All that the runs say of days in town; `apart` says why models are not held against each other."""

    lived: tuple[TownRun, ...]
    fronts: tuple[ParetoFront, ...]
    singles: tuple[ModelPlot, ...]
    tables: tuple[TownGroupTable, ...]
    series: tuple[SettingSeries, ...]
    changes: tuple[SettingContrast, ...]
    trends: tuple[tuple[Result, Contrast], ...] = ()
    in_play: tuple[NormsInPlay, ...] = ()
    apart: tuple[Mismatch, ...] = ()

    @property
    def evaluations(self) -> tuple[Result, ...]:
        """One model in one run each."""
        return tuple(each.evaluation for each in self.lived)

    @property
    def simulated(self) -> bool:
        """True where any day was made up."""
        return any(evaluation.simulated for evaluation in self.evaluations)

    @property
    def rejudged(self) -> tuple[Result, ...]:
        """Those whose days were judged again."""
        return tuple(each.evaluation for each in self.lived if each.rejudged)

    @property
    def significant(self) -> int:
        """Changes that are significant after correction."""
        return sum(change.contrast.found for change in self.changes)


def town(results: Results) -> TownResults:
    """What evaluations of days in town say.

    Raises:
        InputError: verdicts cannot be read.
    """
    lived = tuple(TownRun(evaluation=evaluation) for evaluation in results.evaluations)
    tables, series = tables_of(lived), series_of(lived)
    rivals = rivals_of(lived)
    return TownResults(
        lived=lived,
        fronts=tuple(front_of(group) for group in rivals),
        singles=_singles(lived, rivals, tables),
        tables=tables,
        series=series,
        changes=changes_of(series),
        trends=trends_of(results.evaluations),
        in_play=norms_in_play(results.evaluations),
        apart=mismatches(lived),
    )


def _singles(
    lived: Sequence[TownRun], rivals: Sequence[Sequence[TownRun]], tables: Sequence[TownGroupTable]
) -> tuple[ModelPlot, ...]:
    """A picture for each model that no other stands beside: of its runs, where it has several, else of its origins."""
    paired = {each.evaluation.label for group in rivals for each in group}
    alone = [each for each in lived if each.evaluation.label not in paired]
    by_nationality = next((table for table in tables if table.kind == NATIONALITY), None)
    found = []
    for model in dict.fromkeys(each.evaluation.model for each in alone):
        runs = [each for each in alone if each.evaluation.model == model]
        if len(runs) > 1:
            found.append(_of_runs(runs))
        elif by_nationality is not None:
            found.append(_of_origins(runs[0], by_nationality))
    return tuple(found)


def _of_runs(runs: Sequence[TownRun]) -> ModelPlot:
    """Runs of one model, each named by what tells it from the others: settings, or how it was judged."""
    published = {gone.setting: gone.published for each in runs for gone in each.evaluation.provenance.departures}
    terms = [{**published, **each.unusual} for each in runs]
    differing = [name for name in sorted(published) if len({each[name] for each in terms}) > 1]
    names = [", ".join(f"{name} {each[name]}" for name in differing) for each in terms]
    points = tuple(
        (_spot(name or each.evaluation.label, each), str(number))
        for number, (name, each) in enumerate(zip(names, runs, strict=True), start=1)
    )
    every = tuple(each.evaluation for each in runs)
    return ModelPlot(evaluation=every[0], conditions="", of="runs", whole=None, points=points, runs=every)


def _of_origins(lived: TownRun, table: TownGroupTable) -> ModelPlot:
    found = spots_of(lived.evaluation, table)
    there = sum(bool(group.figures[table.evaluations.index(lived.evaluation)]) for group in table.groups)
    return ModelPlot(
        evaluation=lived.evaluation,
        conditions=describe_conditions([lived]),
        of="nationalities",
        whole=_spot(lived.evaluation.label, lived),
        points=found,
        left_out=there - len(found),
    )


def _spot(name: str, lived: TownRun) -> FrontPoint:
    return FrontPoint(
        name=name, goal=figure_of(lived.evaluation, GOAL), adherence=figure_of(lived.evaluation, ADHERENCE)
    )
