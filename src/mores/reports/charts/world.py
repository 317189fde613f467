"""A map of the world: places in the shade of their figure, each reached by the keyboard, hatched where not asked.

The outlines are Natural Earth's (public domain), made by `scripts/world.py`: Equal Earth, so that areas are true. A
country of which parts alone were asked has a dashed edge, and a shade where all have the same; a dot stands for what
is too small to be seen.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from mores.core.errors import UnknownName
from mores.core.estimate import Estimate
from mores.norms.places import roll_up
from mores.reports.charts.frame import Drawing, path, value_of, word
from mores.tables import formatting as words
from mores.tables.blocks import Axis, Chart, ChartPoint, Series

OUTLINES = Path(__file__).parent / "outlines.csv"
WIDTH, HEIGHT = 960, 455
SHADES = 10
WIDE = 0.6
"""Share of its scale that an interval takes at most for its figure to have a shade."""
SWATCH = 22.0
_HATCH = Markup(
    '<defs><pattern id="hatch" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<path class="hatch" d="M0 0V8"/></pattern><pattern id="dots" width="7" height="7" patternUnits="userSpaceOnUse">'
    '<circle class="speck" cx="2" cy="2" r="1.5"/></pattern></defs>'
)


class Outline(NamedTuple):
    """A country's outline in half units of the map, its middle, and whether it is too small to be seen."""

    way: str
    x: int
    y: int
    small: bool


class CountryShade(NamedTuple):
    """Shade of a country in one series: its shade, `few` or `blank` where it has none, and all in words."""

    shade: str
    text: str


@cache
def outlines() -> dict[str, Outline]:
    """All outlines by their places; those without a code stand under an empty one."""
    with OUTLINES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["place"]: Outline(row["outline"], int(row["x"]), int(row["y"]), bool(row["small"])) for row in rows}


def country_of(place: str) -> str | None:
    """The country on the map that a place is, or is a part of; None where it is on no map."""
    try:
        country = roll_up(place)
    except UnknownName:
        return None
    return country if country in outlines() else None


def shade_of(figure: Estimate, axis: Axis) -> str:
    """Shade of a figure, from `h0`, the least; `blank` for no value, `few` where it says little of its place.

    That is without an interval, or with one that takes more than WIDE of the scale.
    """
    whole = axis.high - axis.low
    if figure.value is None:
        return "blank"
    if figure.low is None or figure.high is None:
        wide = figure.missing is not None
    else:
        wide = figure.high - figure.low > WIDE * whole
    if wide:
        return "few"
    # 1e-9, as a figure on the edge of a shade may come out a little below it: .3 / .1 is under 3.
    return f"h{min(SHADES - 1, max(0, int(SHADES * (figure.value - axis.low) / whole + 1e-9)))}"


def world(chart: Chart) -> Drawing:
    """The first series as a map, with what the others say of each place beside it, for whoever chooses another."""
    shown = [shown_of(series, axis) for series, axis in zip(chart.series, chart.axes, strict=True)]
    asked = dict.fromkeys(country for of in shown for country in of)
    whole = countries_of({point.label for series in chart.series for point in series.points})
    rest = "".join(outline.way for place, outline in outlines().items() if place not in asked)
    parts = [_HATCH, Markup('<g transform="scale(.5)">'), path("unasked", rest)]
    named = sorted(asked, key=lambda place: words.group_name("place", place))
    for place in named:
        blank = CountryShade("blank", f"{words.group_name('place', place)}: not asked")
        parts.append(_place(place, [of.get(place, blank) for of in shown], whole=place in whole))
    few = any(each.shade == "few" for of in shown for each in of.values())
    extra = {"few": "too few to say"} if few else {}
    extra |= {"parts": "only parts of it asked"} if asked.keys() > whole else {}
    return (
        WIDTH,
        HEIGHT,
        [*parts, Markup("</g>"), *legend(chart.axes[0], {"unasked": "not asked", **extra}, HEIGHT - 24)],
    )


def still(series: Series, axis: Axis, speck: float = 9.0) -> list[Markup]:
    """The map of one series as shades alone, in half units, for paper; `speck` is the radius of what is too small."""
    shown, whole = shown_of(series, axis), countries_of(point.label for point in series.points)
    rest = "".join(outline.way for place, outline in outlines().items() if place not in shown)
    edges = {place: "asked" if place in whole else "asked parts" for place in shown}
    return [
        path("unasked", rest),
        *(Markup('<g class="{} {}">{}</g>').format(edges[place], of.shade, _shape(outlines()[place], speck))
          for place, of in shown.items()),
    ]  # fmt: skip


def _shape(outline: Outline, speck: float) -> Markup:
    spot = Markup('<circle cx="{}" cy="{}" r="{:g}"/>').format(outline.x, outline.y, speck)
    return Markup('<path d="{}"/>').format(outline.way) + (spot if outline.small else "")


def countries_of(places: Iterable[str]) -> set[str]:
    """Countries that were asked about as a whole."""
    return {place for place in places if country_of(place) == place}


def shown_of(series: Series, axis: Axis) -> dict[str, CountryShade]:
    """Shade of each country in a series: its own figure, and those of its parts."""
    points: dict[str, list[ChartPoint]] = {}
    for point in series.points:
        if (country := country_of(point.label)) is not None:
            points.setdefault(country, []).append(point)
    return {country: _of_country(country, of, series, axis) for country, of in points.items()}


def _of_country(country: str, points: Sequence[ChartPoint], series: Series, axis: Axis) -> CountryShade:
    own = [point for point in points if point.label == country] or points
    shades = [shade_of(point.y, axis) for point in own if point.y is not None]
    texts = (f"{words.group_name('place', point.label)}: {_format_country(point.y, series, axis)}" for point in points)
    return CountryShade(shades[0] if len(set(shades)) == 1 else "few" if shades else "blank", "; ".join(texts))


def _format_country(figure: Estimate | None, series: Series, axis: Axis) -> str:
    if figure is None:
        return "not asked"
    if series.marked:
        return f"{words.format_number(value_of(figure), axis.metric)}, {series.name}"
    return words.text_of(figure, metric=axis.metric)


def _place(place: str, shown: Sequence[CountryShade], *, whole: bool) -> Markup:
    """A place as a link to its row."""
    first = shown[0]
    head = Markup(
        '<a href="#place-{0}" class="asked{1} {2}" data-shades="{3}" data-told="{4}" aria-label="{5}">'
        "<title>{5}</title>"
    )
    shades, text = ",".join(each.shade for each in shown), "|".join(each.text for each in shown)
    opened = head.format(place, "" if whole else " parts", first.shade, shades, text, first.text)
    return opened + _shape(outlines()[place], 9) + Markup("</a>")


def legend(axis: Axis, others: Mapping[str, str], top: float) -> Iterator[Markup]:
    """Legend of shades, and of places without one."""
    box = Markup('<rect class="{}" x="{:g}" y="{:g}" width="{:g}" height="10"/>')
    for number in range(SHADES):
        yield box.format(f"h{number}", SWATCH * number, top, SWATCH)
    for half in range(3):
        value = axis.low + half * (axis.high - axis.low) / 2
        text = f"{100 * value:g}%" if axis.share else f"{value:g}"
        yield word(SWATCH * SHADES * half / 2, top + 22, text, ("start", "middle", "end")[half], "rung")
    for number, (kind, text) in enumerate(others.items()):
        left = SWATCH * SHADES + 24 + 170 * number
        yield box.format(kind, left, top, SWATCH)
        yield word(left + SWATCH + 6, top + 9, text, "start", "rung")
