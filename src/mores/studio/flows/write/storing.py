"""Taking a question in: once, and within what a project wants of a writer and a region."""

from collections.abc import Mapping
from enum import StrEnum

from mores.studio.flows.write.question import payload_of
from mores.studio.models import Item, Participant, Project
from mores.studio.work.items import KeyTaken, NewItem, add_items
from mores.studio.work.transactions import writing

PER_WRITER = "per_writer"
"""Setting of a project: questions that it takes from one writer; none or 0: any number."""


class NotStored(StrEnum):
    """Why a question is not taken."""

    SENT_BEFORE = "sent_before"
    WRITER_FULL = "writer_full"
    REGION_FULL = "region_full"


def store(
    project: Project, person: Participant, values: Mapping[str, object], page: str, *, help_: str
) -> NotStored | None:
    """Store a question for the curator; sent again with the same words, it is there already, which is success."""
    new = NewItem(key=page, payload=payload_of(values), region=person.region, author=person.account_id, help=help_[:40])
    with writing():
        Project.objects.select_for_update().get(pk=project.pk)  # one at a time, so that no quota is passed
        known = Item.objects.filter(project=project, key=page).exists()
        full = None if known else _full(project, person)
        if full is not None:
            return full
        try:
            add_items(project, [new], who=person.account_id, state=Item.State.WAITING)
        except KeyTaken:
            return NotStored.SENT_BEFORE
    return None


def _full(project: Project, person: Participant) -> NotStored | None:
    """Which quota is used up; a dropped question makes room for another of its region, not of its writer."""
    items = Item.objects.filter(project=project)
    most = project.settings.get(PER_WRITER)
    if isinstance(most, int) and 0 < most <= items.filter(author=person.account_id).count():
        return NotStored.WRITER_FULL
    wanted = project.region_quotas.filter(region=person.region).first()
    written = items.filter(region=person.region).exclude(state=Item.State.DROPPED).count()
    return NotStored.REGION_FULL if wanted is not None and written >= wanted.items else None
