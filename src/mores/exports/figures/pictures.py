"""Figures as pictures, made of the pieces that pages draw: charts alone, rows of small charts, shades and maps."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import floor

from markupsafe import Markup
from msgspec.structs import replace

from mores.core.card import Metric
from mores.core.estimate import Estimate, judge_band_of
from mores.exports.figures.found import Figure, FigureKind
from mores.exports.figures.sheet import EDGE, ONE, SMALL, TWO, Picture, cut, placed, upright, width_of, wrapped
from mores.reports.charts import cells, drawing, world
from mores.reports.charts.frame import PlotArea, mark, value_of, word
from mores.reports.charts.lines import boxed
from mores.reports.charts.plane import laid_out
from mores.reports.charts.world import shade_of
from mores.tables import formatting as words
from mores.tables.blocks import Axis, Chart, Series

ROW, HEAD, TICKS, GAP, LABELS = 17.0, 15.0, 16.0, 24.0, 280.0
"""Height of a row, of a line of a head and of the numbers below, room between panels, and for names of rows at most."""
WHOLE = 380.0
"""Room for the names of rows whose shares make a whole, at most."""
SCORE, HEADS, BOLD, NAME = 60.0, 200.0, 1.15, 250.0
"""Width of a cell in shades, room for the names of its columns, how much wider bold letters are, and other names."""
DARK = frozenset({"h7", "h8", "h9"})
"""Shades that light numbers are read on."""
SLANTED = "Slanted without a shade: too few to say, as there is no interval or it takes over 60% of the scale."
BROKE, HOLLOW = "Diamonds: the rung at which it breaks.", "Hollow: no interval."
CROSS = "A cross on the axis: nothing was certified at that level."
FRONT = "Filled points lie on the front: no other is better in both."
DOTTED, PARTS = "Dots: places too small to be seen.", "Dashed edges: only parts of a country were asked; their mean."


def picture_of(figure: Figure) -> Picture:
    """A figure as a picture."""
    return _PICTURES[figure.kind](figure)


def _lines(figure: Figure) -> Picture:
    """Lines with the names of their marks below."""
    chart = _reaching(figure.charts[0])
    key = [(mark(n, 6, 6), series.name) for n, series in enumerate(chart.series) if series.name]
    crossed = figure.kind == "risk" and any(
        not (point.y and point.y.value is not None) for series in chart.series for point in series.points
    )
    return _keyed(chart, key, [CROSS] if crossed else [])


def _keyed(chart: Chart, key: Sequence[tuple[Markup, str]], notes: Sequence[str]) -> Picture:
    """A chart with what its marks or numbers stand for below, in as many columns as there is room for."""
    width, height, parts = drawing(chart)
    longest = min(width - 20, max((width_of(name) for _, name in key), default=0.0))
    across = max(1, int(width // (longest + 40)))
    wide = width / across
    names = [cut(name, wide - 20) for _, name in key]
    entries = [
        placed((n % across * wide, height + 6 + n // across * HEAD), (sign, word(18, 10, name, "start", "name")))
        for n, ((sign, _), name) in enumerate(zip(key, names, strict=True))
    ]
    return Picture(width, height + 6 + -(-len(key) // across) * HEAD, [*parts, *entries], notes)


def _ladder(figure: Figure) -> Picture:
    return Picture(*drawing(_reaching(figure.charts[0])))


def _reaching(chart: Chart) -> Chart:
    """The chart of lines with its scale as far down as its figures reach, to a whole twentieth."""
    if chart.kind not in {"curves", "climbs"}:
        return chart
    levels, scale = chart.axes
    reach = _reach(scale, [point.y for series in chart.series for point in series.points])
    part = 4 if chart.kind == "climbs" else 20
    # 1e-9, or a rounding error would draw the scale one step further down.
    low = reach.low if reach.low == scale.low else floor(part * reach.low + 1e-9) / part
    return replace(chart, axes=(levels, replace(scale, low=low, high=reach.high)))


def _reach(axis: Axis, figures: Sequence[Estimate | None]) -> Axis:
    """The axis, as far out as figures and their intervals reach."""
    bands = (band for band in map(judge_band_of, figures) if band is not None)
    known = [end for band in bands for end in (band.low, band.high)]
    ends = known + [end for e in figures if e is not None for end in (e.value, e.low, e.high) if end is not None]
    return replace(axis, low=min([axis.low, *ends]), high=max([axis.high, *ends]))


def _plane(figure: Figure) -> Picture:
    """Points in a plane; numbers are told below."""
    (chart,) = figure.charts
    points, *_ = laid_out(chart)
    named = [(p.label, p.name) for p in points if p.name and p.label.isdigit()]
    return _keyed(chart, _numbered(named), [FRONT] if any(point.marked for point in points) else [])


def _numbered(named: Iterable[tuple[object, str]]) -> list[tuple[Markup, str]]:
    return [(word(12, 10, f"{number}", "end", "value"), name) for number, name in named]


def _squares(figure: Figure) -> Picture:
    (chart,) = figure.charts
    named = enumerate((series.name for series in chart.series), start=1)
    return _keyed(chart, _numbered(named), ["Hatched: below 0."])


def _boxes(figure: Figure) -> Picture:
    """Boxes with their outliers named below."""
    (chart,) = figure.charts
    beyond = "; ".join(line for series in chart.series for line in _outliers(series))
    short = tuple(replace(series, name=cut(series.name, NAME)) for series in chart.series)
    return Picture(*drawing(replace(chart, series=short)), [f"Outliers: {beyond}." if beyond else ""])


def _outliers(series: Series) -> Iterator[str]:
    box = boxed(series)
    for point in series.points:
        if box is not None and value_of(point.y) in box.outliers:
            yield f"{series.name} {point.label} {words.format_number(value_of(point.y))}"


def _intervals(figure: Figure) -> Picture:
    """A dot and its interval a row and panel, and the numbers of one panel beside it."""
    charts = figure.charts
    points = charts[0].series[0].points
    texts = [_figure_text(point.y, charts[0].axes[0].metric) for point in points] if len(charts) == 1 else []
    left = min(LABELS, max(width_of(point.label) for point in points)) + 8
    texts_width = max((width_of(line, SMALL) + 8 for line in texts), default=0.0)
    width = (ONE if len(charts) == 1 and left + texts_width < 0.62 * ONE else TWO) - 2 * EDGE
    panel = (width - left - (texts_width or 10) - GAP * (len(charts) - 1)) / len(charts)
    heads = [wrapped(words.text_of(chart.title), panel + GAP - 6) for chart in charts]
    top = HEAD * max(map(len, heads)) + 2
    parts = [*_names([point.label for point in points], left - 8, top)]
    for number, (chart, head) in enumerate(zip(charts, heads, strict=True)):
        at = (left + number * (panel + GAP), top)
        parts += [
            word(at[0] + panel / 2, top - HEAD * (n + 0.5), text, "middle", "name")
            for n, text in enumerate(reversed(head))
        ]
        parts.append(placed(at, _panel(chart, panel)))
    parts += [word(width, top + ROW * (n + 0.7), line, "end", "value") for n, line in enumerate(texts)]
    every = [point for chart in charts for point in chart.series[0].points]
    hollow = any(point.y and point.y.value is not None and point.y.low is None for point in every)
    notes = [BROKE if any(point.marked for point in every) else "", HOLLOW if hollow else ""]
    return Picture(width, top + ROW * len(points) + TICKS, parts, notes)


def _names(names: Sequence[str], right: float, top: float) -> Iterator[Markup]:
    """Names of rows, that end at one line."""
    for number, name in enumerate(names):
        yield word(right, top + ROW * (number + 0.72), cut(name, right), "end", "name")


def _figure_text(figure: Estimate | None, metric: Metric | None) -> str:
    """A figure with its interval, in words."""
    if figure is None or figure.value is None:
        return words.DASH
    if figure.metric == "rank":
        ends = f" [{figure.low:g}, {figure.high:g}]" if figure.low and figure.high else ""
        return f"{figure.value:g}{ends}"
    ends = words.format_interval(figure, metric) if figure.low is not None else ""
    return f"{words.format_number(figure.value, metric)} {ends}".strip()


def _panel(chart: Chart, width: float) -> Iterator[Markup]:
    """The cells of one column below each other, on one scale as far as they reach, and its numbers."""
    points, own = chart.series[0].points, chart.axes[0]
    axis = _reach(own, [point.y for point in points])
    for number, point in enumerate(points):
        one = Chart(kind="interval", series=(Series(points=(point,)),), axes=(axis,))
        yield placed((0, ROW * number + 1), cells.interval(one, width)[2])
    frame, foot = PlotArea(4, 0, width - 4, 0, axis, Axis()), ROW * len(points) + 12
    for value in _ticks(own, frame):
        yield word(frame.across(value), foot, words_of(value, own), "middle")


def _ticks(axis: Axis, frame: PlotArea) -> Sequence[float]:
    """The ends and the middle of the scale itself, as many as there is room for."""
    low, high = (0.0 if axis.share and axis.mark == 0.0 else axis.low), axis.high
    between = axis.share or not float(high - low).is_integer() or (high - low) % 2 == 0
    room = frame.across(high) - frame.across(low)
    wide = max(width_of(words_of(value, axis), SMALL) for value in (low, high))
    return (low, (low + high) / 2, high) if between and room > 3 * wide else (low, high)


def words_of(value: float, axis: Axis) -> str:
    """A value of an axis in words: in per cent of a share."""
    return (f"{100 * value:g}%" if axis.share else f"{value:g}").replace("-", "−")


def _stacks(figure: Figure) -> Picture:
    """Shares of a whole a row, with what the parts are above."""
    charts = figure.charts
    names = [words.text_of(chart.title) for chart in charts]
    left = min(WHOLE, max(map(width_of, names))) + 8
    parts = [(point.label, point.name or point.label) for point in charts[0].series[0].points]
    wide = sum(width_of(name, SMALL) + 30 for _, name in parts)
    width = (ONE if left < 0.5 * ONE and wide < ONE - 2 * EDGE else TWO) - 2 * EDGE
    room, x = width - left - 16, max(0.0, min(left, width - wide))
    drawn: list[Markup] = []
    for kind, name in parts:
        drawn += [Markup('<rect class="part {}" x="{:.1f}" y="1" width="16" height="10"/>').format(kind, x),
                  word(x + 20, 10, name, "start", "value")]  # fmt: skip
        x += width_of(name, SMALL) + 30
    drawn += _names(names, left - 8, 20)
    drawn += [placed((left, 20 + ROW * n + 1), cells.stack(chart, room)[2]) for n, chart in enumerate(charts)]
    foot = 20 + ROW * len(charts)
    drawn += [word(left + room * part, foot + 12, f"{100 * part:g}%", "middle") for part in (0, 0.5, 1)]
    return Picture(width, foot + TICKS, drawn)


def _heat(figure: Figure) -> Picture:
    """A row a place or group, a column a model, the darker the more; what stands over others is bold."""
    (chart,) = figure.charts
    columns, rows = chart.series, chart.series[0].points
    titled = [any(column.points[n].y is not None for column in columns) for n in range(len(rows))]
    wide = [width_of(row.label) * (BOLD if row.marked else 1) for row in rows]
    left = min(LABELS, max((each for each, has in zip(wide, titled, strict=True) if has), default=0.0)) + 8
    width = (ONE if left + SCORE * len(columns) <= ONE - 2 * EDGE else TWO) - 2 * EDGE
    cell, longest = min(SCORE, (width - left) / len(columns)), max(width_of(column.name) for column in columns)
    turned = longest > cell - 6
    top = (min(HEADS, longest) if turned else HEAD) + 6
    parts = [*_heads([column.name for column in columns], (left, top), cell, turned=turned)]
    for number, (row, has) in enumerate(zip(rows, titled, strict=True)):
        label = cut(row.label, (left - 7 if has else width) / (BOLD if row.marked else 1))
        parts.append(word(0, top + ROW * (number + 0.72), label, "start", "name strong" if row.marked else "name"))
    for across, column in enumerate(columns):
        for number, point in enumerate(column.points):
            parts += _score(point.y, chart.axes[0], (left + cell * across, top + ROW * number), cell)
    slanted = any(shade_of(each, chart.axes[0]) == "few" for each in figure.figures)
    return Picture(width, top + ROW * len(rows), parts, [SLANTED] if slanted else [])


def _heads(names: Sequence[str], at: tuple[float, float], cell: float, *, turned: bool) -> Iterator[Markup]:
    """Names over columns, from their foot up where they are long."""
    left, top = at
    for number, name in enumerate(names):
        x = left + cell * (number + 0.5)
        if turned:
            yield upright(x + 4, top - 4, cut(name, HEADS))
        else:
            yield word(x, top - 6, name, "middle", "name")


def _score(figure: Estimate | None, axis: Axis, at: tuple[float, float], cell: float) -> Iterator[Markup]:
    """A number in its shade; slanted without one where it says little."""
    if figure is None or figure.value is None:
        return
    x, y, shade = *at, shade_of(figure, axis)
    box = Markup('<rect class="cell {}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:g}"/>')
    kind = "value light" if shade in DARK else "value doubt" if shade == "few" else "value"
    yield box.format(shade, x, y, cell, ROW)
    yield word(x + cell / 2, y + 12.5, words.format_number(figure.value, axis.metric, sign=False), "middle", kind)


def _maps(figure: Figure) -> Picture:
    """A map for one series; for several a map each, two beside each other."""
    charts, width = figure.charts, TWO - 2 * EDGE
    across = 1 if len(charts) == 1 else 2
    size = (width - GAP * (across - 1)) / across
    scale, step = size / (2 * world.WIDTH), HEAD + 4 + size * world.HEIGHT / world.WIDTH
    parts: list[Markup] = []
    for number, chart in enumerate(charts):
        x, y = number % across * (size + GAP), number // across * step
        land = world.still(chart.series[0], chart.axes[0], 3 / scale)
        parts.append(word(x, y + 10, cut(words.text_of(chart.title), size), "start", "name"))
        parts.append(Markup('<g class="land">{}</g>').format(placed((x, y + HEAD + 4), land, scale)))
    foot = -(-len(charts) // across) * step
    parts += world.legend(charts[0].axes[0], {"unasked": "not asked", "few": "too few to say"}, foot)
    return Picture(width, foot + 24, parts, _marks(charts))


def _marks(charts: Sequence[Chart]) -> list[str]:
    """Notes on dots and dashed edges on maps, where there are any."""
    labels = {point.label for chart in charts for point in chart.series[0].points}
    asked = {place for chart in charts for place in world.shown_of(chart.series[0], chart.axes[0])}
    small = any(world.outlines()[place].small for place in asked)
    return [DOTTED if small else "", PARTS if asked - world.countries_of(labels) else ""]


_PICTURES: Mapping[FigureKind, Callable[[Figure], Picture]] = {
    "boxes": _boxes,
    "climbs": _ladder,
    "curves": _lines,
    "heat": _heat,
    "interval": _intervals,
    "plane": _plane,
    "reliability": _lines,
    "risk": _lines,
    "square": _plane,
    "squares": _squares,
    "stack": _stacks,
    "world": _maps,
}
"""Functions that draw each kind; small charts of cells are rows of a figure."""
