"""Which row of the journal a key lies in: hash tables of the beginnings of keys, 12 bytes a slot.

The beginning of a key is its first eight bytes, so that a key which is not there is told without a look into the file,
but for one of 10^12 at ten million rows; whoever finds a row compares its whole key. There are many small tables, since
one that is full is made anew, and nobody should wait for that. The latest keys stand in a dictionary: to add one and to
look for one takes 1 µs there and 10 in a table, and a run of some thousand calls needs no array at all.
"""

from __future__ import annotations

from typing import TypeAlias

from mores.core.arrays import np, npt

BEGINNING = 8
"""Bytes of a key that are kept."""
_TABLES, _LEAST, _FULL = 64, 8, 0.75
_LATEST, _ENTRY = 8_192, 150
"""Keys that stand in the dictionary at most, and bytes that one takes there."""
_BITS = 8 * BEGINNING
_Words: TypeAlias = "npt.NDArray[np.uint64]"
_Rows: TypeAlias = "npt.NDArray[np.uint32]"


def beginning(key: bytes) -> bytes:
    """The part of a key that is kept."""
    return key[:BEGINNING].ljust(BEGINNING, b"\0")


class KeyIndex:
    """Rows by key; a row is a number below 2^32, and one key may have several."""

    def __init__(self) -> None:
        self._latest: dict[bytes, int] = {}
        self._tables = [_Table() for _ in range(_TABLES)]
        self._settled = False

    def __len__(self) -> int:
        return len(self._latest) + sum(len(table) for table in self._tables)

    @property
    def memory(self) -> int:
        """Bytes that it takes."""
        return _ENTRY * len(self._latest) + sum(table.memory for table in self._tables)

    def add(self, key: bytes, row: int) -> None:
        """Say that a key lies in a row."""
        start = key[:BEGINNING].ljust(BEGINNING, b"\0")
        if start in self._latest or len(self._latest) >= _LATEST:
            self._settle()
        self._latest[start] = row

    def _settle(self) -> None:
        """Put the latest keys into the tables."""
        for start, row in self._latest.items():
            word = _word(start)
            self._tables[word % _TABLES].add(word, row)
        self._latest.clear()
        self._settled = True

    def rows(self, key: bytes) -> list[int]:
        """The rows that may have a key, in no order; none says for certain that it was never added."""
        start = key[:BEGINNING].ljust(BEGINNING, b"\0")
        latest = self._latest.get(start)
        rows = [] if latest is None else [latest]
        if self._settled:
            word = _word(start)
            rows += self._tables[word % _TABLES].rows(word)
        return rows

    def __contains__(self, key: bytes) -> bool:
        """False where a key was never added."""
        start = key[:BEGINNING].ljust(BEGINNING, b"\0")
        return start in self._latest or (self._settled and bool(self.rows(key)))

    def extend(self, beginnings: bytes, rows: _Rows) -> None:
        """Add many keys by their beginnings, and the row of each."""
        words = np.frombuffer(beginnings, dtype=">u8").astype(np.uint64)
        words[words == 0] = 1
        self._settle()
        places = (words % _TABLES).astype(np.uint8)
        for number, table in enumerate(self._tables):
            own = np.flatnonzero(places == number)
            if own.size:
                table.extend(words[own], rows[own])


class _Table:
    """One table: a key stands in the first free slot from its own place on; 0 is a free one."""

    def __init__(self) -> None:
        self._make(_LEAST)

    def __len__(self) -> int:
        return self._size

    @property
    def memory(self) -> int:
        return self._word_at.nbytes + self._row_at.nbytes

    @property
    def _arrays(self) -> tuple[_Words, _Rows]:
        """The same memory, for work on many slots."""
        return np.frombuffer(self._word_at, np.uint64), np.frombuffer(self._row_at, np.uint32)

    def _make(self, slots: int) -> None:
        self._word_at: memoryview[int] = memoryview(bytearray(8 * slots)).cast("Q")
        self._row_at: memoryview[int] = memoryview(bytearray(4 * slots)).cast("I")
        self._last, self._shift = slots - 1, _BITS - (slots.bit_length() - 1)
        self._size, self._most = 0, int(_FULL * slots)

    def add(self, word: int, row: int) -> None:
        if self._size >= self._most:
            self.extend(np.empty(0, np.uint64), np.empty(0, np.uint32), 2 * (self._last + 1))
        self._put(word, row)

    def _put(self, word: int, row: int) -> None:
        slot, words = word >> self._shift, self._word_at
        while words[slot]:
            slot = slot + 1 & self._last
        words[slot], self._row_at[slot] = word, row
        self._size += 1

    def rows(self, word: int) -> list[int]:
        slot, words, rows = word >> self._shift, self._word_at, list[int]()
        while found := words[slot]:
            if found == word:
                rows.append(self._row_at[slot])
            slot = slot + 1 & self._last
        return rows

    def extend(self, words: _Words, rows: _Rows, slots: int = _LEAST) -> None:
        """Make it anew with more keys: each in its own place, or in the slot after that of the one before it."""
        own_words, own_rows = self._arrays
        taken = own_words != 0
        words, rows = np.concatenate((own_words[taken], words)), np.concatenate((own_rows[taken], rows))
        while words.size > int(_FULL * slots):
            slots *= 2
        self._make(slots)
        homes = (words >> np.uint64(self._shift)).astype(np.int64)
        order, steps = np.argsort(homes, kind="stable"), np.arange(words.size)
        places = np.maximum.accumulate(homes[order] - steps) + steps
        inside = int(np.searchsorted(places, slots))
        here = order[:inside]
        own_words, own_rows = self._arrays
        own_words[places[:inside]], own_rows[places[:inside]] = words[here], rows[here]
        self._size = inside
        for left in order[inside:].tolist():  # past the end, so from the beginning on
            self._put(int(words[left]), int(rows[left]))


def _word(start: bytes) -> int:
    """The beginning of a key as a number; 0 stands for a free slot."""
    return int.from_bytes(start, "big") or 1
