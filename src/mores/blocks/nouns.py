"""What reports are made of: frozen values that say what is shown, and nothing of how.

analysis ─▶ section(values) ─▶ Section of blocks ─▶ a page, lines for a terminal, or plain values for programs

Values stay values within blocks: an estimate in a table is an `Estimate`, and `formatting` alone turns it into words.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct, field

from mores.blocks.inline import Cell, Chart, Format, Words
from mores.core.card import Metric
from mores.core.estimate import Scale

Role = Literal["body", "finding", "explanation", "note", "warning", "heading", "subheading"]
"""What a text is for; an explanation says how to read what follows, and a terminal leaves it to the page."""
Where = Literal["both", "page", "terminal"]
"""Which of the two shows a block: a terminal has no room for all."""


class Column(Struct, frozen=True, kw_only=True):
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


Heads = Iterable[Column | Words]
"""The columns of a table; a head alone is one whose values are written as what they are."""


class Row(Struct, frozen=True, kw_only=True):
    """One row; the first cell is its head. `kind` is what readers filter by, `whole` sets it apart at the top.

    A row of one cell alone stands over the rows that follow, such as those of too few units.
    `id` is its anchor.
    """

    cells: tuple[Cell, ...]
    id: str = ""
    kind: str = ""
    whole: bool = False


class Filter(Struct, frozen=True, kw_only=True):
    """What readers can choose among entries: a name, its label, and the values with their words."""

    name: str
    label: str
    choices: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, name: str, label: str, values: Iterable[str]) -> "Filter":
        """A filter whose values are words themselves."""
        return cls(name=name, label=label, choices=tuple((value, value) for value in values))


class Table(Struct, frozen=True, kw_only=True):
    """Rows of values; `id` is needed where it can be filtered."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    id: str = ""
    filters: tuple[Filter, ...] = ()
    search: str = ""
    on: Where = "both"

    @classmethod
    def of(
        cls,
        caption: str,
        columns: Heads,
        rows: Iterable[Row | Iterable[Cell]],
        *,
        id: str = "",  # noqa: A002 - as the field
        on: Where = "both",
    ) -> "Table":
        """A table whose rows may be given as their cells alone."""
        return cls(
            caption=caption,
            columns=tuple(each if isinstance(each, Column) else Column(title=each) for each in columns),
            rows=tuple(each if isinstance(each, Row) else Row(cells=tuple(each)) for each in rows),
            id=id,
            on=on,
        )


class Text(Struct, frozen=True, kw_only=True):
    """A paragraph or a heading, with an anchor where it has an `id`."""

    words: Words
    role: Role = "body"
    id: str = ""
    on: Where = "both"


class Listing(Struct, frozen=True):
    """Sentences, one below the other."""

    items: tuple[Words, ...]
    on: Where = "both"


class Terms(Struct, frozen=True):
    """What something is: names, each with one text or several."""

    pairs: tuple[tuple[Words, tuple[Words, ...]], ...]
    on: Where = "both"


class Turn(Struct, frozen=True, kw_only=True):
    """Words as they were said, and by whom; `own` are the subject's; `unheard` is all that was said of them."""

    speaker: Words
    text: str
    own: bool = False
    unheard: str | None = None


class Remark(Struct, frozen=True, kw_only=True):
    """What a judge found, beside the words that it found it in; None where it is open whether that is good."""

    asked: str
    found: str
    reason: str = ""
    good: bool | None = None


class Round(Struct, frozen=True, kw_only=True):
    """Turns that belong together, with what judges found in them."""

    turns: tuple[Turn, ...]
    remarks: tuple[Remark, ...] = ()
    title: Words = ""
    marked: bool = False


class Spoken(Struct, frozen=True, kw_only=True):
    """One stretch of talk from its heading to its end; `keys` are what readers filter by.

    Plain turns stand below each other; in a dialogue the subject's stand to the right.
    """

    heading: Words
    rounds: tuple[Round, ...]
    keys: dict[str, str] = field(default_factory=dict)
    loose: tuple[Remark, ...] = ()
    dialogue: bool = False
    blocks: "tuple[Block, ...]" = ()


class Scene(Struct, frozen=True, kw_only=True):
    """What several said of one and the same thing, side by side."""

    heading: Words
    spoken: tuple[Spoken, ...]


class Transcript(Struct, frozen=True, kw_only=True):
    """Words asked and answered, which readers can filter; they are shown as words, whatever they hold."""

    id: str
    entries: tuple[Spoken | Scene, ...]
    filters: tuple[Filter, ...] = ()


class Beside(Struct, frozen=True, kw_only=True):
    """Blocks side by side where there is room, such as a chart and its table."""

    blocks: "tuple[Block, ...]"


class Details(Struct, frozen=True, kw_only=True):
    """Blocks that a reader opens; a terminal leaves them to the page."""

    summary: Words
    blocks: "tuple[Block, ...]"
    id: str = ""
    open: bool = False


Weight = Literal["main", "caveat", "further"]
"""What a finding is for: the question that a run was made for, what must be known before it is believed, or more."""


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that an analysis found, in a short plain sentence, and how sure that is.

    `sure` is an interval, a p, or what could have been seen, and by how much more; empty where nothing is uncertain.
    `found` is False where nothing could be told apart; beside a section called `unless` it is not said. Findings stand
    by their weight, those that are found first.
    """

    words: "Words"
    sure: "Words" = ""
    weight: Weight = "further"
    found: bool = True
    unless: str = ""


Block = Text | Listing | Terms | Table | Chart | Details | Transcript | Spoken | Beside


class Section(Struct, frozen=True, kw_only=True):
    """One analysis as it is shown; `id` is its anchor, `lead` what it found in a sentence or several.

    Sections stand by their `order`: below 0 before the benchmarks, which have 0, else after them. `name` is what a list
    of contents says where that is not the title; `data` is the same for programs. `findings` are what a reader is told
    first, and `scale` one on which the benchmarks of this section can be read side by side. A page shows only the title
    and the lead of a `folded` one until a reader opens it.
    """

    id: str
    title: Words
    blocks: tuple[Block, ...]
    name: str = ""
    order: int = 10
    lead: tuple[Words, ...] = ()
    data: object = None
    findings: tuple[Finding, ...] = ()
    scale: Scale | None = None
    folded: bool = True
