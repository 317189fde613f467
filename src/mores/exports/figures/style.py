"""One style for all figures: sizes in inches and points, and colours that marks, dashes and hatches repeat.

Colours are Okabe and Ito's (2008, Color Universal Design), which readers with any kind of colour vision tell apart;
in grey the marks, dashes and hatches do.
"""

from bisect import bisect_right
from functools import cache
from typing import Any

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

ONE, TWO = 3.3, 7.0
"""Width of one column of a paper, and of two."""
SIZE, SMALL, FOOT = 7.0, 6.0, 5.5
"""Points of text, of numbers, and of what is said below."""
HINTED = 1.04
"""How much wider letters are where they are fitted to dots than they are by themselves."""
BLACK, BLUE, RED, GREEN, SKY, ORANGE, PINK = (
    "#000000", "#0072B2", "#D55E00", "#009E73", "#56B4E9", "#E69F00", "#CC79A7",
)  # fmt: skip
COLOURS = (BLUE, RED, BLACK, GREEN, ORANGE, PINK, SKY)
MARKS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h")
DASHES: tuple[tuple[float, tuple[float, ...]], ...] = (
    (0, ()), (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.2, 1, 1.2)), (0, (2.5, 1)),
)  # fmt: skip
FILLS = ((BLUE, ""), ("#F4E3B2", "..."), (ORANGE, "/////"), ("#FFFFFF", r"\\\\"))
"""Colours of parts of a whole with their hatches; in grey they go from dark to light and back."""
GREY, FAINT = "#595959", "#DDDDDD"
RC: Any = {
    "font.family": "DejaVu Sans",
    "font.size": SIZE,
    "text.parse_math": False,  # a name with dollars is a name
    "text.usetex": False,
    "axes.linewidth": 0.6,
    "axes.unicode_minus": True,
    "hatch.linewidth": 0.5,
    "lines.linewidth": 1.0,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "pdf.fonttype": 42,  # fonts are embedded whole, so that a journal takes them
    "svg.fonttype": "path",
    "svg.hashsalt": "mores",
    "savefig.dpi": 300,
    "path.simplify": False,
}
"""What matplotlib is told; everything else is as it comes, whatever a user's own settings say."""


@cache
def width_of(text: str, size: float = SIZE) -> float:
    """How wide a line of words is, in inches."""
    font = FontProperties(family="DejaVu Sans", size=size)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width) / 72 * HINTED


def cut(text: str, room: float, size: float = SIZE) -> str:
    """The words as far as there is room for them, in inches; their middle is cut, as names differ at their ends."""
    if not text or width_of(text, size) <= room:
        return text
    shorter = [f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}" for kept in range(len(text))]
    return shorter[max(0, bisect_right(shorter, room, key=lambda short: width_of(short, size)) - 1)]


def wrapped(text: str, room: float, size: float = SIZE) -> list[str]:
    """The words in lines that there is room for; a word that is longer than a line is cut."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(cut(word, room, size))
    return lines


def height_of(size: float = SIZE) -> float:
    """How much room a line of words takes from top to foot, with what parts it from the next, in inches."""
    return 1.35 * size / 72
