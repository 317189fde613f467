"""The ways that people see tables: views become blocks, whatever analysis they are of.

One place says how each kind of column is written for people; `formatting` writes its numbers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from mores.core.card import Metric
from mores.core.estimate import Estimate
from mores.tables import formatting as words
from mores.tables.blocks import (
    Axis,
    Block,
    Cell,
    CellValue,
    Chart,
    Details,
    DifferenceValue,
    Filter,
    Format,
    Paragraph,
    Span,
    Stack,
    Words,
)
from mores.tables.blocks import BlockColumn as Head
from mores.tables.blocks import TableBlock as ShownTable
from mores.tables.blocks import TableRow as ShownRow
from mores.tables.columns import Column, ColumnType, FilledTable, Row, Table, keys_of, row_by_key


class Show(Struct, frozen=True):
    """One column as people see it: a key of the table or of a part, under another head where `title` has one.

    `{family}` in a title is the number of tests in the rows that are shown. `to` is a second key, whose value stands in
    the same cell behind an arrow, or behind what is `between` them. `lead` is what stands first of an evaluation.
    `minor` columns are left out where there is little room; the shares of `shade` ones are the darker the more they
    are; with `picture`, dots with whiskers, or what it makes of a row, stand in a column beside. `target` is where the
    cell of a row leads, empty for nowhere. `write` makes the cell of a row where no kind says it.
    """

    key: str
    title: Words = ""
    to: str = ""
    between: str = " → "
    sort: Literal["", "ascending", "descending"] = ""
    minor: bool = False
    shade: bool = False
    picture: bool | Callable[[Any], Chart] = False
    lead: Literal["benchmark", "model"] = "benchmark"
    format: Format | None = None
    target: Callable[[Any], str] | None = None
    write: Callable[[Any], Cell] | None = None


class View(Struct, frozen=True, kw_only=True):
    """Some rows of a table as people see them; what is shown is a column by its key, or a `Show` that says more.

    Rows that belong to a row of the whole stand in details below it: `inner_rows` by the number of that row, under
    `inner_title`, which names keys of it in braces, with `inner_notes` on how to read them. With `across`, a key whose
    values (or what is written of them) become columns, rows that have all of `shown` in common are one, and `cell` is
    what stands in them, a key; `heads` are the heads of those columns in their order, and values that it does not know
    come last under their names. `absent` is what stands in a pivot where there is no row. `over` is a key whose change
    puts a row of one cell over those that follow, nothing where it is empty. Where rows begin with a group, that of
    everything is set apart. A column of which no row has a value of its own is left out, and of no rows there is no
    view. `notes` say how to read it (on the page), `says` what it comes to; `id` is its anchor. Readers choose among
    rows by the values of the key `by`, with `filters`, and find those with words of what `search` names; rows without a
    value of it are of the whole, and are set apart.
    """

    title: str
    rows: tuple[Row, ...]
    shown: tuple[Show | str, ...] = ()
    inner: tuple[Show | str, ...] = ()
    inner_rows: Mapping[int, tuple[Row, ...]] = field(default_factory=dict)
    inner_title: str = ""
    inner_notes: tuple[Words, ...] = ()
    across: str | Show = ""
    cell: str | Show = ""
    heads: Mapping[Any, Words] = field(default_factory=dict)
    over: str | Show = ""
    on: Literal["both", "page", "terminal"] = "both"
    id: str = ""
    by: str = ""
    filters: tuple[Filter, ...] = ()
    search: str = ""
    absent: Cell = None
    notes: tuple[Words, ...] = ()
    says: tuple[Words, ...] = ()


class _Way(NamedTuple):
    """Writing of a kind: the format where a whole column has it, and the cell."""

    format: Format | None
    cell: Callable[[Any, Metric | None], Cell]


def _plain(value: Any, _: Metric | None) -> Cell:
    cell: Cell = value
    return cell


def _figure(value: Any, metric: Metric | None) -> Cell:
    return CellValue(value, metric=metric)


def _score(value: Any, metric: Metric | None) -> Cell:
    return CellValue(value, "share", metric)


def _size(value: Any, metric: Metric | None) -> Cell:
    return CellValue(value, "size", metric)


_KINDS: dict[ColumnType, _Way] = {
    "evaluation": _Way(None, lambda result, _: _evaluation(result, "benchmark")),
    "model": _Way(None, lambda label, _: Span(label, "model")),
    "benchmark": _Way(None, lambda name, _: Span(name, "code")),
    "text": _Way(None, _plain),
    "metric": _Way(None, lambda metric, _: metric.head),
    "group": _Way(None, _plain),
    "estimate": _Way(None, _figure),
    "contrast": _Way(None, _figure),
    "change": _Way(None, _figure),
    "size": _Way("size", _size),
    "score": _Way("share", _score),
    "number": _Way("decimal", _plain),
    "share": _Way("share", _plain),
    "count": _Way("count", _plain),
    "p": _Way("p", _plain),
    "flag": _Way(None, lambda flag, _: "yes" if flag else "no"),
    "ratio": _Way(None, lambda pair, _: f"{pair[0]:,} of {pair[1]:,}"),
    "rough": _Way(None, lambda pair, _: words.format_rough(*pair)),
    "names": _Way(None, lambda names, _: ", ".join(names)),
    "reason": _Way(None, lambda missing, _: CellValue(missing, "why")),
    "words": _Way(None, _plain),
    "reliability": _Way(None, lambda found, _: words.format_reliability(found)),
}
_PARTS: dict[str, tuple[str, _Way]] = {
    "run": ("Run", _KINDS["text"]),
    "model": ("Model", _KINDS["model"]),
    "benchmark": ("Benchmark", _KINDS["benchmark"]),
    "simulated": ("Simulated", _KINDS["flag"]),
    "a": ("", _KINDS["score"]),
    "b": ("", _KINDS["score"]),
    "p": ("p", _KINDS["p"]),
    "p_holm": ("p (Holm{family})", _KINDS["p"]),
    "p_bh": ("p (BH{family})", _KINDS["p"]),
    "units": ("n", _KINDS["count"]),
    "clusters": ("Clusters", _KINDS["count"]),
    "asked": ("Asked", _KINDS["count"]),
    "graded": ("n", _KINDS["count"]),
    "minimum_detectable": ("MDE, points", _KINDS["size"]),
    "why": ("Why", _KINDS["text"]),
}
"""Heads of parts, and how these are written."""
_ABSENT: Mapping[ColumnType, Cell] = {
    "names": "", "ratio": "", "text": "", "words": "", "contrast": words.DASH, "group": "Everything"
}  # fmt: skip
"""Cell of a missing value where that is no dash of the column's format."""


def _evaluation(result: Any, lead: str) -> Cell:
    lines = (Span(result.benchmark, "code"), words.subject_of(result))
    return Stack(lines if lead == "benchmark" else lines[::-1])


def _leading(cell: Cell, target: str, format_: Format | None) -> Cell:
    """A cell that leads somewhere."""
    match cell:
        case Span() | CellValue():
            return replace(cell, target=target)
        case str() if format_ is None:
            return Span(cell, "link", target=target)
        case str() | int() | float():
            return CellValue(cell, format_, target=target)
        case _:
            return cell


def _itself(value: Any) -> Any:
    return value


class _Seen(NamedTuple):
    """A column of a table, or a part of one, as a view shows it."""

    table: Table
    column: Column
    at: int
    part: str
    read: Callable[[Any], Any]
    way: _Way
    show: Show
    other: "_Seen | None"

    @classmethod
    def of(cls, table: Table, shown: Show | str) -> "_Seen":
        """The column or part that a view shows.

        Raises:
            KeyError: the table has no such key.
        """
        show = Show(shown) if isinstance(shown, str) else shown
        other = cls.of(table, Show(show.to, format=show.format)) if show.to else None
        for at, column in enumerate(table.columns):
            if show.key == column.key:
                return cls(table, column, at, "", _itself, _KINDS[column.kind], show, other)
            for key, part in keys_of(column):
                if key == show.key:
                    return cls(table, column, at, part.name, part.read, _PARTS[part.name][1], show, other)
        raise KeyError(f"Table {table.id!r} has no key {show.key!r}.")

    @property
    def format(self) -> Format | None:
        """Format of a whole column of values."""
        return self.show.format or ("place" if self.column.of in {"place", "nationality"} else self.way.format)

    def metric(self, row: Row) -> Metric | None:
        """Metric by which the row's figures are written."""
        if self.column.metric is not None or self.table.metric_at is None:
            return self.column.metric
        metric: Metric | None = row[self.table.metric_at]
        return metric

    def value(self, row: Row) -> Any:
        """The value behind a cell."""
        whole = row[self.at]
        return None if whole is None else self.read(whole)

    def cell(self, row: Row) -> Cell:
        """The cell for people, a link where it leads anywhere."""
        target = self.show.target(row) if self.show.target is not None else ""
        return _leading(self._cell(row), target, self.format) if target else self._cell(row)

    def _cell(self, row: Row) -> Cell:
        if self.show.write is not None:
            return self.show.write(row)
        value = self.value(row)
        if value is None:
            return self._absent(row)
        match self.column.kind:
            case "evaluation" if not self.part:
                return _evaluation(value, self.show.lead)
            case "evaluation" | "model" if self.part in {"", "model"}:
                return words.subject(value, simulated=self._simulated(row))
            case "estimate" | "contrast" | "change" if not self.part:
                return CellValue(value, self.show.format, self.metric(row))
            case "score":
                return CellValue(value, self.format, self.metric(row))
            case "group" if self.format is None:
                return words.group_name(self._kind(row), value)
            case _:
                return self.way.cell(value, self.metric(row))

    def _kind(self, row: Row) -> str:
        """Of what kind a group is: the same in all rows, or as another column says."""
        kinds = (row[at] or "" for at, column in enumerate(self.table.columns) if column.key == self.column.of)
        return next(kinds, self.column.of)

    def _absent(self, row: Row) -> Cell:
        """Cell of a value that is not there."""
        if self.part == "minimum_detectable" and words.is_out_of_reach(row[self.at]):
            return words.NOT_REACHABLE
        return None if self.part else _ABSENT.get(self.column.kind)

    def _simulated(self, row: Row) -> bool:
        if self.column.kind == "evaluation":
            return bool(row[self.at].simulated)
        flags = (row[at] for at, column in enumerate(self.table.columns) if column.key == "simulated")
        return bool(next(flags, False))

    def text(self, row: Row) -> str:
        """The cell as words, to stand with another in one."""
        return words.text_of(self.cell(row), self.format, self.metric(row))

    def cells(self, row: Row) -> Iterator[Cell]:
        """The cell, the other value behind an arrow, and the picture of it where one is asked for."""
        if self.other is None:
            yield self.cell(row)
        elif self.value(row) is None and self.other.value(row) is None:
            yield words.DASH
        else:
            yield f"{self.text(row)}{self.show.between}{self.other.text(row)}"
        if callable(self.show.picture):
            yield self.show.picture(row)
        elif self.show.picture:
            yield dots(self.value(row), self.metric(row))

    def heads(self, rows: Sequence[Row]) -> Iterator[Head]:
        """The head; that of corrected p-values says how many tests are shown."""
        title = self.show.title or (_PARTS[self.part][0] if self.part else "") or self.column.head
        if isinstance(title, str) and "{family}" in title:
            family = max((row[self.at].family for row in rows if row[self.at] is not None), default=0)
            title = title.replace("{family}", f", {family}" if family else "")
        figure = self.column.kind in {"estimate", "contrast", "change"} and not self.part
        yield Head(
            title=title,
            format=None if figure else self.format,
            metric=self.column.metric,
            sort=self.show.sort,
            minor=self.show.minor,
            shade=self.show.shade,
        )
        if self.show.picture:
            yield Head(title=self._scale)

    @property
    def _scale(self) -> Words:
        """The head over pictures: the ends of the scale where all are of shares."""
        dotted = self.show.picture is True and self.column.kind == "estimate"
        shares = self.column.metric is None and self.table.metric_at is None
        return Chart.scale("0", "50", "100%") if dotted and shares else ""

    def is_whole(self, row: Row) -> bool:
        """True of the row of everything, where groups begin the rows."""
        return self.column.kind == "group" and row[self.at] is None

    def is_empty(self, rows: Sequence[Row]) -> bool:
        """True where no row has a value of its own, nor a reason; the group of everything is one."""
        if self.part == "why":
            return all(self.value(row) is None for row in rows)
        return self.column.kind != "group" and all(row[self.at] is None for row in rows)


def dots(figure: Estimate | DifferenceValue | None, metric: Metric | None) -> Chart | None:
    """A figure or a difference as a dot with whiskers: the first on its metric's range, the second around none."""
    if figure is None or isinstance(figure, Estimate):
        return None if figure is None else Chart.interval(figure, Axis.of(metric))
    reach = metric.high - metric.low if metric else 1.0
    units = getattr(figure, "units", 0)
    drawn = Estimate(
        metric="", value=figure.difference, low=figure.low, high=figure.high, asked=units, graded=units,
        missing=figure.missing,
    )  # fmt: skip
    return Chart.interval(drawn, Axis(low=-reach, high=reach, mark=0.0, share=reach == 1.0))


def blocks_of(filled: FilledTable, view: View) -> Iterator[Block]:
    """Some rows as people see them, with what belongs to each of them, and how to read it; nothing of no rows.

    Raises:
        ValueError: a row of the view is none of the table's.
    """
    # By identity: an equal row that was made elsewhere is not one that the table has for programs.
    of = {id(row) for row in filled.rows}
    strange = [row for rows in (view.rows, *view.inner_rows.values()) for row in rows if id(row) not in of]
    if strange:
        raise ValueError(f"The view {view.title!r} has {len(strange)} rows that table {filled.table.id!r} has not.")
    if not view.rows:
        return
    yield _across(filled.table, view) if view.across else _shown(filled.table, view, view.rows, view.shown)
    yield from (Paragraph(text, "explanation", on=view.on) for text in view.notes)
    yield from (Paragraph(text, "finding", on=view.on) for text in view.says)
    yield from (_inner(filled.table, view, number) for number in view.inner_rows)


def as_it_is(filled: FilledTable) -> View:
    """A table of which nobody says how it is seen: all columns, p and n beside a contrast, dots for the main one."""
    shows = []
    for column in filled.table.columns:
        if column.kind == "metric" or column.key == "simulated":
            continue
        shows.append(Show(column.key, picture=column.main))
        if column.kind == "contrast":
            prefix = "" if column.main else f"{column.key}_"
            shows += [Show(f"{prefix}p_holm", sort="ascending"), Show(f"{prefix}units")]
    return View(title=filled.table.title, rows=filled.rows, shown=tuple(shows))


def _shown(table: Table, view: View, rows: Sequence[Row], shown: Sequence[Show | str], title: str = "") -> ShownTable:
    """Rows under the heads that have any value."""
    every = [_Seen.of(table, show) for show in shown]
    seen = [each for each in every if each.show.write is not None or not each.is_empty(rows)]
    heads = [head for each in seen for head in each.heads(rows)]
    cells = ((row, [cell for each in seen for cell in each.cells(row)]) for row in rows)
    return _table(view, heads, _lines(table, view, seen[0], cells), title)


def _table(view: View, heads: Sequence[Head], rows: Iterator[ShownRow], title: str = "") -> ShownTable:
    """The table of a view; details below it have their own title, and no anchor."""
    return ShownTable(
        caption=title or view.title,
        columns=tuple(heads),
        rows=tuple(rows),
        id="" if title else view.id,
        filters=() if title else view.filters,
        search="" if title else view.search,
        on=view.on,
    )


def _lines(table: Table, view: View, first: _Seen, rows: Iterable[tuple[Row, Sequence[Cell]]]) -> Iterator[ShownRow]:
    """The cells of rows, those of each value of `over` under it; without a value of `by` a row is of the whole."""
    head, by = (_Seen.of(table, show) if show else None for show in (view.over, view.by))
    before = ""
    for row, cells in rows:
        if head is not None and (value := head.text(row)) != before:
            before = value
            yield from [ShownRow(cells=(value,))] if value else []
        kind = "" if by is None else by.value(row) or ""
        yield ShownRow(cells=tuple(cells), kind=kind, whole=first.is_whole(row) if by is None else not kind)


class _CellTexts:
    """The words of a column's cells, each cell put into words once; cells are kept, so that none has another's id."""

    def __init__(self, seen: _Seen) -> None:
        self._seen = seen
        self._texts: dict[int, tuple[Cell, str]] = {}

    def text(self, row: Row) -> str:
        """The cell as words."""
        cell = self._seen.cell(row)
        if id(cell) not in self._texts:
            self._texts[id(cell)] = cell, words.text_of(cell, self._seen.format, self._seen.metric(row))
        return self._texts[id(cell)][1]


def _across(table: Table, view: View) -> ShownTable:
    """A row what `shown` tells apart, a column a value of `across`."""
    stubs = [_Seen.of(table, show) for show in view.shown]
    across, inside = _Seen.of(table, view.across), _Seen.of(table, view.cell)
    found: dict[tuple[Any, ...], dict[Any, Row]] = {}
    texts = [_CellTexts(each) for each in stubs]
    parts = dict(keys_of(across.column))
    read = parts.get(across.show.key, next(iter(parts.values()))).read
    for row in view.rows:
        value = None if row[across.at] is None else read(row[across.at])
        name = across.text(row) if across.show.write is not None else value
        found.setdefault(tuple(each.text(row) for each in texts), {})[name] = row
    names = dict.fromkeys(name for own in found.values() for name in own)
    order = [*(name for name in view.heads if name in names), *(name for name in names if name not in view.heads)]
    heads = [head for each in stubs for head in each.heads(view.rows)]
    titles = (view.heads.get(name) or _head(across, name) for name in order)
    sort, shade = inside.show.sort, inside.show.shade
    heads += [Head(title=title, format=inside.format, sort=sort, shade=shade) for title in titles]
    lines = (
        (
            first := next(iter(own.values())),
            (
                *(cell for each in stubs for cell in each.cells(first)),
                *(inside.cell(own[name]) if name in own else view.absent for name in order),
            ),
        )
        for own in found.values()
    )
    return _table(view, heads, _lines(table, view, stubs[0], lines))


def _head(across: _Seen, name: str) -> Words:
    """A value of a pivot as the head of a column: a model's label is one."""
    return Span(name, "model") if "model" in {across.part, across.column.kind} else str(name)


def _inner(table: Table, view: View, number: int) -> Details:
    title = view.inner_title.format(**row_by_key(table, view.rows[number]))
    notes = (Paragraph(text) for text in view.inner_notes)
    return Details(summary=title, blocks=(_shown(table, view, view.inner_rows[number], view.inner, title), *notes))
