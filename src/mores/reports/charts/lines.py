"""Lines over named levels: a curve a series, the ladder of all models, losses by the level certified, and boxes."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import ceil
from operator import itemgetter
from typing import NamedTuple

from markupsafe import Markup

from mores.core.estimate import Estimate
from mores.reports.charts.frame import (
    COLOURS,
    Drawing,
    PlotArea,
    dot,
    judge_line,
    line_kind,
    mark,
    path,
    spread_labels,
    upright,
    value_of,
    word,
)
from mores.reports.charts.plane import range_of, ticks_below
from mores.stats.explanations import BoxStats, box_of
from mores.tables.blocks import Axis, Chart, ChartPoint, Series

TOP, RIGHT, NAME = 26.0, 540.0, 18.0
"""The upper edge of the ladder's picture, its right one, and the room that a line of names takes."""
LONGEST = 32
"""Letters of a name that there is room for."""


def curves(chart: Chart) -> Drawing:
    """A line a series over named levels, with whiskers; lines stand a little apart, so that whiskers do not cover."""
    levels, scale = chart.axes
    frame = PlotArea(34, 8, 300, 142, Axis(low=-0.5, high=len(levels.labels) - 0.5), scale)
    parts = []
    for value in (scale.low, (scale.low + scale.high) / 2, scale.high):
        parts.append(path("axis", f"M34 {frame.up(value):.1f}H300"))
        parts.append(word(29, frame.up(value) + 3.5, f"{100 * value:g}%" if scale.share else f"{value:g}", "end"))
    parts += [word(frame.across(n), 166, level, "middle") for n, level in enumerate(levels.labels)]
    for number, (series, shift) in enumerate(_shifted(chart, 9.0, 160 / len(levels.labels))):
        judged = (judge_line(frame.across(n) + shift, point.y, frame) for n, point in enumerate(series.points))
        parts += _of_series(number, judged)
        spots = [(frame.across(n) + shift, p.y) for n, p in enumerate(series.points) if p.y and p.y.value is not None]
        parts += _line(spots, number, frame)
    return 300, 172, parts


def _of_series(number: int, parts: Iterable[Markup]) -> Iterator[Markup]:
    """Parts in the colour of a series; nothing for none."""
    inside = Markup("").join(parts)
    if inside:
        yield Markup('<g class="k{}">{}</g>').format(number % COLOURS, inside)


def _shifted(chart: Chart, step: float, room: float = 44.0) -> Iterable[tuple[Series, float]]:
    """Each series, and how far it stands to the right of its level, so that intervals do not cover each other."""
    step, middle = min(step, room / max(1, len(chart.series))), (len(chart.series) - 1) / 2
    return ((series, step * (number - middle)) for number, series in enumerate(chart.series))


def _line(spots: Sequence[tuple[float, Estimate | None]], number: int, frame: PlotArea) -> Iterable[Markup]:
    """A line through figures with their intervals; a cross on the axis where there is none."""
    known = [(x, each) for x, each in spots if each is not None and each.value is not None]
    if len(known) > 1:
        yield path(
            f"curve {line_kind(number)}", "M" + "L".join(f"{x:.1f} {frame.up(value_of(e)):.1f}" for x, e in known)
        )
    for x, figure in spots:
        if figure is None or figure.value is None:
            yield path("cross", f"M{x - 3:.1f} {frame.foot - 3:g}l6 6m0-6l-6 6")
            continue
        yield Markup('<g class="k{}">{}</g>').format(number % COLOURS, upright(x, figure, frame))
        yield mark(number, x, frame.up(figure.value))


def ladder_lines(chart: Chart) -> Drawing:
    """A line a model over named levels with its intervals, and its name beside its end; a fall that counts is thick.

    Models differ by colour, by dash and by mark, so that they are told apart in greys too. Names never collide.
    """
    levels, scale = chart.axes
    foot = TOP + max(230.0, NAME * len(chart.series))
    frame = PlotArea(
        46 if scale.low >= 0 else 62, TOP, RIGHT, foot, Axis(low=-0.5, high=len(levels.labels) - 0.5), scale
    )
    parts = [*_levels(levels, scale, frame)]
    shifted = list(_shifted(chart, 5.0))
    for number, (series, shift) in enumerate(shifted):
        judged = (judge_line(frame.across(n) + shift, point.y, frame) for n, point in enumerate(series.points))
        parts += _of_series(number, judged)
    spots = [_spots(series, shift, frame) for series, shift in shifted]
    for number, own in enumerate(spots):
        parts += _ladder_line(number, own, frame)
    ends = [(own[-1][0], own[-1][1], number) for number, own in enumerate(spots) if own]
    ends.sort(key=itemgetter(1))
    heights = spread_labels([end for _, end, _ in ends], NAME, frame.foot)
    for y, (x, end, number) in zip(heights, ends, strict=True):
        parts.append(path(f"leader c{number % COLOURS}", f"M{x + 6:.1f} {end:.1f}L{RIGHT + 4:g} {y:.1f}h6"))
        parts.append(mark(number, RIGHT + 16, y))
        parts.append(word(RIGHT + 24, y + 4, _short(chart.series[number].name), "start", "label"))
    return RIGHT + 250, foot + 32, parts


def _short(name: str) -> str:
    """A name as far as there is room for it; its middle is cut, as names differ at their ends."""
    return name if len(name) <= LONGEST else f"{name[: LONGEST // 2]}…{name[1 - LONGEST // 2 :]}"


def _levels(levels: Axis, scale: Axis, frame: PlotArea) -> Iterable[Markup]:
    """Lines of the scale with their values, those of guessing or of a stated respondent, and the names of levels."""
    for part in range(round(4 * (scale.high - scale.low)) + 1) if scale.low < 0 else range(5):
        value = scale.low + part / 4 if scale.low < 0 else scale.low + part * (scale.high - scale.low) / 4
        yield path("axis", f"M{frame.left:g} {frame.up(value):.1f}H{frame.right:g}")
        yield word(frame.left - 6, frame.up(value) + 4, f"{100 * value:g}%".replace("-", "−"), "end", "rung")
    if scale.mark is not None:
        yield path("chance", f"M{frame.left:g} {frame.up(scale.mark):.1f}H{frame.right:g}")
    for number, known in enumerate(scale.marks):
        if known is not None:
            left, right = (frame.across(number + part) for part in (-0.4, 0.4))
            yield path("chance", f"M{left:.1f} {frame.up(known):.1f}H{right:.1f}")
    for number, level in enumerate(levels.labels):
        yield word(frame.across(number), frame.foot + 20, level, "middle", "rung")
    yield word(frame.left, 11, scale.title, "start", "rung")


def _spots(series: Series, shift: float, frame: PlotArea) -> list["_Spot"]:
    """Positions of the points of a series that have a figure."""
    known = [(n, p) for n, p in enumerate(series.points) if p.y is not None and p.y.value is not None]
    return [_Spot(frame.across(n) + shift, frame.up(value_of(p.y)), p) for n, p in known]


def _ladder_line(number: int, spots: Sequence["_Spot"], frame: PlotArea) -> Iterable[Markup]:
    for one, other in pairwise(spots):
        kind = "fall" if other.point.marked else "curve"
        yield path(f"{kind} {line_kind(number)}", f"M{one.x:.1f} {one.y:.1f}L{other.x:.1f} {other.y:.1f}")
    whiskers = Markup("").join(upright(x, point.y, frame) for x, _, point in spots if point.y is not None)
    yield Markup('<g class="k{}">{}</g>').format(number % COLOURS, whiskers)
    yield from (mark(number, x, y) for x, y, _ in spots)


class _Spot(NamedTuple):
    """Position of a point of a line."""

    x: float
    y: float
    point: ChartPoint


def risk(chart: Chart) -> Drawing:
    """Loss on what was held out against the level certified, a line a series; a cross on the axis for a level without.

    Series stand a little apart, so that whiskers do not cover; on the diagonal the loss is just the level.
    """
    every = [p for series in chart.series for p in series.points]
    levels = sorted({value_of(p.x) for p in every})
    most = max([*levels, *(v for p in every if p.y is not None for v in (p.y.high, p.y.value) if v is not None)])
    return _on_diagonal(chart, max(0.1, ceil(most * 20 - 1e-9) / 20), levels)


def reliability(chart: Chart) -> Drawing:
    """Share that is right against the probability stated, a line a series; on the diagonal as often."""
    return _on_diagonal(chart, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))


def _on_diagonal(chart: Chart, most: float, ticks: Sequence[float]) -> Drawing:
    """Series in a square up to a share, with the diagonal and values below."""
    scale = Axis(low=0.0, high=most)
    frame = PlotArea(40, 18, 320, 168, scale, scale)
    parts = [path("chance", f"M{frame.left:g} {frame.foot:g}L{frame.right:g} {frame.top:g}")]
    for value in (0.0, most / 2, most):
        parts.append(path("axis", f"M{frame.left:g} {frame.up(value):.1f}H{frame.right:g}"))
        parts.append(word(frame.left - 5, frame.up(value) + 3.5, f"{100 * value:g}%", "end"))
    for before, value in zip([None, *ticks], ticks, strict=False):
        if before is None or frame.across(value) - frame.across(before) >= 22:
            parts.append(word(frame.across(value), frame.foot + 14, f"{100 * value:g}%", "middle"))
    parts.append(word((frame.left + frame.right) / 2, frame.foot + 29, chart.axes[0].title, "middle"))
    parts.append(word(frame.left, 10, chart.axes[1].title, "start"))
    for number, (series, shift) in enumerate(_shifted(chart, 4.0)):
        parts += _line([(frame.across(value_of(p.x)) + shift, p.y) for p in series.points], number, frame)
    return 340, 204, parts


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
