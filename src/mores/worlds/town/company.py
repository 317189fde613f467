"""Who speaks for the minds of a day: their models' doors, how words are drawn, what simulated minds may read."""

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from mores.core.card import Sampling
from mores.core.day import Checked, DayEvent, Subtask
from mores.core.transcript import Message
from mores.models.cast import Voice
from mores.models.request import AnswerKey, Reply, Request, Tag
from mores.worlds.town.day import Day, Sight
from mores.worlds.town.words import Conversation, Words

SUBJECT, SUPPORTER = "subject", "supporter"
TALKS, OFF_SCREEN = 50, 100
"""Where the numbers of a step's calls begin that are utterances, and those of people whom the target does not see.

After these come the utterances of conversations without the target, by the number of who opened them.
"""


Cue = Callable[[], AnswerKey | None]
"""Makes what a simulated mind may read of one call; for one that reads nothing it is not made."""


class Cues(Protocol):
    """What simulated minds may read."""

    def target(self, day: Day, sight: Sight) -> AnswerKey | None:
        """For what the target does at a step."""

    def target_talk(self, day: Day, talk: Conversation) -> AnswerKey | None:
        """For what the target says."""

    def other(self, day: Day, sight: Sight, person: int) -> AnswerKey | None:
        """For what somebody else does at a step."""

    def other_talk(self, day: Day, person: int, talk: Conversation) -> AnswerKey | None:
        """For what somebody else says."""

    def resident(self, day: Day, sight: Sight, person: int) -> AnswerKey | None:
        """For what somebody does whom the target does not perceive."""

    def resident_talk(self, day: Day, person: int, talk: Conversation) -> AnswerKey | None:
        """For what somebody says in a conversation without the target."""


class Check(Protocol):
    """Whether a subtask is done, asked of the verifier in the course of the day."""

    async def __call__(self, day: Day, task: Subtask, events: Sequence[DayEvent]) -> Checked:
        """Its word on the events of a step."""


class Company(msgspec.Struct, frozen=True, kw_only=True):
    """The doors, how words are drawn, and the names of the calls of one day.

    `own` is how the target's model draws its words, `sampling` how the others do; `blind` are roles that get no cues,
    `swift` says that everybody answers at once.
    """

    cast: Voice
    sampling: Sampling
    own: Sampling
    item: str
    sample: int
    words: Words
    cues: Cues
    blind: frozenset[str] = frozenset()
    swift: bool = False

    async def ask(self, role: str, call: tuple[int, int], messages: tuple[Message, ...], cue: Cue) -> Reply:
        """The reply of one mind; a call is a step of the day, and its number among the step's calls."""
        number, of_step = call
        tag = Tag(item=self.item, role=role, step=number * self._calls + of_step, sample=self.sample)
        sampling = self.own if role == SUBJECT else self.sampling
        key = None if role in self.blind else cue()
        return await self.cast.ask(Request(messages=messages, sampling=sampling, tag=tag, key=key))

    def of_aside(self, opener: int, utterance: int) -> int:
        """The number of a call among the step's: what is said in a conversation that somebody opened."""
        stage = self.words.stage
        return OFF_SCREEN + len(stage.population) + opener * stage.limits.utterances + utterance

    @property
    def _calls(self) -> int:
        """Numbers of calls that a step may take."""
        stage = self.words.stage
        return OFF_SCREEN + len(stage.population) if stage.off_screen == "schedule" else self.of_aside(
            len(stage.population), 0
        )  # fmt: skip
