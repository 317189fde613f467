"""What people wrote in a project that may tell who somebody is, for whoever looks it through before it is published."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from mores.studio.flows.fields import TextField
from mores.studio.flows.flow import Flow
from mores.studio.flows.personal import PersonalDataMatch, personal
from mores.studio.models import Project
from mores.studio.work.records import ItemRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class FlaggedText:
    """One text that somebody wrote (`person` is a number, no name), and what in it may tell who somebody is."""

    item: str
    person: str
    text: str
    found: tuple[PersonalDataMatch, ...]


def written(flow: Flow, project: Project, items: Sequence[ItemRecord]) -> list[FlaggedText]:
    """Every text that people wrote: in items of their own, and in answers; dropped items are left out."""
    texts = (each for item in items if item.state != "dropped" for each in _texts(flow, project, item))
    return [
        FlaggedText(item=item, person=person, text=text, found=personal(text)) for item, person, text in texts if text
    ]


def _texts(flow: Flow, project: Project, item: ItemRecord) -> Iterator[tuple[str, str, str]]:
    if item.author:
        yield from ((item.key, item.author, text) for text in _question(item.payload))
    names = [field.name for field in flow.sheet(item.payload, project).fields if isinstance(field, TextField)]
    for answer in item.answers:
        yield from ((item.key, answer.person, str(answer.answer.get(name, ""))) for name in names)


def _question(payload: Mapping[str, object]) -> Iterator[str]:
    """The words of a question that was written here, and its writer's note where that is part of the item."""
    options, writer = payload.get("options"), payload.get("writer")
    yield str(payload.get("question", ""))
    yield from map(str, options if isinstance(options, list) else ())
    yield str(writer.get("situation", "")) if isinstance(writer, dict) else ""
