"""Prompts for help: hints, a draft, an answer with its confidence, a revision, near misses; each with its shape."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import msgspec
import tomli

from mores.core.card import Sampling
from mores.core.prompt import prompts_in
from mores.models.request import AnswerKey, Tag
from mores.norms.places import place
from mores.pipelines.structured_query import StructuredQuery

HERE = Path(__file__).parent
prompt = prompts_in(HERE)
HELPER, VERIFIER = "helper", "verifier"
HINT, DRAFT, VERIFY, REVISE, NEAR = "hint", "draft", "verify", "revise", "near"
LowerLetter = Literal["a", "b", "c", "d"]
LETTERS: tuple[LowerLetter, ...] = ("a", "b", "c", "d")
WRITING, ANSWERING = Sampling(temperature=0.9), Sampling(temperature=0.0)
LONGEST = 600
"""Characters of a question or an option that a model may write."""


class Hints(msgspec.Struct):
    """Moments that a question could be about."""

    hints: list[str]


class DraftedQuestion(msgspec.Struct):
    """A question with four options, and those that hold."""

    question: str
    a: str
    b: str
    c: str
    d: str
    holds: list[LowerLetter]


class Verified(msgspec.Struct):
    """Answer that a verifier takes for true, and its confidence in per cent."""

    holds: list[LowerLetter]
    confidence: int
    why: str = ""


class NearMisses(msgspec.Struct):
    """Three answers, each of letters, that are nearly all that hold."""

    first: list[LowerLetter]
    second: list[LowerLetter]
    third: list[LowerLetter]

    @property
    def all(self) -> tuple[frozenset[str], ...]:
        """The three as sets of letters."""
        return frozenset(self.first), frozenset(self.second), frozenset(self.third)


class HelpRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Request for help: its kind and subject; `sample` tells one asking from the next of the same words.

    `holds` is what the asker takes for true, which no verifier is told. `instruction` is what a strategy of the
    project's own asks for; one of the studio's has its instruction by its name.
    """

    kind: str
    place: str
    situation: str = ""
    question: str = ""
    options: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    strategy: str = ""
    instruction: str = ""
    sample: int = 0


class _Kind(msgspec.Struct, frozen=True, kw_only=True):
    role: str
    shape: type[Any]
    sampling: Sampling
    wrong: Callable[[Any, HelpRequest], str]
    planted: Callable[[HelpRequest], dict[str, object]]


@cache
def strategies() -> dict[str, dict[str, str]]:
    """Title and instruction of each way to revise a question, by name."""
    return tomli.loads((HERE / "strategies.toml").read_text(encoding="utf-8"))


def role_of(kind: str) -> str:
    """Role that is asked."""
    return _KINDS[kind].role


def question_of(wanted: HelpRequest, number: int) -> tuple[StructuredQuery[Any], Sampling]:
    """Question to a model; `number` is the job's, which tells calls apart in the journal of calls."""
    kind = _KINDS[wanted.kind]
    values = {"place": place(wanted.place).name, "situation": wanted.situation, "question": _format_question(wanted),
              "instruction": _instruction(wanted)}  # fmt: skip
    item = f"help/{number}"
    asked = prompt(wanted.kind)
    return StructuredQuery(
        prompt=asked,
        values={name: value for name, value in values.items() if name in asked.slots},
        shape=kind.shape,
        tag=Tag(item=item, role=kind.role, sample=wanted.sample),
        key=AnswerKey(unit=item, truth="said", ways={"said": json.dumps(kind.planted(wanted))}, place=wanted.place),
        check=lambda found: kind.wrong(found, wanted),
    ), kind.sampling


def _instruction(wanted: HelpRequest) -> str:
    if wanted.instruction or not wanted.strategy:
        return wanted.instruction
    return strategies()[wanted.strategy]["instruction"]


def _format_question(wanted: HelpRequest) -> str:
    """A question as models read it; what holds is starred for who helps, and hidden from who verifies."""
    shown = wanted.holds if wanted.kind in {REVISE, NEAR} else ()
    lines = [
        f"{'* ' if letter in shown else ''}{letter}) {words}"
        for letter, words in zip(LETTERS, wanted.options, strict=False)
    ]
    return "\n".join([wanted.question, *lines])


def _wrong_hints(found: Hints, _wanted: HelpRequest) -> str:
    hints = [hint for hint in found.hints if hint.strip()]
    return "" if 1 <= len(hints) <= 5 and all(len(hint) <= LONGEST for hint in hints) else "expected three short hints."


def _wrong_draft(found: DraftedQuestion, _wanted: HelpRequest) -> str:
    options = [found.a.strip(), found.b.strip(), found.c.strip(), found.d.strip()]
    if not found.question.strip() or not all(options):
        return "the question or an option has no words."
    if len({option.casefold() for option in options}) < len(options):
        return "two options say the same."
    if max(map(len, (found.question, *options))) > LONGEST:
        return f"the question or an option is longer than {LONGEST} characters."
    return wrong_letters(found.holds) if found.holds else "no option holds."


def wrong_letters(holds: Sequence[str]) -> str:
    """Fault of the letters that a model says hold; empty where they are distinct letters of options, or none.

    >>> wrong_letters(["a", "c"]), wrong_letters(["a", "b", "a"])
    ('', 'holds has 3 letters, some of them twice; expected each of a, b, c and d once at most.')
    """
    if len(set(holds)) == len(holds) and set(holds) <= set(LETTERS):
        return ""
    return f"holds has {len(holds)} letters, some of them twice; expected each of a, b, c and d once at most."


def _wrong_verdict(found: Verified, _wanted: HelpRequest) -> str:
    if not 0 <= found.confidence <= 100:
        return f"confidence is {found.confidence}; expected 0 to 100."
    return wrong_letters(found.holds)


def near(gold: Sequence[str]) -> list[tuple[LowerLetter, ...]]:
    """Answers next to the right one: a letter of it left out, one more, or one in place of another; none is empty.

    >>> near(["a", "b", "c", "d"])
    [('a', 'b', 'c'), ('a', 'b', 'd'), ('a', 'c', 'd'), ('b', 'c', 'd')]
    """
    right = frozenset(gold)
    every = (several for size in range(1, 5) for several in combinations(LETTERS, size))
    return [each for each in every if len(right - set(each)) <= 1 and len(set(each) - right) <= 1 and right != {*each}]


def _wrong_misses(found: NearMisses, wanted: HelpRequest) -> str:
    if len(set(found.all)) < 3:
        return "two answers are the same; expected three that differ."
    stray = [each for each in found.all if each not in set(map(frozenset, near(wanted.holds)))]
    if stray:
        named = ", ".join(sorted(stray[0])) or "nothing"
        return f"{named} is no near miss of {', '.join(wanted.holds)}; expected one letter left out, added, or both."
    return ""


def _planted_draft(wanted: HelpRequest) -> dict[str, object]:
    """Draft of a simulated helper: words that say they are simulated, round those of the writer."""
    about = " ".join(wanted.situation.split())[:200]
    options = {str(letter): f"Simulated option {letter}: {about}"[:LONGEST] for letter in LETTERS}
    asked = f"Which of these do most people in {place(wanted.place).name} do? (simulated draft {wanted.sample + 1})"
    return {"question": asked, **options, "holds": ["a"]}


def _planted_revision(wanted: HelpRequest) -> dict[str, object]:
    options = {str(letter): f"{words} (simulated: {wanted.strategy})"[:LONGEST]
               for letter, words in zip(LETTERS, wanted.options, strict=False)}  # fmt: skip
    return {"question": wanted.question, **options, "holds": list(wanted.holds)}


def _planted_verdict(wanted: HelpRequest) -> dict[str, object]:
    """A simulated verifier names one option by the length of the words, which is as good as a guess."""
    chosen = LETTERS[sum(map(len, (wanted.question, *wanted.options))) % len(LETTERS)]
    return {"holds": [chosen], "confidence": 50, "why": "Simulated: it knows nothing."}


def _planted_misses(wanted: HelpRequest) -> dict[str, object]:
    return dict(zip(("first", "second", "third"), map(list, near(wanted.holds)), strict=False))


def _planted_hints(wanted: HelpRequest) -> dict[str, object]:
    where = place(wanted.place).name
    return {"hints": [f"Simulated hint {number}: a moment of a day in {where}." for number in (1, 2, 3)]}


_KINDS: Mapping[str, _Kind] = {
    HINT: _Kind(role=HELPER, shape=Hints, sampling=WRITING, wrong=_wrong_hints, planted=_planted_hints),
    DRAFT: _Kind(role=HELPER, shape=DraftedQuestion, sampling=WRITING, wrong=_wrong_draft, planted=_planted_draft),
    VERIFY: _Kind(role=VERIFIER, shape=Verified, sampling=ANSWERING, wrong=_wrong_verdict, planted=_planted_verdict),
    REVISE: _Kind(role=HELPER, shape=DraftedQuestion, sampling=WRITING, wrong=_wrong_draft, planted=_planted_revision),
    NEAR: _Kind(role=HELPER, shape=NearMisses, sampling=WRITING, wrong=_wrong_misses, planted=_planted_misses),
}
