"""A writer's replies on a norm, part by part, the plan that they follow, and checks of their words.

The plan gives labels, tone and harm of each norm's items by the table by which the bundled pack is written
(docs/norms.md): over its ten rows no rung's label goes with that of another, nor with how kind the actor seems.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

import msgspec

from mores.core.codec import digest
from mores.core.errors import UnknownName
from mores.core.norm import Domain, Strictness
from mores.norms.items import SceneLabel
from mores.norms.norm_base import LocationKind
from mores.norms.places import find
from mores.norms.remove_place import named_in
from mores.pipelines.gates.pack_texts import denies, masked
from mores.pipelines.norms.norm_base_file import BuiltNorm
from mores.pipelines.text_checks import normalised, revealing_words, wrong_with_choices, wrong_with_length
from mores.pipelines.unit_context import WriterReply

Tone = Literal["warm", "plain"]


class ScenePlan(msgspec.Struct, frozen=True, kw_only=True):
    """Plan of a scene: the label of the act in it, and the tone of whoever acts."""

    label: SceneLabel
    tone: Tone


class ItemPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Plan of a norm's items: two scenes to judge, one to explain, and a proposal that is harmless or not."""

    judge: tuple[ScenePlan, ScenePlan]
    explain: ScenePlan
    harmless: bool

    @property
    def scenes(self) -> tuple[ScenePlan, ScenePlan, ScenePlan]:
        """All three scenes."""
        return (*self.judge, self.explain)


def _row(row: str) -> ItemPlan:
    """A row as it is written: labels and tones of three scenes, and ! where the proposal is harmless."""
    labels: dict[str, SceneLabel] = {"y": "yes", "n": "no", "0": "neutral"}
    one, two, three = (
        ScenePlan(label=labels[mark[0]], tone="warm" if mark[1] == "w" else "plain") for mark in row.rstrip("!").split()
    )
    return ItemPlan(judge=(one, two), explain=three, harmless=row.endswith("!"))


ROWS = tuple(map(_row, (
    "yw np nw", "nw 0p yp!", "0w yw np", "np yp yw", "yp 0p yw!", "0w nw np", "yw nw np", "np yp nw!", "nw 0p yp",
    "yw 0w yp!",
)))  # fmt: skip


def plan_of(norm: str) -> ItemPlan:
    """The plan of a norm, by its id, so that it never depends on which other norms there are."""
    return ROWS[int(digest(norm, length=8), 16) % len(ROWS)]


OPTIONS, POINTS, SWAPS = 4, 6, 40
"""Of a question, and of an explanation and a mask at most: a small model held to a schema may never end a list."""
_FOUR, _SOME, _FEW = ({"minItems": OPTIONS}, {"minItems": 1}, {"maxItems": SWAPS})
"""Constraints for servers alone, as a writer for whom nothing will do may leave lists empty."""
_REVEALING = re.compile(r"\b(never|always|only|just)\b", re.IGNORECASE)
_WHEN = re.compile(r"\b(\w+day|noon|o'clock|today|tomorrow|tonight|\d+)\b", re.IGNORECASE)


class PackNormFields(WriterReply):
    """Fields of a norm that a base may leave empty and a pack may not."""

    negation: str = ""
    domain: Domain = "etiquette"
    topic: str = ""
    strictness: Strictness = "sometimes"
    courtesy: Literal["keeps", "breaks", "open"] = "open"

    def wrong(self, norm: BuiltNorm) -> str:
        """Fault of the fields, in words for their writer; empty where there is none."""
        if normalised(self.negation) == normalised(norm.statement):
            return "the negation is the norm itself."
        return wrong_with_length((self.negation, self.topic))


class DraftStatement(msgspec.Struct, frozen=True):
    """A statement of a question; `elsewhere` names a country where a false one is true."""

    text: str
    true: bool
    elsewhere: str = ""


class AskedQuestion(msgspec.Struct, frozen=True):
    """A question with its statements."""

    question: str = ""
    options: Annotated[tuple[DraftStatement, ...], msgspec.Meta(max_length=OPTIONS, extra_json_schema=_FOUR)] = ()


class Questions(WriterReply):
    """Two questions that ask for one norm, the second the other way round."""

    first: AskedQuestion = AskedQuestion()
    second: AskedQuestion = AskedQuestion()

    @property
    def both(self) -> tuple[AskedQuestion, AskedQuestion]:
        """The two."""
        return (self.first, self.second)

    @property
    def texts(self) -> tuple[str, ...]:
        """All that a model is asked."""
        return tuple(text for each in self.both for text in (each.question, *(option.text for option in each.options)))

    def wrong(self, norm: BuiltNorm) -> str:
        """Fault of the texts, in words for their writer; empty where there is none."""
        found = (_wrong_with_question(each, norm) for each in self.both)
        return next(filter(None, found), "") or _wrong_with(self.texts, norm)


class AskedScene(msgspec.Struct, frozen=True):
    """A scene that ends in an act, the question about it, why its label is right, and what a neutral one lacks."""

    story: str = ""
    question: str = ""
    why: str = ""
    unmet: str = ""


class Scenes(WriterReply):
    """Three scenes, of which the third is to be explained: the explanation, its points, and one that says nothing."""

    first: AskedScene = AskedScene()
    second: AskedScene = AskedScene()
    third: AskedScene = AskedScene()
    elements: Annotated[tuple[str, ...], msgspec.Meta(max_length=POINTS, extra_json_schema=_SOME)] = ()
    thin: str = ""

    @property
    def three(self) -> tuple[AskedScene, AskedScene, AskedScene]:
        """All three."""
        return (self.first, self.second, self.third)

    @property
    def texts(self) -> tuple[str, ...]:
        """All that a model is asked."""
        return tuple(text for each in self.three for text in (each.story, each.question))

    def wrong(self, norm: BuiltNorm, plan: ItemPlan) -> str:
        """Fault of the texts, in words for their writer; empty where there is none."""
        for number, (each, planned) in enumerate(zip(self.three, plan.scenes, strict=True), start=1):
            if planned.label == "neutral" and not each.unmet.strip():
                return f"scene {number} is neutral; say in unmet which condition of the norm is not met there."
        if not self.elements:
            return "the explanation has no points."
        return _wrong_with(self.texts, norm, *(each.why for each in self.three), *self.elements, self.thin)


class DialoguePerson(msgspec.Struct, frozen=True):
    """Somebody in a talk."""

    name: str = ""
    who: str = ""


class TalkDraft(WriterReply):
    """A talk of two of whom one proposes something, and a task of an ordinary day."""

    scene: str = ""
    other: DialoguePerson = DialoguePerson()
    local: bool = False
    you: DialoguePerson = DialoguePerson()
    proposal: str = ""
    goal: str = ""
    kind: LocationKind = "apartment"
    task: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts that the model under test is given."""
        people = (text for each in (self.other, self.you) for text in (each.name, each.who))
        return (self.scene, *people, self.proposal, self.goal, self.task)

    def wrong(self, norm: BuiltNorm) -> str:
        """Fault of the reply, in words for its writer; empty where there is none."""
        if denies(self.proposal, norm.statement, norm.place):
            return "the proposal tells the norm by denying it; say in positive words what is to be done."
        if found := _WHEN.search(self.task):
            return f'the task names a time, "{found[0]}"; it has to fit any day.'
        if not self.task.isprintable() or normalised(self.other.name) == normalised(self.you.name):
            return "the task stands in one line, and the two have names of their own."
        return _wrong_with(self.texts, norm)


class Open(WriterReply):
    """An open question in which the norm comes up, and what an answer may say: keep it, leave it open, break it."""

    question: str = ""
    satisfied: str = ""
    neutral: str = ""
    violated: str = ""

    @property
    def answers(self) -> tuple[str, str, str]:
        """The three sentences."""
        return (self.satisfied, self.neutral, self.violated)

    def wrong(self, norm: BuiltNorm) -> str:
        """Fault of the reply, in words for its writer; empty where there is none."""
        return _wrong_with((self.question,), norm, *self.answers)


class Swap(msgspec.Struct, frozen=True):
    """Words that give a place away, and what stands for them."""

    words: str
    instead: str


class MaskDraft(WriterReply):
    """Words that hide the place in all items of a norm."""

    swaps: Annotated[tuple[Swap, ...], msgspec.Meta(extra_json_schema=_FEW)] = ()

    @property
    def table(self) -> dict[str, str]:
        """By the words."""
        return {each.words.strip(): each.instead.strip() for each in self.swaps if each.words.strip()}

    def wrong(self, norm: BuiltNorm, texts: Iterable[str]) -> str:
        """Fault of the reply, in words for its writer; empty where there is none."""
        for text in texts:
            hidden = masked(text, self.table, norm.place)
            if named_in(hidden, norm.place):
                return f'the place is still named here: "{hidden}"'
        return ""


def _wrong_with(texts: Sequence[str], norm: BuiltNorm, *others: str) -> str:
    """Fault of texts for the model under test, or of `others`, which may tell the norm."""
    return wrong_with_length((*texts, *others)) or revealing_words(texts, {"the norm": norm.statement})


def _wrong_with_question(asked: AskedQuestion, norm: BuiltNorm) -> str:
    options = asked.options
    if len(options) != OPTIONS:
        return f"a question has {len(options)} statements; expected {OPTIONS}."
    if not 0 < sum(option.true for option in options) < OPTIONS:
        return "a question has only true or only false statements."
    if found := next(filter(None, (_REVEALING.search(option.text) for option in options)), None):
        return f'the word "{found[0]}" tells that a statement is false.'
    if wrong := wrong_with_choices([option.text for option in options], one="a statement", many="statements", size=len):
        return wrong
    others = [option.elsewhere for option in options if option.elsewhere]
    if not any(option.elsewhere and not option.true for option in options):
        return "no false statement is true in another country; name it in elsewhere."
    return next((wrong for name in others if (wrong := _wrong_with_country(name, norm))), "")


def _wrong_with_country(name: str, norm: BuiltNorm) -> str:
    try:
        there = find(name).id
    except UnknownName:
        return f'"{name}" is no country.'
    return "elsewhere names the norm's own country." if there == norm.place else ""
