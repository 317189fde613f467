"""Labels as files that the rest of mores reads, and as tables of codes; one label an answer, and a note."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from mores.core.errors import InputError
from mores.core.table import sheet_for_people
from mores.norms.places import find
from mores.pipelines.review_sheets import LabelTable
from mores.studio.flows.fields import ChoiceField, ChoiceOption
from mores.studio.models import ItemVersion, Project, WorkItem
from mores.studio.work.decisions import adjudicated
from mores.studio.work.records import ItemRecord

LABEL, NOTE = "label", "note"
FILE, ADJUDICATED = "labels.csv", "adjudicated.csv"
COLUMNS = ("id", "annotator", "label", "note")
ADJUDICATOR = "adjudicated"
WHO, LOCAL, ANYBODY = "who", "local", "anybody"


def label_field(legend: str, options: Sequence[ChoiceOption]) -> ChoiceField:
    """The question that a label answers."""
    return ChoiceField(name=LABEL, legend=legend, options=tuple(options))


def label_of(answer: Mapping[str, object]) -> str:
    """The label in an answer, "" where it has none."""
    return str(answer.get(LABEL, ""))


def work_of(items: Sequence[ItemRecord]) -> list[ItemRecord]:
    """The items that are data, in the order of their keys."""
    return sorted((item for item in items if item.kind == "work"), key=lambda item: item.key)


def place_of(name: str, project: Project, where: str) -> str:
    """The place whose people answer an item: the one in its row, or "" where the project lets anybody answer.

    Raises:
        InputError: nothing is known by that name.
    """
    local = project.settings.get("who", LOCAL) == LOCAL
    return find(name, where=where).id if local and name.strip() else ""


def follow_setting(project: Project) -> int:
    """Give items that are there the place that the setting `who` says; how many changed."""
    changed = []
    words = dict(ItemVersion.objects.filter(item__project=project).order_by("version").values_list("item", "payload"))
    for item in WorkItem.objects.filter(project=project, author=None):
        if "place" in words[item.pk]:
            place = place_of(str(words[item.pk]["place"]), project, item.key)
            if place != item.region:
                item.region = place
                changed.append(item)
    WorkItem.objects.bulk_update(changed, ["region"], batch_size=500)
    return len(changed)


def check_settings(settings: Mapping[str, object], own: Mapping[str, Sequence[str]] | None = None) -> None:
    """Refuse settings that are not among a flow's own and those of all flows that label.

    `who` is `local` where people of an item's place answer it, or `anybody`, for items to come.

    Raises:
        InputError: a setting is not known, or has another value.
    """
    known: dict[str, Sequence[str]] = {"who": (LOCAL, ANYBODY), **(own or {})}
    for name, value in settings.items():
        if name in known and value not in known[name]:
            raise InputError(f"{name} is '{value}'; expected {' or '.join(known[name])}.")


def write_labels(project: Project, items: Sequence[ItemRecord]) -> dict[str, bytes]:
    """People's labels as `--labels` of mores reads them, and apart from these what was decided where they differ.

    The labels stay as people gave them, whatever was decided.
    """
    decided = adjudicated(project)
    rows, decision_rows = [], []
    for item in work_of(items):
        given = [(answer.person, answer.answer) for answer in item.counted]
        rows += [(item.key, person, label_of(answer), str(answer.get(NOTE, ""))) for person, answer in given]
        if item.key in decided:
            decision = decided[item.key]
            decision_rows.append((item.key, ADJUDICATOR, label_of(decision.verdict["answer"]), decision.reason))
    return {
        FILE: sheet_for_people(COLUMNS, [row for row in rows if row[2]], encoding="utf-8"),
        ADJUDICATED: sheet_for_people(COLUMNS, [row for row in decision_rows if row[2]], encoding="utf-8"),
    }


def counts(item: ItemRecord) -> dict[str, object]:
    """Number of people for each label, and the label of most; None where another has as many."""
    votes = Counter(label_of(answer.answer) for answer in item.counted)
    most = [label for label, count in votes.items() if count == max(votes.values())]
    return {"labels": dict(sorted(votes.items())), "majority": most[0] if len(most) == 1 else None}


def ballots_of(items: Sequence[ItemRecord], labels: Sequence[str]) -> LabelTable:
    """The labels of items as codes, a row an item and a column a person."""
    people = sorted({answer.person for item in items for answer in item.counted})
    column = {person: number for number, person in enumerate(people)}
    table = np.full((len(items), len(people)), np.nan)
    for row, item in enumerate(items):
        for answer in item.counted:
            table[row, column[answer.person]] = labels.index(label_of(answer.answer))
    return LabelTable(table=table, people=tuple(people))
