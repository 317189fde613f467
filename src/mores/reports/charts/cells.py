"""Small charts that stand in cells of tables, and squares of pairs."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from markupsafe import Markup

from mores.core.card import Metric
from mores.core.estimate import Estimate, judge_band_of
from mores.reports.charts.frame import Drawing, PlotArea, dot, judge_line, mark, path, upright, value_of, word
from mores.tables import formatting as words
from mores.tables.blocks import Axis, Chart, ChartPoint

BAR, BOX, HEAD = 240.0, 34.0, 22.0
LOWEST = -0.25
"""The lower edge of a stair; what is worse is drawn there."""
_STRONGEST = 0.45
"""Opacity of a correlation of 1: dark enough to see, light enough to read on, in light and in dark."""
_RHO = Metric(name="rho", unit="pair", says="a correlation", low=-1.0)


def interval(chart: Chart, width: float = 160.0) -> Drawing:
    """One figure on its scale, with whiskers, and a line where guessing stands; one that is marked is a diamond.

    Its judge band is a pale line behind.
    """
    (axis,), frame = chart.axes, PlotArea(4, 0, width - 4, 16, chart.axes[0], Axis())
    parts = [path("axis", f"M4 8H{width - 4:g}")]
    if axis.mark is not None:
        parts.append(path("chance", f"M{frame.across(axis.mark):.1f} 1V15"))
    for point in (point for series in chart.series for point in series.points):
        figure, band = point.y, judge_band_of(point.y)
        if band is not None:
            parts.append(path("judged", f"M{frame.across(band.low):.1f} 8H{frame.across(band.high):.1f}"))
        if figure is not None and figure.value is not None:
            x, kind = frame.across(figure.value), "dot bare"
            if figure.low is not None and figure.high is not None:
                kind, low, high = "dot", frame.across(figure.low), frame.across(figure.high)
                parts.append(path("whisker", f"M{low:.1f} 8H{high:.1f}M{low:.1f} 5v6M{high:.1f} 5v6"))
            parts.append(path("whole", f"M{x:.1f} 3l5 5-5 5-5-5z") if point.marked else dot(kind, x, 8))
    return width, 16, parts


def scale(chart: Chart) -> Drawing:
    """The ends and middle of a scale, to stand in a table's head."""
    axis = chart.axes[0]
    labels, steps = axis.labels, max(1, len(axis.labels) - 1)
    anchors = ["start", *["middle"] * (len(labels) - 2), "end"]
    spots = zip(labels, anchors, range(len(labels)), strict=False)
    return 160, 16, [word(4 + 152 * n / steps, 11, label, anchor) for label, anchor, n in spots]


def rung_sparkline(chart: Chart) -> Drawing:
    """Scores rung by rung, with a line where guessing stands, or a stated respondent rung by rung."""
    points = chart.series[0].points
    right, across = 12 + 30 * (len(points) - 1), Axis(low=0, high=max(1, len(points) - 1))
    frame = PlotArea(6, 4, 6 + 30 * across.high, 42, across, Axis(low=LOWEST, high=1.0))
    judged = [judge_line(frame.across(n), point.y, frame) for n, point in enumerate(points)]
    return right, 46, [*_zeros(chart, frame, right), *judged, *_steps(points, frame)]


def _zeros(chart: Chart, frame: PlotArea, right: float) -> Iterable[Markup]:
    marks = chart.axes[0].marks if chart.axes else ()
    if not marks:
        yield path("chance", f"M0 {frame.up(0):.1f}H{right}")
    for number, known in enumerate(marks):
        if known is not None:
            yield path("chance", f"M{frame.across(number) - 12:.1f} {frame.up(known):.1f}h24")


def _steps(points: Sequence[ChartPoint], frame: PlotArea) -> Iterable[Markup]:
    known = [(n, p.y, p.marked) for n, p in enumerate(points) if p.y is not None and p.y.value is not None]
    spots = [(frame.across(n), frame.up(value_of(figure)), figure, fall) for n, figure, fall in known]
    for (x, y, _, _), (onward, down, _, fall) in pairwise(spots):
        yield path("fall" if fall else "step", f"M{x:g} {y:.1f}L{onward:g} {down:.1f}")
    for x, y, figure, _ in spots:
        yield upright(x, figure, frame, ends=True)
        yield dot("dot", x, y)


def stack(chart: Chart, room: float = BAR) -> Drawing:
    """Shares of a whole, one beside the other; each is named by what it is."""
    parts, left = [], 0.0
    for point in chart.series[0].points:
        width = room * value_of(point.y)
        part = Markup('<rect class="part {}" x="{:.1f}" y="1" width="{:.1f}" height="14"/>')
        parts.append(part.format(point.label, left, width))
        left += width
    return room, 16, parts


def correlation_matrix(chart: Chart) -> Drawing:
    """A square a pair, numbered as in the table beside it, with the correlation in it, without its 0."""
    size = len(chart.series)
    parts = [word(HEAD + BOX * (n + 0.5), 15, str(n + 1), "middle", "label") for n in range(size)]
    for row, series in enumerate(chart.series):
        y = HEAD + BOX * row
        parts.append(word(HEAD - 8, y + BOX / 2 + 3.5, str(row + 1), "middle", "label"))
        parts += [_square(HEAD + BOX * n, y, point.y) for n, point in enumerate(series.points) if n != row]
    return HEAD + BOX * size, HEAD + BOX * size, parts


def _square(x: float, y: float, figure: Estimate | None) -> Markup:
    if figure is None or figure.value is None:
        return word(x + BOX / 2, y + BOX / 2 + 3.5, words.DASH, "middle", "label")
    text = words.format_number(figure.value, _RHO).replace("0.", ".").removesuffix(".00")
    box = Markup(
        '<rect class="{}" x="{:g}" y="{:g}" width="{:g}" height="{:g}" fill-opacity="{:.2f}"/>'
    ).format("agrees" if figure.value >= 0 else "differs", x + 1, y + 1, BOX - 2, BOX - 2,
             _STRONGEST * abs(figure.value))  # fmt: skip
    return box + word(x + BOX / 2, y + BOX / 2 + 3.5, text, "middle", "value")


def key(chart: Chart) -> Drawing:
    """Sign of something in a chart beside: the mark of a line such as `r1`, or the colour of a part."""
    name = chart.series[0].name
    if re.fullmatch(r"r\d+", name):
        return 10, 10, [mark(int(name[1:]), 5, 5)]
    return 10, 10, [Markup('<circle class="part {}" cx="5" cy="5" r="4"/>').format(name)]
