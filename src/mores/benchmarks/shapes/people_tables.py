"""Models beside people on the benchmarks that people were asked too: one table, whole and by groups."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import nan

from mores.analysis.contrast import known
from mores.analysis.results import Result
from mores.benchmarks.shapes.human_baseline import HUMAN, LEFT_OUT, LESS
from mores.blocks import Block, Paragraph, Span
from mores.core.card import Metric
from mores.stats.ranks import holm
from mores.tables import AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables.columns import BENCHMARK, SIMULATED

PEOPLE = (
    "People’s figure is the mean over a question’s annotators, right where just the true answers were named; no "
    "answer counts as none right. Its interval is for other questions and other annotators, and a model less people is "
    "paired by question. Where the gold comes of the same people’s votes it flatters them; by the others’ gold, each "
    "is held against what four in five of all others chose."
)


@lru_cache
def people_table(name: str) -> Table:
    """Models beside people: a row a model, benchmark and group."""
    return Table(
        id=name,
        title="Models and people",
        columns=(
            Column(key="run", title="Run", kind="text", says="folder of the run"),
            Column(key="model", title="Model", kind="model", says="the subject, by its label"),
            SIMULATED,
            BENCHMARK,
            Column(key="kind", title="Kind", kind="text", says="kind of the group; nothing for the whole"),
            Column(key="group", title="Group", kind="text", says="its name or code; nothing for the whole"),
            Column(key="metric", title="Metric", kind="metric", says="what the model's figure is of"),
            Column(key="right", title="Right", kind="estimate", main=True, says="the model's figure"),
            Column(key="people", title="People", kind="estimate", says="people's figure on the same questions"),
            Column(
                key="people_left_out",
                title="People, by the others’ gold",
                kind="estimate",
                says="the same, each against what four in five of all others chose",
            ),
            Column(
                key="less_people",
                title="Less people, points",
                kind="estimate",
                says="the model less people, paired by question",
            ),
            Column(key="p", title="p", kind="p", says="two-sided p-value of that, uncorrected"),
            Column(key="p_holm", title="p (Holm)", kind="p", says="p after Holm's correction for the models"),
        ),
    )


def beside_people(table: Table, asked: Iterable[tuple[Sequence[Result], str | None]]) -> AnalysisResult | None:
    """Models beside people; None where people were asked nothing.

    Args:
        table: One of `people_table`.
        asked: The evaluations of each benchmark, and the metric that people's is held against; None for the headline.
    """
    rows: list[Row] = []
    blocks: list[Block] = []
    for evaluations, right in asked:
        if beside := [each for each in evaluations if each.whole(HUMAN) is not None]:
            own = tuple(_rows(beside, right))
            rows += own
            blocks += _blocks(FilledTable(table=table, rows=own), beside[0].benchmark)
    if not rows:
        return None
    return AnalysisResult(tables=(FilledTable(table=table, rows=tuple(rows)),), blocks=tuple(blocks))


def _rows(beside: Sequence[Result], right: str | None) -> Iterator[Row]:
    """The whole of each model, then its groups; p-values of the whole are corrected for the models."""
    less = [each.whole(LESS) for each in beside]
    p_holm = holm([nan if e is None or e.p is None else e.p for e in less]).tolist()
    for each, apart, adjusted in zip(beside, less, p_holm, strict=True):
        name = right or each.headline
        metric = each.metric(name) or Metric(name=name, unit="question", says="")
        whose = str(each.run), each.label, each.simulated, each.benchmark
        p = None if apart is None else apart.p
        people = each.whole(HUMAN), each.whole(LEFT_OUT), apart, p, known(adjusted)
        yield *whose, None, None, metric, each.whole(right), *people
        for kind in each.kinds:
            by = [each.by(kind, metric) for metric in (right, HUMAN, LEFT_OUT, LESS)]
            for group in dict.fromkeys(name for some in by[1:] for name in some):
                own = [some.get(group) for some in by]
                yield *whose, kind, group, metric, *own, None if own[3] is None else own[3].p, None


def _blocks(filled: FilledTable, name: str) -> Iterator[Block]:
    """Models with people beside them, and both by region."""
    yield Paragraph(words=f"People on {name}", role="heading", id=f"people-{name.partition('/')[2]}")
    yield Paragraph(words=PEOPLE, role="explanation")
    kind, p = filled.table.getter("kind"), filled.table.getter("p_holm")
    wholes = tuple(row for row in filled.rows if kind(row) is None)
    family = sum(p(row) is not None for row in wholes)
    people = Show(key="people"), Show(key="people_left_out")
    whole = View(
        title=f"Models and people on {name}",
        rows=wholes,
        shown=(
            Show(key="model"),
            Show(key="right"),
            *people,
            Show(key="less_people", format="signed"),
            Show(key="p_holm", title=f"p (Holm, {family})"),
        ),
    )
    yield from blocks_of(filled, whole)
    regions = View(
        title=f"Regions of {name}, in %",
        rows=tuple(row for row in filled.rows if kind(row) == "region"),
        shown=(Show(key="group", title="Region"), *people),
        across="model",
        cell=Show(key="right", format="heat"),
        heads={label: Span(label, "model") for label in map(filled.table.getter("model"), wholes)},
        on="page",
    )
    yield from blocks_of(filled, regions)
