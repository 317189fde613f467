"""Closing of items, by their answers or by a decision, and handing on those that are kept."""

from collections.abc import Mapping

from django.db.models import F

from mores.studio.flows.flow import flow_named
from mores.studio.models import Decision, ItemState, Project, WorkItem
from mores.studio.work.audit import record
from mores.studio.work.items import NewItem, add_items
from mores.studio.work.records import read_item
from mores.studio.work.transactions import writing


def close_item(item: int) -> None:
    """Close an item that has all its answers; nothing where it has not, or is closed. Safe to call again."""
    with writing() as now:
        # The item alone is locked: for the row of its project all who are given work in it would wait.
        found = WorkItem.objects.select_for_update(of=("self",)).select_related("project").get(pk=item)
        if found.state != ItemState.OPEN or found.done < found.quota:
            return
        project = found.project
        outcome = flow_named(project.flow).outcome(project, read_item(found))
        _close(found, kept=outcome.kept, result=outcome.result, forward=outcome.forward)
        if outcome.then is not None:
            add_items(project, [outcome.then], who=None)
        # The event keeps the name that stored trails have for it.
        record(project.pk, "settle", {"item": found.key, "state": found.state}, who=None, at=now)


def decide(  # noqa: PLR0913 - what is decided, by whom, why
    item: int, account: int, *, kind: str, kept: bool, reason: str = "", note: str = "",
    forward: Mapping[str, object] | None = None,
) -> bool:  # fmt: skip
    """Close an item that waits, by somebody's decision; False where it does not wait any more."""
    with writing() as now:
        found = WorkItem.objects.select_for_update().get(pk=item)
        if found.state != ItemState.WAITING:
            return False
        verdict = {"kept": kept, "reason": reason}
        Decision.objects.create(item=found, kind=kind, verdict=verdict, reason=note, by_id=account)
        _close(found, kept=kept, result={} if kept else {"reason": reason}, forward=forward)
        record(found.project_id, kind, {"item": found.key, **verdict}, who=account, at=now)
        return True


SENT_BACK = "send-back"


def send_back(item: int, account: int, reason: str) -> bool:
    """Send an item that waits back to who wrote it, with a reason; False where it does not wait any more."""
    with writing() as now:
        found = WorkItem.objects.select_for_update().get(pk=item)
        if found.state != ItemState.WAITING:
            return False
        Decision.objects.create(item=found, kind=SENT_BACK, verdict={}, reason=reason, by_id=account)
        WorkItem.objects.filter(pk=item).update(state=ItemState.RETURNED)
        record(found.project_id, SENT_BACK, {"item": found.key}, who=account, at=now)
        return True


def _close(item: WorkItem, *, kept: bool, result: Mapping[str, object], forward: Mapping[str, object] | None) -> None:
    item.state = ItemState.COMPLETE if kept else ItemState.DROPPED
    item.outcome = dict(result)
    item.save(update_fields=["state", "outcome"])
    onward = item.project.feeds
    if kept and forward is not None and onward is not None:
        going = NewItem(
            key=f"{item.project.slug}-{item.key}"[:120], payload=forward, region=item.region, author=item.author_id
        )
        add_items(onward, [going], who=None, state=flow_named(onward.flow).begins)


def close_all(project: Project) -> None:
    """Close what a crash left open between its last answer and its outcome."""
    ready = WorkItem.objects.filter(project=project, state=ItemState.OPEN, done__gt=0, done__gte=F("quota"))
    for item in list(ready.values_list("pk", flat=True)):
        close_item(item)
