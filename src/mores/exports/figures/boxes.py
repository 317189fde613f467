"""Boxes of quartiles over models, a row each; outliers are dots, named below."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from mores.blocks import Series
from mores.blocks import formatting as words
from mores.exports.figures import style
from mores.exports.figures.found import Figure
from mores.exports.figures.rows import LABELS, TICKS
from mores.exports.figures.sheet import EDGE, Sheet, told
from mores.reports.charts.boxes import boxed
from mores.reports.charts.frame import value_of
from mores.reports.charts.plane import range_of, ticks_of
from mores.stats.explanations import Box

ROW, HALF = 0.2, 0.32
"""Height of a row in inches, and half of a box's as a part of it."""


def boxes(figure: Figure, foot: Sequence[str]) -> Sheet:
    """A box a series with its median and whiskers; marked ones are hatched."""
    (chart,) = figure.charts
    shown = [(series, boxed(series)) for series in chart.series]
    names = [series.name for series in chart.series]
    longest = min(LABELS, max(map(style.width_of, names)))
    left, width = EDGE + longest + 0.12, style.ONE if longest < 0.5 * style.ONE else style.TWO
    beyond = "; ".join(line for series, box in shown if box for line in _outliers(series, box))
    sheet = Sheet(width, EDGE + ROW * len(names) + TICKS, [*foot, f"Outliers: {beyond}." if beyond else ""])
    for number, name in enumerate(names):
        sheet.word(left - 0.1, EDGE + ROW * (number + 0.5), style.cut(name, longest + 0.01), "right")
    scale = range_of(point.y for series in chart.series for point in series.points)
    panel = sheet.axes(left, EDGE, width - left - 0.2, ROW * len(names))
    panel.set(xlim=(scale.low, scale.high), ylim=(len(names) - 0.5, -0.5), yticks=[])
    ticks = ticks_of(scale)
    panel.set_xticks(ticks, [told(round(tick, 2), chart.axes[0]) for tick in ticks])
    for row, (series, box) in enumerate(shown):
        if box is not None:
            _box(panel, row, box, marked=series.marked)
    return sheet


def _outliers(series: Series, box: Box) -> list[str]:
    return [
        f"{series.name} {point.label} {words.format_number(value_of(point.y))}"
        for point in series.points
        if value_of(point.y) in box.outliers
    ]


def _box(panel: Axes, row: int, box: Box, *, marked: bool) -> None:
    for start, end in ((box.low, box.first), (box.third, box.high)):
        panel.plot((start, end), (row, row), color=style.BLACK, linewidth=0.7)
    panel.vlines((box.low, box.high), row - 0.15, row + 0.15, colors=style.BLACK, linewidths=0.7)
    colour, hatch = (style.ORANGE, "/////") if marked else (style.SKY, "")
    corner = (box.first, row - HALF)
    panel.add_patch(
        Rectangle(corner, box.third - box.first, 2 * HALF, facecolor=colour, hatch=hatch, ec=style.BLACK, lw=0.6)
    )
    panel.vlines(box.median, row - HALF, row + HALF, colors=style.BLACK, linewidths=1.4)
    panel.plot(box.outliers, [row] * len(box.outliers), marker="o", markersize=2.6, color=style.BLACK, linestyle="none")
