"""From what came in to what was kept: items in each state, over a project, those that feed it, and those it feeds."""

from collections import Counter

import msgspec
from django.db.models import Count

from mores.studio.flows.flow import flow_named
from mores.studio.models import Account, ItemKind, ItemState, Project, Role, WorkItem


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """One project of the way: items that came in, and how many of them wait, are open, were kept, and dropped why."""

    project: str
    name: str
    flow: str
    came: int
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
    chain, following = [*before, project], project.feeds
    while following is not None and following not in chain:
        chain.append(following)
        following = following.feeds
    return chain


def _stage(project: Project) -> Stage:
    items = WorkItem.objects.filter(project=project, kind=ItemKind.WORK).exclude(state=ItemState.RETIRED)
    states = Counter(dict(items.values_list("state").annotate(Count("pk"))))
    lost = items.filter(state=ItemState.DROPPED).values_list("outcome", flat=True)
    return Stage(
        project=project.slug, name=project.name, flow=project.flow, came=states.total(),
        waiting=states[ItemState.WAITING] + states[ItemState.RETURNED], open=states[ItemState.OPEN],
        kept=states[ItemState.COMPLETE],
        dropped=dict(sorted(Counter(str((outcome or {}).get("reason", "")) for outcome in lost).items())),
    )  # fmt: skip
