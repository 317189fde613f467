"""Figures of days: each metric reads the verdicts of one task, averaged within its unit first.

Where a day is the unit, all its steps are averaged, or those at one kind of place for figures by place, so that long
days of weak minds weigh no more than short ones.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from mores.benchmarks.ledger import Floats, Frame, Ledger
from mores.benchmarks.shapes.figures import Part, Rows, cluster_codes, parts_of, share
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
    """One metric: the task that it reads, and what each of its verdicts is worth, by default their points."""

    task: str
    worth: Values | None = None
    top: float = 1.0
    plain: bool = False


def without(label: str) -> Values:
    """1 where the verdict's label is another."""

    def worth(ledger: Ledger, frame: Frame, ballots: Sequence[Ballot | None]) -> Floats:
        _ = ballots
        return np.where(np.isfinite(frame.points), (frame.label != ledger.code(label)).astype(float), np.nan)

    return worth


def with_label(label: str) -> Values:
    """1 where the verdict's label is this one."""

    def worth(ledger: Ledger, frame: Frame, ballots: Sequence[Ballot | None]) -> Floats:
        return 1.0 - without(label)(ledger, frame, ballots)

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
    for metric in card.metrics:
        reading = readings[metric.name]
        frame, worth = ledger.frame(reading.task), _worth(ledger, reading)
        for part, rows in _parts(ledger, card, frame, worth / reading.top):
            estimate = share(metric.name, rows, part, seed, lower_is_better=metric.better == "lower")
            key = (card.groups.index(part.kind) + 1 if part.kind else 0, part.value)
            found.setdefault(key, []).append(_told(estimate, reading))
    return tuple(estimate for key in sorted(found) for estimate in found[key])


def day_points(ledger: Ledger, reading: Reading) -> dict[str, float]:
    """What each day got on one metric, by its unit: its steps and samples averaged; days that say nothing have none."""
    found: dict[str, list[float]] = {}
    for index, worth in zip(ledger.frame(reading.task).item, _worth(ledger, reading), strict=True):
        if np.isfinite(worth):
            found.setdefault(ledger.abouts[int(index)].unit, []).append(float(worth))
    return {unit: fmean(points) for unit, points in found.items()}


def _worth(ledger: Ledger, reading: Reading) -> Floats:
    frame = ledger.frame(reading.task)
    return frame.points if reading.worth is None else reading.worth(ledger, frame, ledger.ballots(reading.task))


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


def _parts(ledger: Ledger, card: Card, frame: Frame, worth: Floats) -> list[tuple[Part, Rows]]:
    """Every group with its rows: a row a day, and where places of the town are told apart, a row a day and kind."""
    kept = np.isnan(frame.points) | np.isfinite(worth)  # what a verdict says nothing of is no part of the figure
    abouts, worth = [ledger.abouts[int(index)] for index in frame.item[kept]], worth[kept]
    made = []
    for by_step in (False, True):
        names = [_unit(about, by_step=by_step) for about in abouts]
        kinds = [kind for kind in card.groups if (kind == BY_STEP) == by_step]
        rows, parts = _rows(names, abouts, worth, kinds)
        made += [(part, rows) for part in parts if part.kind or not by_step]
    return made


def _unit(about: About, *, by_step: bool) -> str:
    return f"{about.unit}\x1f{about.groups.get(BY_STEP, '')}" if by_step else about.unit


def _rows(
    names: Sequence[str], abouts: Sequence[About], worth: Floats, kinds: Sequence[str]
) -> tuple[Rows, tuple[Part, ...]]:
    first: dict[str, int] = {}
    codes = np.fromiter((first.setdefault(name, len(first)) for name in names), dtype=np.int64, count=len(names))
    size, graded = len(first), np.isfinite(worth)
    asked = np.bincount(codes, minlength=size)
    count = np.bincount(codes[graded], minlength=size)
    total = np.bincount(codes[graded], worth[graded], minlength=size)
    starts = np.zeros(size, dtype=np.int64)
    starts[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    units = [abouts[int(index)] for index in starts]
    parts, groups = parts_of(units, kinds)
    rows = Rows(
        points=np.divide(total, count, out=np.full(size, np.nan), where=count > 0),
        least=np.divide(total, asked, out=np.zeros(size), where=asked > 0),
        most=np.divide(total + asked - count, asked, out=np.ones(size), where=asked > 0),
        cluster=cluster_codes([about.cluster for about in units]),
        groups=groups,
    )
    return rows, parts
