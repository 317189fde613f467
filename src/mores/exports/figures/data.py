"""Data of figures: a row a point, and an index of all files."""

import csv
import re
from collections.abc import Iterator, Sequence
from html import escape
from io import StringIO

from mores.core.estimate import Estimate, caution_of
from mores.exports.figures.found import Figure
from mores.tables import formatting as words
from mores.tables.blocks import Chart, ChartPoint, Series
from mores.tables.missing_texts import format_caution, format_missing

COLUMNS = (
    "panel", "series", "label", "name", "x", "x_low", "x_high", "y", "low", "high", "asked", "n", "marked", "missing",
    "caution",
)  # fmt: skip


def to_csv(figure: Figure) -> str:
    """All points of a figure: where each stands, its interval, its n, why it is missing, and what to know of it."""
    lines = StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(COLUMNS)
    for chart in figure.charts:
        for series in chart.series:
            writer.writerows(_row(chart, series, number, point) for number, point in enumerate(series.points))
    return lines.getvalue()


def _row(chart: Chart, series: Series, number: int, point: ChartPoint) -> tuple[object, ...]:
    y, x = point.y, point.x
    return (
        words.text_of(chart.title), series.name, point.label or _level(chart, number), point.name,
        *_ends(x), *_ends(y), y and y.asked, y and y.graded, "yes" if point.marked else "",
        y and format_missing(y.missing), format_caution(caution) if (caution := caution_of(y)) else "",
    )  # fmt: skip


def _level(chart: Chart, number: int) -> str:
    """The name of the level that a point of a line stands at, or of the model that a pair is with."""
    if chart.kind == "squares":
        return chart.series[number].name
    labels = chart.axes[0].labels if chart.axes else ()
    return labels[number] if number < len(labels) else ""


def _ends(figure: Estimate | None) -> tuple[float | None, ...]:
    return (None,) * 3 if figure is None else (figure.value, figure.low, figure.high)


def index(figures: Sequence[Figure], *, simulated: str, printed: bool = True) -> str:
    """A list of all figures in Markdown; `printed` ones are PDF and PNG too."""
    return "\n".join((*_index(figures, simulated, printed=printed), ""))


def _index(figures: Sequence[Figure], simulated: str, *, printed: bool) -> Iterator[str]:
    kinds = ("svg", "pdf", "png", "csv") if printed else ("svg", "csv")
    yield "# Figures\n"
    told = "SVG, PDF and PNG (300 dpi)" if printed else "SVG"
    yield f"Each figure as {told}, 3.3 or 7 inches wide, with its data as CSV beside it. Colours are"
    yield "Okabe and Ito's; marks, dashes and hatches say the same in grey. Intervals hold 95%.\n"
    if simulated:
        yield f"{_cell(simulated)}\n"
    yield "| file | what it shows | n | simulated |\n|---|---|---|---|"
    for each in figures:
        files = " ".join(f"[{kind}]({each.name}.{kind})" for kind in kinds)
        told = f"{each.title} ({each.context})" if each.context else each.title
        told = f"{told}. {each.caution}" if each.caution else told
        yield f"| {each.name}: {files} | {_cell(told)} | {format_n(each)} | {'yes' if simulated else 'no'} |"


def format_n(figure: Figure) -> str:
    """The n of a figure's figures: `30`, or from the least to the greatest, `12–45`."""
    return words.format_range(*(figure.graded or (None, None)))


def _cell(text: str) -> str:
    r"""Words as a cell of a table in Markdown: nothing in them acts.

    >>> _cell("a <b> | [c] & d")
    'a &lt;b&gt; \\| \\[c\\] &amp; d'
    """
    return re.sub(r"([\\|\[\]`*_$])", r"\\\1", escape(" ".join(text.split()), quote=False))
