"""The file of a journal: its rows and tables, the index of its replies by key, and its log.

Rows are only ever added at the end of the file, and with each group of them one row of `keys` has the beginnings of
theirs: the first eight bytes, so that a key which is not there is told without a look into the file, but for one of
10^12 at ten million rows. All beginnings are read when a journal is opened, and stand in order, 12 bytes a key; the
latest are in a dictionary until they are a thirty-second part of the others, so that these are moved seldom. The index
is a hint and the rows are the truth: where a row is not what the index says, all rows are looked at.
"""

from __future__ import annotations

import hashlib
import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Mapping
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError, StorageError
from mores.core.files import own_file
from mores.models.request import Reply

SCHEMA_VERSION = 5
READ_ROWS = "SELECT key, item, role, step, sample, request, reply FROM replies"
STRANGE = (
    sqlite3.DatabaseError, msgspec.DecodeError, ValueError, TypeError, KeyError, OverflowError, RecursionError,
)  # fmt: skip
"""Errors of reading a journal that is damaged."""
_TABLES = """
CREATE TABLE IF NOT EXISTS parts (hash BLOB PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS replies (
  id INTEGER PRIMARY KEY, key BLOB NOT NULL, item TEXT NOT NULL, role TEXT NOT NULL, step INTEGER NOT NULL,
  sample INTEGER NOT NULL, request TEXT NOT NULL, reply TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS keys (last INTEGER PRIMARY KEY, beginnings BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS failures (
  item TEXT NOT NULL, role TEXT NOT NULL, step INTEGER NOT NULL, sample INTEGER NOT NULL,
  attempt INTEGER NOT NULL, cause TEXT NOT NULL, detail TEXT NOT NULL, passing INTEGER NOT NULL
);
"""


class JournalRow(NamedTuple):
    """One reply as it lies in the journal."""

    key: bytes
    item: str
    role: str
    step: int
    sample: int
    request: str
    reply: str


@lru_cache(maxsize=1_024)
def part_name(words: str) -> bytes:
    """The name of long words in the journal; most of them stand in many calls."""
    return hashlib.blake2b(words.encode(), digest_size=16).digest()


def damaged(path: Path, error: object) -> StorageError:
    """The error of a journal that cannot be read."""
    return StorageError(f"{path}: damaged ({error}); start a new run (--reuse of a sound one saves calls).")


def unknown(path: Path, version: int) -> InputError:
    """The error of a journal of another version."""
    return InputError(
        f"{path}: journal of version {version}; this mores reads version {SCHEMA_VERSION}. Start a new run."
    )


def open_journal(path: Path, *, full: bool) -> sqlite3.Connection:
    """A connection to a journal for writing, made where there is none.

    Raises:
        InputError: it is no journal, or one of another version.
        StorageError: it cannot be opened.
    """
    own_file(path)
    try:
        connection = sqlite3.connect(path, check_same_thread=False, isolation_level="IMMEDIATE")
        connection.execute("PRAGMA journal_mode = WAL")
        # The journal has the log moved by a thread; by itself some commit would stop to do it.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in {0, SCHEMA_VERSION}:  # SQLite's own for a new file is 0
            raise unknown(path, version)
        connection.executescript(f"{_TABLES} PRAGMA user_version = {SCHEMA_VERSION};")
    except sqlite3.OperationalError as error:
        raise StorageError(f"{path}: cannot be opened ({error}).") from error
    except sqlite3.DatabaseError as error:
        raise InputError(f"{path}: not a journal ({error}).") from error
    return connection


def check_sound(connection: sqlite3.Connection, path: Path) -> None:
    """Have SQLite look through a journal that is written on.

    Raises:
        StorageError: it is damaged.
    """
    try:
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        raise damaged(path, error) from error
    if found != "ok":
        raise damaged(path, found)


def move_log(path: Path, how: Literal["PASSIVE", "RESTART"]) -> None:
    """Move the log into the file as far as nobody is reading it; what is left stays for the next time.

    That no room is left for it is for the next commit to tell.
    """
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(path, timeout=0.0)) as connection:
        connection.execute(f"PRAGMA wal_checkpoint({how})")


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


decoder = msgspec.json.Decoder(Reply)
_CHUNK = 1 << 20
_QUERY = f"{READ_ROWS} WHERE rowid = ?"
_INSERT = """
INSERT INTO replies (rowid, key, item, role, step, sample, request, reply) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""


class Replies:
    """The replies in a file, looked for through one connection.

    Raises:
        StorageError: the file is damaged.
    """

    def __init__(self, reader: sqlite3.Connection, path: Path) -> None:
        self._reader, self._path = reader, path
        self._index, self._last, self._all_seen = KeyIndex(), 0, False
        try:
            self.catch_up()
            if not len(self._index) == self._last == last_row(reader):
                self._see_all()  # somebody took rows away
        except STRANGE as error:
            raise damaged(path, error) from error

    def forget(self) -> None:
        """Give the memory of the keys back; nothing is found any more."""
        self._index = KeyIndex()

    def find(self, key: bytes) -> Reply | None:
        """The reply of a request, if there is one; that there is none costs no look into the file.

        Raises:
            StorageError: the file is damaged.
        """
        if key not in self._index:
            return None
        try:
            row = self._row(key)
            return None if row is None else decoder.decode(row.reply)
        except STRANGE as error:
            raise damaged(self._path, error) from error

    def _row(self, key: bytes) -> JournalRow | None:
        rows = self._index.rows(key)
        for number in rows:
            found = self._reader.execute(_QUERY, (number,)).fetchone()
            # The index knows the first eight bytes of a key, the row all of them.
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


def last_row(connection: sqlite3.Connection) -> int:
    """The number of the last reply of a journal; 0 where it has none."""
    return connection.execute("SELECT max(rowid) FROM replies").fetchone()[0] or 0
