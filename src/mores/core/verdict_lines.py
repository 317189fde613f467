"""Verdicts read from their lines in halves: what a verdict is about, and what it found, which many lines say alike.

Two lines on one item begin alike, and of a million closed questions a dozen endings differ, so that of most lines
neither half has to be read.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import compress, islice
from operator import ne
from typing import Generic, NamedTuple, TypeVar

import msgspec

from mores.core.codec import UNREADABLE
from mores.core.transcript import ItemMetadata
from mores.core.verdict import VerdictRecord, read_line

T = TypeVar("T")
REMEMBERED = 1000
FEW, MANY = 64, 4096
"""Lines that are read at once, at first and where it goes well."""
_ABOUT, _THEN = b'{"about":', b'},"sample":'
"""How a line begins and how what it is about ends: within a string no quotation mark stands by itself."""
_about, _several = msgspec.json.Decoder(ItemMetadata), msgspec.json.Decoder(list[ItemMetadata])


class Batch(NamedTuple, Generic[T]):
    """Lines that follow each other: new things, whether each line begins one, and what was made of its ending."""

    metadata: list[ItemMetadata]
    begins: list[bool]
    made: list[T]


class VerdictReader(Generic[T]):
    """A reader of lines; `make` is asked once of endings that many lines have, unless `varied` says that they vary."""

    def __init__(
        self, make: Callable[[VerdictRecord], T], where: str, varied: Callable[[T], bool] = lambda _: False
    ) -> None:
        self._make, self._where, self._varied = make, where, varied
        self._known: dict[bytes, T] = {}
        self._last, self._head, self._number = ItemMetadata(item="", unit="", cluster=""), b"", 0

    def one(self, line: bytes) -> tuple[ItemMetadata, T]:
        """Metadata of the next line, the same object as before if it is equal, and the value made of it.

        Raises:
            InputError: it is no verdict; the message names the line.
        """
        self._number += 1
        head, _, tail = line.partition(_THEN)
        made = self._known.get(tail)
        if made is not None and head == self._head:
            return self._last, made
        read = None if made is None else _read_about(head)
        if read is None or made is None:
            whole = read_line(line, self._where, self._number)
            read, made = whole.about, self._make(whole)
        if head != self._head or not head:
            self._last, self._head = read, head if head.startswith(_ABOUT) else b""
        if self._head and len(self._known) < REMEMBERED and not self._varied(made):
            self._known[tail] = made
        return self._last, made

    def many(self, lines: list[bytes]) -> Batch[T] | None:
        """The next lines together; None, and nothing is read, where an ending or a beginning is not a known one."""
        split = [line.partition(_THEN) for line in lines]
        made = [self._known.get(tail) for _, _, tail in split]
        heads = [head for head, _, _ in split]
        # `map` ends with the shorter one: each head is held against the one before it.
        begins = list(map(ne, heads, (self._head, *heads)))
        new = list(compress(heads, begins))
        if None in made or not self._head or not all(head.startswith(_ABOUT) for head in new):
            return None
        try:
            metadata = _several.decode(b"[" + b",".join([head[len(_ABOUT) :] + b"}" for head in new]) + b"]")
        except UNREADABLE:
            return None
        if len(metadata) != len(new):
            return None
        self._number += len(lines)
        if new:
            self._last, self._head = metadata[-1], heads[-1]
        return Batch(metadata, begins, made)  # type: ignore[arg-type]  # None is not in it


def _read_about(head: bytes) -> ItemMetadata | None:
    """Metadata of a line that begins so, if it is written as mores writes it."""
    try:
        return _about.decode(head[len(_ABOUT) :] + b"}") if head.startswith(_ABOUT) else None
    except UNREADABLE:
        return None


def batches(lines: Iterable[bytes], findings: VerdictReader[T]) -> Iterator[Batch[T]]:
    """All lines, many at a time where they are alike and one by one where they are not.

    Raises:
        InputError: a line is no verdict; the message names the line.
    """
    left, size = iter(lines), FEW
    before: ItemMetadata | None = None
    while some := list(islice(left, size)):
        found = findings.many(some)
        size = min(4 * size, MANY)
        if found is not None:
            before = found.metadata[-1] if found.metadata else before
            yield found
            continue
        if size == MANY:  # lines that vary are not tried together again so soon
            some += islice(left, MANY)
            size = FEW
        for line in some:
            about, made = findings.one(line)
            new = about is not before
            before = about
            yield Batch([about] if new else [], [new], [made])
