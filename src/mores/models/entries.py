"""Journals read back: whole, for readers and exports, or call by call, for a later run that reuses them."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec

from mores.core.errors import InputError, StorageError
from mores.core.transcript import Message
from mores.models.request import Reply, Tag, Usage
from mores.models.seals import SEALING, Row, unchanged, whole_rows

SCHEMA_VERSION = SEALING
"""2 names long paragraphs of a message, 3 has checksums; what 1 and 2 have is read and continued."""
_decoder = msgspec.json.Decoder(Reply)
_STRANGE = (sqlite3.DatabaseError, msgspec.DecodeError, ValueError, TypeError, KeyError, RecursionError)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
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


def damaged(path: Path, error: Exception) -> StorageError:
    """What is told of a journal that cannot be read."""
    return StorageError(f"{path}: damaged ({error}); start a new run (--reuse of a sound one saves calls).")


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
            self._query = whole_rows(self._reader, "WHERE key = ?")
        except sqlite3.DatabaseError as error:
            raise InputError(f"{path}: not a journal of mores ({error}).") from error
        if not 1 <= version <= SCHEMA_VERSION:
            raise unknown(path, version)

    def find(self, key: bytes) -> Reply | None:
        """The journalled reply of an equal request, if there is one."""
        return find_reply(self._reader, self._query, key, self.path)

    def close(self) -> None:
        """Close the file."""
        self._reader.close()


def find_reply(reader: sqlite3.Connection, query: str, key: bytes, path: Path) -> Reply | None:
    """The journalled reply of a request, if there is one; `query` is for whole rows by key.

    Raises:
        InputError: the row was changed after it was written.
        StorageError: the file is damaged.
    """
    try:
        row = reader.execute(query, (key,)).fetchone()
        return None if row is None else _decoder.decode(unchanged(Row(*row), path).reply)
    except _STRANGE as error:
        raise damaged(path, error) from error


def read_entries(path: Path) -> Iterator[Entry]:
    """All journalled calls of a file, in the order of item, sample, role and step; for readers and exports."""
    try:
        with closing(reader_of(path)) as connection:
            yield from _entries(connection, path)
    except _STRANGE as error:
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
    except _STRANGE as error:
        raise damaged(path, error) from error


def read_spent(path: Path) -> dict[str, Spent]:
    """What all replies of a journal took, by role: the same however often their run was cut."""
    found: dict[str, list[_Cost]] = {}
    try:
        with closing(reader_of(path)) as connection:
            for row in map(Row._make, connection.execute(whole_rows(connection, "ORDER BY role"))):
                found.setdefault(row.role, []).append(_costs.decode(unchanged(row, path).reply))
    except _STRANGE as error:
        raise damaged(path, error) from error
    return {role: _sum(costs) for role, costs in found.items()}


def _sum(costs: Sequence[_Cost]) -> Spent:
    return Spent(
        calls=len(costs),
        input_tokens=sum(cost.usage.input for cost in costs),
        output_tokens=sum(cost.usage.output for cost in costs),
        answered_as=tuple(sorted({cost.model for cost in costs} - {""})),
    )


def _entries(connection: sqlite3.Connection, path: Path) -> Iterator[Entry]:
    parts = dict(connection.execute("SELECT hash, text FROM parts"))
    for found in connection.execute(whole_rows(connection, "ORDER BY item, sample, role, step")):
        row = unchanged(Row(*found), path)
        messages = tuple(_message(who, words, parts) for who, words in msgspec.json.decode(row.request))
        tag = Tag(item=row.item, role=row.role, step=row.step, sample=row.sample)
        yield Entry(tag, messages, _decoder.decode(row.reply))


def _message(role: str, words: str | list[str], parts: dict[bytes, str]) -> Message:
    """A message of a row: a `#` stands before the role of one that is named as a whole."""
    if role.startswith("#"):
        role, words = role[1:], ["", str(words), ""]
    if isinstance(words, list):
        words = "".join(parts[bytes.fromhex(w)] if number % 2 else w for number, w in enumerate(words))
    return msgspec.convert({"role": role, "content": words}, Message)
