"""Data that the page's script reads: columns of all items and answers, and their words in parts, each compressed.

Base64 of gzip without a time in it, so that equal results give equal bytes; a browser unpacks it by itself.
"""

import gzip
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import msgspec

PART = 400_000
"""Characters of words after which a new part begins; equal words stand once in each."""

LEVEL = 4
"""Of compression: 7 % more characters than by the usual 6, in less than half the time."""


def packed(values: object) -> str:
    """Plain values as base64 of compressed JSON."""
    return b64encode(gzip.compress(msgspec.json.encode(values), compresslevel=LEVEL, mtime=0)).decode()


class WordIndex(dict[str, int]):
    """Words that stand once, each by its number.

    >>> codes = Codes()
    >>> codes["a"], codes["b"], codes["a"], codes.words
    (0, 1, 0, ['a', 'b'])
    """

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number

    @property
    def words(self) -> list[str]:
        """All of them, by number."""
        return list(self)


class TextChunks:
    """Words of items, item by item, until there is no more room; `room` counts characters of base64.

    `codes` are of the words in the part that is being filled, `remarks` what was written there of plays judged alike.
    """

    def __init__(self, room: int) -> None:
        self._room = room
        self.codes, self._size = WordIndex(), 0
        self.remarks: dict[int, list[list[int]]] = {}
        self._items: dict[str, Any] = {}
        self._done: list[str] = []

    @property
    def full(self) -> bool:
        """True where no more words are taken."""
        return self._room <= 0

    def add(self, number: int, plays: list[Any], size: int) -> None:
        """The plays of one item; their words are codes of `codes`, `size` is how many characters they are."""
        self._items[str(number)] = plays
        self._size += size
        if self._size >= PART:
            self._close()

    def __iter__(self) -> Iterator[str]:
        """All parts, packed; what is being filled is closed."""
        if self._items:
            self._close()
        return iter(self._done)

    def _close(self) -> None:
        part = packed({"words": self.codes.words, "items": self._items})
        self._room -= len(part)
        self._done.append(part)
        self.codes, self.remarks, self._size, self._items = WordIndex(), {}, 0, {}
