"""Taking an answer: once, however often it is sent, and never lost.

An answer after its lease ran out takes a free slot where there is one; else it is kept as an extra one: paid, and not
counted.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db.models import F

from mores.studio.models import Assignment, Guideline, Item, Participant, Response
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing

Status = Assignment.Status
EDITABLE = {Status.DONE, Status.EXTRA}


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
    account: int
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
        person = _lock(sending)
        if person is None:
            return Refusal.NOT_YOURS
        before = Response.objects.filter(idem_key=sending.key).select_related("assignment").first()
        if before is not None:
            held = before.assignment
            if held.pk != sending.assignment:
                return Refusal.KEY_USED
            return Submitted(response=before.pk, counted=held.status == Status.DONE, completed=None)
        held = Assignment.objects.select_for_update().get(pk=sending.assignment)
        # The item's row is locked before it is looked at: of two last answers, one sees the other.
        item = Item.objects.select_for_update().get(pk=held.item_id)
        status = _status(held, item)
        if isinstance(status, Refusal):
            return status
        return _store(sending, held, item, status, now)


def _lock(sending: Sending) -> Participant | None:
    return (
        Participant.objects.select_for_update().filter(assignments=sending.assignment, account=sending.account).first()
    )


def _status(held: Assignment, item: Item) -> Status | Refusal:
    """What the assignment becomes by being answered."""
    match Status(held.status):
        case Status.CLAIMED:
            return Status.DONE
        case Status.EXPIRED:
            return Status.DONE if item.state == Item.State.OPEN and item.claims < item.quota else Status.EXTRA
        case Status.DONE if item.state != Item.State.OPEN:
            return Refusal.ITEM_COMPLETE
        case Status.DONE:
            return Status.DONE
        case Status.EXTRA:
            return Status.EXTRA
        case Status.SKIPPED | Status.DISCARDED:
            return Refusal.GIVEN_UP


def _store(sending: Sending, held: Assignment, item: Item, status: Status, now: datetime) -> Submitted:
    was = Status(held.status)
    newly = status == Status.DONE and was != Status.DONE
    if newly:
        taken = 1 if was == Status.EXPIRED else 0
        Item.objects.filter(pk=item.pk).update(claims=F("claims") + taken, done=F("done") + 1)
    if was != status:
        Assignment.objects.filter(pk=held.pk).update(status=status)
    guideline = Guideline.objects.filter(project=held.project_id, kind=Guideline.Kind.GUIDELINE).order_by("-version")
    response = Response.objects.create(
        assignment=held,
        version=Response.objects.filter(assignment=held).count() + 1,
        answer=sending.answer,
        idem_key=sending.key,
        active_ms=_clipped(sending.active_ms, held, now),
        guideline_version=guideline.values_list("version", flat=True).first(),
        at=now,
    )
    about = {"item": item.key, "response": response.pk, "version": response.version, "status": str(status)}
    record(held.project_id, "submit", about, who=sending.account, at=now)
    completed = item.pk if newly and item.done + 1 == item.quota else None
    return Submitted(response=response.pk, counted=status == Status.DONE, completed=completed)


def _clipped(active_ms: int | None, held: Assignment, now: datetime) -> int | None:
    """Time on task by the person's own clock, never more than what passed here since the item was given."""
    if active_ms is None:
        return None
    passed = max(0, int((now - held.claimed_at).total_seconds() * 1000))
    return min(max(0, active_ms), passed)
