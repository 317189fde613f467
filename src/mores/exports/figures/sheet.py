"""The sheet that a picture is printed on: as wide as one column of a paper or two, with words below, as SVG.

Everything is in px, `INCH` of them an inch. Letters are taken as wide as those of DejaVu Sans, the widest that a reader
may have; what is too long for its room is cut in its middle, as names differ at their ends.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from markupsafe import Markup

from mores.core.terminal_safety import escape_control
from mores.reports.charts.frame import word

INCH, EDGE = 120.0, 6.0
ONE, TWO = 3.3 * INCH, 7.0 * INCH
"""Width of one column of a paper, and of two."""
SIZE, SMALL, LINE = 12.0, 11.0, 14.5
"""Letters of names, those of numbers and of what is said below, and the height of a line of these."""
STRETCH = 1.2
"""Factor by which a picture may be wider than a column to be drawn smaller in it."""
_NARROW, _SLIM, _WIDE = frozenset("ijlI|'’"), frozenset(" !,./:;[]()ft-r"), frozenset("mwMW@%…—=")
STYLE = Path(__file__).parent / "print.css"


class Picture(NamedTuple):
    """A drawing, and notes below that are needed to read it."""

    width: float
    height: float
    parts: Iterable[Markup]
    notes: Sequence[str] = ()


def printed(picture: Picture, kind: str, texts: Sequence[str]) -> str:
    """The picture of a kind of figure on its sheet, with its words and notes below; empty ones take no line."""
    needed = picture.width + 2 * EDGE
    width = ONE if needed <= STRETCH * ONE else TWO
    scale = min(1.0, width / needed)
    lines = [line for text in (*texts, *picture.notes) for line in wrapped(text, width - 2 * EDGE, SMALL)]
    top = scale * (picture.height + 2 * EDGE)
    foot = [word(EDGE, top + LINE * (n + 0.8), line, "start", "said") for n, line in enumerate(lines)]
    height = top + LINE * len(lines) + EDGE
    head = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="{}" viewBox="0 0 {:g} {:.1f}" width="{:g}in" '
        'height="{:.3f}in" role="img"><title>{}</title>'
    ).format(kind, width, height, width / INCH, height / INCH, texts[0])
    drawing = placed((EDGE * scale, EDGE * scale), picture.parts, scale)
    return escape_control(f"{head}<style>{_style()}</style>{_PATTERNS}{drawing}{Markup('').join(foot)}</svg>\n")


def placed(at: tuple[float, float], parts: Iterable[Markup], scale: float = 1.0) -> Markup:
    """Parts of a drawing at a place within another."""
    smaller = "" if scale == 1 else f" scale({scale:.4g})"
    place = Markup('<g transform="translate({:.1f} {:.1f}){}">').format(*at, smaller)
    return place + Markup("").join(parts) + Markup("</g>")


def upright(x: float, y: float, text: str) -> Markup:
    """Words from their foot up."""
    return Markup('<text class="name" transform="translate({:.1f} {:.1f}) rotate(-90)">{}</text>').format(x, y, text)


@cache
def _style() -> str:
    return STYLE.read_text(encoding="utf-8")


@cache
def width_of(text: str, size: float = SIZE) -> float:
    """Room that a line of words takes."""
    return size * sum(map(_em, text))


def _em(letter: str) -> float:
    if letter in _NARROW:
        return 0.29
    if letter in _SLIM:
        return 0.37
    if letter in _WIDE:
        return 0.96
    if combining(letter):
        return 0.0
    return 1.0 if east_asian_width(letter) in "WF" else 0.73 if letter.isupper() else 0.63


def cut(text: str, room: float, size: float = SIZE) -> str:
    """The words as far as there is room for them."""
    if width_of(text, size) <= room:
        return text
    shorter = [f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}" for kept in range(len(text))]
    return shorter[max(0, bisect_right(shorter, room, key=lambda short: width_of(short, size)) - 1)]


def wrapped(text: str, room: float, size: float = SIZE) -> list[str]:
    """The words in lines that there is room for; a word that is longer than a line is cut."""
    lines: list[str] = []
    for each in text.split():
        longer = f"{lines[-1]} {each}" if lines else each
        if lines and width_of(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(cut(each, room, size))
    return lines


def _pattern(name: str, size: float, way: str, turned: int = 0) -> str:
    return (
        f'<pattern id="{name}" width="{size:g}" height="{size:g}" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate({turned})"><path class="ground" d="M-1-1H{size + 1:g}V{size + 1:g}H-1z"/>'
        f'<path d="{way}"/></pattern>'
    )


_HATCHES = (
    _pattern("open", 5, "M2 2h1.2v1.2h-1.2z"), _pattern("bad", 6, "M3 0V6", 45),
    _pattern("rest", 5, "M2.5 0V5", -45), _pattern("less", 6, "M3 0V6", 45),
    _pattern("few", 5, "M2 2h1.2v1.2h-1.2z"), _pattern("unasked", 6, "M3 0V6", 45),
    _pattern("far-few", 14, "M5 5h4v4h-4z"), _pattern("far-unasked", 20, "M10 0V20", 45),
)  # fmt: skip
_PATTERNS = f"<defs>{''.join(_HATCHES)}</defs>"
"""Hatches that tell parts apart in grey; those of maps, which are drawn smaller, are larger."""
