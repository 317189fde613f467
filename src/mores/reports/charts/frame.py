"""What charts are drawn with: where values stand, and lines, dots and words as SVG."""

from collections.abc import Iterable
from typing import NamedTuple

from markupsafe import Markup

from mores.blocks import Axis, Point
from mores.core.estimate import Estimate

COLOURS = 6
"""Lines that have a colour of their own; more would not be told apart."""
Drawing = tuple[float, float, Iterable[Markup]]
"""Width, height, and what stands in it."""


class Frame(NamedTuple):
    """Where a chart's directions lie: its edges, and the values that stand at them."""

    left: float
    top: float
    right: float
    foot: float
    x: Axis
    y: Axis

    def across(self, value: float) -> float:
        """How far to the right a value stands, kept within."""
        return self.left + _part(self.x, value) * (self.right - self.left)

    def up(self, value: float) -> float:
        """How far down from the top a value stands, kept within."""
        return self.foot - _part(self.y, value) * (self.foot - self.top)

    def at(self, point: Point) -> tuple[float, float]:
        """Where a point stands."""
        return self.across(value_of(point.x)), self.up(value_of(point.y))


def path(kind: str, way: str) -> Markup:
    """A line or a shape of a kind."""
    return Markup('<path class="{}" d="{}"/>').format(kind, way)


def dot(kind: str, x: float, y: float, radius: float = 3.2) -> Markup:
    """A round mark."""
    return Markup('<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{:g}"/>').format(kind, x, y, radius)


def word(x: float, y: float, text: str, anchor: str, kind: str = "") -> Markup:
    """Words that begin, end or have their middle at a point."""
    told = Markup(' class="{}"').format(kind) if kind else ""
    return Markup('<text{} x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(told, x, y, anchor, text)


def upright(x: float, figure: Estimate, frame: Frame, *, ends: bool = False) -> Markup:
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
