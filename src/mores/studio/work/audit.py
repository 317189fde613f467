"""The audit trail: each event holds the hash of the one before it, so that none can be changed unseen."""

import hashlib
from collections.abc import Mapping
from datetime import datetime

from django.db import connection

from mores.core.codec import canonical
from mores.studio.models import Event

NOTHING = "0" * 64


def record(chain: int, what: str, about: Mapping[str, object], *, who: int | None, at: datetime) -> None:
    """Append an event to a chain, in the transaction of what it tells of.

    Args:
        chain: The project's number, 0 for the studio as a whole.
        what: What happened, such as `submit`.
        about: What it happened to, as plain JSON values.
        who: Number of the account, None for the studio itself.
        at: The transaction's time.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [chain])
    last = Event.objects.filter(chain=chain).order_by("-number").values_list("number", "sha256")[:1]
    number, before = next(((number + 1, sha256) for number, sha256 in last), (1, NOTHING))
    event = Event(chain=chain, number=number, who_id=who, what=what, about=dict(about), at=at.isoformat())
    event.before_sha256 = before
    event.sha256 = _hash(event)
    event.save(force_insert=True)


def broken_at(chain: int) -> int | None:
    """Number of the first event of a chain that is not as it was written; None where all are.

    What was cut off at the end cannot be seen from within: compare the last hash with one that was noted elsewhere.
    """
    before = NOTHING
    for number, event in enumerate(Event.objects.filter(chain=chain).order_by("number").iterator(), start=1):
        if (event.number, event.before_sha256, event.sha256) != (number, before, _hash(event)):
            return number
        before = event.sha256
    return None


def _hash(event: Event) -> str:
    told = [event.chain, event.number, event.who_id, event.what, event.about, event.at, event.before_sha256]
    return hashlib.sha256(canonical(told)).hexdigest()
