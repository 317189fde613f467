"""Pictures of talks as SVG: curves over pressure, and knowledge against awareness; tables beside them say the same."""

from collections.abc import Sequence
from math import ceil, floor

from markupsafe import Markup

from mores.core.estimate import Estimate
from mores.reports.drawing import Scale
from mores.reports.social.places import Spot

WIDE, HIGH, EDGE, FOOT = 300.0, 150.0, 34.0, 22.0
SQUARE = 320.0
COLOURS = 6
"""Models that have a colour of their own; more would not be told apart."""


def curves(levels: Sequence[str], series: Sequence[Sequence[Estimate | None]], scale: Scale) -> Markup:
    """A line a model over the levels, with whiskers; models stand a little apart, so that whiskers do not cover."""
    parts = [_across(scale, value) for value in (scale.low, (scale.low + scale.high) / 2, scale.high)]
    parts += [_word(_x(n, len(levels)), HIGH + FOOT - 6, level, "middle") for n, level in enumerate(levels)]
    for number, figures in enumerate(series[:COLOURS]):
        shift = 5.0 * (number - (min(len(series), COLOURS) - 1) / 2)
        parts.append(_curve(figures, number, shift, scale))
    return _picture(parts, WIDE, HIGH + FOOT)


def _curve(figures: Sequence[Estimate | None], number: int, shift: float, scale: Scale) -> Markup:
    spots = [(_x(n, len(figures)) + shift, e) for n, e in enumerate(figures) if e is not None and e.value is not None]
    line = "M" + "L".join(f"{x:.1f} {_y(e.value or 0.0, scale):.1f}" for x, e in spots) if spots else ""
    drawn = [Markup('<path class="curve c{}" d="{}"/>').format(number, line)] if len(spots) > 1 else []
    for x, e in spots:
        if e.low is not None and e.high is not None:
            ends = f"M{x:.1f} {_y(e.low, scale):.1f}V{_y(e.high, scale):.1f}"
            drawn.append(Markup('<path class="whisker" d="{}"/>').format(ends))
        y = _y(e.value or 0.0, scale)
        drawn.append(Markup('<circle class="dot r{}" cx="{:.1f}" cy="{:.1f}" r="3.2"/>').format(number, x, y))
    return Markup("").join(drawn)


def _x(number: int, count: int) -> float:
    return EDGE + (number + 0.5) * (WIDE - EDGE) / count


def _y(value: float, scale: Scale) -> float:
    share = (value - scale.low) / (scale.high - scale.low)
    return 8 + (1 - min(max(share, 0.0), 1.0)) * (HIGH - 16)


def _across(scale: Scale, value: float) -> Markup:
    y = _y(value, scale)
    line = Markup('<path class="axis" d="M{:g} {:.1f}H{:g}"/>').format(EDGE, y, WIDE)
    return line + _word(EDGE - 5, y + 3.5, _told(value, scale), "end")


def _told(value: float, scale: Scale) -> str:
    return f"{100 * value:g}%" if (scale.low, scale.high) == (0.0, 1.0) else f"{value:g}"


def scatter(spots: Sequence[Spot]) -> Markup:
    """A point a place: how often its customs are known, to the right, and clashes with them noticed, upwards.

    Both axes show the same range, of whole tenths, that holds all points.
    """
    known = [spot for spot in spots if spot.knows.value is not None and spot.aware.value is not None]
    scale = _range([value for spot in known for value in (spot.knows.value or 0.0, spot.aware.value or 0.0)])
    inner = SQUARE - EDGE - 10

    def along(value: float) -> float:
        return inner * (value - scale.low) / (scale.high - scale.low)

    parts = [Markup('<path class="chance" d="M{0:g} {1:g}L{2:g} 10"/>').format(EDGE, 10 + inner, EDGE + inner)]
    for tick in (scale.low, (scale.low + scale.high) / 2, scale.high):
        x, y = EDGE + along(tick), 10 + inner - along(tick)
        lines = Markup('<path class="axis" d="M{0:g} {1:g}H{2:g}M{3:g} 10V{4:g}"/>')
        parts.append(lines.format(EDGE, y, EDGE + inner, x, 10 + inner))
        parts.append(_word(EDGE - 5, y + 3.5, f"{100 * tick:.0f}%", "end"))
        parts.append(_word(x, 10 + inner + 14, f"{100 * tick:.0f}%", "middle"))
    for spot in known:
        x, y = EDGE + along(spot.knows.value or 0.0), 10 + inner - along(spot.aware.value or 0.0)
        parts.append(Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="3"/>').format(x, y))
        parts.append(_word(x + 5, y - 3, spot.place, "start"))
    parts.append(_word(EDGE + inner / 2, SQUARE + 14, "knew the custom", "middle"))
    parts.append(_word(EDGE, 4, "noticed unprompted", "start"))
    return _picture(parts, SQUARE + 14, SQUARE + 18)


def _range(values: Sequence[float]) -> Scale:
    """Whole tenths, at least two of them, round all values; the whole of shares where there are none."""
    if not values:
        return Scale(0.0, 1.0)
    low, high = floor(10 * min(values)), ceil(10 * max(values))
    low = max(0, min(low, high - 2))
    return Scale(low / 10, max(high, low + 2) / 10)


def _word(x: float, y: float, text: str, anchor: str) -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, anchor, text)


def _picture(parts: Sequence[Markup], width: float, height: float) -> Markup:
    head = Markup('<svg viewBox="0 -8 {0:g} {1:g}" width="{0:g}" height="{1:g}" aria-hidden="true">')
    return head.format(width, height + 8) + Markup("").join(parts) + Markup("</svg>")
