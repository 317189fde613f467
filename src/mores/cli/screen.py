"""Laying out what a verb found: tables and facts for people, one JSON object for programs.

rich is imported only when something is laid out, since it takes longer than the rest of a start.
"""

import sys
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from mores.core.codec import encode
from mores.tables.blocks import Block, Paragraph
from mores.tables.missing_texts import to_plain


def print_json(value: object) -> None:
    """Print one JSON object on standard output."""
    sys.stdout.write(encode(to_plain(value)).decode() + "\n")


def heading(text: str) -> None:
    """Print a line that begins a part, with a blank line above it."""
    from rich.text import Text as Line  # noqa: PLC0415

    _print("", Line(text, style="bold"))


def line(text: str) -> None:
    """Print a sentence, broken between words at the width of the screen; lines after the first are indented."""
    from rich.text import Text as Line  # noqa: PLC0415

    from mores.reports.console import hanging, screen_width, show  # noqa: PLC0415

    show(hanging(Line(text), screen_width()) or [Line()], wrapped=True)


def blocks(some: Iterable[Block]) -> None:
    """Print blocks of a section: words and tables with all their rows, as there is no page; no pictures."""
    from mores.reports.console import block_parts  # noqa: PLC0415

    _print(*(each for part in some for each in block_parts(part, sys.maxsize)))


def analysed(some: Iterable[Block], *, simulated: bool, notes: Iterable[str] = ()) -> None:
    """Print what an analysis found, a part below each of its headings, after what has to be known of all of it."""
    from mores.tables.formatting import text_of  # noqa: PLC0415 - as in `parts`

    named = list[tuple[str, list[Block]]]()
    for block in some:
        if isinstance(block, Paragraph) and block.role == "heading":
            named.append((text_of(block.words), []))
        else:
            named[-1][1].append(block)
    parts(named, simulated=simulated, notes=notes)


def parts(named: Iterable[tuple[str, Iterable[Block]]], *, simulated: bool, notes: Iterable[str] = ()) -> None:
    """Print parts with a heading each, after what has to be known of all of them."""
    from mores.tables.formatting import SIMULATED  # noqa: PLC0415 - brings statistics, which most verbs do without

    for note in (*([SIMULATED] if simulated else []), *notes):
        line(note)
    for name, part in named:
        heading(name)
        blocks(part)


def facts(pairs: Mapping[str, object]) -> None:
    """Print names and values in two columns; a value of None or no words is left out."""
    cells = ((name, _evaluation(value)) for name, value in pairs.items() if value is not None and value != "")
    _columns(cells, dim_columns={0})


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table; columns of numbers stand to the right."""
    kept = [list(row) for row in rows]
    numbers = {
        column
        for column in range(len(heads))
        if kept and all(isinstance(row[column], int | float | None) for row in kept)
    }
    _columns([heads, *(list(map(_evaluation, row)) for row in kept)], right=numbers, dim_rows={0})


def _columns(
    rows: Iterable[Sequence[str]], *, right: Container[int] = (), dim_columns: Container[int] = (),
    dim_rows: Container[int] = (),
) -> None:  # fmt: skip
    """Print cells side by side; the last of a row is broken between words."""
    from rich.text import Text as Line  # noqa: PLC0415

    from mores.reports.console import in_columns, show  # noqa: PLC0415

    cells = [
        [Line(cell, style="dim" if n in dim_rows or column in dim_columns else "") for column, cell in enumerate(row)]
        for n, row in enumerate(rows)
    ]
    show(in_columns(cells, right), wrapped=True)


def share(value: float | None) -> str:
    """A share as per cent, in words that people read.

    >>> share(0.0625), share(1.0), share(None)
    ('6.2 %', '100 %', '–')
    """
    return "–" if value is None else f"{100 * value:.1f}".removesuffix(".0") + " %"


def _evaluation(value: object) -> str:
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.2f}"
        case _:
            return str(value)


def _print(*things: Any) -> None:
    from mores.reports.console import show  # noqa: PLC0415 - rich is imported when something is shown

    show(things)
