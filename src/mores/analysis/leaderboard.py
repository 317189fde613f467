"""The front table of a report as values: rows are models, columns are benchmarks, each cell a figure with its rank.

results, and scales on which several benchmarks can be read side by side ─▶ columns, rows, and what each row took

A model that did other benchmarks in other runs has one row; one that did the same benchmark twice has a row for each.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from msgspec import Struct

from mores.analysis.answer_quality import Always
from mores.analysis.comparison import Compared
from mores.analysis.compatibility import Mismatch
from mores.analysis.controls import PlaceGain, gains
from mores.analysis.judge_errors import JudgedRows
from mores.analysis.rankings import NotRankable, Rankings, rankings
from mores.analysis.results import Result, Results
from mores.analysis.units import Subject, subjects_of
from mores.core.card import Departure, Metric
from mores.core.estimate import CommonScale, Estimate
from mores.tables import AnalysisResult, Column, Row, Show, Table, View, blocks_of
from mores.tables.columns import EVALUATION, MODEL

BASELINE = "baseline/"


class Rank(NamedTuple):
    """A model's rank on one benchmark among `models` comparable ones, 1 the best, and the ranks that it may have.

    `low` and `high` are None where nothing was tested. Intervals of one benchmark hold together with 95%.
    """

    value: int
    low: int | None
    high: int | None
    models: int


class UsageTotals(NamedTuple):
    """Usage of some results: calls that were answered, and tokens and cost of their last session.

    `cost` is in US dollars, at most; None where a price is not known. `seconds` are those of the last sessions, None
    where a run does not say; models of one run play side by side, their benchmarks one after another. `ended` is when
    the last one was written, as its run says.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    seconds: float | None
    ended: str

    @classmethod
    def of(cls, results: Sequence[Result]) -> "UsageTotals":
        """All of it together."""
        made = [result.provenance for result in results]
        usages = [usage for each in made for usage in each.models.values()]
        counts = {
            name: sum(usage.session.get(name, 0) for usage in usages)
            for name in ("asked", "from_journal", "reused", "input_tokens", "output_tokens")
        }
        costs = [usage.cost for usage in usages if usage.price is not None]
        return cls(
            calls=counts["asked"] + counts["from_journal"] + counts["reused"],
            input_tokens=counts["input_tokens"],
            output_tokens=counts["output_tokens"],
            cost=None if None in costs else sum(cost for cost in costs if cost is not None),
            seconds=_seconds(results),
            ended=max((each.written for each in made), default=""),
        )


class LeaderboardColumn(Struct, frozen=True, kw_only=True):
    """One benchmark: what its figures are of, the share that guessing gets of them, and their scale.

    `metric` describes the headline, None where no card does. Where `scale` is given, figures stand on it instead:
    they are shares of its whole, and guessing gets 0. `always` is the label that would get most by itself.
    """

    benchmark: str
    title: str
    headline: str
    metric: Metric | None
    chance: float | None
    scale: CommonScale | None = None
    always: Always | None = None


class LeaderboardCell(Struct, frozen=True, eq=False, kw_only=True):
    """One model on one benchmark; `figure` is None where it has none yet, `result` is what it comes from.

    `rank` is by the headline, also where the figure stands on another scale; None where nobody can be held against it.
    `gain` is what the place adds, where it was also asked without it.
    """

    result: Result
    figure: Estimate | None
    rank: Rank | None
    gain: PlaceGain | None = None

    @property
    def departures(self) -> tuple[Departure, ...]:
        """Departures of the run from the published protocol."""
        return self.result.provenance.departures


class LeaderboardRow(Struct, frozen=True, eq=False, kw_only=True, dict=True):
    """One model with a cell for each column, None where it was not asked."""

    label: str
    model: str
    cells: tuple[LeaderboardCell | None, ...]

    @property
    def results(self) -> tuple[Result, ...]:
        """Results that its figures come from."""
        return tuple(cell.result for cell in self.cells if cell is not None)

    @property
    def simulated(self) -> bool:
        """True where any of its figures rests on made-up answers."""
        return any(result.simulated for result in self.results)

    @property
    def baseline(self) -> bool:
        """True for what needs no model, such as guessing."""
        return self.model.startswith(BASELINE)

    @property
    def gained(self) -> bool:
        """True where any of it was also asked without its place."""
        return any(cell is not None and cell.gain is not None for cell in self.cells)

    @property
    def runs(self) -> tuple[Path, ...]:
        """The runs that it took part in."""
        return tuple(dict.fromkeys(result.run for result in self.results))

    @cached_property
    def effort(self) -> UsageTotals:
        """Calls, tokens, cost and time of its results."""
        return UsageTotals.of(self.results)

    @property
    def mean_rank(self) -> float | None:
        """The mean of its ranks; None where it has none."""
        ranks = [cell.rank.value for cell in self.cells if cell is not None and cell.rank is not None]
        return fmean(ranks) if ranks else None


class Leaderboard(Struct, frozen=True, eq=False, kw_only=True):
    """All models on all benchmarks of some runs; rows stand by their mean rank, where they have one.

    `not_compared` says which results of a benchmark could not be held against each other, and why.
    """

    columns: tuple[LeaderboardColumn, ...]
    rows: tuple[LeaderboardRow, ...]
    effort: UsageTotals
    not_compared: tuple[NotRankable | Mismatch, ...]

    @property
    def figures(self) -> tuple[Estimate, ...]:
        """All figures, row by row."""
        return tuple(cell.figure for row in self.rows for cell in row.cells if cell and cell.figure)

    @property
    def judged(self) -> tuple[JudgedRows, ...]:
        """The figures of each benchmark with their judges."""
        return tuple(
            JudgedRows(
                name=column.title if column.scale else column.benchmark,
                metric=None if column.scale else column.metric,
                figures=tuple(
                    (cell.figure, tuple(cell.result.judges.values()))
                    for row in self.rows
                    if (cell := row.cells[number]) is not None and cell.figure is not None
                ),
            )
            for number, column in enumerate(self.columns)
        )


def leaderboard(results: Results, scales: Sequence[CommonScale] = ()) -> Leaderboard:
    """The front table of some runs; benchmarks of a scale stand next to each other, where the first of them is."""
    found = rankings(results)
    ranks = {} if found is None else dict(_ranks(found))
    columns = _columns(results, scales)
    added = {gain.plain.folder: gain for gain in gains(results) if gain.control == "masked"}
    rows = [_row(own, columns, ranks, added) for own in subjects_of(results, lambda each: each.benchmark)]
    # models without any rank stand last
    last = float("inf")
    return Leaderboard(
        columns=columns,
        rows=tuple(sorted(rows, key=lambda row: last if row.mean_rank is None else row.mean_rank)),
        effort=UsageTotals.of(results.every),
        not_compared=() if found is None else found.not_compared,
    )


def _columns(results: Results, scales: Sequence[CommonScale]) -> tuple[LeaderboardColumn, ...]:
    of_scale = {name: scale for scale in scales for name in scale.titles}
    order = dict[str, None]()
    for name in results.benchmarks:
        # all of a family stand together, in the order of its scale, where the first of them was run
        order |= dict.fromkeys(of_scale[name].titles if name in of_scale else (name,))
    return tuple(_column(results.on(name)[0], of_scale.get(name)) for name in order)


def _column(first: Result, scale: CommonScale | None) -> LeaderboardColumn:
    title = first.card.title if first.card else first.benchmark
    return LeaderboardColumn(
        benchmark=first.benchmark,
        title=title if scale is None else scale.titles[first.benchmark],
        headline=first.headline,
        metric=first.described,
        chance=first.chance,
        scale=scale,
        always=None if first.partial or first.chance is None else first.quality.always,
    )


def _row(
    own: Subject,
    columns: Sequence[LeaderboardColumn],
    ranks: dict[tuple[str, str], Rank],
    added: Mapping[Path, PlaceGain],
) -> LeaderboardRow:
    cells = (_cell(own.evaluations.get(column.benchmark), column, ranks, added) for column in columns)
    model = next(iter(own.evaluations.values())).model
    return LeaderboardRow(label=own.name, model=model, cells=tuple(cells))


def _cell(
    result: Result | None,
    column: LeaderboardColumn,
    ranks: dict[tuple[str, str], Rank],
    added: Mapping[Path, PlaceGain],
) -> LeaderboardCell | None:
    if result is None:
        return None
    figure = result.overall() if column.scale is None else column.scale.figures.get(result.folder)
    figure = None if figure is None else result.marked(figure)
    rank, gain = ranks.get((result.benchmark, result.label)), added.get(result.folder)
    return LeaderboardCell(result=result, figure=figure, rank=rank, gain=gain)


def _ranks(found: Rankings) -> Iterator[tuple[tuple[str, str], Rank]]:
    """The rank of each model by benchmark and label."""
    for ranked in found.ranked:
        models = len(ranked.standings)
        for each in ranked.standings:
            yield (ranked.benchmark, each.label), Rank(each.rank, each.low, each.high, models)
    for pair in found.pairs:
        yield from _ranks_of_two(pair)


def _ranks_of_two(pair: Compared) -> Iterator[tuple[tuple[str, str], Rank]]:
    """First and second, either of which may be the other's where no difference is found."""
    if pair.whole.difference is None:
        return
    first, second = (pair.b, pair.a) if pair.b_is_better else (pair.a, pair.b)
    for label, value in ((first.label, 1), (second.label, 2 if pair.whole.difference else 1)):
        # a difference that is not found leaves both ranks open to both
        low, high = (None, None) if pair.whole.p is None else (value, value) if pair.found else (1, 2)
        yield (pair.benchmark, label), Rank(value, low, high, 2)


def _seconds(results: Sequence[Result]) -> float | None:
    """Seconds that the sessions of all runs took."""
    took = [(each.run, each.model, each.provenance.took.get("seconds")) for each in results]
    of_models = defaultdict[tuple[Path, str], float](float)
    for run, model, seconds in took:
        if seconds is None:
            return None
        of_models[run, model] += seconds
    # models of one run play side by side, so that its slowest one counts
    return sum(max(s for (of, _), s in of_models.items() if of == run) for run in {run for run, *_ in took})


LEADERBOARD = Table.of(
    "leaderboard",
    "Leaderboard: models by benchmark",
    EVALUATION,
    Column("metric", "metric", "the headline, or norms kept on the scale of a family"),
    Column("figure", "estimate", "the headline, or the figure on the scale", main=True),
    Column("guessing", "share", "what guessing gets of it, where that is known"),
    Column("rank", "count", "by the headline among comparable models, 1 the best"),
    Column("rank_low", "count", "the first rank that it may have", title="Best rank"),
    Column("rank_high", "count", "the last rank that it may have", title="Last rank"),
    Column("ranked", "count", "comparable models"),
    Column(
        "gain",
        "contrast",
        "the score with the place less the score without it",
        title="Effect of the place",
        ends=("with_place", "under_control"),
    ),
    Column("unfinished", "flag", "true where its run was cut short"),
    Column("own_judges", "names", "judges that are the model itself", title="Judges itself"),
    Column("departures", "names", "settings that deviate from the protocol"),
)
MODELS = Table.of(
    "leaderboard_models",
    "Models of the leaderboard",
    MODEL,
    Column("simulated", "flag", "true where any of its answers were simulated"),
    Column("baseline", "flag", "true of what needs no model, such as guessing"),
    Column("mean_rank", "number", "the mean of its ranks"),
    Column("calls", "count", "calls that were answered"),
    Column("input_tokens", "count", "of the last session", title="Tokens in"),
    Column("output_tokens", "count", "of the last session", title="Tokens out"),
    Column("cost", "number", "US dollars of the last session, at most", title="Cost, $"),
    Column("seconds", "number", "of the last session"),
    Column("ended", "text", "when the last of it was written", title="Date"),
    Column("runs", "names", "folders of its runs"),
)


def analyse(board: Leaderboard) -> AnalysisResult:
    """All models on all benchmarks, each figure with its rank."""
    figures = LEADERBOARD.filled(row for each in board.rows for row in _figures(each, board))
    models = MODELS.filled(map(_model, board.rows))
    titles = {column.benchmark: column.title for column in board.columns}
    by_benchmark = View(
        title=LEADERBOARD.title,
        rows=figures.rows,
        shown=("model",),
        across="benchmark",
        cell="figure",
        heads=titles,
    )
    by_model = View(
        title=MODELS.title,
        rows=models.rows,
        shown=(
            "model",
            Show("mean_rank", format="mean"),
            "calls",
            "cost",
            "ended",
        ),
    )
    blocks = (*blocks_of(figures, by_benchmark), *blocks_of(models, by_model))
    return AnalysisResult(tables=(figures, models), blocks=blocks)


def _figures(row: LeaderboardRow, board: Leaderboard) -> Iterator[Row]:
    for cell, column in zip(row.cells, board.columns, strict=True):
        if cell is not None:
            yield _figure(cell, column)


def _figure(cell: LeaderboardCell, column: LeaderboardColumn) -> Row:
    rank, gain = cell.rank, cell.gain
    ranks = (None,) * 4 if rank is None else (rank.value, rank.low, rank.high, rank.models)
    gone = tuple(f"{each.setting} {each.plain}" for each in cell.departures)
    added = None if gain is None else gain.whole
    about = (cell.result.partial, cell.result.own_judges, gone)
    return (
        cell.result,
        _metric(cell, column),
        cell.figure,
        0.0 if column.scale else column.chance,
        *ranks,
        added,
        *about,
    )


def _metric(cell: LeaderboardCell, column: LeaderboardColumn) -> Metric:
    """The metric of the figure; on a scale that is a share of all of it."""
    if column.scale is None and column.metric is not None:
        return column.metric
    name = column.headline if column.scale is None or cell.figure is None else cell.figure.metric
    return Metric(name=name, unit="unit", says="" if column.scale is None else column.scale.says)


def _model(row: LeaderboardRow) -> Row:
    effort = row.effort
    took = (effort.calls, effort.input_tokens, effort.output_tokens, effort.cost, effort.seconds, effort.ended)
    runs = tuple(str(run) for run in row.runs)
    return (row.label, row.simulated, row.baseline, row.mean_rank, *took, runs)
