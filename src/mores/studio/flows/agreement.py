"""How far people agree so far: percent, Fleiss' kappa and Krippendorff's alpha, each with its interval and n.

records ─▶ for each question, a table of codes, a row an item and a column an answer ─▶ coefficients. Where several
options may be chosen, each option of an item is a row of yes or no. Intervals are over what items are drawn together
with, where a key says so, and over items else.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mores.core.estimate import Missing
from mores.core.seeds import Seed
from mores.stats.agreement import rater_agreement
from mores.stats.cluster_sums import Design, MeasuredFigure, undefined
from mores.studio.flows.fields import ChoiceField
from mores.studio.flows.flow import Flow
from mores.studio.models import Project
from mores.studio.work.items import CLUSTER, KeyFacts
from mores.studio.work.records import ItemRecord

_SEED = Seed("studio/agreement")
_Key = tuple[str, str, tuple[str, ...], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAgreement:
    """How far people agree on one question; `units` are the items, or options of items, that two or more answered."""

    question: str
    units: int
    people: int
    percent: MeasuredFigure
    fleiss: MeasuredFigure
    alpha: MeasuredFigure
    ordered: bool


@dataclass(frozen=True, slots=True)
class _Unit:
    cluster: str
    codes: tuple[int, ...]


def agreements(
    flow: Flow, project: Project, items: Sequence[ItemRecord], sealed: Mapping[str, KeyFacts]
) -> tuple[QuestionAgreement, ...]:
    """The agreement on every question of a project that is answered by choosing."""
    units: dict[_Key, list[_Unit]] = defaultdict(list)
    people: dict[_Key, set[str]] = defaultdict(set)
    for item in items:
        if item.kind != "work" or not item.counted:
            continue
        sheet = flow.sheet(item.payload, project)
        cluster = str(sealed.get(item.key, {}).get(CLUSTER, item.key))
        for field in (each for each in sheet.fields if isinstance(each, ChoiceField)):
            key = (sheet.about or field.legend, field.name, tuple(each.value for each in field.options), field.several)
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
    question, name, options, several = key
    ordered = not several and all(option.replace(".", "", 1).isdecimal() for option in options)
    found = [unit for unit in units if unit.codes]
    if not any(len(unit.codes) > 1 for unit in found):
        none = undefined(Missing(code="no_two_raters"))
        return QuestionAgreement(
            question=question, units=0, people=people, percent=none, fleiss=none, alpha=none, ordered=ordered
        )
    # Which of the people gave a code does not matter to any of the three, so that a column is an answer, not a person.
    table = np.full((len(found), max(len(unit.codes) for unit in found)), np.nan)
    for row, unit in enumerate(found):
        table[row, : len(unit.codes)] = unit.codes
    design = Design(clusters=np.array([unit.cluster for unit in found]), seed=_SEED.child(name))
    told = rater_agreement(table, 2 if several else len(options), design, level="ordinal" if ordered else "nominal")
    return QuestionAgreement(
        question=question, units=told.units, people=people, percent=told.pairwise, fleiss=told.fleiss,
        alpha=told.alpha, ordered=ordered,
    )  # fmt: skip
