"""CultureForest's figures by the size of models as tables and blocks."""

from collections.abc import Iterator, Sequence

from mores.analysis.contrast import LEVEL
from mores.analysis.units import Subject
from mores.benchmarks.cultureforest.modes import KNOWLEDGE
from mores.benchmarks.cultureforest.regimes.levels_views import METRIC, MODEL
from mores.benchmarks.cultureforest.regimes.scaling import Scaling, ScalingMetric, SizeSlope
from mores.benchmarks.shapes.regions.analysis import POINTS, RIGHT
from mores.core.card import Metric
from mores.core.estimate import Estimate, cautioned
from mores.tables import AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, Cell, CellValue, Finding, Paragraph
from mores.tables.columns import SIMULATED
from mores.tables.missing_texts import format_missing

FIGURE = (
    Column(key="figure", title="Figure", kind="text", says="`score`, `gap`, `possessed`, `used` or `told`"),
    Column(key="level", title="Level", kind="text", says="`easy`, `medium` or `hard`; nothing where it has none"),
    METRIC,
)
SIZES = Table(
    id="forest_sizes",
    title="Figures of models by their size",
    columns=(
        MODEL,
        SIMULATED,
        Column(key="parameters", title="Parameters, 10⁹", kind="number", says="in billions; nothing where unknown"),
        Column(key="thinking", title="Thinking", kind="text", says="how much it was told to think"),
        Column(key="family", title="Family", kind="text", says="models that are drawn together"),
        *FIGURE,
        Column(key="value", title="Value", kind="estimate", main=True, says="a score, a gap, or a difference"),
    ),
)
SLOPES = Table(
    id="forest_size_slopes",
    title="Slopes against size",
    columns=(
        *FIGURE,
        Column(key="slope", title="For a doubling of parameters", kind="estimate", main=True,
               says="what the figure rises by where a model is twice as large"),
        Column(key="p", title="p", kind="p", says="two-sided p-value, uncorrected"),
        Column(key="p_holm", title="p (Holm)", kind="p", says="corrected for all figures"),
        Column(key="tests", title="Tests", kind="count", says="number of tests that p is corrected for"),
        Column(key="models", title="Models", kind="count", says="models that have the figure"),
        Column(key="families", title="Families", kind="count", says="families of them"),
    ),
)  # fmt: skip
_PARAMETERS, _FIGURE = SIZES.getter("parameters"), SIZES.getter("figure", "level")
_VALUE = SIZES.getter("value", "metric")
SCALING_TABLES = (SIZES, SLOPES)
ABOUT = (
    "Models from the smallest to the largest, by all their parameters. Slopes are least squares over models on the "
    "logarithm of size, with models of one family drawn together; they describe these models and are no causes. What "
    "thinking does to one model stands under Thinking, where a model ran with more and with less of it."
)
_NAMES = {
    "score": "{mode}: score",
    "gap": "{mode}: gap between places",
    "possessed": "norms possessed",
    "used": "{mode}: all norms possessed − fewer",
    "told": "{mode}: norms in the prompt − without",
}


def scaling_part(found: Scaling | None, subjects: Sequence[Subject], section: str) -> AnalysisResult:
    """Figures of models by size, and the slope of each; nothing without models of known size."""
    rows: tuple[Iterator[Row], ...] = (iter(()), iter(()))
    if found is not None:
        rows = _sizes(found, {each.name: each.simulated for each in subjects}), map(_slope, found.slopes)
    tables = tuple(FilledTable(table=table, rows=tuple(own)) for table, own in zip(SCALING_TABLES, rows, strict=True))
    blocks, findings = tuple(_blocks(found, tables, section)), tuple(_findings(found))
    return AnalysisResult(tables=tables, blocks=blocks, findings=findings)


def _sizes(found: Scaling, simulated: dict[str, bool]) -> Iterator[Row]:
    for each in found.models:
        who = (each.name, each.simulated, each.parameters, each.thinking, each.family)
        yield from ((*who, *_of(figure), value) for figure, value in each.figures.items())
    yield from ((name, simulated[name], *(None,) * (len(SIZES.columns) - 2)) for name in found.unknown)


def _of(figure: ScalingMetric) -> tuple[str, str | None, Metric]:
    metric = POINTS if figure.points else RIGHT
    return figure.name, None if figure.mode == KNOWLEDGE else figure.mode, metric


def _slope(each: SizeSlope) -> Row:
    found = each.found
    slope = Estimate(
        metric=each.figure.name,
        value=found.value,
        low=found.low,
        high=found.high,
        asked=found.models,
        graded=found.models,
        missing=found.missing,
    )
    tested = (found.p, each.p_holm, each.family)
    return *_of(each.figure), cautioned(slope, each.caution), *tested, found.models, found.families


def _blocks(found: Scaling | None, filled: tuple[FilledTable, ...], section: str) -> Iterator[Block]:
    if found is None:
        return
    sizes, slopes = filled
    yield Paragraph(words="By the size of models", role="heading", id=f"{section}-size")
    yield Paragraph(words=ABOUT, role="explanation")
    yield from blocks_of(sizes, _by_size(tuple(row for row in sizes.rows if _PARAMETERS(row) is not None)))
    yield from blocks_of(slopes, _against_size(slopes.rows))
    if found.unknown:
        told = "Of unknown size: " + ", ".join(found.unknown) + "; --fact MODEL:parameters=BILLIONS says it."
        yield Paragraph(words=told, role="note")


def _by_size(rows: tuple[Row, ...]) -> View:
    return View(
        title=SIZES.title,
        rows=rows,
        shown=(
            "model",
            Show(key="parameters", sort="ascending", write=lambda row: f"{_PARAMETERS(row):g}"),
            "thinking",
        ),
        across=Show(key="figure", write=lambda row: name_of(*_FIGURE(row)).capitalize()),
        cell=Show(key="value", write=_value),
    )


def _value(row: Row) -> Cell:
    """A score as a figure, a difference with its sign, and a gap, which has no interval, alone."""
    (figure, _), (value, metric) = _FIGURE(row), _VALUE(row)
    if figure == "gap":
        return (CellValue(value=value.value, format="share", metric=metric), *words.marks_of(value))
    return CellValue(value=value, format="signed" if figure in {"used", "told"} else None, metric=metric)


def _against_size(rows: tuple[Row, ...]) -> View:
    tests = max(map(SLOPES.getter("tests"), rows), default=0)
    return View(
        title=SLOPES.title,
        rows=rows,
        shown=(
            Show(key="figure", write=lambda row: name_of(*SLOPES.getter("figure", "level")(row))),
            Show(key="slope", format="signed"),
            "p",
            Show(key="p_holm", title=f"p (Holm, {tests})"),
            Show(key="models", title="Models (families)", write=_models),
            Show(key="why", title=" ", write=_claim),
        ),
    )


def _models(row: Row) -> str:
    models, families = SLOPES.getter("models", "families")(row)
    return f"{models} ({families})"


def _claim(row: Row) -> str:
    slope, p = SLOPES.getter("slope", "p_holm")(row)
    return format_missing(slope.missing) or ("" if p is None else "found" if p < LEVEL else "not found")


def name_of(figure: str, level: str | None) -> str:
    """What a figure is, with its level."""
    return _NAMES[figure].format(mode=level)


def _findings(found: Scaling | None) -> Iterator[Finding]:
    """Which figures go with size, those of this family alone: scores and gaps are told of every benchmark."""
    for each in found.slopes if found else ():
        figure, level, metric, slope, _, p, *_ = _slope(each)
        if figure in {"score", "gap"} or slope.value is None or p is None or p >= LEVEL:
            continue
        size = CellValue(value=slope, format="signed", metric=metric)
        models = words.plural(each.found.models, "model")
        yield Finding(
            id="forest.by_size",
            words=f"In larger models “{name_of(figure, level)}” is {'larger' if slope.value > 0 else 'smaller'}.",
            sure=(size, " points a doubling, ", CellValue(value=p, format="full_p"), f", {models}."),
        )
