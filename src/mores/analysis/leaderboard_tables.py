"""The leaderboard as tables: a row a model on a benchmark, and a row a model.

The page's first screen and a terminal lay the same figures out in their own ways.
"""

from collections.abc import Iterator

from mores.analysis.leaderboard import Leaderboard, LeaderboardCell, LeaderboardColumn, LeaderboardRow
from mores.core.card import Metric
from mores.tables import AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables.columns import EVALUATION, MODEL

LEADERBOARD = Table(
    id="leaderboard",
    title="Leaderboard: models by benchmark",
    columns=(
        EVALUATION,
        Column(
            key="metric", title="Metric", kind="metric", says="the headline, or norms kept on the scale of a family"
        ),
        Column(
            key="figure", title="Figure", kind="estimate", main=True, says="the headline, or the figure on the scale"
        ),
        Column(key="guessing", title="Guessing", kind="share", says="what guessing gets of it, where that is known"),
        Column(key="rank", title="Rank", kind="count", says="by the headline among comparable models, 1 the best"),
        Column(key="rank_low", title="Best rank", kind="count", says="the first rank that it may have"),
        Column(key="rank_high", title="Last rank", kind="count", says="the last rank that it may have"),
        Column(key="ranked", title="Ranked", kind="count", says="comparable models"),
        Column(
            key="gain",
            title="Gain of the place",
            kind="contrast",
            ends=("with_place", "under_control"),
            says="the score with the place less the score without it",
        ),
        Column(key="unfinished", title="Unfinished", kind="flag", says="true where its run was cut short"),
        Column(key="own_judges", title="Judges itself", kind="names", says="judges that are the model itself"),
        Column(key="departures", title="Departures", kind="names", says="settings that depart from the protocol"),
    ),
)
MODELS = Table(
    id="leaderboard_models",
    title="Models of the leaderboard",
    columns=(
        MODEL,
        Column(key="simulated", title="Simulated", kind="flag", says="true where any of its answers were made up"),
        Column(key="baseline", title="Baseline", kind="flag", says="true of what needs no model, such as guessing"),
        Column(key="mean_rank", title="Mean rank", kind="number", says="the mean of its ranks"),
        Column(key="calls", title="Calls", kind="count", says="calls that were answered"),
        Column(key="input_tokens", title="Tokens in", kind="count", says="of the last sitting"),
        Column(key="output_tokens", title="Tokens out", kind="count", says="of the last sitting"),
        Column(key="cost", title="Cost, $", kind="number", says="US dollars of the last sitting, at most"),
        Column(key="seconds", title="Seconds", kind="number", says="of the last sitting"),
        Column(key="ended", title="Date", kind="text", says="when the last of it was written"),
        Column(key="runs", title="Runs", kind="names", says="folders of its runs"),
    ),
)


def analyse(board: Leaderboard) -> AnalysisResult:
    """All models on all benchmarks, each figure with its rank."""
    figures = FilledTable(table=LEADERBOARD, rows=tuple(row for each in board.rows for row in _figures(each, board)))
    models = FilledTable(table=MODELS, rows=tuple(map(_model, board.rows)))
    titles = {column.benchmark: column.title for column in board.columns}
    by_benchmark = View(
        title=LEADERBOARD.title,
        rows=figures.rows,
        shown=(Show(key="model"),),
        across="benchmark",
        cell="figure",
        heads=titles,
    )
    by_model = View(
        title=MODELS.title,
        rows=models.rows,
        shown=(
            Show(key="model"),
            Show(key="mean_rank", format="mean"),
            Show(key="calls"),
            Show(key="cost"),
            Show(key="ended"),
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
    gone = tuple(f"{each.setting} {each.used} (published: {each.published})" for each in cell.departures)
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
