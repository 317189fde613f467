"""Regions: their gaps beside those of chance, the ends of their order, and whether models agree on them.

A part of several analyses: their tables and anchors begin with the analysis's id.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from mores.analysis.contrast import LEVEL
from mores.analysis.groups import PLACE
from mores.benchmarks.shapes.regions.region_scores import MIN_MODELS, RHO, ModelAgreement, RegionGap
from mores.core.card import Metric
from mores.core.estimate import Estimate
from mores.tables import AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import (
    Block,
    Cell,
    CellValue,
    Chart,
    ChartPoint,
    Details,
    Finding,
    Inline,
    Paragraph,
    Series,
    SideBySide,
    Span,
    Words,
)
from mores.tables.columns import SIMULATED
from mores.tables.missing_texts import format_caution

POINTS = Metric(name="norm_score", unit="norm", says="points of what could be had", low=-100.0, high=100.0)
RIGHT = Metric(name="accuracy", unit="question", says="share right")
ADJUSTED = (
    " Of open answers, the adjusted gap divides each region by what its own norms weigh; the paper’s divides by what "
    "all weigh, so that it grows with how strict a region’s norms are: make no claims from it."
)
ENDS = (
    "These were picked for standing at the ends, so each interval is widened to hold for all regions of its row "
    "together (95%, Bonferroni). They are named only where their order would come out again with other questions."
)
FORMS = {"accuracy": "share right", "adjusted": "adjusted score", "paper": "the paper’s score"}
CONSENSUS = (
    "Consensus is the mean over pairs of models of Spearman’s correlation between their scores over regions; "
    "polarization is the largest less the smallest of these, our reading, as the published equation is lost. Intervals "
    "are over regions. A domain has fewer questions a region, and noise alone lowers correlations, so a low one need "
    "not be disagreement; the intervals are not corrected for the number of domains."
)
STRICT = (
    " By the paper’s score a region with strict norms stands high for every model: part of that consensus is about the "
    "norms, not the models. The adjusted score is free of that."
)


class RegionTables(NamedTuple):
    """The tables of what one analysis says of regions."""

    gaps: Table
    ends: Table
    agreement: Table
    means: Table
    correlations: Table


_MODEL = (
    Column(key="model", title="Model", kind="model", says="the subject, with its run where it did a mode twice"),
    SIMULATED,
)
_MODE = Column(key="mode", title="Mode", kind="text", says="how it was asked")
_METRIC = Column(key="metric", title="Metric", kind="metric", says="what figures are in the points of")
_FORM = Column(key="form", title="Form", kind="text", says="score of regions: accuracy, adjusted, or paper")


@lru_cache
def region_tables(of: str) -> RegionTables:
    """The tables of one analysis, whose ids begin with its own."""
    gaps = (
        *_MODEL,
        _MODE,
        _METRIC,
        Column(key="regions", title="Regions", kind="count", says="regions with graded units"),
        Column(key="gap", title="Gap", kind="score", says="score of the best region less that of the worst"),
        Column(key="by_chance", title="By chance", kind="score", says="mean gap if no region differed"),
        Column(key="p", title="p", kind="p", says="share of permutations with a gap as large"),
        Column(key="p_holm", title="p (Holm)", kind="p", says="p after Holm's correction for the models of the mode"),
        Column(key="family", title="Family", kind="count", says="models of the mode that were tested"),
        Column(key="sd", title="SD", kind="score", says="standard deviation of regions"),
        Column(key="gap_paper", title="Gap, the paper’s", kind="score", says="gap by the paper's score"),
        Column(key="sd_paper", title="SD, the paper’s", kind="score", says="standard deviation by it"),
        Column(key="reliability", title="Reliability", kind="reliability", says="reliability of the order of regions"),
        Column(key="unit", title="Unit", kind="text", says="what its units are"),
        Column(key="ranking", title="Order", kind="text", says="whether regions can be put in order, in a sentence"),
        Column(key="caution", title="Caution", kind="text", says="what has to be known of the answers"),
    )
    ends = (
        *_MODEL,
        _MODE,
        _METRIC,
        Column(key="end", title="End", kind="text", says="lowest or highest"),
        Column(key="place", title="Region", kind="group", of=PLACE, says="its code"),
        Column(key="score", title="Score", kind="estimate", main=True, says="its interval holds for all regions"),
    )
    agreement = (
        _MODE,
        _FORM,
        Column(key="models", title="Models", kind="count", says="models that are held against each other"),
        Column(key="simulated_models", title="Simulated", kind="count", says="of them simulated"),
        Column(key="domain", title="Domain", kind="group", of="domain", says="nothing for all domains"),
        Column(
            key="consensus", title="Consensus (n: pairs)", kind="estimate", main=True, metric=RHO,
            says="mean over pairs of models of Spearman's correlation over regions",
        ),
        Column(
            key="polarization", title="Polarization (n: pairs)", kind="estimate", metric=RHO,
            says="the largest correlation less the smallest",
        ),
        Column(key="least", title="Least", kind="score", metric=RHO, says="the smallest correlation"),
        Column(key="most", title="Most", kind="score", metric=RHO, says="the largest"),
        Column(key="sd", title="SD", kind="score", metric=RHO, says="their standard deviation"),
        Column(key="regions", title="Regions", kind="count", says="regions that have a score"),
        Column(key="units_a_region", title="Units a region", kind="number", says="median of graded units of a region"),
        Column(key="fence", title="Fence", kind="score", metric=RHO, says="mean below which a model is an outlier"),
    )  # fmt: skip
    means = (
        _MODE,
        _FORM,
        *_MODEL,
        Column(key="mean", title="Mean with others", kind="score", metric=RHO, says="mean of its correlations"),
        Column(key="outlier", title="Outlier", kind="flag", says="true where that is below the fence"),
    )
    correlations = (
        _MODE,
        _FORM,
        *_MODEL,
        Column(key="other", title="Other model", kind="model", says="the model it is held against"),
        Column(key="rho", title="Correlation", kind="score", metric=RHO, says="Spearman's correlation over regions"),
    )
    return RegionTables(
        gaps=Table(id=f"{of}_gaps", title="Gaps between regions", columns=gaps),
        ends=Table(id=f"{of}_ends", title="Regions at the ends", columns=ends),
        agreement=Table(id=f"{of}_agreement", title="Agreement of models about regions", columns=agreement),
        means=Table(id=f"{of}_means", title="Agreement of each model with the others", columns=means),
        correlations=Table(id=f"{of}_correlations", title="Agreement of models pairwise", columns=correlations),
    )


def gaps_part(gaps: Sequence[RegionGap], of: str) -> AnalysisResult:
    """Gaps between regions, and those at the ends, as a part of an analysis."""
    tables = region_tables(of)
    filled = FilledTable(table=tables.gaps, rows=tuple(map(_gap_row, gaps)))
    ends = FilledTable(table=tables.ends, rows=tuple(row for each in gaps for row in _end_rows(each)))
    blocks = _gap_blocks(gaps, filled, ends, of) if gaps else ()
    return AnalysisResult(tables=(filled, ends), blocks=tuple(blocks), findings=tuple(_gap_findings(gaps, of)))


def _gap_row(each: RegionGap) -> Row:
    return (
        each.name, each.simulated, each.mode, _metric(each), each.regions, each.gap, each.null, each.p, each.p_holm,
        each.family, each.std, each.gap_paper, each.std_paper, each.order.found, each.order.unit,
        words.describe_order(each.order.kind, each.order.found, each.order.unit),
        format_caution(each.caution) if each.caution else None,
    )  # fmt: skip


def _end_rows(each: RegionGap) -> Iterator[Row]:
    for end, figures in (("lowest", each.worst), ("highest", each.best)):
        for figure in figures:
            yield each.name, each.simulated, each.mode, _metric(each), end, figure.group["place"], figure


def _metric(each: RegionGap) -> Metric:
    return POINTS if each.points else RIGHT


def _gap_findings(gaps: Sequence[RegionGap], of: str) -> Iterator[Finding]:
    """Models whose regions differ more than by chance, in a sentence each; that none is found in one for all."""
    tested = [(each, each.p_holm) for each in gaps if each.p_holm is not None]
    for each, p in tested:
        if p < LEVEL:
            mark = "".join(f" {mark}" for mark in words.bracketed_mark(each))
            yield Finding(
                id=f"{of}.regions_differ",
                words=(Span(each.name, "model"), f": regions differ in the mode {each.mode}."),
                sure=(CellValue(value=p, format="full_p"), f"{mark} after correction."),
            )
    if tested and all(p >= LEVEL for _, p in tested):
        least = CellValue(value=min(p for _, p in tested), format="full_p")
        yield Finding(
            id=f"{of}.regions_alike",
            words="Regions show no difference.",
            sure=("After correction, the smallest is ", least, "."),
            found=False,
        )


def _gap_blocks(gaps: Sequence[RegionGap], filled: FilledTable, ends: FilledTable, of: str) -> Iterator[Block]:
    yield Paragraph(words="Gaps between regions, compared with chance", role="heading", id=f"{of}-regions")
    families = {each.mode: each.family for each in gaps}
    counted = ", ".join(f"{mode} {families[mode]}" for mode in sorted(families))
    yield Paragraph(
        words=(
            "The gap between the best and the worst of many regions is large even where no region differs. “By "
            "chance” is the mean gap over random permutations of places over bundles; p is the share of permutations "
            f"with a gap as large, corrected (Holm) for the models of a mode ({counted})."
            f"{ADJUSTED if any(each.points for each in gaps) else ''}"
        )
    )
    marks = {id(row): words.marks_of(each) for row, each in zip(filled.rows, gaps, strict=True)}
    gap = filled.table.getter("gap", "metric")

    def marked(row: Row) -> Cell:
        value, metric = gap(row)
        return (CellValue(value=value, format="size", metric=metric), *marks[id(row)])

    shown = (
        *(Show(key=key) for key in ("model", "mode", "regions")),
        Show(key="gap", format="size", write=marked),
        Show(key="by_chance", format="size"),
        Show(key="p_holm"),
        *(Show(key=key, format="size") for key in ("sd", "gap_paper", "sd_paper")),
    )
    yield from blocks_of(filled, View(title="Gaps between regions", rows=filled.rows, shown=shown))
    yield Paragraph(
        words="Gaps and SDs in points of a hundred; they have no interval: compare them with the gap by chance.",
        role="note",
    )
    whose = (Show(key="model"), Show(key="mode"))
    order = View(title="Order of regions", rows=filled.rows, shown=(*whose, Show(key="ranking")))
    at = View(
        title="Regions at the ends",
        rows=ends.rows,
        shown=(*whose, Show(key="end"), Show(key="place"), Show(key="score")),
    )
    blocks = (Paragraph(words=ENDS, role="note"), *blocks_of(filled, order), *blocks_of(ends, at))
    yield Details(summary="Which regions stand at the ends", blocks=blocks, id=f"{of}-ends")


def agreement_part(agreements: Sequence[ModelAgreement], of: str) -> AnalysisResult:
    """Agreement of models on hard regions, as a part of an analysis."""
    tables = region_tables(of)
    filled = (
        FilledTable(table=tables.agreement, rows=tuple(row for each in agreements for row in _agreement_rows(each))),
        FilledTable(table=tables.means, rows=tuple(row for each in agreements for row in _mean_rows(each))),
        FilledTable(table=tables.correlations, rows=tuple(row for each in agreements for row in _rho_rows(each))),
    )
    blocks: list[Block] = []
    if agreements:
        strict = STRICT if any(each.form == "paper" for each in agreements) else ""
        blocks = [
            Paragraph(words="Agreement of models about regions", role="heading", id=f"{of}-agreement"),
            Paragraph(words=f"{CONSENSUS}{strict}", role="explanation"),
            *(block for each in agreements for block in _agreement(each, filled, of)),
        ]
    return AnalysisResult(tables=filled, blocks=tuple(blocks))


def _agreement_rows(found: ModelAgreement) -> Iterator[Row]:
    for row in found.rows:
        yield (
            found.mode, found.form, len(found.names), sum(found.simulated), row.domain or None, row.consensus,
            row.polarization, row.least, row.most, row.deviation, row.regions, row.a_region,
            None if row.domain else found.fence,
        )  # fmt: skip


def _mean_rows(found: ModelAgreement) -> Iterator[Row]:
    for name, simulated, mean in zip(found.names, found.simulated, found.means, strict=True):
        yield found.mode, found.form, name, simulated, mean, name in found.outliers


def _rho_rows(found: ModelAgreement) -> Iterator[Row]:
    for name, simulated, values in zip(found.names, found.simulated, found.correlations, strict=True):
        for other, rho in zip(found.names, values, strict=True):
            if other != name:
                yield found.mode, found.form, name, simulated, other, rho


def _of(filled: FilledTable, found: ModelAgreement) -> FilledTable:
    """The rows of one mode and form."""
    whose = filled.table.getter("mode", "form")
    own = tuple(row for row in filled.rows if whose(row) == (found.mode, found.form))
    return FilledTable(table=filled.table, rows=own)


def _agreement(found: ModelAgreement, tables: Sequence[FilledTable], of: str) -> Iterator[Block]:
    rows, means, correlations = (_of(filled, found) for filled in tables)
    made_up, which = sum(found.simulated), f"{found.mode}, {FORMS[found.form]}"
    tag: tuple[Inline, ...] = (" ", Span(f"{made_up} of {len(found.names)} simulated", "tag")) if made_up else ()
    title = f"{which[0].upper()}{which[1:]}"
    yield Paragraph(words=(title, *tag), role="subheading", id=f"{of}-agreement-{found.mode}-{found.form}")
    domain = rows.table.getter("domain")
    shown = (
        Show(key="domain", write=lambda row: domain(row) or "All domains"),
        *(Show(key=key) for key in ("consensus", "polarization", "least", "most", "sd", "regions")),
        Show(key="units_a_region", write=lambda row: f"{rows.table.getter('units_a_region')(row):g}"),
    )
    yield from blocks_of(rows, View(title=f"Consensus, {which}", rows=rows.rows, shown=shown))
    yield Paragraph(words=_outliers(found))
    summary = f"All models pairwise: Spearman over {found.whole.regions} regions"
    yield Details(summary=summary, blocks=(SideBySide(blocks=tuple(_pairs(found, means, correlations, which))),))


def _pairs(found: ModelAgreement, means: FilledTable, correlations: FilledTable, which: str) -> Iterator[Block]:
    """The picture of all correlations, and the same as a table in which models have numbers."""
    series = (
        Series(points=tuple(ChartPoint(y=_rho(value)) for value in values), name=name)
        for name, values in zip(found.names, found.correlations, strict=True)
    )
    yield Chart(kind="squares", title=f"Correlations of models, {found.mode}", series=tuple(series))
    model = correlations.table.getter("model")
    named = {name: _numbered(found, number) for number, name in enumerate(found.names)}
    mean = dict(map(means.table.getter("model", "mean"), means.rows))
    view = View(
        title=f"Pairwise correlations, {which}",
        rows=correlations.rows,
        shown=(
            Show(key="model", write=lambda row: named[model(row)]),
            Show(key="rho", title="Mean with others", write=lambda row: _shown(mean[model(row)])),
        ),
        across="other",
        cell="rho",
        heads={name: str(number) for number, name in enumerate(found.names, start=1)},
    )
    yield from blocks_of(correlations, view)


def _shown(rho: float | None) -> CellValue:
    return CellValue(value=rho, format="share", metric=RHO)


def _rho(value: float | None) -> Estimate | None:
    return None if value is None else Estimate(metric="rho", value=value, asked=1, graded=1)


def _numbered(found: ModelAgreement, number: int) -> Words:
    name = found.names[number]
    outlier: tuple[Inline, ...] = (" ", Span("outlier", "warning")) if name in found.outliers else ()
    return (f"{number + 1} ", *words.subject(name, simulated=found.simulated[number]), *outlier)


def _outliers(found: ModelAgreement) -> Words:
    if found.fence is None:
        return f"Outliers: too few models to name any ({len(found.names)}; quartiles need {MIN_MODELS})."
    fence = (_shown(found.fence), " (first quartile less 1.5 times the quartile range)")
    if not found.outliers:
        return ("No model is an outlier: no mean correlation with the others lies below ", *fence, ".")
    names = f"Outlier{'s' if len(found.outliers) > 1 else ''}: {', '.join(found.outliers)}"
    return (f"{names}, with a mean correlation with the others below ", *fence, ".")
