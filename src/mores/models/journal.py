"""The journal: every reply in one SQLite file before anything is built on it.

Keyed by the hash of the whole request and the sample index, so that a run killed at any point resumes and asks
no journalled call again. Replies are committed in groups, and only then are the waiting plays told: a commit costs
several times what one more reply in it does, so a reply waits for company for up to a hundredth of the time that it
took itself, and for up to a tenth while so many come in that it will not be alone. Who waits here holds no slot of the
endpoint's. The slow part, moving the log into the file, is done by a thread beside. Long message parts are stored
once by content hash. Failed attempts are logged in a table beside, and never answer a request.

Durability: WAL with synchronous=NORMAL is safe against kill -9; `full=True` also against power loss.
"""

import asyncio
import hashlib
import sqlite3
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import Struct

from mores.core.errors import StorageError
from mores.core.files import RAISE_LIMIT, TOO_LARGE, is_limited, sha256_of
from mores.core.transcript import Message
from mores.models.journal_file import JournalRow, Replies, check_sound, damaged, move_log, open_journal, part_name
from mores.models.model import KeyedModel
from mores.models.request import CallFailed, Reply, Request, Tag
from mores.models.request_body import KEPT, LONG, common

BREAK = "\n\n"
"""Between paragraphs."""
MOVE_EVERY, MOVE_NOW = 24 << 20, 48 << 20
"""Bytes that the log may gather before they are moved into the file; with the second, everybody waits for it."""
PAGE, COMMIT_PAGES = 4_096, 4
"""Bytes of a page of the log, and how many a commit takes beside its words: the ends of its tables."""
LONGEST_ROW = 256 << 20
"""Bytes of a reply; SQLite takes no row of a gigabyte, and what waits for one commit is written together."""
WAIT_SHARE, IN_COMPANY, SHORTEST_WAIT, LONGEST_WAIT = 0.01, 0.1, 0.001, 0.02
"""Wait of a reply for others: this share of the time that it took, alone and in company, in seconds at most so
many.

What would be shorter than the loop's clock can tell is no wait.
"""
LATEST, COMPANY, ENOUGH = 16, 2, 32
"""Replies from which it is seen how quickly they come, how many are company, and with how many nobody waits on."""
AT_LEISURE = 256
"""Replies that nobody waits for, after which they are committed."""

_encoder = msgspec.json.Encoder()


def request_key(model: KeyedModel, request: Request) -> bytes:
    """128-bit hash of all that decides a reply; tag and sealed key stay out, but for models that read them."""
    sampling, tag = request.sampling, request.tag
    key = request.key if model.reads_key else None
    # Where replies are drawn, two items with the same words have draws of their own.
    item = (tag.role, tag.item, tag.step) if model.by_item else tag.item if sampling.random else None
    labels = (request.labels,) if request.labels else ()  # apart: journals from before there were any keep their keys
    rest = (sampling, request.schema, tag.sample, item, key, *labels)
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


class _Batch(Struct):
    """Rows that gathered since the last commit; `due` is a time of the loop's clock, 0 for at once."""

    parts: dict[bytes, str]
    replies: dict[bytes, JournalRow]
    failures: list[tuple[object, ...]]
    waiting: list[asyncio.Future[None]]
    timer: asyncio.Handle | None = None
    due: float = 0.0
    size: int = 0
    unawaited: int = 0


class Journal:
    """One run's journal; open it once in a process, and in several only with `Claims` beside."""

    def __init__(self, path: Path, *, full: bool = False) -> None:
        self.path = path
        self._connection = open_journal(path, full=full)
        check_sound(self._connection, path)
        self._reader = open_journal(path, full=full)
        self._replies = Replies(self._reader, path)
        self._known: set[bytes] = set()
        self._mover = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._moving: Future[None] | None = None
        self._logged = 0
        self._batch: _Batch | None = None
        self._lost: StorageError | None = None
        self._came = deque[float](maxlen=LATEST)

    def find(self, key: bytes) -> Reply | None:
        """The journalled reply of a request, if there is one; what is not there costs no look into the file."""
        if self._batch is not None and key in self._batch.replies:
            self._commit()  # whoever waited for it was cancelled
        return self._replies.find(key)

    def look_up(self, key: bytes) -> Reply | None:
        """The reply of a request in the file, where another process may have put it."""
        try:
            self._replies.catch_up()
        except sqlite3.DatabaseError as error:
            raise damaged(self.path, error) from error
        return self._replies.find(key)

    async def write(self, key: bytes, request: Request, reply: Reply, *, at_once: bool = False) -> None:
        """Return once the reply is committed, with others unless it is to be at once.

        Raises:
            CallFailed: no row can hold it.
            StorageError: the disk is full or cannot be written.
        """
        loop = asyncio.get_running_loop()
        batch = self._add(key, request, reply, 0.0 if at_once else self._wait_of(reply.seconds, loop.time()))
        mine = loop.create_future()
        batch.waiting.append(mine)
        if len(batch.waiting) == ENOUGH and batch.due:
            self._hasten(batch, 0.0)
        await mine

    async def write_lazily(self, key: bytes, request: Request, reply: Reply) -> None:
        """Gather a reply that costs nothing to be given again: nobody waits until it is committed.

        Now and then the writer gives way to others, as nothing else would.

        Raises:
            CallFailed: no row can hold it.
            StorageError: the disk is full or cannot be written.
        """
        batch = self._add(key, request, reply, LONGEST_WAIT)
        batch.unawaited += 1
        if batch.unawaited >= AT_LEISURE:
            self._commit()
            await asyncio.sleep(0)
        self._fail_pending()

    def _wait_of(self, seconds: float, now: float) -> float:
        """Seconds for which a reply that took so long and came now waits for others."""
        wait = min(LONGEST_WAIT, IN_COMPANY * seconds)
        if wait < SHORTEST_WAIT:
            return 0.0
        came = self._came
        came.append(now)
        if len(came) < LATEST or wait * LATEST < COMPANY * (now - came[0]):
            wait = min(LONGEST_WAIT, WAIT_SHARE * seconds)
        return wait if wait >= SHORTEST_WAIT else 0.0

    def _add(self, key: bytes, request: Request, reply: Reply, wait: float) -> _Batch:
        """A reply put to what gathers."""
        encoded = _as_row(reply)
        batch = self._gathering(wait)
        tag = request.tag
        words = self._encoded_messages(request.messages, batch)
        batch.replies.setdefault(key, JournalRow(key, tag.item, tag.role, tag.step, tag.sample, words, encoded))
        batch.size += _logged(len(words) + len(encoded))
        return batch

    def _fail_pending(self) -> None:
        if self._lost is not None:
            raise self._lost

    def log_failure(self, tag: Tag, attempt: int, cause: str, detail: str, *, passing: bool) -> None:
        """Log a failed attempt with the next commit; nobody waits for it."""
        row = (tag.item, tag.role, tag.step, tag.sample, attempt, cause, detail[:500], int(passing))
        self._gathering().failures.append(row)

    def _encoded_messages(self, messages: tuple[Message, ...], batch: _Batch) -> str:
        """Messages as they stand in a row: a common beginning by its name, others with their long paragraphs named."""
        first = common(messages)
        rest = [
            (m.role, m.content if len(m.content) < LONG else self._named(m.content, batch))
            for m in (messages if first is None else messages[1:])
        ]
        whole = rest if first is None else [("#" + first.role, self._name(first.content, batch)), *rest]
        return _encoder.encode(whole).decode()

    def _named(self, words: str, batch: _Batch) -> str | list[str]:
        """Words and names of long paragraphs in turn, words first; the words alone where no paragraph is long."""
        paragraphs = words.split(BREAK)
        if max(map(len, paragraphs)) < LONG:
            return words
        pieces = [""]
        for number, paragraph in enumerate(paragraphs):
            pieces[-1] += BREAK if number else ""
            if len(paragraph) < LONG:
                pieces[-1] += paragraph
            else:
                pieces += [self._name(paragraph, batch), ""]
        return pieces

    def _name(self, words: str, batch: _Batch) -> str:
        """The name of long words, which are stored with the batch if they are not yet."""
        part = part_name(words)
        if part not in self._known and part not in batch.parts:
            batch.parts[part] = words
        return part.hex()

    def _gathering(self, wait: float = 0.0) -> _Batch:
        """The batch that gathers now, to be committed in so many seconds or sooner."""
        batch = self._batch
        if batch is None:
            batch = self._batch = _Batch({}, {}, [], [])
            self._hasten(batch, wait)
        elif batch.due and (not wait or asyncio.get_running_loop().time() + wait < batch.due):
            self._hasten(batch, wait)
        return batch

    def _hasten(self, batch: _Batch, wait: float) -> None:
        """Have what gathers committed in so many seconds, and no later."""
        loop = asyncio.get_running_loop()
        if batch.timer is not None:
            batch.timer.cancel()
        batch.timer = loop.call_later(wait, self._commit) if wait else loop.call_soon(self._commit)
        batch.due = loop.time() + wait if wait else 0.0

    def _commit(self) -> None:
        batch, self._batch = self._batch, None
        if batch is None:
            return
        if batch.timer is not None:
            batch.timer.cancel()
        try:
            self._store(batch.parts, batch.replies, batch.failures)
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait are told
            failed = self._unwritten(error)
            self._lost = failed if batch.unawaited or batch.failures else self._lost
            _fail(batch.waiting, failed)
        else:
            _fail(batch.waiting, None)
            self._logged += COMMIT_PAGES * PAGE + batch.size + sum(_logged(len(text)) for text in batch.parts.values())
            self._keep_log_short()

    def _unwritten(self, error: Exception) -> StorageError:
        held = isinstance(error, sqlite3.Error) and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
        todo = "end what else writes to it" if held else "free some space"
        why: object = error
        if not held and is_limited(self.path, self.path.with_name(f"{self.path.name}-wal")):
            why, todo = TOO_LARGE, RAISE_LIMIT
        return StorageError(f"{self.path}: cannot be written ({why}); {todo}.")

    def _keep_log_short(self) -> None:
        """Have the log moved into the file when it has grown, and then begun anew.

        The thread beside moves what is there while more is written, which takes long; the little that came meanwhile is
        moved here, where nothing is written, since a log that is not wholly moved would go on to grow.
        """
        if self._moving is None:
            if self._logged >= MOVE_EVERY:
                self._logged = 0
                self._moving = self._mover.submit(move_log, self.path, "PASSIVE")
        elif self._moving.done() or self._logged >= MOVE_NOW - MOVE_EVERY:
            wait([self._moving])
            self._moving = None
            move_log(self.path, "RESTART")

    def store(self, parts: dict[bytes, str], replies: dict[bytes, JournalRow]) -> None:
        """Commit rows as they stand in another journal, and the words that they name; what is there already stays.

        Raises:
            StorageError: the disk is full or cannot be written.
        """
        self._commit()
        try:
            self._store(parts, replies, [])
        except sqlite3.Error as error:
            raise self._unwritten(error) from error
        lengths = (*map(len, parts.values()), *(len(row.request) + len(row.reply) for row in replies.values()))
        self._logged += COMMIT_PAGES * PAGE + sum(map(_logged, lengths))
        self._keep_log_short()

    def _store(
        self, parts: dict[bytes, str], replies: dict[bytes, JournalRow], failures: list[tuple[object, ...]]
    ) -> None:
        added = None
        with self._connection as transaction:
            # Locked before the first read in it: SQLite does not wait where a reader wants to become a writer.
            transaction.execute("BEGIN IMMEDIATE")
            if parts:
                transaction.executemany("INSERT OR IGNORE INTO parts VALUES (?, ?)", parts.items())
            if replies:
                added = self._replies.insert(transaction, replies)
            if failures:
                transaction.executemany("INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?, ?, ?)", failures)
        if added is not None:
            self._replies.learn(added)
        # A cap on memory: a part that is forgotten is offered to the file again, which ignores it.
        if len(self._known) < 10_000:
            self._known.update(parts)

    async def flush(self) -> None:
        """Return once all that was written so far is committed.

        Raises:
            StorageError: it could not be.
        """
        mine = asyncio.get_running_loop().create_future()
        self._gathering().waiting.append(mine)
        await mine
        self._fail_pending()

    def failures(self) -> dict[str, int]:
        """Failed attempts by cause, as far as they are committed."""
        try:
            return dict(self._reader.execute("SELECT cause, count(*) FROM failures GROUP BY cause ORDER BY cause"))
        except sqlite3.DatabaseError as error:
            raise damaged(self.path, error) from error

    def hashes(self) -> dict[str, str]:
        """The SHA-256 of its file by name, for the manifest of a finished run, its log moved into the file before.

        Nothing where somebody is reading meanwhile, as the file is not yet what it will be.
        """
        self._commit()
        wait([self._moving] if self._moving else [])
        try:
            busy, *_ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError:
            return {}
        except sqlite3.DatabaseError as error:
            raise damaged(self.path, error) from error
        return {} if busy else {self.path.name: sha256_of(self.path)}

    def close(self) -> None:
        """Commit what has gathered, close the file, and give back what is known of it."""
        self._commit()
        self._mover.shutdown()
        self._replies.forget()
        self._known.clear()
        self._reader.close()
        self._connection.close()


def _as_row(reply: Reply) -> str:
    """A reply as it stands in its row.

    Raises:
        CallFailed: it is too long for one, or has signs that are none.
    """
    try:
        encoded = _encoder.encode(reply)
    except UnicodeEncodeError as error:
        raise CallFailed("unreadable reply", f"it holds half a sign ({error.reason})") from error
    if len(encoded) > LONGEST_ROW:
        raise CallFailed("too large", f"a reply of {len(encoded):,} bytes; a row of the journal holds {LONGEST_ROW:,}")
    return encoded.decode()


def _logged(length: int) -> int:
    """Bytes that so many take in the log at most: what is longer than a page is written in whole ones."""
    return 2 * PAGE + length if length > PAGE // 2 else length + PAGE // 4


def _fail(waiting: list[asyncio.Future[None]], error: StorageError | None) -> None:
    for mine in waiting:
        if mine.done():
            continue
        if error is None:
            mine.set_result(None)
        else:
            mine.set_exception(error)
