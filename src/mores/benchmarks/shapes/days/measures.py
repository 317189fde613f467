"""Scores of days: each metric reads the verdicts of one task, a row a step.

A day is a unit (a resident, or a norm) in one sample: all its steps are averaged, or those at one kind of place for
figures by place, so that long days of weak minds weigh no more than short ones. Then the days of a unit are averaged,
in groups those that fall into the group, which may differ by sample (the places where a day was spent, the origins
that were met). So `asked` and `graded` count units with a day in the group, however many samples were drawn; a unit is
graded if one of its days is, and a day if one of its steps is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import Struct

from mores.analysis.aggregate import describe_episodes, mean
from mores.benchmarks.scoring import Measure
from mores.benchmarks.shapes.scoring import Source
from mores.core.arrays import Floats, np
from mores.core.scores import Rows
from mores.core.verdict import Ballot
from mores.core.verdict_table import Frame, VerdictTable

Values = Callable[[VerdictTable, Frame, Sequence[Ballot | None]], Floats]
"""What each verdict of a task is worth, from 0 to 1; NaN where it is ungraded or says nothing."""


class Reading(Struct, frozen=True, kw_only=True):
    """One metric: the task that it reads, and what each of its verdicts is worth, by default their points.

    A verdict that is graded but worth NaN says nothing of the metric and is no part of it. One with the label `open`
    is graded for other metrics, but says neither yes nor no to this one: it is asked and not graded.
    """

    task: str
    worth: Values | None = None
    top: float = 1.0
    plain: bool = False
    open: str | None = None

    @property
    def measure(self) -> Measure[Source]:
        """How it is counted."""
        aggregate = describe_episodes if self.plain else mean
        return Measure(
            partial(_rows, self),
            aggregate,
            is_mean=not self.plain,
            compared=self.worth is None,
            tasks=(self.task,),
            by_value=self.worth is not None,
        )


def with_label(label: str) -> Values:
    """1 where the verdict's label is this one."""

    def worth(table: VerdictTable, frame: Frame, ballots: Sequence[Ballot | None]) -> Floats:
        _ = ballots
        return np.where(np.isfinite(frame.points), (frame.label == table.code(label)).astype(float), np.nan)

    return worth


def _rows(reading: Reading, source: Source) -> Rows:
    """A row a verdict that says something of the metric."""
    table, frame = source.table, source.table.frame(reading.task)
    worth = frame.points if reading.worth is None else reading.worth(table, frame, table.ballots(reading.task))
    is_open = np.isin(frame.label, [] if reading.open is None else [table.code(reading.open)])
    worth = np.where(is_open, np.nan, worth)
    kept = np.flatnonzero(np.isnan(frame.points) | np.isfinite(worth) | is_open)
    things, of_row = np.unique(frame.item[kept], return_inverse=True)
    rows = table.keys.only(things).take(of_row, frame.sample[kept].astype(np.int64))
    return Rows.within(0.0, reading.top, keys=rows, value=worth[kept], task=reading.task)
