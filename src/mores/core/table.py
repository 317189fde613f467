"""Tables as people save them: CSV by any usual delimiter and encoding, JSON Lines, a JSON list, Parquet; row by row.

A row that cannot be read is given as such, so that whoever reads may refuse the file or go on without the row.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from mores.core.codec import UNREADABLE, parse_json
from mores.core.errors import InputError
from mores.core.extras import needed

LONGEST_CELL = 1 << 27
DELIMITERS = ",;\t|"
LINES = frozenset({".jsonl", ".ndjson"})
PARQUET = frozenset({".parquet", ".pq"})
_MARKS_16 = (b"\xff\xfe", b"\xfe\xff")
_HIGH = re.compile(rb"[\x80-\xff]+")
_LONGEST_RUN = 2
"""Bytes beyond ASCII in a row, at most, in what a western Excel writes; other scripts have them by the word."""
_DECLARED = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)


class SourceRow(NamedTuple):
    """A row as it stands: where in words, its line, and its cells by column."""

    where: str
    line: int
    cells: dict[str, object]


class OddRow(NamedTuple):
    """A row that cannot be read, and why; `short` are the cells of one that ends before the header does."""

    where: str
    line: int
    why: str
    short: Mapping[str, object] = MappingProxyType({})


def scan_table(path: Path, text: str | None = None) -> Iterator[SourceRow | OddRow]:
    """The rows of a table, read by its ending; `text` are its words where they have been read before.

    Cells of CSV come as they were before `plain_cell` guarded them.

    Raises:
        InputError: the file cannot be read at all, or two of its columns have one name.
    """
    ending = path.suffix.lower()
    if ending in PARQUET:
        return _parquet_rows(path)
    words = read_words(path) if text is None else text
    if ending in LINES or (ending == ".json" and _is_lines(words)):
        return _json_lines(words, path)
    return _json_rows(words, path) if ending == ".json" else _csv_rows(words, path)


def _is_lines(text: str) -> bool:
    """True of lines of JSON under a name that ends in .json."""
    lines = [line.strip() for line in text.split("\n", 2)[:2]]
    return len(lines) > 1 and lines[0][:1] == lines[1][:1] == "{" and lines[0].endswith("}")


def read_words(path: Path) -> str:
    """The text of a file in an encoding that spreadsheets write: UTF-8, UTF-16 with its mark, or, of CSV, Windows-1252.

    Raises:
        InputError: it cannot be read, or is in another encoding.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
    except ValueError as error:  # a name that no file can have
        raise InputError(f"{path}: cannot be read ({error}).") from error
    if data.startswith(_MARKS_16):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: not UTF-16, as it begins, at byte {error.start}; save it as UTF-8.") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        western = None if path.suffix.lower() in {".json", *LINES} else _western(data)
        if western is None:
            raise InputError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8.") from error
        return western


def _western(data: bytes) -> str | None:
    """The text of Windows-1252; None of what is rather a damaged text or another script's."""
    if any(len(run) > _LONGEST_RUN or _is_utf8(run) for run in _HIGH.findall(data)):
        return None
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return None


def _is_utf8(data: bytes) -> bool:
    try:
        return bool(data.decode())
    except UnicodeDecodeError:
        return False


def _csv_rows(text: str, path: Path) -> Iterator[SourceRow | OddRow]:
    # The library's own limit is 128 KiB, which a long dialogue in a cell passes.
    csv.field_size_limit(LONGEST_CELL)
    declared = _DECLARED.match(text)  # Excel's own way to say it
    words = text[declared.end() :] if declared else text
    lines = csv.reader(
        io.StringIO(words, newline=""),
        strict=True,
        delimiter=declared[1] if declared else _delimiter(words.partition("\n")[0]),
    )
    try:
        header = next(filter(None, lines), [])
    except csv.Error as error:
        raise InputError(f"{path}: not CSV ({error}).") from error
    named = [name for name in header if name]
    if len(set(named)) < len(named):
        raise InputError(f"{path}: two columns have one name ({', '.join(header)}).")
    while True:
        try:
            cells = next(lines)
        except StopIteration:
            return
        except csv.Error as error:
            yield OddRow(str(path), _line(lines.line_num, declared), f"not CSV ({error})")
            continue
        number = _line(lines.line_num, declared)
        while len(cells) > len(header) and not cells[-1].strip():  # cells that only have a border or a colour
            cells.pop()
        if len(cells) == len(header):
            yield SourceRow(f"{path}:{number}", number, dict(zip(header, map(bare_cell, cells), strict=True)))
        elif cells:  # an empty line is no row
            why = f"not as many cells as the header has ({len(header)})"
            short = dict(zip(header, map(bare_cell, cells), strict=False)) if len(cells) < len(header) else {}
            yield OddRow(f"{path}:{number}", number, why, short)


def _line(number: int, declared: re.Match[str] | None) -> int:
    return number + (declared is not None)


def _delimiter(header: str) -> str:
    """Delimiter of a header's cells: of the usual ones the one that stands there most, quotes left out."""
    bare = re.sub(r'"(?:[^"]|"")*"', "", header)
    return max(DELIMITERS, key=bare.count)


def _json_lines(text: str, path: Path) -> Iterator[SourceRow | OddRow]:
    for number, line in enumerate(text.split("\n"), start=1):
        where = f"{path}:{number}"
        if line.strip():
            try:
                yield _object(parse_loosely(line, where=where), where, number, line.strip())
            except InputError as error:
                yield OddRow(where, number, str(error).removeprefix(f"{where}: ").removesuffix("."))


def _json_rows(text: str, path: Path) -> Iterator[SourceRow | OddRow]:
    for number, entry in enumerate(rows_of_json(parse_loosely(text, where=str(path))), start=1):
        yield _object(entry, f"{path}:{number}", number, str(entry))


def parse_loosely(text: str, *, where: str) -> Any:
    """The value of a JSON text, also of one that has `NaN` or `Infinity`, as Python's own writer leaves them.

    Raises:
        InputError: it is no JSON.
    """
    try:
        return parse_json(text, where=where)
    except InputError:
        if "NaN" not in text and "Infinity" not in text:
            raise
    try:
        whole = json.loads(text)
        json.dumps(whole, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except UNREADABLE as error:
        raise InputError(f"{where}: not JSON ({error}).") from error
    return whole


def _object(entry: object, where: str, line: int, shown: str) -> SourceRow | OddRow:
    if not isinstance(entry, dict):
        return OddRow(where, line, f"expected an object with a row's fields; got {shown[:60]}")
    return SourceRow(where, line, {str(name): value for name, value in entry.items()})


def rows_of_json(whole: object) -> list[Any]:
    """The rows of a JSON text: a list, an object that has nothing but one list of objects, or columns as in pandas.

    >>> rows_of_json({"item": {"0": "a", "1": "b"}, "reply": {"0": "A", "1": "B"}})
    [{'item': 'a', 'reply': 'A'}, {'item': 'b', 'reply': 'B'}]
    """
    if isinstance(whole, list):
        return whole
    if not isinstance(whole, dict) or not whole:
        return [whole]
    lists = [value for value in whole.values() if isinstance(value, list) and value]
    if len(lists) == len(whole) == 1 and all(isinstance(row, dict) for row in lists[0]):
        return list(lists[0])
    columns = list(whole.values())
    numbered = isinstance(columns[0], dict) and columns[0] and all(str(key).isdecimal() for key in columns[0])
    if numbered and all(isinstance(column, dict) and column.keys() == columns[0].keys() for column in columns):
        return [{name: column[key] for name, column in whole.items()} for key in columns[0]]
    return [whole]


def _parquet_rows(path: Path) -> Iterator[SourceRow | OddRow]:
    parquet, line = needed("pyarrow.parquet"), 0
    try:
        for batch in parquet.ParquetFile(path).iter_batches():
            for cells in batch.to_pylist():
                line += 1
                yield SourceRow(f"{path}:{line}", line, cells)
    except (OSError, *UNREADABLE) as error:  # pyarrow's own errors are kinds of these
        raise InputError(f"{path}: not Parquet ({str(error)[:120]}).") from error


_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""How a cell begins that a spreadsheet may run; the last four are what it takes for the first in some countries."""


def sheet(columns: Sequence[str], rows: Iterable[Iterable[object]], *, encoding: str = "utf-8-sig") -> bytes:
    """A header and rows; by default with the mark by which a spreadsheet knows that it is UTF-8."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return out.getvalue().encode(encoding)


def sheet_for_people(columns: Sequence[str], rows: Iterable[Sequence[str]], *, encoding: str = "utf-8-sig") -> bytes:
    """A header and rows of words that others wrote, none of which a spreadsheet takes for a formula."""
    return sheet(columns, (map(plain_cell, row) for row in rows), encoding=encoding)


def plain_cell(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: it has an apostrophe before it, which `bare_cell` takes off.

    >>> plain_cell("=1+1"), plain_cell("one"), plain_cell("'=1+1")
    ("'=1+1", 'one', "''=1+1")
    """
    return f"'{cell}" if cell.lstrip("'").startswith(_FORMULA) else cell


def bare_cell(cell: str) -> str:
    """Text of a cell before it was guarded.

    >>> bare_cell("'=1+1"), bare_cell("'tis"), bare_cell("=1+1")
    ('=1+1', "'tis", '=1+1')
    """
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA) else cell
