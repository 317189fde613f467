"""Parts of charts: positions of values, and lines, dots and words as SVG."""

from collections.abc import Iterable
from typing import NamedTuple

from markupsafe import Markup, escape

from mores.core.estimate import Estimate
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
    told = f' class="{escape(kind)}"' if kind else ""
    words = f'<text{told} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
    return Markup(words)  # noqa: S704 - escaped


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
