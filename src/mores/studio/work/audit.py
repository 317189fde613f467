"""The audit trail: each event holds the hash of the one before it, so that none can be changed unseen."""

import json
from collections.abc import Mapping
from datetime import datetime

from django.db import connection

from mores.core.codec import digest
from mores.studio.models import Event
from mores.studio.work.statements import SqlQuery, SqlRows, all_by_hand

STUDIO = 0
"""The chain of what concerns no project."""
NOTHING = "0" * 64
_LOCK = "SELECT pg_advisory_xact_lock(%s)"
_LAST = "SELECT number, sha256 FROM studio_event WHERE chain = %s ORDER BY number DESC LIMIT 1"
_APPEND = """
INSERT INTO studio_event (chain, number, who_id, what, about, at, before_sha256, sha256)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
"""


def record(chain: int, what: str, about: Mapping[str, object], *, who: int | None, at: datetime) -> None:
    """Append an event to a chain, in the transaction of what it tells of.

    Args:
        chain: The project's number, or `STUDIO`.
        what: What happened, such as `submit`.
        about: What it happened to, as plain JSON values.
        who: Number of the account, None for the studio itself.
        at: The transaction's time.
    """
    *_, last = all_by_hand(*end_of(chain))
    all_by_hand(appended(last, chain, what, about, who=who, at=at))


def end_of(chain: int) -> tuple[SqlQuery, ...]:
    """What locks a chain until the transaction ends, and finds its last event."""
    last = SqlQuery(_LAST, (chain,))
    return (SqlQuery(_LOCK, (chain,)), last) if connection.vendor == "postgresql" else (last,)


def appended(
    last: SqlRows, chain: int, what: str, about: Mapping[str, object], *, who: int | None, at: datetime
) -> SqlQuery:
    """What appends an event after the last one of a chain that is locked."""
    number, before = (last[0][0] + 1, last[0][1]) if last else (1, NOTHING)
    facts, time = dict(about), at.isoformat()
    sha256 = digest([chain, number, who, what, facts, time, before], length=64)
    return SqlQuery(_APPEND, (chain, number, who, what, json.dumps(facts), time, before, sha256))


def broken_at(chain: int) -> int | None:
    """Number of the first event of a chain that is not as it was written; None where all are.

    What was cut off at the end cannot be seen from within: compare the last hash with one that was noted elsewhere.
    """
    before = NOTHING
    for number, event in enumerate(Event.objects.filter(chain=chain).order_by("number").iterator(), start=1):
        told = [chain, event.number, event.who_id, event.what, event.about, event.at, event.before_sha256]
        if (event.number, event.before_sha256, event.sha256) != (number, before, digest(told, length=64)):
            return number
        before = event.sha256
    return None
