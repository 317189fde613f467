"""Days in town as tables: figures of models, the front, groups, readings of adherence, effects of settings."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from mores.analysis.compatibility import Mismatch, describe_mismatch
from mores.analysis.contrast import Contrast
from mores.analysis.results import Result, Results
from mores.benchmarks.liveculture.results.groups import (
    NATIONALITY,
    NormsInPlay,
    TownGroupTable,
    norms_in_play,
    spots_of,
    tables_of,
    trends_of,
)
from mores.benchmarks.liveculture.results.town_runs import (
    ADHERENCE,
    GOAL,
    FrontPoint,
    ParetoFront,
    SettingContrast,
    SettingSeries,
    TownRun,
    changes_of,
    describe_conditions,
    figure_of,
    front_of,
    mismatches,
    rivals_of,
    series_of,
)
from mores.core.card import Metric
from mores.tables import Column, Row, Table
from mores.tables.columns import SIMULATED, SUBJECT


class ModelPlot(Struct, frozen=True, kw_only=True):
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


class TownResults(Struct, frozen=True, kw_only=True):
    """All that the runs say of days in town; `mismatches` says why models are not held against each other."""

    runs: tuple[TownRun, ...]
    fronts: tuple[ParetoFront, ...]
    singles: tuple[ModelPlot, ...]
    tables: tuple[TownGroupTable, ...]
    series: tuple[SettingSeries, ...]
    changes: tuple[SettingContrast, ...]
    trends: tuple[tuple[Result, Contrast], ...] = ()
    in_play: tuple[NormsInPlay, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()

    @property
    def evaluations(self) -> tuple[Result, ...]:
        """One model in one run each."""
        return tuple(each.evaluation for each in self.runs)

    @property
    def simulated(self) -> bool:
        """True where any day was made up."""
        return any(evaluation.simulated for evaluation in self.evaluations)

    @property
    def rejudged(self) -> tuple[Result, ...]:
        """Those whose days were judged again."""
        return tuple(each.evaluation for each in self.runs if each.rejudged)

    @property
    def significant(self) -> int:
        """Changes that are significant after correction."""
        return sum(change.contrast.found for change in self.changes)


def town(results: Results) -> TownResults:
    """Results of evaluations of days in town.

    Raises:
        InputError: verdicts cannot be read.
    """
    runs = tuple(TownRun(evaluation=evaluation) for evaluation in results.evaluations)
    tables, series = tables_of(runs), series_of(runs)
    rivals = rivals_of(runs)
    return TownResults(
        runs=runs,
        fronts=tuple(front_of(group) for group in rivals),
        singles=_singles(runs, rivals, tables),
        tables=tables,
        series=series,
        changes=changes_of(series),
        trends=trends_of(results.evaluations),
        in_play=norms_in_play(results.evaluations),
        mismatches=mismatches(runs),
    )


def _singles(
    town_runs: Sequence[TownRun], rivals: Sequence[Sequence[TownRun]], tables: Sequence[TownGroupTable]
) -> tuple[ModelPlot, ...]:
    """A picture for each model that no other stands beside: of its runs, where it has several, else of its origins."""
    paired = {each.evaluation.label for group in rivals for each in group}
    alone = [each for each in town_runs if each.evaluation.label not in paired]
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
    # A run names a setting only where it departs: the published value stands for the others.
    departures = (gone for each in runs for gone in each.evaluation.provenance.departures if not gone.by_default)
    published = {gone.setting: gone.published for gone in departures}
    terms = [{**published, **each.unusual} for each in runs]
    differing = [name for name in sorted(published) if len({each[name] for each in terms}) > 1]
    names = [", ".join(f"{name} {each[name]}" for name in differing) for each in terms]
    points = tuple(
        (_spot(name or each.evaluation.label, each), str(number))
        for number, (name, each) in enumerate(zip(names, runs, strict=True), start=1)
    )
    every = tuple(each.evaluation for each in runs)
    return ModelPlot(evaluation=every[0], conditions="", of="runs", whole=None, points=points, runs=every)


def _of_origins(run: TownRun, table: TownGroupTable) -> ModelPlot:
    found = spots_of(run.evaluation, table)
    there = sum(bool(group.figures[table.evaluations.index(run.evaluation)]) for group in table.groups)
    return ModelPlot(
        evaluation=run.evaluation,
        conditions=describe_conditions([run]),
        of="nationalities",
        whole=_spot(run.evaluation.label, run),
        points=found,
        left_out=there - len(found),
    )


def _spot(name: str, run: TownRun) -> FrontPoint:
    return FrontPoint(name=name, goal=figure_of(run.evaluation, GOAL), adherence=figure_of(run.evaluation, ADHERENCE))


NAMES = {
    "goal": "Tasks done",
    "adherence_mean": "Norms not violated, of all of the place",
    "adherence_applicable": "Norms respected, of those that came up",
    "adherence_step": "Steps without a violation",
    "not_applicable": "Norms that did not apply",
    "on_time": "Done in time",
    "unreached": "Tasks never reached",
    "faithfulness": "Fits the profile",
    "context": "Fits the situation",
    "coherence": "Follows from before",
    "refused": "Impossible wishes",
    "format_error": "Unreadable steps",
    "refusal": "Declined steps",
    "steps": "Steps of a day",
}
"""What columns of metrics are headed; another metric of the card stands last, under its own name."""
METRIC = Column(key="metric", title="Share", kind="metric")
FIGURE = Column(key="figure", title="Figure", kind="estimate", main=True, says="mean over days")
DONE = Column(key="goal", title=NAMES["goal"], kind="estimate", says="share of the tasks of a day that are done")
KEPT = Column(
    key="adherence", title=NAMES["adherence_mean"], kind="estimate", says="share of norms that are not violated"
)
ADJUSTED = Column(
    key="adjusted", title="Adjusted", kind="estimate", says="with as many norms in play everywhere, where that is known"
)
BY = Column(key="by", title="Groups", kind="text", says="`nationality`, `cultures` or `location`")
GROUP = Column(key="group", title="Group", kind="text", says="its code or name; of cultures how many were met")
SETTING = Column(key="setting", title="Setting", kind="text", says="what alone differs between the runs")

TOWN = Table(
    id="town",
    title="Figures of days in town",
    columns=(
        SUBJECT,
        METRIC,
        FIGURE,
        Column(key="judged_again", title="Judged again", kind="flag", says="true where the days are of an earlier run"),
    ),
)
FRONTS = Table(
    id="town_fronts",
    title="Goal against adherence of several models",
    columns=(
        Column(key="front", title="Front", kind="count", says="models with one number lived the same days alike"),
        Column(key="conditions", title="Conditions", kind="text", says="what all of them were played under"),
        Column(key="point", title="Point", kind="text", says="its label in the picture"),
        SUBJECT,
        DONE,
        KEPT,
        Column(key="on_front", title="On the front", kind="flag", says="nothing where a figure is missing"),
        Column(key="dominated_by", title="Dominated by", kind="names", says="models as good in both, better in one"),
        Column(key="on_front_in_redraws", title="In redraws", kind="share",
               says="share of redraws of days it is on it"),
    ),
)  # fmt: skip
POINTS = Table(
    id="town_points",
    title="Goal against adherence of one model",
    columns=(
        SUBJECT,
        Column(key="of", title="Points", kind="text", says="`nationalities` or `runs`, where no model stands beside"),
        Column(key="conditions", title="Conditions", kind="text", says="what it was played under; of runs their names"),
        Column(key="point", title="Point", kind="text", says="its name; nothing of all days"),
        Column(key="label", title="Label", kind="text", says="its label in the picture"),
        DONE,
        KEPT,
        Column(key="left_out", title="Left out", kind="count", says="nationalities with too few days to be drawn"),
    ),
)
MISMATCHES = Table(
    id="town_apart",
    title="Models that are not held against each other",
    columns=(
        SUBJECT,
        Column(key="other", title="Other model", kind="model", says="one that it is not compared with"),
        Column(key="why", title="Why", kind="text", says="what differs besides"),
    ),
)
GROUPS = Table(
    id="town_groups",
    title="Figures of days in town by group",
    columns=(
        SUBJECT,
        BY,
        GROUP,
        METRIC,
        FIGURE,
        ADJUSTED,
        Column(key="few", title="Few days", kind="flag", says="true of groups in which no model has enough days"),
    ),
)
TRENDS = Table(
    id="town_trends",
    title="Trend over the number of cultures",
    columns=(
        SUBJECT,
        METRIC,
        Column(key="change", title="Change for one culture more", kind="contrast", main=True, says="slope over days"),
    ),
)
IN_PLAY = Table(
    id="town_in_play",
    title="Adherence adjusted for norms in play",
    columns=(
        SUBJECT,
        BY,
        METRIC,
        GROUP,
        Column(key="adherence", title="As it came out", kind="estimate", says="one of the readings of adherence"),
        ADJUSTED,
        Column(key="in_play", title="Norms in play", kind="number", says="norms in play there at a step, on average"),
        Column(key="at", title="Adjusted to", kind="number", says="norms in play, the same everywhere"),
    ),
)
FACTORS = Table(
    id="town_in_play_factors",
    title="How adherence falls with norms in play",
    columns=(
        SUBJECT,
        BY,
        METRIC,
        Column(key="factor", title="Factor", kind="estimate", main=True,
               says="what twice as many norms in play multiply the figure by"),
        Column(key="order", title="Order", kind="reliability",
               says="of the order of adjusted nationalities, of norms that came up"),
    ),
)  # fmt: skip
SETTINGS = Table(
    id="town_settings",
    title="Figures of days in town by setting",
    columns=(SUBJECT, SETTING, Column(key="value", title="Value", kind="text", says="its value"), METRIC, FIGURE),
)
CHANGES = Table(
    id="town_changes",
    title="Changes by setting",
    columns=(
        Column(key="model", title="Model", kind="model", says="the subject of both runs"),
        SIMULATED,
        SETTING,
        Column(key="before", title="From", kind="text", says="its first value"),
        Column(key="after", title="To", kind="text", says="its last value"),
        METRIC,
        Column(key="change", title="Change in points", kind="contrast", main=True, ends=("at_last", "at_first"),
               says="at the last value less at the first, day by day"),
    ),
)  # fmt: skip


def _town_rows(found: TownResults) -> Iterator[Row]:
    return ((each, *figure, each in found.rejudged) for each in found.evaluations for figure in _figures(each))


def _figures(evaluation: Result) -> Iterator[tuple[Metric, object]]:
    """All figures of an evaluation over all its days, each after its metric."""
    wholes = ((name, evaluation.overall(name)) for name in evaluation.metrics)
    return ((_metric(evaluation, name), figure) for name, figure in wholes if figure is not None)


def _metric(evaluation: Result, name: str) -> Metric:
    return evaluation.metric(name) or Metric(name=name, unit="episode", says="")


def _fronts(found: TownResults) -> Iterator[Row]:
    for number, front in enumerate(found.fronts, start=1):
        for label, (each, spot) in enumerate(zip(front.runs, front.spots, strict=True), start=1):
            place = (spot.on_front if spot.placed else None, spot.beaten_by, spot.sure)
            own = (number, front.conditions, str(label), each.evaluation)
            yield (*own, spot.goal, spot.adherence, *place)


def _points(found: TownResults) -> Iterator[Row]:
    for single in found.singles:
        own = (single.of, single.conditions)
        if (whole := single.whole) is not None:
            yield (single.evaluation, *own, None, None, whole.goal, whole.adherence, single.left_out)
        whose = single.runs or (single.evaluation,) * len(single.points)
        for evaluation, (spot, label) in zip(whose, single.points, strict=True):
            yield (evaluation, *own, spot.name, label, spot.goal, spot.adherence, single.left_out)


def _mismatch_rows(found: TownResults) -> Iterator[Row]:
    return ((each.a, each.b.label, describe_mismatch(each)) for each in found.mismatches)


def _groups(found: TownResults) -> Iterator[Row]:
    adjusted = {
        (id(each.evaluation), each.by, each.metric, group.group): group.adjusted
        for each in found.in_play
        for group in each.groups
    }
    for table in found.tables:
        for group in (*table.enough, *table.few):
            for evaluation, figures in zip(table.evaluations, group.figures, strict=True):
                for name, figure in figures.items():
                    own = (evaluation, table.kind, group.value, _metric(evaluation, name), figure)
                    after = adjusted.get((id(evaluation), table.kind, name, group.value))
                    yield (*own, after, not group.enough)


def _trends(found: TownResults) -> Iterator[Row]:
    return ((each, _metric(each, trend.metric), trend) for each, trend in found.trends)


def _in_play(found: TownResults) -> Iterator[Row]:
    for each in found.in_play:
        for group in each.groups:
            whose = (each.evaluation, each.by, _metric(each.evaluation, each.metric), group.group)
            yield (*whose, group.raw, group.adjusted, group.in_play, each.at)


def _factors(found: TownResults) -> Iterator[Row]:
    whose = ((each, _metric(each.evaluation, each.metric)) for each in found.in_play)
    return ((each.evaluation, each.by, metric, each.factor, each.order) for each, metric in whose)


def _settings(found: TownResults) -> Iterator[Row]:
    for series in found.series:
        for value, each in zip(series.values, series.runs, strict=True):
            yield from ((each.evaluation, series.setting, value, *figure) for figure in _figures(each.evaluation))


def _changes(found: TownResults) -> Iterator[Row]:
    for change in found.changes:
        series, values = change.series, change.series.values
        metric = _metric(series.evaluation, change.contrast.metric)
        who = (series.evaluation.model, series.evaluation.simulated)
        yield (*who, series.setting, values[0], values[-1], metric, change.contrast)


TABLES: tuple[tuple[Table, Callable[[TownResults], Iterator[Row]]], ...] = (
    (TOWN, _town_rows), (FRONTS, _fronts), (POINTS, _points), (MISMATCHES, _mismatch_rows), (GROUPS, _groups),
    (TRENDS, _trends), (IN_PLAY, _in_play), (FACTORS, _factors), (SETTINGS, _settings), (CHANGES, _changes),
)  # fmt: skip
"""Every table of the section, and the rows of it."""
