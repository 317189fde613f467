"""What items are and should be, for those who may know: exports, figures and feedback, never a page of work."""

from collections.abc import Mapping

from mores.studio.models import Project, Sealed

KeyFacts = Mapping[str, object]
CLUSTER, EXPECTED, FEEDBACK = "cluster", "expected", "feedback"


def read_sealed(project: Project) -> dict[str, KeyFacts]:
    """The sealed facts of a project's items, by the item's key."""
    found = Sealed.objects.filter(item__project=project).values_list("item__key", "facts")
    return dict(found)


def sealed_of(item: int) -> KeyFacts:
    """The sealed facts of one item, none where nothing is sealed."""
    found = Sealed.objects.filter(item=item).first()
    return {} if found is None else found.facts
