"""One way to write: a transaction at the database's own time.

SQLite has one writer at a time. Within a process writers queue at a lock, which is fair and quick; between processes
they wait at the database's.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import RLock

from django.db import connection, transaction

_WRITER = RLock()


@contextmanager
def writing() -> Iterator[datetime]:
    """A transaction; gives the database's time at its beginning."""
    if connection.vendor == "sqlite":
        with _WRITER, transaction.atomic():
            yield database_time()
    else:
        with transaction.atomic():
            yield database_time()


def database_time() -> datetime:
    """The time by the clock of the database, which all processes share."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT strftime('%Y-%m-%dT%H:%M:%f', 'now')")
            return datetime.fromisoformat(str(cursor.fetchone()[0])).replace(tzinfo=UTC)
        cursor.execute("SELECT clock_timestamp()")
        found: datetime = cursor.fetchone()[0]
        return found
