"""Two runs, told: which headlines differ, which do not, and what must be known of them; then each benchmark by itself.

Comparison ─▶ the headlines and what was left out; each pair of results of it ─▶ its differences and outcomes.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mores.analysis.answer_quality import describe_quality
from mores.analysis.comparison import Compared, Comparison
from mores.analysis.contrast import metric_range
from mores.analysis.differences import (
    DescribedComparison,
    DifferenceTables,
    describe_comparison,
    difference_blocks,
    difference_table,
    family_blocks,
    family_view,
    headline_table,
    other_metric_blocks,
    outcome_blocks,
    outcome_table,
)
from mores.analysis.outcomes import BETTER, DECLINED, UNSTABLE, slug_of, units_link
from mores.analysis.results import Result
from mores.analysis.thinking import THINKING_ANALYSIS, result_of
from mores.core.estimate import Estimate, cautioned
from mores.tables import Analysis, AnalysisResult, Column, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import (
    Axis,
    Block,
    BulletList,
    Cell,
    CellValue,
    Chart,
    DefinitionList,
    Finding,
    Inline,
    Paragraph,
    Span,
    Stack,
    Words,
)
from mores.tables.columns import BENCHMARK, MODEL
from mores.tables.missing_texts import format_caution

TABLES = DifferenceTables(
    headline_table("headlines", "B against A on each benchmark"),
    difference_table("differences", "Differences of two runs"),
    outcome_table("outcomes", "Right and wrong in two runs"),
)
LEFT_OUT = Table.of(
    "left_out",
    "What was not compared",
    Column("run", "text", "`A` or `B` that alone has it, or `both` where code failed"),
    MODEL,
    BENCHMARK,
    Column("paired", "flag", "false where the whole model has no counterpart"),
)
SHOWN = 8
"""Places that a sentence names of all that differ, and groups that a terminal shows of a family."""
NO_SKILL = {"form_differs", "nobody_thought"}
"""Notes on what may make of a difference none of skill; they stand first."""
HOW = (
    "Differences are B − A over the units that both graded, in percentage points, or in points of a metric that is no "
    "share, with 95% intervals; negative: B is worse. A number leads to the items behind it, word for word."
)


class ComparedPart(NamedTuple):
    """One of all that are compared."""

    comparison: Comparison
    compared: Compared

    @property
    def anchor(self) -> str:
        """Anchor of its section."""
        return slug_of(f"{self.compared.benchmark}-{self.compared.b.label}")

    @property
    def title(self) -> Words:
        """The title of its section: the benchmark, its headline, and the model where there are several."""
        first, several = self.compared.a, len(self.comparison.pairs) > 1
        own = (": ", Span(self.compared.b.model, "model")) if several else ()
        name = f"{first.card.title} " if first.card else ""
        made_up = words.made_up(simulated=self.compared.simulated)
        return (name, Span(first.benchmark, "code"), f" · {first.headline}", *own, *made_up)

    @property
    def described(self) -> DescribedComparison:
        """Its rows."""
        p = next((each.p for each in self.comparison.one_sided if each.compared is self.compared), None)
        return describe_comparison(TABLES, self.compared, self.compared.a.model, self.compared.b.model, p)


def parts_of(comparison: Comparison) -> Iterator[ComparedPart]:
    """All that were compared, in order."""
    return (ComparedPart(comparison, compared) for compared in comparison.compared)


def analyse(comparison: Comparison) -> AnalysisResult:
    """All headlines, what differs and what does not, and what was left out."""
    rows = tuple(row for part in parts_of(comparison) for row in part.described.headlines.rows)
    headlines = TABLES.headlines.filled(rows)
    left = LEFT_OUT.filled(map(tuple, (*comparison.left_out, *comparison.failed)))
    found = tuple(findings(comparison))
    return AnalysisResult(
        tables=(headlines, left),
        blocks=(
            DefinitionList(tuple(_of_what(comparison))),
            *blocks_of(headlines, _view(comparison, rows)),
            Paragraph(HOW, "explanation"),
            BulletList(tuple((*words.inline_parts(each.words), " ", *words.inline_parts(each.sure)) for each in found)),
        ),
        findings=found,
    )


def analyse_part(part: ComparedPart) -> AnalysisResult:
    """One benchmark: its difference, how units went, where it lies, and what else differs."""
    described = part.described
    return AnalysisResult(tables=(described.differences, described.outcomes), blocks=tuple(_part_blocks(described)))


def _part_blocks(described: DescribedComparison) -> Iterator[Block]:
    yield from difference_blocks(described)
    yield from outcome_blocks(described)
    yield from family_blocks(described, lambda kind: _weightiest(described, kind))
    yield from other_metric_blocks(described.compared)


def _weightiest(described: DescribedComparison, kind: str) -> Iterator[Block]:
    """Groups that differ, those with the smallest p: a terminal has no room for all."""
    members = {each.group.value: each for each in described.compared.families[kind] if each.difference}
    # groups without a test last; equal p by name, so that the order is always the same
    by_p = sorted(members.values(), key=lambda each: (each.p is None, each.p or 0, each.group.value))
    if len(by_p) > SHOWN:
        yield Paragraph(f"The {SHOWN} with the smallest p:", on="terminal")
    names = [each.group.value for each in by_p[:SHOWN]]
    rows = {row[described.at(kind)]: row for row in described.differences.rows}
    yield from blocks_of(
        described.differences, family_view(described, kind, [rows[name] for name in names], on="terminal")
    )


def describe_left_out(comparison: Comparison, most: int | None = None) -> str:
    """Models and benchmarks of one run only, in a sentence that names so many at most, and those that failed."""
    several = len(comparison.pairs) > 1
    names = (
        f"{left.model} ({left.run})" if not left.paired
        else f"{left.benchmark} by {left.model} ({left.run})" if several
        else f"{left.benchmark} ({left.run})"
        for left in comparison.left_out
    )  # fmt: skip
    texts = list(dict.fromkeys(names))
    more = f" and {len(texts) - most} more" if most is not None and len(texts) > most else ""
    alone = f"In one run only, so not compared: {', '.join(texts[:most])}{more}." if texts else ""
    broken = ", ".join(f"{each.benchmark} by {each.model}" for each in comparison.failed)
    failed = f"Could not be compared, by an error of code: {broken}." if broken else ""
    return " ".join(filter(None, (alone, failed)))


def _of_what(comparison: Comparison) -> Iterator[tuple[Words, tuple[Words, ...]]]:
    for side, run in enumerate((comparison.run_a, comparison.run_b)):
        models = (Span(pair[side], "model") for pair in comparison.pairs)
        yield "AB"[side], ((*words.joined(models), f" in {run}"),)
    if left := describe_left_out(comparison):
        yield "Left out", (left,)


# All headlines side by side.


def _view(comparison: Comparison, rows: Sequence[Row]) -> View:
    """A row a headline, with how far it differs on one scale for all, and counts that lead to the items behind them."""
    parts = {id(row): part for row, part in zip(rows, parts_of(comparison), strict=True)}
    several, reach = len(comparison.pairs) > 1, _reach(comparison)

    def leading(key: str, title: str, change: str) -> Show:
        at = TABLES.headlines.at(key)

        def target(row: Row) -> str:
            return units_link(parts[id(row)].compared.b, change=change) if row[at] else ""

        return Show(key, title, target=target)

    return View(
        title=TABLES.headlines.title,
        rows=tuple(rows),
        shown=(
            Show("benchmark", sort="ascending", target=lambda row: f"#{parts[id(row)].anchor}"),
            *((Show("model_b", "Model", sort="ascending"),) if several else ()),
            Show("units", minor=True),
            Show("a", "A", write=lambda row: _mean(parts[id(row)].compared.a, parts[id(row)].compared)),
            Show("b", "B", write=lambda row: _mean(parts[id(row)].compared.b, parts[id(row)].compared)),
            Show("difference", write=lambda row: _with_picture(parts[id(row)].compared, reach)),
            Show("p", minor=True),
            Show("p_holm", sort="ascending"),
            leading("right_in_a", "Right in A alone", DECLINED),
            leading("right_in_b", "Right in B alone", BETTER),
            leading("unstable", "Unstable", UNSTABLE),
        ),
        id="headlines",
    )


def _mean(side: Result, compared: Compared) -> tuple[Inline, ...]:
    """A mean as it is shown, with the mark of answers that mostly could not be used, and its judge band."""
    mean = compared.whole.a if side is compared.a else compared.whole.b
    units = compared.whole.units
    judged = side.marked(Estimate(metric=side.headline, value=mean, asked=units, graded=units))
    band = words.banded(judged, compared.described)
    return CellValue(mean, "share", compared.described), *words.marks_of(side.overall()), *band


def _reach(comparison: Comparison) -> float:
    """Half-width of the scale of all pictures, as a share of each metric's range: to the farthest end."""
    ends = (
        abs(end) / metric_range(each.described)
        for each in comparison.compared
        for end in (each.whole.difference, each.whole.low, each.whole.high)
        if end is not None
    )
    return max(ends, default=0.0) or 1.0


def _with_picture(compared: Compared, reach: float) -> Cell:
    """The difference with its interval, and both on a scale that has nothing in its middle."""
    whole, far = compared.whole, reach * metric_range(compared.described)
    figure = Estimate(metric=compared.metric, value=whole.difference, low=whole.low, high=whole.high, asked=0, graded=0)
    axis = Axis(low=-far, high=far, mark=0.0, share=words.is_share(compared.described))
    picture = Chart.interval(cautioned(figure, whole.caution), axis)
    return Stack((CellValue(whole, metric=compared.described), picture))


# What is found, sentence by sentence.


def findings(comparison: Comparison) -> Iterator[Finding]:
    """Findings: what may not be skill, headlines that differ, those that do not, places, and notes."""
    compared = comparison.compared
    notes = dict.fromkeys(note for each in compared for note in each.notes)
    for note in notes:
        if note.code in NO_SKILL:
            yield Finding(words=f"Caution: {format_caution(note)}.", id="headlines.no_skill", weight="doubtful")
    yield from _broken(compared)
    yield from _better(compared)
    if level := [each for each in compared if not each.found]:
        least = words.describe_detectable(each.whole for each in level) if _are_shares(level) else ""
        text = f"No difference is found on {_named(level, compared)}."
        yield Finding(words=text, sure=least, id="headlines.level", weight="differs", found=False)
    yield from _differing_places(compared)
    for note in notes:
        if note.code not in NO_SKILL:
            yield Finding(words=f"Note: {format_caution(note)}.", id="headlines.note")


def _broken(compared: Sequence[Compared]) -> Iterator[Finding]:
    """Findings on answers that could not be used, before anything is said of their figures."""
    for each in compared:
        for side, result in (("A", each.a), ("B", each.b)):
            if result.quality.is_reported:
                text = f"Caution, {side} on {each.benchmark}: {describe_quality(result.quality)}."
                yield Finding(words=text, id="headlines.broken", weight="doubtful")


def _better(compared: Sequence[Compared]) -> Iterator[Finding]:
    for ahead, who in ((True, "B"), (False, "A")):
        if better := [each for each in compared if each.found and each.b_is_better is ahead]:
            yield Finding(
                words=f"{who} is better on {_named(better, compared)}.", id="headlines.better", weight="differs"
            )


def _differing_places(compared: Sequence[Compared]) -> Iterator[Finding]:
    for each in compared:
        if differing := [words.group_name(*place.group) for place in each.places if place.found]:
            more = f" and {len(differing) - SHOWN} more" if len(differing) > SHOWN else ""
            text = f"On {each.benchmark} places differ after Holm's correction: {', '.join(differing[:SHOWN])}{more}."
            yield Finding(words=text, id="headlines.places")


def _named(some: Sequence[Compared], every: Sequence[Compared]) -> str:
    """Their benchmarks, and of how many models each where not of all."""
    own, models = (Counter(each.benchmark for each in held) for held in (some, every))
    parts = {
        name: f" ({count} of {models[name]} models)" if count < models[name] else "" for name, count in own.items()
    }
    return words.benchmarks_named([f"{name}{part}" for name, part in parts.items()])


def _are_shares(compared: Sequence[Compared]) -> bool:
    """True where sizes on all of them are in the same points."""
    return all(words.is_share(each.described) for each in compared)


HEADLINES_ANALYSIS: Analysis[Comparison] = Analysis(
    id="headlines", title="Results", tables=(TABLES.headlines, LEFT_OUT), analyse=analyse
)
THINKING_IN_TWO: Analysis[Comparison] = Analysis(
    id=THINKING_ANALYSIS.id,
    title=THINKING_ANALYSIS.title,
    tables=THINKING_ANALYSIS.tables,
    analyse=lambda comparison: result_of(comparison.thinking),
)
"""The same of models that were told otherwise in B."""
DIFFERENCES_ANALYSIS = Analysis(
    id="differences", title="Differences", tables=(TABLES.differences, TABLES.outcomes), analyse=analyse_part
)
