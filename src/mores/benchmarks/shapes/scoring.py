"""Verdicts to scores: the score of each unit, or each item, in each sample; and metrics of one task each.

A unit (a question) is right in a sample if all its items are; a partly ungraded unit is wrong if any graded item is
wrong, else ungraded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.aggregate import Aggregator, mean, pooled
from mores.analysis.f1 import f1_macro
from mores.analysis.units import first_codes
from mores.benchmarks.scoring import MetricDefinition
from mores.core.arrays import Codes, Floats, Mask
from mores.core.card import Reading
from mores.core.estimate import CategoricalColumn, MetricRows, RowKeys
from mores.core.transcript import ItemMetadata
from mores.core.verdict_table import VerdictColumns, VerdictTable


class UnitCodes(NamedTuple):
    """Units to count: the code of each thing that verdicts are about, and the first of each."""

    of_thing: Codes
    first: Codes

    @property
    def size(self) -> int:
        """Number of units."""
        return len(self.first)


class VerdictSource:
    """The verdicts of one run, with the keys of what they are about; `reading` is the one that the run goes by."""

    def __init__(self, table: VerdictTable, reading: Reading = "strict") -> None:
        self.table = table
        self.reading = reading
        self._keys: dict[tuple[int, int], RowKeys] = {}

    @property
    def keys(self) -> RowKeys:
        """Of each thing that verdicts are about."""
        return self.table.keys

    @cached_property
    def units(self) -> UnitCodes:
        """Questions, or whatever the headline counts; one is where its first item is."""
        return level(self.keys.unit.codes)

    @cached_property
    def items(self) -> UnitCodes:
        """Items, each of which is a unit by itself here."""
        return level(self.keys.item.codes)

    @cached_property
    def frame(self) -> VerdictColumns:
        """The verdicts of the run's own reading."""
        return self.table.frame(self.reading)

    @cached_property
    def item_rows(self) -> MetricRows:
        """Each item in each sample by the run's own reading, for all metrics that count items."""
        return all_right(self, self.items, self.frame, self.frame.points)

    def grid(self, of: UnitCodes, samples: int) -> RowKeys:
        """Keys of every one in every sample; made once for all metrics."""
        # By identity, which holds as `units` and `items` live as long as this source.
        found = self._keys.get((id(of), samples))
        if found is None:
            keys = self.keys.take(np.repeat(of.first, samples), np.tile(np.arange(samples), of.size))
            found = self._keys[id(of), samples] = alone(keys) if of is self.items else keys
        return found

    def answers(self, frame: VerdictColumns) -> RowKeys:
        """Keys of each verdict of a frame, an item a unit."""
        return alone(self.keys.take(frame.item, frame.sample.astype(np.int64)))

    def words(self, codes: Codes) -> CategoricalColumn:
        """Labels as a column."""
        return CategoricalColumn(codes, tuple(self.table.words))


def alone(keys: RowKeys) -> RowKeys:
    """The same keys with each item a unit by itself; a unit of one item keeps its name."""
    if len(keys.item.names) == len(keys.unit.names):
        return keys
    return replace(keys, unit=keys.item)


def level(codes: Codes) -> UnitCodes:
    """Units to count, by their code."""
    first, of_thing = first_codes(codes)
    return UnitCodes(of_thing, first)


def all_right(
    source: VerdictSource, of: UnitCodes, frame: VerdictColumns, points: Floats, *, task: str = ""
) -> MetricRows:
    """Each one in each sample: right if all its items are; what is not known lies between 0 and 1."""
    right = right_of(of, frame, points)
    return MetricRows.within(0.0, 1.0, keys=source.grid(of, right.shape[1]), value=right.ravel(), task=task)


def any_right(source: VerdictSource, of: UnitCodes, frame: VerdictColumns, points: Floats) -> MetricRows:
    """Each one by the best of its samples (Pass@K).

    One with a right sample has passed whatever is ungraded beside it; without one it is known if all are graded.
    """
    right = right_of(of, frame, points)
    least, most = (np.where(np.isnan(right), filler, right).max(axis=1) for filler in (0.0, 1.0))
    return MetricRows(keys=source.grid(of, 1), value=np.where(least == most, least, np.nan), least=least, most=most)


def right_of(of: UnitCodes, frame: VerdictColumns, points: Floats) -> Floats:
    """The least points of each one's items in each sample, shape (size, samples).

    NaN where nothing is graded, or some are ungraded and no graded one is below 1.
    """
    samples = 1 + int(frame.sample.max(initial=0))
    size, graded = of.size * samples, np.isfinite(points)
    cell = of.of_thing[frame.item] * samples + frame.sample
    least = np.full(size, np.inf)
    np.minimum.at(least, cell[graded], points[graded])
    some_missing = np.bincount(cell[~graded], minlength=size) > 0
    unknown = np.isinf(least) | (some_missing & (least >= 1.0))
    return np.where(unknown, np.nan, least).reshape(of.size, samples)


def each_answer(
    source: VerdictSource, frame: VerdictColumns, points: Floats, kept: Mask | None = None, *, most: float = 1.0
) -> MetricRows:
    """A row an answer of those that are kept, an item a unit; units without one are no part of the metric."""
    if kept is not None:
        frame, points = frame.take(np.flatnonzero(kept)), points[kept]
    return MetricRows.within(0.0, most, keys=source.answers(frame), value=points)


def labelled_answers(source: VerdictSource, frame: VerdictColumns) -> MetricRows:
    """A row an answer, with what was said and what is right."""
    label, gold = source.words(frame.label), source.words(frame.gold)
    return replace(each_answer(source, frame, frame.points), label=label, gold=gold)


def fault_points(table: VerdictTable, frame: VerdictColumns, fault: str) -> Floats:
    """1 where the answer had the fault, NaN where ungraded."""
    return np.where(np.isfinite(frame.points), (frame.fault == table.code(fault)).astype(float), np.nan)


def fault_metric(task: str, fault: str) -> MetricDefinition[VerdictSource]:
    """The share of answers on a task that had a fault."""
    return VerdictMetric(task=task, points=lambda table, frame: fault_points(table, frame, fault)).measure


SCRIPT_LABELS: Mapping[bool | None, str] = {None: "no letters", True: "asked", False: "other"}
"""Label of an answer by whether it is in the script that was asked in; None where it has no letters."""


def other_script(table: VerdictTable, frame: VerdictColumns) -> Floats:
    """1 where an answer is in another script than its question; NaN where it has no letters."""
    other = (frame.label == table.code(SCRIPT_LABELS[False])).astype(float)
    unknown = np.isnan(frame.points) | (frame.label == table.code(SCRIPT_LABELS[None]))
    return np.where(unknown, np.nan, other)


def _of_units(source: VerdictSource, reading: Reading | None = None) -> MetricRows:
    frame = source.frame if reading is None else source.table.frame(reading)
    return all_right(source, source.units, frame, frame.points, task=reading or source.reading)


def _fault(fault: str, source: VerdictSource) -> MetricRows:
    points = fault_points(source.table, source.frame, fault)
    return all_right(source, source.items, source.frame, points)


CLOSED: dict[str, MetricDefinition[VerdictSource]] = {
    "accuracy": MetricDefinition(_of_units),
    "item_accuracy": MetricDefinition(lambda source: source.item_rows),
    "accuracy_strict": MetricDefinition(partial(_of_units, reading="strict")),
    "accuracy_lenient": MetricDefinition(partial(_of_units, reading="lenient")),
    "f1_micro": MetricDefinition(lambda source: source.item_rows, pooled, compared=False),
    "f1_macro": MetricDefinition(lambda source: labelled_answers(source, source.frame), f1_macro, is_mean=False),
    "format_error": MetricDefinition(partial(_fault, "format_error")),
    "refusal": MetricDefinition(partial(_fault, "refusal")),
}
"""What every benchmark of closed questions may count."""


Points = Callable[[VerdictTable, VerdictColumns], Floats]
"""What each verdict of a task is worth; NaN where it is ungraded or says nothing."""


class VerdictMetric(Struct, frozen=True, kw_only=True):
    """One metric: the task whose verdicts it counts, what each is worth, by default its points, and the ends of that.

    A verdict that is graded but worth NaN says nothing of the metric and is no part of it. One with the label `open`
    is graded for other metrics, but says neither yes nor no to this one: it is asked and not graded. `only` says which
    verdicts count, where not all do: without any there is no figure. `aggregate` is how units are put together, and a
    `derived` figure another view of one beside it.
    """

    task: str
    points: Points | None = None
    low: float = 0.0
    top: float = 1.0
    open: str | None = None
    only: Callable[[ItemMetadata], bool] | None = None
    aggregate: Aggregator = mean
    derived: bool = False

    @property
    def measure(self) -> MetricDefinition[VerdictSource]:
        """Definition of the metric."""
        return MetricDefinition(
            self.rows,
            self.aggregate,
            is_mean=self.aggregate is mean,
            compared=not self.derived,
            tasks=(self.task,),
            by_value=self.points is not None,
        )

    def rows(self, source: VerdictSource) -> MetricRows | None:
        """A row a verdict that says something of the metric; None where no verdict counts."""
        table, frame = source.table, self.counted(source.table)
        if self.only is not None and not len(frame.item):
            return None
        points = frame.points if self.points is None else self.points(table, frame)
        is_open = np.isin(frame.label, [] if self.open is None else [table.code(self.open)])
        points = np.where(is_open, np.nan, points)
        # Ungraded verdicts stay, as they count as asked; those that say nothing of the metric go.
        kept = np.flatnonzero(np.isnan(frame.points) | np.isfinite(points) | is_open)
        things, of_row = np.unique(frame.item[kept], return_inverse=True)
        keys = self.keys(table, things).take(of_row, frame.sample[kept].astype(np.int64))
        return MetricRows.within(self.low, self.top, keys=keys, value=points[kept], task=self.task)

    def counted(self, table: VerdictTable) -> VerdictColumns:
        """The verdicts that count."""
        frame = table.frame(self.task)
        if self.only is None:
            return frame
        return frame.take(np.array([self.only(about) for about in table.item_metadata], dtype=np.bool_)[frame.item])

    def keys(self, table: VerdictTable, things: Codes) -> RowKeys:
        """Keys of some things that verdicts are about."""
        return table.keys.only(things)


def labelled(*labels: str) -> Points:
    """1 where the verdict has one of the labels, 0 where it has another."""

    def points(table: VerdictTable, frame: VerdictColumns) -> Floats:
        codes = [table.code(label) for label in labels]
        return np.where(np.isfinite(frame.points), np.isin(frame.label, codes).astype(float), np.nan)

    return points
