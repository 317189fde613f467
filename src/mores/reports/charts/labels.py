"""Positions of labels of points, so that they cover neither points nor each other."""

from collections.abc import Iterator, Sequence
from math import cos, sin, tau
from operator import itemgetter
from typing import NamedTuple

_LETTER, _LINE = 7.0, 11.0  # room that a letter of a label and a line of it take
_RINGS, _WAYS = 40, 16  # steps away from its point that a label has at most, and places round it
_WHISKER = 0.25
"""Share of a label's cost that a whisker in its way adds; points and other labels count in full."""


class LabelRect(NamedTuple):
    """Room that is taken: left, top, right, bottom."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "LabelRect") -> bool:
        """True where both need the same room."""
        apart = self.right <= other.left or other.right <= self.left
        return not (apart or self.bottom <= other.top or other.bottom <= self.top)

    def leaves(self, other: "LabelRect") -> bool:
        """True where a part of it lies outside the other."""
        beyond = self.right > other.right or self.bottom > other.bottom
        return self.left < other.left or self.top < other.top or beyond


def spread_labels(heights: Sequence[float], step: float, last: float) -> list[float]:
    """Heights in their order, moved as far as it takes for each to be a step from the next; none is beyond the last.

    >>> apart([1.0, 1.0, 2.0], 0.25, 2.0)
    [1.0, 1.25, 2.0]
    """
    found = list(heights)
    for number in range(1, len(found)):
        found[number] = max(found[number], found[number - 1] + step)
    for number in reversed(range(len(found))):
        found[number] = last = min(found[number], last)
        last -= step
    return found


def place_labels(
    labels: Sequence[tuple[float, float, str]],
    points: Sequence[tuple[float, float]],
    whiskers: Sequence[LabelRect],
    room: LabelRect,
) -> list[LabelRect]:
    """Position of each label: beside its point where it is least in the way, and farther off where that is taken."""
    taken = [LabelRect(x - 5, y - 5, x + 5, y + 5) for x, y in points]
    found = []
    for x, y, label in labels:
        for ring in range(_RINGS):
            around = _round(x, y, label, 9.0 * ring) if ring else _beside(x, y, label)
            cost, best = min(((_cost(box, taken, whiskers, room), box) for box in around), key=itemgetter(0))
            if cost < 1:
                break
        taken.append(best)
        found.append(best)
    return found


def _beside(x: float, y: float, label: str) -> Iterator[LabelRect]:
    """Positions of a label at its point, the usual place first."""
    width = _LETTER * len(label)
    for foot in (y - 7, y + 15, y - 17, y + 25):
        for end in (x + 7, x - 7 - width):
            yield LabelRect(end, foot - _LINE + 2, end + width, foot + 2)


def _round(x: float, y: float, label: str, away: float) -> Iterator[LabelRect]:
    """Positions of a label so far away from its point, all round it."""
    width = _LETTER * len(label)
    for way in range(_WAYS):
        left = x + cos(tau * way / _WAYS) * (away + width / 2) - width / 2
        top = y - sin(tau * way / _WAYS) * (away + _LINE / 2) - _LINE / 2
        yield LabelRect(left, top, left + width, top + _LINE)


def _cost(box: LabelRect, taken: Sequence[LabelRect], whiskers: Sequence[LabelRect], room: LabelRect) -> float:
    """Cost of a position by what is in its way; leaving the picture is worst."""
    in_the_way = sum(box.meets(other) for other in taken) + _WHISKER * sum(box.meets(other) for other in whiskers)
    return in_the_way + 100.0 * box.leaves(room)
