"""The leaderboard as tables: a row a model on a benchmark, and a row a model.

The page's first screen and a terminal lay the same figures out in their own ways.
"""

from collections.abc import Iterator

from mores.analysis.leaderboard import Leaderboard, LeaderboardCell, LeaderboardColumn, LeaderboardRow
from mores.core.card import Metric
from mores.tables import AnalysisResult, Column, Row, Show, Table, View, blocks_of
from mores.tables.columns import EVALUATION, MODEL

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
        title="Gain of the place",
        ends=("with_place", "under_control"),
    ),
    Column("unfinished", "flag", "true where its run was cut short"),
    Column("own_judges", "names", "judges that are the model itself", title="Judges itself"),
    Column("departures", "names", "settings that depart from the protocol"),
)
MODELS = Table.of(
    "leaderboard_models",
    "Models of the leaderboard",
    MODEL,
    Column("simulated", "flag", "true where any of its answers were made up"),
    Column("baseline", "flag", "true of what needs no model, such as guessing"),
    Column("mean_rank", "number", "the mean of its ranks"),
    Column("calls", "count", "calls that were answered"),
    Column("input_tokens", "count", "of the last sitting", title="Tokens in"),
    Column("output_tokens", "count", "of the last sitting", title="Tokens out"),
    Column("cost", "number", "US dollars of the last sitting, at most", title="Cost, $"),
    Column("seconds", "number", "of the last sitting"),
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
        shown=(Show("model"),),
        across="benchmark",
        cell="figure",
        heads=titles,
    )
    by_model = View(
        title=MODELS.title,
        rows=models.rows,
        shown=(
            Show("model"),
            Show("mean_rank", format="mean"),
            Show("calls"),
            Show("cost"),
            Show("ended"),
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
