"""The sheet that a figure is drawn on: laid out by hand in inches from the top left, so that nothing moves by itself.

Panels are matplotlib's axes in the one style; words below say what it shows, its n, and what is simulated.
"""

from collections.abc import Sequence
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from mores.blocks import Axis
from mores.core.estimate import Estimate
from mores.exports.figures import style

EDGE = 0.05
"""Room that is left at each edge of a sheet."""
Side = Literal["left", "center", "right"]


class Sheet:
    """A figure of so many inches, with words below it; empty ones take no line."""

    def __init__(self, width: float, height: float, foot: Sequence[str]) -> None:
        lines = [line for words in foot for line in style.wrapped(words, width - 2 * EDGE, style.FOOT)]
        step = style.height_of(style.FOOT)
        self.width, self.height = width, height + step * len(lines) + 2 * EDGE
        self.figure = Canvas(figsize=(self.width, self.height))
        FigureCanvasAgg(self.figure)
        for number, line in enumerate(lines):
            self.word(EDGE, height + EDGE + step * (number + 0.5), line, size=style.FOOT).set_color(style.GREY)

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """A panel without lines above and to the right."""
        foot = self.height - top - height
        made = self.figure.add_axes((left / self.width, foot / self.height, width / self.width, height / self.height))
        made.spines[["top", "right"]].set_visible(False)
        return made

    def word(self, x: float, y: float, text: str, side: Side = "left", *, size: float = style.SIZE) -> Text:
        """Words whose middle line stands at a height."""
        return self.figure.text(x / self.width, 1 - y / self.height, text, ha=side, va="center", fontsize=size)

    def box(self, left: float, top: float, width: float, height: float, **how: Any) -> None:
        """A thin-edged box anywhere on the sheet."""
        corner, on = (left / self.width, 1 - (top + height) / self.height), self.figure.transFigure
        size = width / self.width, height / self.height
        self.figure.add_artist(Rectangle(corner, *size, transform=on, linewidth=0.4, **how))

    def legend(self, x: float, y: float, marks: Sequence[tuple[str, str, str]]) -> None:
        """Names beside their filled boxes, in one line: colour, hatch, name."""
        for colour, hatch, name in marks:
            self.box(x, y - 0.045, 0.14, 0.09, fc=colour, hatch=hatch, ec=style.BLACK)
            self.word(x + 0.19, y, name, size=style.SMALL)
            x += 0.34 + style.width_of(name, style.SMALL)

    def lead(self, panel: Axes, spot: tuple[float, float], name: tuple[float, float], short: float = 0.0) -> None:
        """A thin line from a name to its spot, both in inches, which ends so many points before that."""
        (x, y), (left, top) = spot, name
        panel.annotate(
            "", xy=(x / self.width, 1 - y / self.height), xycoords="figure fraction",
            xytext=(left / self.width, 1 - top / self.height), textcoords="figure fraction",
            arrowprops={"arrowstyle": "-", "linewidth": 0.4, "color": style.GREY, "shrinkA": 0, "shrinkB": short},
        )  # fmt: skip

    def sample(self, x: float, y: float, number: int) -> None:
        """The mark of a line, beside its name."""
        spot, on = (x / self.width, 1 - y / self.height), self.figure.transFigure
        ends = [spot[0] - 0.1 / self.width, spot[0] + 0.1 / self.width]
        self.figure.add_artist(Line2D(ends, [spot[1]] * 2, transform=on, **line_style(number)))
        self.figure.add_artist(Line2D([spot[0]], [spot[1]], transform=on, **mark_style(number)))


def line_style(number: int) -> dict[str, Any]:
    """Colour and dash of the line of a number; no two of the first 35 have both."""
    colour, dash = style.COLOURS[number % len(style.COLOURS)], style.DASHES[number % len(style.DASHES)]
    return {"color": colour, "linestyle": dash}


def mark_style(number: int) -> dict[str, Any]:
    """Colour and mark of a line; every other mark is hollow."""
    colour, mark = style.COLOURS[number % len(style.COLOURS)], style.MARKS[number % len(style.MARKS)]
    inside = colour if number % 2 == 0 else "white"
    return {"marker": mark, "markersize": 4.0, "markerfacecolor": inside, "markeredgecolor": colour,
            "markeredgewidth": 0.9, "linestyle": "none"}  # fmt: skip


def reach(axis: Axis, figures: Sequence[Estimate | None]) -> tuple[float, float]:
    """The ends of an axis, as far out as its figures and their intervals reach."""
    ends = [end for e in figures if e is not None for end in (e.value, e.low, e.high) if end is not None]
    low, high = min([axis.low, *ends]), max([axis.high, *ends])
    return low, high


def told(value: float, axis: Axis) -> str:
    """A value of an axis in words: in per cent of a share."""
    return (f"{100 * value:g}%" if axis.share else f"{value:g}").replace("-", "−")
