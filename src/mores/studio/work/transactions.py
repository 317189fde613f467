"""One way to write: a transaction at the database's own time.

SQLite has one writer at a time. Within a process writers queue at a lock, which is fair and quick; between processes
they wait at the database's.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from datetime import UTC, datetime
from threading import RLock
from typing import Any, NamedTuple

from django.db import connection, transaction

_WRITER = RLock()
_FLUSHED_LATER = ContextVar("flushed later", default=False)
_TIME = {"sqlite": "SELECT strftime('%%Y-%%m-%%dT%%H:%%M:%%f', 'now')", "postgresql": "SELECT clock_timestamp()"}
Value = str | int | datetime | None
Rows = list[tuple[Any, ...]]


class Asked(NamedTuple):
    """A statement in SQL and its values."""

    words: str
    values: tuple[Value, ...] = ()


@contextmanager
def writing() -> Iterator[datetime]:
    """A transaction, or the one that is under way; gives the database's time."""
    with writing_first() as (now, _):
        yield now


@contextmanager
def writing_first(*asked: Asked) -> Iterator[tuple[datetime, list[Rows]]]:
    """The same, which begins with some statements; gives their rows too."""
    with _WRITER if connection.vendor == "sqlite" else nullcontext(), transaction.atomic(savepoint=False):
        opening = (*_without_waiting(), Asked(_TIME[connection.vendor]))
        rows = all_by_hand(*opening, *asked)
        ((now,),) = rows[len(opening) - 1]
        yield _time(now), rows[len(opening) :]


def one_commit() -> AbstractContextManager[object]:
    """All that is written within, as one transaction on SQLite, where each commit waits for the disk alone.

    PostgreSQL commits many at once; there, each stays a transaction of its own, so that locks are held no longer and
    are always taken in one order.
    """
    return writing() if connection.vendor == "sqlite" else nullcontext()


@contextmanager
def one_flush() -> Iterator[None]:
    """All that is written within, on PostgreSQL, waits for the disk once: in the end, before anybody is told of it.

    Its transactions commit at once and let their locks go, so that nobody waits for another's disk: above all not at
    the audit trail, which is locked until its event is committed. The log of a database is written in order, and what
    ends here is written last: once it is on the disk all before it is.
    """
    if connection.vendor == "sqlite" or _FLUSHED_LATER.get():
        yield
        return
    before = _FLUSHED_LATER.set(True)
    try:
        yield
    finally:
        _FLUSHED_LATER.reset(before)
    by_hand("SELECT pg_logical_emit_message(true, 'mores', '')")


def _without_waiting() -> tuple[Asked, ...]:
    """What lets a transaction commit before the disk has it."""
    return (Asked("SET LOCAL synchronous_commit = off"),) if _FLUSHED_LATER.get() else ()


def by_hand(words: str, *values: Value) -> Rows:
    """Rows of a statement in SQL; one that writes gives some by RETURNING.

    For what every answer and every claim does: composing these by models takes longer than carrying them out.
    """
    (rows,) = all_by_hand(Asked(words, values))
    return rows


def all_by_hand(*asked: Asked) -> list[Rows]:
    """Rows of several statements, one after another; PostgreSQL is sent them in one message.

    Each sees what was committed until it begins, as if it had come alone.
    """
    if connection.vendor == "sqlite":
        return [_rows(each) for each in asked]
    with connection.cursor() as cursor:
        cursor.execute("; ".join(each.words for each in asked), [value for each in asked for value in each.values])
        rows = [_fetched(cursor)]
        while cursor.nextset():
            rows.append(_fetched(cursor))
        return rows


def _rows(asked: Asked) -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(asked.words, asked.values)
        return _fetched(cursor)


def _fetched(cursor: Any) -> Rows:
    """All rows of what was asked last; none where it gives none."""
    return cursor.fetchall() if cursor.description else []


def locking(table: str) -> str:
    """What makes a query hold the rows of a table; SQLite's one writer needs none."""
    return f" FOR UPDATE OF {table}" if connection.vendor == "postgresql" else ""


def stored_time(at: datetime) -> Value:
    """A time as a statement by hand writes it."""
    adapted: Value = connection.ops.adapt_datetimefield_value(at)
    return adapted


def read_time(at: datetime) -> datetime:
    """A time as a statement by hand reads it, which SQLite gives without its zone."""
    return at.replace(tzinfo=UTC)


def database_time() -> datetime:
    """The time by the clock of the database, which all processes share."""
    ((now,),) = by_hand(_TIME[connection.vendor])
    return _time(now)


def _time(now: datetime | str) -> datetime:
    return now if isinstance(now, datetime) else datetime.fromisoformat(now).replace(tzinfo=UTC)
