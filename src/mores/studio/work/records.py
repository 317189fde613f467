"""What has been stored, as values: an item with its answers, read at one instant."""

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connections, transaction

from mores.studio.models import Item, Project
from mores.studio.work.statements import SqlQuery, SqlRows, all_by_hand, read_time

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
        items = list(Item.objects.using(SNAPSHOT).filter(project=project.pk).order_by("pk"))
        words = _by_item(_WORDS.format(of="item.project_id"), project)
        answers = _by_item(_ANSWERS.format(of="held.project_id"), project)
    return tuple(item_in(item, project, words[item.pk], answers[item.pk]) for item in items)


def _by_item(statement: str, project: Project) -> Mapping[int, SqlRows]:
    """Its rows, each under the item that it begins with."""
    found: dict[int, SqlRows] = defaultdict(list)
    with connections[SNAPSHOT].cursor() as cursor:
        cursor.execute(statement, [project.pk])
        for row in cursor.fetchall():
            found[row[0]].append(row)
    return found


_WORDS = """
SELECT item.id, words.payload, words.sha256, words.help
FROM studio_item AS item JOIN studio_itemversion AS words ON words.item_id = item.id AND words.version = item.version
WHERE {of} = %s
"""
_ANSWERS = """
SELECT held.item_id, held.participant_id, person.region, person."group", given.answer, held.status = 'done',
    given.version, given.active_ms, given.at
FROM studio_assignment AS held JOIN studio_participant AS person ON person.id = held.participant_id
JOIN studio_response AS given ON given.assignment_id = held.id
WHERE {of} = %s AND held.status IN ('done', 'extra', 'excluded') AND NOT EXISTS (
    SELECT 1 FROM studio_response AS newer WHERE newer.assignment_id = held.id AND newer.version > given.version
)
ORDER BY held.participant_id
"""


def read_item(item: Item) -> ItemRecord:
    """One item as this transaction sees it."""
    return item_in(item, item.project, *all_by_hand(*reading_item(item.pk)))


def reading_item(item: int) -> tuple[SqlQuery, SqlQuery]:
    """What reads the words of an item and its answers, for `item_in`."""
    return SqlQuery(_WORDS.format(of="item.id"), (item,)), SqlQuery(_ANSWERS.format(of="held.item_id"), (item,))


def item_in(item: Item, project: Project, words: SqlRows, answers: SqlRows) -> ItemRecord:
    """The item in the rows of `reading_item`."""
    given = tuple(
        Answer(
            person=f"p{person}", region=group or region, answer=json.loads(answer), counted=bool(counted),
            version=version, active_ms=active, at=read_time(at).isoformat(),
        )
        for _, person, region, group, answer, counted, version, active, at in answers
    )  # fmt: skip
    ((_, payload, sha256, help_),) = words
    return ItemRecord(
        number=item.pk, key=item.key, kind=item.kind, region=item.region, language=project.language,
        state=item.state, version=item.version, payload=json.loads(payload), sha256=sha256, help=help_,
        author="" if item.author_id is None else f"a{item.author_id}", quota=item.quota, outcome=item.outcome,
        answers=given,
    )  # fmt: skip
