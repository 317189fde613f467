"""Figures for a paper: every chart of some results as SVG, PDF and PNG, with its data beside it.

results ─▶ `found`: figures as values ─▶ CSV and an index, and `pictures` on a `sheet`: SVG ─▶ `typeset`
"""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from io import StringIO

from mores.analysis.results import Results
from mores.core.errors import InputError
from mores.core.estimate import Estimate, caution_of, judge_band_of
from mores.core.extras import needed
from mores.core.terminal_safety import one_line
from mores.exports import ExportedFiles
from mores.exports.figures.found import MADE_UP, Figure, figures_of, made_up_in
from mores.exports.figures.pictures import picture_of
from mores.exports.figures.sheet import printed
from mores.tables import formatting as words
from mores.tables.blocks import Chart, ChartPoint, Series
from mores.tables.missing_texts import format_caution, format_missing

COLUMNS = (
    "panel", "series", "label", "name", "x", "x_low", "x_high", "x_judge_low", "x_judge_high", "y", "low", "high",
    "judge_low", "judge_high", "asked", "n", "marked", "missing", "caution",
)  # fmt: skip


def to_csv(figure: Figure) -> str:
    """All points of a figure: where each stands, its interval and judge band, its n, why it is missing, its caution."""
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
    band = judge_band_of(figure)
    sampled = (None,) * 3 if figure is None else (figure.value, figure.low, figure.high)
    return *sampled, *((None, None) if band is None else (band.low, band.high))


def index(figures: Sequence[Figure], *, simulated: str, printed: bool = True) -> str:
    """A list of all figures in Markdown; `printed` ones are PDF and PNG too."""
    return "\n".join((*_index(figures, simulated, printed=printed), ""))


def _index(figures: Sequence[Figure], simulated: str, *, printed: bool) -> Iterator[str]:
    kinds = ("svg", "pdf", "png", "csv") if printed else ("svg", "csv")
    yield "# Figures\n"
    text = "SVG, PDF and PNG (300 dpi)" if printed else "SVG"
    yield f"Each figure as {text}, 3.3 or 7 inches wide, with its data as CSV beside it. Colours are"
    yield "Okabe and Ito's; marks, dashes and hatches say the same in grey. Intervals are sampling intervals of 95%.\n"
    if simulated:
        yield f"{_cell(simulated)}\n"
    yield "| file | what it shows | n | simulated |\n|---|---|---|---|"
    for each in figures:
        files = " ".join(f"[{kind}]({each.name}.{kind})" for kind in kinds)
        text = f"{each.title} ({each.context})" if each.context else each.title
        text = f"{text}. {each.caution}" if each.caution else text
        yield f"| {each.name}: {files} | {_cell(text)} | {format_n(each)} | {'yes' if simulated else 'no'} |"


def format_n(figure: Figure) -> str:
    """The n of a figure's figures: `30`, or from the least to the greatest, `12–45`."""
    return words.format_range(*(figure.graded or (None, None)))


def _cell(text: str) -> str:
    r"""Words as a cell of a table in Markdown: nothing in them acts.

    >>> _cell("a <b> | [c] & d")
    'a &lt;b&gt; \\| \\[c\\] &amp; d'
    """
    return re.sub(r"([\\|\[\]`*_$])", r"\\\1", escape(" ".join(text.split()), quote=False))


OMITTED = "words of models, and figures that stand in tables alone; --to csv has them"


def figures(results: Results) -> ExportedFiles:
    """All figures of some results, and an index of them; without Typst as SVG alone."""
    simulated, found, files = who_is_simulated(results), figures_of(results), dict[str, bytes]()
    typeset, missing = _typesetter()
    for figure in found:
        svg = drawn(figure, simulated)
        files |= {f"{figure.name}.svg": svg.encode()}
        files |= {f"{figure.name}.{ending}": data for ending, data in typeset(figure.title, svg)}
        files[f"{figure.name}.csv"] = to_csv(figure).encode()
    files["figures.md"] = index(found, simulated=simulated, printed=not missing).encode()
    return ExportedFiles(files=files, left_out=(OMITTED, *missing))


def _typesetter() -> tuple[Callable[[str, str], Iterator[tuple[str, bytes]]], tuple[str, ...]]:
    """Function that makes PDF and PNG; without the extra none, and a line that says so."""
    try:
        needed("typst")
    except InputError as error:
        return lambda _title, _svg: iter(()), (f"PDF and PNG: {str(error).rstrip('.')}",)
    from mores.exports.figures.typeset import typesetter  # noqa: PLC0415 - an extra

    return typesetter(), ()


def drawn(figure: Figure, simulated: str) -> str:
    """The figure as SVG, with what it shows, its n, and what of it is simulated or cannot be used below."""
    n = "" if figure.graded is None else f" n {format_n(figure)}."
    about = f"{figure.title}: {figure.context}" if figure.context else figure.title
    texts = [one_line(each) for each in (f"{about}.{n}", figure.judged, figure.caution, simulated)]
    return printed(picture_of(figure), figure.kind, texts)


def who_is_simulated(results: Results) -> str:
    """Words of figures on simulated answers; empty where there are none."""
    made_up = made_up_in(results)
    if not made_up:
        return ""
    whose = "all answers" if len(made_up) == len(results.labels) else f"answers of models with {MADE_UP}"
    return (
        f"{MADE_UP} Simulated: {whose} were generated from planted competence; they say nothing about any real model."
    )
