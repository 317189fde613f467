"""One way to write: a transaction at the database's own time.

SQLite has one writer at a time. Within a process writers queue at a lock, which is fair and quick; between processes
they wait at the database's.
"""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from datetime import datetime
from threading import RLock

from django.db import connection, transaction

from mores.studio.work.statements import Ask, SqlQuery, SqlRows, all_by_hand, by_hand, read_time

_WRITER = RLock()
_FLUSHED_LATER = ContextVar("flushed later", default=False)
_TIME = {"sqlite": "SELECT strftime('%%Y-%%m-%%dT%%H:%%M:%%f', 'now')", "postgresql": "SELECT clock_timestamp()"}
_WITHOUT_WAITING = "SELECT clock_timestamp(), set_config('synchronous_commit', 'off', true)"
_FLUSH = SqlQuery("SELECT pg_logical_emit_message(true, 'mores', '')")


@contextmanager
def writing() -> Iterator[datetime]:
    """A transaction, or the one that is under way; gives the database's time."""
    with writing_first() as (now, _):
        yield now


@contextmanager
def writing_first(*asked: SqlQuery) -> Iterator[tuple[datetime, list[SqlRows]]]:
    """The same, which begins with some statements; gives their rows too."""
    time = _WITHOUT_WAITING if _FLUSHED_LATER.get() else _TIME[connection.vendor]
    with _WRITER if connection.vendor == "sqlite" else nullcontext(), transaction.atomic(savepoint=False):
        ((now, *_),), *rows = all_by_hand(SqlQuery(time), *asked)
        yield read_time(now), rows


@contextmanager
def one_flush() -> Iterator[Ask]:
    """All that is written within, on PostgreSQL, waits for the disk once: in the end, before anybody is told of it.

    Its transactions commit at once and let their locks go, so that nobody waits for another's disk: above all not at
    the audit trail, which is locked until its event is committed. The log of a database is written in order, and what
    ends here is written last: once it is on the disk all before it is. What is given asks a last question along with
    it, in one message.
    """
    if connection.vendor == "sqlite" or _FLUSHED_LATER.get():
        yield all_by_hand
        return
    waiting = True

    def last(*asked: SqlQuery) -> list[SqlRows]:
        nonlocal waiting
        *rows, _ = all_by_hand(*asked, _FLUSH)
        waiting = False
        return rows

    before = _FLUSHED_LATER.set(True)
    try:
        yield last
    finally:
        _FLUSHED_LATER.reset(before)
    if waiting:
        last()


def database_time() -> datetime:
    """The time by the clock of the database, which all processes share."""
    ((now,),) = by_hand(_TIME[connection.vendor])
    return read_time(now)
