"""Words and cells as HTML: each stretch escaped, in the element that its style asks for."""

from collections.abc import Sequence
from re import sub

from markupsafe import escape
from msgspec.structs import replace

from mores.core.card import Metric
from mores.core.estimate import Estimate, Missing
from mores.reports.charts import drawn
from mores.reports.charts.world import shade_of
from mores.tables import formatting as words
from mores.tables.blocks import (
    Axis,
    BlockColumn,
    Cell,
    CellValue,
    Chart,
    Format,
    Quoted,
    Span,
    Stack,
    TableBlock,
    TableRow,
)

ELEMENTS = {
    "model": ('<span class="model">', "</span>"),
    "code": ("<code>", "</code>"),
    "strong": ("<b>", "</b>"),
    "soft": ('<span class="n">', "</span>"),
    "tag": ('<span class="tag">', "</span>"),
    "warning": ('<span class="tag warn">', "</span>"),
    "alarm": ('<b class="alarm">', "</b>"),
    "interval": ('<span class="brackets">', "</span>"),
    "narrow": ('<span class="narrow">', "</span>"),
    "missing": ('<span class="none">', "</span>"),
}
_PLAIN = ("", "")
LONGEST = 6000
"""Characters of one message that a page shows; the rest stays in the transcripts."""


def safe(text: str) -> str:
    """Text with all that could be markup escaped."""
    return str(escape(text))


def pre(text: str, attribute: str = "") -> str:
    """Words of models or data, as they stand, as far as a page shows them."""
    return f'<pre dir="auto"{attribute}>{safe(words.clipped(text, LONGEST))}</pre>'


def inline(cell: Cell, format_: Format | None = None, metric: Metric | None = None) -> str:
    """Words, or what a cell holds, as HTML."""
    if isinstance(cell, Stack):
        return "".join(f"<div>{inline(line)}</div>" for line in cell.lines)
    if isinstance(cell, Quoted):
        return f"<details><summary>words</summary>{pre(cell.text)}</details>"
    return "".join(map(_span, words.spans_of(cell, format_, metric)))


def _span(span: Span | Chart) -> str:
    if isinstance(span, Chart):
        return drawn(span)
    if span.style == "source":
        return linked(span.text)
    if span.title:
        return f'<span title="{safe(span.title)}">{_span(replace(span, title=""))}</span>'
    before, after = ELEMENTS.get(span.style, _PLAIN)
    told = f"{before}{safe(span.text)}{after}"
    return f'<a href="{safe(span.target)}">{told}</a>' if span.target else told


def linked(text: str) -> str:
    """Text in which arXiv numbers are links."""
    return sub(
        r"arXiv:([0-9]{4}[.][0-9]{4,5})", r'<a href="https://arxiv.org/abs/\1" rel="noreferrer">\g<0></a>', safe(text)
    )


def cells(table: TableBlock, row: TableRow, heads: Sequence[str] = ()) -> str:
    """The cells of a row; one alone is a head over the rows that follow.

    Where `heads` are given each cell says that of its column, for screens on which rows stand below each other.
    """
    if len(row.cells) == 1:
        return f'<th scope="rowgroup" colspan="{len(table.columns)}">{inline(row.cells[0])}</th>'
    head, *rest = zip(row.cells, table.columns, strict=True)
    heads = heads or ("",) * len(table.columns)
    told = (_cell(cell, column, name) for (cell, column), name in zip(rest, heads[1:], strict=True))
    return f'<th scope="row">{inline(head[0], head[1].format, head[1].metric)}</th>{"".join(told)}'


def _cell(cell: Cell, column: BlockColumn, head: str) -> str:
    """A cell, with the escaped head of its column where it says that."""
    figure = cell.value if isinstance(cell, CellValue) else cell
    worded = isinstance(figure, str | tuple | Span | Chart | Stack | Quoted | Missing)
    number = not worded if column.format is None else column.format != "place"
    kinds = ["num"] * number + ["wide"] * column.minor
    if column.shade and isinstance(figure, Estimate) and figure.value is not None:
        kinds += ["heat", shade_of(figure, Axis.of(column.metric))]
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    key = words.sort_key(cell) if column.sort else None
    sorted_by = f' data-v="{safe(str(key))}"' if key is not None else ""
    named = f' data-head="{head}"' if head else ""
    return f"<td{kind}{sorted_by}{named}>{inline(cell, column.format, column.metric)}</td>"
