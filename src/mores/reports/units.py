"""What each unit of a cell got, so that two cells can be held against each other unit by unit.

verdicts ─▶ points of each answer ─▶ units, whose items count together and whose samples are averaged. A unit is
what the figures count: a question, one norm of an open answer, a talk, a day.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from statistics import variance
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from mores.benchmarks.ledger import Floats, Ledger
from mores.benchmarks.shapes.days.verifying import OPEN, RESPECTED
from mores.benchmarks.shapes.explained_figures import GOOD_FROM
from mores.benchmarks.shapes.normed_figures import SCORES, NormTable, norm_table
from mores.core.item import About
from mores.core.verdict import Graded, Verdict
from mores.judges.verifier import LABELS
from mores.reports.findings import HEADLINES, Finding

NOTHING: Mapping[str, str] = MappingProxyType({})


class Unit(NamedTuple):
    """Points averaged over samples, NaN where ungraded; the unit's cluster and place, and what it weighs.

    `groups` are what it belongs to besides its place. `samples` counts its graded samples, and `noise` is the
    variance between them, NaN where there are fewer than two.
    """

    points: float
    cluster: str
    place: str
    weight: float = 1.0
    groups: Mapping[str, str] = NOTHING
    samples: int = 1
    noise: float = nan

    @property
    def graded(self) -> bool:
        """True where anything of it was graded."""
        return not isnan(self.points)


class AnswerPoints(NamedTuple):
    """What one answer, or a part of it that counts alone, got; NaN where ungraded."""

    about: About
    sample: int
    points: float


class ByLabel(NamedTuple):
    """A headline that is a share of verdicts of a task by their labels, a unit's verdicts of a sample averaged.

    Verdicts with the label `open` say nothing to it and count as ungraded. The task is that of `HEADLINES`.
    """

    task: str
    right: Callable[[str | None], bool]
    open: str = ""

    def says(self, verdict: Verdict) -> bool | None:
        """Whether a verdict is right; None where it is ungraded, or judges left it open."""
        if not isinstance(verdict, Graded) or verdict.label == self.open:
            return None
        return self.right(verdict.label)


BY_LABEL = {
    "accuracy": ByLabel(HEADLINES["accuracy"], lambda label: label == "3"),
    "adherence_step": ByLabel(HEADLINES["adherence_step"], lambda label: label == RESPECTED, open=OPEN),
}
"""Of talks, the norm kept and the goal reached; of days, steps without a violation."""


class _Everything(Collection[str]):
    """Every item there may be."""

    def __contains__(self, item: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


EVERY_ITEM: Collection[str] = _Everything()


def items_of(cell: Finding) -> frozenset[str]:
    """The items that a cell asked."""
    return frozenset(verdict.about.item for verdict in cell.verdicts())


def label_units(cell: Finding, items: Collection[str]) -> dict[str, Unit]:
    """Units of some items by how their labels fared; where reasons are graded too, those do not count."""
    return fold_units(AnswerPoints(v.about, v.sample, points_of(v)) for v in cell.verdicts() if v.about.item in items)


def headline_units(cell: Finding, items: Collection[str]) -> dict[str, Unit]:
    """Units of some items by what the headline counts: labels, labels with good reasons, parts of a norm score.

    The points of a norm score are to be divided by the mean weight of all units.
    """
    if cell.headline in SCORES:
        return _scored(cell, items)
    by = BY_LABEL[cell.headline] if cell.label_task is not None else None
    if by is not None:
        return fold_units(_labelled(cell, items, by), together=average)
    return fold_units(_explained(cell, items)) if _counts_reasons(cell) else label_units(cell, items)


def units_beside(cell: Finding, items: Collection[str]) -> dict[str, dict[str, Unit]]:
    """Units of some items by what judges say beside the headline: points of reasons, or where open answers go.

    Names are those of the card's metrics: the rubric, or the shares of norms left open and broken.
    """
    if cell.rubric is not None:
        pairs = (answer for answer in cell.answers() if answer[0].about.item in items)
        graded = (AnswerPoints(v.about, v.sample, points_of(v)) for _, *rest in pairs for v in rest[:1])
        return {cell.rubric: fold_units(graded)}
    if cell.headline not in SCORES:
        return {}
    held = _held(cell, items)
    shares = _mean_shares(held.table)
    return {label: held.units(shares[:, number], np.ones(len(shares))) for number, label in enumerate(LABELS) if number}


def _counts_reasons(cell: Finding) -> bool:
    """True where the headline asks for good reasons: then the label's accuracy has a figure of its own."""
    return cell.rubric is not None and cell.whole("label_accuracy") is not None


def _explained(cell: Finding, items: Collection[str]) -> Iterator[AnswerPoints]:
    """Labels for good reasons; ungraded where either is, as in the figures."""
    for label, reasons in cell.answers():
        if label.about.item in items:
            points = points_of(reasons)
            good = nan if isnan(points) else float(points >= GOOD_FROM)
            yield AnswerPoints(label.about, label.sample, points_of(label) * good)


def _labelled(cell: Finding, items: Collection[str], by: ByLabel) -> Iterator[AnswerPoints]:
    for verdict in cell.every_verdict():
        if verdict.task == by.task and verdict.about.item in items:
            said = by.says(verdict)
            yield AnswerPoints(whole(verdict.about), verdict.sample, nan if said is None else float(said))


def whole(about: About) -> About:
    """What a verdict is about, as a part of nothing: its unit."""
    return replace(about, part="")


def points_of(verdict: Verdict) -> float:
    """The points of a verdict, NaN where it failed."""
    return verdict.points if isinstance(verdict, Graded) else nan


class _Held(NamedTuple):
    """The norms of a cell's open answers, with their verdicts."""

    abouts: Sequence[About]
    table: NormTable

    def units(self, values: Floats, weights: Floats) -> dict[str, Unit]:
        """A unit each."""
        return {
            unit_name(about): Unit(float(value), about.cluster, about.place or "", float(weight), about.groups)
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


def unit_name(about: About) -> str:
    """A unit's name; a part of an answer is one by itself, and its norm may be part of other answers too."""
    return f"{about.item}\x1f{about.part}" if about.part else about.unit


def least(points: Sequence[float]) -> float:
    """The least of a unit's items; where some are ungraded, only if a graded one is below 1."""
    graded = [p for p in points if not isnan(p)]
    unknown = not graded or (len(graded) < len(points) and min(graded) >= 1)
    return nan if unknown else min(graded)


def average(points: Sequence[float]) -> float:
    """The mean of what is graded; NaN for nothing."""
    graded = [p for p in points if not isnan(p)]
    return sum(graded) / len(graded) if graded else nan


def fold_units(
    answers: Iterable[AnswerPoints], together: Callable[[Sequence[float]], float] = least
) -> dict[str, Unit]:
    """What a unit's items come to together in a sample, then the mean of samples."""
    samples: dict[str, dict[int, list[float]]] = {}
    first: dict[str, About] = {}
    for about, sample, points in answers:
        name = unit_name(about)
        first.setdefault(name, about)
        samples.setdefault(name, {}).setdefault(sample, []).append(points)
    return {
        name: _unit(first[name], [together(points) for points in drawn.values()]) for name, drawn in samples.items()
    }


def _unit(about: About, points: Sequence[float]) -> Unit:
    graded = [p for p in points if not isnan(p)]
    return Unit(
        points=average(points),
        cluster=about.cluster,
        place=about.place or "",
        groups=about.groups,
        samples=len(graded),
        noise=variance(graded) if len(graded) > 1 else nan,
    )
