"""`mores doctor canary`: asks a model for the canary of mores' items, and what its answers mean.

Completing is asked for first: the second half of the GUID, which nobody guesses. Then it is to pick the canary out of
four GUIDs, again and again, and just so a number of GUIDs that were never published: models like some GUIDs better
than others, so that only the canary's rank among these says anything.
"""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from msgspec import Struct

from mores.cli import screen
from mores.cli.args_run import AS_JSON
from mores.cli.asking import open_client
from mores.core.canary import CANARY, CANARY_LINE
from mores.core.card import Sampling
from mores.core.codec import build, read_toml
from mores.core.prompt import Prompt, PromptHeader
from mores.core.seeds import Seed
from mores.core.transcript import Message, ReplyEvent
from mores.models.cast import Cast, all_of, call_role
from mores.models.registry import is_simulated
from mores.models.request import AnswerKey, Request, Tag
from mores.runs.options import argument, option
from mores.stats.intervals import wilson
from mores.stats.rng import generator

SEED = Seed("doctor").child("canary")
SUBJECT = "subject"
CONTROLS = 19
"""GUIDs that nobody published: the canary's rank among them has a p of .05 at best."""
LETTERS = "ABCD"
SHOWN = 18
"""Letters of the GUID that are given, of 36: what is left has 64 bits and more."""
FILE = Path(__file__).with_name("canary.toml")


class _Words(Struct, frozen=True, kw_only=True):
    completions: tuple[str, ...]
    pick: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryArgs:
    """Ask a model for the canary line of mores' items: whether it has read text that carries it."""

    model: str = argument("The model, as --model of mores run.", MISSING)
    questions: int = option("Times that it is to pick each GUID out of four.", default=8, min=4)
    base_url: str | None = option("Address of its endpoint.")
    json: bool = AS_JSON


class CanaryQuestion(NamedTuple):
    """One question: its name, the prompt that it is made from, its words, and what a right answer holds."""

    name: str
    prompt: Prompt
    words: str
    right: str
    ways: dict[str, str]
    truth: str


class CanaryReport(NamedTuple):
    """Counts of a model's answers: completions with the rest in them, and picks of the canary and of each control.

    `p` is the share of all GUIDs, the canary among them, that were picked as often or more.
    """

    completed: int
    completions: int
    picked: int
    picks: int
    controls: tuple[int, ...]
    p: float
    unanswered: int


def ask_canary(typed: CanaryArgs) -> None:
    """Ask a model for the canary, and print what its answers mean.

    Raises:
        InputError: the spec cannot be opened.
        RunError: the model cannot be reached.
    """
    spec = typed.model
    found = asyncio.run(_asked(spec, typed.questions, typed.base_url))
    if typed.json:
        head = {"model": spec, "simulated": is_simulated(spec), "canary": CANARY}
        screen.print_json({**head, **found._asdict(), "says": describe(found)})
        return
    if is_simulated(spec):
        screen.line("Simulated: this model has read nothing; it says nothing about any real model.")
    low, high, *_ = wilson(found.picked, found.picks)
    screen.line(f"{spec}: wrote the rest of the canary in {found.completed} of {found.completions} questions.")
    screen.line(
        f"Picked it out of four in {found.picked} of {found.picks} ({100 * found.picked / found.picks:.0f}% "
        f"[{100 * (low or 0.0):.0f}, {100 * (high or 1.0):.0f}]; guessing 25%), GUIDs that nobody published in "
        f"{sum(found.controls)} of {found.picks * len(found.controls)}; p by rank {found.p:.2f}."
    )
    if found.unanswered:
        screen.line(f"{found.unanswered} questions had no answer; they count as wrong.")
    screen.line(describe(found))


def describe(found: CanaryReport) -> str:
    """Meaning of a report, in words."""
    if found.completed:
        return (
            "It has read text that carries the canary: nobody guesses the rest. Which items it saw, and whether it "
            "learned their answers, this does not say: compare items with their paraphrases, and by date."
        )
    if found.p <= 1 / (CONTROLS + 1):
        return (
            "It picks the canary more often than any GUID that nobody published, and does not write it: a weak sign, "
            "which one model in twenty shows by chance."
        )
    return (
        "It does not know the canary. That does not clear it: the line may have been cut from what it read, items may "
        "have been read without it, and a model may decline to recite."
    )


async def _asked(spec: str, questions: int, base_url: str | None) -> CanaryReport:
    sampling = Sampling(temperature=0.0, max_tokens=64)
    asked = [*completions(), *(one for guid in range(CONTROLS + 1) for one in picks(guid, questions))]
    with tempfile.TemporaryDirectory(prefix="mores-doctor-") as folder:
        journal = Path(folder) / "journal.sqlite"
        async with open_client(spec, sampling, journal=journal, seed=SEED, base_url=base_url) as door:
            cast = Cast({SUBJECT: door})
            replies = await all_of(*(call_role(cast, _request(each, sampling), each.prompt.sha) for each in asked))
    texts = [each.result.text if isinstance(each.result, ReplyEvent) else None for each in replies]
    return report(asked, texts, questions)


def _request(question: CanaryQuestion, sampling: Sampling) -> Request:
    key = AnswerKey(unit=question.name.partition("/")[0], truth=question.truth, ways=question.ways)
    words = (Message(role="user", content=question.words),)
    return Request(messages=words, sampling=sampling, tag=Tag(item=question.name, role=SUBJECT), key=key)


def completions() -> list[CanaryQuestion]:
    """The canary line with half of its GUID, put in three ways."""
    line = CANARY_LINE[: len(CANARY_LINE) - len(CANARY) + SHOWN]
    prompts = [_prompt(f"complete.{number}", words) for number, words in enumerate(_words().completions)]
    # A simulated model has read nothing, and says so.
    ways = {"unknown": "I do not know it.", "other": "It cannot be known."}
    return [
        CanaryQuestion(f"complete/{number}", prompt, prompt.render(line=line), CANARY[SHOWN:], ways, "unknown")
        for number, prompt in enumerate(prompts)
    ]


def picks(number: int, questions: int) -> list[CanaryQuestion]:
    """Questions on one GUID (0 is the canary) among three that are made up each time; each place is right as often."""
    guid = CANARY if number == 0 else _guid("control", number)
    prompt, found = _prompt("pick", _words().pick), []
    for at in range(questions):
        right = at % len(LETTERS)
        others = [_guid("other", number, at, place) for place in range(len(LETTERS))]
        guids = [guid if place == right else others[place] for place in range(len(LETTERS))]
        lines = "\n".join(
            f"{letter}. {CANARY_LINE.replace(CANARY, each)}" for letter, each in zip(LETTERS, guids, strict=True)
        )
        ways = {letter: letter for letter in LETTERS}
        name, words = f"pick-{number}/{at}", prompt.render(lines=lines)
        found.append(CanaryQuestion(name, prompt, words, LETTERS[right], ways, LETTERS[right]))
    return found


@cache
def _words() -> _Words:
    return build(_Words, read_toml(FILE), where=FILE.name)


def _prompt(name: str, words: str) -> Prompt:
    header = PromptHeader(name=f"canary.{name}.v1", role="subject", language="en", origin="own")
    return Prompt(header, words, FILE.name)


def _guid(*names: str | int) -> str:
    return str(UUID(bytes=generator(SEED.child(*names)).bytes(16), version=4))


def report(asked: Sequence[CanaryQuestion], texts: Sequence[str | None], questions: int) -> CanaryReport:
    """Counts of answers; one that is missing, None, is wrong."""
    right: dict[str, int] = {}
    for question, text in zip(asked, texts, strict=True):
        kind = question.name.partition("/")[0]
        right[kind] = right.get(kind, 0) + _is_right(question, text or "")
    own = right["pick-0"]
    controls = tuple(right[f"pick-{number}"] for number in range(1, CONTROLS + 1))
    return CanaryReport(
        completed=right["complete"], completions=len(_words().completions), picked=own, picks=questions,
        controls=controls,
        p=(1 + sum(each >= own for each in controls)) / (1 + len(controls)),
        unanswered=sum(text is None for text in texts),
    )  # fmt: skip


def _is_right(question: CanaryQuestion, text: str) -> bool:
    if question.name.startswith("complete"):
        # However the model breaks it up: hyphens and case are form.
        return question.right.replace("-", "") in text.casefold().replace("-", "").replace(" ", "")
    return text.strip().strip("*().").upper()[:1] == question.right
