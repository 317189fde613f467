"""CultureForest's own figures by the size of models: levels, gaps between places, what is possessed, used and told.

A report over several models has slopes of each benchmark's score and gap; here are those that only this family has,
and all of them side by side from the smallest model to the largest.

Source:
    CultureForest, section 3.3.1 and figures 2, 5b and 6b.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import log2, nan

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.contrast import LEVEL, Contrast, known
from mores.analysis.model_summary import TIER, family_of
from mores.analysis.units import Subject
from mores.benchmarks.cultureforest.hard import HARD
from mores.benchmarks.cultureforest.knowledge import KnowledgeUseTable
from mores.benchmarks.cultureforest.levels import KNOWLEDGE, METRIC, MODEL, MODES, Levels
from mores.benchmarks.shapes.regions.analysis import POINTS, RIGHT
from mores.benchmarks.shapes.regions.region_scores import RegionGap
from mores.core.card import Metric
from mores.core.estimate import Caution, Estimate, Missing, caution_of, cautioned, gravest
from mores.models.facts import billions
from mores.stats.crossed_effects import ModelSlope, slope
from mores.stats.ranks import holm
from mores.tables import AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, Cell, CellValue, Finding, Paragraph
from mores.tables.columns import SIMULATED
from mores.tables.missing_texts import format_missing


class ScalingMetric(Struct, frozen=True, kw_only=True):
    """One figure of a model by its size: a name, a level where it has one, and whether it is in points of norm scores.

    Names are `score`, `gap` (between places), `possessed`, `used` (right with all norms possessed less with fewer) and
    `told` (right with the norms in the prompt less without).
    """

    name: str
    mode: str
    points: bool


class SizedModel(Struct, frozen=True, kw_only=True):
    """A model of known size, in billions of parameters, with its figures, those that it has."""

    name: str
    simulated: bool
    parameters: float
    thinking: str
    family: str
    figures: Mapping[ScalingMetric, Estimate]


class SizeSlope(Struct, frozen=True, kw_only=True):
    """Rise of a figure where a model is twice as large; p is corrected for the `family` of figures.

    `caution` is what has to be known of the models' answers.
    """

    figure: ScalingMetric
    found: ModelSlope
    p_holm: float | None = None
    family: int = 0
    caution: Caution | None = None


class Scaling(Struct, frozen=True, kw_only=True):
    """Models from the smallest to the largest, and the slope of each figure; `unknown` are those of unknown size.

    `orders` are families of these that their providers order by size, in words.
    """

    models: tuple[SizedModel, ...]
    slopes: tuple[SizeSlope, ...]
    unknown: tuple[str, ...]
    orders: tuple[str, ...] = ()

    @property
    def figures(self) -> tuple[ScalingMetric, ...]:
        """All figures that any model has."""
        return tuple(each.figure for each in self.slopes)


def scaling_of(
    subjects: Sequence[Subject], levels: Levels, gaps: Sequence[RegionGap], using: KnowledgeUseTable
) -> Scaling | None:
    """Figures of models by their size; None where fewer than two have a size that is known."""
    figures: dict[str, dict[ScalingMetric, Estimate]] = {subject.name: {} for subject in subjects}
    for name, figure, value in _figures(levels, gaps, using):
        if value is not None and value.value is not None:
            figures[name][figure] = value
    sized = [found for each in subjects if (found := _sized(each, figures[each.name])) is not None]
    if len(sized) < 2:
        return None
    names = dict.fromkeys(figure for each in sized for figure in each.figures)
    return Scaling(
        models=tuple(sorted(sized, key=lambda each: (each.parameters, each.name))),
        slopes=tuple(_slopes([*names], sized)),
        unknown=tuple(each.name for each in subjects if each.name not in {one.name for one in sized}),
        orders=tuple(_orders(subjects)),
    )


def _orders(subjects: Sequence[Subject]) -> Iterator[str]:
    """Families of models of unknown size in their providers' order, of which two tiers at least are there."""
    tiers: dict[str, dict[int, list[str]]] = {}
    for each in subjects:
        result = next(iter(each.evaluations.values()))
        facts = result.provenance.facts
        if (tier := facts.get(TIER)) is not None and facts.get("parameters") is None:
            tiers.setdefault(family_of(result), {}).setdefault(int(tier), []).append(each.name)
    for _, of in sorted(tiers.items()):
        if len(of) > 1:
            yield " < ".join(", ".join(of[tier]) for tier in sorted(of))


def _sized(subject: Subject, figures: Mapping[ScalingMetric, Estimate]) -> SizedModel | None:
    result = next(iter(subject.evaluations.values()))
    facts = result.provenance.facts
    size = facts.get("parameters")
    if size is None:
        return None
    return SizedModel(
        name=subject.name,
        simulated=subject.simulated,
        parameters=billions(size),
        thinking=facts.get("reasoning") or "",
        family=family_of(result),
        figures=figures,
    )


def _figures(
    levels: Levels, gaps: Sequence[RegionGap], using: KnowledgeUseTable
) -> Iterator[tuple[str, ScalingMetric, Estimate | None]]:
    """The name of a model, a figure, and what it is, figure by figure."""
    for mode in MODES:
        figure = ScalingMetric(name="score", mode=mode, points=mode == HARD)
        for scores in levels.models:
            opened = scores.open.figure if scores.open is not None else None
            yield scores.name, figure, opened if mode == HARD else scores.closed.get(mode)
    yield from ((each.name, ScalingMetric(name="gap", mode=each.mode, points=each.points), _gap(each)) for each in gaps)
    known = ScalingMetric(name="possessed", mode=KNOWLEDGE, points=False)
    yield from ((each.name, known, each.known) for each in using.knows)
    for use in using.uses:
        yield use.name, ScalingMetric(name="used", mode=use.mode, points=False), _estimate(use.gained)
    for gain in levels.gains:
        change = None if gain.change is None else _estimate(gain.change)
        yield gain.name, ScalingMetric(name="told", mode=gain.mode, points=gain.mode == HARD), change


def _gap(each: RegionGap) -> Estimate:
    """The gap between places, which has no interval."""
    missing = Missing(code="describes", told="places")
    gap = Estimate(metric="gap", value=each.gap, asked=each.regions, graded=each.regions, missing=missing)
    return cautioned(gap, each.caution)


def _estimate(found: Contrast) -> Estimate:
    """A difference as a figure."""
    return cautioned(
        Estimate(
            metric=found.metric,
            value=found.difference,
            low=found.low,
            high=found.high,
            asked=found.units,
            graded=found.units,
            method=found.method,
            missing=found.missing,
        ),
        found.caution,
    )


def _slopes(figures: Sequence[ScalingMetric], models: Sequence[SizedModel]) -> Iterator[SizeSlope]:
    """The slope of each figure over the models that have it, a family."""
    found = [_slope(figure, models) for figure in figures]
    p = holm([nan if each.found.p is None else each.found.p for each in found]).tolist()
    family = sum(each.found.p is not None for each in found)
    return (replace(each, p_holm=known(one), family=family) for each, one in zip(found, p, strict=True))


def _slope(figure: ScalingMetric, models: Sequence[SizedModel]) -> SizeSlope:
    having = [each for each in models if figure in each.figures]
    # To base 2, so that the slope is what twice the size brings.
    sizes = [log2(each.parameters) for each in having]
    return SizeSlope(
        figure=figure,
        found=slope(
            sizes, [each.figures[figure].value or 0.0 for each in having], np.array([e.family for e in having])
        ),
        caution=gravest([caution_of(each.figures[figure]) for each in having]),
    )


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
        rows = _sizes(found, {each.name: each.simulated for each in subjects}), map(_slope_row, found.slopes)
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


def _slope_row(each: SizeSlope) -> Row:
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
        note = "Of unknown size: " + ", ".join(found.unknown) + "; --fact MODEL:parameters=BILLIONS says it."
        yield Paragraph(words=note, role="note")
    if found.orders:
        known = "; ".join(found.orders)
        yield Paragraph(words=f"Ordered by their providers, in no slope here: {known}.", role="note")


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
    """Name of a figure with its level."""
    return _NAMES[figure].format(mode=level)


def _findings(found: Scaling | None) -> Iterator[Finding]:
    """Figures that go with size, those of this family alone: scores and gaps are told of every benchmark."""
    for each in found.slopes if found else ():
        figure, level, metric, slope, _, p, *_ = _slope_row(each)
        if figure in {"score", "gap"} or slope.value is None or p is None or p >= LEVEL:
            continue
        size = CellValue(value=slope, format="signed", metric=metric)
        models = words.plural(each.found.models, "model")
        yield Finding(
            id="forest.by_size",
            words=f"In larger models “{name_of(figure, level)}” is {'larger' if slope.value > 0 else 'smaller'}.",
            sure=(size, " points a doubling, ", CellValue(value=p, format="full_p"), f", {models}."),
        )
