"""Points by two figures, with labels that cover neither points nor each other."""

from collections.abc import Iterable, Sequence
from math import ceil, floor

from markupsafe import Markup

from mores.core.estimate import Estimate
from mores.reports.charts.frame import Drawing, LabelRect, PlotArea, dot, path, place_labels, word
from mores.tables.blocks import Axis, Chart, ChartPoint

FAR = 17.0
"""Distance of a label from its point from which a line leads to it."""


def plane(chart: Chart) -> Drawing:
    """Points by two figures with their labels; with `marked` points, the stair over the front.

    A square has one range both ways and the line on which the two are equal; a plane has whiskers. A marked series is
    the whole of which the others are parts, drawn as a diamond.
    """
    points, wholes, x, y = laid_out(chart)
    frame = PlotArea(44, 32, *((444, 310) if chart.kind == "plane" else (336, 324)), x, y)
    front = any(point.marked for point in points)
    parts = [*_frame(frame, chart.axes), *_stair_over([frame.at(p) for p in points if p.marked], frame)]
    if chart.kind == "square":
        parts.append(path("chance", f"M{frame.left:g} {frame.foot:g}L{frame.right:g} {frame.top:g}"))
    crossed = (*points, *wholes) if chart.kind == "plane" else ()
    boxes = [box for point in crossed for box in _whisker_boxes(point, frame)]
    parts += [path("whisker", f"M{box.left:.1f} {box.top:.1f}L{box.right:.1f} {box.bottom:.1f}") for box in boxes]
    parts += [path("whole", f"M{x:.1f} {y - 6:.1f}l6 6-6 6-6-6z") for x, y in map(frame.at, wholes)]
    parts += [dot("dot" if point.marked or not front else "dot beaten", *frame.at(point), 4) for point in points]
    return frame.right + 16, frame.foot + 40, [*parts, *_labels(points, wholes, frame)]


def _frame(frame: PlotArea, axes: Sequence[Axis]) -> Iterable[Markup]:
    """Lines at whole tenths with what they stand for, and what the two directions are."""
    yield from ticks_below(frame, 14)
    for tick in ticks_of(frame.y):
        y = frame.up(tick)
        yield path("axis", f"M{frame.left:g} {y:.1f}H{frame.right:g}")
        yield word(frame.left - 6, y + 3.5, f"{100 * tick:.0f}%", "end")
    yield word((frame.left + frame.right) / 2, frame.foot + 34, f"{axes[0].title} →", "middle")
    yield word(10, 10, f"↑ {axes[1].title}", "start")


def ticks_below(frame: PlotArea, room: float) -> Iterable[Markup]:
    """Upright lines at whole tenths, and what they stand for so far below."""
    for tick in ticks_of(frame.x):
        x = frame.across(tick)
        yield path("axis", f"M{x:.1f} {frame.top:g}V{frame.foot:g}")
        yield word(x, frame.foot + room, f"{100 * tick:.0f}%", "middle")


def _stair_over(spots: Iterable[tuple[float, float]], frame: PlotArea) -> list[Markup]:
    """The border of what nobody exceeds in both: down a step at each point of the front."""
    best = sorted(set(spots))
    if not best:
        return []
    way = f"M{frame.left:g} {best[0][1]:.1f}"
    for (x, _), below in zip(best, [*(y for _, y in best[1:]), frame.foot], strict=True):
        way += f"H{x:.1f}V{below:.1f}"
    return [path("front", way)]


def _whisker_boxes(point: ChartPoint, frame: PlotArea) -> list[LabelRect]:
    """Room that the intervals of a point take, across and up."""
    x, y = frame.at(point)
    boxes = []
    if point.x is not None and point.x.low is not None and point.x.high is not None:
        boxes.append(LabelRect(frame.across(point.x.low), y, frame.across(point.x.high), y))
    if point.y is not None and point.y.low is not None and point.y.high is not None:
        boxes.append(LabelRect(x, frame.up(point.y.high), x, frame.up(point.y.low)))
    return boxes


def _labels(points: Sequence[ChartPoint], wholes: Sequence[ChartPoint], frame: PlotArea) -> list[Markup]:
    every = [*points, *wholes]
    room = LabelRect(frame.left, 14, frame.right + 16, frame.foot)
    # A line has no height that a label could cover, so it is given some.
    whiskers = [LabelRect(b.left, b.top - 1, b.right, b.bottom + 1) for p in every for b in _whisker_boxes(p, frame)]
    labels = [(*frame.at(point), point.label) for point in points]
    boxes = place_labels(labels, [frame.at(point) for point in every], whiskers, room)
    return [part for box, label in zip(boxes, labels, strict=True) for part in _label(box, *label)]


def _label(box: LabelRect, x: float, y: float, text: str) -> Iterable[Markup]:
    """A label, with a line to its point where that is far away."""
    near = min(max(x, box.left), box.right), min(max(y, box.top), box.bottom)
    if max(abs(near[0] - x), abs(near[1] - y)) > FAR:
        yield path("leader", f"M{x:.1f} {y:.1f}L{near[0]:.1f} {near[1]:.1f}")
    yield word(box.left, box.bottom - 2, text, "start", "label")


def laid_out(chart: Chart) -> tuple[list[ChartPoint], list[ChartPoint], Axis, Axis]:
    """The points that have both figures, those of marked series apart, and the ranges of both; a square has one."""
    points, wholes = (
        [point for series in chart.series if series.marked is marked for point in series.points if _placed(point)]
        for marked in (False, True)
    )
    x, y = range_of(p.x for p in (*points, *wholes)), range_of(p.y for p in (*points, *wholes))
    if chart.kind == "square":
        x = y = Axis(low=min(x.low, y.low), high=max(x.high, y.high))
    return points, wholes, x, y


def _placed(point: ChartPoint) -> bool:
    return all(figure is not None and figure.value is not None for figure in (point.x, point.y))


def range_of(figures: Iterable[Estimate | None]) -> Axis:
    """Whole tenths, at least two of them, round all figures and their intervals; the whole where there are none."""
    values = [v for e in figures if e is not None for v in (e.value, e.low, e.high) if v is not None]
    if not values:
        return Axis()
    low, high = floor(10 * min(values) + 1e-9), ceil(10 * max(values) - 1e-9)
    low = max(0, min(low, high - 2))
    return Axis(low=low / 10, high=max(high, low + 2) / 10)


def ticks_of(axis: Axis) -> list[float]:
    """Whole tenths of an axis, or every other one."""
    tenths = range(round(10 * axis.low), round(10 * axis.high) + 1)
    return [tenth / 10 for tenth in tenths[:: 1 if len(tenths) <= 6 else 2]]
