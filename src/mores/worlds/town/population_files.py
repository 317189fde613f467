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
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, get_args

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import fields

from mores.core.arrays import Integers, Mask
from mores.core.codec import build, encode, parse_json, read_text, reading
from mores.core.errors import InputError
from mores.core.files import appearing
from mores.norms.places import places
from mores.worlds.town.people import (
    MIRROR,
    NOWHERE,
    ROLES,
    STATUSES,
    TIE_KINDS,
    Gender,
    Numbers,
    Population,
    PopulationOrigin,
    Resident,
    Ties,
    WordColumn,
)
from mores.worlds.town.streets import KINDS, Town

OLDEST = 120


class PopulationFault(NamedTuple):
    """The first resident of whom something cannot be, and what that is."""

    resident: int
    why: str


def fault_of(population: Population) -> PopulationFault | None:
    """Fault of a population; None: there is none."""
    for wrong, why in chain(_persons(population), _places(population), _ties(population)):
        if wrong.any():
            return PopulationFault(int(wrong.argmax()), why)
    return None


def _persons(population: Population) -> Iterator[tuple[Mask, str]]:
    known: dict[str, tuple[WordColumn, tuple[str, ...]]] = {
        "gender": (population.gender, get_args(Gender)),
        "status": (population.status, STATUSES),
        "role": (population.role, ROLES),
        "nationality": (population.nationality, tuple(place.id for place in places())),
    }
    for name, (column, words) in known.items():
        yield ~column.are(*words), f"{name} is none that is known, such as '{words[0]}'"
    yield population.name.are(""), "name is empty"
    for name, column in (("name", population.name), ("title", population.title)):
        broken = (word for word in column.words if not word.isprintable())
        yield column.are(*broken), f"{name} has a line break or another sign that cannot be read"
    yield (population.age < 0) | (population.age > OLDEST), f"age is not from 0 to {OLDEST}"
    works = population.status.are("employed")
    for name, column in (("occupation", population.occupation), ("title", population.title)):
        yield works & column.are(""), f"{name} is missing; the employed have one"
        yield ~works & ~column.are(""), f"{name} is given; only the employed have one"


def _places(population: Population) -> Iterator[tuple[Mask, str]]:
    """Homes and workplaces; each rule may rely on those before it."""
    town, home, work = population.town, population.home, population.work
    kinds = np.array([KINDS.index(location.kind) for location in town.locations], dtype=np.int64)
    yield (home < 0) | (home >= len(kinds)), "home is no location of the town"
    yield kinds[home] != KINDS.index("apartment"), "home is no apartment"
    household = population.household
    yield (household < 0) | (household >= len(household)), f"household is not from 0 to {len(household) - 1}"
    _, first, which = np.unique(household, return_index=True, return_inverse=True)
    yield home != home[first[which]], "home is not that of the household's others"
    yield (work < NOWHERE) | (work >= len(kinds)), "work is no location of the town"
    goes = population.status.are("employed", "student")
    yield goes & (work == NOWHERE), "work is missing; the employed and students have a place to go to"
    yield ~goes & (work != NOWHERE), "work is given; only the employed and students have a place to go to"
    learns = population.status.are("student")
    yield learns & (kinds[work] != KINDS.index("school")), "work is no school; students go to one"


def _ties(population: Population) -> Iterator[tuple[Mask, str]]:
    """Ties that lead to others and back; each rule may rely on those before it."""
    ties, people = population.ties, len(population)

    def of_people(edges: Mask) -> Mask:
        # Clipped, as the rule that finds a source out of range asks too.
        return np.bincount(np.clip(ties.source[edges], 0, people - 1), minlength=people) > 0

    source, target = ties.source.astype(np.int64), ties.target.astype(np.int64)
    astray = (target < 0) | (target >= people) | (source < 0) | (source >= people)
    yield of_people(astray), f"a tie leads to nobody; ids are from 0 to {people - 1}"
    yield of_people(source == target), "a tie leads to themselves"
    yield of_people(~ties.kind.are(*TIE_KINDS)), f"a tie is of no known kind, such as '{TIE_KINDS[0]}'"
    ends = source * people + target
    again = np.zeros(len(ends), dtype=np.bool_)
    np.less_equal(ends[1:], ends[:-1], out=again[1:])
    yield of_people(again), "ties to one person are two, or not in the order of ids"
    yield of_people(_one_sided(ties, ends, target * people + source)), "a tie is not returned as what it is from there"


def _one_sided(ties: Ties, there: Integers, back: Integers) -> Mask:
    """Of each tie, whether its mirror is missing."""
    codes = {kind: code for code, kind in enumerate(TIE_KINDS)}
    kinds = sorted(kind for kind in TIE_KINDS if kind in ties.kind.words)
    forth = np.array([codes[kind] for kind in kinds], dtype=np.int64)[ties.kind.codes]
    mirrored = np.array([codes[MIRROR[kind]] for kind in kinds], dtype=np.int64)[ties.kind.codes]
    edges, returned = there * len(codes) + forth, np.sort(back * len(codes) + mirrored)
    if np.array_equal(edges, returned):
        return np.zeros(len(edges), dtype=np.bool_)
    nearest = np.minimum(np.searchsorted(returned, edges), len(returned) - 1)
    return np.asarray(returned[nearest] != edges, dtype=np.bool_)


FORMAT = 1
NUMBERS = ("age", "household", "home", "work")
WORDS = ("name", "gender", "nationality", "status", "occupation", "title", "role")
_FIELDS = tuple(each.name for each in fields(Resident) if each.name not in {"id", "ties"})
_LARGEST = 2**31 - 1
_AT_ONCE = 50_000
"""Residents that are spelled out together, so that a large town takes little memory."""


class PopulationHeader(Struct, frozen=True, kw_only=True):
    """First line of a file; `people` tells a file that was cut short."""

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


def _column(values: list[int] | Integers) -> Numbers:
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
        # Without pickles, which can run code.
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in names}
    except _NO_ARCHIVE as error:
        raise InputError(f"{path}: not a whole .npz file ({str(error)[:200] or type(error).__name__}).") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
