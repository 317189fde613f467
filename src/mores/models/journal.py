"""The journal: every reply in one SQLite file before anything is built on it.

Keyed by the hash of the whole request and the sample index, so that a run killed at any point resumes and asks
no journalled call again. Replies are committed in groups, and only then are the waiting plays told: a commit costs
several times what one more reply in it does, so a reply waits for company for up to a hundredth of the time that it
took itself. The slow part, moving the log into the file, is done by a thread beside. Long message parts are stored
once by content hash. Failed attempts are logged in a table beside, and never answer a request.

Durability: WAL with synchronous=NORMAL is safe against kill -9; `full=True` also against power loss.
"""

import asyncio
import hashlib
import sqlite3
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from mores.core.errors import InputError, StorageError
from mores.core.files import own_file
from mores.core.transcript import Message
from mores.models.entries import SCHEMA_VERSION, damaged, find_reply, unknown
from mores.models.held import Held, held_by
from mores.models.model import Keyed
from mores.models.request import CallFailed, Reply, Request, Tag
from mores.models.seals import Row, has_seals, part_name, seal_all, sealed, whole_rows
from mores.models.written import KEPT, LONG, common

BREAK = "\n\n"
"""Between paragraphs."""
SIEVE_BYTES = 1 << 20
MOVE_EVERY, MOVE_NOW = 24 << 20, 48 << 20
"""Bytes that the log may gather before they are moved into the file; with the second, everybody waits for it."""
ROW_PAGES = 8_192
"""Bytes that a row takes in the log beside its words: a page for the table and one for its key."""
LONGEST_ROW = 256 << 20
"""Bytes of a reply; SQLite takes no row of a gigabyte, and what waits for one commit is written together."""
PATIENCE, SHORTEST_WAIT, LONGEST_WAIT = 0.01, 0.001, 0.02
"""How long a reply waits for others: this share of the time that it took, in seconds at most so many.

What would be shorter than the loop's clock can tell is no wait.
"""
AT_LEISURE = 256
"""Replies that nobody waits for, after which they are committed."""

_TABLES = """
CREATE TABLE IF NOT EXISTS parts (hash BLOB PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS replies (
  key BLOB PRIMARY KEY, item TEXT NOT NULL, role TEXT NOT NULL, step INTEGER NOT NULL, sample INTEGER NOT NULL,
  request TEXT NOT NULL, reply TEXT NOT NULL, seal BLOB
);
CREATE TABLE IF NOT EXISTS failures (
  item TEXT NOT NULL, role TEXT NOT NULL, step INTEGER NOT NULL, sample INTEGER NOT NULL,
  attempt INTEGER NOT NULL, cause TEXT NOT NULL, detail TEXT NOT NULL, passing INTEGER NOT NULL
);
"""
_encoder = msgspec.json.Encoder()


def request_key(model: Keyed, request: Request) -> bytes:
    """128-bit hash of all that decides a reply; tag and sealed key stay out, but for models that read them."""
    sampling, tag = request.sampling, request.tag
    sealed = request.key if model.sealed else None
    item = (tag.role, tag.item, tag.step) if model.by_item else tag.item if sampling.random else None
    labels = (request.labels,) if request.labels else ()  # apart: journals from before there were any keep their keys
    rest = (sampling, request.schema, tag.sample, item, sealed, *labels)
    first = common(request.messages)
    if first is None:
        return _hash(_encoder.encode((model.spec, model.identity, request.messages, *rest))).digest()
    whole = _begun(model.spec, model.identity, first).copy()
    whole.update(_encoder.encode((request.messages[1:], *rest))[len("[[") :])
    return whole.digest()


@lru_cache(maxsize=KEPT)
def _begun(spec: str, identity: str, first: Message) -> hashlib.blake2b:
    """The hash as far as calls with a common beginning share it, to the comma after that."""
    return _hash(_encoder.encode((spec, identity, (first,)))[: -len("]]")] + b",")


def _hash(written: bytes) -> hashlib.blake2b:
    return hashlib.blake2b(written, digest_size=16)


@dataclass(slots=True)
class _Batch:
    """What has gathered since the last commit."""

    parts: dict[bytes, str]
    replies: list[tuple[object, ...]]
    failures: list[tuple[object, ...]]
    waiting: list[asyncio.Future[None]]
    timer: asyncio.Handle
    due: float
    size: int = 0
    unawaited: int = 0


class Journal:
    """One run's journal; open it once in a process, and in several only with `Claims` beside."""

    def __init__(self, path: Path, *, full: bool = False) -> None:
        self.path = path
        self._connection = _open(path, full=full)
        self._reader = _open(path, full=full)
        self._sieve = bytearray(SIEVE_BYTES)
        try:
            for (key,) in self._reader.execute("SELECT key FROM replies"):
                self._mark(key)
            self._query = whole_rows(self._reader, "WHERE key = ?")
        except (sqlite3.DatabaseError, TypeError) as error:
            raise damaged(path, error) from error
        self._known: set[bytes] = set()
        self._mover = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._moving: Future[None] | None = None
        self._logged = 0
        self._batch: _Batch | None = None
        self._lost: StorageError | None = None

    def find(self, key: bytes) -> Reply | None:
        """The journalled reply of a request, if there is one; most that are not there are known from the sieve."""
        place, bit = _sieved(key)
        if not self._sieve[place] & bit:
            return None
        self._commit()  # it may have gathered, and whoever waited for it was cancelled
        return self.look_up(key)

    def look_up(self, key: bytes) -> Reply | None:
        """The reply of a request in the file, where another process may have put it."""
        return find_reply(self._reader, self._query, key, self.path)

    def _mark(self, key: bytes) -> None:
        place, bit = _sieved(key)
        self._sieve[place] |= bit

    async def write(self, key: bytes, request: Request, reply: Reply, *, at_once: bool = False) -> None:
        """Return once the reply is committed, with others unless it is to be at once.

        Raises:
            CallFailed: no row can hold it.
            StorageError: the disk is full or cannot be written.
        """
        batch = self._add(key, request, reply, 0.0 if at_once else _wait(reply.seconds))
        mine = asyncio.get_running_loop().create_future()
        batch.waiting.append(mine)
        await mine

    async def jot(self, key: bytes, request: Request, reply: Reply) -> None:
        """Gather a reply that costs nothing to be given again: nobody waits until it is committed.

        Now and then whoever jots one down gives way to others, as nothing else would.

        Raises:
            CallFailed: no row can hold it.
            StorageError: the disk is full or cannot be written.
        """
        batch = self._add(key, request, reply, LONGEST_WAIT)
        batch.unawaited += 1
        if batch.unawaited >= AT_LEISURE:
            self._commit()
            await asyncio.sleep(0)
        self._tell_lost()

    def _add(self, key: bytes, request: Request, reply: Reply, wait: float) -> _Batch:
        """A reply put to what gathers."""
        said = _as_row(reply)
        batch = self._gathering(wait)
        self._mark(key)
        tag = request.tag
        words = self._words(request.messages, batch)
        batch.replies.append(sealed(Row(key, tag.item, tag.role, tag.step, tag.sample, words, said)))
        batch.size += ROW_PAGES + len(words) + len(said)
        return batch

    def _tell_lost(self) -> None:
        if self._lost is not None:
            raise self._lost

    def log_failure(self, tag: Tag, attempt: int, cause: str, detail: str, *, passing: bool) -> None:
        """Log a failed attempt with the next commit; nobody waits for it."""
        row = (tag.item, tag.role, tag.step, tag.sample, attempt, cause, detail[:500], int(passing))
        self._gathering().failures.append(row)

    def _words(self, messages: tuple[Message, ...], batch: _Batch) -> str:
        """Messages as they stand in a row: a common beginning by its name, others with their long paragraphs named."""
        first = common(messages)
        rest = [(m.role, self._named(m.content, batch)) for m in (messages if first is None else messages[1:])]
        whole = rest if first is None else [("#" + first.role, self._name(first.content, batch)), *rest]
        return _encoder.encode(whole).decode()

    def _named(self, words: str, batch: _Batch) -> str | list[str]:
        """Words and names of long paragraphs in turn, words first; the words alone where no paragraph is long."""
        if len(words) < LONG:
            return words
        pieces = [""]
        for number, paragraph in enumerate(words.split(BREAK)):
            pieces[-1] += BREAK if number else ""
            if len(paragraph) < LONG:
                pieces[-1] += paragraph
            else:
                pieces += [self._name(paragraph, batch), ""]
        return pieces if len(pieces) > 1 else words

    def _name(self, words: str, batch: _Batch) -> str:
        """The name of long words, which are stored with the batch if they are not yet."""
        part = part_name(words)
        if part not in self._known and part not in batch.parts:
            batch.parts[part] = words
        return part.hex()

    def _gathering(self, wait: float = 0.0) -> _Batch:
        """What gathers now, to be committed in so many seconds or sooner."""
        loop = asyncio.get_running_loop()
        due = loop.time() + wait
        if self._batch is None:
            self._batch = _Batch({}, [], [], [], self._later(loop, wait), due)
        elif due < self._batch.due:
            self._batch.timer.cancel()
            self._batch.timer, self._batch.due = self._later(loop, wait), due
        return self._batch

    def _later(self, loop: asyncio.AbstractEventLoop, wait: float) -> asyncio.Handle:
        return loop.call_later(wait, self._commit) if wait else loop.call_soon(self._commit)

    def _commit(self) -> None:
        batch, self._batch = self._batch, None
        if batch is None:
            return
        batch.timer.cancel()
        try:
            self._store(batch)
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait are told
            failed = StorageError(f"{self.path}: cannot be written ({error}); free some space.")
            self._lost = failed if batch.unawaited else self._lost
            _tell(batch.waiting, failed)
        else:
            _tell(batch.waiting, None)
            self._logged += batch.size + sum(map(len, batch.parts.values()))
            self._keep_log_short()

    def _keep_log_short(self) -> None:
        """Have the log moved into the file when it has grown, and then begun anew.

        The thread beside moves what is there while more is written, which takes long; the little that came meanwhile is
        moved here, where nothing is written, since a log that is not wholly moved would go on to grow.
        """
        if self._moving is None:
            if self._logged >= MOVE_EVERY:
                self._logged = 0
                self._moving = self._mover.submit(_move, self.path, "PASSIVE")
        elif self._moving.done() or self._logged >= MOVE_NOW - MOVE_EVERY:
            wait([self._moving])
            self._moving = None
            _move(self.path, "RESTART")

    def _store(self, batch: _Batch) -> None:
        with self._connection as transaction:
            if batch.parts:
                transaction.executemany("INSERT OR IGNORE INTO parts VALUES (?, ?)", batch.parts.items())
            if batch.replies:
                transaction.executemany("INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?)", batch.replies)
            if batch.failures:
                transaction.executemany("INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?, ?, ?)", batch.failures)
        if len(self._known) < 10_000:
            self._known.update(batch.parts)

    async def flush(self) -> None:
        """Return once all that was written so far is committed.

        Raises:
            StorageError: it could not be.
        """
        mine = asyncio.get_running_loop().create_future()
        self._gathering().waiting.append(mine)
        await mine
        self._tell_lost()

    def failures(self) -> dict[str, int]:
        """Failed attempts by cause, as far as they are committed."""
        try:
            return dict(self._reader.execute("SELECT cause, count(*) FROM failures GROUP BY cause ORDER BY cause"))
        except sqlite3.DatabaseError as error:
            raise damaged(self.path, error) from error

    def held(self) -> Held:
        """What it holds, moved into the file itself, for the manifest of a finished run."""
        self._commit()
        wait([self._moving] if self._moving else [])
        try:
            return held_by(self._connection, self.path)
        except sqlite3.DatabaseError as error:
            raise damaged(self.path, error) from error

    def close(self) -> None:
        """Commit what has gathered, and close the file."""
        self._commit()
        self._mover.shutdown()
        self._reader.close()
        self._connection.close()


def _as_row(reply: Reply) -> str:
    """A reply as it stands in its row.

    Raises:
        CallFailed: it is too long for one, or has signs that are none.
    """
    try:
        said = _encoder.encode(reply)
    except UnicodeEncodeError as error:
        raise CallFailed("unreadable reply", f"it holds half a sign ({error.reason})") from error
    if len(said) > LONGEST_ROW:
        raise CallFailed("too large", f"a reply of {len(said):,} bytes; a row of the journal holds {LONGEST_ROW:,}")
    return said.decode()


def _wait(seconds: float) -> float:
    """How long a reply that took so long waits for others.

    >>> _wait(60.0), _wait(0.2), _wait(0.05)
    (0.02, 0.002, 0.0)
    """
    wait = min(LONGEST_WAIT, PATIENCE * seconds)
    return wait if wait >= SHORTEST_WAIT else 0.0


def _sieved(key: bytes) -> tuple[int, int]:
    """Byte and bit of a key in the sieve: one bit of 2^23 says "never seen" for certain."""
    number = int.from_bytes(key[:3], "little")
    return number >> 3 & (SIEVE_BYTES - 1), 1 << (number & 7)


def _tell(waiting: list[asyncio.Future[None]], error: StorageError | None) -> None:
    for mine in waiting:
        if mine.done():
            continue
        if error is None:
            mine.set_result(None)
        else:
            mine.set_exception(error)


def _move(path: Path, how: Literal["PASSIVE", "RESTART"]) -> None:
    """Move the log into the file as far as nobody is reading it; what is left stays for the next time.

    That no room is left for it is for the next commit to tell.
    """
    with suppress(sqlite3.OperationalError), closing(sqlite3.connect(path, timeout=0.0)) as connection:
        connection.execute(f"PRAGMA wal_checkpoint({how})")


def _raise_version(connection: sqlite3.Connection) -> None:
    """Make a journal one of this version, its replies sealed, wholly or not at all."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if not has_seals(connection):
            connection.execute("ALTER TABLE replies ADD COLUMN seal BLOB")
        seal_all(connection)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _open(path: Path, *, full: bool) -> sqlite3.Connection:
    own_file(path)
    try:
        connection = sqlite3.connect(path, check_same_thread=False, isolation_level="IMMEDIATE")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise unknown(path, version)
        connection.executescript(_TABLES)
        if version < SCHEMA_VERSION:
            _raise_version(connection)
    except sqlite3.OperationalError as error:
        raise StorageError(f"{path}: cannot be opened ({error}).") from error
    except sqlite3.DatabaseError as error:
        raise InputError(f"{path}: not a journal ({error}).") from error
    return connection
