"""From options to open answers as tables and blocks: modes side by side, drops, wrong answers, gains from the norms."""

from collections.abc import Iterator

from mores.analysis.contrast import Contrast
from mores.benchmarks.cultureforest.hard import HARD
from mores.benchmarks.cultureforest.regimes.levels import Levels
from mores.benchmarks.shapes.adherence.analysis import SCORED
from mores.benchmarks.shapes.norm_scores import KEPT
from mores.benchmarks.shapes.regions.analysis import POINTS, RIGHT
from mores.core.card import Metric
from mores.core.estimate import Missing
from mores.tables import AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, Cell, CellValue, Details, Paragraph, Span
from mores.tables.columns import SIMULATED

MODEL = Column(key="model", title="Model", kind="model", says="its label where it did a mode twice")
MODE = Column(key="mode", title="Mode", kind="text", says="`easy`, `medium` or `hard`")
METRIC = Column(key="metric", title="Metric", kind="metric", says="what the figure is of")
WHO = (MODEL, SIMULATED, MODE)
FOREST = Table(
    id="forest",
    title="Modes side by side",
    columns=(
        *WHO,
        METRIC,
        Column(key="figure", title="Figure", kind="estimate", main=True, says="share right, norm score or norms kept"),
        Column(key="counted", title="Counted", kind="flag", says="true where verdicts are shares of repeated words"),
    ),
)
DROPS = Table(
    id="forest_drops",
    title="From options to judging each alone",
    columns=(
        MODEL,
        SIMULATED,
        METRIC,
        Column(key="drop", title="Easy → medium, points", kind="contrast", main=True, ends=("medium", "easy"),
               says="medium less easy, paired by question"),
    ),
)  # fmt: skip
ERRORS = Table(
    id="forest_errors",
    title="Errors of form and of content",
    columns=(
        *WHO,
        Column(key="wrong", title="Wrong", kind="count", says="wrong answers, one a question and sample"),
        Column(key="content", title="Content", kind="count", says="those that could be read"),
        Column(key="unread", title="Unreadable", kind="count", says="those without a readable label"),
        Column(key="refused", title="Declined", kind="count", says="those that the model declined to give"),
        Column(key="of_form", title="Share of form among errors", kind="estimate", main=True,
               says="share of errors that are of form, averaged over samples"),
    ),
)  # fmt: skip
GAINS = Table(
    id="forest_gains",
    title="Gain from the norms in the prompt",
    columns=(
        MODEL,
        SIMULATED,
        Column(key="mode", title="Level", kind="text", says="how the questions are asked"),
        METRIC,
        Column(key="gain", title="Gain", kind="contrast", main=True, ends=("with_norms", "without"),
               says="with the norms in the prompt less without, paired by question"),
    ),
)  # fmt: skip
KEPT_TO = Metric(name=KEPT, unit="norm", says="share of norms kept to")
LEVEL_TABLES = (FOREST, DROPS, ERRORS, GAINS)
EASY = "Easy: the right one of four options. "
MEDIUM = "Medium: each of four options judged alone, all four rightly. "
FORM = (
    "An answer without a readable label, or a refusal, is a format error and counts as wrong. The "
    "share is averaged over samples, as published; counts are questions and samples."
)
_OF = FOREST.getter("mode", "metric", "figure", "counted")
TESTED = ("p_holm", "units", Show(key="clusters", title="Bundles"))


def levels_part(levels: Levels, section: str) -> AnalysisResult:
    """Each model in each mode, its drop from easy to medium, its wrong answers, and what the norms bring it."""
    rows = (_modes(levels), _drops(levels), _wrong(levels), _gained(levels))
    tables = tuple(FilledTable(table=table, rows=tuple(own)) for table, own in zip(LEVEL_TABLES, rows, strict=True))
    return AnalysisResult(tables=tables, blocks=tuple(_blocks(levels, tables, section)))


def _modes(levels: Levels) -> Iterator[Row]:
    for climb in levels.climbs:
        who = (climb.name, climb.simulated)
        for mode, figure in climb.closed.items():
            yield (*who, mode, RIGHT, figure, False)
        if climb.open is not None:
            own = ((POINTS, climb.open.figure), (KEPT_TO, climb.open.kept))
            yield from ((*who, HARD, metric, figure, climb.open.counted) for metric, figure in own)


def _drops(levels: Levels) -> Iterator[Row]:
    for climb in levels.climbs:
        yield climb.name, climb.simulated, RIGHT, climb.drop or _unpaired(RIGHT.name, climb.missing)


def _wrong(levels: Levels) -> Iterator[Row]:
    for climb in levels.climbs:
        for mode, of in climb.errors.items():
            yield climb.name, climb.simulated, mode, of.wrong, of.content, of.unread, of.refused, of.of_form


def _gained(levels: Levels) -> Iterator[Row]:
    for gain in levels.gains:
        metric = POINTS if gain.mode == HARD else RIGHT
        yield gain.name, gain.simulated, gain.mode, metric, gain.change or _unpaired(metric.name, gain.missing)


def _unpaired(metric: str, missing: Missing | None) -> Contrast:
    """What stands for a difference of two evaluations that may not be paired."""
    return Contrast(
        metric=metric, a=None, b=None, difference=None, low=None, high=None, p=None, units=0, clusters=0, test="",
        method="", missing=missing,
    )  # fmt: skip


def _blocks(levels: Levels, filled: tuple[FilledTable, ...], section: str) -> Iterator[Block]:
    forest, drops, errors, gains = filled
    if levels.climbs:
        yield Paragraph(words="Accuracy as help is removed", role="heading", id=f"{section}-levels")
        about = {"easy": EASY, "medium": MEDIUM, HARD: f"{HARD.capitalize()}{SCORED}"}
        yield Paragraph(words="".join(about[mode] for mode in levels.modes), role="explanation")
        yield from blocks_of(forest, _side_by_side(levels, forest.rows))
    if tested := len(levels.drops):
        yield Paragraph(
            words="The drop is medium less easy in points, paired by question; its p is corrected by Holm for the "
            f"{words.plural(tested, 'model')} tested. {levels.fell} of {tested} fell significantly at .05. Shares "
            "beside a drop are of the questions that were graded both ways."
        )
        shown = ("model", Show(key="easy", title="Easy"), Show(key="medium", title="Medium"))
        yield from blocks_of(drops, View(title=DROPS.title, rows=drops.rows, shown=(*shown, "drop", *TESTED)))
    if errors.rows:
        keys = ("model", "mode", "wrong", "content", "unread", "refused", "of_form")
        view = View(title=ERRORS.title, rows=errors.rows, shown=keys)
        blocks = (Paragraph(words=FORM, role="note"), *blocks_of(errors, view))
        yield Details(summary="Wrong answers: of form, or of content", blocks=blocks, id=f"{section}-errors")
    yield from _gains(levels, gains, section)


def _side_by_side(levels: Levels, rows: tuple[Row, ...]) -> View:
    """A row a model, a column a figure of a mode."""
    ordered = sorted(rows, key=lambda row: levels.modes.index(_OF(row)[0]))
    return View(
        title=FOREST.title,
        rows=rows,
        shown=("model",),
        across=Show(key="mode", write=_head),
        cell=Show(key="figure", write=_figure),
        heads={head: head for head in map(_head, ordered)},
    )


def _head(row: Row) -> str:
    mode, metric, *_ = _OF(row)
    of = "right" if mode != HARD else "norm score" if metric is POINTS else "norms kept to"
    return f"{mode.capitalize()}: {of}"


def _figure(row: Row) -> Cell:
    """A figure, marked where its verdicts were counted from words."""
    _, metric, figure, counted = _OF(row)
    value = CellValue(value=figure, metric=metric)
    return (value, " ", Span("counted from words", "tag")) if counted and metric is POINTS else value


def _gains(levels: Levels, filled: FilledTable, section: str) -> Iterator[Block]:
    if not levels.gains:
        return
    yield Paragraph(words="With the norms in the prompt", role="heading", id=f"{section}-gains")
    hard = " (open answers by norm, in points of the norm score)"
    yield Paragraph(
        words="The same questions with their norms in the prompt. Answers that are still wrong have these norms. "
        f"Paired by question{hard if any(gain.mode == HARD for gain in levels.gains) else ''}; p corrected by Holm "
        f"for {words.plural(len(levels.gained), 'test')}, of which {levels.rose} gained significantly at .05."
    )
    shown = (
        "model",
        "mode",
        Show(key="without", title="Without"),
        Show(key="with_norms", title="With the norms"),
        "gain",
    )
    yield from blocks_of(filled, View(title=GAINS.title, rows=filled.rows, shown=(*shown, *TESTED)))
