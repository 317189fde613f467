"""One benchmark as blocks, all models side by side: figures by place and group, all metrics, wrong answers."""

from collections.abc import Iterator, Sequence
from math import isnan
from statistics import fmean

from msgspec import Struct

from mores.analysis.links import slug_of
from mores.analysis.order import Order, orders_of
from mores.analysis.results import Result, Results
from mores.analysis.spread import spread_of
from mores.benchmarks.shapes import option_similarity
from mores.blocks import (
    Block,
    Cell,
    Column,
    Details,
    Filter,
    Heads,
    Inline,
    Listing,
    Row,
    Section,
    Span,
    Stack,
    Table,
    Text,
    Value,
)
from mores.blocks import formatting as words
from mores.blocks.reasons import format_missing
from mores.core.card import Metric
from mores.core.estimate import Estimate
from mores.core.scores import APART
from mores.reports.sections.provenance import made_details
from mores.reports.sections.summary import describe_always, dots, groups_of, title_of
from mores.reports.wording import describe_recording
from mores.stats.gaps import Gap

ALL_UP_TO = 8
ENDS = 3
"""Groups that a terminal shows at each end where there are more than ALL_UP_TO."""
LONG = 2
"""Benchmarks above which a terminal breaks down by places alone; the page has all groups."""
GROUPINGS = ("region", "continent", "wvs_group")
"""Groupings of places, of which a terminal shows the first."""
UNWEIGHTED = "A region, a continent and an Inglehart–Welzel group is the unweighted mean of its places."
DEALT = (
    "By chance: the mean gap after random permutations of the places over clusters, with the share of permutations "
    "whose gap is as large as the observed one (p, not corrected). Noise-corrected: the gap after the part that noise "
    "alone gives is removed."
)


def benchmark_section(results: Results, name: str) -> Section:
    """The section of one benchmark."""
    long, first = len(results.benchmarks) > LONG, results.benchmarks[:1]
    return _section(results.on(name), long=long, told=(name,) != first)


def _section(evaluations: Sequence[Result], *, long: bool, told: bool) -> Section:
    """One benchmark; how gaps between places are read is `told` where a terminal has said so before."""
    first = evaluations[0]
    slug, card = slug_of(first.benchmark), first.card
    measures = () if card is None else (
        Span("Measures ", "strong"), card.measures, Span(" Does not measure ", "strong"), card.not_measured
    )  # fmt: skip
    return Section(
        id=slug,
        title=(f"{title_of(first)} ", Span(first.benchmark, "code")),
        order=0,
        blocks=(
            *((Text(words=measures, role="explanation"),) if measures else ()),
            *_guessing(first),
            Listing(tuple(_notes(evaluations)), on="terminal"),
            *_groups(evaluations, slug, long=long, told=told),
            _metrics(evaluations, slug),
            made_details(evaluations, slug),
        ),
    )


def _guessing(first: Result) -> Iterator[Block]:
    """What guessing gets, and one label for all."""
    if first.chance is not None:
        guessed = f"Guessing scores {words.format_number(first.chance)}."
        yield Text(words=f"{guessed}{describe_always(first)}", on="page")


class _Group(Struct, frozen=True, kw_only=True):
    """One group with its figure from each model, None where a model has none; `kind` is empty for the whole."""

    kind: str
    value: str
    figures: tuple[Estimate | None, ...]

    @property
    def name(self) -> str:
        return words.group_name(self.kind, self.value) if self.kind else "Everything"

    @property
    def asked(self) -> int:
        return max((e.asked for e in self.figures if e is not None), default=0)

    @property
    def mean(self) -> float:
        """Mean over models, by which groups are put in order."""
        values = [e.value for e in self.figures if e is not None and e.value is not None]
        return fmean(values) if values else float("inf")


def _all_groups(evaluations: Sequence[Result]) -> tuple[_Group, ...]:
    """The whole, then the groups of each kind."""
    found = [_Group(kind="", value="", figures=tuple(evaluation.whole() for evaluation in evaluations))]
    for kind, values in groups_of(evaluations).items():
        tables = [evaluation.by(kind) for evaluation in evaluations]
        found += (_Group(kind=kind, value=v, figures=tuple(table.get(v) for table in tables)) for v in values)
    return tuple(found)


def _groups(evaluations: Sequence[Result], slug: str, *, long: bool, told: bool) -> Iterator[Block]:
    groups = _all_groups(evaluations)
    kinds = {kind: [g for g in groups if g.kind == kind] for kind in dict.fromkeys(g.kind for g in groups if g.kind)}
    orders = {order.kind: order for order in orders_of(evaluations)}
    yield Text(words="By place and group", role="heading", on="page")
    yield _table(evaluations, groups, slug)
    shown = [kind for kind in orders if kind not in [k for k in GROUPINGS if k in orders][1:]]
    for kind in shown[:1] if long else shown:
        yield from _on_terminal(evaluations, kinds.get(kind, []), orders[kind])
    heads: Heads = ("Scored apart", "n", *(Span(each.label, "model") for each in evaluations))
    for group in kinds.get(APART, []):
        yield Table.of(group.name, heads, [_row(evaluations, group)], on="terminal")
    spreads = ((evaluation, spread_of(evaluation)) for evaluation in evaluations)
    known = [(evaluation, found) for evaluation, found in spreads if found is not None]
    yield from _remarks(evaluations, groups, orders, known, told=told)


def _table(evaluations: Sequence[Result], groups: Sequence[_Group], slug: str) -> Table:
    name = evaluations[0].benchmark
    kinds = [group.kind for group in groups if group.kind]
    choices = tuple((kind, f"{words.kinds_name(kind)} ({kinds.count(kind)})") for kind in dict.fromkeys(kinds))
    models = (Column(title=Span(each.label, "model"), sort="descending") for each in evaluations)
    return Table(
        caption=f"{name} by place and group",
        columns=(
            Column(title="Group", sort="ascending"),
            Column(title="Kind", sort="ascending", minor=True),
            Column(title="Asked", format="count", sort="descending", minor=True),
            *models,
        ),
        rows=tuple(Row(cells=_cells(evaluations, g), kind=g.kind, whole=not g.kind) for g in groups),
        id=f"{slug}-table",
        filters=(Filter(name="kind", label="Groups", choices=choices),),
        search="a place or group",
        on="page",
    )


def _cells(evaluations: Sequence[Result], group: _Group) -> tuple[Cell, ...]:
    kind = words.kind_name(group.kind) if group.kind else "all"
    code = (" ", Span(group.value, "soft")) if group.kind == "place" and group.value != group.name else ()
    pairs = zip(evaluations, group.figures, strict=True)
    figures = (_figure(evaluation, figure) for evaluation, figure in pairs)
    return (group.name, *code, Span(kind if group.kind else "", "narrow")), kind, group.asked, *figures


def _figure(evaluation: Result, figure: Estimate | None) -> Cell:
    if figure is None:
        return Span("not in this run", "missing")
    value = Value(value=figure, metric=evaluation.metric(evaluation.headline))
    return Stack((dots(evaluation, figure), value))


def _on_terminal(evaluations: Sequence[Result], groups: Sequence[_Group], order: Order) -> Iterator[Block]:
    """The groups of one kind, weakest first where their order is reliable; else few by name, and many not at all.

    Where no group has an interval nothing is said of them: they are too few to be put in any order.
    """
    if len(groups) < 2 or not any(e is not None and e.low is not None for g in groups for e in g.figures):
        return
    many = len(groups) > ALL_UP_TO
    if order.ranks:
        groups = sorted(groups, key=lambda group: (group.mean, group.name))
    if order.ranks or not many:
        kind = words.kinds_name(order.kind)
        heads: Heads = (words.kind_name(order.kind), "n", *(Span(each.label, "model") for each in evaluations))
        rows = [_row(evaluations, group) for group in groups]
        some = [*rows[:ENDS], ("…", *[""] * (1 + len(evaluations))), *rows[-ENDS:]] if many else rows
        told = f"{kind[0].upper()}{kind[1:]}, {_which(len(groups), evaluations, order)}"
        yield Text(words=told, on="terminal")
        yield Table.of(kind, heads, some, on="terminal")
    yield Text(words=words.describe_order(order.kind, order.found, order.unit), on="terminal")


def _row(evaluations: Sequence[Result], group: _Group) -> tuple[Cell, ...]:
    pairs = zip(evaluations, group.figures, strict=True)
    figures = (Value(value=e, format="share", metric=evaluation.metric(evaluation.headline)) for evaluation, e in pairs)
    graded = [e.graded for e in group.figures if e is not None]
    return (group.name, words.format_range(min(graded), max(graded)), *figures)


def _which(many: int, evaluations: Sequence[Result], order: Order) -> str:
    """Which groups are shown, and in what order."""
    if not order.ranks:
        return "all of them, by name"
    weakest = "weakest first" + (" by the mean over models" if len(evaluations) > 1 else "")
    return f"{f'{ENDS} weakest and {ENDS} strongest of {many}' if many > ALL_UP_TO else 'all of them'}, {weakest}"


def _remarks(
    evaluations: Sequence[Result],
    groups: Sequence[_Group],
    orders: dict[str, Order],
    spreads: Sequence[tuple[Result, Gap]],
    *,
    told: bool,
) -> Iterator[Block]:
    """What has to be known before groups are compared."""
    places = sum(group.kind == "place" for group in groups)
    if places > 1:
        pairs = (
            f"The table shows {places} places, {places * (places - 1) // 2:,} pairs to compare. Differences between "
            "neighbouring places are rarely real, and the interval of one place does not show its rank among many."
        )
        yield Text(words=pairs, role="explanation")
    if spreads:
        headline = evaluations[0].metric(evaluations[0].headline)
        gaps = (_of_spread(each, describe_spread(found, headline)) for each, found in spreads)
        yield Text(words=("Points between the best and the worst place: ", *words.joined(gaps, "; "), "."))
        yield Text(words=DEALT, role="explanation" if told else "body")
    if orders:
        every = (words.describe_order(each.kind, each.found, each.unit) for each in orders.values())
        yield Listing(tuple(every), on="page")
        means = f", of means over the {len(evaluations)} models" if len(evaluations) > 1 else ""
        reliability = (
            f"Reliability: how far the figures of groups would agree with figures from other {evaluations[0].counted} "
            f"of the same kind, from 0 to 1{means}."
        )
        yield Text(words=reliability, role="explanation")
    missing = dict.fromkeys(
        format_missing(e.missing) for group in groups for e in group.figures if e is not None and e.missing
    )
    if missing:
        why = f"Reasons for “too few” and for missing intervals: {'; '.join(missing)}."
        yield Text(words=why, role="explanation")
    card = evaluations[0].card
    yield Text(words=" ".join((UNWEIGHTED, *(card.notes if card else ()))), role="explanation")


def _of_spread(evaluation: Result, told: str) -> tuple[Inline, ...]:
    """A model's gap, with what has to be known of its answers."""
    return Span(evaluation.label, "model"), f" {told}", *words.marks_of(evaluation.whole())


def describe_spread(found: Gap, metric: Metric | None) -> str:
    """The gap in points with its yardsticks: `48 (33 by chance, p = 0.004; 29 noise-corrected)`."""
    digits, scale = (0, 100) if words.is_share(metric) else (1, 1)
    shrunk = "" if isnan(found.shrunken) else f"; {scale * found.shrunken:.{digits}f} noise-corrected"
    gap, null = (f"{scale * size:.{digits}f}" for size in (found.gap, found.null))
    return f"{gap} ({null} by chance, {words.format_p(found.p)}{shrunk})"


def _metrics(evaluations: Sequence[Result], slug: str) -> Details:
    names = dict.fromkeys(name for evaluation in evaluations for name in evaluation.metrics)
    heads: Heads = ("Metric", *(Span(each.label, "model") for each in evaluations))
    rows = (_of_metric(evaluations, name) for name in names)
    table = Table.of(f"All metrics of {evaluations[0].benchmark}", heads, rows)
    return Details(summary="All metrics over everything", blocks=(table,), id=f"{slug}-metrics")


def _of_metric(evaluations: Sequence[Result], name: str) -> tuple[Cell, ...]:
    metric = evaluations[0].metric(name)
    head = Stack((name, Span(f"{metric.says}; n counts {metric.unit}s", "soft"))) if metric else name
    absent = Span("not in this run", "missing")
    figures = ((evaluation.whole(name), evaluation.metric(name)) for evaluation in evaluations)
    return head, *(absent if e is None else Value(value=e, metric=described) for e, described in figures)


def _notes(evaluations: Sequence[Result]) -> Iterator[str]:
    """What a terminal says of how figures were made; the page says all of it under the figures."""
    for remark in dict.fromkeys(remark for evaluation in evaluations for remark in evaluation.provenance.remarks):
        those = [evaluation.label for evaluation in evaluations if remark in evaluation.provenance.remarks]
        yield remark if len(those) == len(evaluations) else f"{', '.join(those)}: {remark}"
    for evaluation in evaluations:
        yield from (f"{evaluation.label}{told}." for told in _notes_on(evaluation))
        for model, usage in evaluation.provenance.models.items():
            yield from (f"{model}: {note}." for note in (*usage.altered, *usage.odd))
            if usage.recording is not None:
                yield f"{model}: {describe_recording(usage.recording)}."


def _notes_on(evaluation: Result) -> Iterator[str]:
    causes = evaluation.causes()
    if causes:
        ends = words.format_bounds(evaluation.whole(), evaluation.metric(evaluation.headline))
        bounds = f"; {ends[0]} if all were wrong, {ends[1]} if all were right" if ends else ""
        yield f": {sum(causes.values()):,} ungraded ({words.format_causes(causes)}){bounds}"
        for cause, body in evaluation.refused_with().items():
            yield f": {cause}; the endpoint said: {words.said_by_server(body)}"
    similarity = option_similarity.describe_tests(evaluation.estimates)
    if similarity:
        yield f": {similarity}"
    for gone in evaluation.provenance.departures:
        yield f" departs from the protocol: {gone.setting} {gone.used} (published: {gone.published})"
    if evaluation.own_judges:
        yield f" judges itself ({', '.join(evaluation.own_judges)}): models tend to prefer their own answers"
