"""Many values in little room: some hundred at a time encoded and compressed, and opened again as they are read."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar
from zlib import compress, decompress

from mores.core.lazy_sequence import LazySequence

T = TypeVar("T")
TOGETHER = 128
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
        if len(self._new) == TOGETHER:
            few = len(self._groups) < PLAIN
            self._groups.append(self._new if few else compress(self._encode(self._new), 1))
            self._new = []

    def extend(self, values: Iterable[T]) -> None:
        """Some more."""
        for value in values:
            self.append(value)

    def __len__(self) -> int:
        return TOGETHER * len(self._groups) + len(self._new)

    def at(self, place: int) -> T:
        """One of the values, whose group is opened for it."""
        return self._group(place // TOGETHER)[place % TOGETHER]

    def __iter__(self) -> Iterator[T]:
        for group in self._groups:
            yield from group if isinstance(group, list) else self._decode(decompress(group))
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
            found = self._open[number] = self._decode(decompress(group))
        return found
