"""Agreement of people so far: percent, Fleiss' kappa and Krippendorff's alpha, each with its interval and n.

records ─▶ for each question, a table of codes, a row an item and a column an answer ─▶ coefficients. Where several
options may be chosen, each option of an item is a row of yes or no. Intervals are over what items are drawn together
with, where a key says so, and over items else.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import msgspec
import numpy as np

from mores.core.estimate import Missing
from mores.core.seeds import Seed
from mores.stats.agreement import rater_agreement
from mores.stats.cluster_sums import Design, MeasuredFigure, undefined
from mores.studio.flows.fields import ChoiceField, ItemForm, RankField, TextField
from mores.studio.flows.flow import Flow
from mores.studio.models import Project
from mores.studio.work.items import CLUSTER, KeyFacts
from mores.studio.work.records import ItemRecord

_SEED = Seed("studio/agreement")
_Key = tuple[str, bool, str, tuple[str, ...], bool]


class QuestionAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """Agreement of people on one question; `units` are the items, or options of items, that two or more answered."""

    question: str
    of_item: bool  # in the words of the item or of the form
    units: int
    people: int
    percent: MeasuredFigure
    fleiss: MeasuredFigure
    alpha: MeasuredFigure
    ordered: bool


class _Unit(msgspec.Struct, frozen=True):
    cluster: str
    codes: tuple[int, ...]


def agreements(
    flow: Flow, project: Project, items: Sequence[ItemRecord], key_facts: Mapping[str, KeyFacts]
) -> tuple[QuestionAgreement, ...]:
    """The agreement on every question of a project that is answered by choosing."""
    units: dict[_Key, list[_Unit]] = defaultdict(list)
    people: dict[_Key, set[str]] = defaultdict(set)
    for item in items:
        if item.kind != "work" or not item.counted:
            continue
        sheet = flow.sheet(item.payload, project)
        cluster = str(key_facts.get(item.key, {}).get(CLUSTER, item.key))
        for field in (each for each in sheet.fields if isinstance(each, ChoiceField) and not each.marks):
            # The options are part of it: the same question may be put with others, and codes of the two must not meet.
            options = tuple(each.value for each in field.options)
            key = (sheet.about or field.legend, field.of_item or bool(sheet.about), field.name, options, field.several)
            units[key] += _units(field, item, cluster)
            people[key] |= {answer.person for answer in item.counted}
    return tuple(_agreement(key, found, len(people[key])) for key, found in units.items())


def _units(field: ChoiceField, item: ItemRecord, cluster: str) -> list[_Unit]:
    given = [answer.answer.get(field.name) for answer in item.counted]
    values = [option.value for option in field.options]
    if not field.several:
        return [_Unit(cluster, tuple(values.index(one) for one in given if one in values))]
    chosen = [one for one in given if isinstance(one, list)]
    return [_Unit(cluster, tuple(int(value in one) for one in chosen)) for value in values]


def _agreement(key: _Key, units: Sequence[_Unit], people: int) -> QuestionAgreement:
    question, of_item, name, options, several = key
    # Points such as 0.5 are numbers too, hence the one full stop that may be in an option.
    ordered = not several and all(option.replace(".", "", 1).isdecimal() for option in options)
    found = [unit for unit in units if unit.codes]
    if not any(len(unit.codes) > 1 for unit in found):
        none = undefined(Missing(code="no_two_raters"))
        return QuestionAgreement(
            question=question, of_item=of_item, units=0, people=people, percent=none, fleiss=none, alpha=none,
            ordered=ordered,
        )  # fmt: skip
    # Which of the people gave a code does not matter to any of the three, so that a column is an answer, not a person.
    table = np.full((len(found), max(len(unit.codes) for unit in found)), np.nan)
    for row, unit in enumerate(found):
        table[row, : len(unit.codes)] = unit.codes
    design = Design(clusters=np.array([unit.cluster for unit in found]), seed=_SEED.child(name))
    measured = rater_agreement(table, 2 if several else len(options), design, level="ordinal" if ordered else "nominal")
    return QuestionAgreement(
        question=question, of_item=of_item, units=measured.units, people=people, percent=measured.pairwise,
        fleiss=measured.fleiss, alpha=measured.alpha, ordered=ordered,
    )  # fmt: skip


class VoteSplit(msgspec.Struct, frozen=True, kw_only=True):
    """Answers of people to one question: each option with how many chose it, those first that most did."""

    legend: str
    of_item: bool  # it and the options are words of the item or of the form
    votes: tuple[tuple[str, int], ...]


class Disputed(msgspec.Struct, frozen=True, kw_only=True):
    """An item on which people differ, with their words; `disagreement` is the share of answers beside the mode."""

    item: ItemRecord
    sheet: ItemForm
    splits: tuple[VoteSplit, ...]
    words: tuple[str, ...]
    disagreement: float


def disputed(flow: Flow, project: Project, items: Sequence[ItemRecord]) -> list[Disputed]:
    """The items with two answers or more that differ in a choice."""
    answered = [item for item in items if item.kind == "work" and len(item.counted) > 1]
    found = [_disputed(item, flow.sheet(item.payload, project)) for item in answered]
    return sorted(
        (each for each in found if each.disagreement > 0), key=lambda each: (-each.disagreement, each.item.key)
    )


def _disputed(item: ItemRecord, sheet: ItemForm) -> Disputed:
    answers = [answer.answer for answer in item.counted]
    fields = [field for field in sheet.fields if not isinstance(field, TextField)]
    words = [str(answer[field.name]) for field in sheet.fields if isinstance(field, TextField)
             for answer in answers if answer.get(field.name)]  # fmt: skip
    return Disputed(
        item=item, sheet=sheet, splits=tuple(_split(field, answers) for field in fields), words=tuple(words),
        disagreement=max((_disagreement(field, answers) for field in fields), default=0.0),
    )  # fmt: skip


def _disagreement(field: ChoiceField | RankField, answers: Sequence[Mapping[str, object]]) -> float:
    most = Counter(_chosen(field, answer) for answer in answers).most_common(1)[0][1]
    return 1 - most / len(answers)


def _split(field: ChoiceField | RankField, answers: Sequence[Mapping[str, object]]) -> VoteSplit:
    names = {option.value: option.label for option in field.options}
    if isinstance(field, RankField):
        orders = Counter(_chosen(field, answer) for answer in answers)
        orders_named = [
            (" > ".join(names.get(each, each) for each in order), count) for order, count in orders.most_common()
        ]
        return VoteSplit(legend=field.legend, of_item=field.of_item, votes=tuple(orders_named))
    votes = Counter(value for answer in answers for value in _chosen(field, answer))
    labelled = [(names[value], count) for value, count in votes.most_common() if value in names]
    return VoteSplit(legend=field.legend, of_item=field.of_item, votes=tuple(labelled))


def _chosen(field: ChoiceField | RankField, answer: Mapping[str, object]) -> tuple[str, ...]:
    value = answer.get(field.name)
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),) if value else ()
