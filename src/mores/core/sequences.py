"""Sequences that make their values as they are asked for, instead of holding them."""

from __future__ import annotations

import zlib
from abc import abstractmethod
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, compress
from operator import ne
from typing import Generic, SupportsIndex, TypeVar, overload

import numpy as np

from mores.core.arrays import Codes
from mores.core.estimate import CategoricalColumn

T = TypeVar("T")


class LazySequence(Sequence[T], Generic[T]):
    """A sequence of which `at` makes the value at a place; places from the end, and several at once, are read here."""

    __slots__ = ()

    @abstractmethod
    def at(self, place: int) -> T:
        """The value at a place, from 0 to one less than the length."""

    @overload
    def __getitem__(self, place: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> T | Sequence[T]:
        if isinstance(place, slice):
            return [self.at(each) for each in range(*place.indices(len(self)))]
        at = place.__index__()
        at += len(self) if at < 0 else 0
        if not 0 <= at < len(self):
            raise IndexError(at)
        return self.at(at)


GROUP = 128
PLAIN = 64
"""Groups that are held as they are: of few values nothing is won."""
OPEN = 4
"""Groups that stay open: as many readers may go through the values side by side."""


class CompressedList(LazySequence[T]):
    """Values by their place, as they were added; `encode` makes bytes of a group of them, and `decode` the group."""

    __slots__ = ("_decode", "_encode", "_groups", "_new", "_open")

    def __init__(self, encode: Callable[[list[T]], bytes], decode: Callable[[bytes], Sequence[T]]) -> None:
        self._encode, self._decode = encode, decode
        self._groups: list[bytes | list[T]] = []
        self._open: dict[int, Sequence[T]] = {}
        self._new: list[T] = []

    def append(self, value: T) -> None:
        """One more."""
        self._new.append(value)
        if len(self._new) == GROUP:
            few = len(self._groups) < PLAIN
            self._groups.append(self._new if few else zlib.compress(self._encode(self._new), 1))
            self._new = []

    def extend(self, values: Iterable[T]) -> None:
        """Some more."""
        for value in values:
            self.append(value)

    def __len__(self) -> int:
        return GROUP * len(self._groups) + len(self._new)

    def at(self, place: int) -> T:
        """One of the values, whose group is opened for it."""
        return self._group(place // GROUP)[place % GROUP]

    def __iter__(self) -> Iterator[T]:
        for group in self._groups:
            yield from group if isinstance(group, list) else self._decode(zlib.decompress(group))
        yield from self._new

    def _group(self, number: int) -> Sequence[T]:
        if number == len(self._groups):
            return self._new
        group = self._groups[number]
        if isinstance(group, list):
            return group
        found = self._open.get(number)
        if found is None:
            if len(self._open) >= OPEN:
                del self._open[next(iter(self._open))]
            found = self._open[number] = self._decode(zlib.decompress(group))
        return found


KNOWN = 4096
"""Names that are looked up as they come; of more, equal ones are found when all are there."""
PACKED_TOGETHER = 256
"""Names that are packed at once."""


class PackedStrings(LazySequence[str]):
    """Names in one text."""

    __slots__ = ("_ends", "_new", "_text")

    def __init__(self) -> None:
        self._text, self._ends, self._new = bytearray(), array("I", (0,)), list[str]()

    def append(self, name: str) -> None:
        """One more."""
        self._new.append(name)
        if len(self._new) == PACKED_TOGETHER:
            self._pack()

    def extend(self, names: Sequence[str]) -> None:
        """Some more."""
        self._new += names
        if len(self._new) >= PACKED_TOGETHER:
            self._pack()

    def _pack(self) -> None:
        each = [name.encode() for name in self._new]
        # `accumulate` gives its start back first, so the last end is taken off and put there again.
        self._ends.extend(accumulate(map(len, each), initial=self._ends.pop()))
        self._text += b"".join(each)
        self._new.clear()

    def __len__(self) -> int:
        return len(self._ends) - 1 + len(self._new)

    def at(self, place: int) -> str:
        """One of the names."""
        if place >= len(self._ends) - 1:
            return self._new[place - len(self._ends) + 1]
        return self._text[self._ends[place] : self._ends[place + 1]].decode()

    def __iter__(self) -> Iterator[str]:
        text, start = self._text, 0
        for end in self._ends[1:]:
            yield text[start:end].decode()
            start = end
        yield from self._new

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PackedStrings):
            self._pack()
            other._pack()
            return self._text == other._text and self._ends == other._ends
        return isinstance(other, Sequence) and len(other) == len(self) and all(map(str.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]


class StringColumn:
    """The name of each row, added row by row; None is no name. So many names are `known` as they come again."""

    __slots__ = ("_known", "_last", "_most", "_names", "codes")

    def __init__(self, known: int = KNOWN) -> None:
        self.codes, self._most = array("i"), known
        self._names, self._known = PackedStrings(), dict[str | None, int]()
        self._known[None] = -1
        self._last: str | None = None

    def add(self, name: str | None) -> None:
        """The name of one more row."""
        if name == self._last and self.codes:
            self.codes.append(self.codes[-1])
            return
        self._last = name
        self.codes.append(self._code(name))

    def extend(self, names: Sequence[str | None]) -> None:
        """The names of some more rows."""
        if not names:
            return
        begins = list(map(ne, names, (self._last, *names)))
        begins[0] = begins[0] or not self.codes
        new = list(compress(names, begins))
        if self._most:
            codes: Sequence[int] = [self._code(name) for name in new]
        else:
            codes = range(len(self._names), len(self._names) + len(new))
            self._names.extend(new)  # type: ignore[arg-type]  # where no name is known, every row has one
        of_begin = np.array([self.codes[-1] if self.codes else -1, *codes], dtype=np.int32)
        self.codes.frombytes(of_begin[np.cumsum(begins)].tobytes())
        self._last = names[-1]

    def _code(self, name: str | None) -> int:
        code = self._known.get(name)
        if code is None:
            code = len(self._names)
            self._names.append(name)  # type: ignore[arg-type]  # None is known
            # A later name may come again and get another code; `_once` puts these together.
            if code < self._most:
                self._known[name] = code
        return code

    def __getitem__(self, row: int) -> str | None:
        code = self.codes[row]
        return None if code < 0 else self._names[code]

    def __iter__(self) -> Iterator[str | None]:
        """The name of every row; equal names that follow each other are one string."""
        code, name = -1, None
        for each in self.codes:
            if each != code:
                code, name = each, None if each < 0 else self._names[each]
            yield name

    def like(self, other: StringColumn) -> bool:
        """True if all rows have the same names as in another column, added in the same way."""
        return self.codes == other.codes and self._names == other._names

    def column(self) -> CategoricalColumn:
        """The names coded in their order of appearance, each once."""
        if len(self._names) == 1 and not any(self.codes):
            return CategoricalColumn(alike(0, len(self.codes)), self._names)
        codes = np.array(self.codes, dtype=np.int64)
        if len(self._names) <= self._most:
            return CategoricalColumn(codes, self._names)
        of_name, names = _once(self._names)
        # The code -1, of no name, picks the -1 that is appended.
        return CategoricalColumn(codes if names is self._names else np.append(of_name, -1)[codes], names)


def alike(code: int, rows: int) -> Codes:
    """The same code for all rows, in the room of one."""
    return np.broadcast_to(np.int64(code), rows)


def _once(names: PackedStrings) -> tuple[Codes, Sequence[str]]:
    """The code of each name, and the names without those that stand twice.

    Equal names have equal hashes; that those of equal hashes are equal is looked at.
    """
    hashes = np.fromiter(map(hash, names), dtype=np.int64, count=len(names))
    _, first, code = np.unique(hashes, return_index=True, return_inverse=True)
    if len(first) == len(names):
        return code, names
    before = first[code]
    again = np.flatnonzero(before != np.arange(len(names)))
    if any(names[row] != names[of] for row, of in zip(again.tolist(), before[again].tolist(), strict=True)):
        column = CategoricalColumn.of(names)
        return column.codes, column.names
    kept = PackedStrings()
    for row in np.sort(first).tolist():
        kept.append(names[row])
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[code], kept
