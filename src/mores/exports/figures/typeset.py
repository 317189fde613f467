"""SVG as PDF and PNG, by Typst: this module alone needs the extra.

The same figure gives the same bytes: no date, and the font that Typst brings. Letters that this one lacks are taken
from the fonts of the machine.
"""

from collections.abc import Callable, Iterator
from functools import partial

import typst

FONT = ('Helvetica, Arial, "Liberation Sans", sans-serif', '"Libertinus Serif"')
"""The fonts of a figure, and the one that stands for them in print."""
_PAGE = b"""\
#set document(title: sys.inputs.title, date: none)
#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.svg), format: "svg", alt: sys.inputs.title)
"""


def typesetter() -> Callable[[str, str], Iterator[tuple[str, bytes]]]:
    """Function that turns a title and its SVG into files, each with the ending of its name."""
    return partial(_files, typst.Compiler())


def _files(compiler: typst.Compiler, title: str, svg: str) -> Iterator[tuple[str, bytes]]:
    made = partial(compiler.compile, _PAGE, sys_inputs={"title": title, "svg": svg.replace(*FONT)})
    for ending, data in (("pdf", made(format="pdf")), ("png", made(format="png", ppi=300))):
        if isinstance(data, bytes):  # a list would be one of several pages
            yield ending, data
