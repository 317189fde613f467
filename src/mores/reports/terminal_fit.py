"""The output of a verb in twenty lines of eighty columns: notes, a table, what was found, and what to do next.

The table gives up rows, and findings wait for `--full`, before anything does that must be known of the figures.
"""

from collections.abc import Callable, Iterator, Sequence

from rich.text import Text as Line

from mores.reports.console import hanging, screen_width, show
from mores.reports.terminal_table import cut
from mores.tables import formatting as words
from mores.tables.blocks import Finding, Span

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
    top, bottom = ([line for told in part for line in hanging(told, width)] for part in (notes, foot))
    told = [hanging(line, width) for line in found]
    room = LINES - len(top) - len(bottom)
    fewest = max(FEWEST_FOUND, len(told[0]) + 1) if told else 0
    most = max(1, room - HEADS - min(fewest, sum(map(len, told))))
    rows = table(width, most)
    parts = [part for part in (top, rows, list(_that_fit(told, room - len(rows))), bottom) if part]
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
