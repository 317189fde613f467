"""Taking an answer: once, however often it is sent, and never lost.

An answer after its lease ran out takes a free slot where there is one; else it is kept as an extra one: paid, and not
counted.
"""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

import msgspec
from django.db.models import Q

from mores.studio.models import AnswerRedaction, AssignmentStatus, Response
from mores.studio.work.assign import next_item
from mores.studio.work.audit import record
from mores.studio.work.drafts import draft_of, drop_draft
from mores.studio.work.leases import ClaimRules, Lease, NoWork, lease, lock_person, reclaim_at_times, rules_of
from mores.studio.work.transactions import locking, read_time, sql, writing


class Refusal(StrEnum):
    """Reason that an answer is not taken."""

    NOT_YOURS = "not_yours"
    GIVEN_UP = "given_up"
    ITEM_COMPLETE = "item_complete"
    KEY_USED = "key_used"
    REDACTED = "redacted"


class AnswerSubmission(msgspec.Struct, frozen=True, kw_only=True):
    """An answer as it arrives: `key` names one sending, so that a second arrival of it is known."""

    assignment: int
    participant: int
    answer: dict[str, object]
    key: str
    active_ms: int | None = None
    order: dict[str, list[str]] | None = None
    """Options as they stood, by question."""


class Submitted(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that is stored.

    Attributes:
        response: Its number.
        counted: Whether it is data.
        completed: The item whose last answer it was; None where more are wanted.
        following: What its sender is given next, or why nothing; None where this has to be claimed apart.
    """

    response: int
    counted: bool
    completed: int | None
    following: Lease | NoWork | None = None


class _Held(NamedTuple):
    """Assignment that an answer is to."""

    assignment: int
    status: str
    project: int
    account: int
    item: int
    claimed_at: datetime
    key: str
    excluded: bool


class _Taken(NamedTuple):
    """State of an assignment once it is answered, and whether its item then has all its answers.

    `counting` says that the slot it holds is still to be counted as answered, which tells whether it has.
    """

    status: AssignmentStatus
    complete: bool = False
    counting: bool = False


_HELD = """
SELECT held.id, held.status, held.project_id, held.account_id, held.item_id, held.claimed_at, item.key,
    person.excluded
FROM studio_assignment AS held JOIN studio_item AS item ON item.id = held.item_id
JOIN studio_participant AS person ON person.id = held.participant_id
WHERE held.id = %s AND held.participant_id = %s
"""
_COUNT = "UPDATE studio_item SET done = done + 1 WHERE id = %s RETURNING done >= quota"
_COUNT_LATE = """
UPDATE studio_item SET claims = claims + 1, done = done + 1 WHERE id = %s AND state = 'open' AND claims < quota
RETURNING done >= quota
"""
_STANDS = "SELECT state = 'open', done >= quota FROM studio_item WHERE id = %s"
_BECOMES = "UPDATE studio_assignment SET status = %s WHERE id = %s AND status <> %s"


def submit(sending: AnswerSubmission, *, onward: int | None = None) -> Submitted | Refusal:
    """Store an answer and forget its draft, or say what came of it before.

    Within the same transaction whoever held the item is given the next one of the project `onward`, as far as nobody
    has to be waited for: a lock on an item while the audit trail is locked could close a circle.
    """
    if onward is not None:
        reclaim_at_times(onward)
    with writing() as now:
        lock_person(sending.participant)
        found = sql(_HELD + locking("held"), sending.assignment, sending.participant)
        if not found:
            return Refusal.NOT_YOURS
        held = _Held(*found[0])
        before = Response.objects.filter(Q(idem_key=sending.key) | Q(assignment=sending.assignment))
        for each in before:
            if each.idem_key == sending.key:
                return _known(each, held)
        # Who answers late or changes an answer may hold other work.
        rules = rules_of(sending.participant).after(1) if onward and held.status == AssignmentStatus.CLAIMED else None
        taken = _taken(held)
        if isinstance(taken, Refusal):
            return taken
        # None of these is this sending any more, so all are versions of this answer.
        return _store(sending, held, len(before) + 1, taken, now, rules)


def _known(before: Response, held: _Held) -> Submitted | Refusal:
    if before.assignment_id != held.assignment:
        return Refusal.KEY_USED
    return Submitted(response=before.pk, counted=held.status == AssignmentStatus.DONE, completed=None)


def _taken(held: _Held) -> _Taken | Refusal:
    """State of the assignment once it is answered."""
    match AssignmentStatus(held.status):
        case AssignmentStatus.CLAIMED:
            return _Taken(AssignmentStatus.DONE, counting=True)
        case AssignmentStatus.EXPIRED if held.excluded:
            return _Taken(AssignmentStatus.EXCLUDED)
        case AssignmentStatus.EXPIRED:
            counted = sql(_COUNT_LATE, held.item)
            return (
                _Taken(AssignmentStatus.DONE, complete=bool(counted[0][0]))
                if counted
                else _Taken(AssignmentStatus.EXTRA)
            )
        case AssignmentStatus.DONE:
            # Locked, so that an outcome is not found while one of its answers changes.
            ((opened, complete),) = sql(_STANDS + locking("studio_item"), held.item)
            return _Taken(AssignmentStatus.DONE, complete=bool(complete)) if opened else Refusal.ITEM_COMPLETE
        case AssignmentStatus.EXTRA if AnswerRedaction.objects.filter(assignment=held.assignment).exists():
            return Refusal.REDACTED
        case AssignmentStatus.EXTRA | AssignmentStatus.EXCLUDED:
            return _Taken(AssignmentStatus(held.status))
        case AssignmentStatus.SKIPPED | AssignmentStatus.DISCARDED:
            return Refusal.GIVEN_UP


def _store(
    sending: AnswerSubmission, held: _Held, version: int, taken: _Taken, now: datetime, rules: ClaimRules | None
) -> Submitted:
    status, active = taken.status.value, _clipped(sending.active_ms, held, now)
    sql(_BECOMES, status, held.assignment, status)
    response = Response.objects.create(
        assignment_id=held.assignment, version=version, answer=sending.answer, idem_key=sending.key, active_ms=active,
        order=sending.order, at=now,
    )  # fmt: skip
    complete = sql(_COUNT, held.item)[0][0] if taken.counting else taken.complete
    following: Lease | NoWork | None = None if rules is None else rules.refused
    if rules is not None and following is None and (slot := next_item(rules.asker)) is not None:
        following = lease(rules, slot, now)
    about = {"item": held.key, "response": response.pk, "version": version, "status": status}
    record(held.project, "submit", about, who=held.account, at=now)
    drop_draft(held.project, held.account, draft_of(held.assignment))
    return Submitted(
        response=response.pk,
        counted=taken.status == AssignmentStatus.DONE,
        completed=held.item if complete else None,
        following=following,
    )


def _clipped(active_ms: int | None, held: _Held, now: datetime) -> int | None:
    """Time on task by the person's own clock, never more than what passed here since the item was given."""
    if active_ms is None:
        return None
    passed = max(0, int((now - read_time(held.claimed_at)).total_seconds() * 1000))
    return min(max(0, active_ms), passed)
