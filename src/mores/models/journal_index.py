"""The replies of a journal by key.

Rows are only ever added at the end of the file, and with each group of them one row of `keys` has the beginnings of
theirs; all of these are read when a journal is opened. The index is a hint and the rows are the truth: where a row is
not what the index says, all rows are looked at.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from mores.core.errors import StorageError
from mores.models.journal_checksums import JournalRow, unchanged, whole_rows
from mores.models.key_index import BEGINNING, KeyIndex, beginning
from mores.models.request import Reply

KEYS = "CREATE TABLE IF NOT EXISTS keys (last INTEGER PRIMARY KEY, beginnings BLOB NOT NULL)"
"""A row for each group of replies: the row of the last of them, and the beginnings of their keys in order."""
STRANGE = (
    sqlite3.DatabaseError, msgspec.DecodeError, ValueError, TypeError, KeyError, OverflowError, RecursionError,
)  # fmt: skip
"""What comes of reading a journal that is damaged."""
decoder = msgspec.json.Decoder(Reply)
_CHUNK = 1 << 20
_INSERT = """
INSERT INTO replies (rowid, key, item, role, step, sample, request, reply, seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
"""


def damaged(path: Path, error: Exception) -> StorageError:
    """What is told of a journal that cannot be read."""
    return StorageError(f"{path}: damaged ({error}); start a new run (--reuse of a sound one saves calls).")


class Replies:
    """The replies in a file, looked for through one connection.

    Raises:
        StorageError: the file is damaged.
    """

    def __init__(self, reader: sqlite3.Connection, path: Path) -> None:
        self._reader, self._path = reader, path
        self._index, self._last, self._all_seen = KeyIndex(), 0, False
        try:
            self._query = whole_rows(reader, "WHERE rowid = ?")
            if reader.execute("SELECT 1 FROM sqlite_master WHERE name = 'keys'").fetchone() is not None:
                self.catch_up()  # of an older journal there are no keys apart
            if not len(self._index) == self._last == last_row(reader):
                self._see_all()  # an older journal, or one that was changed by hand
        except STRANGE as error:
            raise damaged(path, error) from error

    def forget(self) -> None:
        """Give the memory of the keys back; nothing is found any more."""
        self._index = KeyIndex()

    def find(self, key: bytes) -> Reply | None:
        """The reply of a request, if there is one; that there is none costs no look into the file.

        Raises:
            InputError: its row was changed after it was written.
            StorageError: the file is damaged.
        """
        if key not in self._index:
            return None
        try:
            row = self._row(key)
            return None if row is None else decoder.decode(unchanged(row, self._path).reply)
        except STRANGE as error:
            raise damaged(self._path, error) from error

    def _row(self, key: bytes) -> JournalRow | None:
        rows = self._index.rows(key)
        for number in rows:
            found = self._reader.execute(self._query, (number,)).fetchone()
            if found is not None and found[0] == key:
                return JournalRow(*found)
        if not rows or self._all_seen:
            return None
        self._see_all()
        return self._row(key)

    def catch_up(self) -> None:
        """Take up the rows that were written since, by another process too."""
        groups = self._reader.execute("SELECT last, beginnings FROM keys WHERE last > ? ORDER BY last", (self._last,))
        while some := groups.fetchmany(_CHUNK):
            sizes = np.array([len(beginnings) // BEGINNING for _, beginnings in some])
            ends = np.array([last for last, _ in some])
            before = np.cumsum(sizes) - sizes
            rows = np.arange(sizes.sum()) + np.repeat(ends - sizes + 1 - before, sizes)
            self._index.extend(b"".join(beginnings for _, beginnings in some), rows.astype(np.uint32))
            self._last = int(ends[-1])

    def _see_all(self) -> None:
        """Make the index of the rows themselves."""
        self._index, self._all_seen = KeyIndex(), True
        rows = self._reader.execute("SELECT rowid, key FROM replies")
        while some := rows.fetchmany(_CHUNK):
            numbers = np.array([number for number, _ in some], dtype=np.uint32)
            self._index.extend(b"".join(beginning(key) for _, key in some), numbers)
            self._last = max(self._last, int(numbers.max()))

    def insert(self, writer: sqlite3.Connection, rows: Mapping[bytes, JournalRow]) -> AppendedReplies:
        """Put rows by key at the end of the file, in a transaction that has begun; what is there already stays.

        What was added is to be told to `learn` once it is committed.
        """
        last = last_row(writer)
        if last != self._last:  # another process wrote, or somebody took rows away
            self.catch_up()
        known = [key for key in rows if key in self._index and self._row(key) is not None]
        new = {key: row for key, row in rows.items() if key not in known} if known else rows
        first = max(self._last, last) + 1
        if new:
            writer.executemany(_INSERT, ((row, *values) for row, values in enumerate(new.values(), start=first)))
            writer.execute("INSERT INTO keys VALUES (?, ?)", (first + len(new) - 1, b"".join(map(beginning, new))))
        return AppendedReplies(first, tuple(new))

    def learn(self, added: AppendedReplies) -> None:
        """Know where replies lie that were committed."""
        for row, key in enumerate(added.keys, start=added.first):
            self._index.add(key, row)
            self._last = row


class AppendedReplies(NamedTuple):
    """Keys of replies that were put in the file, and the row of the first of them."""

    first: int
    keys: tuple[bytes, ...]


def index_rows(connection: sqlite3.Connection) -> None:
    """Give a journal that has none the beginnings of the keys of its replies."""
    connection.execute(KEYS)
    connection.create_function("beginning", 1, beginning, deterministic=True)
    connection.execute("INSERT OR IGNORE INTO keys SELECT rowid, beginning(key) FROM replies ORDER BY rowid")


def last_row(connection: sqlite3.Connection) -> int:
    """The number of the last reply of a journal; 0 where it has none."""
    return connection.execute("SELECT max(rowid) FROM replies").fetchone()[0] or 0
