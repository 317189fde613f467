"""Figures whose rows have names: dots with intervals in one panel or several, and shares of a whole."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from mores.blocks import Axis, Chart, Point
from mores.blocks import formatting as words
from mores.core.card import Metric
from mores.core.estimate import Estimate
from mores.exports.figures import style
from mores.exports.figures.found import Figure
from mores.exports.figures.sheet import EDGE, Sheet, reach, told

ROW, TICKS, GAP = 0.15, 0.24, 0.26
"""Height of a row, room for the numbers below a panel, and between panels, in inches."""
LABELS = 2.3
"""Room for the names of rows at most."""
BROKE = "Red diamonds: the rung at which it breaks."
HOLLOW = "Hollow: no interval."


def intervals(figure: Figure, foot: Sequence[str]) -> Sheet:
    """A dot and its interval a row and panel, a dashed line where guessing stands, and the numbers of one panel."""
    charts = figure.charts
    names = [point.label for point in charts[0].series[0].points]
    shown = charts[0].series[0].points if len(charts) == 1 else ()
    said = [_figure(point.y, charts[0].axes[0].metric) for point in shown]
    beside = max((style.width_of(line, style.SMALL) for line in said), default=0.0)
    longest = min(LABELS, max(style.width_of(name) for name in names))
    width = style.ONE if len(charts) == 1 and longest + beside < 0.62 * style.ONE else style.TWO
    left = EDGE + longest + 0.12
    panel = (width - left - EDGE - 0.12 - (beside + 0.1 if said else 0) - GAP * (len(charts) - 1)) / len(charts)
    heads = [style.wrapped(words.text_of(chart.title), panel + GAP - 0.06) for chart in charts]
    top = EDGE + style.height_of() * max(map(len, heads)) + 0.04
    points = [point for chart in charts for point in chart.series[0].points]
    notes = BROKE if any(point.marked for point in points) else "", HOLLOW if any(map(_hollow, points)) else ""
    sheet = Sheet(width, top + ROW * len(names) + TICKS, [*foot, *notes])
    for number, name in enumerate(names):
        sheet.word(left - 0.12, top + ROW * (number + 0.5), style.cut(name, longest + 0.01), "right")
    for number, (chart, head) in enumerate(zip(charts, heads, strict=True)):
        x = left + number * (panel + GAP)
        for line, text in enumerate(reversed(head)):
            sheet.word(x + panel / 2, top - 0.04 - style.height_of() * (line + 0.5), text, "center")
        _panel(sheet.axes(x, top, panel, ROW * len(names)), chart, panel)
    for number, numbers in enumerate(said):
        sheet.word(width - EDGE, top + ROW * (number + 0.5), numbers, "right", size=style.SMALL)
    return sheet


def _figure(figure: Estimate | None, metric: Metric | None) -> str:
    """A figure with its interval, in words."""
    if figure is None or figure.value is None:
        return words.DASH
    if figure.metric == "rank":
        return (
            f"{figure.value:g} [{figure.low:g}, {figure.high:g}]" if figure.low and figure.high else f"{figure.value:g}"
        )
    ends = words.format_interval(figure, metric) if figure.low is not None else ""
    return f"{words.format_number(figure.value, metric)} {ends}".strip()


def _hollow(point: Point) -> bool:
    return point.y is not None and point.y.value is not None and point.y.low is None


def _panel(panel: Axes, chart: Chart, inches: float) -> None:
    points, axis = chart.series[0].points, chart.axes[0]
    low, high = reach(axis, [point.y for point in points])
    room = 0.03 * (high - low)
    panel.set(xlim=(low - room, high + room), ylim=(len(points) - 0.5, -0.5), yticks=[])
    panel.spines["left"].set_visible(False)
    _ticks(panel, axis, (low, high), inches)
    panel.hlines(range(len(points)), low - room, high + room, colors=style.FAINT, linewidths=0.4, zorder=0)
    if axis.mark is not None:
        panel.axvline(axis.mark, color=style.GREY, linewidth=0.8, linestyle=(0, (3, 2)), zorder=1)
    for row, point in enumerate(points):
        if point.y is None or point.y.value is None:
            continue
        colour = style.RED if point.marked else style.BLUE
        if point.y.low is not None and point.y.high is not None:
            panel.plot((point.y.low, point.y.high), (row, row), color=colour, linewidth=1.1, solid_capstyle="butt")
        panel.plot(
            [point.y.value], [row], marker="D" if point.marked else "o", markersize=3.4, markeredgecolor=colour,
            markerfacecolor="white" if _hollow(point) else colour, markeredgewidth=0.8, linestyle="none",
        )  # fmt: skip


def _ticks(panel: Axes, axis: Axis, ends: tuple[float, float], inches: float) -> None:
    """The ends and the middle of the scale itself, as many as there is room for."""
    low, high = axis.low, axis.high
    if axis.share and axis.mark == 0.0:
        low = 0.0
    every = [low, (low + high) / 2, high]
    if not axis.share and float(high - low).is_integer() and (high - low) % 2:
        every = [low, high]
    texts = [told(value, axis) for value in every]
    wide = max(style.width_of(text, style.SMALL) for text in texts)
    if wide * len(texts) * 1.25 > inches * (high - low) / (ends[1] - ends[0]):
        every, texts = every[:: len(every) - 1], texts[:: len(texts) - 1]
    panel.set_xticks(every, texts)


def stacks(figure: Figure, foot: Sequence[str]) -> Sheet:
    """Shares of a whole a row, one beside the other; parts differ by colour and by hatch."""
    charts = figure.charts
    names = [words.text_of(chart.title) for chart in charts]
    left = EDGE + min(LABELS, max(style.width_of(name) for name in names)) + 0.1
    parts = [point.name or point.label for point in charts[0].series[0].points]
    wide = sum(style.width_of(part, style.SMALL) + 0.34 for part in parts)
    width = style.ONE if left < 0.5 * style.ONE and wide < style.ONE - 2 * EDGE else style.TWO
    top = EDGE + 0.2
    sheet = Sheet(width, top + ROW * len(charts) + TICKS, foot)
    fills = style.FILLS[: len(parts)]
    sheet.legend(max(EDGE, min(left, width - EDGE - wide)), EDGE + 0.07, [
        (*fill, part) for fill, part in zip(fills, parts, strict=True)
    ])  # fmt: skip
    panel = sheet.axes(left, top, width - left - 0.2, ROW * len(charts))
    panel.set(xlim=(0, 1), ylim=(len(charts) - 0.5, -0.5), yticks=[])
    panel.set_xticks([0, 0.5, 1], ["0%", "50%", "100%"])
    for row, (chart, name) in enumerate(zip(charts, names, strict=True)):
        sheet.word(left - 0.08, top + ROW * (row + 0.5), style.cut(name, left - EDGE - 0.08), "right")
        start = 0.0
        for (colour, hatch), point in zip(fills, chart.series[0].points, strict=True):
            share = 0.0 if point.y is None or point.y.value is None else point.y.value
            panel.barh(row, share, left=start, height=0.72, color=colour, hatch=hatch, ec=style.BLACK, linewidth=0.4)
            start += share
    return sheet
