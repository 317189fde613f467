"""Figures that each read the verdicts of one task: what each verdict is worth, a row a verdict, a step or a dialogue.

A day is a unit (a resident, or a norm) in one sample: all its steps are averaged, or those at one kind of place for
figures by place, so that long days of weak minds weigh no more than short ones. Then the days of a unit are averaged,
in groups those that fall into the group, which may differ by sample (the places where a day was spent, the origins
that were met). So `asked` and `graded` count units with a day in the group, however many samples were drawn; a unit is
graded if one of its days is, and a day if one of its steps is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from mores.analysis.aggregate import Aggregator, mean
from mores.benchmarks.scoring import MetricDefinition
from mores.benchmarks.shapes.scoring import VerdictSource
from mores.core.arrays import Codes, Floats
from mores.core.estimate import MetricRows, RowKeys
from mores.core.transcript import ItemMetadata
from mores.core.verdict_table import VerdictColumns, VerdictTable

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
        """How it is counted."""
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
        kept = np.flatnonzero(np.isnan(frame.points) | np.isfinite(points) | is_open)
        things, of_row = np.unique(frame.item[kept], return_inverse=True)
        keys = self.keys(table, things).take(of_row, frame.sample[kept].astype(np.int64))
        return MetricRows.within(self.low, self.top, keys=keys, value=points[kept], task=self.task)

    def counted(self, table: VerdictTable) -> VerdictColumns:
        """The verdicts that count."""
        frame = table.frame(self.task)
        if self.only is None:
            return frame
        return frame.take(np.array([self.only(about) for about in table.abouts], dtype=np.bool_)[frame.item])

    def keys(self, table: VerdictTable, things: Codes) -> RowKeys:
        """What some things that verdicts are about count towards."""
        return table.keys.only(things)


def labelled(*labels: str) -> Points:
    """1 where the verdict has one of the labels, 0 where it has another."""

    def points(table: VerdictTable, frame: VerdictColumns) -> Floats:
        codes = [table.code(label) for label in labels]
        return np.where(np.isfinite(frame.points), np.isin(frame.label, codes).astype(float), np.nan)

    return points
