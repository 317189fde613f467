"""Stored work as values: an item with its answers, read at one instant."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from django.db import DEFAULT_DB_ALIAS, transaction
from django.db.models import F

from mores.studio.models import Assignment, AssignmentStatus, ItemState, ItemVersion, Project, Response, WorkItem

SNAPSHOT = "snapshot"


class Answer(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The newest version of one person's answer; `person` is a number that tells nobody's name.

    Of one that is redacted the words are gone.
    """

    person: str
    region: str
    answer: Mapping[str, object]
    counted: bool
    version: int
    active_ms: int | None
    at: str
    redacted: bool = False
    order: Mapping[str, Sequence[str]] | None = None
    """Options as they stood for the person, by question; None where nobody noted it."""


class ItemRecord(msgspec.Struct, frozen=True, kw_only=True):
    """An item with its words, where it stands, and its answers in the order of people's numbers."""

    number: int
    key: str
    kind: str
    region: str
    language: str
    state: str
    version: int
    payload: Mapping[str, object]
    sha256: str
    help: str
    author: str
    quota: int
    outcome: Mapping[str, object] | None
    answers: tuple[Answer, ...]

    @property
    def counted(self) -> tuple[Answer, ...]:
        """The answers that count."""
        return tuple(each for each in self.answers if each.counted)


def read_items(project: Project) -> tuple[ItemRecord, ...]:
    """All items of a project that are in use, as they stand at one instant, while others go on writing."""
    return tuple(item for item in read_all_items(project) if item.state != ItemState.RETIRED)


def read_all_items(project: Project) -> tuple[ItemRecord, ...]:
    """The same with those that are retired."""
    with transaction.atomic(using=SNAPSHOT):
        items = WorkItem.objects.using(SNAPSHOT).filter(project=project.pk).order_by("pk")
        return _records(items, project, SNAPSHOT, {"project": project.pk})


def read_item(item: WorkItem) -> ItemRecord:
    """One item as this transaction sees it."""
    (record,) = _records([item], item.project, DEFAULT_DB_ALIAS, {"pk": item.pk})
    return record


def _records(items: Iterable[WorkItem], project: Project, using: str, of: Mapping[str, int]) -> tuple[ItemRecord, ...]:
    """Items of a project with their newest words, and the newest version of each answer."""
    versions = ItemVersion.objects.using(using).filter(
        version=F("item__version"), **{f"item__{name}": value for name, value in of.items()}
    )
    words = {each.item_id: each for each in versions}
    responses = Response.objects.using(using).filter(
        assignment__status__in=Assignment.ANSWERED,
        **{f"assignment__item__{name}": value for name, value in of.items()},
    )
    newest: dict[int, dict[int, Response]] = defaultdict(dict)
    for each in responses.select_related("assignment__participant", "assignment__redaction").order_by(
        "assignment__participant", "version"
    ):
        newest[each.assignment.item_id][each.assignment_id] = each
    return tuple(_record(item, project, words[item.pk], newest[item.pk].values()) for item in items)


def _record(item: WorkItem, project: Project, words: ItemVersion, responses: Iterable[Response]) -> ItemRecord:
    return ItemRecord(
        number=item.pk, key=item.key, kind=item.kind, region=item.region, language=project.language,
        state=item.state, version=item.version, payload=words.payload, sha256=words.sha256, help=words.help,
        author="" if item.author_id is None else f"a{item.author_id}", quota=item.quota, outcome=item.outcome,
        answers=tuple(_answer(each, each.assignment) for each in responses),
    )  # fmt: skip


def _answer(response: Response, assignment: Assignment) -> Answer:
    person = assignment.participant
    return Answer(
        person=f"p{person.pk}", region=person.group or person.region, answer=response.answer,
        counted=assignment.status == AssignmentStatus.DONE, version=response.version, active_ms=response.active_ms,
        at=response.at.isoformat(), redacted=hasattr(assignment, "redaction"), order=response.order,
    )  # fmt: skip
