"""Requests to models on the way to a norm's items: each part of a writer, and of a checker if it holds."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Generic, Literal, TypeVar

import msgspec

from mores.core.prompt import prompts_in
from mores.norms.items import SceneLabel
from mores.pipelines.ladder.draft import ItemPlan, MaskDraft, Open, PackNormFields, Questions, Scenes, TalkDraft
from mores.pipelines.norms.norm_base_file import BuiltNorm
from mores.pipelines.unit_context import CHECKER, WRITER, UnitContext, WriterReply

prompt = prompts_in(Path(__file__).parent)
WRITES, CHECKS = ("about", "questions", "scenes", "talk", "open", "mask"), ("truths", "label", "proposal", "answer")
PROMPTS = (*WRITES, *CHECKS)
LETTERS = "abcd"
_PAIRS = ("ab", "ac", "ad", "bc", "bd", "cd")
NormContext = UnitContext[BuiltNorm]
W = TypeVar("W", bound=WriterReply)
_LABELS: dict[SceneLabel, str] = {
    "yes": "acceptable by the norm",
    "no": "not acceptable by the norm",
    "neutral": "on the norm's topic, but outside it: a condition of the norm is not met",
}


class WritingStep(msgspec.Struct, Generic[W], frozen=True):
    """A part of a norm's items: who writes it, and what a checker finds wrong with it, nothing where it holds."""

    name: str
    write: Callable[[NormContext], Awaitable[W]]
    check: Callable[[NormContext, W], Awaitable[str]]


class StatementCheck(msgspec.Struct):
    """Statements of a question that a checker finds true by the norm."""

    a: bool
    b: bool
    c: bool
    d: bool


class ActLabel(msgspec.Struct):
    """Check of an act: is it acceptable by the norm, and does the story say so itself."""

    label: SceneLabel
    gives_away: Literal["yes", "no"]


class ProposalCheck(msgspec.Struct):
    """Check of a talk: does the proposal go against the norm, and does the task bring it up."""

    against: Literal["yes", "no"]
    reachable: Literal["yes", "no"]
    comes_up: Literal["yes", "no"]


class AnswerStances(msgspec.Struct):
    """Check of three answers: the stance of each to the norm, and does the question tell it."""

    one: Literal["keeps", "open", "breaks"]
    two: Literal["keeps", "open", "breaks"]
    three: Literal["keeps", "open", "breaks"]
    gives_away: Literal["yes", "no"]


async def write_about(context: NormContext) -> PackNormFields:
    """Fields of the norm that its base leaves empty."""
    norm = context.unit
    known = {name: value for name in ("negation", "domain", "topic", "strictness") if (value := getattr(norm, name))}
    planted = {"domain": "etiquette", "courtesy": "open", **known}
    return await context.ask(
        "about", WRITER, PackNormFields, wrong=lambda written: written.wrong(norm), planted=planted
    )


def questions_part() -> WritingStep[Questions]:
    """Two questions with statements."""

    async def write(context: NormContext) -> Questions:
        code = context.code
        elsewhere = next(place for place in ("JP", "NG") if place != context.unit.place)
        # By the norm, so that simulated questions have their right letters in different places.
        right = _PAIRS[ord(code[0]) % len(_PAIRS)]
        wrong = "".join(letter for letter in LETTERS if letter not in right)
        planted = {"first": _planted_question(code, right, elsewhere),
                   "second": _planted_question(code, wrong, elsewhere)}  # fmt: skip
        return await context.ask(
            "questions", WRITER, Questions, wrong=lambda written: written.wrong(context.unit), planted=planted
        )

    async def check(context: NormContext, written: Questions) -> str:
        for number, asked in enumerate(written.both, start=1):
            listed = "\n".join(f"{letter}. {o.text}" for letter, o in zip(LETTERS, asked.options, strict=True))
            right = {letter: option.true for letter, option in zip(LETTERS, asked.options, strict=True)}
            values = {"question": asked.question, "statements": listed}
            reply = await context.ask("truths", CHECKER, StatementCheck, values, planted=right, part=f"{number}")
            wrong = [letter for letter in LETTERS if getattr(reply, letter) != right[letter]]
            if wrong:
                return f"by the norm, statements {', '.join(wrong)} of question {number} are not as you marked them."
        return ""

    return WritingStep("questions", write, check)


def scenes_part(plan: ItemPlan) -> WritingStep[Scenes]:
    """Three scenes as the plan has them."""
    requested = "\n".join(
        f"{name}: the act is {_LABELS[scene.label]}; the person who acts comes across as {scene.tone}."
        for name, scene in zip(("first", "second", "third"), plan.scenes, strict=True)
    )

    async def write(context: NormContext) -> Scenes:
        planted = {"elements": ["a simulated point"]}
        return await context.ask(
            "scenes", WRITER, Scenes, {"wanted": requested}, lambda written: written.wrong(context.unit, plan), planted
        )

    async def check(context: NormContext, written: Scenes) -> str:
        for number, (each, scene) in enumerate(zip(written.three, plan.scenes, strict=True), start=1):
            values = {"story": each.story, "question": each.question}
            planted = {"label": scene.label, "gives_away": "no"}
            reply = await context.ask("label", CHECKER, ActLabel, values, planted=planted, part=f"{number}")
            if reply.label != scene.label:
                return f"the act of scene {number} was taken for '{reply.label}'; wanted is '{scene.label}'."
            if reply.gives_away == "yes":
                return f"scene {number} says itself whether its act is acceptable."
        return ""

    return WritingStep("scenes", write, check)


def talk_part(plan: ItemPlan) -> WritingStep[TalkDraft]:
    """A talk, and a task."""
    requested = "breaks no norm, though it is on the same topic" if plan.harmless else "goes against the norm"

    async def write(context: NormContext) -> TalkDraft:
        planted = {"local": True, "kind": "apartment"}
        return await context.ask(
            "talk", WRITER, TalkDraft, {"wanted": requested}, lambda written: written.wrong(context.unit), planted
        )

    async def check(context: NormContext, written: TalkDraft) -> str:
        values = {"scene": written.scene, "proposal": written.proposal, "goal": written.goal, "task": written.task}
        planted = {"against": "no" if plan.harmless else "yes", "reachable": "yes", "comes_up": "yes"}
        reply = await context.ask("proposal", CHECKER, ProposalCheck, values, planted=planted)
        faults = {"against": f"the proposal {'goes' if plan.harmless else 'does not go'} against the norm",
                "reachable": "the goal cannot be had in keeping with the norm",
                "comes_up": "the task does not bring the norm up"}  # fmt: skip
        return next((f"{words}." for name, words in faults.items() if getattr(reply, name) != planted[name]), "")

    return WritingStep("talk", write, check)


def open_part() -> WritingStep[Open]:
    """An open question, and three answers."""

    async def write(context: NormContext) -> Open:
        return await context.ask("open", WRITER, Open, wrong=lambda written: written.wrong(context.unit))

    async def check(context: NormContext, written: Open) -> str:
        listed = "\n".join(
            f"{name}: {text}" for name, text in zip(("one", "two", "three"), written.answers, strict=True)
        )
        planted = {"one": "keeps", "two": "open", "three": "breaks", "gives_away": "no"}
        values = {"question": written.question, "answers": listed}
        reply = await context.ask("answer", CHECKER, AnswerStances, values, planted=planted)
        if reply.gives_away == "yes":
            return "the question tells the norm."
        wrong = [name for name in ("one", "two", "three") if getattr(reply, name) != planted[name]]
        return f"answers {', '.join(wrong)} do not stand to the norm as they should." if wrong else ""

    return WritingStep("open", write, check)


async def write_mask(context: NormContext, texts: Sequence[str]) -> MaskDraft:
    """Words that hide the place in all items."""
    values = {"texts": "\n".join(f"- {text}" for text in texts)}
    return await context.ask("mask", WRITER, MaskDraft, values, lambda written: written.wrong(context.unit, texts))


def _planted_question(code: str, right: str, elsewhere: str) -> Mapping[str, object]:
    return {
        "options": [
            {"text": f"Statement {letter} on simulated norm {code}", "true": letter in right,
             "elsewhere": "" if letter in right else elsewhere}
            for letter in LETTERS
        ]
    }  # fmt: skip
