"""Maps of the world, a panel a model: places in the shade of their figure, hatched where nothing was asked."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from mores.blocks import Axis, Chart
from mores.blocks import formatting as words
from mores.exports.figures import style
from mores.exports.figures.found import Figure
from mores.exports.figures.sheet import EDGE, Sheet, told
from mores.reports.charts.world import HEIGHT, SHADES, WIDTH, outlines, shown_of, whole_of

FEW: dict[str, Any] = {"fc": "white", "hatch": "......", "ec": style.GREY}
BELOW = 0.34
"""Room for the scale below the maps, in inches."""
UNASKED: dict[str, Any] = {"fc": "white", "ec": "#AAAAAA", "hatch": "////////"}
DOTTED = "Dots: places too small to be seen."
PARTS = "Dashed edges: only parts of a country were asked; their mean."
_WAY, _NUMBER = re.compile("([Mlz])([^Mlz]*)"), re.compile(r"-?\d+")


def world(figure: Figure, foot: Sequence[str]) -> Sheet:
    """A map for one series; for several a map each, two beside each other."""
    charts = figure.charts
    across = 1 if len(charts) == 1 else 2
    size = (style.TWO - 2 * EDGE) / across - (0.1 if across == 2 else 0)
    height, head = size * HEIGHT / WIDTH, style.height_of() + 0.04
    downs = -(-len(charts) // across)
    small, parts = _marks(charts)
    lines = [*foot, DOTTED if small else "", PARTS if parts else ""]
    sheet = Sheet(style.TWO, EDGE + downs * (height + head) + BELOW, lines)
    for number, chart in enumerate(charts):
        left = EDGE + number % across * (size + 0.2)
        top = EDGE + number // across * (height + head)
        sheet.word(left, top + head / 2, style.cut(words.text_of(chart.title), size))
        _map(sheet.axes(left, top + head, size, height), chart)
    _scale(sheet, charts[0].axes[0], EDGE + downs * (height + head) + 0.04)
    return sheet


def _marks(charts: Sequence[Chart]) -> tuple[bool, bool]:
    """Whether any place is too small to be seen, and whether of any only parts were asked."""
    labels = {point.label for chart in charts for point in chart.series[0].points}
    asked = {place for chart in charts for place in shown_of(chart.series[0], chart.axes[0])}
    return any(outlines()[place].small for place in asked), bool(asked - whole_of(labels))


def _map(panel: Axes, chart: Chart) -> None:
    series, axis = chart.series[0], chart.axes[0]
    shown, whole = shown_of(series, axis), whole_of(point.label for point in series.points)
    panel.set(xlim=(0, 2 * WIDTH), ylim=(2 * HEIGHT, 0))
    panel.set_axis_off()
    # As artists, since patches would widen limits, which are set: that looks at every curve of every coast.
    rest = _outline("".join(outline.way for place, outline in outlines().items() if place not in shown))
    panel.add_artist(PathPatch(rest, linewidth=0.15, **UNASKED))
    for place, found in shown.items():
        shade = _OTHERS.get(found.shade) or {"fc": _SHADES[found.shade]}
        outline, filled = outlines()[place], {"ec": style.BLACK, "lw": 0.4, **shade}
        edge = "-" if place in whole else (0, (2, 1))
        panel.add_artist(PathPatch(_outline(outline.way), ls=edge, zorder=2, **filled))
        if outline.small:
            panel.plot([outline.x], [outline.y], marker="o", markersize=4.5, markerfacecolor=filled["fc"],
                       markeredgecolor=style.BLACK, markeredgewidth=0.4, zorder=3)  # fmt: skip


_OTHERS = {"few": FEW, "blank": UNASKED}
_SHADES = {f"h{number}": tuple(colormaps["Blues"](0.12 + 0.86 * number / (SHADES - 1))) for number in range(SHADES)}
"""Shades that are the darker the more, also in grey; the least is no white."""


@cache
def _outline(way: str) -> Outline:
    """An outline of `M`, relative `l` and `z` as a path; a point for what is too small to have one."""
    points: list[tuple[float, float]] = []
    codes: list[int] = []
    start = (0.0, 0.0)
    for letter, pairs in _WAY.findall(way):
        numbers = map(int, _NUMBER.findall(pairs))
        for x, y in zip(numbers, numbers, strict=True):
            points.append((points[-1][0] + x, points[-1][1] + y) if letter == "l" else (x, y))
            codes.append(int(Outline.LINETO if letter == "l" else Outline.MOVETO))
        if letter == "M":
            start = points[-1]
        elif letter == "z":
            points.append(start)
            codes.append(int(Outline.CLOSEPOLY))
    return Outline(points, codes) if points else Outline([start])


def _scale(sheet: Sheet, axis: Axis, top: float) -> None:
    """What shades stand for, and what a hatched place is."""
    box, high = 0.16, 0.1
    for number, shade in enumerate(_SHADES.values()):
        sheet.box(EDGE + 0.1 + box * number, top, box, high, fc=shade, ec=style.BLACK)
    for half in range(3):
        value = axis.low + half * (axis.high - axis.low) / 2
        sheet.word(EDGE + 0.1 + box * SHADES * half / 2, top + high + 0.09, told(value, axis), "center",
                   size=style.SMALL)  # fmt: skip
    for number, (said, filled) in enumerate({"not asked": UNASKED, "too few to say": FEW}.items()):
        left = EDGE + 0.1 + box * SHADES + 0.35 + 1.1 * number
        sheet.box(left, top, 0.25, high, **filled)
        sheet.word(left + 0.31, top + 0.05, said, size=style.SMALL)
