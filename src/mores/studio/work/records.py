"""What has been stored, as values: an item with its answers, read at one instant."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Prefetch

from mores.studio.models import Assignment, Item, ItemVersion, Project, Response

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


def read_item(item: Item) -> ItemRecord:
    """One item as this transaction sees it."""
    return next(_records(item.project, "default", item.pk))


def _records(project: Project, using: str, only: int | None = None) -> Iterator[ItemRecord]:
    assignments = (
        Assignment.objects.using(using)
        .filter(status__in=Assignment.ANSWERED)
        .order_by("participant_id")
        .select_related("participant")
        .prefetch_related(Prefetch("responses", Response.objects.using(using).order_by("version")))
    )
    items = Item.objects.using(using).filter(project=project.pk).order_by("pk")
    chosen = items if only is None else items.filter(pk=only)
    versions = Prefetch("versions", ItemVersion.objects.using(using).order_by("version"))
    for item in chosen.prefetch_related(versions, Prefetch("assignments", assignments)):
        words = item.versions.all()[item.version - 1]
        yield ItemRecord(
            number=item.pk, key=item.key, kind=item.kind, region=item.region, language=project.language,
            state=item.state, version=item.version, payload=words.payload, sha256=words.sha256, help=words.help,
            author="" if item.author_id is None else f"a{item.author_id}", quota=item.quota, outcome=item.outcome,
            answers=tuple(_answer(each) for each in item.assignments.all()),
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
