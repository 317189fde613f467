"""The file of a journal: its rows and tables, how it is opened and checked, and its log."""

import hashlib
import sqlite3
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from mores.core.errors import InputError, StorageError
from mores.core.files import own_file

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
