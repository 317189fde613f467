"""A day lived: minds are asked at each step, the world makes of it what it can, until the day is over.

All who act at a step are asked at once, upon one sight; a conversation is a turn after a turn; whether the task in hand
is done is asked last, as it ends the day. Nothing else is on the way from one step to the next.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from mores.core.card import Sampling
from mores.core.day import Checked, DayEvent, Did, Said, Subtask
from mores.core.transcript import Event, Failed, Message
from mores.models.request import CallFailed, Reply, Request, SealedKey, Tag
from mores.worlds.town.day import Day, Mind, Sight, Stage, advance, dawn, observe, opening, resolve, seen
from mores.worlds.town.deeds import Unclear, read_wish
from mores.worlds.town.words import Conversation, Words, prompt

SUBJECT, SUPPORTER = "subject", "supporter"
CALLS = 100
"""Calls of one role at one step, at most: their numbers are the steps of the journal."""
_TALK = 50
_LONGEST = 1200


class Asker(Protocol):
    """Whoever brings a request to the model of its role; a `Cast` does."""

    async def ask(self, request: Request) -> Reply:
        """The reply of the role that the request's tag names.

        Raises:
            CallFailed: no reply came.
        """
        ...


class Cues(Protocol):
    """What simulated minds may read."""

    def target(self, day: Day, sight: Sight) -> SealedKey | None:
        """For what the target does at a step."""
        ...

    def target_talk(self, day: Day, talk: Conversation) -> SealedKey | None:
        """For what the target says."""
        ...

    def other(self, day: Day, sight: Sight, person: int) -> SealedKey | None:
        """For what somebody else does at a step."""
        ...

    def other_talk(self, day: Day, person: int, talk: Conversation) -> SealedKey | None:
        """For what somebody else says."""
        ...


class Check(Protocol):
    """Whether a subtask is done, asked of the verifier in the course of the day."""

    async def __call__(self, day: Day, task: Subtask, events: Sequence[DayEvent]) -> Checked:
        """Its word on the events of a step."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Company:
    """Who speaks for the minds of a day, and how: the doors, how words are drawn, and the names of the calls."""

    cast: Asker
    sampling: Sampling
    item: str
    sample: int
    words: Words
    cues: Cues

    async def ask(self, role: str, step: int, messages: tuple[Message, ...], key: SealedKey | None) -> Reply:
        """The reply of one mind."""
        tag = Tag(item=self.item, role=role, step=step, sample=self.sample)
        return await self.cast.ask(Request(messages=messages, sampling=self.sampling, tag=tag, key=key))


async def live(stage: Stage, company: Company, check: Check) -> tuple[Event, ...]:
    """All events of a day, to its end, or to the call in which the target could not be asked."""
    words = company.words
    events: list[Event] = [opening(stage, words.brief, prompt("target").sha)]
    day = dawn(stage)
    while day.ended is None:
        happened: list[DayEvent] = []
        try:
            day = await _step(stage, day, company, check, happened)
        except CallFailed as failure:
            failed = Failed(role=SUBJECT, cause=failure.cause, detail=failure.detail)
            return (*events, *happened, failed)
        events.extend(happened)
    return (*events, day.ended)


async def _step(stage: Stage, day: Day, company: Company, check: Check, happened: list[DayEvent]) -> Day:
    """One step; its events go into `happened` as they come, so that a failure leaves those before it."""
    sight = observe(stage, day)
    asked = company.words.target_step(day, sight)
    happened.append(seen(day, sight, asked[-1].content))
    minds = await asyncio.gather(
        _target(stage, day, sight, asked, company),
        *(_other(day, sight, number, company) for number in range(len(sight.present))),
    )
    resolved = resolve(stage, day, sight, minds)
    happened.extend(resolved.deeds)
    if resolved.party:
        talk = Conversation(party=resolved.party, phone=resolved.phone, opening=_opening(stage, resolved.deeds))
        happened.extend(await converse(stage, day, sight, talk, company))
    if sight.active is not None:
        happened.append(await check(day, sight.active, happened))
    return advance(stage, day, happened)


async def _target(stage: Stage, day: Day, sight: Sight, asked: tuple[Message, ...], company: Company) -> Mind:
    reply = await company.ask(SUBJECT, day.step * CALLS, asked, company.cues.target(day, sight))
    return _mind(stage.target, reply)


async def _other(day: Day, sight: Sight, number: int, company: Company) -> Mind:
    """What somebody here wishes to do; who cannot be asked waits, and the day goes on."""
    person = sight.present[number]
    asked = company.words.supporter_step(day, sight, person)
    try:
        key = company.cues.other(day, sight, person)
        return _mind(person, await company.ask(SUPPORTER, day.step * CALLS + number, asked, key))
    except CallFailed as failure:
        return Mind(person, Unclear(f"could not be asked: {failure.cause}"))


def _mind(person: int, reply: Reply) -> Mind:
    wish = Unclear("the model declined") if reply.refusal else read_wish(reply.text)
    return Mind(person, wish, reply.text[:_LONGEST], reply.reasoning, reply.planted)


def _opening(stage: Stage, deeds: Sequence[Did]) -> str:
    """What a conversation is opened with: how the target turned to somebody, or somebody to it."""
    own = deeds[0]
    name = stage.population.name[own.who]
    return f"({name}: {own.how})" if own.how and own.deed in {"talk", "call", "do"} else ""


async def converse(stage: Stage, day: Day, sight: Sight, talk: Conversation, company: Company) -> tuple[Said, ...]:
    """What is said in a conversation: the target and the others in turn, until somebody leaves or the limit."""
    others = [person for person in talk.party if person != stage.target]
    opens = talk.party[0] == stage.target
    for number in range(stage.limits.utterances):
        own = (number % 2 == 0) == opens
        person = stage.target if own else others[(number // 2) % len(others)]
        said, leaves = await _utter(stage, day, sight, talk, company, person, number)
        if said is None:
            break
        talk = replace(talk, said=(*talk.said, said))
        if leaves:
            break
    return talk.said


async def _utter(  # noqa: PLR0913, PLR0917 - a turn is all of these
    stage: Stage, day: Day, sight: Sight, talk: Conversation, company: Company, person: int, number: int
) -> tuple[Said | None, bool]:
    """One turn: what is said, None where nobody could be asked, and whether the speaker leaves with it."""
    own, step = person == stage.target, day.step * CALLS + _TALK + number
    words, cues = company.words, company.cues
    if own:
        reply = await company.ask(SUBJECT, step, words.target_talk(day, sight, talk), cues.target_talk(day, talk))
    else:
        try:
            asked = words.supporter_talk(day, person, talk)
            reply = await company.ask(SUPPORTER, step, asked, cues.other_talk(day, person, talk))
        except CallFailed:
            return None, True
    text, leaves, flags = read_utterance(reply)
    others = tuple(other for other in talk.party if other != person)
    said = Said(
        step=day.step,
        minute=day.minute,
        who=person,
        to=others,
        where=day.where,
        text=text,
        phone=talk.phone,
        flags=flags,
        planted=reply.planted,
    )
    return said, leaves or not text


def read_utterance(reply: Reply) -> tuple[str, bool, tuple[str, ...]]:
    """What a reply says aloud, whether its speaker leaves, and what was wrong with its form.

    Plain words are taken as they are, and flagged; an empty reply and a refusal say nothing and end the talk.
    """
    text = reply.text.strip()
    if reply.refusal or not text:
        return "", True, ("refusal" if reply.refusal else "empty",)
    try:
        said: Any = json.loads(text.removeprefix("```json").removeprefix("```").removesuffix("```"))
    except (ValueError, RecursionError):
        return text[:_LONGEST], False, ("no JSON",)
    if not isinstance(said, dict) or not isinstance(said.get("say"), str):
        return text[:_LONGEST], False, ("no words under say",)
    return said["say"].strip()[:_LONGEST], said.get("leave") is True, ()
