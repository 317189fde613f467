"""Conversations without the target, in a town that minds live: they speak in turn until all but one have left.

The target hears nothing of them, and its verifier reads none; they are in the log, and in the memory of who took part.
"""

from collections import deque
from functools import partial

import msgspec
from msgspec.structs import replace

from mores.core.day import Chatted
from mores.worlds.town.company import SUPPORTER, Company
from mores.worlds.town.day import Day, place_of
from mores.worlds.town.talking import Utterance, uttered
from mores.worlds.town.words import Conversation


class Asides(msgspec.Struct, frozen=True, kw_only=True):
    """The talk among others at one step."""

    day: Day
    company: Company

    async def converse(self, talk: Conversation) -> tuple[Chatted, ...]:
        """What is said: each in turn, the opener first; who leaves says no more, and the rest go on."""
        waiting = deque(talk.party)
        for number in range(self.company.stage.limits.utterances):
            if len(waiting) < 2:
                break
            said, leaves = await self._utter(replace(talk, party=tuple(waiting)), number, talk.party[0])
            waiting.popleft()
            if not leaves:
                waiting.append(said.who)
            talk = replace(talk, said=(*talk.said, said))
        return tuple(said for said in talk.said if isinstance(said, Chatted))

    async def _utter(self, talk: Conversation, number: int, opener: int) -> tuple[Chatted, bool]:
        """One turn of the first of the party, and whether they leave; who cannot be asked leaves without a word."""
        person, company = talk.party[0], self.company
        asked = company.words.resident_talk(self.day, person, talk)
        cue = partial(company.cues.resident_talk, self.day, person, talk)
        call = (self.day.step, company.of_aside(opener, number))
        return await uttered(company.ask(SUPPORTER, call, asked, cue), partial(self._said, talk))

    def _said(self, talk: Conversation, heard: Utterance) -> Chatted:
        return Chatted(
            step=self.day.step,
            minute=self.day.minute,
            who=talk.party[0],
            to=talk.party[1:],
            where=place_of(self.company.stage, self.day, talk.party[0]),
            text=heard.text,
            flags=heard.flags,
        )
