"""Words and cells as HTML: each stretch escaped, in the element that its style asks for."""

from dataclasses import replace
from re import split

from markupsafe import Markup, escape

from mores.blocks import Axis, Cell, Chart, Column, Quoted, Row, Span, Stack, Table, Value
from mores.blocks import formatting as words
from mores.blocks.inline import Format
from mores.core.card import Metric
from mores.core.estimate import Estimate
from mores.reports.charts import drawn
from mores.reports.charts.world import shade_of

ELEMENTS = {
    "model": Markup('<span class="model">{}</span>'),
    "code": Markup("<code>{}</code>"),
    "strong": Markup("<b>{}</b>"),
    "soft": Markup('<span class="n">{}</span>'),
    "tag": Markup('<span class="tag">{}</span>'),
    "warning": Markup('<span class="tag warn">{}</span>'),
    "alarm": Markup('<b class="alarm">{}</b>'),
    "interval": Markup('<span class="brackets">{}</span>'),
    "narrow": Markup('<span class="narrow">{}</span>'),
    "missing": Markup('<span class="none">{}</span>'),
}
QUOTED = Markup('<details><summary>words</summary><pre dir="auto">{}</pre></details>')
LONGEST = 6000
"""Characters of one message that a page shows; the rest stays in the transcripts."""
LINK = Markup('<a href="{}">{}</a>')
TITLED = Markup('<span title="{}">{}</span>')
PAPER = Markup('<a href="https://arxiv.org/abs/{}" rel="noreferrer">{}</a>')


def inline(cell: Cell, format_: Format | None = None, metric: Metric | None = None) -> Markup:
    """Words, or what a cell holds, as HTML."""
    if isinstance(cell, Stack):
        return Markup("").join(Markup("<div>{}</div>").format(inline(line)) for line in cell.lines)
    if isinstance(cell, Quoted):
        return QUOTED.format(clipped(cell.text))
    return Markup("").join(map(_span, words.spans_of(cell, format_, metric)))


def _span(span: Span | Chart) -> Markup:
    if isinstance(span, Chart):
        return drawn(span)
    if span.style == "source":
        return linked(span.text)
    if span.title:
        return TITLED.format(span.title, _span(replace(span, title="")))
    if span.target:
        return LINK.format(span.target, ELEMENTS.get(span.style, Markup("{}")).format(span.text))
    return ELEMENTS[span.style].format(span.text) if span.style in ELEMENTS else escape(span.text)


def linked(text: str) -> Markup:
    """Text in which arXiv numbers are links."""
    parts = split("(arXiv:[0-9]{4}[.][0-9]{4,5})", text)
    told = (PAPER.format(part.removeprefix("arXiv:"), part) if n % 2 else part for n, part in enumerate(parts))
    return Markup("").join(told)


def cells(table: Table, row: Row) -> Markup:
    """The cells of a row; one alone is a head over the rows that follow."""
    if len(row.cells) == 1:
        head = Markup('<th scope="rowgroup" colspan="{}">{}</th>')
        return head.format(len(table.columns), inline(row.cells[0]))
    return Markup("").join(
        _cell(cell, column, head=number == 0)
        for number, (cell, column) in enumerate(zip(row.cells, table.columns, strict=True))
    )


def _cell(cell: Cell, column: Column, *, head: bool) -> Markup:
    told = inline(cell, column.format, column.metric)
    if head:
        return Markup('<th scope="row">{}</th>').format(told)
    figure = cell.value if isinstance(cell, Value) else cell
    kinds = ["num"] * _is_number(cell, column) + ["wide"] * column.minor
    if column.shade and isinstance(figure, Estimate) and figure.value is not None:
        kinds += ["heat", shade_of(figure, Axis.of(column.metric))]
    kind = Markup(' class="{}"').format(" ".join(kinds)) if kinds else Markup("")
    key = words.sort_key(cell) if column.sort else None
    sorted_by = Markup(' data-v="{}"').format(key) if key is not None else Markup("")
    return Markup("<td{}{}>{}</td>").format(kind, sorted_by, told)


def _is_number(cell: Cell, column: Column) -> bool:
    words_alone = isinstance(cell, str | tuple | Span | Chart | Stack | Value | Quoted)
    return not words_alone if column.format is None else column.format != "place"


def clipped(text: str) -> str:
    """Words as far as a page shows them, and how many more there are."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]} … ({len(text) - LONGEST:,} more characters are in transcripts.jsonl)"
