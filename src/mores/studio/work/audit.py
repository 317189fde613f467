"""The audit trail: each event holds the hash of the one before it, so that none can be changed unseen."""

from collections.abc import Mapping
from datetime import datetime

from django.db import connection

from mores.core.codec import digest
from mores.studio.models import AuditEvent
from mores.studio.work.transactions import sql

STUDIO = 0
"""The chain of what concerns no project."""
NOTHING = "0" * 64


def record(chain: int, what: str, about: Mapping[str, object], *, who: int | None, at: datetime) -> None:
    """Append an event to a chain, in the transaction of what it tells of.

    Args:
        chain: The project's number, or `STUDIO`.
        what: What happened, such as `submit`.
        about: What it happened to, as plain JSON values.
        who: Number of the account, None for the studio itself.
        at: The transaction's time.
    """
    if connection.vendor == "postgresql":  # SQLite's one writer has the chain to itself
        sql("SELECT pg_advisory_xact_lock(%s)", chain)
    last = AuditEvent.objects.filter(chain=chain).order_by("-number").values_list("number", "sha256").first()
    number, before = (last[0] + 1, last[1]) if last else (1, NOTHING)
    # Hashed and stored as text: a database may give a time back in another form.
    facts, time = dict(about), at.isoformat()
    sha256 = digest([chain, number, who, what, facts, time, before], length=64)
    AuditEvent.objects.create(
        chain=chain, number=number, who_id=who, what=what, about=facts, at=time, before_sha256=before, sha256=sha256
    )


def broken_at(chain: int) -> int | None:
    """Number of the first event of a chain that is not as it was written; None where all are.

    What was cut off at the end cannot be seen from within: compare the last hash with one that was noted elsewhere.
    """
    before = NOTHING
    for number, event in enumerate(AuditEvent.objects.filter(chain=chain).order_by("number").iterator(), start=1):
        hashed = [chain, event.number, event.who_id, event.what, event.about, event.at, event.before_sha256]
        if (event.number, event.before_sha256, event.sha256) != (number, before, digest(hashed, length=64)):
            return number
        before = event.sha256
    return None
