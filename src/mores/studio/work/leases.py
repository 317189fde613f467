"""Taking back what was claimed and not answered in time, or is given back; and thinking better of that."""

import time

from django.db.models import F, QuerySet
from django.db.models.functions import Now

from mores.studio.models import Assignment, Item
from mores.studio.work.transactions import writing

PAUSE = 10.0  # seconds
_next: dict[int, float] = {}
CLAIMED, EXPIRED, SKIPPED = Assignment.Status.CLAIMED, Assignment.Status.EXPIRED, Assignment.Status.SKIPPED


def reclaim_at_times(project: int) -> None:
    """Take back stale work of a project, where this process did not do so a moment ago."""
    if time.monotonic() >= _next.get(project, 0):
        _next[project] = time.monotonic() + PAUSE
        reclaim(project)


def reclaim(project: int) -> int:
    """How many leases of a project had run out; their slots are free again.

    Each is taken back in a transaction of its own, so that locks are always taken in one order: work before item.
    """
    held = Assignment.objects.filter(project=project, status=CLAIMED, lease_until__lt=Now())
    return sum(_expire(assignment) for assignment in list(held.values_list("pk", flat=True)))


def _expire(assignment: int) -> bool:
    with writing() as now:
        held = Assignment.objects.filter(pk=assignment, status=CLAIMED, lease_until__lt=now)
        if not held.update(status=EXPIRED):
            return False
        release(assignment)
        return True


def free(assignment: int, status: Assignment.Status) -> bool:
    """Give up open work at once, such as that of somebody who returned their submission; False where it is not open."""
    with writing():
        if not Assignment.objects.filter(pk=assignment, status=CLAIMED).update(status=status):
            return False
        release(assignment)
        return True


def free_all(held: QuerySet[Assignment], status: Assignment.Status) -> None:
    """Give up all that is open of somebody's work."""
    for assignment in held.filter(status=CLAIMED).values_list("pk", flat=True):
        free(assignment, status)


def release(assignment: int) -> None:
    """Give the slot of an assignment back to its item, within a transaction."""
    Item.objects.filter(assignments=assignment).update(claims=F("claims") - 1)


def skip(assignment: int, account: int) -> bool:
    """Give an item back for others; False where this account does not hold it."""
    if not Assignment.objects.filter(pk=assignment, account=account).exists():
        return False
    return free(assignment, SKIPPED)


def undo_skip(assignment: int, account: int) -> bool:
    """Hold a skipped item again; False where its slot is gone, or the person holds another."""
    with writing():
        own = Assignment.objects.filter(pk=assignment, account=account, status=SKIPPED)
        held = own.select_for_update().first()
        if held is None or Assignment.objects.filter(participant=held.participant_id, status=CLAIMED).exists():
            return False
        slot = Item.objects.filter(pk=held.item_id, state=Item.State.OPEN, claims__lt=F("quota"))
        return bool(slot.update(claims=F("claims") + 1)) and bool(own.update(status=CLAIMED))
