"""All metrics of a benchmark over everything, as one table with models side by side."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from mores.analysis.results import Result, Results
from mores.core.card import Metric
from mores.tables import Analysis, AnalysisResult, Column, Row, Show, Table, View, blocks_of
from mores.tables.blocks import Block, Cell, Span, Stack
from mores.tables.columns import EVALUATION

METRICS = Table.of(
    "metrics",
    "All metrics over everything",
    EVALUATION,
    Column("metric", "metric", "its name; the headline is the first"),
    Column("says", "text", "what the card says of it", title="Meaning"),
    Column("counted", "text", "what n counts", title="Unit"),
    Column("figure", "estimate", "its value over everything", main=True),
)


def analyse(results: Results) -> AnalysisResult | None:
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
        shown=(Show("metric", write=_named),),
        across="model",
        cell="figure",
        heads={each.label: Span(each.label, "model") for each in evaluations},
        absent=Span("not in this run", "missing"),
    )
    return BenchmarkMetrics(rows, tuple(blocks_of(METRICS.filled(rows), view)))


def _rows(evaluations: tuple[Result, ...]) -> Iterator[Row]:
    """Metric by metric, a row a model that has it."""
    for name in dict.fromkeys(name for evaluation in evaluations for name in evaluation.metrics):
        for evaluation in evaluations:
            if (figure := evaluation.whole(name)) is not None:
                metric = evaluation.metric(name)
                told = (None, None) if metric is None else (metric.says, metric.unit)
                yield (evaluation, metric or Metric(name=name, unit="unit", says=""), *told, figure)


def _named(row: Row) -> Cell:
    _, metric, says, counted, _ = row
    return Stack((metric.name, Span(f"{says}; n counts {counted}s", "soft"))) if counted else metric.name


METRICS_ANALYSIS = Analysis(id="metrics", title=METRICS.title, tables=(METRICS,), analyse=analyse, order=0)
