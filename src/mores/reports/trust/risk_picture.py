"""The picture of risk: held-out loss against the level that was certified, a panel a task and a line a judge.

It is a whole SVG file with its own colours, light and dark, and can stand in a page as it is. A point on the diagonal
has just the loss that its level allows; points swing round their true risk, so that one above the diagonal now and then
is no breach. Levels without a certificate have a cross on the axis.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from markupsafe import Markup

from mores.reports.drawing import Scale

WIDE, HIGH = 300.0, 250.0
LEFT, TOP, RIGHT, FOOT = 44.0, 34.0, 12.0, 44.0
COLOURS = 6
"""Judges that have a colour of their own; more would not be told apart."""
_STYLE = Markup(
    "<style>.risk{font:11px system-ui,sans-serif;background:#fff;color:#1b1f24}.risk text{fill:currentColor}"
    ".risk .t{font-weight:600;font-size:12.5px}.risk .m{opacity:.68}.risk .g{stroke:currentColor;opacity:.16}"
    ".risk .d{stroke:currentColor;opacity:.6;stroke-dasharray:4 3}"
    ".risk .s{stroke:currentColor;stroke-width:1.6;fill:none}.risk .w{stroke-width:1.2;opacity:.75;fill:none}"
    ".risk .j0{stroke:#1d5fa8}.risk .j1{stroke:#b4490f}.risk .j2{stroke:#20744a}"
    ".risk .j3{stroke:#8a3b8f}.risk .j4{stroke:#7a6200}.risk .j5{stroke:#444b54}"
    ".risk .f0{fill:#1d5fa8}.risk .f1{fill:#b4490f}.risk .f2{fill:#20744a}"
    ".risk .f3{fill:#8a3b8f}.risk .f4{fill:#7a6200}.risk .f5{fill:#444b54}"
    "@media(prefers-color-scheme:dark){.risk{background:#14171a;color:#e6e8ea}"
    ".risk .j0{stroke:#7db4f0}.risk .j1{stroke:#f0a06b}.risk .j2{stroke:#78c79c}"
    ".risk .j3{stroke:#d795da}.risk .j4{stroke:#d9bf5a}.risk .j5{stroke:#b5bcc4}"
    ".risk .f0{fill:#7db4f0}.risk .f1{fill:#f0a06b}.risk .f2{fill:#78c79c}"
    ".risk .f3{fill:#d795da}.risk .f4{fill:#d9bf5a}.risk .f5{fill:#b5bcc4}}</style>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """The held-out loss at one level; without a loss the level has no certificate."""

    risk: float
    loss: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One task: the spots of each judge by its name."""

    title: str
    note: str
    judges: dict[str, tuple[Spot, ...]]


def risk_picture(panels: Sequence[Panel]) -> Markup:
    """All panels as one SVG file, two in a row, with the judges' colours below."""
    drawn = {name: any(s.loss is not None for p in panels for s in p.judges.get(name, ())) for name in _named(panels)}
    every = sorted(drawn, key=lambda name: not drawn[name]) if len(drawn) > COLOURS else list(drawn)
    names, more = every[:COLOURS], len(every) - COLOURS
    columns = min(len(panels), 2)
    rows = ceil(len(panels) / 2)
    width, height = max(columns * WIDE, 420.0), rows * HIGH + 40.0 + 16.0 * (len(names) + (more > 0))
    parts = [_STYLE]
    for number, panel in enumerate(panels):
        x, y = (number % 2) * WIDE, (number // 2) * HIGH
        parts.append(Markup('<g transform="translate({:g} {:g})">{}</g>').format(x, y, _panel(panel, names)))
    parts += _key(names, rows * HIGH, more)
    title = "Held-out loss of certified sets against the level certified"
    head = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="risk" viewBox="0 0 {0:g} {1:g}" width="{0:g}" height="{1:g}" '
        'role="img" aria-label="{2}"><title>{2}</title>'
    ).format(width, height, title)
    return head + Markup("").join(parts) + Markup("</svg>\n")


def _named(panels: Sequence[Panel]) -> list[str]:
    """All judges' names, each once."""
    return list(dict.fromkeys(name for panel in panels for name in panel.judges))


def _panel(panel: Panel, names: Sequence[str]) -> Markup:
    spots = [spot for judge in panel.judges.values() for spot in judge]
    levels = sorted({spot.risk for spot in spots})
    most = max([*levels, *(spot.high or spot.loss or 0.0 for spot in spots)])
    scale = Scale(0.0, max(ceil(most * 20 + 1e-9) / 20, 0.1))
    parts = [_word(LEFT, 14, panel.title, "start", "t"), _word(LEFT, 27, panel.note, "start", "m")]
    parts += _axes(scale, levels)
    for number, name in enumerate(names):
        shift = 4.5 * (number - (len(names) - 1) / 2)
        parts += _judge(panel.judges.get(name, ()), number, shift, scale)
    return Markup("").join(parts)


def _x(risk: float, scale: Scale) -> float:
    return LEFT + (WIDE - LEFT - RIGHT) * (risk - scale.low) / (scale.high - scale.low)


def _y(loss: float, scale: Scale) -> float:
    share = min(max((loss - scale.low) / (scale.high - scale.low), 0.0), 1.0)
    return TOP + (HIGH - TOP - FOOT) * (1 - share)


def _axes(scale: Scale, levels: Sequence[float]) -> list[Markup]:
    parts = []
    step = 0.1 if scale.high > 0.2 else 0.05
    for number in range(round(scale.high / step) + 1):
        value = number * step
        if value <= scale.high + 1e-9:
            y = _y(value, scale)
            parts.append(_line("g", f"M{LEFT:g} {y:.1f}H{WIDE - RIGHT:g}"))
            parts.append(_word(LEFT - 6, y + 3.8, f"{value:.2f}".lstrip("0") if number else "0", "end", "m"))
    base = HIGH - FOOT
    for level in levels:
        parts.append(_line("g", f"M{_x(level, scale):.1f} {base:g}v5"))
        parts.append(_word(_x(level, scale), base + 16, f"{level:.2f}".lstrip("0"), "middle", "m"))
    corner = f"M{_x(0, scale):.1f} {_y(0, scale):.1f}L{_x(scale.high, scale):.1f} {_y(scale.high, scale):.1f}"
    parts.append(_line("d", corner))
    parts.append(_word((LEFT + WIDE - RIGHT) / 2, base + 32, "level certified", "middle", "m"))
    parts.append(
        Markup('<text class="m" transform="translate(11 {:g}) rotate(-90)" text-anchor="middle">held-out loss</text>')
        .format((TOP + base) / 2)
    )  # fmt: skip
    return parts


def _judge(spots: Sequence[Spot], number: int, shift: float, scale: Scale) -> list[Markup]:
    parts, way = [], []
    for spot in spots:
        x = _x(spot.risk, scale) + shift
        if spot.loss is None:
            y = HIGH - FOOT
            parts.append(_line(f"s j{number}", f"M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6"))
            continue
        y = _y(spot.loss, scale)
        way.append(f"{x:.1f} {y:.1f}")
        if spot.low is not None and spot.high is not None:
            low, high = _y(spot.low, scale), _y(spot.high, scale)
            parts.append(_line(f"w j{number}", f"M{x:.1f} {low:.1f}V{high:.1f}m-2.5 0h5M{x - 2.5:.1f} {low:.1f}h5"))
        parts.append(Markup('<circle class="f{}" cx="{:.1f}" cy="{:.1f}" r="3.2"/>').format(number, x, y))
    if len(way) > 1:
        parts.insert(0, _line(f"w j{number}", "M" + "L".join(way)))
    return parts


def _key(names: Sequence[str], top: float, more: int) -> list[Markup]:
    parts = []
    for number, name in enumerate(names):
        y = top + 12 + 16 * number
        parts.append(Markup('<circle class="f{}" cx="{:g}" cy="{:g}" r="3.6"/>').format(number, LEFT, y - 4))
        parts.append(_word(LEFT + 10, y, name, "start", ""))
    y = top + 12 + 16 * len(names)
    if more > 0:
        parts.append(_word(LEFT + 10, y, f"and {more:,} more, which have no colour and are left out", "start", "m"))
        y += 16
    parts.append(_line("d", f"M{LEFT - 6:g} {y - 4:g}h14"))
    parts.append(_word(LEFT + 14, y, "loss equal to the level", "start", "m"))
    parts.append(_line("s", f"M200 {y - 7:g}l6 6m0 -6l-6 6"))
    parts.append(_word(212, y, "no certificate at this level", "start", "m"))
    return parts


def _line(kind: str, way: str) -> Markup:
    return Markup('<path class="{}" d="{}"/>').format(kind, way)


def _word(x: float, y: float, text: str, anchor: str, kind: str) -> Markup:
    return Markup('<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(kind, x, y, anchor, text)
