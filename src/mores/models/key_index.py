"""Which row of the journal a key lies in: the beginnings of keys in order, 12 bytes a key, the latest in a dictionary.

The beginning of a key is its first eight bytes, so that a key which is not there is told without a look into the file,
but for one of 10^12 at ten million rows; whoever finds a row compares its whole key. The latest are put among the
others once they are a thirty-second part of them, so that those are moved seldom; a run of some thousand calls needs no
array at all.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

BEGINNING = 8
"""Bytes of a key that are kept."""
_LATEST, _SHARE, _FEW, _ENTRY = 8_192, 32, 1_024, 150
"""Keys that stand in the dictionary before they are put among the others, and as a part of these, both at least; how
many are few, which go there too; and bytes that one takes there."""
_Words: TypeAlias = "npt.NDArray[np.uint64]"
_Rows: TypeAlias = "npt.NDArray[np.uint32]"


def beginning(key: bytes) -> bytes:
    """The part of a key that is kept."""
    return key[:BEGINNING].ljust(BEGINNING, b"\0")


class KeyIndex:
    """Rows by key; a row is a number below 2^32, and one key may have several."""

    def __init__(self) -> None:
        self._latest: dict[bytes, int] = {}
        self._words, self._rows = memoryview(array("Q")), memoryview(array("I"))
        self._room = _LATEST

    def __len__(self) -> int:
        return len(self._latest) + len(self._words)

    @property
    def memory(self) -> int:
        """Bytes that it takes."""
        return _ENTRY * len(self._latest) + self._words.nbytes + self._rows.nbytes

    def add(self, key: bytes, row: int) -> None:
        """Say that a key lies in a row."""
        start = key[:BEGINNING].ljust(BEGINNING, b"\0")
        if start in self._latest or len(self._latest) >= self._room:
            self._settle()
        self._latest[start] = row

    def rows(self, key: bytes) -> list[int]:
        """The rows that may have a key, in no order; none says for certain that it was never added."""
        start = key[:BEGINNING].ljust(BEGINNING, b"\0")
        latest, words, word = self._latest.get(start), self._words, int.from_bytes(start, "big")
        found = [] if latest is None else [latest]
        at = bisect_left(words, word)
        while at < len(words) and words[at] == word:
            found.append(self._rows[at])
            at += 1
        return found

    def __contains__(self, key: bytes) -> bool:
        """False where a key was never added."""
        start = key[:BEGINNING].ljust(BEGINNING, b"\0")
        return start in self._latest or (len(self._words) > 0 and bool(self.rows(key)))

    def extend(self, beginnings: bytes, rows: _Rows) -> None:
        """Add keys by their beginnings, and the row of each."""
        if len(rows) > _FEW:
            self._merge(beginnings, rows)
            return
        for number, row in enumerate(rows.tolist()):
            self.add(beginnings[BEGINNING * number : BEGINNING * (number + 1)], row)

    def _settle(self) -> None:
        """Put the latest keys among the others."""
        latest, self._latest = self._latest, {}
        self._merge(b"".join(latest), np.fromiter(latest.values(), np.uint32, len(latest)))

    def _merge(self, beginnings: bytes, rows: _Rows) -> None:
        """Put keys in their places among those that stand in order."""
        words: _Words = np.concatenate(
            (np.asarray(self._words), np.frombuffer(beginnings, dtype=">u8")), dtype=np.uint64
        )
        order = np.argsort(words, kind="stable")
        self._words = words[order].data
        self._rows = np.concatenate((np.asarray(self._rows), rows))[order].data
        self._room = max(_LATEST, len(self._words) // _SHARE)
