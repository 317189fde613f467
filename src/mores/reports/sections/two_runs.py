"""The page and the findings of `mores compare`: what differs, how units went in both, and the items that changed."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from mores.analysis.answers import describe_quality
from mores.analysis.comparison import Compared, Comparison
from mores.analysis.contrast import Contrast, reach_of
from mores.analysis.outcomes import STATES, Outcomes
from mores.analysis.results import Result
from mores.blocks import (
    Axis,
    Block,
    Cell,
    Chart,
    Column,
    Heads,
    Inline,
    Listing,
    Section,
    Span,
    Stack,
    Table,
    Terms,
    Text,
    Value,
    Words,
)
from mores.blocks import formatting as words
from mores.blocks.reasons import format_caution
from mores.core.card import Metric
from mores.core.estimate import Estimate, cautioned
from mores.reports.browse import BETTER, UNSTABLE, WORSE, units_link
from mores.reports.parts import made_section
from mores.reports.sections.comparison import compared_blocks
from mores.reports.sections.front import measured
from mores.reports.sections.summary import title_of
from mores.reports.sections.thinking import thinking_blocks

SHOWN = 8
"""Places that a sentence names of all that differ."""
FEW = 2
"""Benchmarks up to which all that is said of each is open."""
NO_SKILL = {"form_differs", "nobody_thought"}
"""Notes on what may make of a difference none of skill; they stand first."""
HOW = (
    "Differences are B − A over the units that both graded, in percentage points, or in points of a metric that is no "
    "share, with 95% intervals; negative: B is worse. A number leads to the items behind it, word for word."
)
TURNED = "Unstable: another sample of it went another way, or repeated votes of a judge on it disagree, in A or in B."


def comparison_sections(comparison: Comparison) -> Iterator[Section]:
    """What differs over everything, then each benchmark by itself."""
    made: dict[str, Callable[[], Section | None]] = {
        "results": partial(_summary, comparison),
        "thinking": partial(_thinking, comparison),
    }
    own = {f"{each.benchmark} by {each.b.label}": partial(_section, each, comparison) for each in comparison.compared}
    found = (made_section(name, make) for name, make in (made | own).items())
    return (each for each in found if each is not None)


def _summary(comparison: Comparison) -> Section:
    found = Listing(tuple(findings(comparison)))
    blocks = (Terms(tuple(_compared(comparison))), _table(comparison), Text(words=HOW, role="explanation"), found)
    return Section(id="summary", title="Results", folded=False, blocks=blocks)


def _thinking(comparison: Comparison) -> Section | None:
    if not comparison.thinking:
        return None
    told = tuple(thinking_blocks(comparison.thinking))
    return Section(id="thinking", title="With and without thinking", folded=False, blocks=told)


def _section(each: Compared, comparison: Comparison) -> Section:
    return Section(
        id=_anchor(each),
        title=_title(each, comparison),
        folded=len(comparison.compared) > FEW,
        blocks=tuple(compared_blocks(each, each.a.model, each.b.model, outcome_blocks(each))),
    )


def comparison_title(comparison: Comparison) -> str:
    """What was compared, in a line."""
    (a, b), *others = comparison.pairs
    models = words.plural(len(others) + 1, "model") if others else a
    who = f"{a} against {b}" if a != b else f"{models} in two runs"
    return f"{', '.join(measured([each.a for each in comparison.compared]))}: {who}"


def describe_left_out(comparison: Comparison, most: int | None = None) -> str:
    """What only one run has, in a sentence that names so many at most, and what failed; empty for nothing."""
    several = len(comparison.pairs) > 1
    names = (
        f"{left.model} ({left.run})" if not left.paired
        else f"{left.benchmark} by {left.model} ({left.run})" if several
        else f"{left.benchmark} ({left.run})"
        for left in comparison.left_out
    )  # fmt: skip
    told = list(dict.fromkeys(names))
    more = f" and {len(told) - most} more" if most is not None and len(told) > most else ""
    alone = f"In one run only, so not compared: {', '.join(told[:most])}{more}." if told else ""
    failed = f"Could not be compared, by an error of code: {', '.join(comparison.failed)}." if comparison.failed else ""
    return " ".join(filter(None, (alone, failed)))


def findings(comparison: Comparison) -> Iterator[str]:
    """What may not be skill at all, which headlines differ, which do not, in which places, and what must be known."""
    compared = comparison.compared
    notes = dict.fromkeys(note for each in compared for note in each.notes)
    yield from (f"Caution: {format_caution(note)}." for note in notes if note.code in NO_SKILL)
    yield from _broken(compared)
    differ = [each for each in compared if each.found]
    for ahead, who in ((True, "B"), (False, "A")):
        names = [each.benchmark for each in differ if each.b_is_better is ahead]
        if names:
            yield f"{who} is better on {words.benchmarks_named(list(dict.fromkeys(names)))}."
    level = [each for each in compared if not each.found]
    if level:
        yield _not_found(level)
    for each in compared:
        apart = [words.group_name(*place.group) for place in each.places if place.found]
        if apart:
            more = f" and {len(apart) - SHOWN} more" if len(apart) > SHOWN else ""
            yield f"On {each.benchmark} places differ after Holm's correction: {', '.join(apart[:SHOWN])}{more}."
    yield from (f"Note: {format_caution(note)}." for note in notes if note.code not in NO_SKILL)


def _broken(compared: Sequence[Compared]) -> Iterator[str]:
    """Whose answers could not be used, before anything is said of their figures."""
    for each in compared:
        for side, result in (("A", each.a), ("B", each.b)):
            if result.quality.said:
                yield f"Caution, {side} on {each.benchmark}: {describe_quality(result.quality)}."


def figure_of(mean: float | None, result: Result, metric: Metric | None) -> tuple[Inline, ...]:
    """A mean as it is shown, with the mark of answers that mostly could not be used."""
    return Span(words.format_number(mean, metric)), *words.marks_of(result.whole())


def _not_found(level: list[Compared]) -> str:
    names = words.benchmarks_named(list(dict.fromkeys(each.benchmark for each in level)))
    share = all(words.is_share(each.described) for each in level)
    least = words.format_detectable(each.whole.minimum_detectable for each in level) if share else ""
    return f"No difference is found on {names}. {least}".rstrip()


def _compared(comparison: Comparison) -> Iterator[tuple[Words, tuple[Words, ...]]]:
    for side, run in enumerate((comparison.run_a, comparison.run_b)):
        models = (Span(pair[side], "model") for pair in comparison.pairs)
        yield "AB"[side], ((*words.joined(models), f" in {run}"),)
    left = describe_left_out(comparison)
    if left:
        yield "Left out", (left,)


def _table(comparison: Comparison) -> Table:
    family = len([each for each in comparison.compared if each.whole.p is not None])
    several, reach = len(comparison.pairs) > 1, _reach(comparison)
    columns = (
        Column(title="Benchmark", sort="ascending"),
        *((Column(title="Model", sort="ascending"),) if several else ()),
        Column(title="n", format="count", minor=True),
        "A",
        "B",
        "B − A, points",
        Column(title="p", format="p", minor=True),
        Column(title=f"p (Holm, {family})", format="p", sort="ascending"),
        "Right in A alone",
        "Right in B alone",
        "Unstable",
    )
    rows = (_cells(each, reach, several=several) for each in comparison.compared)
    return Table.of("B against A on each benchmark", columns, rows, id="headlines")


def _cells(compared: Compared, reach: float, *, several: bool) -> Iterator[Cell]:
    whole, metric, found = compared.whole, compared.described, compared.outcomes
    yield Span(compared.benchmark, "link", target=f"#{_anchor(compared)}")
    if several:
        yield Span(compared.b.model, "model")
    yield whole.units
    yield figure_of(whole.a, compared.a, metric)
    yield figure_of(whole.b, compared.b, metric)
    yield Stack((Value(value=whole, metric=metric), _picture(compared, reach)))
    yield from (whole.p, whole.p_adjusted)
    if found is None:
        yield from ("–", "–", "–")
        return
    yield _leading(compared, found.only_a, WORSE)
    yield _leading(compared, found.only_b, BETTER)
    yield _leading(compared, sum(found.unstable), UNSTABLE)


def _reach(comparison: Comparison) -> float:
    """How far from nothing the scale of all pictures goes, as a share of each metric's range: to the farthest end."""
    ends = (
        abs(end) / reach_of(each.described)
        for each in comparison.compared
        for end in (each.whole.difference, each.whole.low, each.whole.high)
        if end is not None
    )
    return max(ends, default=0.0) or 1.0


def _picture(compared: Compared, reach: float) -> Chart:
    """The difference with its interval on a scale that has nothing in its middle."""
    whole, far = compared.whole, reach * reach_of(compared.described)
    figure = Estimate(metric=compared.metric, value=whole.difference, low=whole.low, high=whole.high, asked=0, graded=0)
    figure = cautioned(figure, whole.caution)
    axis = Axis(low=-far, high=far, mark=0.0, share=words.is_share(compared.described))
    return Chart.interval(figure, axis)


def _leading(compared: Compared, count: int, change: str) -> Words:
    """A count that leads to the items which changed so."""
    return Span(f"{count:,}", "link", target=units_link(compared.b, change=change)) if count else "0"


def _anchor(compared: Compared) -> str:
    return words.slug_of(f"{compared.benchmark}-{compared.b.label}")


def _title(compared: Compared, comparison: Comparison) -> Words:
    own = (": ", Span(compared.b.model, "model")) if len(comparison.pairs) > 1 else ()
    made_up = words.made_up(simulated=compared.simulated)
    return (f"{title_of(compared.a)} ", Span(compared.benchmark, "code"), *own, *made_up)


def outcome_blocks(compared: Compared) -> Iterator[Block]:
    """How units went in both runs, as a table, and what of it is tested."""
    found = compared.outcomes
    if found is None or not compared.whole.units:
        return
    shown = [n for n, _ in enumerate(STATES) if n != 1 or any(found.counts[1]) or any(row[1] for row in found.counts)]
    heads = (f"{'wholly ' * (1 in shown and n != 1)}{STATES[n]}" for n in shown)
    named = dict(zip(shown, heads, strict=True))
    unit = f"{compared.described.unit if compared.described else 'unit'}s"
    columns: Heads = (unit.capitalize(), *(f"B {named[n]}" for n in shown),
               Column(title="All", format="count"), Column(title="Of these unstable", format="count"))  # fmt: skip
    rows: list[tuple[Cell, ...]] = [
        (f"A {named[n]}", *(_of_cell(compared, found, n, m) for m in shown), sum(found.counts[n]), found.unstable[n])
        for n in shown
    ]
    sums = (f"{sum(row[m] for row in found.counts):,}" for m in shown)
    rows.append(("All", *sums, compared.whole.units, sum(found.unstable)))
    yield Table.of(f"Right and wrong on {compared.benchmark}", columns, rows)
    yield Text(words=f"{describe_threshold(found)}{_tested(compared.whole, found)}{TURNED}", role="explanation")


def describe_threshold(found: Outcomes) -> str:
    """From which points on a unit is right, where it has seldom all of them or none."""
    if found.threshold is None:
        return ""
    return f"Most have a part of all points; right is from {found.threshold:g} points on. "


def _of_cell(compared: Compared, found: Outcomes, a: int, b: int) -> Words:
    count = found.counts[a][b]
    return f"{count:,}" if a == b else _leading(compared, count, WORSE if b > a else BETTER)


def _tested(whole: Contrast, found: Outcomes) -> str:
    """Which of the counts the test holds against each other, where it is McNemar's."""
    if whole.test != "McNemar exact" or whole.p is None:
        return ""
    return (
        f"McNemar's exact test holds {found.only_a:,} right in A alone against {found.only_b:,} in B alone: "
        f"{words.format_p(whole.p)}. "
    )
