"""Journals read back: whole, for readers and exports, or call by call, for a later run that reuses them."""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from mores.core.errors import InputError
from mores.core.transcript import Message
from mores.models.journal_file import READ_ROWS, SCHEMA_VERSION, STRANGE, JournalRow, Replies, damaged, decoder, unknown
from mores.models.request import Reply, Tag, Usage

_NO_FILES = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})


class Entry(NamedTuple):
    """One journalled call, read back."""

    tag: Tag
    messages: tuple[Message, ...]
    reply: Reply


class ReasoningUsage(NamedTuple):
    """Tokens of thinking that one reply took; `estimated` where an endpoint sent the words and no count."""

    item: str
    tokens: int
    estimated: bool


class Spent(Struct, frozen=True, kw_only=True):
    """Tokens of the replies of one role, and the models that these say they are of."""

    calls: int
    input_tokens: int
    output_tokens: int
    answered_as: tuple[str, ...]


class _Cost(msgspec.Struct):
    usage: Usage
    reasoning: str = ""
    model: str = ""


_costs = msgspec.json.Decoder(_Cost)


def reader_of(path: Path) -> sqlite3.Connection:
    """A journal for reading, also where its folder can only be read: SQLite would make files beside it.

    Raises:
        InputError: the run was cut off, so that its last replies stand in a log that cannot be opened there.
    """
    uri = path.absolute().as_uri()
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        if error.sqlite_errorcode & 0xFF not in _NO_FILES:
            raise
        log = path.with_name(f"{path.name}-wal")
        if log.is_file() and log.stat().st_size:
            raise InputError(f"{path}: the run was cut off, and its folder can only be read; copy it first.") from None
        # Of a file that cannot change SQLite wants neither a log nor an index of one.
        connection = sqlite3.connect(f"{uri}?immutable=1", uri=True)
    return connection


class EarlierJournal:
    """An earlier run's journal, read only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._reader = reader_of(path)
            self._reader.execute("SELECT key FROM replies LIMIT 1").fetchone()
            version = self._reader.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise InputError(f"{path}: not a journal of mores ({error}).") from error
        if version != SCHEMA_VERSION:
            raise unknown(path, version)
        self._replies = Replies(self._reader, path)

    def find(self, key: bytes) -> Reply | None:
        """The journalled reply of an equal request, if there is one."""
        return self._replies.find(key)

    def close(self) -> None:
        """Close the file."""
        self._reader.close()


@contextmanager
def read_rows(path: Path, then: str, *given: str) -> Iterator[tuple[sqlite3.Connection, Iterator[JournalRow]]]:
    """A journal that is open, and those of its rows that a query names.

    Raises:
        InputError: its last rows cannot be opened.
        StorageError: what is read in here is damaged.
    """
    try:
        with closing(reader_of(path)) as connection:
            found = connection.execute(f"{READ_ROWS} {then}", given)
            yield connection, map(JournalRow._make, found)
    except STRANGE as error:
        raise damaged(path, error) from error


def count_replies(path: Path) -> int:
    """Number of replies in a journal; none where there is no file.

    Raises:
        StorageError: it is damaged.
    """
    if not path.is_file():
        return 0
    with read_rows(path, "LIMIT 0") as (connection, _):
        (count,) = connection.execute("SELECT count(*) FROM replies").fetchone()
    return int(count)


def read_entries(path: Path) -> Iterator[Entry]:
    """All journalled calls of a file, in the order of item, sample, role and step; for readers and exports."""
    with read_rows(path, "ORDER BY item, sample, role, step") as (connection, rows):
        parts = dict(connection.execute("SELECT hash, text FROM parts"))
        for row in rows:
            messages = tuple(_message(who, words, parts) for who, words in msgspec.json.decode(row.request))
            tag = Tag(item=row.item, role=row.role, step=row.step, sample=row.sample)
            yield Entry(tag, messages, decoder.decode(row.reply))


def read_thoughts(path: Path, role: str) -> Iterator[ReasoningUsage]:
    """The tokens of thinking of all replies of one role, in the order of item, sample and step."""
    with read_rows(path, "WHERE role = ? ORDER BY item, sample, step", role) as (_, rows):
        for row in rows:
            cost = _costs.decode(row.reply)
            counted = cost.usage.reasoning
            yield ReasoningUsage(
                row.item, counted or -(-len(cost.reasoning) // 4), not counted and bool(cost.reasoning)
            )


def read_spent(path: Path) -> dict[str, Spent]:
    """Tokens of all replies of a journal, by role: the same however often their run was cut."""
    calls, taken, given, models = Counter[str](), Counter[str](), Counter[str](), defaultdict[str, set[str]](set)
    with read_rows(path, "") as (_, rows):
        for row in rows:
            cost = _costs.decode(row.reply)
            calls[row.role] += 1
            taken[row.role] += cost.usage.input
            given[row.role] += cost.usage.output
            models[row.role].add(cost.model)
    return {
        role: Spent(
            calls=calls[role],
            input_tokens=taken[role],
            output_tokens=given[role],
            answered_as=tuple(sorted(models[role] - {""})),
        )
        for role in sorted(calls)
    }


def _message(role: str, words: str | list[str], parts: dict[bytes, str]) -> Message:
    """A message of a row: a `#` stands before the role of one that is named as a whole."""
    if role.startswith("#"):
        role, words = role[1:], ["", str(words), ""]
    if isinstance(words, list):
        words = "".join(parts[bytes.fromhex(w)] if number % 2 else w for number, w in enumerate(words))
    return msgspec.convert({"role": role, "content": words}, Message)
