"""Figures of days: each metric reads the verdicts of one task, averaged within each day first, then over days.

A day is a unit (a resident, or a norm) in one sample: all its steps are averaged, or those at one kind of place for
figures by place, so that long days of weak minds weigh no more than short ones. Then the days of a unit are averaged,
in groups those that fall into the group, which may differ by sample (the places where a day was spent, the origins
that were met). So `asked` and `graded` count units with a day in the group, however many samples were drawn; a unit is
graded if one of its days is, and a day if one of its steps is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mores.benchmarks.ledger import Codes, Floats, Frame, Ledger
from mores.benchmarks.shapes.figures import Mask, Part, Rows, cluster_codes, parts_of, share
from mores.core.card import Card
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.item import About
from mores.core.seeds import Seed
from mores.core.verdict import Ballot

BY_STEP = "location"
Values = Callable[[Ledger, Frame, Sequence[Ballot | None]], Floats]
"""What each verdict of a task is worth, from 0 to 1; NaN where it is ungraded or says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One metric: the task that it reads, and what each of its verdicts is worth, by default their points.

    A verdict that is graded but worth NaN says nothing of the metric and is no part of it. One with the label `open`
    is graded for other metrics, but says neither yes nor no to this one: it is asked and not graded.
    """

    task: str
    worth: Values | None = None
    top: float = 1.0
    plain: bool = False
    open: str | None = None


def with_label(label: str) -> Values:
    """1 where the verdict's label is this one."""

    def worth(ledger: Ledger, frame: Frame, ballots: Sequence[Ballot | None]) -> Floats:
        _ = ballots
        return np.where(np.isfinite(frame.points), (frame.label == ledger.code(label)).astype(float), np.nan)

    return worth


def day_figures(ledger: Ledger, card: Card, seed: Seed, readings: Mapping[str, Reading]) -> tuple[Estimate, ...]:
    """Each metric of the card over the whole and each of its groups.

    Raises:
        InputError: the card has a metric of which nobody knows how it is read.
    """
    unknown = [metric.name for metric in card.metrics if metric.name not in readings]
    if unknown:
        raise InputError(f"{card.name}: no figure is called {unknown}; the card and the family disagree.")
    found: dict[tuple[int, str], list[Estimate]] = {}
    units = _Units.of(ledger.abouts)
    for metric in card.metrics:
        reading = readings[metric.name]
        for part, rows in _parts(ledger, card, reading, units):
            estimate = share(metric.name, rows, part, seed, lower_is_better=metric.better == "lower")
            key = (card.groups.index(part.kind) + 1 if part.kind else 0, part.value)
            found.setdefault(key, []).append(_told(estimate, reading))
    return tuple(estimate for key in sorted(found) for estimate in found[key])


def day_points(ledger: Ledger, reading: Reading) -> dict[str, float]:
    """What each unit got on one metric: steps averaged by day, then its days; one without a graded step is left out."""
    found: dict[str, dict[int, list[float]]] = {}
    frame = ledger.frame(reading.task)
    for index, sample, worth in zip(frame.item, frame.sample, _worth(ledger, reading, frame), strict=True):
        if np.isfinite(worth):
            days = found.setdefault(ledger.abouts[int(index)].unit, {})
            days.setdefault(int(sample), []).append(float(worth))
    return {unit: fmean(map(fmean, days.values())) for unit, days in found.items()}


def _worth(ledger: Ledger, reading: Reading, frame: Frame) -> Floats:
    worth = frame.points if reading.worth is None else reading.worth(ledger, frame, ledger.ballots(reading.task))
    return np.where(_open(ledger, reading, frame), np.nan, worth)


def _open(ledger: Ledger, reading: Reading, frame: Frame) -> Mask:
    """Which verdicts say neither yes nor no."""
    return np.isin(frame.label, [] if reading.open is None else [ledger.code(reading.open)])


def _told(estimate: Estimate, reading: Reading) -> Estimate:
    if reading.top == 1.0:
        return estimate

    def scaled(value: float | None) -> float | None:
        return None if value is None else round(value * reading.top, 8)  # it was rounded before, at 10 of a share

    told = replace(
        estimate,
        value=scaled(estimate.value),
        low=scaled(estimate.low),
        high=scaled(estimate.high),
        worst=scaled(estimate.worst),
        best=scaled(estimate.best),
    )
    return (
        replace(told, low=None, high=None, method="", why="describes these days; no interval")
        if reading.plain
        else told
    )


class _Units(NamedTuple):
    """A code for the unit of each thing that verdicts are about, and for its unit at one kind of place."""

    whole: Codes
    by_step: Codes

    @classmethod
    def of(cls, abouts: Sequence[About]) -> "_Units":
        """The codes, made once for all metrics."""
        whole = [about.unit for about in abouts]
        places = [f"{about.unit}\x1f{about.groups.get(BY_STEP, '')}" for about in abouts]
        return cls(cluster_codes(whole), cluster_codes(places))


class _Steps(NamedTuple):
    """The verdicts that say something of a metric, NaN where they are ungraded."""

    item: Codes
    sample: Codes
    worth: Floats


class _Days(NamedTuple):
    """What each day got, NaN where ungraded, with its bounds and what it counts towards."""

    points: Floats
    least: Floats
    most: Floats
    abouts: Sequence[About]


def _parts(ledger: Ledger, card: Card, reading: Reading, units: _Units) -> list[tuple[Part, Rows]]:
    """Every group with its rows; where places of the town are told apart, a day is what was lived at one kind."""
    frame = ledger.frame(reading.task)
    worth = _worth(ledger, reading, frame)
    kept = np.isnan(frame.points) | np.isfinite(worth) | _open(ledger, reading, frame)
    steps = _Steps(frame.item[kept], frame.sample[kept], worth[kept] / reading.top)
    parts = _by_unit(_days(ledger, steps, units.whole), [kind for kind in card.groups if kind != BY_STEP])
    if BY_STEP in card.groups:
        of_places = _by_unit(_days(ledger, steps, units.by_step), [BY_STEP])
        parts += [(part, rows) for part, rows in of_places if part.kind]
    return parts


def _days(ledger: Ledger, steps: _Steps, unit: Codes) -> _Days:
    first, day = _codes(unit[steps.item] * (1 + int(steps.sample.max(initial=0))) + steps.sample)
    graded, size = np.isfinite(steps.worth), len(first)
    asked, count = (np.bincount(codes, minlength=size) for codes in (day, day[graded]))
    total = np.bincount(day[graded], steps.worth[graded], minlength=size)
    return _Days(
        points=_ratio(total, count),
        least=_ratio(total, asked),
        most=_ratio(total + asked - count, asked),
        abouts=[ledger.abouts[index] for index in steps.item[first].tolist()],
    )


def _by_unit(days: _Days, kinds: Sequence[str]) -> list[tuple[Part, Rows]]:
    """Every group with its rows: a row a unit and group, which has the unit's days that fall into it."""
    parts, groups = parts_of(days.abouts, kinds)
    unit = cluster_codes([about.unit for about in days.abouts])
    cluster = cluster_codes([about.cluster for about in days.abouts])
    tables: dict[str, Rows] = {}
    for column in dict.fromkeys(part.column or part.kind for part in parts):
        group = groups[column].astype(np.int64) if column else np.zeros(len(unit), dtype=np.int64)
        first, row = _codes(unit * (2 + group.max(initial=0)) + 1 + group)  # -1 is of those in no group
        tables[column] = Rows(
            points=_means(days.points, row, len(first)),
            least=_means(days.least, row, len(first)),
            most=_means(days.most, row, len(first)),
            cluster=cluster[first],
            groups={kind: values[first] for kind, values in groups.items()},
        )
    return [(part, tables[part.column or part.kind]) for part in parts]


def _means(values: Floats, row: Codes, size: int) -> Floats:
    """The mean of what is graded in each row; NaN for nothing."""
    graded = np.isfinite(values)
    count = np.bincount(row[graded], minlength=size)
    return _ratio(np.bincount(row[graded], values[graded], minlength=size), count)


def _ratio(total: npt.NDArray[np.number[Any]], count: Codes) -> Floats:
    return np.asarray(np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0))


def _codes(keys: Codes) -> tuple[Codes, Codes]:
    """Index of the first of each key, in order of appearance, and each entry's code."""
    _, first, code = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[code]
