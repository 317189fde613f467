"""Decisions about items after people answered: which answer holds, and opening an item again."""

from collections.abc import Mapping
from enum import StrEnum

from django.db.models import F

from mores.studio.models import Assignment, Decision, ItemKind, ItemState, Project, WorkItem
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing


class NoDecision(StrEnum):
    """Reason that somebody may not decide."""

    ANSWERED_IT = "answered_it"
    NOT_ANSWERED_YET = "not_answered_yet"


def adjudicate(item: int, account: int, *, answer: Mapping[str, object], reason: str) -> NoDecision | None:
    """Store which answer holds where people differ; not by somebody who answered it, and not before two people did."""
    with writing() as now:
        found = WorkItem.objects.select_for_update().get(pk=item)
        answered = Assignment.objects.filter(item=found, status__in=Assignment.ANSWERED)
        if answered.filter(account=account).exists():
            return NoDecision.ANSWERED_IT
        if answered.count() < 2:
            return NoDecision.NOT_ANSWERED_YET
        verdict = {"answer": dict(answer)}
        Decision.objects.create(item=found, kind="adjudicate", verdict=verdict, reason=reason, by_id=account)
        record(found.project_id, "adjudicate", {"item": found.key, **verdict}, who=account, at=now)
    return None


def adjudicated(project: Project) -> dict[str, Decision]:
    """The newest decision on which answer holds, about each item of a project, by the item's key."""
    found = Decision.objects.filter(item__project=project, kind="adjudicate").exclude(item__state=ItemState.RETIRED)
    return {each.item.key: each for each in found.order_by("pk").select_related("item")}


REOPEN = "reopen"
CLOSED = (ItemState.COMPLETE, ItemState.DROPPED)


def reopen(item: int) -> Mapping[str, object] | None:
    """Open an item again within a transaction; what it was until then, for the trail, None where it was not closed."""
    found = WorkItem.objects.select_for_update().get(pk=item)
    if found.state not in CLOSED:
        return None
    WorkItem.objects.filter(pk=item).update(state=ItemState.OPEN, outcome=None)
    return {"item": found.key, "state": found.state, "outcome": found.outcome}


def ask_for_one_more(item: int, *, who: int) -> bool:
    """Have one more person answer an item that had all its answers; False where it has not, or is open again."""
    with writing() as now:
        found = WorkItem.objects.select_for_update().get(pk=item)
        before = reopen(item) if found.done and found.kind == ItemKind.WORK else None
        if before is None:
            return False
        WorkItem.objects.filter(pk=item).update(quota=F("quota") + 1)
        record(found.project_id, REOPEN, {**before, "why": "one more answer"}, who=who, at=now)
        return True
