"""Lines over named levels or shares: how far each model gets, and what came of what was stated or certified."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor
from typing import NamedTuple

from matplotlib.axes import Axes

from mores.blocks import Axis, Series
from mores.core.estimate import Estimate
from mores.exports.figures import style
from mores.exports.figures.found import Figure
from mores.exports.figures.sheet import EDGE, Sheet, line_style, mark_style, reach, told
from mores.reports.charts.frame import value_of
from mores.reports.charts.labels import apart

LEFT, NAME, HEIGHT, SPREAD = 0.5, 0.145, 2.3, 0.62
"""Room for the numbers of the axis, for a line of names, for the lines, and how far those of a level stand apart."""
FEW = 4
"""Lines and levels for which one column of a paper is wide enough."""
FALL = "A thick line is a break that was found."
UNCERTIFIED = "A cross on the axis: nothing was certified at that level."


class Spot(NamedTuple):
    """A point where it is drawn: across, and its figure."""

    x: float
    y: Estimate
    marked: bool


def levels(figure: Figure, foot: Sequence[str]) -> Sheet:
    """A line a model over named levels with its intervals, and its name at the right; a fall that counts is thick."""
    (chart,) = figure.charts
    names, scale = chart.axes
    figures = [point.y for series in chart.series for point in series.points]
    low, high = reach(scale, figures)
    ends = floor(low * 20 + 1e-9) / 20 if scale.share else low, high
    many = len(chart.series)
    lines = [_spots(series, number, many) for number, series in enumerate(chart.series)]
    falls = any(spot.marked for line in lines for spot in line)
    height = max(HEIGHT, NAME * many + 0.1)
    longest = max((style.width_of(series.name) for series in chart.series), default=0)
    width = style.TWO if many > FEW or len(names.labels) > FEW or longest > 1.0 else style.ONE
    right = min(longest, 2.2 if width == style.TWO else 1.0) + 0.42 if longest else 0.1
    across = width - LEFT - right - EDGE
    heads = [style.wrapped(label, across / len(names.labels) - 0.05) for label in names.labels]
    top, below = 0.26, 0.1 + style.height_of(style.SMALL) * max(map(len, heads)) + 0.06
    sheet = Sheet(width, top + height + below, [*foot, FALL if falls else ""])
    if scale.title:
        sheet.word(EDGE, EDGE + 0.07, scale.title)
    panel = sheet.axes(LEFT, top, across, height)
    panel.set(xlim=(-0.5, len(names.labels) - 0.5), ylim=ends)
    panel.set_xticks(range(len(names.labels)), ["\n".join(head) for head in heads])
    _scale(panel, scale, ends)
    for number, line in enumerate(lines):
        _line(panel, line, number)
    _names(sheet, panel, [(series.name, line) for series, line in zip(chart.series, lines, strict=True)],
           (LEFT + across, top, height, right))  # fmt: skip
    return sheet


def _spots(series: Series, number: int, many: int) -> list[Spot]:
    """Where the points of a line stand: lines of a level stand beside each other, so that intervals do not cover."""
    shift = 0.0 if many == 1 else SPREAD * (number / (many - 1) - 0.5) * min(1.0, many / 6)
    return [Spot(n + shift, p.y, p.marked) for n, p in enumerate(series.points) if p.y and p.y.value is not None]


def _scale(panel: Axes, scale: Axis, ends: tuple[float, float]) -> None:
    """Lines at quarters of the scale, and the dashed one of guessing."""
    if scale.share and ends[0] < 0:  # from below guessing, which is 0
        ticks = [quarter / 4 for quarter in range(ceil(4 * ends[0]), floor(4 * scale.high) + 1)]
    else:
        ticks = [scale.low + part * (scale.high - scale.low) / 4 for part in range(5)]
    panel.set_yticks(ticks, [told(tick, scale) for tick in ticks])
    panel.hlines(ticks, *panel.get_xlim(), colors=style.FAINT, linewidths=0.4, zorder=0)
    if scale.mark is not None:
        panel.axhline(scale.mark, color=style.GREY, linewidth=0.9, linestyle=(0, (3, 2)), zorder=1)


def _line(panel: Axes, line: Sequence[Spot], number: int) -> None:
    for one, other in pairwise(line):
        panel.plot(
            (one.x, other.x), (value_of(one.y), value_of(other.y)), **line_style(number),
            linewidth=2.4 if other.marked else 1.0, zorder=2,
        )  # fmt: skip
    for spot in line:
        if spot.y.low is not None and spot.y.high is not None:
            colour = style.COLOURS[number % len(style.COLOURS)]
            panel.vlines(spot.x, spot.y.low, spot.y.high, colors=colour, linewidths=0.7, zorder=3)
        panel.plot([spot.x], [value_of(spot.y)], **mark_style(number), zorder=4)


def _names(
    sheet: Sheet, panel: Axes, lines: Sequence[tuple[str, Sequence[Spot]]], room: tuple[float, float, float, float]
) -> None:
    """The name of each line at the height of its end, moved as far as it takes for none to cover another."""
    right, top, height, wide = room
    low, high = panel.get_ylim()
    ends = sorted(
        (top + height * (high - (line[-1].y.value or 0.0)) / (high - low), number, name, line[-1].x)
        for number, (name, line) in enumerate(lines) if name and line
    )  # fmt: skip
    heights = apart([max(end, top + NAME / 2) for end, *_ in ends], NAME, top + height - NAME / 2)
    left, last = panel.get_xlim()
    for y, (end, number, name, x) in zip(heights, ends, strict=True):
        start = right - (last - x) / (last - left) * panel.get_position().width * sheet.width
        sheet.sample(right + 0.2, y, number)
        sheet.word(right + 0.36, y, style.cut(name, wide - 0.38))
        sheet.lead(panel, (start + 0.05, end), (right + 0.08, y))


def diagonal(figure: Figure, foot: Sequence[str]) -> Sheet:
    """A share against the one that was stated or certified; on the diagonal it is just that."""
    (chart,) = figure.charts
    points = [point for series in chart.series for point in series.points]
    _, most = reach(Axis(high=max(value_of(point.x) for point in points)), [point.y for point in points])
    most = 1.0 if figure.kind == "reliability" else max(0.1, ceil(most * 20 - 1e-9) / 20)
    names = [style.cut(series.name or "judge", style.ONE - 0.8) for series in chart.series]
    top, size, axis = 0.28 + NAME * len(names), 2.4, Axis()
    crossed = any(point.y is None or point.y.value is None for point in points)
    sheet = Sheet(style.ONE, top + size + 0.45, [*foot, UNCERTIFIED if crossed else ""])
    for number, name in enumerate(names):
        sheet.sample(LEFT + 0.1, EDGE + NAME * (number + 0.5), number)
        sheet.word(LEFT + 0.28, EDGE + NAME * (number + 0.5), name)
    sheet.word(EDGE, top - 0.12, chart.axes[1].title)
    panel = sheet.axes(LEFT, top, size, size)
    panel.set(xlim=(0, most), ylim=(0, most))
    panel.set_xlabel(chart.axes[0].title)
    ticks = [0.0, most / 2, most]
    panel.set_xticks(ticks, [told(tick, axis) for tick in ticks])
    panel.set_yticks(ticks, [told(tick, axis) for tick in ticks])
    panel.plot((0, most), (0, most), color=style.GREY, linewidth=0.9, linestyle=(0, (3, 2)))
    for number, series in enumerate(chart.series):
        shift = 0.012 * most * (number - (len(names) - 1) / 2)
        _line(panel, [Spot(value_of(p.x) + shift, p.y, False) for p in series.points if p.y and p.y.value is not None],
              number)  # fmt: skip
        for point in series.points:
            if point.y is None or point.y.value is None:
                panel.plot([value_of(point.x) + shift], [0], marker="x", markersize=4, color=style.BLACK, clip_on=False)
    return sheet
