"""Closing of items, by their answers or by a decision, and handing on those that are kept."""

import logging
import time
from collections.abc import Mapping
from datetime import datetime

from django.db import OperationalError, transaction
from django.db.models import F

from mores.studio.connections.hooks import announce
from mores.studio.flows.feeding import refused
from mores.studio.flows.flow import flow_named
from mores.studio.flows.item_keys import key_onward
from mores.studio.flows.readable import KEPT_BACK, NO_OUTCOME, UNREADABLE, report, sheet_of
from mores.studio.models import Decision, ItemState, Project, WorkItem
from mores.studio.work.audit import record
from mores.studio.work.items import KeyTaken, NewItem, add_items
from mores.studio.work.leases import PAUSE
from mores.studio.work.records import read_item
from mores.studio.work.transactions import writing


def close_item(item: int) -> None:
    """Close an item that has all its answers; nothing where it has not, or is closed. Safe to call again.

    One whose answers the flow cannot read stays open, and is told of.
    """
    with writing() as now:
        # The item alone is locked: for the row of its project all who are given work in it would wait.
        found = WorkItem.objects.select_for_update(of=("self",)).select_related("project").get(pk=item)
        if found.state != ItemState.OPEN or found.done < found.quota:
            return
        project = found.project
        try:
            outcome = flow_named(project.flow).outcome(project, read_item(found))
        except UNREADABLE as error:
            report(project.pk, NO_OUTCOME, found.key, type(error).__name__, at=now)
            return
        _close(found, kept=outcome.kept, result=outcome.result, forward=outcome.forward, at=now)
        if outcome.then is not None:
            _add(found, project, outcome.then, at=now)
        announce(found, now)
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
        _close(found, kept=kept, result={} if kept else {"reason": reason}, forward=forward, at=now)
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


def _close(
    item: WorkItem, *, kept: bool, result: Mapping[str, object], forward: Mapping[str, object] | None, at: datetime
) -> None:
    item.state = ItemState.COMPLETE if kept else ItemState.DROPPED
    item.outcome = dict(result)
    item.save(update_fields=["state", "outcome"])
    onward = item.project.feeds
    if kept and forward is not None and onward is not None:
        # Of a project that was made before its flow said what it may feed, or by hand.
        why = refused(item.project, onward)
        if why is not None:
            report(item.project_id, KEPT_BACK, item.key, f"{why} of {onward.slug}", at=at)
            return
        key = key_onward(item.project, item.key)
        _add(item, onward, NewItem(key=key, payload=forward, region=item.region, author=item.author_id), at=at)


def _add(item: WorkItem, onward: Project, going: NewItem, *, at: datetime) -> None:
    """Add what follows from an item; where its project cannot show it, or has other words in its place, say so."""
    flow = flow_named(onward.flow)
    unseen = sheet_of(flow, going.payload, onward)
    if isinstance(unseen, Exception):
        report(item.project_id, KEPT_BACK, item.key, f"{type(unseen).__name__} in {onward.slug}", at=at)
        return
    try:
        with transaction.atomic():  # what is refused takes nothing else back
            add_items(onward, [going], who=None, state=flow.begins)
    except KeyTaken:
        report(item.project_id, KEPT_BACK, item.key, f"other words in {onward.slug}", at=at)


def close_all(project: Project | int) -> None:
    """Close what a crash left open between its last answer and its outcome."""
    ready = WorkItem.objects.filter(project=project, state=ItemState.OPEN, done__gt=0, done__gte=F("quota"))
    for item in list(ready.values_list("pk", flat=True)):
        close_item(item)


def close_everywhere() -> None:
    """Close it in all projects, as a studio starts; a disk that cannot be written keeps nobody from reading."""
    try:
        for project in Project.objects.values_list("pk", flat=True):
            close_all(project)
    except OperationalError as error:
        logging.getLogger(__name__).warning("items that have all their answers stay open: %s", error)


_next: dict[int, float] = {}


def close_at_times(project: int) -> None:
    """Close it in a project, where this process did not do so a moment ago: as often as leases are taken back."""
    if time.monotonic() >= _next.get(project, 0):
        _next[project] = time.monotonic() + PAUSE
        close_all(project)
