"""Figures drawn by matplotlib, as bytes: this module alone, and what it imports, needs the extra.

The same figures give the same bytes: no date, no dice, no settings of a user, and a font that comes with matplotlib.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import Any

import matplotlib as mpl

from mores.core.visible import one_line
from mores.exports.figures import boxes, levels, plane, rows, shades, style, world
from mores.exports.figures.data import format_n
from mores.exports.figures.found import Figure, FigureKind
from mores.exports.figures.sheet import Sheet

_DRAW: Mapping[FigureKind, Callable[[Figure, Sequence[str]], Sheet]] = {
    "boxes": boxes.boxes,
    "interval": rows.intervals,
    "stack": rows.stacks,
    "heat": shades.heat,
    "squares": shades.squares,
    "climbs": levels.levels,
    "curves": levels.levels,
    "risk": levels.diagonal,
    "reliability": levels.diagonal,
    "plane": plane.plane,
    "square": plane.plane,
    "world": world.world,
}
"""How each kind is drawn; small charts of cells are rows of a figure."""
_DATED: Mapping[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "mores"},
    "pdf": {"CreationDate": None, "Creator": "mores", "Producer": None},
    "png": {"Software": "mores"},
}
"""What files say of themselves, without a date."""


def images(figure: Figure, simulated: str) -> Iterator[tuple[str, bytes]]:
    """The figure in each format, with the ending of its file."""
    with styled():
        sheet = draw(figure, simulated)
        for ending, about in _DATED.items():
            out = BytesIO()
            sheet.figure.savefig(out, format=ending, metadata=about)
            yield ending, out.getvalue()


def draw(figure: Figure, simulated: str) -> Sheet:
    """The figure on its sheet, with what it shows, its n, and what of it is simulated or cannot be used below."""
    n = "" if figure.graded is None else f" n {format_n(figure)}."
    about = f"{figure.title}: {figure.context}" if figure.context else figure.title
    return _DRAW[figure.kind](figure, [one_line(f"{about}.{n}"), one_line(figure.caution), one_line(simulated)])


@contextmanager
def styled() -> Iterator[None]:
    """The one style while a sheet is drawn and written, whatever a user has set.

    Letters that the font lacks are drawn as boxes, without a warning.
    """
    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+")
        mpl.rcdefaults()
        mpl.rcParams.update(style.RC)
        yield
