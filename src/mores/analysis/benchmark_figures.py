"""Figures of a benchmark for people: all of its metrics, and its headline by place and group.

The page shows all groups, a terminal the ends of an order that is reliable.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from mores.analysis.breakdown import (
    GAPS,
    GROUPS,
    MEANS,
    ORDERS,
    Breakdown,
    GroupFigures,
    RankReliability,
    breakdown,
    tables_of,
)
from mores.analysis.item_places import describe_fit
from mores.analysis.outcomes import slug_of
from mores.analysis.results import Result, Results
from mores.core.card import Metric
from mores.core.estimate import SEPARATE, Estimate
from mores.stats.gaps import Gap
from mores.stats.items import ENOUGH
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Axis, Block, BulletList, Cell, CellValue, Chart, Filter, Inline, Paragraph, Span, Stack
from mores.tables.blocks import TableBlock as ShownTable
from mores.tables.blocks import TableRow as ShownRow
from mores.tables.columns import EVALUATION
from mores.tables.missing_texts import format_missing

ALL_UP_TO = 8
ENDS = 3
"""Groups that a terminal shows at each end where there are more than ALL_UP_TO."""
LONG = 2
"""Benchmarks above which a terminal breaks down by places alone; the page has all groups."""
GROUPINGS = ("region", "continent", "wvs_group")
"""Groupings of places, of which a terminal shows the first."""
UNWEIGHTED = "A region, a continent and an Inglehart–Welzel group is the unweighted mean of its places."
PERMUTED = (
    "Expected by chance: the mean gap after random permutations of the places over clusters, with the share of "
    "permutations whose gap is as large as the observed one (p, not corrected). Noise-corrected: the excess over noise "
    "(the gap after the part that noise alone gives is removed)."
)
POOLED = (
    "Pooled, under a place: its units read together with those of all other places. Few units say little about one "
    "place, so its mean is drawn towards its region and all places, as far as chance may have moved it. The interval "
    "holds the truth of 95 of 100 places and not of every single one: a place far from all others is drawn too near to "
    "them. No claim rests on it."
)
NOT_ASKED = Span("not in this run", "missing")


def analyse(results: Results) -> AnalysisResult | None:
    """The figures of all benchmarks by place and group; None where none is broken down."""
    found = [breakdown(results, name) for name in results.benchmarks]
    if not any(each.kinds for each in found):
        return None
    blocks = (block for each in results.benchmarks for block in blocks_on(results, each))
    return AnalysisResult(tables=tables_of(found), blocks=tuple(blocks))


@lru_cache(maxsize=32)
def blocks_on(results: Results, benchmark: str) -> tuple[Block, ...]:
    """One benchmark's groups, and what has to be known before they are compared; laid out once for a section and alone.

    With many benchmarks a terminal has places alone; how gaps between places are read it says with the first.
    """
    return tuple(_blocks(breakdown(results, benchmark), results.benchmarks))


def _blocks(found: Breakdown, benchmarks: Sequence[str]) -> Iterator[Block]:
    filled, orders = GROUPS.filled(found.rows), found.orders
    yield Paragraph("By place and group", "heading", on="page")
    yield from blocks_of(filled, _on_page(found))
    shown = [kind for kind in orders if kind not in [k for k in GROUPINGS if k in orders][1:]]
    for kind in shown[:1] if len(benchmarks) > LONG else shown:
        yield from _on_terminal(found, filled, orders[kind])
    if separate := found.kinds.get(SEPARATE):
        yield from blocks_of(filled, _few(found, separate, "Scored separately", "Scored separately"))
    yield from _remarks(found, explained=found.evaluations[0].benchmark != benchmarks[0])


def _on_page(found: Breakdown) -> View:
    name = found.evaluations[0].benchmark
    kinds = [group.kind for group in found.groups if group.kind]
    choices = tuple((kind, f"{words.kinds_name(kind)} ({kinds.count(kind)})") for kind in dict.fromkeys(kinds))
    asked = {(group.kind or None, group.value or None): group.asked for group in found.groups}
    return View(
        title=f"{name} by place and group",
        id=f"{slug_of(name)}-table",
        rows=found.rows,
        shown=(
            Show("group", sort="ascending", write=_named),
            Show("kind", sort="ascending", minor=True, write=_kind),
            Show("asked", sort="descending", minor=True, write=lambda row: asked[row[2], row[3]]),
        ),
        across="model",
        cell=Show("figure", sort="descending", write=_figure),
        absent=NOT_ASKED,
        heads=_models(found.evaluations),
        by="kind",
        filters=(Filter(name="kind", label="Groups", choices=choices),),
        search="a place or group",
        on="page",
    )


def _models(evaluations: Sequence[Result]) -> dict[str, Span]:
    return {each.label: Span(each.label, "model") for each in evaluations}


def _kind(row: Row) -> str:
    return words.kind_name(row[2]) if row[2] else "all"


def _named(row: Row) -> Cell:
    """A group with its code and, where there is no room for its column, its kind."""
    kind, value = row[2:4]
    name = words.group_name(kind, value) if kind else "Everything"
    code = (" ", Span(value, "soft")) if kind == "place" and value != name else ()
    return (name, *code, Span(_kind(row) if kind else "", "narrow"))


def _figure(row: Row) -> Cell:
    evaluation, figure, pooled = row[0], row[4], row[5]
    if figure is None:
        return NOT_ASKED
    shown = (dots(evaluation, figure), CellValue(figure, metric=evaluation.described))
    drawn = () if pooled is None else (Span(f"pooled {words.text_of(pooled, 'share', evaluation.described)}", "soft"),)
    return Stack((*shown, *drawn))


def dots(evaluation: Result, figure: Estimate | None) -> Chart:
    """A figure of the headline as a dot with whiskers on its scale, with a line where guessing stands."""
    return Chart.interval(figure, Axis.of(evaluation.described, evaluation.chance))


def _on_terminal(found: Breakdown, filled: FilledTable, order: RankReliability) -> Iterator[Block]:
    """The groups of one kind, weakest first where their order is reliable; else few by name, and many not at all.

    Where no group has an interval nothing is said of them: they are too few to be put in any order.
    """
    groups = found.kinds.get(order.kind, [])
    # without any interval the groups are too few for an order to mean anything
    if len(groups) < 2 or not any(e is not None and e.low is not None for g in groups for e in g.figures):
        return
    every = len(groups)
    if order.ranks:  # a group without an interval has no place in an order
        kept = (group for group in groups if any(e is not None and e.low is not None for e in group.figures))
        groups = sorted(kept, key=lambda group: (group.mean, group.name))
    many = len(groups) > ALL_UP_TO
    if order.ranks or not many:
        kind = words.kinds_name(order.kind)
        which = "" if len(groups) == every else f" that have an interval, of {every}"
        text = f"{kind[0].upper()}{kind[1:]}{which}, {_which(len(groups), len(found.evaluations), order)}"
        yield Paragraph(text, on="terminal")
        shown_groups = [*groups[:ENDS], *groups[-ENDS:]] if many else groups
        for block in blocks_of(filled, _few(found, shown_groups, kind, words.kind_name(order.kind))):
            yield _with_gap(block) if many and isinstance(block, ShownTable) else block
    yield Paragraph(words.describe_order(order.kind, order.found, order.unit), on="terminal")


def _few(found: Breakdown, groups: Sequence[GroupFigures], title: str, head: str) -> View:
    """Some groups on a terminal, with the n of all models."""
    ranges = {(group.kind, group.value): _graded(group) for group in groups}
    at = {key: number for number, key in enumerate(ranges)}
    rows = sorted((row for row in found.rows if row[2:4] in at), key=lambda row: at[row[2:4]])
    return View(
        title=title,
        rows=tuple(rows),
        shown=(Show("group", head), Show("figure", "n", write=lambda row: ranges[row[2:4]])),
        across="model",
        cell=Show("figure", write=lambda row: CellValue(row[4], "share", row[0].described)),
        heads=_models(found.evaluations),
        on="terminal",
    )


def _graded(group: GroupFigures) -> str:
    graded = [e.graded for e in group.figures if e is not None]
    return words.format_range(min(graded), max(graded))


def _with_gap(table: ShownTable) -> ShownTable:
    """The weakest and the strongest, with a mark for those between."""
    gap = ShownRow(cells=("…", *[""] * (len(table.columns) - 1)))
    return replace(table, rows=(*table.rows[:ENDS], gap, *table.rows[ENDS:]))


def _which(many: int, models: int, order: RankReliability) -> str:
    """Words on the groups that are shown, and their order."""
    if not order.ranks:
        return "all of them, by name"
    weakest = "weakest first" + (" by the mean over models" if models > 1 else "")
    return f"{f'{ENDS} weakest and {ENDS} strongest of {many}' if many > ALL_UP_TO else 'all of them'}, {weakest}"


def _remarks(found: Breakdown, *, explained: bool) -> Iterator[Block]:
    """Notes to read before groups are compared."""
    first, models = found.evaluations[0], len(found.evaluations)
    places = sum(group.kind == "place" for group in found.groups)
    if places > 1:
        pairs = (
            f"The table shows {places} places, {places * (places - 1) // 2:,} pairs to compare. Differences between "
            "neighbouring places are rarely real, and the interval of one place does not show its rank among many."
        )
        yield Paragraph(pairs, "explanation")
        yield Paragraph(_items_alike(found.evaluations), "explanation")
    if found.gaps:
        gaps = (_of_gap(each, describe_spread(gap, first.described)) for each, gap in found.gaps)
        yield Paragraph(("Points between the best and the worst place: ", *words.joined(gaps, "; "), "."))
        yield Paragraph(PERMUTED, "explanation" if explained else "body")
    if any(row[5] is not None for row in found.rows):
        yield Paragraph(POOLED, "explanation")
    if found.orders:
        every = (words.describe_order(each.kind, each.found, each.unit) for each in found.orders.values())
        yield BulletList(tuple(every), on="page")
        means = f", of means over the {models} models" if models > 1 else ""
        reliability = (
            f"Reliability: how far the figures of groups would agree with figures from other {first.counted} "
            f"of the same kind, from 0 to 1{means}."
        )
        yield Paragraph(reliability, "explanation")
    figures = (e for group in found.groups for e in group.figures if e is not None and e.missing)
    if missing := dict.fromkeys(format_missing(e.missing) for e in figures):
        why = f"Reasons for “too few” and for missing intervals: {'; '.join(missing)}."
        yield Paragraph(why, "explanation")
    yield Paragraph(" ".join((UNWEIGHTED, *(first.card.notes if first.card else ()))), "explanation")


def _items_alike(evaluations: Sequence[Result]) -> str:
    """Sentences on how far units of places go together, before their means are compared."""
    first, models = evaluations[0], len({each.model for each in evaluations})
    if models >= ENOUGH:
        return describe_fit(evaluations)
    return (
        f"Whether {first.counted} of all places ask for one thing cannot be told from {words.plural(models, 'model')} "
        f"(it takes {ENOUGH}): means of places are compared as if they did."
    )


def _of_gap(evaluation: Result, text: str) -> tuple[Inline, ...]:
    """A model's gap, with what has to be known of its answers."""
    return Span(evaluation.label, "model"), f" {text}", *words.marks_of(evaluation.overall())


def describe_spread(found: Gap, metric: Metric | None) -> str:
    """The gap in points with its yardsticks: `48 (33 expected by chance, p = 0.004; 29 noise-corrected)`."""
    digits, scale = (0, 100) if words.is_share(metric) else (1, 1)
    # NaN, where the noise within places is not known
    shrunk = "" if found.shrunken != found.shrunken else f"; {scale * found.shrunken:.{digits}f} noise-corrected"
    gap, null = (f"{scale * size:.{digits}f}" for size in (found.gap, found.null))
    return f"{gap} ({null} expected by chance, {words.format_p(found.p)}{shrunk})"


GROUPS_ANALYSIS = Analysis(
    id="groups", title=GROUPS.title, tables=(GROUPS, GAPS, ORDERS, MEANS), analyse=analyse, order=0
)


METRICS = Table.of(
    "metrics",
    "All metrics over everything",
    EVALUATION,
    Column("metric", "metric", "its name; the headline is the first"),
    Column("says", "text", "what the card says of it", title="Meaning"),
    Column("counted", "text", "what n counts", title="Unit"),
    Column("figure", "estimate", "its value over everything", main=True),
)


def analyse_metrics(results: Results) -> AnalysisResult | None:
    """All metrics of all benchmarks; None where there is no figure."""
    found = [metrics_on(results, name) for name in results.benchmarks]
    filled = METRICS.filled(row for each in found for row in each.rows)
    blocks = tuple(block for each in found for block in each.blocks)
    return AnalysisResult(tables=(filled,), blocks=blocks) if filled.rows else None


class BenchmarkMetrics(NamedTuple):
    """The metrics of one benchmark, model by model, and how they are shown."""

    rows: tuple[Row, ...]
    blocks: tuple[Block, ...]


@lru_cache(maxsize=32)
def metrics_on(results: Results, benchmark: str) -> BenchmarkMetrics:
    """The metrics of one benchmark; read once for its section and all of them together."""
    evaluations = results.on(benchmark)
    rows = tuple(_rows(evaluations))
    view = View(
        title=f"All metrics of {benchmark}",
        rows=rows,
        shown=(Show("metric", write=_with_meaning),),
        across="model",
        cell="figure",
        heads=_models(evaluations),
        absent=NOT_ASKED,
    )
    return BenchmarkMetrics(rows, tuple(blocks_of(METRICS.filled(rows), view)))


def _rows(evaluations: tuple[Result, ...]) -> Iterator[Row]:
    """Metric by metric, a row a model that has it."""
    for name in dict.fromkeys(name for evaluation in evaluations for name in evaluation.metrics):
        for evaluation in evaluations:
            if (figure := evaluation.overall(name)) is not None:
                metric = evaluation.metric(name)
                about = (None, None) if metric is None else (metric.says, metric.unit)
                yield (evaluation, evaluation.listed(name), *about, figure)


def _with_meaning(row: Row) -> Cell:
    _, metric, says, counted, _ = row
    return Stack((metric.name, Span(f"{says}; n counts {counted}s", "soft"))) if counted else metric.name


METRICS_ANALYSIS = Analysis(id="metrics", title=METRICS.title, tables=(METRICS,), analyse=analyse_metrics, order=0)
