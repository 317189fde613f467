"""Two models on one benchmark, told: their difference, what could have been seen, where it lies, and how units went.

Compared ─▶ rows of three tables (headlines, differences, outcomes) ─▶ sentences and tables of them.

Two runs are told so, and the pairs of models of one report: each has such tables under its own ids.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct

from mores.analysis.comparison import Compared
from mores.analysis.contrast import KINDS, Contrast
from mores.analysis.links import BETTER, CHANGED, WORSE, units_link
from mores.analysis.outcomes import STATES, Outcomes
from mores.blocks import Block, Cell, Details, Inline, Listing, Span, Text, Value, Where, Words
from mores.blocks import formatting as words
from mores.blocks.reasons import TOO_FEW, format_caution
from mores.core.card import Metric
from mores.core.estimate import NO_UNIT_DIFFERS
from mores.stats.intervals import MIN_CLUSTERS
from mores.tables import Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables.columns import BENCHMARK

# The tables, as programs know them.

WHOSE = (
    BENCHMARK,
    Column(key="model_a", title="Model A", kind="model", says="the first model, or that of run A"),
    Column(key="model_b", title="Model B", kind="model", says="the second model, or that of run B"),
    Column(key="simulated", title="Simulated", kind="flag", says="true where answers of either were made up"),
)
METRIC = Column(key="metric", title="Metric", kind="metric")
DIFFERENCE = Column(
    key="difference", title="B − A, points", kind="contrast", main=True, ends=("b", "a"),
    says="B less A over the units that both graded, in the metric's own points (0–1 for shares)",
)  # fmt: skip
ALL, UNSTABLE = "all", "unstable"


def headline_table(id_: str, title: str) -> Table:
    """The headline over everything, with what else is known of the whole comparison."""
    return Table(
        id=id_,
        title=title,
        columns=(
            *WHOSE,
            METRIC,
            DIFFERENCE,
            Column(key="run_a", title="Run A", kind="text", says="its folder"),
            Column(key="run_b", title="Run B", kind="text", says="its folder"),
            Column(key="p_worse_holm", title="p, B worse (Holm)", kind="p", says="p_worse after Holm's correction"),
            Column(key="right_in_a", title="Right in A alone", kind="count", says="units right in A and wrong in B"),
            Column(key="right_in_b", title="Right in B alone", kind="count", says="units right in B and wrong in A"),
            Column(key="unstable", title="Unstable", kind="count", says="units that went two ways in A or in B"),
            Column(key="right_from", title="Right from", kind="score", says="points, where most have a part of all"),
            Column(key="only_in_a", title="Items only in A", kind="count"),
            Column(key="only_in_b", title="Items only in B", kind="count"),
            Column(key="ungraded", title="Ungraded", kind="count", says="units that one of the two left ungraded"),
            Column(
                key="judge_quality", title="Judge's quality", kind="number", says="J of the judge, where it is given"
            ),
            Column(key="caution_a", title="Answers of A", kind="text", says="what has to be known of them"),
            Column(key="caution_b", title="Answers of B", kind="text", says="what has to be known of them"),
            Column(key="notes", title="Notes", kind="names", says="what else differs, and who judged itself"),
        ),
    )


def difference_table(id_: str, title: str) -> Table:
    """Groups of the headline, and other metrics over everything."""
    groups = (Column(key=kind, title=words.kind_name(kind), kind="group", of=kind) for kind in KINDS)
    claim = Column(
        key="claim", title="Claim", kind="text", says="what may be said of a group at .05; of other metrics nothing"
    )
    return Table(id=id_, title=title, columns=(*WHOSE, *groups, METRIC, DIFFERENCE, claim))


def outcome_table(id_: str, title: str) -> Table:
    """The table of outcomes of the same units in both."""
    in_b = f"the same in B; `{UNSTABLE}` are those of all that went two ways in A or in B"
    return Table(
        id=id_,
        title=title,
        columns=(
            *WHOSE,
            Column(key="in_a", title="In A", kind="text", says="right, partly, wrong, or all"),
            Column(key="in_b", title="In B", kind="text", says=in_b),
            Column(key="units", title="Units", kind="count", says="units of the headline"),
        ),
    )


class Told(Struct, frozen=True, kw_only=True, eq=False):
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


class Tables(NamedTuple):
    """The three tables of whoever compares."""

    headlines: Table
    differences: Table
    outcomes: Table


def told_of(tables: Tables, compared: Compared, a: str, b: str, p_worse: float | None = None) -> Told:
    """The rows of one comparison of `a` and `b`; `p_worse` is corrected for all headlines, where they are several."""
    whose = (compared.benchmark, a, b, compared.simulated)
    return Told(
        compared=compared,
        a=a,
        b=b,
        headlines=FilledTable(table=tables.headlines, rows=((*whose, *_headline(compared, p_worse)),)),
        differences=FilledTable(table=tables.differences, rows=tuple(_rows(whose, compared))),
        outcomes=FilledTable(table=tables.outcomes, rows=tuple((*whose, *each) for each in _outcomes(compared))),
    )


def _headline(compared: Compared, p_worse: float | None) -> Row:
    a, b, found, whole = compared.a, compared.b, compared.outcomes, compared.whole
    went = (None,) * 4 if found is None else (found.only_a, found.only_b, sum(found.unstable), found.threshold)
    cautions = (side.quality.caution({}) for side in (a, b))
    return (
        metric_of(compared, whole), whole, str(a.run), str(b.run), p_worse, *went,
        compared.only_a, compared.only_b, compared.ungraded, compared.judge_quality,
        *(None if caution is None else format_caution(caution) for caution in cautions),
        tuple(map(format_caution, compared.notes)),
    )  # fmt: skip


def metric_of(compared: Compared, found: Contrast) -> Metric:
    """The metric of a contrast; a share where no card says."""
    return compared.a.metric(found.metric) or Metric(name=found.metric, unit="unit", says="")


def _rows(whose: Row, compared: Compared) -> Iterator[Row]:
    for members in compared.families.values():
        for each in members:
            groups = (each.group.value if each.group.kind == kind else None for kind in KINDS)
            yield *whose, *groups, metric_of(compared, each), each, _claim(each)
    for each in compared.beside:
        yield *whose, *(None for _ in KINDS), metric_of(compared, each), each, None


def _claim(found: Contrast) -> str:
    if found.found:
        return DIFFERS
    return "worth a look" if found.screened else TOO_FEW if found.p is None else "not found"


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


def difference_blocks(told: Told) -> Iterator[Block]:
    """The difference over everything, with its p, n, what could have been seen, and what was left out."""
    compared = told.compared
    whole, metric = compared.whole, compared.described
    yield Text(words=("A ", *_side(told.a, whole.a, compared, "a"), ", B ", *_side(told.b, whole.b, compared, "b")))
    p = (", ", Value(value=whole.p, format="full_p"), f", {whole.test}") if whole.p is not None else (", not tested",)
    n = words.format_units(whole.units, whole.clusters)
    yield Text(
        words=("B − A: ", Value(value=whole, metric=metric), " points", *p, f"; {n}. ",
               *words.as_words(_seen(compared))),
        role="finding",
    )  # fmt: skip
    if left := _left_out(compared):
        yield Text(words=left)
    yield from (Text(words=f"Note: {format_caution(note)}.") for note in compared.notes)


def _side(name: str, mean: float | None, compared: Compared, side: str) -> tuple[Inline, ...]:
    """A model with its mean, and the mark of answers that could not be used."""
    marks = words.marks_of((compared.a if side == "a" else compared.b).whole())
    return Span(name, "model"), " ", Value(value=mean, format="share", metric=compared.described), *marks


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
    least = Value(value=whole.minimum_detectable, format="size", metric=metric)
    told: tuple[Inline, ...] = ("Minimum detectable effect: ", least, " points (power .8, level .05).")
    if compared.judge_quality is None:
        return told
    true: tuple[Inline, ...] = (words.NOT_REACHABLE,)
    if whole.minimum_detectable_true is not None:
        true = (Value(value=whole.minimum_detectable_true, format="size", metric=metric), " points")
    return *told, f" With the judge's errors (J {compared.judge_quality:g}, given): ", *true, "."


def _left_out(compared: Compared) -> str:
    """Counts of what is left out, in a sentence; empty for nothing."""
    counts = {
        "items only in A": compared.only_a,
        "items only in B": compared.only_b,
        "units not graded in both": compared.ungraded,
    }
    told = [f"{count:,} {what}" for what, count in counts.items() if count]
    return f"Left out: {', '.join(told)}." if told else ""


def family_blocks(told: Told, some: Callable[[str], Iterable[Block]] = lambda _: ()) -> Iterator[Block]:
    """Of each kind of group how many differ, `some` of them, and all in details."""
    for kind, members in told.compared.families.items():
        yield Text(words=f"{describe_family(members)}.")
        yield from some(kind)
        kinds = words.kinds_name(kind)
        summary = (f"All {kinds} ", Span(f"{len(members)}, of which {members[0].family} tested", "soft"))
        rows = [row for row in told.differences.rows if row[told.at(kind)] is not None]
        yield Details(summary=summary, blocks=tuple(blocks_of(told.differences, family_view(told, kind, rows))))


def family_view(told: Told, kind: str, rows: Sequence[Row], on: Where = "both") -> View:
    """Groups of one kind with both means, their difference and its corrected p."""
    at, claim = told.at(kind), told.at("claim")
    return View(
        title=f"{words.kinds_name(kind)} of {told.compared.benchmark}",
        rows=tuple(rows),
        shown=(
            Show(key=kind, sort="ascending", target=lambda row: units_link(told.compared.b, kind, row[at], CHANGED)),
            Show(key="units", sort="descending"),
            Show(key="a", title="A"),
            Show(key="b", title="B"),
            Show(key="difference", sort="ascending"),
            Show(key="p"),
            Show(key="p_holm", sort="ascending"),
            Show(key="p_bh", sort="ascending"),
            Show(key="minimum_detectable"),
            Show(key="claim", write=lambda row: Span(row[claim], "strong" if row[claim] == DIFFERS else "plain")),
        ),
        on=on,
    )


def describe_family(members: Sequence[Contrast]) -> str:
    """Number of a family that differ by both corrections, and what each is for."""
    name, size = words.kinds_name(members[0].group.kind), members[0].family
    name, untested = f"{name[0].upper()}{name[1:]}", len(members) - size
    if size == 0:
        return f"{name}: all {untested} have fewer than {MIN_CLUSTERS} clusters, too few for a claim"
    few = f"; {untested} more have fewer than {MIN_CLUSTERS} clusters, too few for a claim" if untested else ""
    found, screened = sum(each.found for each in members), sum(each.screened for each in members)
    return (
        f"{name}, a family of {size}: {found} differ at .05 by Holm's correction, {screened} by Benjamini and "
        f"Hochberg's, which is for screening (on average at most one in twenty of those is false){few}"
    )


def beside_blocks(compared: Compared) -> Iterator[Block]:
    """Every other metric, each in a sentence."""
    if compared.beside:
        size = f"a family of {compared.beside[0].family} (p after Holm's correction)"
        yield Text(words=f"Other metrics, {size}; they never raise an alarm:")
        yield Listing(tuple(_beside(each, compared.a.metric(each.metric)) for each in compared.beside))


def _beside(found: Contrast, metric: Metric | None) -> Words:
    """Another metric than the headline, in one sentence."""
    a, b = (Value(value=mean, format="share", metric=metric) for mean in (found.a, found.b))
    p = () if found.p_adjusted is None else (", ", Value(value=found.p_adjusted, format="full_p"))
    lower = " (lower is better)" if metric is not None and metric.better == "lower" else ""
    return (
        f"{found.metric}{lower}: A ", a, ", B ", b, "; B − A: ", Value(value=found, metric=metric), " points", *p,
        f"; {words.format_units(found.units, found.clusters)}.",
    )  # fmt: skip


TURNED = "Unstable: another sample of it went another way, or repeated votes of a judge on it disagree, in A or in B."


def outcome_blocks(told: Told) -> Iterator[Block]:
    """Outcomes of units in both runs as a table, and the test of them."""
    compared, found = told.compared, told.compared.outcomes
    if found is None or not told.outcomes.rows:
        return
    yield from blocks_of(told.outcomes, _outcome_view(told, found))
    yield Text(words=(*_threshold(found), *_mcnemar(compared.whole, found), TURNED), role="explanation")


def _outcome_view(told: Told, found: Outcomes) -> View:
    """A row a state in A, a column a state in B; nothing is partly right where no unit is."""
    partly = any(found.counts[1]) or any(row[1] for row in found.counts)
    names = {state: f"wholly {state}" if partly and state != "partly" else state for state in STATES}
    at_a, at_b, at_n = (told.outcomes.table.at(key) for key in ("in_a", "in_b", "units"))
    described = told.compared.described

    def stub(row: Row) -> Cell:
        return "All" if row[at_a] == ALL else f"A {names[row[at_a]]}"

    def target(row: Row) -> str:
        """The items that changed so."""
        if {row[at_a], row[at_b]} & {ALL, UNSTABLE} or row[at_a] == row[at_b] or not row[at_n]:
            return ""
        worse = STATES.index(row[at_b]) > STATES.index(row[at_a])
        return units_link(told.compared.b, change=WORSE if worse else BETTER)

    unit = f"{described.unit if described else 'unit'}s".capitalize()
    heads = {state: f"B {name}" for state, name in names.items()} | {ALL: "All", UNSTABLE: "Of these unstable"}
    return View(
        title=f"Right and wrong on {told.compared.benchmark}",
        rows=tuple(row for row in told.outcomes.rows if partly or "partly" not in {row[at_a], row[at_b]}),
        shown=(Show(key="in_a", title=unit, write=stub),),
        across="in_b",
        cell=Show(key="units", target=target),
        heads=heads,
    )


def _threshold(found: Outcomes) -> tuple[Inline, ...]:
    """From which points on a unit is right, where it has seldom all of them or none."""
    if found.threshold is None:
        return ()
    return (f"Most have a part of all points; right is from {found.threshold:g} points on. ",)


def _mcnemar(whole: Contrast, found: Outcomes) -> tuple[Inline, ...]:
    """The counts that McNemar's test compares, where it is the test."""
    if whole.test != "McNemar exact" or whole.p is None:
        return ()
    told = f"McNemar's exact test holds {found.only_a:,} right in A alone against {found.only_b:,} in B alone: "
    return told, Value(value=whole.p, format="full_p"), ". "
