"""Rows of a metric folded into units, those of one unit and sample first, then its samples; and subjects by mode.

So samples never count as units, and a long day of a weak mind weighs no more than a short one. In a group, a unit is
what its rows in that group come to, where they differ by row or sample (the places where a day was spent).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.analysis.results import Result, Results
from mores.core.arrays import Codes, Floats
from mores.core.estimate import MetricRows, RowKeys

HELD = 48
"""Results whose units are kept at hand: all models of a benchmark in most reports."""


class Units(Struct, frozen=True, eq=False, kw_only=True):
    """A row a unit: its mean over graded samples, NaN where none is, what it could be, and its keys (first row's).

    `samples` counts the graded samples of each unit, and `noise` is the variance between them, NaN under two.
    """

    keys: RowKeys
    value: Floats
    least: Floats
    most: Floats
    weight: Floats | None
    samples: Codes
    noise: Floats

    def __len__(self) -> int:
        return len(self.value)

    @property
    def graded(self) -> npt.NDArray[np.bool_]:
        """Mask of the units that have a value."""
        return np.isfinite(self.value)

    def take(self, rows: Codes) -> Units:
        """Some of the units."""
        return Units(
            keys=self.keys.take(rows), value=self.value[rows], least=self.least[rows], most=self.most[rows],
            weight=None if self.weight is None else self.weight[rows],
            samples=self.samples[rows], noise=self.noise[rows],
        )  # fmt: skip

    @property
    def weights(self) -> Floats:
        """Weight of each unit; one where all count alike."""
        return np.ones(len(self)) if self.weight is None else self.weight

    @property
    def mean_weight(self) -> float:
        """Mean weight of a unit; one where there is none."""
        return float(self.weights.mean()) if len(self) else 1.0

    @property
    def points_a_value(self) -> float:
        """Points of the metric that a value of 1 is: weighted units count in per cent."""
        return 1.0 if self.weight is None else 100.0

    @property
    def points(self) -> Floats:
        """Value of each unit in the metric's own points."""
        return self.points_a_value * self.value


@lru_cache(maxsize=HELD)
def headline_units(result: Result) -> Units:
    """Units of a result's headline, folded once for all that is said of it."""
    return units_of(result.stored.headline_rows)


def items_of(rows: MetricRows) -> frozenset[str]:
    """The items that were asked, whether or not the metric says anything of them."""
    return frozenset(rows.keys.item.names)


def units_of(rows: MetricRows, by: Codes | None = None) -> Units:
    """The units of a metric; with `by`, a unit and code is a unit."""
    unit = rows.keys.unit.codes
    if by is not None:
        # codes of `by` begin at -1, for none
        unit = unit * (2 + int(by.max(initial=-1))) + 1 + by
    first, of_row = first_codes(unit)
    sample = of_row * (1 + int(rows.keys.sample.max(initial=0))) + rows.keys.sample
    once, drawn = first_codes(sample)
    values = {"value": rows.value, "least": rows.least, "most": rows.most}
    if len(once) < len(rows):
        values = {name: means_by(drawn, each, len(once)) for name, each in values.items()}
        of_row = of_row[once]
    graded = np.isfinite(values["value"])
    noise = _noise(values["value"], of_row, len(first))
    if len(first) < len(once):
        values = {name: means_by(of_row, each, len(first)) for name, each in values.items()}
    return Units(
        keys=rows.keys.take(first),
        weight=None if rows.weight is None else rows.weight[first],
        samples=np.bincount(of_row[graded], minlength=len(first)),
        noise=noise,
        **values,
    )


def _noise(values: Floats, unit: Codes, size: int) -> Floats:
    if len(values) == size:  # one sample a unit
        return np.broadcast_to(np.nan, size)
    graded = np.isfinite(values)
    of, kept = unit[graded], values[graded]
    count = np.bincount(of, minlength=size)
    mean = _ratio(np.bincount(of, kept, minlength=size), count)
    return _ratio(np.bincount(of, (kept - mean[of]) ** 2, minlength=size), count - 1)


def means_by(codes: Codes, values: Floats, size: int) -> Floats:
    """The mean of the values that are there, by code; NaN for none."""
    graded = np.isfinite(values)
    count = np.bincount(codes[graded], minlength=size)
    return _ratio(np.bincount(codes[graded], values[graded], minlength=size), count)


def _ratio(total: npt.NDArray[np.number[Any]], count: Codes) -> Floats:
    return np.asarray(np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0))


def matched(one: Units, other: Units) -> Codes:
    """The row of each unit among other units, by name; -1 where it is not among them."""
    codes = other.keys.unit.among(one.keys.unit.names)
    row = np.full(len(one.keys.unit.names) + 1, -1, dtype=np.int64)
    # codes of -1, of names that only the other has, write into the last place, which is set back after
    row[codes] = np.arange(len(codes))
    row[-1] = -1
    return row[one.keys.unit.codes]


def shared_rows(units: Sequence[Units]) -> Codes:
    """Rows, in each of several, of the units that all have a grade on, in the first's order; (several, units)."""
    rows = np.array([np.arange(len(units[0])), *(matched(units[0], other) for other in units[1:])])
    graded = [np.append(each.graded, False)[row] for each, row in zip(units, rows, strict=True)]
    return np.asarray(rows[:, np.all(graded, axis=0)])


class SharedUnits(Struct, frozen=True, eq=False, kw_only=True):
    """Units that several have a grade on: points of shape (models, units), and how the first has them.

    `left_out` counts units that only some have a grade on.
    """

    points: Floats
    first: Units
    left_out: int

    @classmethod
    def of(cls, units: Sequence[Units]) -> SharedUnits:
        """The units of one metric by their names."""
        rows = shared_rows(units)
        points = np.array([each.points[row] for each, row in zip(units, rows, strict=True)])
        asked = len({name for each in units for name in each.keys.unit.texts()})
        return cls(points=points / units[0].mean_weight, first=units[0].take(rows[0]), left_out=asked - rows.shape[1])


def first_codes(keys: Codes) -> tuple[Codes, Codes]:
    """Index of the first of each key, in order of appearance, and each entry's code."""
    steps = np.diff(np.maximum.accumulate(keys), prepend=-1)
    if len(keys) and keys.min() >= 0 and steps.max() <= 1:  # coded in order of appearance already, as columns are
        return np.flatnonzero(steps), keys
    _, first, code = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    back = np.empty(len(order), dtype=np.int64)
    back[order] = np.arange(len(order))
    return first[order], back[code]


class Subject(Struct, frozen=True, kw_only=True):
    """One model with its evaluations by mode; `name` is its label where it did a mode twice."""

    name: str
    evaluations: Mapping[str, Result]

    @property
    def simulated(self) -> bool:
        """True where answers or judges were made up."""
        return any(each.simulated for each in self.evaluations.values())


class SubjectScores(Struct, frozen=True, kw_only=True, dict=True):
    """Scores of one subject in one mode, by one metric."""

    subject: Subject
    mode: str
    metric: str

    @property
    def result(self) -> Result:
        """The evaluation."""
        return self.subject.evaluations[self.mode]

    @cached_property
    def units(self) -> Units:
        """The metric's units, folded once."""
        return units_of(self.result.scores[self.metric])

    @property
    def weighted(self) -> bool:
        """True where units have weights, so that figures are points and no shares."""
        return self.units.weight is not None


def subjects_of(results: Results, mode_of: Callable[[Result], str | None]) -> tuple[Subject, ...]:
    """The models that have an evaluation in any mode; evaluations without a mode are left out.

    Runs of one model are taken together where each brings other modes; where two have the same, each run stands alone.
    """
    modes = [(mode, each) for each in results.evaluations if (mode := mode_of(each)) is not None]
    found: list[Subject] = []
    for model in dict.fromkeys(each.model for _, each in modes):
        mine = [(mode, each) for mode, each in modes if each.model == model]
        if len(dict(mine)) == len(mine):
            found.append(Subject(name=model, evaluations=dict(mine)))
            continue
        for label in dict.fromkeys(each.label for _, each in mine):
            own = {mode: each for mode, each in mine if each.label == label}
            found.append(Subject(name=label, evaluations=own))
    return tuple(found)
