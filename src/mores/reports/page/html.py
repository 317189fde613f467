"""Blocks as HTML: nothing here knows an analysis. Whatever models, data or people said is escaped where it is put in.

Plain functions, not templates: these would take longer to read and compile than most pages take to write.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from re import sub

from markupsafe import escape
from msgspec import Struct
from msgspec.structs import replace

from mores.core.card import Metric
from mores.core.estimate import Estimate, Missing
from mores.reports.charts import drawn
from mores.reports.charts.world import shade_of
from mores.reports.page.glossary import Glossary
from mores.tables import formatting as words
from mores.tables.blocks import (
    Axis,
    Block,
    BlockColumn,
    BulletList,
    Cell,
    CellValue,
    Chart,
    ComparedTurns,
    DefinitionList,
    Details,
    Filter,
    Format,
    JudgeRemark,
    Paragraph,
    Quoted,
    Section,
    SideBySide,
    Span,
    SpokenBlock,
    Stack,
    TableBlock,
    TableRow,
    TranscriptBlock,
    TurnBlock,
    Words,
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
    "band": ('<span class="n band">', "</span>"),
}
_PLAIN = ("", "")
LONGEST = 6000
"""Characters of one message that a page shows; the rest stays in the transcripts."""


def safe(text: str) -> str:
    """Text with all that could be markup escaped."""
    return str(escape(text))


def pre(text: str, attribute: str = "") -> str:
    """Words of models or data, as they stand, as far as a page shows them."""
    # Words may be of any script, and the browser finds their direction.
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
    html = f"{before}{safe(span.text)}{after}"
    return f'<a href="{safe(span.target)}">{html}</a>' if span.target else html


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
    cells = (_cell(cell, column, name) for (cell, column), name in zip(rest, heads[1:], strict=True))
    return f'<th scope="row">{inline(head[0], head[1].format, head[1].metric)}</th>{"".join(cells)}'


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


_MANY = 8
"""Columns from which a table's cells stand closer."""
_FEW, _SCANNED = 3, 30
"""Columns up to which a table fits a phone, and rows above which readers go through its rows and do not read each."""
_CLASSES = {"finding": "verdict", "explanation": "says", "note": "n"}


class Html(Struct, frozen=True):
    """The writer of one page; terms of its glossary are links where a section has them first."""

    glossary: Glossary

    def section(self, it: Section) -> str:
        """One analysis; of a folded one only title and lead are seen until a reader opens it."""
        self.glossary.begin()
        open_, close = ('<details class="part"><summary>', "</summary>") if it.folded else ("", "")
        lead = "".join(f'<p class="verdict">{self.marked(each)}</p>\n' for each in it.lead)
        return (
            f'<section id="{safe(it.id)}" aria-labelledby="{safe(it.id)}-head">\n{open_}'
            f'<h2 id="{safe(it.id)}-head">{inline(it.title)}</h2>\n{close}{lead}{self.blocks(it.blocks)}\n'
            f"{'</details>' if it.folded else ''}</section>\n"
        )

    def marked(self, text: Words) -> str:
        """Words, with their terms as links."""
        return self.glossary.mark(inline(text))

    def blocks(self, all_: Iterable[Block]) -> str:
        """Blocks, one below the other."""
        return "".join(map(self.block, all_))

    def block(self, b: Block) -> str:  # noqa: C901, PLR0911 - a case a kind
        """One block; nothing where a terminal alone shows it."""
        match b:
            case (
                Paragraph(on="terminal")
                | BulletList(on="terminal")
                | DefinitionList(on="terminal")
                | TableBlock(on="terminal")
            ):
                return ""
            case Paragraph():
                return self._text(b)
            case BulletList():
                return f'<ul class="sentences">{"".join(f"<li>{self.marked(item)}</li>" for item in b.items)}</ul>\n'
            case DefinitionList():
                return f"<dl>{''.join(_term(*pair) for pair in b.pairs)}</dl>\n"
            case TableBlock():
                return _table(b)
            case Chart():
                return _chart(b)
            case SideBySide():
                return f'<div class="beside">{self.blocks(b.blocks)}</div>\n'
            case Details():
                keys = f"{_id(b.id)}{' open' if b.open else ''}"
                return f"<details{keys}><summary>{inline(b.summary)}</summary>\n{self.blocks(b.blocks)}</details>\n"
            case SpokenBlock():
                return self._spoken(b)
            case TranscriptBlock():
                return self._transcript(b)

    def _text(self, b: Paragraph) -> str:
        match b.role:
            case "heading" | "subheading":
                tag = "h3" if b.role == "heading" else "h4"
                return f"<{tag}{_id(b.id)}>{inline(b.words)}</{tag}>\n"
            case "warning":
                return f'<p class="warning"{_id(b.id)}><strong>Warning.</strong> {inline(b.words)}</p>\n'
            case _:
                kind = f' class="{_CLASSES[b.role]}"' if b.role in _CLASSES else ""
                return f"<p{kind}{_id(b.id)}>{self.marked(b.words)}</p>\n"

    def _transcript(self, t: TranscriptBlock) -> str:
        entries = "".join(
            self._scene(entry) if isinstance(entry, ComparedTurns) else self._entry(entry) for entry in t.entries
        )
        return (
            f'{_controls(t.id, t.filters, "words")}<div id="{safe(t.id)}" class="list" role="region" tabindex="0" '
            f'aria-label="What was said">\n{entries}</div>\n'
        )

    def _entry(self, entry: SpokenBlock) -> str:
        return f"<article{_keys(entry)}><h4>{inline(entry.heading)}</h4>\n{self._spoken(entry)}</article>\n"

    def _scene(self, entry: ComparedTurns) -> str:
        sides = "".join(
            f'<div class="talk"{_keys(spoken)}><h5>{inline(spoken.heading)}</h5>\n{self._spoken(spoken)}</div>\n'
            for spoken in entry.spoken
        )
        return f'<article class="scene"><h4>{inline(entry.heading)}</h4>\n<div class="sides">{sides}</div></article>\n'

    def _spoken(self, spoken: SpokenBlock) -> str:
        talk = _dialogue(spoken) if spoken.dialogue else "".join(_turn(t) for each in spoken.rounds for t in each.turns)
        return f"{talk}{self.blocks(spoken.blocks)}\n"


def _id(name: str) -> str:
    return f' id="{safe(name)}"' if name else ""


def _term(name: Words, texts: Sequence[Words]) -> str:
    of = inline(texts[0]) if len(texts) == 1 else f"<ul>{''.join(f'<li>{inline(one)}</li>' for one in texts)}</ul>"
    return f"<dt>{inline(name)}</dt><dd>{of}</dd>"


def _chart(b: Chart) -> str:
    points = (point.y for series in b.series for point in series.points)
    caution = words.format_cautions(figure for figure in points if figure is not None and figure.value is not None)
    texts = [inline(b.title)] if b.title and b.kind != "world" else []
    texts += [f"<strong>{safe(caution)}</strong>"] if caution else []
    caption = f"<figcaption>{' '.join(texts)}</figcaption>" if texts else ""
    if b.kind != "world":
        return f'<figure class="{b.kind}">{caption}{drawn(b)}</figure>\n'
    choices = "".join(
        f'<option value="{number}">{safe(words.text_of(axis.title))}: {safe(series.name)}</option>'
        for number, (series, axis) in enumerate(zip(b.series, b.axes, strict=False))
    )
    form = f"<form hidden><label>Shown <select>{choices}</select></label></form>\n" if len(b.series) > 1 else ""
    return f'<figure class="world">{caption}\n{form}{drawn(b)}\n<output class="told"></output>\n</figure>\n'


def _controls(id_: str, filters: Iterable[Filter], search: str) -> str:
    """Filters of a list; a page without its script has none."""
    options = "".join(
        f'<label>{safe(f.label)} <select name="{safe(f.name)}"><option value="">all</option>'
        + "".join(f'<option value="{safe(value)}">{safe(label)}</option>' for value, label in f.choices)
        + "</select></label> "
        for f in filters
    )
    find = f'<label>Find <input type="search" placeholder="{safe(search)}"></label> ' if search else ""
    return f'<form data-filter="{safe(id_)}" hidden>{options}{find}<output></output></form>\n'


def _table(t: TableBlock) -> str:
    """A table; on a phone a wide one becomes cards, or says that it scrolls where readers go through many rows."""
    scanned = bool(t.filters or t.search) or any(c.shade for c in t.columns) or len(t.rows) > _SCANNED
    wide = len(t.columns) > _FEW
    controls = _controls(t.id, t.filters, t.search) if t.filters or t.search else ""
    kinds = ["groups"] * bool(t.filters) + ["many"] * (len(t.columns) > _MANY) + ["cards"] * (wide and not scanned)
    kind = f' class="{" ".join(kinds)}"' if kinds else ""
    heads = [safe(words.text_of(c.title)) for c in t.columns] if wide and not scanned else []
    rows = "".join(_rows(t, of, heads, whole=whole) for whole, of in groupby(t.rows, key=lambda row: row.whole))
    output = '<output class="told"></output>\n' if any(c.shade for c in t.columns) else ""
    return (
        f'{controls}<div class="scroll{" sideways" if wide and scanned else ""}" role="region" tabindex="0" '
        f'aria-label="{safe(t.caption)}">\n'
        f"<table{_id(t.id)}{kind}><caption>{safe(t.caption)}</caption><thead><tr>{''.join(map(_head, t.columns))}"
        f"</tr></thead>\n{rows}</table></div>\n{output}"
    )


def _rows(t: TableBlock, rows: Iterable[TableRow], heads: Sequence[str], *, whole: bool) -> str:
    lines = []
    for row in rows:
        kind = f' data-entry data-kind="{safe(row.kind)}"' if row.kind else ""
        few = ' class="few"' if len(row.cells) == 1 else ""
        lines.append(f"<tr{_id(row.id)}{kind}{few}>{cells(t, row, heads)}</tr>\n")
    head = '<tbody class="whole">' if whole else "<tbody>"
    return f"{head}\n{''.join(lines)}</tbody>\n"


def _head(c: BlockColumn) -> str:
    """A link cannot stand within a button, so a head that is one has its button beside it."""
    title, plain = inline(c.title), words.text_of(c.title)
    if c.sort and "<a " in title:
        html = f'{title} <button type="button" aria-label="Sort by {safe(plain)}"></button>'
    elif c.sort:
        html = f'<button type="button">{title}</button>'
    else:
        html = title if plain else f'{title}<span class="unseen">picture</span>'
    first, kind = f' data-first="{c.sort}"' if c.sort else "", ' class="wide"' if c.minor else ""
    return f'<th scope="col"{first}{kind}>{html}</th>'


def _keys(spoken: SpokenBlock) -> str:
    return " data-entry" + "".join(f' data-{safe(name)}="{safe(value)}"' for name, value in spoken.keys.items())


def _dialogue(spoken: SpokenBlock) -> str:
    lines = []
    for each in spoken.rounds:
        turns = "".join(f'<div class="turn {"subject" if t.own else "other"}">{_turn(t)}</div>' for t in each.turns)
        notes = f'<div class="notes">{"".join(map(_note, each.remarks))}</div>' if each.remarks else ""
        lines.append(
            f'<div class="round{" conflict" if each.marked else ""}"><p class="number">{inline(each.title)}</p>\n'
            f'<div class="turns">{turns}</div>\n{notes}</div>\n'
        )
    loose = f'<div class="loose">{"".join(map(_note, spoken.loose))}</div>\n' if spoken.loose else ""
    return "".join(lines) + loose


def _turn(turn: TurnBlock) -> str:
    text = pre(turn.text, "" if turn.text.strip() else ' class="empty"')
    whole = ""
    if turn.unheard is not None:
        whole = f"<details><summary>all that was said</summary>{pre(turn.unheard)}</details>"
    return f'<p class="speaker">{inline(turn.speaker)}</p>{text}{whole}\n'


def _note(n: JudgeRemark) -> str:
    kind = "open" if n.good is None else "good" if n.good else "bad"
    reason = f"<p>{safe(words.clipped(n.reason, LONGEST))}</p>" if n.reason else ""
    return f'<div class="note {kind}"><p class="speaker">{safe(n.asked)}: <b>{safe(n.found)}</b></p>{reason}</div>'
