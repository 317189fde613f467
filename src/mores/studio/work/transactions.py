"""Transactions at the database's own time, and the statements in SQL by which work is claimed and answers are stored.

SQLite has one writer at a time. Within a process writers queue at a lock, which is fair and quick; between processes
they wait at the database's.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from datetime import UTC, datetime
from threading import RLock
from typing import Any, TypeAlias

from django.db import connection, transaction

SqlValue: TypeAlias = str | int | datetime | None
SqlRows: TypeAlias = list[tuple[Any, ...]]
# It may be taken again by its holder, as transactions within one another are one.
_WRITER = RLock()
_FLUSHED_LATER = ContextVar("flushed later", default=False)
_UNDER_WAY: ContextVar[datetime | None] = ContextVar("time of the transaction under way", default=None)
_TIME = {"sqlite": "SELECT strftime('%%Y-%%m-%%dT%%H:%%M:%%f', 'now')", "postgresql": "SELECT clock_timestamp()"}
_WITHOUT_WAITING = "SELECT clock_timestamp(), set_config('synchronous_commit', 'off', true)"
# A message in the log: PostgreSQL flushes nothing for a commit that has written nothing.
_FLUSH = "SELECT pg_logical_emit_message(true, 'mores', '')"


@contextmanager
def writing() -> Iterator[datetime]:
    """A transaction, or the one that is under way; gives the database's time at which it began."""
    with _WRITER if connection.vendor == "sqlite" else nullcontext(), transaction.atomic(savepoint=False):
        begun = _UNDER_WAY.get()
        if begun is not None:
            yield begun
            return
        ((stored, *_),) = sql(_WITHOUT_WAITING if _FLUSHED_LATER.get() else _TIME[connection.vendor])
        now = read_time(stored)
        token = _UNDER_WAY.set(now)
        try:
            yield now
        finally:
            _UNDER_WAY.reset(token)


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
    sql(_FLUSH)


def database_time() -> datetime:
    """The time by the clock of the database, which all processes share."""
    ((now,),) = sql(_TIME[connection.vendor])
    return read_time(now)


def sql(text: str, *values: SqlValue) -> SqlRows:
    """Rows of a statement; one that writes gives some by RETURNING."""
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        return cursor.fetchall() if cursor.description else []


def locking(table: str) -> str:
    """The end of a query that holds the rows of a table; SQLite's one writer needs none."""
    return f" FOR UPDATE OF {table}" if connection.vendor == "postgresql" else ""


def stored_time(at: datetime) -> SqlValue:
    """A time as a statement writes it."""
    adapted: SqlValue = connection.ops.adapt_datetimefield_value(at)
    return adapted


def read_time(at: datetime | str) -> datetime:
    """A time as a statement reads it, which may come without its zone."""
    return (at if isinstance(at, datetime) else datetime.fromisoformat(at)).replace(tzinfo=UTC)
