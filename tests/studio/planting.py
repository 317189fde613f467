"""Items of every flow and what people answer to them, for a studio with something on every page."""

from collections.abc import Callable, Sequence
from decimal import Decimal

from mores.studio.accounts.links import join
from mores.studio.accounts.screening import ScreeningFacts, screen
from mores.studio.flows.closing import close_item
from mores.studio.flows.fields import Posted, PostedForm
from mores.studio.flows.flow import flow_named
from mores.studio.flows.norms.answers import NormScene, NormWords
from mores.studio.models import (
    Account,
    Assignment,
    ItemKind,
    ItemState,
    Participant,
    Project,
    ProlificStudy,
    Role,
)
from mores.studio.models.lookalikes import SIGN
from mores.studio.work.items import EXPECTED, FEEDBACK, NewItem, add_items
from mores.studio.work.ledger import LedgerEntry, correct
from mores.studio.work.submit import AnswerSubmission, Submitted, submit
from tests.studio.doing import claimed

Say = Callable[[str], str]
QUESTION = "A guest comes to a home where the family is about to eat. What do most families do?"
OPTIONS = (
    "They ask the guest to join, and set a place before an answer is given.",
    "They eat later, once the guest has left.",
    "They go on eating, and offer tea.",
    "They ask the guest to come back on another day.",
)
SCENE = "Kenji comes to his aunt at noon. The table is set, and she has cooked for two."
NORM = "A guest who comes at the hour of a meal is asked to eat."
COUNT, FIRST = 6, "questions"
SAID: dict[str, Sequence[Posted]] = {
    "check": [{"options": ["a", "b"]}, {"options": ["dont_know"]}],
    "review": [{"label": ["satisfy"]}, {"label": ["violate"]}],
    "label": [{"label": ["yes"], "note": ["She asks twice: 090-1234-5678."]}, {"label": ["no"]}],
    "scenarios": [{"label": ["yes"]}, {"label": ["no"]}],
    "form": [
        {"clear-who": ["1"], "better": ["one"], "order": ["one:1", "two:2"], "odd": ["0-9"], "note": ["So."]},
        {"clear-who": ["4"], "better": ["tie"], "order": ["one:2", "two:1"], "odd": [], "note": [""]},
    ],
}
"""What the first two people post, so that they differ."""
FORM = """
[[show]]
column = "text"
label = "Text"
[[show]]
column = "one"
label = "First"
language = "en"
next_to = { column = "two", label = "Second" }
[[ask]]
type = "likert"
name = "clear"
words = "How clear is it?"
aspects = ["Who"]
low = "not at all"
[[ask]]
type = "pairwise"
name = "better"
words = "Which is better?"
columns = ["one", "two"]
tie = true
[[ask]]
type = "ranking"
name = "order"
words = "Put them in order."
columns = ["one", "two"]
[[ask]]
type = "spans"
name = "odd"
words = "What is odd here?"
column = "marked"
[[ask]]
type = "text"
name = "note"
words = "Why?"
"""
"""A form with a question of each type."""


def of_an_account(name: str) -> str:
    """A name as an account may have it: without the sign of names that nobody chose."""
    return name[:80].replace(SIGN, ";")


def person_in(project: Project, name: str) -> Participant:
    """Somebody who was let in and may do everything there."""
    account = Account.objects.make(of_an_account(name))
    for role in Role:
        join(project, account, role)
    person = Participant.objects.get(project=project, account=account)
    screen(person, ScreeningFacts(nationality="JP", residence_before_18="JP"))
    Participant.objects.filter(pk=person.pk).update(guideline_read=1)
    person.refresh_from_db()
    return person


def items(project: Project, say: Say) -> None:
    """Some items of its flow."""
    if project.flow == "check":
        project.groups.create(code="ainu", name=say("Ainu")[:80], country="JP")
    norm = NormWords(
        id="JP-guest", place="JP", statement=say(NORM), subgroup=say("Families in the country"), know=say(QUESTION),
        options=tuple(map(say, OPTIONS)), judge=NormScene(story=say(SCENE), question=say("Is it right to eat alone?")),
    )  # fmt: skip
    asked: dict[str, object] = {"question": say(QUESTION), "options": [f"{n} {say(o)}" for n, o in enumerate(OPTIONS)]}
    writer = {"holds": ["a"], "common": "4", "knows": "5", "situation": say(SCENE)}
    task = say("Does the aunt keep to the customs of her place?")
    payloads: dict[str, dict[str, object]] = {
        "check": asked,
        "write": asked | {"writer": writer},
        "norms": norm.payload("norm"),
        "review": {"place": "Japan", "background": say(SCENE), "norm": say(NORM), "option": say(OPTIONS[1])},
        "label": {"task": task, "place": "Japan", "words": say(SCENE), "options": ["yes", "no"]},
        "form": {
            "place": "Japan",
            "cells": {
                "text": say(SCENE),
                "one": say(OPTIONS[0]),
                "two": say(OPTIONS[1]),
                "marked": f"He waits. {say(SCENE)}",
            },
        },
        "scenarios": {"place": "Japan", "shown": [["scenario", say(SCENE)], ["goal", say(NORM)]], "question": task},
    }
    rows = [NewItem(key=f"q{n}", payload=payloads[project.flow], region="JP") for n in range(COUNT)]
    add_items(project, rows, who=None, state=flow_named(project.flow).begins)
    if project.flow == "norms":
        first = NewItem(key=FIRST, payload=norm.payload("questions"), region="JP")
        add_items(project, [first], who=None, state=ItemState.WAITING)


def training(project: Project, say: Say) -> None:
    """A training item of a project where people label."""
    words = {"task": say("Is it so?"), "place": "", "words": say("Learn this."), "options": ["yes", "no"]}
    facts = {EXPECTED: {"label": "yes"}, FEEDBACK: say("Because she asks before he sits down.")}
    add_items(project, [NewItem(key="t", payload=words, kind=ItemKind.TRAINING, key_facts=facts)], who=None)


def differing(project: Project, say: Say) -> None:
    """Two people who answer the same items unlike each other, and a third item that nobody knows."""
    people = [person_in(project, say(f"Other {number} of {project.slug}")) for number in range(2)]
    for person, posted in zip(people, SAID.get(project.flow, ()), strict=False):
        _answered(person, posted)
    if project.flow == "check":
        for person in people:
            _answered(person, {"options": ["dont_know"]})


def _answered(person: Participant, posted: Posted) -> None:
    held = Assignment.objects.select_related("shown").get(pk=claimed(person).assignment)
    flow = flow_named(person.project.flow)
    read = flow.answer(flow.sheet(held.shown.payload, person.project), posted)
    assert isinstance(read, PostedForm), read
    sending = AnswerSubmission(assignment=held.pk, participant=person.pk, answer=read.values, key=f"k{held.pk}")
    stored = submit(sending)
    assert isinstance(stored, Submitted)
    if stored.completed is not None:
        close_item(stored.completed)


def recruited(project: Project, person: Participant, say: Say) -> ProlificStudy:
    """A study on Prolific, and lines of what people are owed."""
    for number, (status, amount) in enumerate((("owed", "4.50"), ("paid", "4.50"), ("owed", "-1.00"))):
        line = LedgerEntry(
            submission=f"submission-{number}", reason=say("ten answers")[:20], status=status, minutes=Decimal("21.5"),
            amount=Decimal(amount), currency="USD",
        )  # fmt: skip
        correct(person, line, who=person.account_id)
    return ProlificStudy.objects.create(
        project=project, study_id="65f0c1d2a3b4c5d6e7f80912", region="JP", hook_secret="s" * 32, code_done="C1DONE",
        code_screened_out="C2OUT", code_declined="C3NO", code_late="C4LATE", reward=Decimal("4.50"),
        screen_out_reward=Decimal(".30"),
    )  # fmt: skip
