"""From written to kept: how many questions came through each step, over a project and those that feed it."""

from collections import Counter

import msgspec

from mores.studio.models import ItemKind, ItemState, Project, WorkItem


class Funnel(msgspec.Struct, frozen=True, kw_only=True):
    """Questions at each step: written, looked at by a curator, accepted, answered by all, kept.

    `dropped` counts the reasons of the curator and of the answers. The first three are 0 where items were imported.
    """

    written: int
    curated: int
    accepted: int
    answered: int
    kept: int
    dropped: dict[str, int]


def funnel(project: Project) -> Funnel:
    """The funnel that a project stands in: with those that feed it, and the one that it feeds."""
    checking = project.feeds or project
    writing = list(checking.fed_by.all())
    work = WorkItem.objects.filter(kind=ItemKind.WORK).exclude(state=ItemState.RETIRED)
    written = Counter(work.filter(project__in=writing).values_list("state", flat=True))
    answered = Counter(work.filter(project=checking).values_list("state", flat=True))
    lost = WorkItem.objects.filter(project__in=[*writing, checking], state=ItemState.DROPPED).values_list(
        "outcome", flat=True
    )
    return Funnel(
        written=written.total(),
        curated=written[ItemState.COMPLETE] + written[ItemState.DROPPED],
        accepted=written[ItemState.COMPLETE],
        answered=answered[ItemState.COMPLETE] + answered[ItemState.DROPPED],
        kept=answered[ItemState.COMPLETE],
        dropped=dict(sorted(Counter(str((outcome or {}).get("reason", "")) for outcome in lost).items())),
    )
