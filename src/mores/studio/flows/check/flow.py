"""Check: what a question looks like, how it is answered, and what its answers make of it."""

from collections import Counter
from fractions import Fraction
from math import ceil

from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mores.benchmarks.data_tables import DataRow, filled
from mores.core.errors import InputError
from mores.norms.places import find
from mores.studio.flows.check.combinations import LETTERS
from mores.studio.flows.check.combinations_views import combinations_of_all, combinations_of_one
from mores.studio.flows.check.culturalbench import (
    DONT_KNOW,
    UNANSWERABLE,
    CheckQuestion,
    chosen,
    read_question,
    write_culturalbench,
)
from mores.studio.flows.check.second_round import MOSTLY_UNKNOWN, second_round
from mores.studio.flows.fields import ChoiceField, ChoiceOption, ItemForm, Passage
from mores.studio.flows.flow import EVERY_ANSWER, ExportFormat, Flow, FlowOutcome, Payload
from mores.studio.models import Project
from mores.studio.work.items import NewItem
from mores.studio.work.records import ItemRecord

NEEDED = Fraction(4, 5)
"""Share of all answers that an option has to have."""
OPTIONS = tuple(f"prompt_option_{letter}" for letter in LETTERS)


def read(row: DataRow, _project: Project) -> NewItem:
    """A question of four options, in CulturalBench's columns."""
    key, asked = (filled(row, name).strip() for name in ("question_idx", "prompt_question"))
    options = tuple(filled(row, name).strip() for name in OPTIONS)
    country = filled(row, "country")
    if len(set(options)) < len(options):
        raise InputError(f"{row.where}: two options say the same; expected four that differ.")
    question = CheckQuestion(question=asked, options=options)
    place = find(country, where=row.where)
    return NewItem(key=key, payload=question.payload(), region=place.id)


def sheet(payload: Payload, _project: Project) -> ItemForm:
    """The question, its options, and the two answers that choose none."""
    question = read_question(payload)
    own = tuple(
        ChoiceOption(value=letter, label=words) for letter, words in zip(LETTERS, question.options, strict=True)
    )
    none = (
        ChoiceOption(value=DONT_KNOW, label=_("I don't know"), alone=True, of_item=False),
        ChoiceOption(value=UNANSWERABLE, label=_("It cannot be answered"), alone=True, of_item=False),
    )
    legend = _("Which hold where you are from? Choose all that do.")
    return ItemForm(
        passages=(Passage(text=question.question),),
        fields=(ChoiceField(name="options", legend=legend, options=own + none, several=True),),
    )


def outcome(_project: Project, item: ItemRecord) -> FlowOutcome:
    """Gold where at least four of five chose an option; nothing in gold: dropped, with the reason.

    "I don't know" and "cannot be answered" choose no option and stay among the answers, so that four of five are four
    of all who answered.
    """
    answers = len(item.counted)
    chose = Counter(choice for answer in item.counted for choice in chosen(answer.answer))
    needed = ceil(answers * NEEDED)
    gold = [letter for letter in LETTERS if chose[letter] >= needed]
    counts: dict[str, object] = {
        "votes": {letter: chose[letter] for letter in LETTERS},
        "dont_know": chose[DONT_KNOW],
        "unanswerable": chose[UNANSWERABLE],
    }
    if gold:
        mode = "single" if len(gold) == 1 else "multi"
        return FlowOutcome(kept=True, result=counts | {"gold": gold, "mode": mode}, forward=item.payload)
    if 2 * chose[DONT_KNOW] > answers:
        reason = MOSTLY_UNKNOWN
    else:
        reason = "mostly_unanswerable" if 2 * chose[UNANSWERABLE] > answers else f"no_option_has_{needed}"
    return FlowOutcome(kept=False, result=counts | {"reason": reason})


FLOW = Flow(
    name="check",
    title=gettext_lazy("Check questions"),
    read=read,
    columns=("question_idx", "prompt_question", *OPTIONS, "country"),
    sheet=sheet,
    outcome=outcome,
    forwards_to=frozenset({"check"}),
    exports={
        "culturalbench": ExportFormat(title=gettext_lazy("CulturalBench, Easy and Hard"), write=write_culturalbench),
        "answers": EVERY_ANSWER,
    },
    routes=(
        path("second-round", second_round, name="second-round"),
        path("combinations", combinations_of_all, name="combinations"),
        path("combinations/<int:number>", combinations_of_one, name="combination"),
    ),
    home="check/home.html",
)
