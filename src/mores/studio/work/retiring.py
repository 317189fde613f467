"""Retiring items: nobody is given them any more, and they are data no longer; what was answered is kept and paid."""

from collections.abc import Mapping

from django.db.models import F, QuerySet

from mores.studio.models import Assignment, AssignmentStatus, ItemImport, ItemProblem, ItemState, WorkItem
from mores.studio.work.audit import record
from mores.studio.work.leases import free
from mores.studio.work.transactions import writing


def retire(item: WorkItem, reason: str, *, who: int) -> bool:
    """Retire one item, with the reason in the audit trail; False where it is retired already."""
    about = {"item": item.key, "state": item.state, "reason": reason}
    return bool(_retire(WorkItem.objects.filter(pk=item.pk), "retire", item.project_id, about, who))


def undo_import(came_in: ItemImport, *, who: int) -> int:
    """Retire all items of one file; gives their number. Their ids are free for those of the right file."""
    about = {"import": came_in.pk, "file": came_in.name}
    return _retire(WorkItem.objects.filter(came_in=came_in), "undo-import", came_in.project_id, about, who)


def _retire(items: QuerySet[WorkItem], what: str, project: int, about: Mapping[str, object], who: int) -> int:
    with writing() as now:
        # Holds first: locks are taken in one order, work before item. Several items are locked by their numbers.
        in_use = items.exclude(state=ItemState.RETIRED)
        held = Assignment.objects.filter(item__in=in_use, status=AssignmentStatus.CLAIMED).order_by("item_id")
        for assignment in held.values_list("pk", flat=True):
            free(assignment, AssignmentStatus.EXPIRED)
        numbers = list(in_use.order_by("pk").select_for_update().values_list("pk", flat=True))
        if numbers:
            in_use.update(retired_from=F("state"), state=ItemState.RETIRED)
            record(project, what, {**about, "items": len(numbers)}, who=who, at=now)
        return len(numbers)


def bring_back(item: int, *, who: int) -> bool:
    """Put a retired item back to where it stood; False where it is not retired, or another item has its id by now."""
    with writing() as now:
        found = WorkItem.objects.select_for_update().get(pk=item)
        alike = WorkItem.objects.filter(project=found.project_id, key=found.key).exclude(pk=item)
        if found.state != ItemState.RETIRED or alike.exclude(state=ItemState.RETIRED).exists():
            return False
        WorkItem.objects.filter(pk=item).update(state=found.retired_from, retired_from="")
        record(found.project_id, "bring-back", {"item": found.key, "state": found.retired_from}, who=who, at=now)
        return True


def settle_problem(problem: ItemProblem, *, who: int) -> bool:
    """Say that a problem was seen to; False where somebody said so before."""
    with writing() as now:
        if not ItemProblem.objects.filter(pk=problem.pk, handled_at=None).update(handled_at=now):
            return False
        record(problem.item.project_id, "settle-problem", {"problem": problem.pk}, who=who, at=now)
        return True
