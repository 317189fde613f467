"""What has been stored, as values: an item with its answers, read at one instant."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.db import transaction
from django.db.models import Prefetch

from mores.studio.models import Assignment, Item, ItemVersion, Project, Response
from mores.studio.work.statements import Asked, Rows, all_by_hand, read_time

Status = Assignment.Status
SNAPSHOT = "snapshot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The newest version of one person's answer; `person` is a number that tells nobody's name."""

    person: str
    region: str
    answer: Mapping[str, object]
    counted: bool
    version: int
    active_ms: int | None
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRecord:
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
    """All items of a project as they stand at one instant, while others go on writing."""
    with transaction.atomic(using=SNAPSHOT):
        return tuple(_records(project, SNAPSHOT))


_WORDS = """
SELECT words.payload, words.sha256, words.help
FROM studio_item AS item JOIN studio_itemversion AS words ON words.item_id = item.id AND words.version = item.version
WHERE item.id = %s
"""
_ANSWERS = """
SELECT held.participant_id, person.region, person."group", given.answer, held.status = 'done', given.version,
    given.active_ms, given.at
FROM studio_assignment AS held JOIN studio_participant AS person ON person.id = held.participant_id
JOIN studio_response AS given ON given.assignment_id = held.id
WHERE held.item_id = %s AND held.status IN ('done', 'extra', 'excluded') AND NOT EXISTS (
    SELECT 1 FROM studio_response AS newer WHERE newer.assignment_id = held.id AND newer.version > given.version
)
ORDER BY held.participant_id
"""


def read_item(item: Item) -> ItemRecord:
    """One item as this transaction sees it."""
    return item_in(item, *all_by_hand(*reading_item(item.pk)))


def reading_item(item: int) -> tuple[Asked, Asked]:
    """What reads the words of an item and its answers, for `item_in`."""
    return Asked(_WORDS, (item,)), Asked(_ANSWERS, (item,))


def item_in(item: Item, words: Rows, answers: Rows) -> ItemRecord:
    """The item in the rows of `reading_item`."""
    given = tuple(
        Answer(
            person=f"p{person}", region=group or region, answer=json.loads(answer), counted=bool(counted),
            version=version, active_ms=active, at=read_time(at).isoformat(),
        )
        for person, region, group, answer, counted, version, active, at in answers
    )  # fmt: skip
    ((payload, sha256, help_),) = words
    return _record(item, item.project, Words(json.loads(payload), sha256, help_), given)


class Words(NamedTuple):
    """A version of an item's words."""

    payload: Mapping[str, object]
    sha256: str
    help: str


def _records(project: Project, using: str) -> Iterator[ItemRecord]:
    assignments = (
        Assignment.objects.using(using)
        .filter(status__in=Assignment.ANSWERED)
        .order_by("participant_id")
        .select_related("participant")
        .prefetch_related(Prefetch("responses", Response.objects.using(using).order_by("version")))
    )
    items = Item.objects.using(using).filter(project=project.pk).order_by("pk")
    versions = Prefetch("versions", ItemVersion.objects.using(using).order_by("version"))
    for item in items.prefetch_related(versions, Prefetch("assignments", assignments)):
        newest = item.versions.all()[item.version - 1]
        words = Words(newest.payload, newest.sha256, newest.help)
        yield _record(item, project, words, tuple(_answer(each) for each in item.assignments.all()))


def _record(item: Item, project: Project, words: Words, answers: tuple[Answer, ...]) -> ItemRecord:
    return ItemRecord(
        number=item.pk, key=item.key, kind=item.kind, region=item.region, language=project.language,
        state=item.state, version=item.version, payload=words.payload, sha256=words.sha256, help=words.help,
        author="" if item.author_id is None else f"a{item.author_id}", quota=item.quota, outcome=item.outcome,
        answers=answers,
    )  # fmt: skip


def _answer(held: Assignment) -> Answer:
    last = list(held.responses.all())[-1]
    return Answer(
        person=f"p{held.participant_id}",
        region=held.participant.group or held.participant.region,
        answer=last.answer,
        counted=held.status == Status.DONE,
        version=last.version,
        active_ms=last.active_ms,
        at=last.at.isoformat(),
    )
