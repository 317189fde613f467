"""Review: the sheet of `mores build questions`, put to people pair by pair, and what their labels come to."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mores.benchmarks.data_tables import DataRow, filled
from mores.core.codec import build, encode, parse_json, read_text
from mores.pipelines.questions.review import LABELS, NEUTRAL, OptionNormPair, Reviewed, reviewed
from mores.pipelines.review_sheets import SHEET
from mores.studio.flows.fields import ChoiceOption, ItemForm, Passage
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
from mores.studio.work.items import CLUSTER, KeyFacts, NewItem, read_key_facts
from mores.studio.work.records import ItemRecord
from mores.tables.missing_texts import to_plain

TWO, THREE = "two", "three"
"""What a project's setting `labels` may be: whether somebody may also say that the norm does not speak of it."""
SHOWN = ("place", "background", "norm", "option")


def read(row: DataRow, project: Project) -> NewItem:
    """A pair of a norm and a course of action."""
    words = {name: filled(row, name).strip() for name in SHOWN}
    return NewItem(key=filled(row, "id").strip(), payload=words, region=place_of(words["place"], project, row.where))


def seals(path: Path) -> Seals:
    """Norm and question of each pair, and its course of action, out of the key beside the sheet."""
    pairs = build(tuple[OptionNormPair, ...], parse_json(read_text(path), where=str(path)), where=str(path))
    return {pair.id: {CLUSTER: pair.question, "option": pair.option, "norm": pair.norm} for pair in pairs}


def check(settings: Mapping[str, object], _questions: Sequence[object]) -> None:
    """Refuse settings of another kind."""
    check_settings(settings, {"labels": (TWO, THREE)})


def sheet(payload: Payload, project: Project) -> ItemForm:
    """The background, the norm, the course of action, and the two or three words to choose from."""
    names: dict[str, str] = {LABELS[0]: _("It keeps to the norm"), LABELS[1]: _("It goes against the norm")}
    if project.settings.get("labels") == THREE:
        names[NEUTRAL] = _("The norm does not speak of it")
    options = [ChoiceOption(value=value, label=words, of_item=False) for value, words in names.items()]
    passages = (
        Passage(label=_("Background"), text=str(payload["background"])),
        Passage(label=_("Norm"), text=str(payload["norm"])),
        Passage(label=_("What somebody does"), text=str(payload["option"])),
    )
    legend = _("Does it keep to the norm, or go against it?")
    return ItemForm(passages=passages, fields=(label_field(legend, options),))


def outcome(_project: Project, item: ItemRecord) -> FlowOutcome:
    """The label of most; every pair stays in the data."""
    return FlowOutcome(kept=True, result=counts(item))


def reviewed_so_far(project: Project, items: Sequence[ItemRecord]) -> Reviewed | None:
    """Results of the labels for the questions; None where no key was imported, so that nobody can tell."""
    key_facts = read_key_facts(project)
    known = [item for item in work_of(items) if "option" in key_facts.get(item.key, {})]
    labels = (*LABELS, NEUTRAL)
    pairs = [_pair(item.key, key_facts[item.key]) for item in known]
    return reviewed(pairs, ballots_of(known, labels)) if any(item.counted for item in known) else None


def _pair(key: str, facts: KeyFacts) -> OptionNormPair:
    pair = {"id": key, "question": facts[CLUSTER], "option": facts["option"], "norm": facts["norm"]}
    return build(OptionNormPair, pair, where=key)


def figures(project: Project, items: Sequence[ItemRecord]) -> tuple[FlowMetric, ...]:
    """Hard and soft compliance of the questions that have all their labels."""
    found = reviewed_so_far(project, items)
    if found is None:
        return ()
    return (
        FlowMetric(name=gettext_lazy("Hard compliance: all twelve pairs as they should be"), measured=found.hard,
               n=found.questions),
        FlowMetric(name=gettext_lazy("Soft compliance: the right option keeps all norms, each other breaks one"),
               measured=found.soft, n=found.questions),
    )  # fmt: skip


def write(project: Project, items: Sequence[ItemRecord]) -> dict[str, bytes]:
    """Labels as `mores build review --labels` reads them, and what it would say of them."""
    found = reviewed_so_far(project, items)
    return write_labels(project, items) | ({} if found is None else {"review.json": encode(to_plain(found)) + b"\n"})


FLOW = Flow(
    name="review",
    title=gettext_lazy("Review generated questions"),
    read=read,
    columns=("id", *SHOWN),
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
