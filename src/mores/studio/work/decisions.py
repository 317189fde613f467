"""What was decided about items after people answered; answers stay as they were given."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from mores.studio.models import Assignment, Decision, Item, Project
from mores.studio.work.audit import record
from mores.studio.work.transactions import writing


class NoDecision(StrEnum):
    """Why somebody may not decide."""

    ANSWERED_IT = "answered_it"
    NOT_ANSWERED_YET = "not_answered_yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """The newest decision about an item: the answer that holds, why, and whose it is (a number, no name)."""

    answer: Mapping[str, object]
    reason: str
    by: str


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


def read_decisions(project: Project, kind: str) -> dict[str, Decided]:
    """The newest decision of a kind about each item of a project, by the item's key."""
    found = Decision.objects.filter(item__project=project, kind=kind).order_by("pk").select_related("item")
    return {
        each.item.key: Decided(answer=each.verdict.get("answer", {}), reason=each.reason, by=f"a{each.by_id}")
        for each in found
    }
