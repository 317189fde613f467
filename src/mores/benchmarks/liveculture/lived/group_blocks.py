"""Figures of days by nationality, number of cultures and kind of place as blocks, with trends and adjusted figures."""

from collections.abc import Iterator, Sequence

from mores.analysis.results import Result
from mores.benchmarks.liveculture.lived.days import READINGS, Town
from mores.benchmarks.liveculture.lived.groups import CULTURES, LOCATION, NATIONALITY, Group, name_of
from mores.benchmarks.liveculture.lived.groups import Table as Grouped
from mores.benchmarks.liveculture.lived.reading import ADHERENCE, GOAL
from mores.benchmarks.liveculture.lived.trend import FIVE
from mores.blocks import Block, Cell, Column, Details, Span, Stack, Table, Text, Value, Words
from mores.blocks import formatting as words
from mores.stats.intervals import MIN_CLUSTERS

NAMES = {
    "adherence_step": "Steps without a violation",
    "adherence_mean": "Norms not violated, of all of the place",
    "adherence_applicable": "Norms respected, of those that came up",
    "not_applicable": "Norms that did not apply",
    "goal": "Tasks done",
    "on_time": "Done in time",
    "faithfulness": "Fits the profile",
    "context": "Fits the situation",
    "coherence": "Follows from before",
}
TITLES = {
    NATIONALITY: "By nationality of the resident",
    CULTURES: "By number of cultures met",
    LOCATION: "By kind of place",
}
ABOUT = {
    NATIONALITY: "Each resident is held to the norms of its own origin, and origins differ in how many norms are known "
    "of them.",
    CULTURES: "The origins of those the resident spoke with, its own included: days sort themselves into these groups, "
    "so that a day of many cultures is a day of much talk too.",
    LOCATION: "Steps at each kind of place, averaged within the day. What gets done is of a whole day, not of a place.",
}
IN_PLAY_TOLD = (
    "Where many norms are known more can be violated, and the verifier can err on more, at each step. The adjusted "
    "figure is that with as many norms in play everywhere as at a step on average. How the share falls with their "
    "number is found within each group, between "
)
BETWEEN = {
    NATIONALITY: "kinds of place, so that what these differ in besides goes into it.",
    LOCATION: "origins of which different numbers are known, so that what these differ in besides goes into it.",
}


def group_blocks(table: Grouped, found: Town) -> Iterator[Block]:
    """Figures by one kind of group, with what is tested or adjusted of them."""
    yield Text(words=TITLES[table.kind], role="heading", id=f"town-{table.kind}")
    both = "Kept is the share of steps without a violation, done that of tasks done."
    count, models = len(table.groups), words.plural(len(table.evaluations), "model")
    yield Text(
        words=f"{ABOUT[table.kind]} {both if table.has_goal else 'The share of steps without a violation.'} Figures of "
        f"groups side by side, {count} groups of {models}; no difference between groups is tested, and intervals are "
        "not corrected for their number.",
        role="explanation",
    )
    rows = [_row(table, group) for group in table.enough]
    if table.few:
        rows.append((f"Too few days (under {MIN_CLUSTERS}): no claim rests on these",))
        rows += [_row(table, group) for group in table.few]
    yield Table.of(TITLES[table.kind], ("Group", *map(who_of, table.evaluations)), rows)
    if table.kind == CULTURES:
        yield from _trends(found)
    yield from _in_play(table.kind, found)
    papers = FIVE if table.has_goal else tuple(metric for metric in FIVE if metric != GOAL)
    for number, evaluation in enumerate(table.evaluations):
        who, what = words.as_words(who_of(evaluation)), Span(TITLES[table.kind].lower(), "soft")
        summary = ("The paper’s metrics and all readings of ", *who, " ", what)
        blocks = (_metrics(table, number, papers, "The paper’s metrics"),
                  _metrics(table, number, READINGS, "All readings"))  # fmt: skip
        yield Details(summary=summary, blocks=blocks, id=f"town-{table.kind}-{number + 1}")


def _row(table: Grouped, group: Group) -> tuple[Cell, ...]:
    name: Words = group.name if group.name == group.value else (group.name, " ", Span(group.value, "soft"))
    kept = [figures.get(ADHERENCE) for figures in group.figures]
    if not table.has_goal:
        return (name, *kept)
    done = [figures.get(GOAL) for figures in group.figures]
    pairs = zip(kept, done, strict=True)
    return (name, *(Stack((("kept ", Value(value=k)), ("done ", Value(value=d)))) for k, d in pairs))


def _metrics(table: Grouped, number: int, metrics: Sequence[str], what: str) -> Table:
    rows = (
        (group.name, *(group.figures[number].get(metric) for metric in metrics))
        for group in (*table.enough, *table.few)
    )
    return Table.of(f"{what} {TITLES[table.kind].lower()}", ("Group", *(NAMES[metric] for metric in metrics)), rows)


def _trends(found: Town) -> Iterator[Block]:
    if not found.trends:
        return
    tested = [trend for _, trend in found.trends if trend.p is not None]
    yield Text(
        words="Change of each figure for one culture more: a slope over days in points, clustered by resident; seven "
        f"stands for more too. p is corrected by Holm for the {len(tested)} slopes tested here, of which "
        f"{sum(trend.found for trend in tested)} differ from 0 at .05. Days are not drawn into numbers of cultures, so "
        "that a slope need not be their effect: --set cultures=N draws them.",
        role="explanation",
    )
    columns = (
        *("Model", "Share", "Change for one culture more"),
        Column(title=f"p (Holm, {len(tested)})", format="p"),
        Column(title="n, days", format="count"),
    )
    rows = (
        (who_of(evaluation), NAMES[trend.metric], trend, trend.p_adjusted, trend.units)
        for evaluation, trend in found.trends
    )
    yield Table.of("Trend over the number of cultures", columns, rows)


def _in_play(kind: str, found: Town) -> Iterator[Block]:
    own = [each for each in found.in_play if each.by == kind]
    if own:
        yield Text(words=IN_PLAY_TOLD + BETWEEN[kind], role="explanation")
    for each in own:
        columns = (
            *("Group", NAMES[ADHERENCE], f"With {each.in_play:.0f} norms in play everywhere"),
            Column(title="Norms in play", format="mean"),
        )
        rows = ((name_of(kind, one.group), one.raw, one.adjusted, one.in_play) for one in each.groups)
        caption = f"Adherence {TITLES[kind].lower()}, adjusted for norms in play: {each.evaluation.label}"
        yield Table.of(caption, columns, rows)
        if each.factor.value is not None:
            told = (
                ": each further norm in play multiplies the share of steps without a violation by "
                f"{each.factor.value:.3f} [{each.factor.low:.3f}, {each.factor.high:.3f}], n {each.factor.graded} days."
            )
            yield Text(words=(*words.as_words(who_of(each.evaluation)), told))


def who_of(evaluation: Result) -> Words:
    """A model's name, marked where it was simulated."""
    return words.subject(evaluation.label, simulated=evaluation.simulated)
