"""Tables for other programs: columns that pandas and Arrow read, and through Arrow DuckDB and others."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from io import BytesIO, StringIO
from math import isnan
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from mores.core.extras import needed
from mores.tables import FilledTable, rows_by_key, types_of

FrameValue: TypeAlias = str | int | float | bool | None
CodeArray: TypeAlias = npt.NDArray[np.integer[Any]]
NumberArray: TypeAlias = npt.NDArray[np.integer[Any]] | npt.NDArray[np.float64]
ColumnKind = Literal["text", "integer", "number", "flag"]
SHOWN = 6
"""Rows of a table that a notebook shows."""
_ARROW = {"text": "string", "integer": "int64", "number": "float64", "flag": "bool_"}
_PANDAS = {"text": "string", "integer": "Int64", "number": "float64", "flag": "boolean"}
_CHUNK = 1 << 18


class FrameColumn(Struct, frozen=True, eq=False):
    """One column: a value a row, or, where values repeat, each with the row's code into them, -1 where it has none.

    What is missing is None, or NaN in an array.
    """

    kind: ColumnKind
    values: Sequence[FrameValue] | NumberArray
    codes: CodeArray | None = None

    def __len__(self) -> int:
        return len(self.values if self.codes is None else self.codes)

    def rows(self, most: int | None = None) -> list[FrameValue]:
        """The value of each row, or of the first of them; None where it is missing."""
        if self.codes is not None:
            values = (*self.values, None)
            return [values[code] for code in self.codes[:most].tolist()]
        if isinstance(self.values, np.ndarray):
            return [None if value != value else value for value in self.values[:most].tolist()]  # noqa: PLR0124 - NaN
        return [*self.values[:most]]

    def to_pandas(self, pandas: Any) -> Any:
        """A pandas array."""
        made = pandas.array(self.values, dtype=_PANDAS[self.kind])
        return made if self.codes is None else made.take(self.codes, allow_fill=True)

    def to_arrow(self, arrow: Any) -> Any:
        """A pyarrow array; of repeated values in chunks, as one array of texts holds two gigabytes at most."""
        kind = getattr(arrow, _ARROW[self.kind])()
        made = arrow.array(self.values, type=kind, from_pandas=isinstance(self.values, np.ndarray))
        if self.codes is None:
            return made
        parts = (self.codes[start : start + _CHUNK] for start in range(0, len(self.codes), _CHUNK))
        return arrow.chunked_array([made.take(arrow.array(part, mask=part < 0)) for part in parts], type=kind)


class Frame(Struct, frozen=True, eq=False, kw_only=True):
    """A table of named columns of one length.

    `to_pandas` and `to_arrow` make it one of theirs. DuckDB and others read it as it is, through Arrow's PyCapsule
    interface; without any of them, it can be gone through row by row.
    """

    name: str
    columns: Mapping[str, FrameColumn] = field(default_factory=dict)

    @classmethod
    def of_rows(cls, name: str, kinds: Mapping[str, ColumnKind], rows: Iterable[Mapping[str, Any]]) -> "Frame":
        """A table of some columns, made from rows by their names; what a row has not is missing."""
        kept = list(rows)
        return cls(
            name=name, columns={of: FrameColumn(kind, [row.get(of) for row in kept]) for of, kind in kinds.items()}
        )

    @classmethod
    def of_table(cls, filled: FilledTable) -> "Frame":
        """A table of an analysis by the keys of its columns; several names in a cell are joined by commas."""
        types, rows = types_of(filled.table), rows_by_key(filled.table, filled.rows)
        listed = [key for key, type_ in types.items() if type_ == "names"]
        plain = ({**row, **{key: ", ".join(row[key]) for key in listed if row[key] is not None}} for row in rows)
        kinds: dict[str, ColumnKind] = {key: "text" if type_ == "names" else type_ for key, type_ in types.items()}
        return cls.of_rows(filled.table.id, kinds, plain)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def __iter__(self) -> Iterator[dict[str, FrameValue]]:
        """The rows, each by the names of its columns."""
        return self._rows()

    def _rows(self, most: int | None = None) -> Iterator[dict[str, FrameValue]]:
        for row in zip(*(column.rows(most) for column in self.columns.values()), strict=True):
            yield dict(zip(self.columns, row, strict=True))

    def __getitem__(self, name: str) -> list[FrameValue]:
        return self.columns[name].rows()

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        pandas = needed("pandas")
        made = {name: column.to_pandas(pandas) for name, column in self.columns.items()}
        return pandas.DataFrame(made, copy=False)  # each column was made for it

    def to_arrow(self) -> Any:
        """A pyarrow Table."""
        arrow = needed("pyarrow")
        return arrow.table({name: column.to_arrow(arrow) for name, column in self.columns.items()})

    def to_parquet(self) -> bytes:
        """The table as a Parquet file."""
        parquet, out = needed("pyarrow.parquet"), BytesIO()
        parquet.write_table(self.to_arrow(), out)
        return out.getvalue()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        """The table as a stream of Arrow's C interface."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_csv(self) -> str:
        """The table as CSV with a header; what is missing is empty."""
        lines = StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(zip(*(column.rows() for column in self.columns.values()), strict=True))
        return lines.getvalue()

    def __repr__(self) -> str:
        return f"{self.name}: {len(self):,} rows of {', '.join(self.columns)}"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(_shown(value))}</td>" for value in row.values()) + "</tr>"
            for row in self._rows(SHOWN)
        )
        more = f"<p>{len(self):,} rows; the first {SHOWN} are shown.</p>" if len(self) > SHOWN else ""
        return f"<table><caption>{escape(self.name)}</caption><thead><tr>{head}</tr></thead>{rows}</table>{more}"


def _shown(value: FrameValue) -> str:
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)[:60]
