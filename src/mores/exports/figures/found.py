"""Pictures of some results: every chart of the sections of their page, and the tables that hold small ones.

results ─▶ sections ─▶ Figure, one a picture, whose charts are its panels and hold all that is drawn

Small charts of a table's column are one figure: a row of the table is a row of the figure. A figure that would be
longer than a page of a paper is parted.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.leaderboard import Leaderboard
from mores.analysis.results import Results
from mores.core.estimate import Estimate
from mores.reports.charts.cells import LOWEST
from mores.reports.sections_list import all_sections, leaderboard_of
from mores.tables import formatting as words
from mores.tables.blocks import (
    Axis,
    Block,
    BlockColumn,
    Cell,
    CellValue,
    Chart,
    ChartKind,
    ChartPoint,
    Details,
    Section,
    Series,
    SideBySide,
    Span,
    SpokenBlock,
    TableBlock,
    TableRow,
)

ROWS, PANELS, MODELS, MAPS = 54, 6, 12, 8
"""Rows of a table, panels beside each other, models of a table in shades, and maps that one page has room for."""
MADE_UP = "†"
"""Mark at the names of models whose answers were simulated."""
SIMULATED = Span("simulated", "tag")
LONGEST = 70
"""Letters of a file's name."""
_Kept = TypeVar("_Kept")
FigureKind = ChartKind | Literal["heat"]
BANDED: frozenset[FigureKind] = frozenset({"interval", "climbs", "curves"})
"""Kinds that draw judge bands; the data of all have them."""


class Figure(Struct, frozen=True, kw_only=True):
    """One picture: the file's name without its ending, what it shows, and the charts that it is made of.

    `context` is what tells it from others of the same title. All panels of rows (`interval`, `heat`) have the same
    rows in the same order.
    """

    name: str
    title: str
    kind: FigureKind
    charts: tuple[Chart, ...]
    context: str = ""

    @property
    def figures(self) -> Iterator[Estimate]:
        """All figures that are drawn and have a value."""
        points = (point for chart in self.charts for series in chart.series for point in series.points)
        return (point.y for point in points if point.y is not None and point.y.value is not None)

    @property
    def graded(self) -> tuple[int, int] | None:
        """The least and the greatest n of its figures; None where nothing has one."""
        every = [figure.graded for figure in self.figures]
        return (min(every), max(every)) if every else None

    @property
    def judged(self) -> str:
        """Words on how its judge bands are read; empty where no figure has one."""
        points = (point for chart in self.charts for series in chart.series for point in series.points)
        bands = words.describe_judge_bands(end for point in points for end in (point.x, point.y))
        return f"{bands} {words.PALE_LINE}" if bands and self.kind in BANDED else bands

    @property
    def caution(self) -> str:
        """Cautions on the answers behind its figures, as a sentence; empty for nothing."""
        return words.format_cautions(self.figures)


def figures_of(results: Results) -> tuple[Figure, ...]:
    """All figures of some results in the order of their page, each under a name of its own."""
    found = [part for figure in _all(results) for part in _parts(figure)]
    many, seen = Counter(figure.name for figure in found), Counter[str]()
    named = []
    for figure in found:
        seen[figure.name] += 1
        several = many[figure.name] > 1
        name = f"{figure.name}-{seen[figure.name]}" if several else figure.name
        named.append(replace(figure, name=name, context=figure.context if several else ""))
    return tuple(_marked(figure, made_up_in(results)) for figure in named)


def made_up_in(results: Results) -> tuple[str, ...]:
    """Labels of the models whose answers were made up."""
    return tuple(dict.fromkeys(each.label for each in results.evaluations if each.simulated))


def _marked(figure: Figure, made_up: Sequence[str]) -> Figure:
    """The figure with the mark of made-up answers at the names of its lines, columns and maps."""
    charts = tuple(
        replace(
            chart,
            title=f"{chart.title} {MADE_UP}" if chart.title in made_up else chart.title,
            series=tuple(
                replace(each, name=f"{each.name} {MADE_UP}") if each.name in made_up else each for each in chart.series
            ),
        )
        for chart in figure.charts
    )
    return replace(figure, charts=charts)


def _all(results: Results) -> Iterator[Figure]:
    yield _leaderboard(leaderboard_of(results))
    for section in all_sections(results, page=True):
        for figure in _of_blocks(section.blocks, section):
            if any(True for _ in figure.figures):
                yield figure


def _leaderboard(board: Leaderboard) -> Figure:
    charts = []
    for number, column in enumerate(board.columns):
        axis = Axis(mark=0.0) if column.scale else Axis.of(column.metric, column.chance)
        of = [(row, row.cells[number]) for row in board.rows]
        points = tuple(
            ChartPoint(y=cell.figure if cell else None, label=_text(words.subject_of(row))) for row, cell in of
        )
        charts.append(Chart(kind="interval", title=column.title, series=(Series(points=points),), axes=(axis,)))
    scaled = next((f" on the scale of {column.scale.name}" for column in board.columns if column.scale), "")
    title = f"Leaderboard: models by benchmark{scaled}"
    return Figure(name="leaderboard", title=title, kind="interval", charts=tuple(charts))


def _text(cell: Cell, column: BlockColumn | None = None) -> str:
    """Words as a label: the tag of made-up answers is a mark."""
    spans = words.spans_of(cell, column.format if column else None)
    texts = (
        MADE_UP if span == SIMULATED else span.text
        for span in spans
        if isinstance(span, Span) and span.style != "narrow"
    )
    return "".join(texts)


def _of_blocks(blocks: Sequence[Block], section: Section, context: str = "") -> Iterator[Figure]:
    for block in blocks:
        match block:
            case Details():
                yield from _of_blocks(block.blocks, section, words.text_of(block.summary))
            case SideBySide() | SpokenBlock():
                yield from _of_blocks(block.blocks, section, context)
            case Chart(kind="world"):
                yield from _maps(block, section)
            case Chart():
                title = words.text_of(block.title)
                yield _figure(section, title, block.kind, (block,), context)
            case TableBlock():
                yield from _of_table(block, section, context)
            case _:
                pass


def _figure(section: Section, title: str, kind: FigureKind, charts: tuple[Chart, ...], context: str = "") -> Figure:
    short = title.partition(",")[0].partition(";")[0]
    name = re.sub(r"[^a-z0-9]+", "-", f"{section.id} {short}".casefold()).strip("-")
    return Figure(name=name[:LONGEST].rstrip("-"), title=title, kind=kind, charts=charts, context=context)


def _maps(chart: Chart, section: Section) -> Iterator[Figure]:
    """A figure a benchmark, a panel a series."""
    every = zip(chart.series, chart.axes, strict=True)
    for benchmark, of in groupby(every, key=lambda pair: pair[1].title):
        panels = (Chart(kind="world", title=series.name, series=(series,), axes=(axis,)) for series, axis in of)
        yield _figure(section, f"Map of {benchmark}", "world", tuple(panels))


def _of_table(table: TableBlock, section: Section, context: str) -> Iterator[Figure]:
    if any(column.shade for column in table.columns):
        yield _figure(section, table.caption, "heat", (_heat(table),), context)
    labels = _row_labels(table)
    for number in range(len(table.columns)):
        cells = [row.cells[number] if number < len(row.cells) else None for row in table.rows]
        pairs = [(label, cell) for label, cell in zip(labels, cells, strict=True) if isinstance(cell, Chart)]
        if not pairs:
            continue
        kind = pairs[0][1].kind
        if kind in _ROWS:
            drawn: FigureKind = "stack" if kind == "stack" else "interval"
            charts = _ROWS[kind](pairs, _text(table.columns[number - 1].title))
            yield _figure(section, table.caption, drawn, charts, context)


def _row_labels(table: TableBlock) -> list[str]:
    """Name of each row: its head, with the words of the cells beside it where heads are not enough."""
    heads = [_text(row.cells[0]) for row in table.rows]
    if len(set(heads)) == len(heads):
        return heads
    return [", ".join(_words_before_chart(row, table.columns)) for row in table.rows]


def _words_before_chart(row: TableRow, columns: Sequence[BlockColumn]) -> Iterator[str]:
    for cell, column in zip(row.cells, columns, strict=False):
        if isinstance(cell, Chart | Estimate | CellValue | float | int):
            return
        if cell is not None:
            yield _text(cell, column)


_Pairs = Sequence[tuple[str, Chart]]


def _intervals(pairs: _Pairs, title: str) -> tuple[Chart, ...]:
    """One panel: the figure of each row, titled as the column of its numbers."""
    points = tuple(ChartPoint(y=chart.series[0].points[0].y, label=label) for label, chart in pairs)
    return (Chart(kind="interval", title=title, series=(Series(points=points),), axes=pairs[0][1].axes),)


def _stairs(pairs: _Pairs, _: str) -> tuple[Chart, ...]:
    """A panel a rung."""
    rungs = [point.label for point in pairs[0][1].series[0].points]
    axis = Axis(low=LOWEST, mark=0.0)
    return tuple(
        Chart(
            kind="interval",
            title=rung,
            series=(Series(points=tuple(replace(chart.series[0].points[n], label=label) for label, chart in pairs)),),
            axes=(axis,),
        )
        for n, rung in enumerate(rungs)
    )


def _stacks(pairs: _Pairs, _: str) -> tuple[Chart, ...]:
    """A chart a row."""
    return tuple(replace(chart, title=label) for label, chart in pairs)


_ROWS: Mapping[ChartKind, Callable[[_Pairs, str], tuple[Chart, ...]]] = {
    "interval": _intervals,
    "stair": _stairs,
    "stack": _stacks,
}
"""Functions that make small charts of a column the panels of one figure."""


def _heat(table: TableBlock) -> Chart:
    """A series a shaded column, a point a row; a row that stands over others is a marked point."""
    series = []
    for number, column in enumerate(table.columns):
        if column.shade:
            cells = [row.cells[number] if number < len(row.cells) else None for row in table.rows]
            points = (_shade(row, cell) for row, cell in zip(table.rows, cells, strict=True))
            series.append(Series(points=tuple(points), name=_text(column.title)))
    metric = next(column.metric for column in table.columns if column.shade)
    return Chart(kind="interval", series=tuple(series), axes=(Axis.of(metric),))


def _shade(row: TableRow, cell: object) -> ChartPoint:
    found = cell.value if isinstance(cell, CellValue) else cell
    figure = found if isinstance(found, Estimate) else None
    return ChartPoint(y=figure, label=words.text_of(row.cells[0]), marked=len(row.cells) == 1 or row.kind == "region")


def _parts(figure: Figure) -> Iterator[Figure]:
    """The figure, or its parts where it is longer or wider than a page has room for."""
    parts: Iterable[tuple[Chart, ...]] = (figure.charts,)
    match figure.kind:
        case "world" | "stack":
            parts = _chunks(figure.charts, MAPS if figure.kind == "world" else ROWS)
        case "interval":
            parts = chain.from_iterable(map(_in_rows, _chunks(figure.charts, PANELS)))
        case "heat":
            (chart,) = figure.charts
            models = ((replace(chart, series=series),) for series in _chunks(chart.series, MODELS))
            parts = chain.from_iterable(map(_in_rows, models))
    return (replace(figure, charts=charts) for charts in parts)


def _in_rows(charts: tuple[Chart, ...]) -> Iterator[tuple[Chart, ...]]:
    """The charts with so many of their rows at a time."""
    for part in _chunks(tuple(range(len(charts[0].series[0].points))), ROWS):
        rows = slice(part[0], part[-1] + 1)
        yield tuple(
            replace(chart, series=tuple(replace(each, points=each.points[rows]) for each in chart.series))
            for chart in charts
        )


def _chunks(charts: tuple[_Kept, ...], most: int) -> Iterator[tuple[_Kept, ...]]:
    """Parts of about the same size, none larger than the most."""
    size = -(-len(charts) // -(-len(charts) // most)) if charts else 1
    return (charts[start : start + size] for start in range(0, len(charts), size))
