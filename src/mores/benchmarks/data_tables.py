"""Reading the tables that benchmarks are released in and people bring, row by row with its place."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mores.core.codec import encode
from mores.core.errors import InputError, MissingData
from mores.core.files import sha256_of
from mores.core.table import OddRow, SourceRow, scan_table
from mores.data.sources import source_of


class DataRow(NamedTuple):
    """One row of a table with where it stands: file and line in words, and the line alone."""

    where: str
    line: int
    cells: dict[str, str]


def find_table(data: Path | None, names: Sequence[str], benchmark: str) -> Path:
    """The file of a benchmark: the given file itself, or the first of the names in the given folder.

    Raises:
        MissingData: no data was named, or none of the names is there.
    """
    wanted = " or ".join(names)
    if data is None:
        name = source_of(benchmark)
        how = f", or --data {name} after mores data fetch {name}" if name else ""
        raise MissingData(
            f"{benchmark} needs its data: --data DIR_OR_FILE with {wanted}{how}; see mores show {benchmark}."
        )
    if data.is_file():
        return data
    if not data.is_dir():
        raise MissingData(f"--data {data}: no such file or folder; expected a folder with {wanted}, or the file.")
    for name in names:
        if (data / name).is_file():
            return data / name
    raise MissingData(f"--data {data}: no data of {benchmark} there; expected {wanted}.")


def hash_table(path: Path) -> dict[str, str]:
    """The file's name with its SHA-256."""
    return {path.name: sha256_of(path)}


def hash_tables(paths: Iterable[Path]) -> dict[str, str]:
    """The same of several tables."""
    return {path.name: sha256_of(path) for path in paths}


def read_table(path: Path, columns: Sequence[str], enough: str = "") -> Iterator[DataRow]:
    """The rows of a table, each with all the columns asked for, empty where the row has none.

    Of a row that has the column that is `enough` the cells behind it may be missing: Excel leaves out the empty cells
    at the end of a row where those of the rows around it are empty too.

    Raises:
        InputError: the file is empty, lacks a column, or a row has not as many cells as the header.
    """
    yield from rows_of(path, columns, scan_table(path), enough)


def rows_of(
    path: Path, columns: Sequence[str], rows: Iterable[SourceRow | OddRow], enough: str = ""
) -> Iterator[DataRow]:
    """The same of rows that were scanned, for a table that lies within another file.

    Raises:
        InputError: as for `read_table`.
    """
    none, wanted = True, frozenset(columns)
    for read in rows:
        if isinstance(read, SourceRow):
            given: Mapping[str, object] = read.cells
        elif enough and enough in read.short:
            given = read.short
        else:
            raise InputError(f"{read.where}: {read.why}.")
        cells = {name: value if isinstance(value, str) else text_of(value) for name, value in given.items()}
        row = DataRow(read.where, read.line, cells)
        if not wanted <= row.cells.keys():
            missing = ", ".join(f"'{column}'" for column in columns if column not in row.cells)
            raise InputError(f"{row.where}: no column {missing}; columns are {', '.join(sorted(row.cells))}.")
        none = False
        yield row
    if none:
        wanted_words = f" with {', '.join(columns)}" if columns else ""
        raise InputError(f"{path}: no rows; expected a header{wanted_words} and a row.")


def text_of(value: object) -> str:
    """A value of any kind as a cell of CSV has it."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return encode(value).decode() if isinstance(value, list | dict) else str(value)


def one_of(row: DataRow, column: str, allowed: Sequence[str]) -> str:
    """A cell that must be one of a few words, in lower case.

    Raises:
        InputError: it is another.
    """
    value = row.cells[column].strip().casefold()
    if value not in allowed:
        raise InputError(f"{row.where}: {column} is '{row.cells[column]}'; expected one of {list(allowed)}.")
    return value


def agreed(row: DataRow, column: str) -> bool:
    """True if most agree: a cell with a share above a half, or yes or true.

    Raises:
        InputError: it is neither a share from 0 to 1 nor yes, no, true or false.
    """
    text = row.cells[column].strip().casefold()
    try:
        share = float({"yes": "1", "true": "1", "no": "0", "false": "0"}.get(text, text))
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise InputError(f"{row.where}: {column} is '{text}'; expected yes, no or a share from 0 to 1.")
    return share > 0.5


def filled(row: DataRow, column: str) -> str:
    """A cell that must not be empty.

    Raises:
        InputError: it is.
    """
    value = row.cells[column]
    if not value.strip():
        raise InputError(f"{row.where}: {column} is empty; expected text.")
    return value
