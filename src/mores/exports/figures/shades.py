"""Tables in shades, with their numbers in them: figures by place and model, and correlations of models."""

from collections.abc import Callable, Sequence

from matplotlib import colormaps
from matplotlib.patches import Rectangle

from mores.blocks import Axis
from mores.blocks import formatting as words
from mores.core.estimate import Estimate
from mores.exports.figures import style
from mores.exports.figures.found import Figure
from mores.exports.figures.sheet import EDGE, Sheet
from mores.reports.charts.world import shade_of

ROW, CELL, LABELS, HEADS = 0.14, 0.5, 2.2, 1.7
"""Height of a row, width of a cell, and room for names of rows and of columns, at most, in inches."""
BOLD = 1.12
"""How much wider bold letters are."""
WHITE = (1.0, 1.0, 1.0)
SLANTED = "Slanted without a shade: too few to say, as there is no interval or it takes over 60% of the scale."
Shade = tuple[tuple[float, float, float], str]
"""A colour, and the hatch over it."""


def heat(figure: Figure, foot: Sequence[str]) -> Sheet:
    """A row a place or group, a column a model, the darker the more; what stands over others is bold."""
    (chart,) = figure.charts
    axis = chart.axes[0]
    slanted = any(shade_of(figure, axis) == "few" for figure in figure.figures)
    rows = [(point.label, point.marked) for point in chart.series[0].points]
    columns = [(series.name, [point.y for point in series.points]) for series in chart.series]
    return _table(
        rows,
        columns,
        [*foot, SLANTED if slanted else ""],
        lambda figure: _blue(figure, axis),
        lambda value: words.format_number(value, axis.metric, sign=False),
    )


def squares(figure: Figure, foot: Sequence[str]) -> Sheet:
    """Correlations of pairs; those below 0 are hatched."""
    (chart,) = figure.charts
    names = [f"{number}  {series.name}" for number, series in enumerate(chart.series, start=1)]
    rows = [(name, False) for name in names]
    columns = [
        (f"{number + 1}", [None if row == number else each.points[number].y for row, each in enumerate(chart.series)])
        for number in range(len(names))
    ]
    return _table(rows, columns, foot, _signed, lambda rho: f"{rho:.2f}".replace("-", "−").replace("0.", "."))


def _table(
    rows: Sequence[tuple[str, bool]],
    columns: Sequence[tuple[str, Sequence[Estimate | None]]],
    foot: Sequence[str],
    shade: Callable[[Estimate], Shade],
    tell: Callable[[float], str],
) -> Sheet:
    cells = [any(figures[row] for _, figures in columns) for row in range(len(rows))]
    labels = [name for (name, _), has in zip(rows, cells, strict=True) if has]
    longest = min(LABELS, max(map(style.width_of, labels), default=0.0) * BOLD)
    left = EDGE + longest + 0.08
    width = style.ONE if left + CELL * len(columns) <= style.ONE - EDGE else style.TWO
    cell = min(CELL, (width - EDGE - left) / len(columns))
    upright = any(style.width_of(name) > cell - 0.06 for name, _ in columns)
    head = min(HEADS, max(style.width_of(name) for name, _ in columns)) if upright else style.height_of()
    top = EDGE + head + 0.06
    sheet = Sheet(width, top + ROW * len(rows) + EDGE, foot)
    for number, (name, bold) in enumerate(rows):
        room = longest if cells[number] else width - 2 * EDGE
        sheet.word(EDGE, top + ROW * (number + 0.5), style.cut(name, room / (BOLD if bold else 1))).set(
            fontweight="bold" if bold else "normal"
        )
    panel = sheet.axes(left, top, cell * len(columns), ROW * len(rows))
    panel.set(xlim=(0, len(columns)), ylim=(len(rows), 0))
    panel.set_axis_off()
    for number, (name, figures) in enumerate(columns):
        x = left + cell * (number + 0.5)
        if upright:
            sheet.word(x, top - 0.05, style.cut(name, head + 0.01)).set(rotation=90, va="bottom", ha="center")
        else:
            sheet.word(x, top - 0.03 - style.height_of() / 2, name, "center")
        for row, figure in enumerate(figures):
            if figure is None or figure.value is None:
                continue
            colour, hatch = shade(figure)
            panel.add_patch(
                Rectangle(
                    (number, row), 1, 1, fc=colour, ec=style.FAINT if colour == WHITE else "white", lw=0.5, hatch=hatch
                )
            )
            number_in_it = sheet.word(x, top + ROW * (row + 0.5), tell(figure.value), "center", size=style.SMALL)
            number_in_it.set_color("white" if _dark(colour) else style.BLACK)
            number_in_it.set_fontstyle("italic" if colour == WHITE else "normal")
    return sheet


def _blue(figure: Estimate, axis: Axis) -> Shade:
    """A shade that is the darker the more, also in grey; none where the figure says little."""
    if figure.value is None or shade_of(figure, axis) == "few":
        return WHITE, ""
    part = (figure.value - axis.low) / (axis.high - axis.low)
    red, green, blue, _ = colormaps["Blues"](0.06 + 0.88 * min(1.0, max(0.0, part)))
    return (red, green, blue), ""


def _signed(figure: Estimate) -> Shade:
    rho = figure.value or 0.0
    red, green, blue, _ = colormaps["Blues" if rho >= 0 else "Oranges"](0.04 + 0.66 * abs(rho))
    return (red, green, blue), "" if rho >= 0 else "///"


def _dark(colour: tuple[float, float, float]) -> bool:
    red, green, blue = colour
    return 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
