"""One way to write: a transaction at the database's own time.

SQLite has one writer at a time. Within a process writers queue at a lock, which is fair and quick; between processes
they wait at the database's.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from threading import RLock
from typing import Any

from django.db import connection, transaction

_WRITER = RLock()
Value = str | int | datetime | None


@contextmanager
def writing() -> Iterator[datetime]:
    """A transaction, or the one that is under way; gives the database's time."""
    with _WRITER if connection.vendor == "sqlite" else nullcontext(), transaction.atomic(savepoint=False):
        yield database_time()


def one_commit() -> AbstractContextManager[object]:
    """All that is written within, as one transaction on SQLite, where each commit waits for the disk alone.

    PostgreSQL commits many at once; there, each stays a transaction of its own, so that locks are held no longer and
    are always taken in one order.
    """
    return writing() if connection.vendor == "sqlite" else nullcontext()


def by_hand(words: str, *values: Value) -> list[tuple[Any, ...]]:
    """Rows of a statement in SQL; one that writes gives some by RETURNING.

    For what every answer and every claim does: composing these by models takes longer than carrying them out.
    """
    with connection.cursor() as cursor:
        cursor.execute(words, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


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
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT strftime('%Y-%m-%dT%H:%M:%f', 'now')")
            return datetime.fromisoformat(str(cursor.fetchone()[0])).replace(tzinfo=UTC)
        cursor.execute("SELECT clock_timestamp()")
        found: datetime = cursor.fetchone()[0]
        return found
