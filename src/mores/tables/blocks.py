"""Blocks of reports: frozen values that say what is shown, and nothing of how.

analysis ─▶ section(values) ─▶ Section of blocks ─▶ a page, lines for a terminal, or plain values for programs

Values stay values within blocks: an estimate in a table is an `Estimate`, and `formatting` alone turns it into words.
"""

from collections.abc import Iterable
from typing import Literal, Protocol

from msgspec import Struct, field

from mores.core.card import Metric
from mores.core.estimate import Caution, CommonScale, Estimate, Missing

Style = Literal[
    "plain", "model", "code", "strong", "soft", "tag", "warning", "alarm", "link", "source", "interval", "missing",
    "narrow", "band",
]  # fmt: skip
"""Style of a stretch of words: a model's name, code, what matters, what stands back, a tag, one that warns …

`narrow` words stand only where there is no room for the minor columns that say the same; a judge `band` has a line of
its own in a cell.
"""
Format = Literal[
    "figure", "share", "heat", "count", "points", "decimal", "mean", "correlation", "signed", "size", "p", "place",
    "full_p", "ends", "why",
]  # fmt: skip
"""Format by which `formatting` writes a value; a share is written in the points of its metric, where that is none.

Heat is a figure's number alone, where a shade says how much it is; its interval and n are said beside. A signed figure
is a difference, a size one without its sign. `full_p` is a p-value with its letter, `ends` an interval alone, `why` the
reason for what is missing.
"""
ChartKind = Literal[
    "interval", "scale", "plane", "square", "curves", "climbs", "stair", "stack", "squares", "key", "risk",
    "reliability", "world", "boxes",
]  # fmt: skip


class Span(Struct, frozen=True):
    """A stretch of words; `target` is what a link leads to, `title` what is said of it beside, such as a reason.

    `several` is what it reads where a finding is told of several models: `give` of `gives`, or words without a number
    that is said of each beside.
    """

    text: str
    style: Style = "plain"
    target: str = ""
    title: str = ""
    several: str = ""


class DifferenceValue(Protocol):
    """A paired difference as far as it is shown: its size, its ends, or why it has none."""

    @property
    def difference(self) -> float | None:
        """The size, in the points of its metric (0–1 for shares)."""

    @property
    def low(self) -> float | None:
        """The lower end."""

    @property
    def high(self) -> float | None:
        """The upper end."""

    @property
    def missing(self) -> Missing | None:
        """Reason for a missing interval."""


class DifferenceCell(Struct, frozen=True, kw_only=True):
    """A paired difference as it is shown, of what has it in another shape."""

    difference: float | None
    low: float | None
    high: float | None
    missing: Missing | None
    caution: Caution | None = None


class CellValue(Struct, frozen=True):
    """A value among words or in a cell of another kind than its column: what it is, and how it is written.

    `target` is what its link leads to, such as the units behind a figure.
    """

    value: "PlainCell"
    format: Format | None = None
    metric: Metric | None = None
    target: str = ""


class Axis(Struct, frozen=True, kw_only=True):
    """One direction of a chart: its ends, where guessing stands, what it is, and names of places along it.

    `marks` are where a stated respondent stands at each place along the other direction, None where nobody knows.
    """

    low: float = 0.0
    high: float = 1.0
    title: str = ""
    labels: tuple[str, ...] = ()
    mark: float | None = None
    marks: tuple[float | None, ...] = ()
    share: bool = True

    @classmethod
    def of(cls, metric: Metric | None, mark: float | None = None) -> "Axis":
        """The whole range of a metric; that of shares where no card says."""
        if metric is None:
            return cls(mark=mark)
        return cls(low=metric.low, high=metric.high, mark=mark, share=(metric.low, metric.high) == (0.0, 1.0))

    @property
    def metric(self) -> Metric | None:
        """Metric by which values on it are written: None for shares."""
        return None if self.share else Metric(name="", unit="", says="", low=self.low, high=self.high)


class ChartPoint(Struct, frozen=True, kw_only=True):
    """One point of a chart: how far up, how far to the right where that is a figure too, and its label.

    `marked` sets it apart: on a front, or where a line falls. `name` is what it is in words where the label is short:
    a number, a code, or the kind of a colour.
    """

    y: Estimate | None
    x: Estimate | None = None
    label: str = ""
    marked: bool = False
    name: str = ""


class Series(Struct, frozen=True, kw_only=True):
    """Points that belong together; `marked` series are drawn apart from the others."""

    points: tuple[ChartPoint, ...]
    name: str = ""
    marked: bool = False


class Chart(Struct, frozen=True, kw_only=True):
    """A picture; a table beside it says the same. Small kinds stand in cells, where the cell's text does.

    `title` is what it shows, for those who do not see it and as its caption.
    """

    kind: ChartKind
    title: "Words" = ""
    series: tuple[Series, ...] = ()
    axes: tuple[Axis, ...] = ()

    @classmethod
    def interval(cls, figure: Estimate | None, axis: Axis) -> "Chart":
        """One figure as a dot with whiskers on a scale, for a cell."""
        return cls(kind="interval", series=(Series(points=(ChartPoint(y=figure),)),), axes=(axis,))

    @classmethod
    def scale(cls, *labels: str) -> "Chart":
        """The ends of such a scale, for the head above."""
        return cls(kind="scale", axes=(Axis(labels=labels),))

    @classmethod
    def key(cls, colour: str) -> "Chart":
        """The colour of something in a chart beside."""
        return cls(kind="key", series=(Series(points=(), name=colour),))


Inline = str | Span | CellValue | Chart
Words = Inline | tuple[Inline, ...]
"""Words, in which values and small charts may stand."""


class Stack(Struct, frozen=True):
    """Several lines in one cell."""

    lines: tuple[Words, ...]


class Quoted(Struct, frozen=True):
    """Words of models or data in a cell, which a reader opens; a terminal leaves them to the page."""

    text: str


PlainCell = Estimate | DifferenceValue | Missing | float | str | None
"""A value before it is written."""
Cell = PlainCell | Words | Stack | Quoted
TextRole = Literal["body", "finding", "explanation", "note", "warning", "heading", "subheading"]
"""Purpose of a text; an explanation says how to read what follows, and a terminal leaves it to the page."""
Where = Literal["both", "page", "terminal"]
"""Medium that shows a block: a terminal has no room for all."""


class BlockColumn(Struct, frozen=True, kw_only=True):
    """One column: its head, how its values are written, and whether readers sort by it, and from which end first.

    `minor` columns are left out where there is little room: what they say stands elsewhere in the row too. The
    shares of `shade` columns are drawn the darker the more they are.
    """

    title: Words
    format: Format | None = None
    metric: Metric | None = None
    sort: Literal["", "ascending", "descending"] = ""
    minor: bool = False
    shade: bool = False


Heads = Iterable[BlockColumn | Words]
"""The columns of a table; a head alone is one whose values are written as what they are."""


class TableRow(Struct, frozen=True, kw_only=True):
    """One row; the first cell is its head. `kind` is what readers filter by, `whole` sets it apart at the top.

    A row of one cell alone stands over the rows that follow, such as those of too few units.
    `id` is its anchor.
    """

    cells: tuple[Cell, ...]
    id: str = ""
    kind: str = ""
    whole: bool = False


class Filter(Struct, frozen=True, kw_only=True):
    """Filter of entries: a name, its label, and the values with their words."""

    name: str
    label: str
    choices: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, name: str, label: str, values: Iterable[str]) -> "Filter":
        """A filter whose values are words themselves."""
        return cls(name=name, label=label, choices=tuple((value, value) for value in values))


class TableBlock(Struct, frozen=True, kw_only=True):
    """Rows of values; `id` is needed where it can be filtered."""

    caption: str
    columns: tuple[BlockColumn, ...]
    rows: tuple[TableRow, ...]
    id: str = ""
    filters: tuple[Filter, ...] = ()
    search: str = ""
    on: Where = "both"

    @classmethod
    def of(
        cls,
        caption: str,
        columns: Heads,
        rows: Iterable[TableRow | Iterable[Cell]],
        *,
        id: str = "",  # noqa: A002 - as the field
        on: Where = "both",
    ) -> "TableBlock":
        """A table whose rows may be given as their cells alone."""
        return cls(
            caption=caption,
            columns=tuple(each if isinstance(each, BlockColumn) else BlockColumn(title=each) for each in columns),
            rows=tuple(each if isinstance(each, TableRow) else TableRow(cells=tuple(each)) for each in rows),
            id=id,
            on=on,
        )


class Paragraph(Struct, frozen=True):
    """A paragraph or a heading, with an anchor where it has an `id`."""

    words: Words
    role: TextRole = "body"
    id: str = ""
    on: Where = "both"


class BulletList(Struct, frozen=True):
    """Sentences, one below the other."""

    items: tuple[Words, ...]
    on: Where = "both"


class DefinitionList(Struct, frozen=True):
    """Definitions: names, each with one text or several."""

    pairs: tuple[tuple[Words, tuple[Words, ...]], ...]
    on: Where = "both"


class TurnBlock(Struct, frozen=True, kw_only=True):
    """Words as they were said, and by whom; `own` are the subject's; `unheard` is all that was said of them."""

    speaker: Words
    text: str
    own: bool = False
    unheard: str | None = None


class JudgeRemark(Struct, frozen=True, kw_only=True):
    """Finding of a judge beside the words that it is about; `good` is None where that is open."""

    asked: str
    found: str
    reason: str = ""
    good: bool | None = None


class Round(Struct, frozen=True, kw_only=True):
    """Turns that belong together, with what judges found in them."""

    turns: tuple[TurnBlock, ...]
    remarks: tuple[JudgeRemark, ...] = ()
    title: Words = ""
    marked: bool = False


class SpokenBlock(Struct, frozen=True, kw_only=True):
    """One stretch of talk from its heading to its end; `keys` are what readers filter by.

    Plain turns stand below each other; in a dialogue the subject's stand to the right.
    """

    heading: Words
    rounds: tuple[Round, ...]
    keys: dict[str, str] = field(default_factory=dict)
    loose: tuple[JudgeRemark, ...] = ()
    dialogue: bool = False
    blocks: "tuple[Block, ...]" = ()


class ComparedTurns(Struct, frozen=True, kw_only=True):
    """Turns of several speakers on one and the same thing, side by side."""

    heading: Words
    spoken: tuple[SpokenBlock, ...]


class TranscriptBlock(Struct, frozen=True, kw_only=True):
    """Words asked and answered, which readers can filter; they are shown as words, whatever they hold."""

    id: str
    entries: tuple[SpokenBlock | ComparedTurns, ...]
    filters: tuple[Filter, ...] = ()


class SideBySide(Struct, frozen=True, kw_only=True):
    """Blocks side by side where there is room, such as a chart and its table."""

    blocks: "tuple[Block, ...]"


class Details(Struct, frozen=True, kw_only=True):
    """Blocks that a reader opens; a terminal leaves them to the page."""

    summary: Words
    blocks: "tuple[Block, ...]"
    id: str = ""
    open: bool = False


Weight = Literal["doubtful", "differs", "breaks", "further"]
"""Weight of a finding, in the order in which findings are told: what makes figures doubtful and stands before them,
what differs, what breaks, and the rest.
"""


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that an analysis found, in a short plain sentence, and how sure that is.

    `sure` is an interval, a p, or what could have been seen, and by how much more; empty where nothing is uncertain.
    `found` is False where nothing could be told apart; beside a section called `unless` it is not said. Findings stand
    by their weight, those that are found first. Those of one `id` that differ in their model alone are told as one, but
    for those that begin with it and have no verb with a plural (`Span.several`).
    """

    words: "Words"
    sure: "Words" = ""
    weight: Weight = "further"
    found: bool = True
    unless: str = ""
    id: str = ""


Block = (
    Paragraph | BulletList | DefinitionList | TableBlock | Chart | Details | TranscriptBlock | SpokenBlock | SideBySide
)


class Section(Struct, frozen=True, kw_only=True):
    """One analysis as it is shown; `id` is its anchor, `lead` what it found in a sentence or several.

    Sections stand by their `order`: below 0 before the benchmarks, which have 0, else after them. `data` is the same
    for programs. `findings` are what a reader is told first, and `scale` one on which the benchmarks of this section
    can be read side by side. A page shows only the title and the lead of a `folded` one until a reader opens it.
    """

    id: str
    title: Words
    blocks: tuple[Block, ...]
    order: int = 10
    lead: tuple[Words, ...] = ()
    data: object = None
    findings: tuple[Finding, ...] = ()
    scale: CommonScale | None = None
    folded: bool = True
