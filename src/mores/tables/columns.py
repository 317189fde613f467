"""Tables of analyses: columns of kinds, and the plain values that each kind comes to for programs.

A table is long: a row a thing that is said, its groups in columns. The keys of its columns are the only names that
programs know, in JSON, CSV, Parquet and frames alike.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isfinite
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from mores.core.card import Metric
from mores.core.estimate import caution_of, judge_band_of
from mores.tables.formatting import text_of
from mores.tables.missing_texts import format_caution, format_missing

ColumnType = Literal[
    "evaluation", "model", "benchmark", "text", "metric", "group", "estimate", "contrast", "change", "size", "score",
    "number", "share", "count", "p", "flag", "ratio", "rough", "names", "reason", "reliability",
    "words",
]  # fmt: skip
"""Kind of a column's values: `PARTS` says which keys each kind comes to, and `views` how it is written for people.

A change and a size are differences of which no more is known than their ends, the second without a sign; a score is a
number in the points of its metric.
"""
Row = tuple[Any, ...]
"""A value a column, None where it is missing: by kind a Result, Metric, Estimate, Contrast, text, words, number …"""


class Column(Struct, frozen=True):
    """One column: its key, kind and meaning; its head is its title, by default the key in words.

    Parts of a value have keys of their own (low, high, p_holm …): bare where the column is the table's `main` one, else
    after its key. `ends` are the keys of the two scores of a contrast (B, then A); `of` is the kind of a group's
    members (place, region …), or the key of a column that says it row by row. `metric` is what figures are written by
    where all rows have one; else a column of metrics says it.
    """

    key: str
    kind: ColumnType
    says: str = ""
    title: str = ""
    main: bool = False
    ends: tuple[str, str] | None = None
    of: str = ""
    metric: Metric | None = None

    @property
    def head(self) -> str:
        """The words above it."""
        return self.title or self.key.replace("_", " ").capitalize()


EVALUATION = Column("evaluation", "evaluation", title="Benchmark")
SUBJECT = Column("evaluation", "evaluation", title="Model")
BENCHMARK = Column("benchmark", "benchmark", "what was run")
MODEL = Column("model", "model", title="Model")
SIMULATED = Column("simulated", "flag", "true where answers or judges were simulated")
METRIC = Column("metric", "metric", "the headline")
"""Columns that many tables have alike."""


def columns_of(kind: ColumnType, **says: str) -> tuple[Column, ...]:
    """Columns of one kind by their keys, with what each of them says; their heads are the keys in words."""
    return tuple(Column(key, kind, meaning, title=key.replace("_", " ")) for key, meaning in says.items())


Flat = Literal["text", "integer", "number", "flag", "names"]
"""The type of a plain value; names are several texts."""


class CellPart(NamedTuple):
    """One plain value of a cell: its name (empty for the cell's own), its type, and how it is read from the value."""

    name: str
    type: Flat
    read: Callable[[Any], Any]


def _field(name: str, type_: Flat = "number", of: str = "") -> CellPart:
    return CellPart(name, type_, lambda value: getattr(value, of or name))


def _itself(type_: Flat) -> tuple[CellPart, ...]:
    return (CellPart("", type_, lambda value: value),)


def _known(name: str, type_: Flat = "number", of: str = "") -> CellPart:
    """A part that not every noun of its kind has."""
    return CellPart(name, type_, lambda value: getattr(value, of or name, None))


def _caution(figure: Any) -> str | None:
    caution = caution_of(figure)
    return format_caution(caution) if caution else None


def _judge_end(name: str) -> CellPart:
    """One end of a figure's judge band."""
    return CellPart(f"judge_{name}", "number", lambda figure: getattr(judge_band_of(figure), name, None))


def _undetectable(figure: Any) -> str | None:
    return format_missing(getattr(figure, "undetectable", None)) or None


_WHY = CellPart("why", "text", lambda value: format_missing(value.missing) or None)
_DIFFERENCE = (
    _field("", of="difference"),
    *map(_field, ("low", "high")),
    _WHY,
    CellPart("caution", "text", _caution),
)
PARTS: dict[ColumnType, tuple[CellPart, ...]] = {
    "text": _itself("text"),
    "group": _itself("text"),
    "model": _itself("text"),
    "benchmark": _itself("text"),
    "score": _itself("number"),
    "number": _itself("number"),
    "share": _itself("number"),
    "p": _itself("number"),
    "count": _itself("integer"),
    "flag": _itself("flag"),
    "names": (CellPart("", "names", list),),
    "evaluation": (
        CellPart("run", "text", lambda result: str(result.run)),
        _field("model", "text", "label"),
        _field("benchmark", "text"),
        _field("simulated", "flag"),
    ),
    "metric": (CellPart("", "text", lambda metric: metric.name),),
    "ratio": (CellPart("", "integer", lambda pair: pair[0]), CellPart("of", "integer", lambda pair: pair[1])),
    "rough": (CellPart("", "number", lambda pair: pair[0]), CellPart("estimated", "flag", lambda pair: pair[1])),
    "reason": (CellPart("", "text", lambda missing: format_missing(missing) or None),),
    "words": (CellPart("", "text", text_of),),
    "reliability": (
        _field("", of="value"),
        *map(_field, ("low", "high")),
        *(_field(name, "integer") for name in ("groups", "units", "clusters", "needed", "needed_least")),
        _WHY,
    ),
    "estimate": (
        _field("", of="value"),
        *map(_field, ("low", "high")),
        *map(_judge_end, ("low", "high")),
        _field("asked", "integer"),
        _field("graded", "integer"),
        *map(_field, ("worst", "best")),
        _known("method", "text"),
        _WHY,
        CellPart("caution", "text", _caution),
    ),
    "contrast": (
        _field("", of="difference"),
        *map(_field, ("low", "high", "p")),
        _field("p_holm", of="p_adjusted"),
        _field("minimum_detectable"),
        CellPart("minimum_detectable_why", "text", _undetectable),
        _field("units", "integer"),
        _field("clusters", "integer"),
        _known("p_worse", of="p_lower"),
        _known("p_bh"),
        _known("tests", "integer", "family"),
        *(_known(name, "text") for name in ("test", "method")),
        _known("minimum_detectable_true"),
        _known("units_needed", "integer"),
        _WHY,
        CellPart("caution", "text", _caution),
    ),
    "change": _DIFFERENCE,
    "size": _DIFFERENCE,
}
"""Parts of each kind; nothing else says so."""
ENDS = (_field("b"), _field("a"))
"""The two scores of a contrast."""
SAYS = {
    "run": "folder of the run", "model": "the subject, by its label", "benchmark": "what was run",
    "simulated": "true where answers or judges were simulated",
    "low": "lower end of the 95% interval", "high": "upper end of it",
    "judge_low": "lower end of its judge band, without sampling; missing where nobody judged",
    "judge_high": "upper end of it",
    "p": "two-sided p-value, uncorrected", "p_holm": "p after Holm's correction for its family",
    "units": "units that it rests on: of a difference those graded in both", "asked": "units asked",
    "clusters": "independent clusters of them", "graded": "units graded",
    "minimum_detectable": "least difference that power .8 would show",
    "minimum_detectable_why": "reason for a missing one: not known, or beyond half of the metric's range",
    "why": "reason for a missing figure or interval", "worst": "the figure if all ungraded were wrong",
    "best": "the figure if all ungraded were right", "of": "of how many", "estimated": "true where it is estimated",
    "caution": "what has to be known of the answers behind the figure", "a": "the score that is taken away",
    "b": "the score that it is taken from",
    "groups": "groups that are put in order",
    "needed": "units that each would need for a reliability of .8", "needed_least": "the least that it may be",
    "p_worse": "one-sided p-value, small where the difference is below 0",
    "p_bh": "p after Benjamini and Hochberg's correction for the same family: for screening, not for claims",
    "tests": "number of tests in it",
    "test": "what p is of", "method": "what the interval is of",
    "minimum_detectable_true": "the same before the errors of a judge of known quality",
    "units_needed": "units that would show the difference measured; missing where these are enough",
}  # fmt: skip
"""Meanings of parts, the same in every table."""


def keys_of(column: Column) -> Iterator[tuple[str, CellPart]]:
    """The keys of a column with what each reads, the two scores of a contrast first."""
    if column.ends is not None:
        yield from zip(column.ends, ENDS, strict=True)
    bare = column.main or column.kind == "evaluation"
    for part in PARTS[column.kind]:
        yield part.name if bare and part.name else "_".join(filter(None, (column.key, part.name))), part


class Table(Struct, frozen=True, kw_only=True):
    """The columns of a table, the same whatever a run holds: docs/tables.md and the types of empty frames are of them.

    Raises:
        ValueError: a column is of no kind or has no meaning, or two values of a row would have one key.
    """

    id: str
    title: str
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        for column in self.columns:
            if column.kind not in PARTS:
                raise ValueError(
                    f"Table {self.id!r}, column {column.key!r}: no kind is called {column.kind!r}; known are "
                    f"{', '.join(PARTS)}."
                )
            if not column.says and not column.title:
                raise ValueError(f"Table {self.id!r}, column {column.key!r}: no meaning; expected `says` or a title.")
        every = [key for column in self.columns for key, _ in keys_of(column)]
        if twice := sorted({key for key in every if every.count(key) > 1}):
            raise ValueError(f"Table {self.id!r} has {twice} twice; expected `main` on one column at most.")

    @classmethod
    def of(cls, id: str, title: str, *columns: Column) -> "Table":  # noqa: A002 - as the field
        """A table by its columns, in their order."""
        return cls(id=id, title=title, columns=columns)

    def filled(self, rows: Iterable[Row]) -> "FilledTable":
        """The table with these rows."""
        return FilledTable(table=self, rows=tuple(rows))

    def getter(self, *keys: str) -> Callable[[Row], Any]:
        """Function that reads the values of some columns from a row: one alone, or several as a tuple.

        Raises:
            ValueError: there is no such column.
        """
        return itemgetter(*map(self.at, keys))

    def at(self, key: str) -> int:
        """Position of the column of a key in a row.

        Raises:
            ValueError: the table has no such column.
        """
        return [column.key for column in self.columns].index(key)

    def row(self, **values: Any) -> Row:
        """A row by its keys; columns that are not named have no value.

        Raises:
            KeyError: the table has no such column.
        """
        row = tuple(values.pop(column.key, None) for column in self.columns)
        if values:
            raise KeyError(f"Table {self.id!r} has no column {sorted(values)}.")
        return row

    @property
    def metric_at(self) -> int | None:
        """Position of the column of metrics, None where there is none."""
        return next((number for number, column in enumerate(self.columns) if column.kind == "metric"), None)


class FilledTable(Struct, frozen=True, kw_only=True, eq=False):
    """A table with its rows.

    Raises:
        ValueError: a row is not as long as the columns.
    """

    table: Table
    rows: tuple[Row, ...]

    def __post_init__(self) -> None:
        wide = len(self.table.columns)
        if odd := [row for row in self.rows if len(row) != wide]:
            raise ValueError(
                f"Table {self.table.id!r} has {wide} columns, and a row of {len(odd[0])}: {odd[0]!r:.200}."
            )

    def where(self, **wanted: Any) -> tuple[Row, ...]:
        """The rows that have these values in the columns of these keys; None is for those without a value."""
        at = {self.table.at(key): value for key, value in wanted.items()}
        return tuple(row for row in self.rows if all(row[number] == value for number, value in at.items()))


def gathered(tables: Sequence[Table], filled: Iterable[FilledTable]) -> tuple[FilledTable, ...]:
    """Each table with the rows of all that are filled, in order; without rows where none is."""
    rows: dict[str, list[Row]] = {table.id: [] for table in tables}
    for each in filled:
        rows[each.table.id] += each.rows
    return tuple(table.filled(rows[table.id]) for table in tables)


def types_of(table: Table) -> dict[str, Flat]:
    """All keys of a table with their types, in order."""
    return {key: part.type for column in table.columns for key, part in keys_of(column)}


def row_by_key(table: Table, row: Row) -> dict[str, Any]:
    """One row by its keys; what is missing is None."""
    return rows_by_key(table, [row])[0]


_INTEGERS = 2**63
"""Integers that every format can hold are smaller."""
_TYPES: dict[Flat, tuple[type, ...]] = {
    "text": (str,), "integer": (int,), "number": (int, float), "flag": (bool,), "names": (list,),
}  # fmt: skip


def refuse_odd(table: Table, rows: Sequence[Row]) -> None:
    """Nothing, where all values are of the types of their keys, and numbers are finite: every format can hold them.

    Raises:
        ValueError: a value is of another type.
    """
    for at, column in enumerate(table.columns):
        for row in rows:
            if row[at] is not None:
                _refuse_value(table, column, row[at])


def _refuse_value(table: Table, column: Column, value: Any) -> None:
    for key, part in keys_of(column):
        try:
            plain = part.read(value)
        except (AttributeError, TypeError, LookupError):
            raise ValueError(
                f"Table {table.id!r}, column {column.key!r}: {value!r:.80} is of no kind {column.kind!r}."
            ) from None
        if plain is not None and not _fits(plain, part.type):
            raise ValueError(f"Table {table.id!r}, key {key!r}: {plain!r:.80} is no {part.type}.")


def _fits(plain: Any, type_: Flat) -> bool:
    # A bool is an int in Python, and a flag may not pass for a number.
    if not isinstance(plain, _TYPES[type_]) or isinstance(plain, bool) != (type_ == "flag"):
        return False
    if isinstance(plain, list):
        return all(isinstance(each, str) for each in plain)
    return isfinite(plain) if isinstance(plain, float) else not isinstance(plain, int) or abs(plain) < _INTEGERS


def rows_by_key(table: Table, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Some rows, each by its keys."""
    parts = [(key, at, part.read) for at, column in enumerate(table.columns) for key, part in keys_of(column)]
    return [{key: None if row[at] is None else read(row[at]) for key, at, read in parts} for row in rows]
