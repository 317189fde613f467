"""Pictures of judges as SVG in the page's own colours: corrected beside uncorrected, and loss against certified level.

Tables beside them say the same, so readers aloud skip them.
"""

from collections.abc import Sequence
from math import ceil, floor

from markupsafe import Markup

from mores.core.estimate import Estimate
from mores.reports import drawing
from mores.reports.drawing import Scale
from mores.reports.trust.certificate import Certificate, Level

WIDE, HIGH, LEFT, RIGHT, FOOT = 300.0, 190.0, 36.0, 16.0, 34.0
STEPS = 10


def range_of(figures: Sequence[Estimate], whole: Scale) -> Scale:
    """Whole tenths of a range, at least two of them, round all figures and their intervals."""
    ends = [end for e in figures if e.value is not None for end in (e.value, e.low, e.high) if end is not None]
    if not ends or whole.high <= whole.low:
        return whole
    step = (whole.high - whole.low) / STEPS
    low, high = floor((min(ends) - whole.low) / step + 1e-9), ceil((max(ends) - whole.low) / step - 1e-9)
    low = max(0, min(low, high - 2))
    return Scale(whole.low + low * step, whole.low + min(STEPS, max(high, low + 2)) * step)


def whisker(figure: Estimate, scale: Scale) -> Markup:
    """One figure with its interval on a scale; the line alone where it is refused."""
    return drawing.dot_and_whisker(figure, None, scale)


def ends(scale: Scale, *, share: bool) -> Markup:
    """The ends of a scale, to stand in a table's head."""
    low, high = (f"{100 * end:.0f}%" if share else f"{end:g}" for end in scale)
    return drawing.axis(scale, [(scale.low, low), (scale.high, high)])


def risks(certificates: Sequence[Certificate]) -> Markup:
    """Held-out loss against certified level, a line a certificate; crosses where a level has none; else empty."""
    shown = [each for each in certificates if each.held]
    if not shown:
        return Markup("")
    levels = sorted({level.risk for each in shown for level in each.levels})
    ends_ = [*levels, *(held.high or held.loss or 0.0 for each in shown for held in each.held)]
    scale = Scale(0.0, max(0.1, ceil(max(ends_) * 20 - 1e-9) / 20))
    parts = [
        *_axes(scale, levels),
        *(part for n, each in enumerate(shown) for part in _line(n, len(shown), each, scale)),
    ]
    head = Markup('<svg viewBox="0 -12 {0:g} {1:g}" width="{0:g}" height="{1:g}" aria-hidden="true">')
    return head.format(WIDE, HIGH + FOOT + 12) + Markup("").join(parts) + Markup("</svg>")


def _x(risk: float, scale: Scale) -> float:
    return LEFT + (WIDE - LEFT - RIGHT) * risk / scale.high


def _y(loss: float, scale: Scale) -> float:
    return HIGH * (1 - min(loss, scale.high) / scale.high)


def _axes(scale: Scale, levels: Sequence[float]) -> list[Markup]:
    parts = [Markup('<path class="chance" d="M{:.1f} {:.1f}L{:.1f} 0"/>').format(LEFT, HIGH, _x(scale.high, scale))]
    for share in (0.0, 0.5, 1.0):
        y = HIGH * (1 - share)
        parts.append(Markup('<path class="axis" d="M{:g} {:.1f}H{:g}"/>').format(LEFT, y, WIDE - RIGHT))
        parts.append(_word(LEFT - 5, y + 3.5, f"{100 * share * scale.high:g}%", "end"))
    apart = -1e9
    for level in levels:
        x = _x(level, scale)
        if x - apart >= 22:
            parts.append(_word(x, HIGH + 14, f"{100 * level:g}%", "middle"))
            apart = x
    parts.append(_word((LEFT + WIDE) / 2, HIGH + 29, "level that was certified", "middle"))
    parts.append(_word(LEFT, -4, "loss on what was held out", "start"))
    return parts


def _line(number: int, many: int, certificate: Certificate, scale: Scale) -> list[Markup]:
    shift = 4.0 * (number - (many - 1) / 2)
    held = {each.risk: each for each in certificate.held}
    parts: list[Markup] = []
    for level in certificate.levels:
        found = held.get(level.risk)
        x = _x(level.risk, scale) + shift
        if found is None or found.loss is None:
            parts.append(_cross(x, level))
            continue
        if found.low is not None and found.high is not None:
            way = f"M{x:.1f} {_y(found.low, scale):.1f}V{_y(found.high, scale):.1f}"
            parts.append(Markup('<path class="whisker" d="{}"/>').format(way))
        y = _y(found.loss, scale)
        parts.append(Markup('<circle class="dot r{}" cx="{:.1f}" cy="{:.1f}" r="3.2"/>').format(number, x, y))
    return parts


def _cross(x: float, level: Level) -> Markup:
    """A level without a certificate, or one with nothing held out at it."""
    kind = "held" if level.certified else "open"
    return Markup('<path class="cross {}" d="M{:.1f} {:g}l6 6m0-6l-6 6"/>').format(kind, x - 3, HIGH - 3)


def _word(x: float, y: float, text: str, anchor: str) -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, anchor, text)
