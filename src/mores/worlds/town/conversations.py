"""Conversations of a target: turn after turn until it leaves, is left or the limit comes; a text and its answer."""

from collections.abc import AsyncIterator
from functools import partial
from typing import NamedTuple

import msgspec
from msgspec import structs

from mores.core.transcript import CUT_SHORT, SpeechEvent
from mores.models.request import CallFailed, Reply
from mores.worlds.town.actions import UNASKED, UnparsedAction, plain, read_object
from mores.worlds.town.callers import SUBJECT, SUPPORTER, TALKS, DayCallers
from mores.worlds.town.day import Day, Observation
from mores.worlds.town.prompts import Conversation


class Utterance(NamedTuple):
    """What a reply says aloud, whether its speaker leaves with it, and what was wrong with its form."""

    text: str
    leaves: bool
    flags: tuple[str, ...] = ()


class Talking(msgspec.Struct, frozen=True, kw_only=True):
    """The target's talk at one step."""

    day: Day
    sight: Observation
    company: DayCallers

    async def converse(self, talk: Conversation) -> AsyncIterator[SpeechEvent]:
        """What is said: the target and the others in turn; who leaves says no more, and the rest go on.

        Raises:
            CallFailed: the target could not be asked.
        """
        target, turn = self.company.stage.target, 0
        opens = talk.party[0] == target
        others = [person for person in talk.party if person != target]
        for number in range(self.company.stage.limits.utterances):
            own = (number % 2 == 0) == opens
            person = target if own else others[turn % len(others)]
            said, leaves = await self._utter(talk, person, number)
            yield said
            if leaves and own:
                return
            if leaves:
                others.remove(person)
            elif not own:
                turn += 1
            if not others:
                return
            talk = structs.replace(talk, said=(*talk.said, said), party=(target, *others))

    async def text(self, party: tuple[int, ...], message: str) -> tuple[SpeechEvent, ...]:
        """A message of the target and its answer."""
        talk = Conversation(party=party, way="by text message")
        sent = self._said(party[0], talk, Utterance(message, False))
        answer, _ = await self._utter(structs.replace(talk, said=(sent,)), party[1], 1)
        return sent, answer

    async def _utter(self, talk: Conversation, person: int, number: int) -> tuple[SpeechEvent, bool]:
        """One turn, and whether its speaker leaves; who cannot be asked leaves without a word.

        Raises:
            CallFailed: the target could not be asked.
        """
        try:
            reply = await self._asked(talk, person, (self.day.step, TALKS + number))
        except CallFailed as failure:
            if person == self.company.stage.target:
                raise
            return self._said(person, talk, Utterance("", True, (f"{UNASKED}{failure.cause}",))), True
        heard = _marked_if_cut(read_utterance(reply), reply)
        said = self._said(person, talk, heard)
        return structs.replace(said, planted=reply.planted, reasoning=plain(reply.reasoning)), heard.leaves

    async def _asked(self, talk: Conversation, person: int, call: tuple[int, int]) -> Reply:
        company, day = self.company, self.day
        if person == self.company.stage.target:
            asked, cue = company.words.target_talk(day, self.sight, talk), partial(company.cues.target_talk, day, talk)
            return await company.ask(SUBJECT, call, asked, cue)
        asked = company.words.supporter_talk(day, person, talk)
        return await company.ask(SUPPORTER, call, asked, partial(company.cues.other_talk, day, talk))

    def _said(self, person: int, talk: Conversation, heard: Utterance) -> SpeechEvent:
        return SpeechEvent(
            step=self.day.step,
            minute=self.day.minute,
            who=person,
            to=tuple(other for other in talk.party if other != person),
            where=self.day.where,
            text=heard.text,
            phone=talk.phone,
            flags=heard.flags,
        )


def _marked_if_cut(heard: Utterance, reply: Reply) -> Utterance:
    """The same, flagged where the reply ended at a limit."""
    if reply.finish != "length":
        return heard
    return Utterance(heard.text, heard.leaves, (*heard.flags, CUT_SHORT))


def read_utterance(reply: Reply) -> Utterance:
    """What a reply says. Never raises.

    Plain words are taken as they are, and flagged; an empty reply and a refusal end the talk for their speaker.
    """
    if reply.refusal:
        return Utterance("", True, ("refusal",))
    words = plain(reply.text)
    if not words:
        return Utterance("", True, ("empty",))
    said = read_object(reply.text)
    if isinstance(said, UnparsedAction):
        return Utterance(words, False, ("no JSON",))
    if not isinstance(said.get("say"), str):
        return Utterance(words, False, ("no words under say",))
    spoken = plain(said["say"])
    return Utterance(spoken, said.get("leave") is True or not spoken, () if spoken else ("empty",))
