"""What is averaged over the things of a task, and which figure of the benchmark's card that is.

A task of points has one mean. Of words each is a target, against the rest; of two words one, that which counts in the
benchmark's figure. Words that are steps of a scale (0 to 3) have their mean beside.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from mores.core.card import Metric
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.item import About
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.core.vote import Thing
from mores.people.judged import Cell, Judged
from mores.people.tables import TaskTable
from mores.reports.findings import Finding

Floats = npt.NDArray[np.float64]
Counted = Literal["thing", "unit", "item", "cluster"]
MEAN = "mean"
CLOSE = 1e-6
"""How near a mean has to be to a figure to be the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A mean over the things of a task: of points, or of what each of its words is worth."""

    name: str
    worth: tuple[float, ...] = ()

    @property
    def is_share(self) -> bool:
        """True for the share of one word."""
        return self.name != MEAN

    @property
    def low(self) -> float:
        """The least that it can be."""
        return min(self.worth, default=0.0)

    @property
    def high(self) -> float:
        """The most that it can be."""
        return max(self.worth, default=1.0)

    @property
    def metric(self) -> Metric:
        """Its range, so that it is put into words as figures of that range are."""
        return Metric(name=self.name, unit="thing", says="", low=self.low, high=self.high)

    def judged(self, table: TaskTable) -> Floats:
        """The judges' figure of each thing: the probability of the word where they weighed words; NaN for none."""
        plain = self._worth(table.said)
        if not self.worth:
            return plain
        weighed = [self._weighed(row, table.options) for row in table.rows]
        return np.array([own if own is not None else hard for own, hard in zip(weighed, plain.tolist(), strict=True)])

    def hard(self, table: TaskTable) -> Floats:
        """The judges' word on each thing as a figure."""
        return self._worth(table.said)

    def labels(self, table: TaskTable) -> Floats:
        """People's word on each thing as a figure; NaN for none."""
        return self._worth(table.truth)

    def _worth(self, codes: Floats) -> Floats:
        if not self.worth:
            return codes
        known = np.isfinite(codes)
        values = np.asarray(self.worth)[np.where(known, codes, 0).astype(np.int64)]
        return np.where(known, values, np.nan)

    def _weighed(self, row: Judged, options: tuple[str, ...]) -> float | None:
        """The mean over votes of what the words' probabilities make of it; None where no probabilities were read."""
        shares = [vote.shares for votes in row.votes.values() for vote in votes if vote.shares is not None]
        if not shares:
            return None
        worth = dict(zip(options, self.worth, strict=True))
        return float(np.mean([sum(share * worth[name] for name, share in each.items()) for each in shares]))


@dataclass(slots=True)
class TaskFacts:
    """What the verdicts of one task say beside its votes.

    `points` of each word, `units` that things count towards by item and part, `settled` are answers that left nothing
    to judge and their verdicts, `unjudged` those on which no judge's word could be had at all.
    """

    points: dict[str, set[float]] = field(default_factory=dict)
    units: dict[tuple[str, str], str] = field(default_factory=dict)
    settled: list[Graded] = field(default_factory=list)
    ungraded: list[tuple[str, int]] = field(default_factory=list)

    def add(self, verdict: Verdict) -> None:
        """Take note of one verdict of the task."""
        about = verdict.about
        self.units.setdefault((about.item, about.part), about.unit)
        self.units.setdefault((about.item, ""), about.unit)
        if isinstance(verdict, Ungraded):
            self.ungraded.append((about.item, verdict.sample))
        elif verdict.ballot is None:
            self.settled.append(verdict)
        elif verdict.label is not None:
            self.points.setdefault(verdict.label, set()).add(verdict.points)

    def unit(self, item: str, part: str) -> str:
        """What a thing counts towards."""
        return self.units.get((item, part)) or self.units.get((item, ""), item)

    def settled_beside(self, table: TaskTable) -> list[Graded]:
        """Answers that are in the figure and were never put to a judge."""
        voted = {(row.thing.item, row.thing.sample) for row in table.rows}
        return [each for each in self.settled if (each.about.item, each.sample) not in voted]

    def unheard_beside(self, table: TaskTable) -> int:
        """Answers that are ungraded and of which there is not even a vote."""
        voted = {(row.thing.item, row.thing.sample) for row in table.rows}
        return sum(each not in voted for each in self.ungraded)


def facts_of(finding: Finding) -> dict[str, TaskFacts]:
    """The facts of each task of a cell, in one reading of its verdicts."""
    found: dict[str, TaskFacts] = {}
    for verdict in finding.every_verdict():
        found.setdefault(verdict.task, TaskFacts()).add(verdict)
    return found


def targets_of(table: TaskTable, facts: TaskFacts) -> tuple[Target, ...]:
    """What is averaged over the things of a task, the benchmark's own reading first."""
    options = table.options
    if not options:
        return (Target(name=MEAN),)
    worth = _worth(options, facts.points)
    classes = tuple(
        Target(name=name, worth=tuple(float(other == name) for other in options)) for name in options
    )  # fmt: skip
    own = next((each for each in classes if each.worth == worth), None)
    if own is None and worth is not None:
        return (Target(name=MEAN, worth=worth), *classes)
    if len(options) == 2:
        return (own or classes[0],)
    return classes if own is None else (own, *(each for each in classes if each is not own))


def _worth(options: Sequence[str], points: Mapping[str, set[float]]) -> tuple[float, ...] | None:
    """What each word is worth in the benchmark's figure, where that is the same wherever it was said."""
    if any(len(found) > 1 for found in points.values()) or not points or not set(points) <= set(options):
        return None
    known = {name: next(iter(found)) for name, found in points.items()}
    for name in options:
        if name not in known and name.replace(".", "", 1).isdecimal():
            known[name] = float(name)
    shares = set(known.values()) == {0.0, 1.0} and list(known.values()).count(1.0) == 1
    if len(known) < len(options) and not shares:
        return None
    return tuple(known.get(name, 0.0) for name in options)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFigure:
    """The figure of the card that a target is: `mass` · mean over what was judged + `rest` for what was not.

    `mass` is less than 1 where answers left nothing to judge; `counted` says what counts alike in the mean, and
    `weights` how much each judged thing therefore counts, in the order of the rows. `places` has mass and rest of each.
    """

    estimate: Estimate
    metric: Metric | None
    headline: bool
    counted: Counted
    weights: Floats = field(repr=False)
    mass: float = 1.0
    rest: float = 0.0
    places: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def at(self, place: str) -> "CardFigure":
        """The same of one place; its weights are of no use there."""
        mass, rest = self.places.get(place, (1.0, 0.0))
        return replace(self, mass=mass, rest=rest)

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.estimate.metric


@dataclass(frozen=True, slots=True)
class _Entries:
    """All that goes into a figure: values, their places, whether judged, and what counts alike, in each reading."""

    values: Floats
    places: npt.NDArray[np.str_]
    judged: npt.NDArray[np.bool_]
    groups: Mapping[Counted, npt.NDArray[np.str_]]

    def weights(self, counted: Counted) -> Floats:
        """How much each counts; they sum to 1."""
        _, codes, sizes = np.unique(self.groups[counted], return_inverse=True, return_counts=True)
        return np.asarray(1.0 / (sizes[codes] * sizes.size))

    def split(self, weights: Floats, own: npt.NDArray[np.bool_]) -> tuple[float, float]:
        """The part of a mean over some that was judged, and what all else adds to it."""
        share = weights * own / max(float(weights[own].sum()), 1e-300)
        return float(share[self.judged].sum()), float(share[~self.judged] @ self.values[~self.judged])


def figure_of(target: Target, table: TaskTable, facts: TaskFacts, finding: Finding) -> CardFigure | None:
    """The figure that is this very mean, over everything and in every place that has one; None for no such figure."""
    entries = _entries(target, table, facts)
    if not entries.values.size:
        return None
    for name in _names(target, table.task, finding):
        whole = finding.whole(name)
        if whole is None or whole.value is None:
            continue
        for counted in entries.groups:
            if _is(entries, counted, whole, finding.by("place", name)):
                weights = entries.weights(counted)
                mass, rest = entries.split(weights, np.ones(weights.size, dtype=np.bool_))
                places = {str(p): entries.split(weights, entries.places == p) for p in np.unique(entries.places)}
                return CardFigure(
                    estimate=whole, metric=finding.metric(name), headline=name == finding.headline, counted=counted,
                    weights=weights[entries.judged], mass=mass, rest=rest, places=places,
                )  # fmt: skip
    return None


def _names(target: Target, task: str, finding: Finding) -> Iterator[str]:
    """Metrics that could be this mean, by their names; the headline where it rests on this task."""
    known = {each.metric for each in finding.estimates}
    if next((verdict.task for verdict in finding.verdicts()), "") == task:
        yield finding.headline
    yield from (name for name in (task, target.name, f"{task}_{target.name}") if name in known)


def _is(entries: _Entries, counted: Counted, whole: Estimate, places: Mapping[str, Estimate]) -> bool:
    weights = entries.weights(counted)
    if abs(float(weights @ entries.values) - (whole.value or 0.0)) > CLOSE:
        return False
    for place, figure in places.items():
        own = entries.places == place
        if figure.value is None or not own.any():
            continue
        if abs(float(weights[own] @ entries.values[own] / weights[own].sum()) - figure.value) > CLOSE:
            return False
    return True


def _entries(target: Target, table: TaskTable, facts: TaskFacts) -> _Entries:
    values, settled = target.judged(table), facts.settled_beside(table)
    kept = np.flatnonzero(np.isfinite(values)).tolist()
    abouts = [_about(table.rows[row], facts) for row in kept] + [_plain_about(each.about) for each in settled]
    columns = np.array(abouts, dtype=np.str_).reshape(-1, 4)
    every = [*values[kept].tolist(), *(_settled(target, each) for each in settled)]
    return _Entries(
        values=np.array(every, dtype=np.float64),
        places=columns[:, 0],
        judged=np.arange(len(abouts)) < len(kept),
        groups={
            "thing": np.arange(len(abouts)).astype(np.str_),
            "unit": columns[:, 1], "item": columns[:, 2], "cluster": columns[:, 3],
        },
    )  # fmt: skip


def _about(row: Judged, facts: TaskFacts) -> tuple[str, str, str, str]:
    thing = row.thing
    return row.place, facts.unit(thing.item, part_of(thing)), thing.item, row.cluster


def _plain_about(about: About) -> tuple[str, str, str, str]:
    return about.place or "", about.unit, about.item, about.cluster


def part_of(thing: Thing) -> str:
    """The part of the item that a verdict on this thing speaks of."""
    return thing.norm or ("" if thing.step is None else str(thing.step))


def _settled(target: Target, verdict: Graded) -> float:
    """What an answer counts that nobody had to judge."""
    return float(verdict.label == target.name) if target.is_share else verdict.points


def finding_of(cell: Cell, findings: Sequence[Finding]) -> Finding:
    """The finding of a cell.

    Raises:
        InputError: it is none of them.
    """
    found = next((each for each in findings if each.folder.resolve() == cell.folder.resolve()), None)
    if found is None:
        raise InputError(f"{cell.folder}: not among the runs; expected one of {len(findings)} cells.")
    return found
