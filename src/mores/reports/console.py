"""Sections on a terminal: what was found, and tables, in as many columns as there are; the page has the rest.

The short output of a verb is twenty lines of eighty columns: the table gives up rows, and findings wait for `--full`,
before anything does that must be known of the figures.

A table that is far too wide stands as a line a row, so that no figure loses its name. It says the same without colours
and in a pipe.
"""

import os
import re
import shutil
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table as Grid
from rich.text import Text as Line

from mores.core.terminal_safety import escape_control, unfiltered
from mores.reports.terminal_table import cut
from mores.tables import formatting as words
from mores.tables.blocks import (
    Block,
    BlockColumn,
    BulletList,
    Cell,
    DefinitionList,
    Finding,
    Paragraph,
    Section,
    SideBySide,
    Span,
    TableBlock,
    TableRow,
)

WIDTH = 80
ABREAST = 2
"""Parts that a table which is too wide is split into at most, each with the heads of its rows."""
MOST_ROWS = 12
"""Rows of a table that a terminal shows."""
PAGE_ONLY = frozenset({"explanation", "note"})
EMPTY = ("", words.DASH)
INDENT = (0, 0, 0, 2)
HANGING = 4
"""Columns by which a cell is indented that stands below its row."""


class VisibleConsole(Console):
    """A console whose colours and movements are its own: of what it lays out, only visible text passes."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments of what is shown."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=escape_control(segment.text))


def show(parts: Iterable[RenderableType], *, wrapped: bool = False) -> None:
    """Print parts on standard output, at the width of the screen; in a pipe plainly, without spaces at line ends.

    No markup is read in what models and data say. Lines that are `wrapped` already are left as they are.
    """
    console = VisibleConsole(file=unfiltered(sys.stdout), markup=False, emoji=False, highlight=False)
    if console.is_terminal:
        console.print(*parts, sep="\n", soft_wrap=wrapped)
        return
    console.width = screen_width()
    with console.capture() as captured:
        console.print(*parts, sep="\n", soft_wrap=wrapped)
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def screen_width() -> int:
    """Columns to write in: what COLUMNS says, else the terminal's own; 80 where there is none."""
    if sys.stdout.isatty():
        return shutil.get_terminal_size((WIDTH, 24)).columns
    asked = os.environ.get("COLUMNS", "")
    return int(asked) if asked.isdecimal() and int(asked) else WIDTH


def hanging(text: Line, width: int, indent: int = 2) -> list[Line]:
    """The text broken between words, each line after the first indented; a word is never broken.

    What would move a terminal is shown before the line is measured.
    """
    shown = escape_control(text.plain).expandtabs(1)
    text = text if shown == text.plain else Line(shown)
    breaks, start, room = list[int](), 0, width
    for word in re.finditer(r"\S+", text.plain):
        if word.start() > start and cell_len(text.plain[start : word.end()]) > room:
            breaks.append(word.start())
            start, room = word.start(), width - indent
    lines = list(text.divide(breaks))
    for number, line in enumerate(lines):
        line.rstrip()
        if number:
            line.pad_left(indent)
    return lines


def in_columns(rows: Iterable[Sequence[Line]], right: Container[int] = ()) -> Iterator[Line]:
    """Rows whose cells stand side by side, those of `right` columns to the right; no word is broken.

    The last cell is broken between words at the width of the screen, and goes on below its own beginning; where one of
    its words is wider than what is left of the screen, it begins below the others.
    """
    kept = list(rows)
    widths = [max(cell_len(cell.plain) for cell in column) for column in zip(*kept, strict=True)]
    start = sum(width + 2 for width in widths[:-1])
    for *before, last in kept:
        line = Line()
        for column, cell in enumerate(before):
            free = widths[column] - cell_len(cell.plain)
            (cell.pad_left if column in right else cell.pad_right)(free)
            line.append_text(cell).append("  ")
        if len(widths) - 1 in right:
            last.pad_left(widths[-1] - cell_len(last.plain))
        below = max(map(cell_len, last.plain.split()), default=0) > screen_width() - start
        begin = HANGING if below else start
        first, *more = hanging(last, screen_width() - begin, indent=0) or [last]
        if below:
            yield line
            more.insert(0, first)
        else:
            yield line.append_text(first)
        for part in more:
            part.pad_left(begin)
            yield part


def section_parts(section: Section) -> Iterator[RenderableType]:
    """A section's title, what it found, and its blocks."""
    yield Line(words.text_of(section.title), style="bold")
    yield from (Line(words.text_of(lead)) for lead in section.lead)
    for block in section.blocks:
        yield from block_parts(block)


def block_parts(block: Block, most: int = MOST_ROWS) -> Iterator[RenderableType]:
    """Parts of a block on a terminal: no pictures, nothing that a reader would have to open, so many rows at most."""
    if isinstance(block, Paragraph | BulletList | DefinitionList | TableBlock) and block.on == "page":
        return
    match block:
        case Paragraph(role=role) if role not in PAGE_ONLY:
            yield Line(words.text_of(block.words), style="dim" if role in {"heading", "subheading"} else "")
        case BulletList():
            yield from (Padding(Line(words.text_of(item)), INDENT) for item in block.items)
        case DefinitionList():
            for name, texts in block.pairs:
                yield Padding(Line(f"{words.text_of(name)}: {'; '.join(map(words.text_of, texts))}"), INDENT)
        case TableBlock():
            yield Padding(Tabular(block, most), INDENT)
        case SideBySide():
            for each in block.blocks:
                yield from block_parts(each, most)
        case _:
            return


class Tabular:
    """A table as columns where they fit, else as a line a row."""

    def __init__(self, table: TableBlock, most: int) -> None:
        shown = table.rows[:most]
        titled = [(n, c) for n, c in enumerate(table.columns) if words.text_of(c.title) and not c.minor]
        whole = [row for row in shown if len(row.cells) > 1]
        self.columns = [(n, c) for n, c in titled if not n or any(_text(row.cells[n], c) not in EMPTY for row in whole)]
        self.heads = [words.text_of(column.title) for _, column in self.columns]
        self.rows = [self._texts(row) for row in shown]
        self.left = len(table.rows) - len(shown)

    def _texts(self, row: TableRow) -> list[str]:
        if len(row.cells) == 1:
            return [words.text_of(row.cells[0])]
        return [_text(row.cells[number], column) for number, column in self.columns]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Its lines."""
        parts = list(self._split(options.max_width))
        if len(parts) <= ABREAST and all(len(row) > 1 for row in self.rows):
            yield from map(self._grid, parts)
        else:
            yield from (Line(self._format_row(row)) for row in self.rows)
        if self.left:
            yield Line(f"… {words.plural(self.left, 'more row')} on the page", style="dim")

    def _split(self, room: int) -> Iterator[list[int]]:
        """Columns beside the first, as many at a time as there is room for."""
        whole = [row for row in self.rows if len(row) > 1]
        first, *widths = (max(map(len, column)) + 2 for column in zip(self.heads, *whole, strict=True))
        part, left = list[int](), room - first
        for number, width in enumerate(widths, start=1):
            if part and width > left:
                yield part
                part, left = [], room - first
            part.append(number)
            left -= width
        yield part

    def _grid(self, part: Sequence[int]) -> Grid:
        grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for number in (0, *part):
            right = number and self.columns[number][1].format
            grid.add_column(self.heads[number], justify="right" if right else "left")
        for row in self.rows:
            grid.add_row(*(Line(row[number]) for number in (0, *part)))
        return grid

    def _format_row(self, row: list[str]) -> str:
        pairs = zip(self.heads[1:], row[1:], strict=False)
        parts = "; ".join(f"{head} {text}" for head, text in pairs if text not in EMPTY)
        return f"{row[0]}: {parts}" if parts else row[0]


def _text(cell: Cell, column: BlockColumn) -> str:
    return words.text_of(cell, column.format, column.metric)


LINES = 20
FEWEST_FOUND = 4
"""Lines that findings have, where there are as many, before the table gives up rows."""
HEADS = 2
"""Lines of a table besides its rows."""
STYLES = {"model": "bold", "strong": "bold", "warning": "bold"}
MakeTable = Callable[[int, int], list[Line]]
"""The lines of a table, of so many columns and with so many rows at most."""


def show_fitted(*, notes: Sequence[Line], table: MakeTable, found: Sequence[Line], foot: Sequence[Line]) -> None:
    """Print the parts, a line between two of them where there is room."""
    width = screen_width()
    top, bottom = ([line for lines_found in part for line in hanging(lines_found, width)] for part in (notes, foot))
    lines_found = [hanging(line, width) for line in found]
    room = LINES - len(top) - len(bottom)
    fewest = max(FEWEST_FOUND, len(lines_found[0]) + 1) if lines_found else 0
    most = max(1, room - HEADS - min(fewest, sum(map(len, lines_found))))
    rows = table(width, most)
    parts = [part for part in (top, rows, list(_that_fit(lines_found, room - len(rows))), bottom) if part]
    between = [Line()] if LINES - sum(map(len, parts)) >= len(parts) - 1 else []
    lines = [line for part in parts for line in (*between, *part)]
    show(lines[len(between) :], wrapped=True)


def format_finding(finding: Finding, name: Callable[[str], str] = cut) -> Line:
    """A finding with how sure it is, as a point of a list; `name` writes a model's name, by default as tables do."""
    line = Line("• ")
    for span in words.spans_of(finding.words):
        if isinstance(span, Span):
            text = name(span.text) if span.style == "model" else span.text
            line.append(text, style=STYLES.get(span.style, ""))
    sure = words.text_of(finding.sure)
    return line.append(f" {sure}", style="dim") if sure else line


def _that_fit(found: Sequence[list[Line]], room: int) -> Iterator[Line]:
    """The first findings that there is room for, and how many there are more."""
    left = len(found)
    for lines in found:
        if len(lines) + (left > 1) > room:
            break
        yield from lines
        room, left = room - len(lines), left - 1
    if left and room > 0:
        yield Line(f"… {words.plural(left, 'more finding')} with --full", style="dim")
