"""Scenario review: the sheets of `mores build subgroups` and `dialogues`, or any table of scenarios.

A row with a question of its own is asked that; any other is asked what the project defines, such as whether a
scenario is clear to people of the culture, or whether a goal can cause the conflict. Every answer is yes or no.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mores.benchmarks.data_tables import DataRow, filled
from mores.core.codec import build, encode, parse_json, read_text
from mores.core.errors import InputError
from mores.core.table import sheet_for_people
from mores.pipelines.review_sheets import LABELS, SHEET, ChecklistReview, Checkpoint, checklist_reviewed
from mores.studio.flows.fields import ChoiceField, ChoiceOption, ItemForm, Passage
from mores.studio.flows.flow import EVERY_ANSWER, ExportFormat, Flow, FlowMetric, FlowOutcome, Payload, Seals
from mores.studio.flows.labels import (
    ballots_of,
    check_settings,
    counts,
    label_field,
    place_of,
    work_of,
    write_labels,
)
from mores.studio.models import Project
from mores.studio.work.items import CLUSTER, NewItem, read_key_facts
from mores.studio.work.records import ItemRecord
from mores.tables.missing_texts import to_plain

FOR_PEOPLE = frozenset(
    {"id", "code", "place", "question", "annotator", "label", "note", "kind", "expected", "feedback"}
)
"""Columns that are not shown as words of the scenario."""
FIELDS = {"aspect", "words"}
MOST = 8
"""Questions that a project may define."""


class AspectQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """One question: the aspect that figures and files call it by, and its words."""

    aspect: str
    words: str

    @property
    def field(self) -> str:
        """Name of its field: the aspect in letters and digits."""
        return "-".join(("about", *re.findall(r"\w+", self.aspect.casefold())))


def read(row: DataRow, project: Project) -> NewItem:
    """A scenario in the words of its row, and its question where it has one."""
    place, question = (row.cells.get(name, "").strip() for name in ("place", "question"))
    shown = [[name, words.strip()] for name, words in row.cells.items() if name not in FOR_PEOPLE and words.strip()]
    filled(row, "scenario")
    if not question and not project.questions:
        raise InputError(
            f"{row.where}: no question; expected one in the column 'question', or questions of the project."
        )
    payload: dict[str, object] = {"place": place, "shown": shown, "question": question}
    return NewItem(key=filled(row, "id").strip(), payload=payload, region=place_of(place, project, row.where))


def seals(path: Path) -> Seals:
    """Scenario and aspect that each row is about, and the answer it should have, out of the key beside it."""
    points = build(tuple[Checkpoint, ...], parse_json(read_text(path), where=str(path)), where=str(path))
    return {each.id: {CLUSTER: each.scenario, "aspect": each.aspect, "expected": each.expected} for each in points}


def check(settings: Mapping[str, object], questions: Sequence[object]) -> None:
    """Refuse settings of another kind, and questions that are none.

    Raises:
        InputError: a setting is of another kind, or a question is none, there are too many, or two are called alike.
    """
    check_settings(settings)
    for each in questions:
        if not isinstance(each, dict) or set(each) != FIELDS or not all(str(text).strip() for text in each.values()):
            raise InputError(f'a question is {each}; expected {{"aspect": NAME, "words": QUESTION}}.')
    fields = {
        AspectQuestion(aspect=str(each["aspect"]), words="").field for each in questions if isinstance(each, dict)
    }
    if len(questions) > MOST or len(fields) < len(questions):
        raise InputError(
            f"{len(questions)} questions of {len(fields)} names; expected at most {MOST}, each of its own."
        )


def sheet(payload: Payload, project: Project) -> ItemForm:
    """Text of the row, then its question or those of the project."""
    shown: list[list[str]] = payload["shown"]  # type: ignore[assignment]
    passages = [
        Passage(label=name.replace("_", " ").capitalize(), label_of_item=True, text=words) for name, words in shown
    ]
    if question := str(payload["question"]):
        return ItemForm(passages=tuple(passages), fields=(label_field(question, _yes_no()),), about=question)
    asked = _questions_of(project)
    fields = tuple(ChoiceField(name=each.field, legend=each.words, options=_yes_no()) for each in asked)
    return ItemForm(passages=tuple(passages), fields=fields)


def _questions_of(project: Project) -> tuple[AspectQuestion, ...]:
    """The questions of a project."""
    return tuple(AspectQuestion(aspect=str(each["aspect"]), words=str(each["words"])) for each in project.questions)


def _yes_no() -> tuple[ChoiceOption, ...]:
    names = dict(zip(LABELS, (_("Yes"), _("No")), strict=True))
    return tuple(ChoiceOption(value=value, label=words, of_item=False) for value, words in names.items())


def outcome(_project: Project, item: ItemRecord) -> FlowOutcome:
    """The label of most for a row with its own question; every row stays in the data."""
    return FlowOutcome(kept=True, result=counts(item) if item.payload["question"] else {})


def reviewed_so_far(project: Project, items: Sequence[ItemRecord]) -> ChecklistReview | None:
    """Results of the labels for the scenarios; None where no key was imported, so that nobody can tell."""
    key_facts = read_key_facts(project)
    known = [item for item in work_of(items) if "expected" in key_facts.get(item.key, {})]
    points = [
        build(Checkpoint, {"id": item.key, "scenario": facts[CLUSTER], "aspect": facts["aspect"],
                           "expected": facts["expected"]}, where=item.key)
        for item in known for facts in [key_facts[item.key]]
    ]  # fmt: skip
    return checklist_reviewed(points, ballots_of(known, LABELS)) if any(item.counted for item in known) else None


def figures(project: Project, items: Sequence[ItemRecord]) -> tuple[FlowMetric, ...]:
    """By aspect, the share of rows that most find as they should be."""
    found = reviewed_so_far(project, items)
    title = _("As it should be, by most people: %(aspect)s")
    aspects = () if found is None else found.aspects
    return tuple(
        FlowMetric(name=title % {"aspect": each.aspect}, measured=each.sound, n=each.decided) for each in aspects
    )


def write(project: Project, items: Sequence[ItemRecord]) -> dict[str, bytes]:
    """Labels as `mores build review --labels` reads them, answers to the project's own questions, and what they say."""
    found = reviewed_so_far(project, items)
    asked = [
        (item.key, each.aspect, answer.person, str(answer.answer.get(each.field, "")))
        for item in work_of(items) if not item.payload["question"]
        for each in _questions_of(project)
        for answer in item.counted
    ]  # fmt: skip
    aspects = sheet_for_people(
        ("id", "aspect", "annotator", "label"), [row for row in asked if row[3]], encoding="utf-8"
    )
    review = {} if found is None else {"review.json": encode(to_plain(found)) + b"\n"}
    return write_labels(project, items) | ({"aspects.csv": aspects} if asked else {}) | review


FLOW = Flow(
    name="scenarios",
    title=gettext_lazy("Review scenarios"),
    read=read,
    columns=("id", "scenario"),
    files=(SHEET,),
    seals=seals,
    sheet=sheet,
    outcome=outcome,
    check=check,
    figures=figures,
    adjudicated=True,
    exports={
        "labels": ExportFormat(title=gettext_lazy("Labels, for mores build review"), write=write),
        "answers": EVERY_ANSWER,
    },
)
