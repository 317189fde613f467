"""Claims of calls by several runners on one journal, so that none is paid for twice.

A runner claims a call before it asks, and others wait for the reply. A claim holds while its runner lives, which the
system tells by the lock on a file of that runner: no clock can be wrong, and what a killed runner had claimed is free
at once. A runner that is stopped lives, and others wait for it: they can say for whom, and since when. All runners of a
journal are on one machine, as SQLite's log wants it too.
"""

import fcntl
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from mores.core.errors import StorageError
from mores.core.files import own_file, this_process
from mores.models.journal import Journal

LOOK_EVERY = 0.1
"""Seconds after which a runner looks again whether another's call was answered."""
_BUSY_SECONDS = 60.0
"""Seconds that a claim waits for other writers of the file."""
_TABLE = "CREATE TABLE IF NOT EXISTS claims (key BLOB PRIMARY KEY, runner TEXT NOT NULL) WITHOUT ROWID"


class ClaimHolder(NamedTuple):
    """For which runner somebody waits, as `process 7 on HOST`, since when, and for what of it."""

    runner: str
    since: float
    wanted: str = "a reply that another runner asks for"

    @property
    def seconds(self) -> float:
        """Seconds for which it has lasted."""
        return time.time() - self.since

    @property
    def description(self) -> str:
        """The wait in words for people, with what ends it."""
        since, number = time.strftime("%H:%M:%S", time.localtime(self.since)), self.runner.split()[1]
        return (
            f"waiting since {since} for {self.wanted}, {self.runner}. If that one is stopped, "
            f"let it go on (kill -CONT {number}) or end it (kill -9 {number}); this one then goes on by itself."
        )


class CallClaims:
    """One runner's claims in a journal that is open; begun by one runner at a time.

    `others` says whether other runners are at work on the journal, and `waits` for whom this one waits, by call.
    """

    def __init__(self, journal: Journal) -> None:
        self.runner = secrets.token_hex(8)
        self._journal, self._path, self._own = journal, journal.path, _file_of(journal.path, self.runner)
        # Before the own file is made, which would be taken for another runner.
        files = journal.path.parent.glob(_file_of(journal.path, "*").name)
        alive = {path: _lives(path) for path in files}
        self.others = any(alive.values())
        own_file(self._own)
        self._lock = os.open(self._own, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        os.write(self._lock, this_process().encode())
        self.waits: dict[bytes, ClaimHolder] = {}
        for path in (path for path, lives in alive.items() if not lives):
            path.unlink(missing_ok=True)
        with self._errors_named():
            self._connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)
            self._connection.execute("PRAGMA wal_autocheckpoint = 0")
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(_TABLE)

    def acquire(self, key: bytes) -> bool:
        """True where this runner is to ask; False where the reply is there, or another runner asks for it.

        Raises:
            StorageError: the journal cannot be written.
        """
        if not self._is_free(key):
            return False
        self.waits.pop(key, None)
        with self._errors_named(), self._connection as transaction:
            transaction.execute("BEGIN IMMEDIATE")
            # Once more under the write lock, as another runner may have claimed it since.
            free = self._is_free(key)
            if free:
                transaction.execute("INSERT OR REPLACE INTO claims VALUES (?, ?)", (key, self.runner))
        return free

    def drop(self, key: bytes) -> None:
        """Leave a call to others, if this runner had claimed it, and wait for it no more."""
        self.waits.pop(key, None)
        with self._errors_named():
            self._connection.execute("DELETE FROM claims WHERE key = ? AND runner = ?", (key, self.runner))

    def longest_wait(self) -> ClaimHolder | None:
        """Of the calls that are left to others for now, the one that has been waited for longest; None without any."""
        return min(self.waits.values(), key=lambda wait: wait.since, default=None)

    def close(self) -> None:
        """Leave everything to others."""
        with self._errors_named():
            self._connection.execute("DELETE FROM claims WHERE runner = ?", (self.runner,))
        self._connection.close()
        self._own.unlink(missing_ok=True)
        os.close(self._lock)

    def _is_free(self, key: bytes) -> bool:
        with self._errors_named():
            if self._journal.look_up(key) is not None:
                self.waits.pop(key, None)
                return False
            held = self._connection.execute("SELECT runner FROM claims WHERE key = ?", (key,)).fetchone()
        if held is None or held[0] == self.runner:
            return True
        other = _file_of(self._path, held[0])
        if not _lives(other):
            return True
        if key not in self.waits:
            self.waits[key] = ClaimHolder(other.read_text(encoding="utf-8"), time.time())
        return False

    @contextmanager
    def _errors_named(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise StorageError(f"{self._path}: no call can be claimed in it ({error}).") from error


def _file_of(journal: Path, runner: str) -> Path:
    return journal.with_name(f".runner-{runner}")


def _lives(path: Path) -> bool:
    """True if the runner of a file still holds its lock."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        # A shared lock, so that two who ask at once do not take each other for the living runner.
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
