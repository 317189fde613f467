"""Opening an item again that was closed; what was found of it before stays in the audit trail."""

from collections.abc import Mapping

from django.db.models import F

from mores.studio.models import Item
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing

State = Item.State
REOPEN = "reopen"
CLOSED = (State.COMPLETE, State.DROPPED)


def reopen(item: int) -> Mapping[str, object] | None:
    """Open an item again within a transaction; what it was until then, for the trail, None where it was not closed."""
    found = Item.objects.select_for_update().get(pk=item)
    if found.state not in CLOSED:
        return None
    Item.objects.filter(pk=item).update(state=State.OPEN, outcome=None)
    return {"item": found.key, "state": found.state, "outcome": found.outcome}


def ask_for_one_more(item: int, *, who: int) -> bool:
    """Have one more person answer an item that had all its answers; False where it has not, or is open again."""
    with writing() as now:
        found = Item.objects.select_for_update().get(pk=item)
        before = reopen(item) if found.done and found.kind == Item.Kind.WORK else None
        if before is None:
            return False
        Item.objects.filter(pk=item).update(quota=F("quota") + 1)
        record(found.project_id, REOPEN, {**before, "why": "one more answer"}, who=who, at=now)
        return True
