"""Figures of days by nationality, number of cultures and kind of place as views, with trends and adjusted figures."""

from collections.abc import Iterator, Mapping, Sequence

from mores.benchmarks.liveculture.results.groups import CULTURES, FIVE, LOCATION, NATIONALITY, TownGroupTable, name_of
from mores.benchmarks.liveculture.results.town import FACTORS, GROUPS, IN_PLAY, NAMES, TRENDS
from mores.benchmarks.liveculture.results.town_runs import ADHERENCE, GOAL, READINGS, STEP
from mores.core.card import Metric
from mores.stats.intervals import MIN_CLUSTERS
from mores.tables import FilledTable, Row, Show, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, Cell, CellValue, Details, Paragraph, Span, Stack, Words

TITLES = {
    NATIONALITY: "By nationality of the resident",
    CULTURES: "By number of cultures met",
    LOCATION: "By kind of place",
}
ABOUT = {
    NATIONALITY: "Each resident is held to the norms of its own origin, and origins differ in how many norms are known "
    "of them: held against each other are adjusted figures alone.",
    CULTURES: "The origins of those the resident spoke with, its own included: days sort themselves into these groups, "
    "so that a day of many cultures is a day of much talk too, and a day on which tasks are left is a longer one.",
    LOCATION: "Steps at each kind of place, averaged within the day. What gets done is of a whole day, not of a place.",
}
FEW = f"Too few days (under {MIN_CLUSTERS}): no claim rests on these"
IN_PLAY_NOTE = (
    "Where many norms are known, those that come up at a step are a smaller part of them, and the verifier can err on "
    "more. The adjusted figure is that with as many norms in play everywhere. How a figure changes with their number "
    "is found within each group, between "
)
BETWEEN = {
    NATIONALITY: "kinds of place, so that what these differ in besides goes into it.",
    LOCATION: "origins of which different numbers are known, so that what these differ in besides goes into it.",
}


_KIND = GROUPS.getter("by", "group")
_FIGURE = GROUPS.getter("evaluation", "group", "metric", "figure")
_ADJUSTED = GROUPS.getter("adjusted")
_OWN = IN_PLAY.getter("evaluation", "by", "metric")


def name_of_metric(metric: Metric) -> str:
    """Title of a metric; its own name where no other is known."""
    return NAMES.get(metric.name, metric.name)


def by_metric(
    title: str, filled: FilledTable, rows: Sequence[Row], known: Sequence[str], *first: Show | str
) -> Iterator[Block]:
    """Figures with a column a metric: the known ones in their order, then those that have no other name anywhere."""
    at = filled.table.metric_at or 0
    kept = tuple(row for row in rows if row[at].name in known or row[at].name not in NAMES)
    heads = {name: NAMES[name] for name in known}
    view = View(title=title, rows=kept, shown=first, across="metric", cell="figure", heads=heads)
    yield from blocks_of(filled, view)


def group_blocks(table: TownGroupTable, filled: Mapping[str, FilledTable]) -> Iterator[Block]:
    """Figures by one kind of group, with what is tested or adjusted of them."""
    yield Paragraph(words=TITLES[table.kind], role="heading", id=f"town-{table.kind}")
    groups = filled[GROUPS.id]
    rows = tuple(row for row in groups.rows if _KIND(row)[0] == table.kind)
    read = ["Kept is the share of norms that are not violated, of all of the place"]
    if any(_ADJUSTED(row) is not None for row in rows):
        read.append("adjusted is the same with as many norms in play everywhere")
    if table.has_goal:
        read.append("done is the share of tasks done")
    count, models = len(table.groups), words.plural(len(table.evaluations), "model")
    yield Paragraph(
        words=f"{ABOUT[table.kind]} {'; '.join(read)}. Figures of groups side by side, {count} groups of {models}; no "
        "difference between groups is tested, and intervals are not corrected for their number.",
        role="explanation",
    )
    yield from blocks_of(groups, _side_by_side(table, rows))
    if table.kind == CULTURES:
        yield from _trends(filled[TRENDS.id])
    yield from _in_play(table.kind, filled)
    for number, evaluation in enumerate(table.evaluations):
        own = [row for row in rows if _FIGURE(row)[0] is evaluation]
        yield from _metrics(groups, own, table.kind, number)


def _side_by_side(table: TownGroupTable, rows: Sequence[Row]) -> View:
    """A row a group, a column a model, whose cell has both figures; those of too few days stand last."""
    cells: dict[tuple[int, str], dict[str, Row]] = {}
    for row in rows:
        evaluation, group, metric, _ = _FIGURE(row)
        if metric.name in {ADHERENCE, GOAL}:
            cells.setdefault((id(evaluation), group), {})[metric.name] = row

    def cell(row: Row) -> Cell:
        evaluation, group, *_ = _FIGURE(row)
        own = cells[id(evaluation), group]
        kept, done = (_FIGURE(own[name])[-1] if name in own else None for name in (ADHERENCE, GOAL))
        adjusted = _ADJUSTED(own[ADHERENCE]) if ADHERENCE in own else None
        shown = [("kept", kept)]
        shown += [("adjusted", adjusted)] if adjusted is not None else []
        shown += [("done", done)] if table.has_goal else []
        return Stack(tuple((f"{name} ", CellValue(value=each)) for name, each in shown))

    return View(
        title=TITLES[table.kind],
        rows=tuple(next(iter(own.values())) for own in cells.values()),
        shown=(Show(key="group", write=_name),),
        across="model",
        cell=Show(key="figure", write=cell),
        heads={each.label: words.subject_of(each) for each in table.evaluations},
        over=Show(key="few", write=lambda row: FEW if GROUPS.getter("few")(row) else ""),
    )


def _name(row: Row) -> Words:
    """A group's name, and its code where that is another."""
    name, (_, code) = name_of(*_KIND(row)), _KIND(row)
    return name if name == code else (name, " ", Span(code, "soft"))


def _metrics(filled: FilledTable, rows: Sequence[Row], kind: str, number: int) -> Iterator[Block]:
    """All figures of one model by group, the paper's first."""
    if not rows:
        return
    what, name = TITLES[kind].lower(), Show(key="group", write=lambda row: name_of(*_KIND(row)))
    readings = [row for row in rows if _FIGURE(row)[2].name in READINGS]
    blocks = (
        *by_metric(f"The paper’s metrics {what}", filled, rows, FIVE, name),
        *by_metric(f"All readings {what}", filled, readings, READINGS, name),
    )
    summary = (
        "The paper’s metrics and all readings of ",
        *words.subject_of(_FIGURE(rows[0])[0]),
        " ",
        Span(what, "soft"),
    )
    yield Details(summary=summary, blocks=blocks, id=f"town-{kind}-{number + 1}")


def _trends(filled: FilledTable) -> Iterator[Block]:
    if not filled.rows:
        return
    tested = [trend for *_, trend in filled.rows if trend.p is not None]
    yield Paragraph(
        words="Change of each figure for one culture more: a slope over days in points, clustered by resident; seven "
        f"stands for more too. p is corrected by Holm for the {len(tested)} slopes tested here, of which "
        f"{sum(trend.found for trend in tested)} differ from 0 at .05. Days are not drawn into numbers of cultures, so "
        "that a slope need not be their effect: --set cultures=N draws them.",
        role="explanation",
    )
    shown = (
        "model",
        Show(key="metric", write=lambda row: name_of_metric(TRENDS.getter("metric")(row))),
        "change",
        "p_holm",
        Show(key="units", title="n, days"),
    )
    yield from blocks_of(filled, View(title=filled.table.title, rows=filled.rows, shown=shown))


def _in_play(kind: str, filled: Mapping[str, FilledTable]) -> Iterator[Block]:
    factors = [row for row in filled[FACTORS.id].rows if FACTORS.getter("by")(row) == kind]
    if factors:
        yield Paragraph(words=IN_PLAY_NOTE + BETWEEN[kind], role="explanation")
    groups, at = filled[IN_PLAY.id], IN_PLAY.getter("at")
    for evaluation, _, metric, factor, order in factors:
        rows = tuple(row for row in groups.rows if _OWN(row) == (evaluation, kind, metric))
        if order is not None:
            text = words.describe_order(kind, order, evaluation.counted)
            yield Paragraph(words=(*words.subject_of(evaluation), f", {metric.name} adjusted: {_lower(text)}"))
        if metric.name == STEP:
            continue
        if order is not None and order.ranks:
            rows = tuple(sorted(rows, key=_weakest_first))
        shown = (
            Show(key="group", write=lambda row: name_of(*IN_PLAY.getter("by", "group")(row))),
            Show(key="adherence", title=name_of_metric(metric)),
            Show(key="adjusted", title=f"With {at(rows[0]):.0f} norms in play everywhere"),
            Show(key="in_play", format="mean"),
        )
        title = f"{name_of_metric(metric)}, {TITLES[kind].lower()}, adjusted for norms in play: {evaluation.label}"
        yield from blocks_of(groups, View(title=title, rows=rows, shown=shown))
        if factor.value is not None:
            text = (
                f": twice as many norms in play as {at(rows[0]):.0f} multiply {metric.name} by {factor.value:.3f} "
                f"[{factor.low:.3f}, {factor.high:.3f}], n {factor.graded} days."
            )
            yield Paragraph(words=(*words.subject_of(evaluation), text))


def _weakest_first(row: Row) -> float:
    adjusted = IN_PLAY.getter("adjusted")(row)
    return 2.0 if adjusted is None or adjusted.value is None else float(adjusted.value)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
