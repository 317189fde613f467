"""Items that are named, out of what was typed or a file: so that a few are asked again, or always the same.

a list, a column, or what `mores items` found odd ─▶ names, each once, in their order
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from mores.core.codec import parse_json
from mores.core.errors import InputError
from mores.core.table import OddRow, read_words, scan_table

COLUMN, FLAGS = "item", "flags"
UNITS = "item_statistics"
"""The table of units that `mores items --json` prints."""
"""The column of a table that names items, and that in which `mores items` says what is odd about them."""
_FILES = (".csv", ".tsv", ".txt", ".json", ".jsonl")


def read_item_names(typed: Iterable[str], folder: Path = Path()) -> tuple[str, ...]:
    """The names in each entry: those that it lists between commas, or that the file of this name holds.

    Raises:
        InputError: a file cannot be read or names none, or nothing is named.
    """
    entries = list(typed)
    found = dict.fromkeys(name for entry in entries for name in _names(entry, folder))
    if entries and not found:
        raise InputError(
            "--items is empty; expected ids as mores show BENCHMARK --items lists them, or a file of them."
        )
    return tuple(found)


def _names(entry: str, folder: Path) -> Iterator[str]:
    path = folder / entry
    if path.suffix in _FILES or _is_file(path):
        yield from _of_file(path)
    else:
        yield from (name.strip() for name in entry.split(",") if name.strip())


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a list of many ids is a name that no file can have
        return False


def _of_file(path: Path) -> list[str]:
    text = read_words(path)
    begin = text.lstrip()[:1]
    rows = _of_json(text, path) if begin in {"{", "["} else _of_lines(text, path)
    found = [name for row in rows if (name := row.get(COLUMN, "").strip())]
    if not found:
        raise InputError(f"{path}: no item in it; expected an id a line, or a table with a column '{COLUMN}'.")
    return found


def _of_lines(text: str, path: Path) -> list[dict[str, str]]:
    """Rows of a table that has the column, else a row a line; a line that begins with # is none."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines or COLUMN not in re.split(r"[,;\t|\"]", lines[0]):
        return [{COLUMN: line} for line in lines]
    rows = list[dict[str, str]]()
    for row in scan_table(path.with_suffix(".csv"), text[text.index(lines[0]) :]):
        if isinstance(row, OddRow):
            raise InputError(f"{path}: {row.why} (row {len(rows) + 1}).")
        rows.append(_row(row.cells))
    return _odd([row for row in rows if not row.get(COLUMN, "").startswith("#")])


def _of_json(text: str, path: Path) -> list[dict[str, str]]:
    """Rows of a list, of lines of JSON, or of what `mores items --json` prints."""
    try:
        whole = parse_json(text, where=str(path))
    except InputError:
        whole = [parse_json(line, where=str(path)) for line in text.splitlines() if line.strip()]
    if isinstance(whole, Mapping) and isinstance(units := whole.get(UNITS), list):
        whole = units
    listed = whole if isinstance(whole, list) else [whole]
    return _odd([_row(each) for each in listed])


def _row(each: object) -> dict[str, str]:
    if not isinstance(each, Mapping):
        return {COLUMN: str(each)}
    told = {name: each[name] for name in (COLUMN, FLAGS) if name in each}
    return {name: ";".join(map(str, value)) if isinstance(value, list) else str(value) for name, value in told.items()}


def _odd(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The rows that say something odd, where a table has a column for that; else all."""
    return [row for row in rows if row.get(FLAGS, "").strip()] if any(FLAGS in row for row in rows) else rows
