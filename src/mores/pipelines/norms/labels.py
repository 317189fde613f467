"""Additions of models to a norm: its strictness, by three of them, and a statement of the opposite, by a writer.

Three labels are put together with care, as in CultureForest's appendix C: one "Yes" and the norm is acceptable to act
against, all "No" and it is strict, otherwise it holds sometimes. Where one of the three gave no label there is none.
"""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from mores.core.card import Sampling
from mores.core.norm import Strictness
from mores.core.prompt import prompts_in
from mores.core.seeds import Seed
from mores.models.cast import LoggingCaller
from mores.models.request import AnswerKey, Tag
from mores.norms.places import place
from mores.pipelines.duplicates import normalised
from mores.pipelines.norms.norm_base_file import BuiltNorm
from mores.pipelines.roles import WRITER
from mores.pipelines.structured_query import NoAnswer, ParsedAnswer, StructuredQuery, ask

prompt = prompts_in(Path(__file__).parent)
LABELLERS = ("labeller", "labeller2", "labeller3")
ANSWERS = ("Yes", "Sometimes", "No")
LONGER = 2.5
"""How many times as long, or as short, a negation may be as its norm."""
_PLANTED = Seed("norms")


class _Strict(msgspec.Struct):
    answer: Literal["Yes", "Sometimes", "No"]


class _Negated(msgspec.Struct):
    negation: str


async def votes_on(norm: BuiltNorm, voice: LoggingCaller, sampling: Sampling) -> tuple[str, ...] | NoAnswer:
    """Each labeller's label of a norm, or the reason for none; one reason alone where a call may succeed later."""
    asked = (ask(voice, _question(norm, role), sampling) for role in LABELLERS)
    found = await asyncio.gather(*asked)
    transient = next((each for each in found if isinstance(each, NoAnswer) and each.transient), None)
    return transient or tuple(each.value.answer if isinstance(each, ParsedAnswer) else each.reason for each in found)


def majority_strictness(votes: Sequence[str]) -> Strictness | Literal["yes"] | None:
    """One label out of three, `yes` where the norm is acceptable to act against; None where one is missing.

    >>> put_together(("No", "No", "No")), put_together(("No", "Sometimes", "No")), put_together(("No", "refusal", "No"))
    ('no', 'sometimes', None)
    >>> put_together(("No", "No", "Yes"))
    'yes'
    """
    if not set(votes) <= set(ANSWERS):
        return None
    if "Yes" in votes:
        return "yes"
    return "no" if set(votes) == {"No"} else "sometimes"


async def negation_of(norm: BuiltNorm, voice: LoggingCaller, sampling: Sampling) -> str | NoAnswer:
    """A statement that says the opposite of a norm, in other words than its own and about as long."""
    reply = json.dumps({"negation": f"It is not so: {norm.statement}"})
    question = StructuredQuery(
        prompt=prompt("negation"),
        values={"place": place(norm.place).name, "norm": norm.statement},
        shape=_Negated,
        tag=Tag(item=norm.id, role=WRITER),
        key=AnswerKey(unit=f"negation/{norm.id}", truth="said", ways={"said": reply}, place=norm.place),
        check=lambda answer: _wrong(norm.statement, answer.negation),
    )
    found = await ask(voice, question, sampling)
    return found if isinstance(found, NoAnswer) else " ".join(found.value.negation.split())


def _wrong(statement: str, negation: str) -> str:
    """Fault of a negation; empty where there is none."""
    one, other = normalised(statement), normalised(negation)
    if not other:
        return "the negation has no words."
    if one == other:
        return "the negation says what the norm says."
    if not 1 / LONGER <= len(other) / len(one) <= LONGER:
        return f"the negation has {len(other)} letters and the norm {len(one)}; write about as many."
    return ""


def _question(norm: BuiltNorm, role: str) -> StructuredQuery[_Strict]:
    planted = _PLANTED.child("strictness", norm.id).uniform()
    truth = ANSWERS[0] if planted < 0.15 else ANSWERS[1] if planted < 0.5 else ANSWERS[2]
    ways = {answer: json.dumps({"answer": answer}) for answer in ANSWERS}
    return StructuredQuery(
        prompt=prompt("strictness"),
        values={"place": place(norm.place).name, "norm": norm.statement},
        shape=_Strict,
        tag=Tag(item=norm.id, role=role),
        key=AnswerKey(unit=f"strictness/{norm.id}", truth=truth, ways=ways, place=norm.place),
    )
