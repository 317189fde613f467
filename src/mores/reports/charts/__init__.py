"""Charts as SVG that stands in a page, in the page's own colours: nothing is fetched, and text says the same.

A chart in a cell repeats the text beside it, so readers aloud skip it; others bear their title.
"""

from collections.abc import Callable, Sequence
from math import ceil
from typing import NamedTuple

from markupsafe import Markup
from msgspec.structs import replace

from mores.reports.charts import cells, lines, plane, world
from mores.reports.charts.frame import COLOURS, Drawing, mark
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
    "boxes": lines.boxes,
}


def drawing(chart: Chart) -> Drawing:
    """A chart as its parts, to stand in another picture."""
    return _DRAW[chart.kind](chart)


def drawn(chart: Chart) -> Markup:
    """A chart as SVG."""
    width, height, parts = drawing(chart)
    title = words.text_of(chart.title)
    attributes = Markup('aria-hidden="true"')
    if chart.kind == "world":
        attributes = Markup('role="group" class="world" aria-label="{}"').format(title)
    elif chart.kind not in IN_CELLS and title:
        attributes = Markup('role="img" aria-label="{}"').format(title)
    head = f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" {attributes}>'
    return Markup(f"{head}{''.join(parts)}</svg>")  # noqa: S704 - parts are Markup


WIDE, HIGH = 340.0, 240.0
_LIGHT = ("#1d5fa8", "#b4490f", "#20744a", "#8a3b8f", "#7a6200", "#444b54")
_DARK = ("#7db4f0", "#f0a06b", "#78c79c", "#d795da", "#d9bf5a", "#b5bcc4")


class Legend(NamedTuple):
    """Title of the pictures, and meanings of their diagonal, and of a cross where there can be any."""

    title: str
    diagonal: str
    cross: str = ""


RISK = Legend(
    title="Held-out loss of certified sets against the level certified",
    diagonal="loss equal to the level",
    cross="no certificate at this level",
)

RELIABILITY = Legend(
    title="How often a verifier is right, by the probability it states", diagonal="right as often as stated"
)


def risk_file(charts: Sequence[Chart], legend: Legend = RISK) -> str:
    """All charts as one file, two in a row, with the series' colours below; series past six are said to be out.

    Those that have something to show come first where there are more series than colours.
    """
    points = {series.name: False for chart in charts for series in chart.series}
    for chart in charts:
        for series in chart.series:
            points[series.name] |= any(point.y is not None and point.y.value is not None for point in series.points)
    every = sorted(points, key=lambda name: not points[name]) if len(points) > COLOURS else list(points)
    names, more = every[:COLOURS], len(every) - COLOURS
    width, foot = max(min(len(charts), 2) * WIDE, 440.0), ceil(len(charts) / 2) * HIGH
    height = foot + 44 + 16 * (len(names) + (more > 0))
    panels = (_panel(chart, names, (n % 2 * WIDE, n // 2 * HIGH)) for n, chart in enumerate(charts))
    head = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="risk" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" '
        'role="img" aria-label="{2}"><title>{2}</title>'
    ).format(width, height, legend.title)
    return str(head + _style() + Markup("").join([*panels, *_key(names, foot + 16, more, legend)]) + Markup("</svg>\n"))


def _panel(chart: Chart, names: Sequence[str], at: tuple[float, float]) -> Markup:
    """One chart with its series in the order of the colours; empty ones keep the colours of the others."""
    own = {series.name: series for series in chart.series}
    series = tuple(own[name] for name in names if name in own)
    picture = drawn(replace(chart, series=series))
    place = Markup('<g transform="translate({:g} {:g})"><text class="t" x="8" y="14">{}</text>').format(
        *at, chart.title
    )
    return place + Markup('<g transform="translate(0 22)">{}</g></g>').format(picture)


def _style() -> Markup:
    def colours(every: Sequence[str]) -> str:
        return "".join(f".c{n}{{stroke:{c}}}.r{n}{{fill:{c}}}" for n, c in enumerate(every))

    rules = (
        ".risk{font:11px system-ui,sans-serif;background:#fff;color:#1b1f24}.risk text{fill:currentColor}"
        ".t{font-weight:600;font-size:12.5px}.axis{stroke:currentColor;opacity:.16}"
        ".chance{stroke:currentColor;opacity:.6;stroke-dasharray:4 3}.curve{fill:none;stroke-width:1.2}"
        ".cross{stroke:currentColor;stroke-width:1.6;fill:none}"
        ".whisker{stroke:currentColor;stroke-width:1.2;opacity:.75}"
    )
    dark = ".risk{background:#14171a;color:#e6e8ea}"
    style = f"<style>{rules}{colours(_LIGHT)}@media(prefers-color-scheme:dark){{{dark}{colours(_DARK)}}}</style>"
    return Markup(style)  # noqa: S704 - the project's own words


def _key(names: Sequence[str], top: float, more: int, legend: Legend) -> list[Markup]:
    line = Markup('<text x="22" y="{:g}">{}</text>')
    parts = [mark(n, 12, top + 16 * n - 4) + line.format(top + 16 * n, name) for n, name in enumerate(names)]
    y = top + 16 * len(names)
    if more > 0:
        parts.append(line.format(y, f"and {more:,} more, which have no colour and are left out"))
        y += 16
    parts.append(Markup('<path class="chance" d="M6 {:g}h14"/>').format(y - 4) + line.format(y, legend.diagonal))
    cross = Markup('<path class="cross" d="M220 {:g}l6 6m0 -6l-6 6"/><text x="232" y="{:g}">{}</text>')
    return [*parts, cross.format(y - 7, y, legend.cross)] if legend.cross else parts
