"""Projects that feed one another: what a project keeps goes on to a project whose flow can read it, and in no ring."""

from collections.abc import Iterable
from enum import StrEnum

from mores.studio.flows.flow import flow_named
from mores.studio.models import Project


class NoFeeding(StrEnum):
    """Reason that what a project keeps does not go on to another."""

    FLOW = "flow"
    RING = "ring"


def refused(project: Project, onward: Project) -> NoFeeding | None:
    """Reason that a project may not feed another; None where it may."""
    if onward.flow not in flow_named(project.flow).forwards_to:
        return NoFeeding.FLOW
    return NoFeeding.RING if project in following(onward) else None


def following(project: Project | None) -> list[Project]:
    """A project and those that it feeds, one after another; each once, even in a ring."""
    found: list[Project] = []
    while project is not None and project not in found:
        found.append(project)
        project = project.feeds
    return found


def receivers(project: Project, among: Iterable[Project]) -> list[int]:
    """The numbers of those that a project may feed."""
    return [each.pk for each in among if refused(project, each) is None]


def lock_feeding() -> None:
    """Let one transaction at a time change which projects feed which, so that no two of them close a ring."""
    # Not so that work in them has to wait, which holds their rows, too.
    list(Project.objects.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
