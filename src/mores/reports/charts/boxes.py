"""Boxes of quartiles with whiskers and outliers, a row each: how models lie apart."""

from collections.abc import Iterable

from markupsafe import Markup

from mores.reports.charts.frame import Drawing, PlotArea, dot, path, value_of, word
from mores.reports.charts.plane import range_of, ticks_below
from mores.stats.explanations import BoxStats, box_of
from mores.tables.blocks import Chart, Series

LEFT, WIDTH, ROW, LETTER = 8.0, 400.0, 26.0, 7.0
"""Room at the left, of the scale, of a row, and of a letter of a row's name."""


def boxes(chart: Chart) -> Drawing:
    """A box a series of models, the marked ones filled; outliers are dots, which the table beside names."""
    shown = [(series, boxed(series)) for series in chart.series]
    left = LEFT + LETTER * max(len(series.name) for series in chart.series)
    scale = range_of(point.y for series in chart.series for point in series.points)
    foot = 8 + ROW * len(shown)
    frame = PlotArea(left, 8, left + WIDTH, foot, scale, chart.axes[0])
    parts = [*ticks_below(frame, 16)]
    for number, (series, box) in enumerate(shown):
        middle = 8 + ROW * (number + 0.5)
        parts.append(word(left - 8, middle + 4, series.name, "end", "label"))
        if box is not None:
            parts += _box(series, box, middle, frame)
    return left + WIDTH + 16, foot + 24, parts


def boxed(series: Series) -> BoxStats | None:
    """The box of a series; None where it has too few figures."""
    return box_of([value_of(point.y) for point in series.points])


def _box(series: Series, box: BoxStats, middle: float, frame: PlotArea) -> Iterable[Markup]:
    ends = (box.low, box.first, box.median, box.third, box.high)
    low, first, median, third, high = map(frame.across, ends)
    yield path("whisker", f"M{low:.1f} {middle:g}H{first:.1f}M{third:.1f} {middle:g}H{high:.1f}"
                          f"M{low:.1f} {middle - 4:g}v8M{high:.1f} {middle - 4:g}v8")  # fmt: skip
    yield path("box filled" if series.marked else "box", f"M{first:.1f} {middle - 8:g}H{third:.1f}v16H{first:.1f}z")
    yield path("median", f"M{median:.1f} {middle - 8:g}v16")
    for point in series.points:
        if value_of(point.y) in box.outliers:
            yield dot("dot", frame.across(value_of(point.y)), middle)
