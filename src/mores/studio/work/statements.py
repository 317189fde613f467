"""Statements in SQL by hand, for what every answer and every claim does: models take longer to compose them.

PostgreSQL plans each once a connection, as planning takes it several times as long as carrying out, and is sent
several in one message. What it plans stays with the connection, so a pooler before it has to pool sessions.
"""

import hashlib
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

from django.db import connection

SqlValue = str | int | datetime | None
SqlRows = list[tuple[Any, ...]]


class SqlQuery(NamedTuple):
    """A statement in SQL and its values."""

    words: str
    values: tuple[SqlValue, ...] = ()


Ask = Callable[..., list[SqlRows]]
"""Asks for the rows of several statements."""


class _Planned(threading.local):
    """Names of the statements that a thread's connection has planned."""

    link: object = None
    names: frozenset[str] = frozenset()


class _Plan(NamedTuple):
    """How PostgreSQL is told to plan a statement, and to carry it out."""

    name: str
    prepare: str
    execute: str


_planned = _Planned()


def by_hand(words: str, *values: SqlValue) -> SqlRows:
    """Rows of a statement; one that writes gives some by RETURNING."""
    (rows,) = all_by_hand(SqlQuery(words, values))
    return rows


def all_by_hand(*asked: SqlQuery) -> list[SqlRows]:
    """Rows of several statements, one after another; each sees what was committed until it begins, as if alone."""
    if connection.vendor == "sqlite":
        return [_rows(each) for each in asked]
    connection.ensure_connection()
    with connection.wrap_database_errors:
        return _results(connection.connection, asked)


def _rows(asked: SqlQuery) -> SqlRows:
    with connection.cursor() as cursor:
        cursor.execute(asked.words, asked.values)
        return cursor.fetchall() if cursor.description else []


def _results(link: Any, asked: tuple[SqlQuery, ...]) -> list[SqlRows]:
    """What PostgreSQL answers to one message with all of them."""
    plans = [_plan(each.words) for each in asked]
    if _planned.link is not link:
        _planned.link, _planned.names = link, frozenset()
    for plan in plans:
        if plan.name not in _planned.names:
            link.execute(plan.prepare)
            _planned.names |= {plan.name}
    # The driver's own cursor: Django's would take half of the time again.
    cursor = link.cursor()
    cursor.execute("; ".join([plan.execute for plan in plans]), [value for each in asked for value in each.values])
    rows = [_fetched(cursor)]
    while cursor.nextset():
        rows.append(_fetched(cursor))
    return rows


@cache
def _plan(words: str) -> _Plan:
    name = f"by_hand_{hashlib.sha256(words.encode()).hexdigest()[:16]}"
    first, *rest = words.replace("%%", "%").split("%s")
    numbered = first + "".join(f"${number}{part}" for number, part in enumerate(rest, start=1))
    values = f" ({', '.join(['%s'] * len(rest))})" if rest else ""
    return _Plan(name, f"PREPARE {name} AS {numbered}", f"EXECUTE {name}{values}")


def _fetched(cursor: Any) -> SqlRows:
    """All rows of what was asked last; none where it gives none."""
    return [] if cursor.rownumber is None else cursor.fetchall()


def locking(table: str) -> str:
    """What makes a query hold the rows of a table; SQLite's one writer needs none."""
    return f" FOR UPDATE OF {table}" if connection.vendor == "postgresql" else ""


def stored_time(at: datetime) -> SqlValue:
    """A time as a statement writes it."""
    adapted: SqlValue = connection.ops.adapt_datetimefield_value(at)
    return adapted


def read_time(at: datetime | str) -> datetime:
    """A time as a statement reads it, which may come without its zone."""
    return (at if isinstance(at, datetime) else datetime.fromisoformat(at)).replace(tzinfo=UTC)
