"""Points by two figures, with labels that cover neither points nor each other; what has no room has a line to it."""

from collections.abc import Iterator, Sequence
from itertools import chain
from math import cos, pi, sin

from matplotlib.axes import Axes

from mores.blocks import Axis, Point
from mores.exports.figures import style
from mores.exports.figures.found import Figure
from mores.exports.figures.sheet import EDGE, Sheet, told
from mores.reports.charts.frame import value_of
from mores.reports.charts.labels import Box
from mores.reports.charts.plane import laid_out, ticks_of

LEFT, TOP, FOOT, FEW = 0.45, 0.28, 0.4, 20
"""Room for the axes, and the points up to which one column of a paper is wide enough."""
DOT, RINGS, WAYS = 0.045, 40, 16
"""Half the room of a point in inches, and where a label is tried: in how many rings and ways round its point."""
FRONT = "Filled points lie on the front: no other is better in both."


def plane(figure: Figure, foot: Sequence[str]) -> Sheet:
    """A point a model or place, with intervals in a plane; in a square the line on which the two are equal.

    A marked series is the whole of which the others are parts, a diamond.
    """
    (chart,) = figure.charts
    parts, wholes, x, y = laid_out(chart)
    longest = max((style.width_of(_name(p), style.SMALL) for p in parts), default=0.0)
    width = style.ONE if len(parts) <= FEW and longest < 0.8 else style.TWO
    size = width - LEFT - 0.2
    height = size if width == style.ONE or chart.kind == "square" else 0.62 * size
    front, crossed = any(p.marked for p in parts), chart.kind == "plane"
    sheet = Sheet(width, TOP + height + FOOT, [*foot, FRONT if front else ""])
    sheet.word(EDGE, EDGE + 0.07, f"↑ {chart.axes[1].title}")
    panel = sheet.axes(LEFT, TOP, size, height)
    _frame(panel, x, y)
    sheet.word(LEFT + size / 2, TOP + height + 0.32, f"{chart.axes[0].title} →", "center")
    if chart.kind == "square":
        panel.plot((x.low, x.high), (x.low, x.high), color=style.GREY, linewidth=0.9, linestyle=(0, (3, 2)), zorder=1)
    _front(panel, [p for p in parts if p.marked], x, y)
    for point in (*parts, *wholes):
        _point(panel, point, hollow=front and not point.marked, whole=point in wholes, whiskers=crossed)
    room = Box(LEFT, TOP, LEFT + size, TOP + height)
    _labels(sheet, panel, parts, [*parts, *wholes], room, whiskers=crossed)
    return sheet


def _frame(panel: Axes, x: Axis, y: Axis) -> None:
    panel.set(xlim=(x.low, x.high), ylim=(y.low, y.high))
    panel.set_xticks(ticks_of(x), [told(tick, x) for tick in ticks_of(x)])
    panel.set_yticks(ticks_of(y), [told(tick, y) for tick in ticks_of(y)])
    panel.grid(color=style.FAINT, linewidth=0.4)
    panel.set_axisbelow(True)


def _front(panel: Axes, points: Sequence[Point], x: Axis, y: Axis) -> None:
    """The border of what nobody exceeds in both: down a step at each point of the front."""
    best = sorted((value_of(p.x), value_of(p.y)) for p in points)
    if not best:
        return
    xs, ys = [x.low], [best[0][1]]
    for (across, _), below in zip(best, [*(up for _, up in best[1:]), y.low], strict=True):
        xs += [across, across]
        ys += [ys[-1], below]
    panel.plot(xs, ys, color=style.BLACK, linewidth=0.8, zorder=2)


def _point(panel: Axes, point: Point, *, hollow: bool, whole: bool, whiskers: bool) -> None:
    x, y = point.x, point.y
    if x is None or y is None:
        return
    if whiskers and x.low is not None and x.high is not None:
        panel.hlines(value_of(y), x.low, x.high, colors=style.GREY, linewidths=0.7, zorder=2)
    if whiskers and y.low is not None and y.high is not None:
        panel.vlines(value_of(x), y.low, y.high, colors=style.GREY, linewidths=0.7, zorder=2)
    colour = style.RED if whole else style.BLUE
    panel.plot(
        [value_of(x)], [value_of(y)], marker="D" if whole else "o", markersize=5 if whole else 4, linestyle="none",
        markeredgecolor=colour, markerfacecolor="white" if hollow else colour, markeredgewidth=0.9, zorder=3,
        clip_on=False,
    )  # fmt: skip


def _labels(sheet: Sheet, panel: Axes, labelled: Sequence[Point], every: Sequence[Point], room: Box, *,
            whiskers: bool) -> None:  # fmt: skip
    """Each label at the nearest place to its point where nothing is, in inches; none is drawn where nothing is free."""
    spots = [_inches(panel, value_of(point.x), value_of(point.y), room) for point in every]
    taken = [Box(x - DOT, y - DOT, x + DOT, y + DOT) for x, y in spots]
    lines = [box for point in every for box in _whiskers(panel, point, room)] if whiskers else []
    for point, spot in zip(labelled, spots, strict=False):
        text = style.cut(_name(point), 1.6, style.SMALL)
        wide, high = style.width_of(text, style.SMALL) + 0.03, style.height_of(style.SMALL)
        around = (box for box in _around(*spot, wide, high) if not box.leaves(room))
        free = (box for box in around if not any(map(box.meets, taken)))
        nearest = next(free, None)
        if nearest is None:
            continue
        box = next((box for box in chain((nearest,), free) if not any(map(box.meets, lines))), nearest)
        taken.append(box)
        x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        sheet.word(x, y, text, "center", size=style.SMALL)
        if min(abs(box.left - spot[0]), abs(box.right - spot[0]), abs(y - spot[1])) > 0.12:
            name = min(max(spot[0], box.left), box.right), min(max(spot[1], box.top), box.bottom)
            sheet.lead(panel, spot, name, short=2.0)


def _around(x: float, y: float, wide: float, high: float) -> Iterator[Box]:
    """Where a label may stand: beside its point, and then in rings round it, the nearest first."""
    for ring in range(RINGS):
        away = DOT + 0.01 + 0.05 * ring
        for way in range(WAYS):
            across, up = cos(2 * pi * way / WAYS), sin(2 * pi * way / WAYS)
            middle_x, middle_y = x + across * (away + wide / 2), y - up * (away + high / 2)
            yield Box(middle_x - wide / 2, middle_y - high / 2, middle_x + wide / 2, middle_y + high / 2)


def _inches(panel: Axes, x: float, y: float, room: Box) -> tuple[float, float]:
    """Where two values stand on the sheet, in inches from its top left."""
    (left, right), (low, high) = panel.get_xlim(), panel.get_ylim()
    across = room.left + (x - left) / (right - left) * (room.right - room.left)
    return across, room.bottom - (y - low) / (high - low) * (room.bottom - room.top)


def _whiskers(panel: Axes, point: Point, room: Box) -> Iterator[Box]:
    """Room that the intervals of a point take."""
    x, y = point.x, point.y
    if x is not None and x.low is not None and x.high is not None:
        left, middle = _inches(panel, x.low, value_of(y), room)
        yield Box(left, middle - 0.01, _inches(panel, x.high, value_of(y), room)[0], middle + 0.01)
    if y is not None and y.low is not None and y.high is not None:
        middle, foot = _inches(panel, value_of(x), y.low, room)
        yield Box(middle - 0.01, _inches(panel, value_of(x), y.high, room)[1], middle + 0.01, foot)


def _name(point: Point) -> str:
    """The label itself, or the name that a number stands for."""
    return point.name if point.name and point.label.isdigit() else point.label
