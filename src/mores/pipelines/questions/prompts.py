"""A question in the making: its matrix, and requests to models for scene, draft, checks, repairs and refinements."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec.structs import replace

from mores.core.prompt import prompts_in
from mores.norms.places import place
from mores.pipelines.norms.norm_base_file import BuiltNorm
from mores.pipelines.text_checks import contains, normalised, revealing_words, wrong_with_choices
from mores.pipelines.unit_context import CHECKER, REFINER, WRITER, UnitContext, WriterReply

OptionStand = Literal["satisfy", "violate"]
UpperLetter = Literal["A", "B", "C", "D"]
LETTERS: tuple[UpperLetter, ...] = ("A", "B", "C", "D")
MATRIX: dict[UpperLetter, tuple[OptionStand, OptionStand, OptionStand]] = {
    "A": ("violate", "satisfy", "satisfy"),
    "B": ("satisfy", "violate", "satisfy"),
    "C": ("satisfy", "satisfy", "violate"),
    "D": ("satisfy", "satisfy", "satisfy"),
}


def describe_letter(letter: UpperLetter) -> str:
    """Required stances of one course of action, in words.

    >>> describe_letter("B")
    'B satisfies norm 1, violates norm 2 and satisfies norm 3'
    """
    first, second, third = (f"{stand.removesuffix('y')}ies" if stand == "satisfy" else "violates"
                            for stand in MATRIX[letter])  # fmt: skip
    return f"{letter} {first} norm 1, {second} norm 2 and {third} norm 3"


class Grounds(msgspec.Struct, frozen=True, kw_only=True):
    """Basis of a question: three norms of one place, domain and topic."""

    id: str
    norms: tuple[BuiltNorm, BuiltNorm, BuiltNorm]

    @property
    def place(self) -> str:
        """The place of all three."""
        return self.norms[0].place

    @property
    def text(self) -> str:
        """The norms, numbered, a line each."""
        return "\n".join(f"{number}. {norm.statement}" for number, norm in enumerate(self.norms, start=1))


class QuestionDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A question as it stands: the scene, what is asked, and four courses of action of which D keeps to all norms."""

    context: str
    question: str
    options: dict[UpperLetter, str]

    @property
    def text(self) -> str:
        """The whole question, its courses of action a line each."""
        listed = "\n".join(f"{letter}. {self.options[letter]}" for letter in LETTERS)
        return f"{self.context}\n\n{self.question}\n\n{listed}"

    def with_option(self, letter: UpperLetter, text: str) -> "QuestionDraft":
        """The draft with one course of action in other words."""
        return replace(self, options={**self.options, letter: text})


def wrong_with(draft: QuestionDraft, grounds: Grounds) -> str:
    """Fault of a question, in words for its writer; empty where there is none."""
    return wrong_with_options(draft.options) or wrong_with_stem(f"{draft.context} {draft.question}", grounds)


def wrong_with_options(options: dict[UpperLetter, str]) -> str:
    """Fault of the courses of action by themselves; empty where there is none."""
    return wrong_with_choices(
        list(options.values()), one="a course of action", many="courses of action", size=lambda text: len(text.split())
    )


def wrong_with_stem(words: str, grounds: Grounds) -> str:
    """Words of a norm that scene or question give away; options act on norms, and may come near to their words."""
    return revealing_words(
        [words], {f"norm {number}": norm.statement for number, norm in enumerate(grounds.norms, start=1)}
    )


def wrong_with_rationale(rationale: str, grounds: Grounds) -> str:
    """A reason that names the country argues from it and not from the norms; empty where it does not."""
    name = place(grounds.place).name
    if normalised(name) in normalised(rationale):
        return f"the rationale names {name}; it may rest on the three norms alone."
    return ""


prompt = prompts_in(Path(__file__).parent)
ROLES = (WRITER, CHECKER, REFINER)
OF_OPTIONS = ("enrich", "intent", "concrete", "neutral")
REFINEMENTS = ("context", *OF_OPTIONS)
PROMPTS = ("scene", "compose", "check", "repair", *REFINEMENTS)


class WrittenScene(WriterReply):
    """Reply of the scenario constructor."""

    context: str = ""
    decider: str = ""
    goal: str = ""


class OptionEvidence(msgspec.Struct):
    """Quote of an option that shows its stance to a norm."""

    norm: Literal[1, 2, 3]
    option: Literal["A", "B", "C", "D"]
    quote: str


class Composed(WriterReply):
    """Reply of the composer."""

    context: str = ""
    question: str = ""
    a: str = ""
    b: str = ""
    c: str = ""
    d: str = ""
    rationale: str = ""
    evidence: Annotated[tuple[OptionEvidence, ...], msgspec.Meta(max_length=3 * len(LETTERS))] = ()

    @property
    def draft(self) -> QuestionDraft:
        """The question in the making."""
        return QuestionDraft(context=self.context, question=self.question, options=_options(self))


class WrittenOptions(msgspec.Struct):
    """Four courses of action in other words."""

    a: str
    b: str
    c: str
    d: str


class Stem(msgspec.Struct):
    """Scene and question in other words."""

    context: str
    question: str


class Repaired(msgspec.Struct):
    """One course of action in other words."""

    text: str


class OptionStance(msgspec.Struct):
    """Stance of an option to one norm, and the words that show it."""

    stand: Literal["satisfy", "violate", "neither"]
    quote: str = ""


class OptionStances(msgspec.Struct):
    """Stances of an option to the three norms."""

    norm_1: OptionStance
    norm_2: OptionStance
    norm_3: OptionStance

    @property
    def stances(self) -> tuple[str, str, str]:
        """The three judgements."""
        return (self.norm_1.stand, self.norm_2.stand, self.norm_3.stand)


async def make_scene(context: UnitContext[Grounds]) -> WrittenScene:
    """A scene."""

    def wrong(scene: WrittenScene) -> str:
        return wrong_with_stem(scene.context, context.unit) if scene.context.strip() else "the scene has no words."

    return await context.ask("scene", WRITER, WrittenScene, wrong=wrong)


async def compose(context: UnitContext[Grounds], scene: WrittenScene) -> Composed:
    """A draft by the alignment matrix."""
    values = {"scene": scene.context, "decider": scene.decider or "the person"}
    return await context.ask(
        "compose", WRITER, Composed, values, lambda reply: _wrong_composed(reply, context.unit), _planted_draft(scene)
    )


def _wrong_composed(reply: Composed, grounds: Grounds) -> str:
    draft = reply.draft
    wrong = wrong_with(draft, grounds) or wrong_with_rationale(reply.rationale, grounds)
    if wrong:
        return wrong
    for each in reply.evidence:
        if not contains(each.quote, draft.options[each.option]):
            return f'the quote "{each.quote}" does not stand in course of action {each.option}.'
    return "" if {each.norm for each in reply.evidence} == {1, 2, 3} else "the evidence leaves a norm out."


async def check(context: UnitContext[Grounds], draft: QuestionDraft, letter: UpperLetter, step: str) -> OptionStances:
    """Stances of one course of action, by another model than its writer."""

    def wrong(reply: OptionStances) -> str:
        for shown in (reply.norm_1, reply.norm_2, reply.norm_3):
            if shown.stand != "neither" and not contains(shown.quote, draft.options[letter]):
                return f'the quote "{shown.quote}" does not stand in course of action {letter}.'
        return ""

    # A simulated checker has to quote something that stands there.
    words = draft.options[letter].split()[0]
    shown = {f"norm_{n}": {"stand": stand, "quote": words} for n, stand in enumerate(MATRIX[letter], start=1)}
    return await context.ask(
        "check", CHECKER, OptionStances, {"draft": draft.text, "letter": letter}, wrong, shown, part=f"{step}-{letter}"
    )


async def repair(
    context: UnitContext[Grounds], draft: QuestionDraft, letter: UpperLetter, stances: OptionStances, turn: int
) -> QuestionDraft:
    """The draft with one course of action brought to what it has to do."""

    def wrong(reply: Repaired) -> str:
        return wrong_with(draft.with_option(letter, reply.text), context.unit)

    values = {"draft": draft.text, "letter": letter, "wanted": describe_letter(letter), "found": _format_check(stances)}
    planted = {"text": f"{draft.options[letter]} Then it is done."}
    reply = await context.ask("repair", WRITER, Repaired, values, wrong, planted, part=f"{letter}-{turn}")
    return draft.with_option(letter, reply.text)


async def refine(context: UnitContext[Grounds], draft: QuestionDraft, step: str) -> QuestionDraft:
    """The draft after one refinement: of scene and question, or of the four courses of action."""
    if step == "context":
        planted = {"context": f"{draft.context} It is a busy day.", "question": draft.question}

        def wrong(reply: Stem) -> str:
            return wrong_with(_with_stem(draft, reply), context.unit)

        return _with_stem(draft, await context.ask(step, REFINER, Stem, {"draft": draft.text}, wrong, planted))
    values = {"draft": draft.text, "matrix": "; ".join(map(describe_letter, LETTERS))}
    planted = {letter.lower(): f"{draft.options[letter]} This takes a while." for letter in LETTERS}
    reply = await context.ask(
        step, REFINER, WrittenOptions, values, lambda options: wrong_with_options(_options(options)), planted
    )
    return replace(draft, options=_options(reply))


def _options(reply: Composed | WrittenOptions) -> dict[UpperLetter, str]:
    texts = (reply.a, reply.b, reply.c, reply.d)
    return {letter: " ".join(text.split()) for letter, text in zip(LETTERS, texts, strict=True)}


def _with_stem(draft: QuestionDraft, reply: Stem) -> QuestionDraft:
    return replace(draft, context=reply.context.strip(), question=reply.question.strip())


def _format_check(stances: OptionStances) -> str:
    """Stances that a check found, in words."""
    return ", ".join(f"{stand} norm {number}" for number, stand in enumerate(stances.stances, start=1))


def _planted_draft(scene: WrittenScene) -> dict[str, object]:
    options = {letter.lower(): f"Course {letter} of a simulated question is taken" for letter in LETTERS}
    evidence = [
        {"norm": n, "option": letter, "quote": f"Course {letter}"} for n, letter in zip((1, 2, 3), "ABC", strict=True)
    ]
    return {"context": scene.context, **options, "evidence": evidence}
