"""Taking an answer: once, however often it is sent, and never lost.

An answer after its lease ran out takes a free slot where there is one; else it is kept as an extra one: paid, and not
counted.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from django.db import connection

from mores.studio.models import Assignment, Item
from mores.studio.work.audit import record
from mores.studio.work.transactions import by_hand, locking, read_time, stored_time, writing

Status = Assignment.Status


class Refusal(StrEnum):
    """Why an answer is not taken."""

    NOT_YOURS = "not_yours"
    GIVEN_UP = "given_up"
    ITEM_COMPLETE = "item_complete"
    KEY_USED = "key_used"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sending:
    """An answer as it arrives: `key` names one sending, so that a second arrival of it is known."""

    assignment: int
    participant: int
    answer: dict[str, object]
    key: str
    active_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """An answer that is stored; `completed` names the item whose last answer it was, None where more are wanted."""

    response: int
    counted: bool
    completed: int | None


class _Held(NamedTuple):
    """What an answer is to."""

    assignment: int
    status: str
    project: int
    account: int
    item: int
    claimed_at: datetime
    key: str
    excluded: bool


class _Taken(NamedTuple):
    """What an assignment becomes by being answered, and whether its item then has all its answers."""

    status: Status
    complete: bool


_HELD = """
SELECT held.id, held.status, held.project_id, held.account_id, held.item_id, held.claimed_at, item.key,
    person.excluded
FROM studio_assignment AS held JOIN studio_item AS item ON item.id = held.item_id
JOIN studio_participant AS person ON person.id = held.participant_id
WHERE held.id = %s AND held.participant_id = %s
"""
_BEFORE = "SELECT id, assignment_id, idem_key FROM studio_response WHERE idem_key = %s OR assignment_id = %s"
_COUNT = "UPDATE studio_item SET done = done + 1 WHERE id = %s RETURNING done >= quota"
_COUNT_LATE = """
UPDATE studio_item SET claims = claims + 1, done = done + 1 WHERE id = %s AND state = 'open' AND claims < quota
RETURNING done >= quota
"""
_ANSWER = """
INSERT INTO studio_response (assignment_id, version, answer, idem_key, active_ms, at) VALUES (%s, %s, %s, %s, %s, %s)
RETURNING id
"""


def submit(sending: Sending) -> Submitted | Refusal:
    """Store an answer, or say what came of it before."""
    with writing() as now:
        _lock(sending.participant)
        found = by_hand(_HELD + locking("held"), sending.assignment, sending.participant)
        if not found:
            return Refusal.NOT_YOURS
        held = _Held(*found[0])
        before = by_hand(_BEFORE, sending.key, held.assignment)
        for response, assignment, key in before:
            if key == sending.key:
                return _known(response, assignment, held)
        taken = _taken(held)
        if isinstance(taken, Refusal):
            return taken
        response = _store(sending, held, len(before) + 1, taken.status, now)
        return Submitted(
            response=response, counted=taken.status == Status.DONE, completed=held.item if taken.complete else None
        )


def _lock(participant: int) -> None:
    """Let what one person sends at once be taken one after another; SQLite does so anyway."""
    if connection.vendor == "postgresql":
        by_hand("SELECT id FROM studio_participant WHERE id = %s FOR UPDATE", participant)


def _known(response: int, assignment: int, held: _Held) -> Submitted | Refusal:
    if assignment != held.assignment:
        return Refusal.KEY_USED
    return Submitted(response=response, counted=held.status == Status.DONE, completed=None)


def _taken(held: _Held) -> _Taken | Refusal:
    """What the assignment becomes by being answered; its slot is counted."""
    match Status(held.status):
        case Status.CLAIMED:
            ((complete,),) = by_hand(_COUNT, held.item)
            return _Taken(Status.DONE, bool(complete))
        case Status.EXPIRED if held.excluded:
            return _Taken(Status.EXCLUDED, complete=False)
        case Status.EXPIRED:
            counted = by_hand(_COUNT_LATE, held.item)
            return _Taken(Status.DONE, bool(counted[0][0])) if counted else _Taken(Status.EXTRA, complete=False)
        case Status.DONE:
            # Locked, so that an outcome is not found while one of its answers changes.
            item = Item.objects.select_for_update().get(pk=held.item)
            return _Taken(Status.DONE, item.done >= item.quota) if item.state == "open" else Refusal.ITEM_COMPLETE
        case Status.EXTRA | Status.EXCLUDED:
            return _Taken(Status(held.status), complete=False)
        case Status.SKIPPED | Status.DISCARDED:
            return Refusal.GIVEN_UP


def _store(sending: Sending, held: _Held, version: int, status: Status, now: datetime) -> int:
    if held.status != status:
        by_hand("UPDATE studio_assignment SET status = %s WHERE id = %s RETURNING id", status.value, held.assignment)
    answer, active = json.dumps(sending.answer), _clipped(sending.active_ms, held, now)
    ((response,),) = by_hand(
        _ANSWER, held.assignment, version, answer, sending.key, active, stored_time(now)
    )  # fmt: skip
    about = {"item": held.key, "response": response, "version": version, "status": status.value}
    record(held.project, "submit", about, who=held.account, at=now)
    return int(response)


def _clipped(active_ms: int | None, held: _Held, now: datetime) -> int | None:
    """Time on task by the person's own clock, never more than what passed here since the item was given."""
    if active_ms is None:
        return None
    passed = max(0, int((now - read_time(held.claimed_at)).total_seconds() * 1000))
    return min(max(0, active_ms), passed)
