"""Taking an answer: once, however often it is sent, and never lost.

An answer after its lease ran out takes a free slot where there is one; else it is kept as an extra one: paid, and not
counted.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db import connection
from django.db.models import F, Q

from mores.studio.models import Assignment, Item, Participant, Response
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing

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


def submit(sending: Sending) -> Submitted | Refusal:
    """Store an answer, or say what came of it before."""
    with writing() as now:
        _lock(sending.participant)
        own = Assignment.objects.filter(pk=sending.assignment, participant=sending.participant)
        held = own.select_for_update(of=("self",)).select_related("item").first()
        if held is None:
            return Refusal.NOT_YOURS
        before = list(Response.objects.filter(Q(idem_key=sending.key) | Q(assignment=held)))
        for each in before:
            if each.idem_key == sending.key:
                return _known(each, held)
        status = _taken(held)
        if isinstance(status, Refusal):
            return status
        response = _store(sending, held, len(before) + 1, status, now)
        completed = _completed(held) if status == Status.DONE else None
        return Submitted(response=response, counted=status == Status.DONE, completed=completed)


def _lock(participant: int) -> None:
    """Let what one person sends at once be taken one after another; SQLite does so anyway."""
    if connection.vendor == "postgresql":
        Participant.objects.select_for_update().get(pk=participant)


def _known(before: Response, held: Assignment) -> Submitted | Refusal:
    if before.assignment_id != held.pk:
        return Refusal.KEY_USED
    return Submitted(response=before.pk, counted=held.status == Status.DONE, completed=None)


def _taken(held: Assignment) -> Status | Refusal:
    """What the assignment becomes by being answered; its slot is counted."""
    item = Item.objects.filter(pk=held.item_id)
    match Status(held.status):
        case Status.CLAIMED:
            item.update(done=F("done") + 1)
            return Status.DONE
        case Status.EXPIRED:
            free = item.filter(state=Item.State.OPEN, claims__lt=F("quota"))
            return Status.DONE if free.update(claims=F("claims") + 1, done=F("done") + 1) else Status.EXTRA
        case Status.DONE:
            # Locked, so that an outcome is not found while one of its answers changes.
            return Status.DONE if item.select_for_update().get().state == Item.State.OPEN else Refusal.ITEM_COMPLETE
        case Status.EXTRA:
            return Status.EXTRA
        case Status.SKIPPED | Status.DISCARDED:
            return Refusal.GIVEN_UP


def _store(sending: Sending, held: Assignment, version: int, status: Status, now: datetime) -> int:
    if held.status != status:
        Assignment.objects.filter(pk=held.pk).update(status=status)
    response = Response.objects.create(
        assignment=held,
        version=version,
        answer=sending.answer,
        idem_key=sending.key,
        active_ms=_clipped(sending.active_ms, held, now),
        at=now,
    )
    about = {"item": held.item.key, "response": response.pk, "version": version, "status": str(status)}
    record(held.project_id, "submit", about, who=held.account_id, at=now)
    return response.pk


def _completed(held: Assignment) -> int | None:
    """The item where this was its last answer; asked after counting, which holds its row."""
    done, quota = Item.objects.values_list("done", "quota").get(pk=held.item_id)
    return held.item_id if done >= quota else None


def _clipped(active_ms: int | None, held: Assignment, now: datetime) -> int | None:
    """Time on task by the person's own clock, never more than what passed here since the item was given."""
    if active_ms is None:
        return None
    passed = max(0, int((now - held.claimed_at).total_seconds() * 1000))
    return min(max(0, active_ms), passed)
