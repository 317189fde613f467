"""Models beside people on one benchmark, as blocks, and the same figures as plain values."""

from collections.abc import Iterator, Sequence
from math import nan

from mores.analysis.contrast import known
from mores.analysis.results import Result
from mores.benchmarks.shapes.people import HUMAN, LEFT_OUT, LESS
from mores.blocks import Block, Cell, Column, Heads, Row, Span, Table, Text
from mores.blocks import formatting as words
from mores.stats.multiplicity import holm

PEOPLE = (
    "People’s figure is the mean over a question’s annotators, right where just the true answers were named; no "
    "answer counts as none right. Its interval is for other questions and other annotators, and a model less people is "
    "paired by question. Where the gold comes of the same people’s votes it flatters them; the second row holds each "
    "against what four in five of all others chose."
)


def people_blocks(evaluations: Sequence[Result], right: str | None = None) -> Iterator[Block]:
    """The rows of people, with the models below them, and both by region; nothing where nobody was asked.

    Args:
        evaluations: Models on one benchmark.
        right: The metric that people's is held against; None for the headline.
    """
    beside = [each for each in evaluations if each.whole(HUMAN) is not None]
    if not beside:
        return
    first, name = beside[0], beside[0].benchmark
    yield Text(words=f"People on {name}", role="heading", id=f"people-{name.partition('/')[2]}")
    yield Text(words=PEOPLE, role="explanation")
    less = [each.whole(LESS) for each in beside]
    p = holm([nan if e is None or e.p is None else e.p for e in less]).tolist()
    family = sum(each is not None and each.p is not None for each in less)
    columns = ("Who", "Right", "Less people", Column(title=f"p (Holm, {family})", format="p"))
    rows: list[Row | tuple[Cell, ...]] = [
        Row(cells=(Span(title, "strong"), first.whole(metric), "", ""), whole=True)
        for title, metric in (("People", HUMAN), ("People, by the others’ gold", LEFT_OUT))
        if first.whole(metric) is not None
    ]
    for each, apart, own in zip(beside, less, p, strict=True):
        rows.append((words.subject(each.label, simulated=each.simulated), each.whole(right), apart, known(own)))
    yield Table.of(f"Models and people on {name}", columns, rows)
    yield _by_region(beside, right)


def _by_region(evaluations: Sequence[Result], right: str | None) -> Table:
    people, others = (evaluations[0].by("region", metric) for metric in (HUMAN, LEFT_OUT))
    heads = (Column(title=Span(each.label, "model"), format="heat") for each in evaluations)
    rows = (
        (region, figure, others.get(region), *(each.by("region", right).get(region) for each in evaluations))
        for region, figure in people.items()
    )
    columns: Heads = ("Region", "People", "By the others’ gold", *heads)
    return Table.of(f"Regions of {evaluations[0].benchmark}, in %", columns, rows, on="page")


def people_figures(result: Result) -> dict[str, object]:
    """One model's figures of people, whole and by groups, as plain values."""
    figures = {name: [each for each in result.estimates if each.metric == name] for name in (HUMAN, LESS, LEFT_OUT)}
    return {"benchmark": result.benchmark, "model": result.label, **figures}
