"""Populations as files: JSON Lines to be read and edited by people, .npz for large towns.

Both begin with a header that holds the town, so that a population is never read beside another town's streets. In
JSON Lines a resident follows on each line, by id. In .npz every column is an array, columns of words as codes with
the words beside them; numpy alone reads it. The format goes by the suffix, .jsonl or .npz.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from mores.core.codec import build, encode, parse_json, read_text, reading
from mores.core.errors import InputError
from mores.core.files import appearing
from mores.stats.checks import IntArray
from mores.worlds.town.people import NOWHERE, Numbers, Population, PopulationOrigin, Resident, Ties, WordColumn
from mores.worlds.town.streets import Town
from mores.worlds.town.validation import fault_of

FORMAT = 1
NUMBERS = ("age", "household", "home", "work")
WORDS = ("name", "gender", "nationality", "status", "occupation", "title", "role")
_FIELDS = tuple(each.name for each in fields(Resident) if each.name not in {"id", "ties"})
_LARGEST = 2**31 - 1
_AT_ONCE = 50_000
"""Residents that are spelled out together, so that a large town takes little memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationHeader:
    """What a file begins with; `people` tells a file that was cut short."""

    format: int
    people: int
    town: Town
    origin: PopulationOrigin | None = None


def write_population(population: Population, path: Path) -> None:
    """Put a population into a file as a whole, in the format of its suffix; a new one.

    Raises:
        InputError: the suffix is another, or something of that name is there.
        StorageError: the disk is full, read-only or gone.
    """
    write = _write_lines if suffix_of(path) == ".jsonl" else _write_arrays
    with appearing(path, new=True) as file:
        write(population, file)


def read_population(path: Path) -> Population:
    """The population of a file.

    Raises:
        InputError: the file cannot be read, or something in it cannot be; the line says where.
    """
    lines = suffix_of(path) == ".jsonl"
    with reading(str(path), "a population"):
        population = _read_lines(path) if lines else _read_arrays(path)
        fault = fault_of(population)
    if fault is not None:
        where = f"{path}:{fault.resident + 2}" if lines else f"{path}"
        raise InputError(f"{where}: resident {fault.resident}: {fault.why}.")
    return population


def suffix_of(path: Path) -> str:
    """The suffix of a population's file, `.jsonl` or `.npz`.

    Raises:
        InputError: it has another.
    """
    if path.suffix not in {".jsonl", ".npz"}:
        raise InputError(f"{path}: a population's file ends in .jsonl or .npz.")
    return path.suffix


def _header(population: Population) -> bytes:
    return encode(
        PopulationHeader(format=FORMAT, people=len(population), town=population.town, origin=population.origin)
    )


def _read_header(text: str | bytes, where: str) -> PopulationHeader:
    data = parse_json(text, where=where)
    found = data.get("format") if isinstance(data, dict) else None
    if found != FORMAT:
        raise InputError(f"{where}: a population of format {found}; this mores reads format {FORMAT}.")
    try:
        return build(PopulationHeader, data, where=where)
    except InputError as error:
        raise error if str(error).startswith(where) else InputError(f"{where}: {error}") from error


def _write_lines(population: Population, file: BinaryIO) -> None:
    file.write(_header(population) + b"\n")
    file.writelines(encode(row) + b"\n" for row in _rows(population))


def _rows(population: Population) -> Iterator[dict[str, object]]:
    """The fields of each resident; plain values, as nouns of a million people take several times as long."""
    starts = np.searchsorted(population.ties.source, np.arange(len(population) + 1))
    for first in range(0, len(population), _AT_ONCE):
        rows = slice(first, min(first + _AT_ONCE, len(population)))
        columns = {name: getattr(population, name)[rows].tolist() for name in NUMBERS}
        columns |= {name: _spelled(getattr(population, name), rows) for name in WORDS}
        for name, nothing in (("work", NOWHERE), ("occupation", ""), ("title", "")):
            columns[name] = [None if value == nothing else value for value in columns[name]]
        ends = starts[rows.start : rows.stop + 1]
        edges, begin = slice(int(ends[0]), int(ends[-1])), (ends - ends[0]).tolist()
        kinds = _spelled(population.ties.kind, edges)
        ties = [{"to": to, "kind": k} for to, k in zip(population.ties.target[edges].tolist(), kinds, strict=True)]
        for row, values in enumerate(zip(*(columns[name] for name in _FIELDS), strict=True)):
            known = dict(zip(_FIELDS, values, strict=True))
            yield {"id": first + row, **known, "ties": ties[begin[row] : begin[row + 1]]}


def _spelled(column: WordColumn, rows: slice) -> list[str]:
    return [column.words[code] for code in column.codes[rows].tolist()]


def _read_lines(path: Path) -> Population:
    first, *lines = read_text(path).removesuffix("\n").split("\n")
    header = _read_header(first, f"{path}:1")
    if len(lines) != header.people:
        raise InputError(f"{path}: {len(lines)} residents; its first line says {header.people}. Is it whole?")
    people = [_resident(line, person, f"{path}:{person + 2}") for person, line in enumerate(lines)]
    numbers = {name: _column([getattr(each, name) for each in people]) for name in NUMBERS if name != "work"}
    numbers["work"] = _column([NOWHERE if each.work is None else each.work for each in people])
    words = {name: WordColumn.column([getattr(each, name) or "" for each in people]) for name in WORDS}
    return _population(header, numbers, words, _ties_of(people))


def _population(
    header: PopulationHeader, numbers: dict[str, Numbers], words: dict[str, WordColumn], ties: Ties
) -> Population:
    columns: dict[str, Any] = {**numbers, **words}
    return Population(town=header.town, origin=header.origin, ties=ties, **columns)


def _resident(line: str, person: int, where: str) -> Resident:
    found = build(Resident, parse_json(line, where=where), where=where)
    if found.id != person:
        raise InputError(f"{where}: id is {found.id}; expected {person}, as ids go by line from 0.")
    for number in (found.age, found.household, found.home, found.work or 0, *(tie.to for tie in found.ties)):
        if not 0 <= number <= _LARGEST:
            raise InputError(f"{where}: a number is {number}; expected one from 0 to {_LARGEST}.")
    return found


def _ties_of(people: list[Resident]) -> Ties:
    source = np.repeat(np.arange(len(people)), [len(each.ties) for each in people])
    target = np.array([tie.to for each in people for tie in each.ties], dtype=np.int64)
    order = np.lexsort((target, source))
    kinds = WordColumn.column([tie.kind for each in people for tie in each.ties])
    return Ties(
        source=_column(source[order]), target=_column(target[order]), kind=WordColumn(kinds.words, kinds.codes[order])
    )


def _column(values: list[int] | IntArray) -> Numbers:
    return np.asarray(values, dtype=np.int32)


class _Stored(NamedTuple):
    """The arrays of a file, checked as they are taken out."""

    path: Path
    arrays: dict[str, npt.NDArray[Any]]

    def numbers(self, name: str, rows: int) -> Numbers:
        """A column of whole numbers."""
        array = self._array(name, rows, "iu")
        if rows and not -1 <= int(array.min()) <= int(array.max()) <= _LARGEST:
            raise InputError(f"{self.path}: {name}: a number is not from -1 to {_LARGEST}.")
        return array.astype(np.int32, copy=False)

    def header(self) -> bytes:
        """The bytes of the header."""
        return self._array("header", None, "u").tobytes()

    def words(self, name: str, rows: int) -> WordColumn:
        """A column of words."""
        codes, words = self._array(name, rows, "u"), self._array(f"{name}_words", None, "U")
        if rows and int(codes.max()) >= len(words):
            raise InputError(f"{self.path}: {name}: a code is {codes.max()}; there are {len(words)} words.")
        return WordColumn.of(words.tolist(), codes)

    def _array(self, name: str, rows: int | None, kinds: str) -> npt.NDArray[Any]:
        if name not in self.arrays:
            raise InputError(f"{self.path}: no array '{name}'; expected all that mores town population writes.")
        array = self.arrays[name]
        if array.dtype.kind not in kinds or array.ndim != 1 or (rows is not None and len(array) != rows):
            wanted = "whole numbers" if kinds == "iu" else "words" if kinds == "U" else "codes from 0"
            many = "" if rows is None else f"{rows} "
            raise InputError(
                f"{self.path}: {name}: {array.dtype} of shape {array.shape}; expected {many}{wanted} in a row."
            )
        return array


def _write_arrays(population: Population, file: BinaryIO) -> None:
    ties = population.ties
    arrays: dict[str, npt.NDArray[Any]] = {"header": np.frombuffer(_header(population), dtype=np.uint8)}
    arrays |= {name: getattr(population, name) for name in NUMBERS}
    arrays |= {"tie_source": ties.source, "tie_target": ties.target}
    for name, column in (*((name, getattr(population, name)) for name in WORDS), ("tie_kind", ties.kind)):
        arrays |= {name: column.codes, f"{name}_words": np.array(column.words, dtype=np.str_)}
    np.savez(file, allow_pickle=False, **arrays)


def _read_arrays(path: Path) -> Population:
    stored = _Stored(path, _load(path))
    header = _read_header(stored.header(), f"{path}: header")
    people, edges = header.people, len(stored.arrays.get("tie_source", ()))
    ties = Ties(
        source=stored.numbers("tie_source", edges),
        target=stored.numbers("tie_target", edges),
        kind=stored.words("tie_kind", edges),
    )
    numbers = {name: stored.numbers(name, people) for name in NUMBERS}
    return _population(header, numbers, {name: stored.words(name, people) for name in WORDS}, ties)


_NO_ARCHIVE = (
    zipfile.BadZipFile, zlib.error, struct.error, ValueError, KeyError, EOFError, TypeError, AttributeError,
    SyntaxError, NotImplementedError, RuntimeError, MemoryError, OverflowError, IndexError,
)  # fmt: skip
"""What the readers of archives and arrays say of a strange one: unknown compression, a password, a shape past all."""


def _load(path: Path) -> dict[str, npt.NDArray[Any]]:
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            names = [name.removesuffix(".npy") for name in archive.namelist()]
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in names}
    except _NO_ARCHIVE as error:
        raise InputError(f"{path}: not a whole .npz file ({str(error)[:200] or type(error).__name__}).") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
