"""Two models on one benchmark, told: their difference, what could have been seen, where it lies, and how units went.

Compared ─▶ rows of three tables (headlines, differences, outcomes) ─▶ sentences and tables of them.

Two runs are told so, and the pairs of models of one report: each has such tables under its own ids.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from mores.analysis.comparison import Compared
from mores.analysis.contrast import KINDS, Contrast
from mores.analysis.outcomes import BETTER, CHANGED, DECLINED, STATES, OutcomeCounts, units_link
from mores.core.card import Metric
from mores.core.estimate import NO_UNIT_DIFFERS
from mores.stats.intervals import MIN_CLUSTERS
from mores.tables import Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Block, BulletList, Cell, CellValue, Details, Inline, Paragraph, Span, Where, Words
from mores.tables.columns import BENCHMARK
from mores.tables.missing_texts import TOO_FEW, format_caution

# The tables, as programs know them.

WHOSE = (
    BENCHMARK,
    Column("model_a", "model", "the first model, or that of run A", title="Model A"),
    Column("model_b", "model", "the second model, or that of run B", title="Model B"),
    Column("simulated", "flag", "true where answers of either were simulated"),
)
METRIC = Column("metric", "metric", title="Metric")
DIFFERENCE = Column(
    "difference",
    "contrast",
    "B less A over the units that both graded, in the metric's own points (0–1 for shares)",
    title="B − A, points",
    main=True,
    ends=("b", "a"),
)
ALL, UNSTABLE = "all", "unstable"


def headline_table(id_: str, title: str) -> Table:
    """The headline over everything, with what else is known of the whole comparison."""
    return Table.of(
        id_,
        title,
        *WHOSE,
        METRIC,
        DIFFERENCE,
        Column("run_a", "text", "its folder", title="Run A"),
        Column("run_b", "text", "its folder", title="Run B"),
        Column("p_worse_holm", "p", "p_worse after Holm's correction", title="p, B worse (Holm)"),
        Column("right_in_a", "count", "units right in A and wrong in B", title="Right in A alone"),
        Column("right_in_b", "count", "units right in B and wrong in A", title="Right in B alone"),
        Column("unstable", "count", "units that went two ways in A or in B"),
        Column("right_from", "score", "points, where most have a part of all"),
        Column("only_in_a", "count", title="Items only in A"),
        Column("only_in_b", "count", title="Items only in B"),
        Column("ungraded", "count", "units that one of the two left ungraded"),
        Column("judge_quality", "number", "J of the judge, where it is given", title="Judge's quality"),
        Column("caution_a", "text", "what has to be known of them", title="Answers of A"),
        Column("caution_b", "text", "what has to be known of them", title="Answers of B"),
        Column("notes", "names", "what else differs, and who judged itself"),
    )


def difference_table(id_: str, title: str) -> Table:
    """Groups of the headline, and other metrics over everything."""
    groups = (Column(kind, "group", title=words.kind_name(kind), of=kind) for kind in KINDS)
    claim = Column("claim", "text", "what may be said of a group at .05; of other metrics nothing")
    return Table.of(
        id_,
        title,
        *WHOSE,
        *groups,
        METRIC,
        DIFFERENCE,
        claim,
    )


def outcome_table(id_: str, title: str) -> Table:
    """The table of outcomes of the same units in both."""
    in_b = f"the same in B; `{UNSTABLE}` are those of all that went two ways in A or in B"
    return Table.of(
        id_,
        title,
        *WHOSE,
        Column("in_a", "text", "right, partly, wrong, or all", title="In A"),
        Column("in_b", "text", in_b, title="In B"),
        Column("units", "count", "units of the headline"),
    )


class DescribedComparison(Struct, frozen=True, kw_only=True, eq=False):
    """One comparison with its rows, and what the two are called."""

    compared: Compared
    a: str
    b: str
    headlines: FilledTable
    differences: FilledTable
    outcomes: FilledTable

    @property
    def tables(self) -> tuple[FilledTable, ...]:
        """Its rows in all three tables."""
        return self.headlines, self.differences, self.outcomes

    def at(self, key: str) -> int:
        """Position of a column of the differences."""
        return self.differences.table.at(key)


class DifferenceTables(NamedTuple):
    """The three tables of whoever compares."""

    headlines: Table
    differences: Table
    outcomes: Table


def describe_comparison(
    tables: DifferenceTables, compared: Compared, a: str, b: str, p_regression: float | None = None
) -> DescribedComparison:
    """The rows of one comparison of `a` and `b`; `p_regression` is corrected for all headlines."""
    whose = (compared.benchmark, a, b, compared.simulated)
    return DescribedComparison(
        compared=compared,
        a=a,
        b=b,
        headlines=tables.headlines.filled(((*whose, *_headline(compared, p_regression)),)),
        differences=tables.differences.filled(_rows(whose, compared)),
        outcomes=tables.outcomes.filled((*whose, *each) for each in _outcomes(compared)),
    )


def _headline(compared: Compared, p_regression: float | None) -> Row:
    a, b, found, whole = compared.a, compared.b, compared.outcomes, compared.whole
    went = (None,) * 4 if found is None else (found.only_a, found.only_b, sum(found.unstable), found.threshold)
    cautions = (side.quality.caution({}) for side in (a, b))
    return (
        a.listed(whole.metric), whole, str(a.run), str(b.run), p_regression, *went,
        compared.only_a, compared.only_b, compared.ungraded, compared.judge_quality,
        *(None if caution is None else format_caution(caution) for caution in cautions),
        tuple(map(format_caution, compared.notes)),
    )  # fmt: skip


def _rows(whose: Row, compared: Compared) -> Iterator[Row]:
    for members in compared.families.values():
        for each in members:
            groups = (each.group.value if each.group.kind == kind else None for kind in KINDS)
            yield *whose, *groups, compared.a.listed(each.metric), each, _claim(each)
    for each in compared.other_metrics:
        yield *whose, *(None for _ in KINDS), compared.a.listed(each.metric), each, None


def _claim(found: Contrast) -> str:
    if found.found:
        return DIFFERS
    if found.screened:
        return "worth a look"
    if found.p is None:
        return TOO_FEW
    return "not found" if found.able and found.opened else "too few differ" if found.opened else "not found overall"


DIFFERS = "differs"


def _outcomes(compared: Compared) -> Iterator[tuple[str, str, int]]:
    """State in A, state in B, units: all of them in either too, and those that are unstable."""
    found = compared.outcomes
    if found is None or not compared.whole.units:
        return
    for state, counts, unstable in zip(STATES, found.counts, found.unstable, strict=True):
        yield from ((state, other, count) for other, count in zip(STATES, counts, strict=True))
        yield from ((state, ALL, sum(counts)), (state, UNSTABLE, unstable))
    yield from (
        (ALL, other, sum(column)) for other, column in zip(STATES, zip(*found.counts, strict=True), strict=True)
    )
    yield from ((ALL, ALL, compared.whole.units), (ALL, UNSTABLE, sum(found.unstable)))


# The same for people.


def difference_blocks(described: DescribedComparison) -> Iterator[Block]:
    """The difference over everything, with its p, n, what could have been seen, and what was left out."""
    compared = described.compared
    whole, metric = compared.whole, compared.described
    yield Paragraph(
        ("A ", *_side(described.a, whole.a, compared, "a"), ", B ", *_side(described.b, whole.b, compared, "b"))
    )
    p = (", ", CellValue(whole.p, "full_p"), f", {whole.test}") if whole.p is not None else (", not tested",)
    n = words.format_units(whole.units, whole.clusters)
    yield Paragraph(("B − A: ", CellValue(whole, metric=metric), " points", *p, f"; {n}. ",
               *words.inline_parts(_seen(compared))), "finding")  # fmt: skip
    if left := _left_out(compared):
        yield Paragraph(left)
    yield from (Paragraph(f"Note: {format_caution(note)}.") for note in compared.notes)


def _side(name: str, mean: float | None, compared: Compared, side: str) -> tuple[Inline, ...]:
    """A model with its mean, and the mark of answers that could not be used."""
    marks = words.marks_of((compared.a if side == "a" else compared.b).overall())
    return Span(name, "model"), " ", CellValue(mean, "share", compared.described), *marks


def _seen(compared: Compared) -> Words:
    """The least difference that could have been seen, in a sentence or two."""
    whole, metric = compared.whole, compared.described
    if whole.undetectable == NO_UNIT_DIFFERS:
        return "No unit differs, so the minimum detectable effect is unknown."
    if words.is_out_of_reach(whole):
        why = "as so few units cannot show any difference (power .8, level .05)"
        return f"Minimum detectable effect: {words.NOT_REACHABLE}, {why}."
    if whole.minimum_detectable is None:
        return "The minimum detectable effect is unknown."
    least = CellValue(whole.minimum_detectable, "size", metric)
    text: tuple[Inline, ...] = ("Minimum detectable effect: ", least, " points (power .8, level .05).")
    if compared.judge_quality is None:
        return text
    true: tuple[Inline, ...] = (words.NOT_REACHABLE,)
    if whole.minimum_detectable_true is not None:
        true = (CellValue(whole.minimum_detectable_true, "size", metric), " points")
    return *text, f" With the judge's errors (J {compared.judge_quality:g}, given): ", *true, "."


def _left_out(compared: Compared) -> str:
    """Counts of what is left out, in a sentence; empty for nothing."""
    counts = {
        "items only in A": compared.only_a,
        "items only in B": compared.only_b,
        "units not graded in both": compared.ungraded,
    }
    texts = [f"{count:,} {what}" for what, count in counts.items() if count]
    return f"Left out: {', '.join(texts)}." if texts else ""


def family_blocks(
    described: DescribedComparison, some: Callable[[str], Iterable[Block]] = lambda _: ()
) -> Iterator[Block]:
    """Of each kind of group how many differ, `some` of them, and all in details."""
    for kind, members in described.compared.families.items():
        yield Paragraph(f"{describe_family(members)}.")
        yield from some(kind)
        kinds = words.kinds_name(kind)
        tested = sum(each.p is not None for each in members)
        summary = (f"All {kinds} ", Span(f"{len(members)}, of which {tested} tested", "soft"))
        rows = [row for row in described.differences.rows if row[described.at(kind)] is not None]
        yield Details(
            summary=summary, blocks=tuple(blocks_of(described.differences, family_view(described, kind, rows)))
        )


def family_view(described: DescribedComparison, kind: str, rows: Sequence[Row], on: Where = "both") -> View:
    """Groups of one kind with both means, their difference and its corrected p."""
    at, claim = described.at(kind), described.at("claim")
    return View(
        title=f"{words.kinds_name(kind)} of {described.compared.benchmark}",
        rows=tuple(rows),
        shown=(
            Show(kind, sort="ascending", target=lambda row: units_link(described.compared.b, kind, row[at], CHANGED)),
            Show("units", sort="descending"),
            Show("a", "A"),
            Show("b", "B"),
            Show("difference", sort="ascending"),
            "p",
            Show("p_holm", sort="ascending"),
            Show("p_bh", "p (BH)", sort="ascending"),
            "minimum_detectable",
            Show("claim", write=lambda row: Span(row[claim], "strong" if row[claim] == DIFFERS else "plain")),
        ),
        on=on,
    )


def describe_family(members: Sequence[Contrast]) -> str:
    """Number of groups of a kind that differ by both corrections, and what each is for."""
    name, tested = words.kinds_name(members[0].group.kind), [each for each in members if each.p is not None]
    name, untested = f"{name[0].upper()}{name[1:]}", len(members) - len(tested)
    if not tested:
        return f"{name}: all {untested} have fewer than {MIN_CLUSTERS} clusters, too few for a claim"
    few = f"; {untested} more have fewer than {MIN_CLUSTERS} clusters, too few for a claim" if untested else ""
    screened = sum(each.screened for each in members)
    return (
        f"{name}, {len(tested)} tested: {_differing(tested)}; {screened} differ by Benjamini and Hochberg's "
        f"correction, which is for screening (on average at most one in twenty of those is false){few}"
    )


def _differing(tested: Sequence[Contrast]) -> str:
    """Groups that are claimed to differ, or the reason that none can be."""
    if not tested[0].opened:
        return "none is claimed to differ, as the difference over everything comes first and is not found"
    few = sum(not each.able and not each.found for each in tested)
    none = f" ({few} cannot, as too few of their units differ)" if few else ""
    return f"{sum(each.found for each in tested)} differ at .05 by Holm's correction over {tested[0].family}{none}"


def other_metric_blocks(compared: Compared) -> Iterator[Block]:
    """Every other metric, each in a sentence."""
    if compared.other_metrics:
        size = f"a family of {compared.other_metrics[0].family} (p after Holm's correction)"
        yield Paragraph(f"Other metrics, {size}; they never raise an alarm:")
        yield BulletList(
            tuple(_describe_other_metric(each, compared.a.metric(each.metric)) for each in compared.other_metrics)
        )


def _describe_other_metric(found: Contrast, metric: Metric | None) -> Words:
    """Another metric than the headline, in one sentence."""
    a, b = (CellValue(mean, "share", metric) for mean in (found.a, found.b))
    p = () if found.p_adjusted is None else (", ", CellValue(found.p_adjusted, "full_p"))
    lower = " (lower is better)" if metric is not None and metric.better == "lower" else ""
    return (
        f"{found.metric}{lower}: A ", a, ", B ", b, "; B − A: ", CellValue(found, metric=metric), " points", *p,
        f"; {words.format_units(found.units, found.clusters)}.",
    )  # fmt: skip


TURNED = "Unstable: another sample of it went another way, or repeated votes of a judge on it disagree, in A or in B."


def outcome_blocks(described: DescribedComparison) -> Iterator[Block]:
    """Outcomes of units in both runs as a table, and the test of them."""
    compared, found = described.compared, described.compared.outcomes
    if found is None or not described.outcomes.rows:
        return
    yield from blocks_of(described.outcomes, _outcome_view(described, found))
    yield Paragraph((*_threshold(found), *_mcnemar(compared.whole, found), TURNED), "explanation")


def _outcome_view(described: DescribedComparison, found: OutcomeCounts) -> View:
    """A row a state in A, a column a state in B; nothing is partly right where no unit is."""
    partly = any(found.counts[1]) or any(row[1] for row in found.counts)
    names = {state: f"wholly {state}" if partly and state != "partly" else state for state in STATES}
    at_a, at_b, at_n = (described.outcomes.table.at(key) for key in ("in_a", "in_b", "units"))
    metric = described.compared.described

    def stub(row: Row) -> Cell:
        return "All" if row[at_a] == ALL else f"A {names[row[at_a]]}"

    def target(row: Row) -> str:
        """The items that changed so."""
        if {row[at_a], row[at_b]} & {ALL, UNSTABLE} or row[at_a] == row[at_b] or not row[at_n]:
            return ""
        # states stand from right to wrong
        declined = STATES.index(row[at_b]) > STATES.index(row[at_a])
        return units_link(described.compared.b, change=DECLINED if declined else BETTER)

    unit = f"{metric.unit if metric else 'unit'}s".capitalize()
    heads = {state: f"B {name}" for state, name in names.items()} | {ALL: "All", UNSTABLE: "Of these unstable"}
    return View(
        title=f"Right and wrong on {described.compared.benchmark}",
        rows=tuple(row for row in described.outcomes.rows if partly or "partly" not in {row[at_a], row[at_b]}),
        shown=(Show("in_a", unit, write=stub),),
        across="in_b",
        cell=Show("units", target=target),
        heads=heads,
    )


def _threshold(found: OutcomeCounts) -> tuple[Inline, ...]:
    """From which points on a unit is right, where it has seldom all of them or none."""
    if found.threshold is None:
        return ()
    return (f"Most have a part of all points; right is from {found.threshold:g} points on. ",)


def _mcnemar(whole: Contrast, found: OutcomeCounts) -> tuple[Inline, ...]:
    """The counts that McNemar's test compares, where it is the test."""
    if whole.test != "McNemar exact" or whole.p is None:
        return ()
    text = f"McNemar's exact test compares {found.only_a:,} right in A alone with {found.only_b:,} in B alone: "
    return text, CellValue(whole.p, "full_p"), ". "
