"""Parts of charts: positions of values and of labels, and lines, dots and words as SVG."""

from collections.abc import Iterable, Iterator, Sequence
from math import cos, sin, tau
from operator import itemgetter
from typing import NamedTuple

from markupsafe import Markup, escape

from mores.core.estimate import Estimate, judge_band_of
from mores.tables.blocks import Axis, ChartPoint

COLOURS, DASHES = 6, 3
"""Lines that have a colour of their own, and dashes that tell those of a colour apart."""
MARKS = (
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "m-3.6-3.6h7.2v7.2h-7.2z",
    "m0-4.8l4.6 8h-9.2z",
    "m0-5l5 5-5 5-5-5z",
    "m-4.6-3.4h9.2l-4.6 8z",
    "m-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
)
"""A mark for each colour, so that lines are told apart without it: as paths from their middles."""
Drawing = tuple[float, float, Iterable[Markup]]
"""Width, height, and what stands in it."""


class PlotArea(NamedTuple):
    """Plot area of a chart: its edges, and the values that stand at them."""

    left: float
    top: float
    right: float
    foot: float
    x: Axis
    y: Axis

    def across(self, value: float) -> float:
        """Horizontal position of a value, kept within."""
        return self.left + _part(self.x, value) * (self.right - self.left)

    def up(self, value: float) -> float:
        """Vertical position of a value from the top, kept within."""
        return self.foot - _part(self.y, value) * (self.foot - self.top)

    def at(self, point: ChartPoint) -> tuple[float, float]:
        """Position of a point."""
        return self.across(value_of(point.x)), self.up(value_of(point.y))


def path(kind: str, way: str) -> Markup:
    """A line or a shape of a kind."""
    return Markup(f'<path class="{escape(kind)}" d="{escape(way)}"/>')  # noqa: S704 - escaped


def dot(kind: str, x: float, y: float, radius: float = 3.2) -> Markup:
    """A round mark."""
    mark = f'<circle class="{escape(kind)}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"/>'
    return Markup(mark)  # noqa: S704 - escaped


def mark(number: int, x: float, y: float) -> Markup:
    """The mark of a line, in its colour; no two of the first 36 lines have both."""
    return path(f"mark r{number % COLOURS}", f"M{x:.1f} {y:.1f}{MARKS[(number + number // COLOURS) % len(MARKS)]}")


def line_kind(number: int) -> str:
    """The colour of a line, and its dash."""
    return f"c{number % COLOURS} d{number // COLOURS % DASHES}"


def word(x: float, y: float, text: str, anchor: str, kind: str = "") -> Markup:
    """Words that begin, end or have their middle at a point."""
    attributes = f' class="{escape(kind)}"' if kind else ""
    words = f'<text{attributes} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
    return Markup(words)  # noqa: S704 - escaped


def judge_line(x: float, figure: Estimate | None, frame: PlotArea) -> Markup:
    """The judge band of a figure, from its lower end up, to stand behind its interval; nothing where nobody judged."""
    band = judge_band_of(figure)
    if band is None:
        return Markup("")
    return path("judged", f"M{x:.1f} {frame.up(band.low):.1f}V{frame.up(band.high):.1f}")


def upright(x: float, figure: Estimate, frame: PlotArea, *, ends: bool = False) -> Markup:
    """The interval of a figure, from its lower end up; with a cross line at each end for those that stand alone."""
    if figure.low is None or figure.high is None:
        return Markup("")
    low, high = frame.up(figure.low), frame.up(figure.high)
    across = f"M{x - 3:g} {low:.1f}h6M{x - 3:g} {high:.1f}h6" if ends else ""
    return path("whisker", f"M{x:.1f} {low:.1f}V{high:.1f}{across}")


def value_of(figure: Estimate | None) -> float:
    """A figure's value; 0 for none."""
    return 0.0 if figure is None or figure.value is None else figure.value


def _part(axis: Axis, value: float) -> float:
    return (min(max(value, axis.low), axis.high) - axis.low) / (axis.high - axis.low)


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
        separate = self.right <= other.left or other.right <= self.left
        return not (separate or self.bottom <= other.top or other.bottom <= self.top)

    def leaves(self, other: "LabelRect") -> bool:
        """True where a part of it lies outside the other."""
        beyond = self.right > other.right or self.bottom > other.bottom
        return self.left < other.left or self.top < other.top or beyond


def spread_labels(heights: Sequence[float], step: float, last: float) -> list[float]:
    """Heights in their order, moved as far as it takes for each to be a step from the next; none is beyond the last.

    >>> spread_labels([1.0, 1.0, 2.0], 0.25, 2.0)
    [1.0, 1.25, 2.0]
    """
    found = list(heights)
    for number in range(1, len(found)):
        found[number] = max(found[number], found[number - 1] + step)
    # Then up from the foot, to make room where the way down ran out of it.
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
            around = _round(x, y, label, 9.0 * ring) if ring else _at_point(x, y, label)
            cost, best = min(((_cost(box, taken, whiskers, room), box) for box in around), key=itemgetter(0))
            # Under 1 there is nothing but whiskers in its way.
            if cost < 1:
                break
        taken.append(best)
        found.append(best)
    return found


def _at_point(x: float, y: float, label: str) -> Iterator[LabelRect]:
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
