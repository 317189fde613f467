"""How often something happened in judging, of what was graded."""

from collections.abc import Iterable
from dataclasses import dataclass

from mores.stats.intervals import Interval, wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share with its counts: `hits` of `graded`; what could not be graded is in neither.

    `share` is None where nothing was graded. The interval is Wilson's at 95 %, which takes each unit as drawn
    alone: where units share an answer it is too narrow.
    """

    name: str
    asked: int
    graded: int
    hits: int
    share: float | None
    interval: Interval

    @property
    def ungraded(self) -> int:
        """Units that the judge could not grade."""
        return self.asked - self.graded


def rate(name: str, units: Iterable[bool | None]) -> Rate:
    """The rate of units that are True, None where ungraded."""
    asked = list(units)
    graded = [unit for unit in asked if unit is not None]
    share = sum(graded) / len(graded) if graded else None
    interval = wilson(sum(graded), len(graded))
    return Rate(name=name, asked=len(asked), graded=len(graded), hits=sum(graded), share=share, interval=interval)
