"""What follows once it is known what becomes of an item, by answers or by a decision: it is closed, or goes on."""

import json
from collections.abc import Mapping
from functools import cache

from django.db.models import F

from mores.studio.flows.registry import flow_named
from mores.studio.models import Decision, Item, Project
from mores.studio.work.audit import record
from mores.studio.work.items import NewItem, add_items
from mores.studio.work.objects import columns_of, object_of, width_of
from mores.studio.work.records import item_in, reading_item
from mores.studio.work.statements import SqlQuery, by_hand, locking
from mores.studio.work.transactions import writing, writing_first

State = Item.State
_CLOSE = "UPDATE studio_item SET state = %s, outcome = %s WHERE id = %s"


def close_item(item: int) -> None:
    """Close an item that has all its answers; nothing where it has not, or is closed. Safe to call again."""
    with writing_first(SqlQuery(_item() + locking("studio_item"), (item,)), *reading_item(item)) as (
        now,
        (rows, *told),
    ):
        split = width_of(Item)
        found, project = object_of(Item, rows[0][:split]), object_of(Project, rows[0][split:])
        if found.state != State.OPEN or found.done < found.quota:
            return
        found.project = project
        outcome = flow_named(project.flow).outcome(project, item_in(found, project, *told))
        _close(found, kept=outcome.kept, result=outcome.result, forward=outcome.forward)
        if outcome.then is not None:
            add_items(project, [outcome.then], who=None)
        record(project.pk, "settle", {"item": found.key, "state": found.state}, who=None, at=now)


@cache
def _item() -> str:
    return f"""
SELECT {columns_of(Item)}, {columns_of(Project)}
FROM studio_item JOIN studio_project ON studio_project.id = studio_item.project_id WHERE studio_item.id = %s
"""  # noqa: S608 - names of columns


def decide(  # noqa: PLR0913 - what is decided, by whom, why
    item: int, account: int, *, kind: str, kept: bool, reason: str = "", note: str = "",
    forward: Mapping[str, object] | None = None,
) -> bool:  # fmt: skip
    """Close an item that waits, by somebody's decision; False where it does not wait any more."""
    with writing() as now:
        found = Item.objects.select_for_update().get(pk=item)
        if found.state != State.WAITING:
            return False
        verdict = {"kept": kept, "reason": reason}
        Decision.objects.create(item=found, kind=kind, verdict=verdict, reason=note, by_id=account)
        _close(found, kept=kept, result={} if kept else {"reason": reason}, forward=forward)
        record(found.project_id, kind, {"item": found.key, **verdict}, who=account, at=now)
        return True


def _close(item: Item, *, kept: bool, result: Mapping[str, object], forward: Mapping[str, object] | None) -> None:
    item.state = State.COMPLETE if kept else State.DROPPED
    item.outcome = dict(result)
    by_hand(_CLOSE, item.state, json.dumps(item.outcome), item.pk)
    onward = item.project.feeds
    if kept and forward is not None and onward is not None:
        going = NewItem(
            key=f"{item.project.slug}-{item.key}"[:120], payload=forward, region=item.region, author=item.author_id
        )
        add_items(onward, [going], who=None, state=flow_named(onward.flow).begins)


def close_all(project: Project) -> None:
    """Close what a crash left open between its last answer and its outcome."""
    ready = Item.objects.filter(project=project, state=State.OPEN, done__gt=0, done__gte=F("quota"))
    for item in list(ready.values_list("pk", flat=True)):
        close_item(item)
