"""Charts as SVG that stands in a page, in the page's own colours: nothing is fetched, and text says the same.

A chart in a cell repeats the text beside it, so readers aloud skip it; others bear their title.
"""

from collections.abc import Callable

from markupsafe import Markup

from mores.reports.charts import boxes, cells, lines, plane, world
from mores.reports.charts.frame import COLOURS, Drawing
from mores.tables import formatting as words
from mores.tables.blocks import Chart, ChartKind

__all__ = ["COLOURS", "drawing", "drawn"]
IN_CELLS = frozenset({"interval", "scale", "stair", "stack", "key"})
_DRAW: dict[ChartKind, Callable[[Chart], Drawing]] = {
    "interval": cells.interval,
    "scale": cells.scale,
    "plane": plane.plane,
    "square": plane.plane,
    "curves": lines.curves,
    "climbs": lines.ladder_lines,
    "stair": cells.rung_sparkline,
    "stack": cells.stack,
    "squares": cells.correlation_matrix,
    "key": cells.key,
    "risk": lines.risk,
    "reliability": lines.reliability,
    "world": world.world,
    "boxes": boxes.boxes,
}


def drawing(chart: Chart) -> Drawing:
    """A chart as its parts, to stand in another picture."""
    return _DRAW[chart.kind](chart)


def drawn(chart: Chart) -> Markup:
    """A chart as SVG."""
    width, height, parts = drawing(chart)
    title = words.text_of(chart.title)
    told = Markup('aria-hidden="true"')
    if chart.kind == "world":
        told = Markup('role="group" class="world" aria-label="{}"').format(title)
    elif chart.kind not in IN_CELLS and title:
        told = Markup('role="img" aria-label="{}"').format(title)
    head = f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" {told}>'
    return Markup(f"{head}{''.join(parts)}</svg>")  # noqa: S704 - parts are Markup
