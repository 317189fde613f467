"""What each unit of a cell got, so that two cells can be held against each other unit by unit.

verdicts ─▶ points of each answer ─▶ units, whose items count together and whose samples are averaged. A unit is
what the figures count: a question, or one norm of an open answer.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import isnan, nan
from typing import NamedTuple

import numpy as np

from mores.benchmarks.ledger import Floats, Ledger
from mores.benchmarks.shapes.explained_figures import GOOD_FROM
from mores.benchmarks.shapes.normed_figures import SCORES, NormTable, norm_table
from mores.core.item import About
from mores.core.verdict import Graded, Verdict
from mores.judges.verifier import LABELS
from mores.reports.findings import Finding


class Unit(NamedTuple):
    """Points averaged over samples, NaN where ungraded; the unit's cluster and place, and what it weighs."""

    points: float
    cluster: str
    place: str
    weight: float = 1.0

    @property
    def graded(self) -> bool:
        """True where anything of it was graded."""
        return not isnan(self.points)


class _Answer(NamedTuple):
    about: About
    sample: int
    points: float


def items_of(cell: Finding) -> frozenset[str]:
    """The items that a cell asked."""
    return frozenset(verdict.about.item for verdict in cell.verdicts())


def label_units(cell: Finding, items: Collection[str]) -> dict[str, Unit]:
    """Units of some items by how their labels fared; where reasons are graded too, those do not count."""
    return _units(_Answer(v.about, v.sample, _points(v)) for v in cell.verdicts() if v.about.item in items)


def headline_units(cell: Finding, items: Collection[str]) -> dict[str, Unit]:
    """Units of some items by what the headline counts: labels, labels with good reasons, or parts of a norm score.

    The points of a norm score are to be divided by the mean weight of all units.
    """
    if cell.headline in SCORES:
        return _scored(cell, items)
    return _units(_explained(cell, items)) if _counts_reasons(cell) else label_units(cell, items)


def units_beside(cell: Finding, items: Collection[str]) -> dict[str, dict[str, Unit]]:
    """Units of some items by what judges say beside the headline: points of reasons, or where open answers go.

    Names are those of the card's metrics: the rubric, or the shares of norms left open and broken.
    """
    if cell.rubric is not None:
        pairs = (answer for answer in cell.answers() if answer[0].about.item in items)
        return {cell.rubric: _units(_Answer(v.about, v.sample, _points(v)) for _, *rest in pairs for v in rest[:1])}
    if cell.headline not in SCORES:
        return {}
    held = _held(cell, items)
    shares = _mean_shares(held.table)
    return {label: held.units(shares[:, number], np.ones(len(shares))) for number, label in enumerate(LABELS) if number}


def _counts_reasons(cell: Finding) -> bool:
    """True where the headline asks for good reasons: then the label's accuracy has a figure of its own."""
    return cell.rubric is not None and cell.whole("label_accuracy") is not None


def _explained(cell: Finding, items: Collection[str]) -> Iterator[_Answer]:
    """Labels for good reasons; ungraded where either is, as in the figures."""
    for label, reasons in cell.answers():
        if label.about.item in items:
            points = _points(reasons)
            good = nan if isnan(points) else float(points >= GOOD_FROM)
            yield _Answer(label.about, label.sample, _points(label) * good)


def _points(verdict: Verdict) -> float:
    return verdict.points if isinstance(verdict, Graded) else nan


class _Held(NamedTuple):
    """The norms of a cell's open answers, with their verdicts."""

    abouts: Sequence[About]
    table: NormTable

    def units(self, values: Floats, weights: Floats) -> dict[str, Unit]:
        """A unit each."""
        return {
            _name(about): Unit(float(value), about.cluster, about.place or "", float(weight))
            for about, value, weight in zip(self.abouts, values, weights, strict=True)
        }


def _held(cell: Finding, items: Collection[str]) -> _Held:
    ledger = Ledger(verdict for verdict in cell.verdicts() if verdict.about.item in items)
    return _Held(ledger.abouts, norm_table(ledger, cell.tasks[0]))


def _scored(cell: Finding, items: Collection[str]) -> dict[str, Unit]:
    held = _held(cell, items)
    slots = held.table.slots
    values = slots.mean if SCORES[cell.headline][1] == "mean" else slots.passed
    return held.units(100 * values, slots.weight)


def _mean_shares(table: NormTable) -> Floats:
    """Each label's mean over the graded samples of each norm, NaN where none is graded."""
    known = np.isfinite(table.given)
    total, count = np.where(known, table.given, 0.0).sum(0), known.sum(0)
    return np.asarray(np.divide(total, count, out=np.full(total.shape, nan), where=count > 0))


def _name(about: About) -> str:
    """A unit's name; a part of an answer is one by itself, and its norm may be part of other answers too."""
    return f"{about.item}\x1f{about.part}" if about.part else about.unit


def _units(answers: Iterable[_Answer]) -> dict[str, Unit]:
    """The least of a unit's items in a sample, then the mean of samples.

    A partly ungraded unit is wrong if any graded item is wrong, else ungraded in that sample.
    """
    samples: dict[str, dict[int, list[float]]] = {}
    first: dict[str, About] = {}
    for about, sample, points in answers:
        name = _name(about)
        first.setdefault(name, about)
        samples.setdefault(name, {}).setdefault(sample, []).append(points)
    return {
        name: Unit(_mean([_least(points) for points in drawn.values()]), first[name].cluster, first[name].place or "")
        for name, drawn in samples.items()
    }


def _least(points: list[float]) -> float:
    graded = [p for p in points if not isnan(p)]
    unknown = not graded or (len(graded) < len(points) and min(graded) >= 1)
    return nan if unknown else min(graded)


def _mean(points: list[float]) -> float:
    graded = [p for p in points if not isnan(p)]
    return sum(graded) / len(graded) if graded else nan
