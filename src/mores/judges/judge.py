"""One judge asked by one rubric: an unreadable reply is asked for once more, with its fault quoted.

case → words → reply → opinions, or the cause for which there are none. A judge that failed has given no grade.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Protocol

from mores.core.card import Sampling
from mores.core.seeds import Seed
from mores.core.transcript import Answered, Asked, Event, Failed, Message
from mores.judges.answers import Opinion
from mores.judges.fence import form_words
from mores.judges.hearing import Hearing, Outcome
from mores.judges.reading import Fault, read_opinions
from mores.judges.rubric import Case, Rubric
from mores.models.request import CallFailed, Reply, Request

NO_WORDS = "(no words)"
"""Stands for an empty reply in the conversation, as many endpoints take no empty message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A judge's opinions in the order of the case's ids, and all that was asked and answered."""

    opinions: tuple[Opinion, ...]
    events: tuple[Event, ...]
    judged: Literal[True] = True

    @property
    def opinion(self) -> Opinion:
        """The first opinion: the only one, where one thing was judged."""
        return self.opinions[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unjudged:
    """No opinion: the cause by a short name, the fault in a sentence, and the judge's last words if there were any."""

    cause: str
    detail: str = ""
    raw: str = ""
    events: tuple[Event, ...]
    judged: Literal[False] = False


Judgement = Judged | Unjudged


class Asker(Protocol):
    """Whoever brings a request to the model of its role; a `Cast` does."""

    async def ask(self, request: Request) -> Reply:
        """The reply of the role that the request's tag names.

        Raises:
            CallFailed: no reply came.
        """
        ...

    def note(self, heard: object) -> None:
        """Keep what was heard, where anybody takes notes."""
        ...


async def ask_judge(rubric: Rubric, case: Case, *, cast: Asker, sampling: Sampling, seed: Seed) -> Judgement:
    """The judgement of one case by the judge that the case's tag names.

    A reply that cannot be read, a refusal and an empty reply are asked for once more, at the next step, in the
    same conversation and with the fault quoted. Which failures of the call are tried again, the door decides.

    Args:
        rubric: What is asked.
        case: What is judged.
        cast: Has the judge's door, under the role of the case's tag.
        sampling: How the judge draws its words.
        seed: Names the fences; equal seeds ask equal words.

    Raises:
        InputError: the values or ids do not fit the rubric, or a simulated judge is asked of a real subject.
    """
    asked = rubric.messages(case, seed)
    first = await _turn(rubric, case, asked, cast, sampling)
    if first.raw is None or not isinstance(first.found, Fault):
        cast.note(_hearing(rubric, case, first))
        return _judgement(first, ())
    again = form_words("again").render(fault=first.found.says, form=rubric.form(case.ids))
    asked = (
        *asked,
        Message(role="assistant", content=first.raw.strip() or NO_WORDS),
        Message(role="user", content=again),
    )
    later = replace(case, tag=replace(case.tag, step=case.tag.step + 1))
    second = await _turn(rubric, later, asked, cast, sampling)
    cast.note(_hearing(rubric, case, second))
    return _judgement(second, first.events)


def _hearing(rubric: Rubric, case: Case, turn: "_Turn") -> Hearing:
    names = case.ids or ("",)
    found = turn.found
    lost = found.cause if isinstance(found, Fault) else ""
    outcomes: Mapping[str, Outcome] = (
        dict.fromkeys(names, lost) if isinstance(found, Fault) else dict(zip(names, found, strict=True))
    )
    return Hearing(rubric=rubric, case=case, outcomes=outcomes, logprobs=turn.logprobs)


class _Turn(NamedTuple):
    """What one call brought: opinions or a fault, and the raw words, None where the call failed."""

    found: tuple[Opinion, ...] | Fault
    raw: str | None
    events: tuple[Event, ...]
    logprobs: tuple[tuple[str, float], ...] | None = None


async def _turn(rubric: Rubric, case: Case, messages: tuple[Message, ...], cast: Asker, sampling: Sampling) -> _Turn:
    role = case.tag.role
    asked = Asked(role=role, messages=messages, prompt=rubric.prompt.sha)
    schema = rubric.schema(case.ids)
    try:
        reply = await cast.ask(Request(messages=messages, sampling=sampling, tag=case.tag, schema=schema, key=case.key))
    except CallFailed as failure:
        failed = Failed(role=role, cause=failure.cause, detail=failure.detail)
        return _Turn(Fault(cause=failure.cause, says=failure.detail), None, (asked, failed))
    return _Turn(_found(rubric, case, reply), reply.text, (asked, _answered(role, reply)), reply.logprobs)


def _found(rubric: Rubric, case: Case, reply: Reply) -> tuple[Opinion, ...] | Fault:
    if reply.refusal:
        return Fault(
            cause="refusal", says="you declined to judge; a judgement of the data is asked for, no consent to it."
        )
    found = read_opinions(reply.text, rubric.answer, case.ids)
    if isinstance(found, Fault) and reply.finish == "length":
        return Fault(cause="cut short", says="it was cut off before its end; give a shorter reason.")
    return found


def _answered(role: str, reply: Reply) -> Answered:
    return Answered(
        role=role,
        text=reply.text,
        reasoning=reply.reasoning,
        finish=reply.finish,
        refusal=reply.refusal,
        planted=reply.planted,
    )


def _judgement(turn: _Turn, before: tuple[Event, ...]) -> Judgement:
    events = (*before, *turn.events)
    if isinstance(turn.found, Fault):
        return Unjudged(cause=turn.found.cause, detail=turn.found.says, raw=turn.raw or "", events=events)
    return Judged(opinions=turn.found, events=events)
