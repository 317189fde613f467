"""Excluding somebody: what they answered is kept and paid, and not counted; a person may let them back in."""

from collections.abc import Mapping

from django.db.models import F, QuerySet

from mores.studio.models import Assignment, AssignmentStatus, AuditEvent, ItemState, Participant, WorkItem
from mores.studio.work.audit import record
from mores.studio.work.decisions import REOPEN, reopen
from mores.studio.work.leases import free
from mores.studio.work.transactions import writing

EXCLUDE, READMIT = "exclude", "readmit"
COUNTED = (AssignmentStatus.CLAIMED, AssignmentStatus.DONE)


def exclude(participant: int, why: Mapping[str, object], *, who: int | None) -> bool:
    """Exclude somebody, with the reason in the audit trail; False where they are excluded already.

    Their slots are free again at once: items that were closed by their answers open again.

    Args:
        participant: The participant's number.
        why: `reason`, and for a rule what it found.
        who: Number of the account that decides, None for the project's rule.
    """
    with writing() as now:
        person = Participant.objects.select_for_update().get(pk=participant)
        if person.excluded:
            return False
        Participant.objects.filter(pk=participant).update(excluded=True)
        reopened = []
        # Several items are locked here, in the order of their numbers, so that no two of these wait for each other.
        for held in Assignment.objects.filter(participant=participant, status__in=COUNTED).order_by("item_id"):
            if held.status == AssignmentStatus.CLAIMED:
                free(held.pk, AssignmentStatus.EXPIRED)
            elif before := _uncount(held):
                reopened.append(before)
        # The trail is locked last, as everywhere.
        for before in reopened:
            record(person.project_id, REOPEN, {**before, "why": "an exclusion"}, who=who, at=now)
        record(person.project_id, EXCLUDE, {"participant": participant, **why}, who=who, at=now)
        return True


def readmit(participant: int, reason: str, *, who: int) -> bool:
    """Let somebody back in; False where they are not excluded.

    What they answered counts again where a slot is free, and else is kept as an answer past the quota.
    """
    with writing() as now:
        person = Participant.objects.select_for_update().get(pk=participant)
        if not person.excluded:
            return False
        Participant.objects.filter(pk=participant).update(excluded=False)
        for held in Assignment.objects.filter(participant=participant, status=AssignmentStatus.EXCLUDED).order_by(
            "item_id"
        ):
            slot = WorkItem.objects.filter(pk=held.item_id, state=ItemState.OPEN, claims__lt=F("quota"))
            counted = slot.update(claims=F("claims") + 1, done=F("done") + 1)
            Assignment.objects.filter(pk=held.pk).update(
                status=AssignmentStatus.DONE if counted else AssignmentStatus.EXTRA
            )
        record(person.project_id, READMIT, {"participant": participant, "reason": reason}, who=who, at=now)
        return True


def was_readmitted(participant: Participant) -> bool:
    """True if a person let somebody back in; a rule does not exclude them again."""
    return _events(participant, READMIT).exists()


def why_excluded(participant: Participant) -> Mapping[str, object]:
    """Reason that somebody is excluded, as it stands in the audit trail; empty for nobody's exclusion."""
    last = _events(participant, EXCLUDE).order_by("-number").first()
    return last.about if last is not None and participant.excluded else {}


def _events(participant: Participant, what: str) -> QuerySet[AuditEvent]:
    return AuditEvent.objects.filter(chain=participant.project_id, what=what, about__participant=participant.pk)


def _uncount(held: Assignment) -> Mapping[str, object] | None:
    """Free the slot of an answer; what its item was, where that opens it again."""
    Assignment.objects.filter(pk=held.pk).update(status=AssignmentStatus.EXCLUDED)
    WorkItem.objects.filter(pk=held.item_id).update(claims=F("claims") - 1, done=F("done") - 1)
    return reopen(held.item_id)
