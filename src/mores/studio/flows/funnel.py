"""From what came in to what was kept: items in each state, over a project, those that feed it, and those it feeds."""

from collections import Counter

import msgspec
from django.db.models import Count

from mores.studio.flows.feeding import following
from mores.studio.flows.flow import flow_named
from mores.studio.flows.item_keys import key_before, key_onward
from mores.studio.models import Account, ItemKind, ItemState, Project, Role, WorkItem


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """One project of the way: items that came in, and how many of them wait, are open, were kept, and dropped why.

    `imported` of those that came in are from a file, not from a project before.
    """

    project: str
    name: str
    flow: str
    came: int
    imported: int
    waiting: int
    open: int
    kept: int
    dropped: dict[str, int]

    @property
    def title(self) -> str:
        """Title of its flow, in the reader's language."""
        return str(flow_named(self.flow).title)

    @property
    def lost(self) -> int:
        """Items that were dropped, for whatever reason."""
        return sum(self.dropped.values())


def funnel(project: Project, seen_by: Account | None = None) -> tuple[Stage, ...]:
    """The way that a project stands in, from the first on; where somebody is named, projects that they run alone."""
    chain = _chain(project)
    if seen_by is not None:
        running = (Role.OWNER, Role.REVIEWER)
        seen = set(Project.objects.filter(memberships__account=seen_by, memberships__role__in=running))
        chain = [each for each in chain if each in seen]
    return tuple(map(_stage, chain))


def _chain(project: Project) -> list[Project]:
    """Projects before a project, itself, and those that it feeds, in this order; each once, even in a ring."""
    before: list[Project] = []
    todo = list(project.fed_by.all())
    while todo:
        each = todo.pop()
        if each != project and each not in before:
            before.insert(0, each)
            todo.extend(each.fed_by.all())
    return [*before, *following(project)]


def _stage(project: Project) -> Stage:
    items = WorkItem.objects.filter(project=project, kind=ItemKind.WORK).exclude(state=ItemState.RETIRED)
    states = Counter(dict(items.values_list("state").annotate(Count("pk"))))
    lost = items.filter(state=ItemState.DROPPED).values_list("outcome", flat=True)
    return Stage(
        project=project.slug, name=project.name, flow=project.flow, came=states.total(), imported=_imported(project),
        waiting=states[ItemState.WAITING] + states[ItemState.RETURNED], open=states[ItemState.OPEN],
        kept=states[ItemState.COMPLETE],
        dropped=dict(sorted(Counter(str((outcome or {}).get("reason", "")) for outcome in lost).items())),
    )  # fmt: skip


def _imported(project: Project) -> int:
    """Items of a file; what was handed on, or put to a finer group in a second round, is none."""
    if not flow_named(project.flow).columns:
        return 0
    keys = set(WorkItem.objects.filter(project=project, kind=ItemKind.WORK).values_list("key", flat=True))
    handed = {
        key_onward(before, key)
        for before in project.fed_by.all()
        for key in before.items.filter(state=ItemState.COMPLETE).values_list("key", flat=True)
    }
    again = {key for key in keys if key != key_before(key) and key_before(key) in keys}
    return len(keys - handed - again)
