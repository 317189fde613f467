"""Journals read back: whole, for readers and exports, or call by call, for a later run that reuses them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct, field

from mores.core.errors import InputError
from mores.core.transcript import Message
from mores.models.lookup import STRANGE, Replies, damaged, decoder
from mores.models.request import Reply, Tag, Usage
from mores.models.seals import Row, unchanged, whole_rows

SCHEMA_VERSION = 4
"""2 names long paragraphs of a message, 3 has checksums, 4 keys apart; what earlier ones have is read and continued."""
_NO_FILES = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY})


class Entry(NamedTuple):
    """One journalled call, read back."""

    tag: Tag
    messages: tuple[Message, ...]
    reply: Reply


class Thought(NamedTuple):
    """Tokens of thinking that one reply took; `estimated` where an endpoint sent the words and no count."""

    item: str
    tokens: int
    estimated: bool


class Spent(Struct, frozen=True, kw_only=True):
    """What the replies of one role took, and the models that these say they are of."""

    calls: int
    input_tokens: int
    output_tokens: int
    answered_as: tuple[str, ...]


class _Cost(msgspec.Struct):
    usage: Usage
    reasoning: str = ""
    model: str = ""


_costs = msgspec.json.Decoder(_Cost)


def unknown(path: Path, version: int) -> InputError:
    """What is told of a journal of a version that is not known."""
    return InputError(f"{path}: journal of version {version}; this mores reads versions to {SCHEMA_VERSION}.")


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
        if not 1 <= version <= SCHEMA_VERSION:
            raise unknown(path, version)
        self._replies = Replies(self._reader, path)

    def find(self, key: bytes) -> Reply | None:
        """The journalled reply of an equal request, if there is one."""
        return self._replies.find(key)

    def close(self) -> None:
        """Close the file."""
        self._reader.close()


def read_entries(path: Path) -> Iterator[Entry]:
    """All journalled calls of a file, in the order of item, sample, role and step; for readers and exports."""
    try:
        with closing(reader_of(path)) as connection:
            yield from _entries(connection, path)
    except STRANGE as error:
        raise damaged(path, error) from error


def read_thoughts(path: Path, role: str) -> Iterator[Thought]:
    """The tokens of thinking of all replies of one role, in the order of item, sample and step."""
    try:
        with closing(reader_of(path)) as connection:
            query = whole_rows(connection, "WHERE role = ? ORDER BY item, sample, step")
            for found in connection.execute(query, (role,)):
                row = unchanged(Row(*found), path)
                cost = _costs.decode(row.reply)
                counted = cost.usage.reasoning
                yield Thought(row.item, counted or -(-len(cost.reasoning) // 4), not counted and bool(cost.reasoning))
    except STRANGE as error:
        raise damaged(path, error) from error


def read_spent(path: Path) -> dict[str, Spent]:
    """What all replies of a journal took, by role: the same however often their run was cut."""
    found: dict[str, _Sum] = {}
    try:
        with closing(reader_of(path)) as connection:
            for row in map(Row._make, connection.execute(whole_rows(connection, ""))):
                found.setdefault(row.role, _Sum()).add(_costs.decode(unchanged(row, path).reply))
    except STRANGE as error:
        raise damaged(path, error) from error
    return {role: found[role].spent() for role in sorted(found)}


class _Sum(Struct):
    """What the replies of one role took so far."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    models: set[str] = field(default_factory=set)

    def add(self, cost: _Cost) -> None:
        self.calls += 1
        self.input_tokens += cost.usage.input
        self.output_tokens += cost.usage.output
        self.models.add(cost.model)

    def spent(self) -> Spent:
        named = tuple(sorted(self.models - {""}))
        return Spent(
            calls=self.calls, input_tokens=self.input_tokens, output_tokens=self.output_tokens, answered_as=named
        )


def _entries(connection: sqlite3.Connection, path: Path) -> Iterator[Entry]:
    parts = dict(connection.execute("SELECT hash, text FROM parts"))
    for found in connection.execute(whole_rows(connection, "ORDER BY item, sample, role, step")):
        row = unchanged(Row(*found), path)
        messages = tuple(_message(who, words, parts) for who, words in msgspec.json.decode(row.request))
        tag = Tag(item=row.item, role=row.role, step=row.step, sample=row.sample)
        yield Entry(tag, messages, decoder.decode(row.reply))


def _message(role: str, words: str | list[str], parts: dict[bytes, str]) -> Message:
    """A message of a row: a `#` stands before the role of one that is named as a whole."""
    if role.startswith("#"):
        role, words = role[1:], ["", str(words), ""]
    if isinstance(words, list):
        words = "".join(parts[bytes.fromhex(w)] if number % 2 else w for number, w in enumerate(words))
    return msgspec.convert({"role": role, "content": words}, Message)
