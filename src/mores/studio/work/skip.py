"""Passing an item by, and thinking better of it."""

from django.db.models import F

from mores.studio.models import Assignment, Item
from mores.studio.work.leases import free
from mores.studio.work.transactions import writing

Status = Assignment.Status


def skip(assignment: int, account: int) -> bool:
    """Give an item back for others; False where this account does not hold it."""
    if not Assignment.objects.filter(pk=assignment, account=account).exists():
        return False
    return free(assignment, Status.SKIPPED)


def undo_skip(assignment: int, account: int) -> bool:
    """Hold a skipped item again; False where its slot is gone, or the person holds another."""
    with writing():
        own = Assignment.objects.filter(pk=assignment, account=account, status=Status.SKIPPED)
        held = own.select_for_update().first()
        if held is None or Assignment.objects.filter(participant=held.participant_id, status=Status.CLAIMED).exists():
            return False
        slot = Item.objects.filter(pk=held.item_id, state=Item.State.OPEN, claims__lt=F("quota"))
        return bool(slot.update(claims=F("claims") + 1)) and bool(own.update(status=Status.CLAIMED))
