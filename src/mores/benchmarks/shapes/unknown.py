"""Scores of a benchmark that is not installed here, as far as its verdicts tell them: by the kind of play they are of.

The run of another machine, or of a benchmark since removed, keeps its figures; its units are found by the tasks that
each shape gives its verdicts.
"""

from collections.abc import Collection, Mapping
from typing import Any

from mores.benchmarks.scoring import MetricDefinition, scored
from mores.benchmarks.shapes.dialogues.benchmark import DialogueFigure
from mores.benchmarks.shapes.norm_scores import MEASURES, NORM, NormSource
from mores.benchmarks.shapes.reasons.metrics import ReasonSource, measures_of
from mores.benchmarks.shapes.scoring import CLOSED, VerdictSource
from mores.core.card import Reading
from mores.core.estimate import Scores
from mores.core.verdict import LABEL
from mores.core.verdict_table import VerdictTable


def scores_of_unknown(table: VerdictTable, metrics: Collection[str], headline: str, reading: Reading) -> Scores:
    """The rows of those metrics that can be told.

    Args:
        table: The run's verdicts.
        metrics: Names of the metrics that the run has figures of.
        headline: The one among them that heads them.
        reading: How the run reads labels.
    """
    measures, source = _shape(table, metrics, reading)
    known = [name for name in metrics if name in measures]
    return scored({name: measures[name] for name in known}, source, headline)


def _shape(
    table: VerdictTable, metrics: Collection[str], reading: Reading
) -> tuple[Mapping[str, MetricDefinition[Any]], VerdictSource | NormSource]:
    tasks = table.tasks
    if reading in tasks:
        return CLOSED, VerdictSource(table, reading)
    if len(tasks) > 1 and tasks[0] == LABEL:
        source = ReasonSource(table, label=LABEL, reasons=tasks[1], people=None)
        return measures_of(metrics, tasks[1]), source
    if NORM in tasks:
        return MEASURES, NormSource(table)
    first = {"accuracy": DialogueFigure(task=tasks[0]).measure} if tasks else {}
    return first | {task: DialogueFigure(task=task).measure for task in tasks}, VerdictSource(table)
