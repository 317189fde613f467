"""Items on which people differ, those first on which they differ most."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mores.studio.flows.fields import ChoiceField, ItemForm
from mores.studio.flows.flow import Flow
from mores.studio.models import Project
from mores.studio.work.records import ItemRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteSplit:
    """What people answered to one question: each option with how many chose it, those first that most did."""

    legend: str
    votes: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disputed:
    """An item on which people differ, with their words on it; `apart` is the share of answers that are not the mode."""

    item: ItemRecord
    sheet: ItemForm
    splits: tuple[VoteSplit, ...]
    words: tuple[str, ...]
    apart: float


def disputed(flow: Flow, project: Project, items: Sequence[ItemRecord]) -> list[Disputed]:
    """The items with two answers or more that differ in a choice."""
    answered = [item for item in items if item.kind == "work" and len(item.counted) > 1]
    found = [_disputed(item, flow.sheet(item.payload, project)) for item in answered]
    return sorted((each for each in found if each.apart > 0), key=lambda each: (-each.apart, each.item.key))


def _disputed(item: ItemRecord, sheet: ItemForm) -> Disputed:
    answers = [answer.answer for answer in item.counted]
    fields = [field for field in sheet.fields if isinstance(field, ChoiceField)]
    words = [str(answer[field.name]) for field in sheet.fields if not isinstance(field, ChoiceField)
             for answer in answers if answer.get(field.name)]  # fmt: skip
    return Disputed(
        item=item, sheet=sheet, splits=tuple(_split(field, answers) for field in fields), words=tuple(words),
        apart=max((_apart(field, answers) for field in fields), default=0.0),
    )  # fmt: skip


def _apart(field: ChoiceField, answers: Sequence[Mapping[str, object]]) -> float:
    most = Counter(_chosen(field, answer) for answer in answers).most_common(1)[0][1]
    return 1 - most / len(answers)


def _split(field: ChoiceField, answers: Sequence[Mapping[str, object]]) -> VoteSplit:
    votes = Counter(value for answer in answers for value in _chosen(field, answer))
    names = {option.value: option.label for option in field.options}
    told = [(names[value], count) for value, count in votes.most_common() if value in names]
    return VoteSplit(legend=field.legend, votes=tuple(told))


def _chosen(field: ChoiceField, answer: Mapping[str, object]) -> tuple[str, ...]:
    value = answer.get(field.name)
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),) if value else ()
