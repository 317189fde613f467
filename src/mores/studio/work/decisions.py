"""What was decided about items after people answered; answers stay as they were given."""

from collections.abc import Mapping
from enum import StrEnum

from mores.studio.models import Assignment, Decision, Item, Project
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing


class NoDecision(StrEnum):
    """Why somebody may not decide."""

    ANSWERED_IT = "answered_it"
    NOT_ANSWERED_YET = "not_answered_yet"


def adjudicate(item: int, account: int, *, answer: Mapping[str, object], reason: str) -> NoDecision | None:
    """Store which answer holds where people differ; not by somebody who answered it, and not before two people did."""
    with writing() as now:
        found = Item.objects.select_for_update().get(pk=item)
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
    found = Decision.objects.filter(item__project=project, kind="adjudicate").order_by("pk").select_related("item")
    return {each.item.key: each for each in found}
