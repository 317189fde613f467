"""Sources of the error of a headline: items, wordings (or orders), judges and samples, and what one more would buy.

an evaluation, the same in other wordings, each judge's own verdicts ─▶ values of units that have a grade in all of them
─▶ crossed components of variance ─▶ a table for the mean of each model, one for the difference of two models.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import isnan, sqrt
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from mores.analysis.compatibility import groups_alike
from mores.analysis.judges_alone import rows_by_judge
from mores.analysis.results import Result, Results, caution_of_several
from mores.analysis.units import units_of
from mores.analysis.variants import KINDS, VariantKind, in_variants, is_mean_of_rows, several_asked, where
from mores.core.arrays import Floats, Strings
from mores.core.card import Metric
from mores.core.estimate import Caution, MetricRows, Missing
from mores.core.seeds import Seed
from mores.stats.variance_components import (
    ComponentFigure,
    DesignFacet,
    VarianceComponent,
    VarianceSource,
    VarianceTable,
    variance_table,
)
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, CellValue, DifferenceCell, Finding, Paragraph, Span, Words
from mores.tables.columns import BENCHMARK, EVALUATION, METRIC, MODEL, SIMULATED

_SEED = Seed("variance")
STEP = 100
"""Items that one more of them is."""
WORTH_A_SENTENCE = 0.1
"""Share of the variance, from wordings or judges alone, that a reader is told first."""


class _Cells(NamedTuple):
    """Values of units by wording, judge and sample, NaN where there is none; with each unit's name and cluster."""

    values: Floats
    units: Strings
    clusters: Strings


class ModelVariance(Struct, frozen=True, eq=False, kw_only=True):
    """Sources of the error of one model's headline, over its wordings or its orders."""

    kind: VariantKind
    result: Result
    found: VarianceTable
    caution: Caution | None = None


class DifferenceVariance(Struct, frozen=True, eq=False, kw_only=True):
    """The same of the difference of two models: the mean over all pairs of some models on one benchmark."""

    kind: VariantKind
    models: tuple[Result, ...]
    found: VarianceTable

    @property
    def pairs(self) -> int:
        """Pairs that it is the mean of."""
        return len(self.models) * (len(self.models) - 1) // 2


class VarianceSources(Struct, frozen=True, eq=False, kw_only=True):
    """Everything that is known of sources of variance in some runs."""

    models: tuple[ModelVariance, ...]
    differences: tuple[DifferenceVariance, ...]


@lru_cache(maxsize=1)
def variance_sources(results: Results) -> VarianceSources | None:
    """Sources of variance; None where every headline has one sample in one wording and order by one judge.

    A headline that is no mean of its units is left out.
    """
    found = [each for kind in KINDS for each in _of_kind(results, kind)]
    if not found:
        return None
    models = [ModelVariance(
            kind=kind, result=result, found=_table(cells.values, cells, result, kind),
            caution=caution_of_several((result,), result.headline, {}),
        ) for kind, result, cells in found]  # fmt: skip
    return VarianceSources(models=tuple(models), differences=tuple(_differences(found)))


class _Design(NamedTuple):
    kind: VariantKind
    result: Result
    cells: _Cells


def _of_kind(results: Results, kind: VariantKind) -> Iterator[_Design]:
    for result in results.evaluations:
        if not is_mean_of_rows(result):
            continue
        variants = in_variants(results, result, kind)
        # What has no orders is laid out once, with its wordings.
        if kind == "order" and len(variants) < 2:
            continue
        cells = _cells(variants)
        if cells is not None and max(cells.values.shape[1:]) > 1:
            yield _Design(kind, result, cells)


def _cells(variants: Sequence[Result]) -> _Cells | None:
    """Values of the units that have a grade in every wording, by every judge, in every sample; None of none."""
    judged = [rows_by_judge(each) for each in variants]
    roles = tuple(judged[0]) if judged[0] is not None else ()
    by_judge = bool(roles) and all(each is not None and tuple(each) == roles for each in judged)
    rows = [
        [each[role] for role in roles] if by_judge and each is not None else [result.stored.headline_rows]
        for result, each in zip(variants, judged, strict=True)
    ]
    samples = min(1 + int(one.keys.sample.max(initial=0)) for own in rows for one in own)
    tables = [[_by_unit(one, samples) for one in own] for own in rows]
    first = tables[0][0]
    names = [name for name in first if all(name in one for own in tables for one in own)]
    if not names:
        return None
    values = np.array([[[one[name] for name in names] for one in own] for own in tables]).transpose(2, 0, 1, 3)
    whole = np.isfinite(values).all(axis=(1, 2, 3))
    clusters = dict(zip(rows[0][0].keys.unit.texts(), rows[0][0].keys.cluster.texts(), strict=True))
    kept = [name for name, there in zip(names, whole.tolist(), strict=True) if there]
    scale = units_of(variants[0].stored.headline_rows)
    values = values[whole] * scale.points_a_value / scale.mean_weight
    return _Cells(values, np.array(kept), np.array([clusters[name] for name in kept])) if kept else None


def _by_unit(rows: MetricRows, samples: int) -> Mapping[str, Floats]:
    """The mean of the rows of each unit by sample."""
    unit, sample = rows.keys.unit.codes, rows.keys.sample
    kept = (sample < samples) & np.isfinite(rows.value)
    size = len(rows.keys.unit.names)
    at = unit[kept] * samples + sample[kept]
    count = np.bincount(at, minlength=size * samples)
    total = np.bincount(at, rows.value[kept], minlength=size * samples)
    means = np.divide(total, count, out=np.full(size * samples, np.nan), where=count > 0).reshape(size, samples)
    return dict(zip(rows.keys.unit.names, means, strict=True))


def _table(values: Floats, cells: _Cells, result: Result, kind: VariantKind) -> VarianceTable:
    # The headline is of the first wording, with all its judges and samples.
    return variance_table(
        values, cells.clusters, mean_of={"wording": 1}, step=STEP, seed=_SEED.child(kind, result.benchmark)
    )


def _differences(found: Sequence[_Design]) -> Iterator[DifferenceVariance]:
    """Mean over pairs of the models of a benchmark that differ in their subject alone, on units that all have."""
    for kind in KINDS:
        own = [each for each in found if each.kind == kind and not each.result.model.startswith("baseline/")]
        for benchmark in dict.fromkeys(each.result.benchmark for each in own):
            there = {each.result.folder: each for each in own if each.result.benchmark == benchmark}
            for alike in groups_alike([each.result for each in there.values()]):
                models = [there[each.folder] for each in alike]
                table = _of_pairs(models) if len(models) > 1 else None
                if table is not None:
                    yield DifferenceVariance(kind=kind, models=tuple(each.result for each in models), found=table)


def _of_pairs(models: Sequence[_Design]) -> VarianceTable | None:
    shape = tuple(min(each.cells.values.shape[axis] for each in models) for axis in (1, 2, 3))
    at = [{name: row for row, name in enumerate(each.cells.units.tolist())} for each in models]
    names = [name for name in at[0] if all(name in own for own in at)]
    if not names:
        return None
    cut = tuple(slice(size) for size in shape)
    tables = [each.cells.values[[own[name] for name in names]][(slice(None), *cut)]
              for each, own in zip(models, at, strict=True)]  # fmt: skip
    pairs = np.array([one - other for one, other in combinations(tables, 2)])
    first = models[0]
    kept = _Cells(pairs[0], np.array(names), first.cells.clusters[[at[0][name] for name in names]])
    return _table(pairs, kept, first.result, first.kind)


# The tables, as programs know them.

SHARE = Metric(name="share", unit="source", says="Share of the variance.")
KIND = Column("kind", "text", "what wordings are: `wording`, or `order` of options or labels")
_PARTS = (
    Column("source", "text", "items, wordings, judges, samples, or several together", title="Source"),
    Column("tried", "count", "how many of it the components are estimated from", title="Tried"),
    Column("count", "count", "how many of it the mean rests on", title="In the mean"),
    Column("component", "number", "variance component of a single one, in squared points of the metric"),
    Column("deviation", "size", "its root", title="SD, points"),
    Column("share", "size", "share of the variance of the mean", title="Share, %", metric=SHARE),
    Column("units", "count", "units that have a grade in all that is crossed"),
    Column("clusters", "count", "independent clusters of them"),
)
VARIANCE = Table.of(
    "variance", "Sources of the error of a headline", EVALUATION, KIND, METRIC, *_PARTS,
)  # fmt: skip
"""A row a source of a model's headline; of a facet of which one was tried the reason alone."""
DIFFERENCES = Table.of(
    "variance_differences", "Sources of the error of a difference of two models", BENCHMARK, SIMULATED, KIND, METRIC,
    Column("models", "count", "models whose pairs it is the mean of"), *_PARTS,
)  # fmt: skip
MORE = Table.of(
    "variance_more",
    "What one more would take off the standard error",
    *(BENCHMARK, MODEL, SIMULATED, KIND, METRIC),
    Column("of", "text", "`mean` of a model, or `difference` of two"),
    Column("facet", "text", "what there is more of", title="More of"),
    Column("now", "count", "how many the mean rests on"),
    Column("more", "count", "how many more"),
    Column("error_now", "size", "standard error from all that was tried", title="Standard error now, points"),
    Column("error", "size", "the same with so many more", title="With more"),
    Column("taken_off", "size", "the drop", title="Taken off, points"),
)

_ONE: Mapping[DesignFacet, str] = {"judge": "one_judge", "sample": "one_sample"}


def source_name(source: VarianceSource, kind: VariantKind) -> str:
    """A source as tables name it.

    >>> source_name(("item", "wording"), "wording"), source_name(("item", "wording", "judge", "sample"), "order")
    ('items × wordings', 'judges × samples')
    """
    plain = {"item": "items", "wording": f"{kind}s", "judge": "judges", "sample": "samples"}
    # A sample is of one item in one wording: naming these would say nothing.
    kept = [each for each in source if "sample" not in source or each in {"judge", "sample"}]
    return " × ".join(plain[each] for each in kept)


def _rows(found: VarianceTable, kind: VariantKind, caution: Caution | None = None) -> Iterator[Row]:
    """Parts of rows: each source that was told apart, then each facet of which nothing is known."""
    sizes = (found.units, found.clusters)
    for each in found.components:
        tried = _tried(each, found)
        value = None if isnan(each.variance.value) else each.variance.value
        yield (source_name(each.source, kind), tried, each.count, value, _root(each.variance, caution),
               _cell(each.share, caution), *sizes)  # fmt: skip
    for facet in found.one_level:
        why = DifferenceCell(
            difference=None, low=None, high=None, missing=Missing(code=_ONE.get(facet, f"one_{kind}")), caution=caution
        )
        yield source_name((facet,), kind), 1, 1, None, why, why, *sizes


def _tried(each: VarianceComponent, found: VarianceTable) -> int:
    sizes = [found.levels[facet] for facet in each.source]
    return int(np.prod(sizes))


def _cell(figure: ComponentFigure, caution: Caution | None = None) -> DifferenceCell:
    value = None if isnan(figure.value) else figure.value
    return DifferenceCell(difference=value, low=figure.low, high=figure.high, missing=figure.missing, caution=caution)


def _root(figure: ComponentFigure, caution: Caution | None = None) -> DifferenceCell:
    """The root of a component, in points."""
    value, low, high = (None if each is None or isnan(each) else sqrt(max(0.0, each)) for each in figure[:3])
    return DifferenceCell(difference=value, low=low, high=high, missing=figure.missing, caution=caution)


def _more_rows(found: VarianceTable, kind: VariantKind) -> Iterator[Row]:
    for each in found.more:
        yield (source_name((each.facet,), kind), each.now, each.more, _cell(found.error), _cell(each.error),
               _cell(each.taken_off))  # fmt: skip


# The same for people.

ABOUT = (
    "A headline is a mean of some items, asked in one wording, by some judges, in some samples; others of each would "
    "have given another figure. A component is what one source alone makes single values differ by (SD, in points); "
    "its share is its part of the variance of the headline as it stands, with as many of each as the headline has. "
    "An × is what two do together: wordings that suit some items and not others. The interval of a headline counts "
    "items and samples; it knows nothing of other wordings and other judges, which is why both standard errors stand "
    "below. Where one of a kind was tried, what it adds is not known, and no share counts it."
)
SHOWN = (
    "source", Show("tried", minor=True), "count", "deviation", "share", Show("units", "n")
)  # fmt: skip


def analyse(results: Results) -> AnalysisResult | None:
    """Sources of variance; None where nothing but items was tried in several."""
    found = variance_sources(results)
    if found is None:
        return None
    whole = VARIANCE.filled(
        (each.result, each.kind, each.result.listed(), *row)
        for each in found.models for row in _rows(each.found, each.kind, each.caution)
    )  # fmt: skip
    differences = DIFFERENCES.filled(
        (*_whose(each), each.models[0].listed(), len(each.models), *row)
        for each in found.differences for row in _rows(each.found, each.kind)
    )  # fmt: skip
    more = MORE.filled(_every_more(found))
    blocks = (
        Paragraph(ABOUT, "explanation"),
        *_blocks(whole, differences, found),
        *blocks_of(more, _view_of_more(more)),
    )
    return AnalysisResult(tables=(whole, differences, more), blocks=blocks, findings=tuple(_findings(found)))


def _whose(each: DifferenceVariance) -> tuple[str, bool, VariantKind]:
    return each.models[0].benchmark, any(model.simulated for model in each.models), each.kind


def _every_more(found: VarianceSources) -> Iterator[Row]:
    for one in found.models:
        result = one.result
        whose: Row = (result.benchmark, result.label, result.simulated, one.kind, result.listed(), "mean")
        yield from ((*whose, *row) for row in _more_rows(one.found, one.kind))
    for each in found.differences:
        benchmark, simulated, kind = _whose(each)
        whose = (benchmark, None, simulated, kind, each.models[0].listed(), "difference")
        yield from ((*whose, *row) for row in _more_rows(each.found, kind))


def _blocks(whole: FilledTable, differences: FilledTable, found: VarianceSources) -> Iterator[Block]:
    """One table of all models, and one of differences, for wordings and for orders."""
    for kind in KINDS:
        over = "" if kind == "wording" else ", over orders"
        own = [each for each in found.models if each.kind == kind]
        says = tuple(_errors(each.found, each.result, each.result.label) for each in own)
        rows = tuple(row for row in whole.rows if row[1] == kind)
        title = f"Sources of the error of each headline{over}"
        yield from blocks_of(whole, View(title=title, rows=rows, shown=SHOWN, over="evaluation", says=says))
        pairs = [each for each in found.differences if each.kind == kind]
        rows = tuple(row for row in differences.rows if row[2] == kind)
        title = f"Sources of the error of a difference of two models{over}"
        says = tuple(_errors(each.found, each.models[0], f"mean of {words.plural(each.pairs, 'pair')}")
                     for each in pairs)  # fmt: skip
        yield from blocks_of(
            differences, View(title=title, rows=rows, shown=SHOWN, over=Show("benchmark", write=_whose_difference),
                              says=says),
        )  # fmt: skip


def _whose_difference(row: Row) -> Words:
    return "A difference of two models on ", Span(row[0], "code")


def _errors(found: VarianceTable, result: Result, of: str) -> Words:
    """Both standard errors in a sentence."""
    metric = result.described
    every, items = (CellValue(_cell(each), "size", metric) for each in (found.error, found.error_of_items))
    rest = " points from all of these; from items and samples alone, which is what its interval counts: "
    return Span(result.benchmark, "code"), f", {of}: standard error ", every, rest, items, "."


def _view_of_more(filled: FilledTable) -> View:
    model, benchmark, facet, more = (filled.table.at(key) for key in ("model", "benchmark", "facet", "more"))

    def whose(row: Row) -> Words:
        name = Span(row[model], "model") if row[model] is not None else "a difference of two models"
        return name, " on ", Span(row[benchmark], "code")

    def what(row: Row) -> str:
        # "1 more of wordings" would be read as a part of one.
        return f"{row[more]} {row[facet]}" if row[more] > 1 else f"1 {row[facet].removesuffix('s')}"

    shown = (Show("facet", "One more of each", write=what), Show("now", "Now"), Show("error", "Standard error, points"),
             "taken_off")  # fmt: skip
    return View(title=MORE.title, rows=filled.rows, shown=shown, over=Show("model", write=whose))


def _findings(found: VarianceSources) -> Iterator[Finding]:
    """The headline of which wordings or judges by themselves make the largest share, where that is a tenth or more."""
    parts = [
        (each, component)
        for each in found.models for component in each.found.components
        if "item" not in component.source and component.share.value >= WORTH_A_SENTENCE
    ]  # fmt: skip
    if not parts:
        return
    most, component = max(parts, key=lambda part: part[1].share.value)
    of = most.result.described
    yield Finding(
        id="variance.outside",
        words=(
            f"Other {source_name(component.source, most.kind)} would move ", Span(most.result.benchmark, "code"),
            " of ", Span(most.result.label, "model"), " by more than its interval says.",
        ),
        sure=(
            "Standard error ", CellValue(_cell(most.found.error), "size", of), " points, of which the interval counts ",
            CellValue(_cell(most.found.error_of_items).difference, "size", of), ".",
        ),
        weight="doubtful",
    )  # fmt: skip


VARIANCE_ANALYSIS = Analysis(
    id="variance",
    title="Sources of variance",
    tables=(VARIANCE, DIFFERENCES, MORE),
    analyse=where(several_asked, analyse),
    order=13,
)
