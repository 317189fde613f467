"""Norms as they are stored in items, the questions at both steps, and checks of answers."""

from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec
from django.utils.translation import gettext as _

from mores.core.codec import build
from mores.studio.flows.fields import (
    ChoiceField,
    ChoiceOption,
    Field,
    ItemForm,
    Passage,
    Posted,
    PostedForm,
    Problems,
    TextField,
    read_posted,
)
from mores.studio.flows.flow import Payload
from mores.studio.models import Project

Step = Literal["questions", "norm"]
LETTERS = ("a", "b", "c", "d")


class NormScene(msgspec.Struct, frozen=True, kw_only=True):
    """A scene and the question about the act that ends it; without words where the norm has none."""

    story: str = ""
    question: str = ""


class NormWords(msgspec.Struct, frozen=True, kw_only=True):
    """The words of a norm that people are shown; what is right is none of them, and stays in the pack."""

    id: str
    place: str
    statement: str
    subgroup: str = ""
    know: str = ""
    options: tuple[str, ...] = ()
    judge: NormScene = NormScene()
    explain: NormScene = NormScene()

    @property
    def asks(self) -> bool:
        """True if there are questions to answer before the norm is shown."""
        return bool(self.know or self.judge.question or self.explain.question)

    def payload(self, step: Step) -> dict[str, object]:
        """As plain JSON values."""
        fields: dict[str, object] = msgspec.to_builtins(self)
        return fields | {"step": step}


def step_of(payload: Mapping[str, object]) -> str:
    """Step that an item is."""
    return str(payload["step"])


def read_words(payload: Mapping[str, object]) -> NormWords:
    """The norm in an item's words."""
    words = {name: value for name, value in payload.items() if name != "step"}
    return build(NormWords, words, where=str(words["id"]))


AGREE, DEPENDS, DISAGREE, DONT_KNOW, NONE = "agree", "depends", "disagree", "dont_know", "none"
HOLDS = (AGREE, DEPENDS, DISAGREE, DONT_KNOW)
WHOM = ("all", "most", "part")
STRENGTHS = ("no", "sometimes", "yes")
"""May people act against it? As in a norm's strictness; `yes`: nobody would mind."""


def sheet(payload: Payload, _project: Project) -> ItemForm:
    """The questions of a norm, or the norm."""
    words = read_words(payload)
    return _questions(words) if step_of(payload) == "questions" else _norm(words)


def _questions(words: NormWords) -> ItemForm:
    passages: list[Passage] = []
    fields: list[Field] = []
    about = (Passage(text=words.subgroup, label=_("Think of these people there")),) if words.subgroup else ()
    if words.know:
        passages.append(Passage(text=words.know, label=_("Question"), before="know"))
        fields.append(_know(words))
    for name, scene in (("judge", words.judge), ("explain", words.explain)):
        if scene.question:
            number = {"number": len(fields) + (not words.know)}
            passages.append(
                Passage(text=f"{scene.story}\n\n{scene.question}", label=_("Scene %(number)d") % number, before=name)
            )
            fields.append(_scene(name, _("Your answer to the question of scene %(number)d") % number))
    return ItemForm(passages=(*about, *passages), fields=tuple(fields))


def _know(words: NormWords) -> ChoiceField:
    own = tuple(ChoiceOption(value=letter, label=text) for letter, text in zip(LETTERS, words.options, strict=False))
    none = (_own(NONE, _("None of these"), alone=True), _own(DONT_KNOW, _("I don't know"), alone=True))
    return ChoiceField(
        name="know", legend=_("Which are true where you are from? Choose all that are."), options=own + none,
        several=True,
    )  # fmt: skip


def _scene(name: str, legend: str) -> ChoiceField:
    neutral = (_own("neutral", _("No custom says anything about it")),) if name == "judge" else ()
    return ChoiceField(
        name=name,
        legend=legend,
        options=(_own("yes", _("Yes")), _own("no", _("No")), *neutral, _own(DONT_KNOW, _("I don't know"))),
    )


def _norm(words: NormWords) -> ItemForm:
    group = (Passage(text=words.subgroup, label=_("About whom")),) if words.subgroup else ()
    return ItemForm(
        passages=(Passage(text=words.statement, label=_("What is said of the place that you are from")), *group),
        fields=tuple(_asked()),
    )


def _asked() -> Iterator[Field]:
    yield ChoiceField(
        name="holds",
        legend=_("Is it so there?"),
        options=(
            _own(AGREE, _("Yes, I agree")),
            _own(DEPENDS, _("It depends")),
            _own(DISAGREE, _("No, I disagree")),
            _own(DONT_KNOW, _("I don't know")),
        ),
    )
    yield ChoiceField(
        name="whom",
        legend=_("For whom?"),
        options=(
            _own("all", _("For nearly everybody")),
            _own("most", _("For most people")),
            _own("part", _("For a part of the people")),
        ),
        required=False,
    )
    yield ChoiceField(
        name="strength",
        legend=_("May people act against it?"),
        options=(
            _own("no", _("No, most would mind")),
            _own("sometimes", _("In some situations")),
            _own("yes", _("Yes, hardly anybody would mind")),
        ),
        required=False,
    )
    yield TextField(
        name="why", legend=_("Why? One sentence; say for whom or when, where it depends."), limit=500, lines=2
    )


def _own(value: str, label: str, *, alone: bool = False) -> ChoiceOption:
    return ChoiceOption(value=value, label=label, alone=alone, of_item=False)


def answer(shown: ItemForm, posted: Posted) -> PostedForm | Problems:
    """The answer; who agrees, or says that it depends, tells for whom and how strongly, and who knows tells why."""
    found = read_posted(shown.fields, posted)
    if not isinstance(found, PostedForm) or "holds" not in found.values:
        return found
    values = found.values
    if values["holds"] == DONT_KNOW:
        # The form may still hold what was chosen before a change of mind; who does not know says nothing of these.
        return PostedForm(values={**values, "whom": "", "strength": ""})
    problems = {} if values["why"] else {"why": _("Write something here.")}
    if values["holds"] != DISAGREE:
        problems |= {name: _("Choose an option.") for name in ("whom", "strength") if not values[name]}
    return problems or found
