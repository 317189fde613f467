"""Units of the metrics beside the headline, so that they can be compared unit by unit as well.

verdicts of each task ─▶ ways to count a metric ─▶ the way whose mean over units is the run's own figure. A metric that
is no mean over units (F1, a gap between places) has none, and nothing is compared that the report does not show.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import NamedTuple

from mores.core.item import About
from mores.core.verdict import Graded, Verdict
from mores.reports.findings import Finding
from mores.reports.units import AnswerPoints, Unit, average, fold_units, least, points_of, whole

CLOSE = 1e-6
"""How near a mean over units has to be to a figure to be the same."""
FAULTS = ("format_error", "refusal")


class _Way(NamedTuple):
    """One way to count a metric: what each answer got, and whether a unit's answers are averaged."""

    answers: Sequence[AnswerPoints]
    averaged: bool = False

    def units(self, items: Collection[str] | None = None) -> dict[str, Unit]:
        """The units of some items, or of all."""
        kept = self.answers if items is None else (each for each in self.answers if each.about.item in items)
        return fold_units(kept, together=average if self.averaged else least)


def units_of_metrics(cell: Finding, items: Collection[str]) -> dict[str, dict[str, Unit]]:
    """Units of some items by each metric of the card, beside the headline, that is a mean over units.

    What only describes the plays that were held (how many rounds a talk had) is no matter of better or worse.
    """
    twins = (cell.headline, f"accuracy_{cell.provenance.protocol.reading}")
    wanted = [metric.name for metric in cell.card.metrics if metric.name not in twins] if cell.card else []
    verdicts: dict[str, list[Verdict]] = {}
    for verdict in cell.every_verdict():
        verdicts.setdefault(verdict.task, []).append(verdict)
    counted = next(cell.verdicts(), None)
    own = verdicts[counted.task] if counted else []
    found = {name: _that_is_the_figure(cell, name, _ways(name, verdicts, own)) for name in wanted}
    return {name: way.units(items) for name, way in found.items() if way is not None}


def _ways(name: str, verdicts: Mapping[str, Sequence[Verdict]], own: Sequence[Verdict]) -> Iterator[_Way]:
    """A metric may be called as a task, as a way of reading labels, or say how often answers have a fault."""
    if name in verdicts:
        plain = _answers(verdicts[name])
        yield _Way(_by_unit(plain), averaged=True)
        yield _Way(plain)
    _, _, reading = name.partition("accuracy_")
    if reading in verdicts:
        yield _Way(_answers(verdicts[reading]))
    if name == "item_accuracy":
        yield _Way([each._replace(about=_alone(each.about)) for each in _answers(own)])
    if name in FAULTS:
        faulty = [AnswerPoints(v.about, v.sample, _faulty(v, name)) for v in own]
        yield _Way(_by_unit(faulty), averaged=True)
        yield _Way([each._replace(about=_alone(each.about)) for each in faulty])


def _answers(verdicts: Iterable[Verdict]) -> list[AnswerPoints]:
    return [AnswerPoints(v.about, v.sample, points_of(v)) for v in verdicts]


def _by_unit(answers: Iterable[AnswerPoints]) -> list[AnswerPoints]:
    """Answers that count for their unit alone: the steps of a day are no units by themselves."""
    return [each._replace(about=whole(each.about)) for each in answers]


def _alone(about: About) -> About:
    """The item by itself, whatever it counts towards."""
    return replace(about, unit=about.item)


def _faulty(verdict: Verdict, fault: str) -> float:
    return float(verdict.fault == fault) if isinstance(verdict, Graded) else nan


def _that_is_the_figure(cell: Finding, name: str, ways: Iterable[_Way]) -> _Way | None:
    figure = cell.whole(name)
    if figure is None or figure.value is None or (figure.why or "").startswith("describes"):
        return None
    for way in ways:
        graded = [unit.points for unit in way.units().values() if unit.graded]
        if graded and abs(sum(graded) / len(graded) - figure.value) < CLOSE:
            return way
    return None
