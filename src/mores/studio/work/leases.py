"""Taking back what was claimed and not answered in time."""

from datetime import datetime

from django.db.models import F

from mores.studio.models import Assignment, Item
from mores.studio.work.transactions import writing

CLAIMED, EXPIRED = Assignment.Status.CLAIMED, Assignment.Status.EXPIRED


def reclaim(project: int) -> int:
    """How many leases of a project had run out; their slots are free again.

    Each is taken back in a transaction of its own, so that locks are always taken in one order: work before item.
    """
    with writing() as now:
        stale = list(
            Assignment.objects.filter(project=project, status=CLAIMED, lease_until__lt=now).values_list("pk", flat=True)
        )
    return sum(_expire(assignment, now) for assignment in stale)


def _expire(assignment: int, now: datetime) -> bool:
    with writing():
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


def release(assignment: int) -> None:
    """Give the slot of an assignment back to its item, within a transaction."""
    Item.objects.filter(assignments=assignment).update(claims=F("claims") - 1)
