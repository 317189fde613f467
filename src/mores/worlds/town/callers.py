"""Who speaks for the minds of a day: their models' doors, how words are drawn, what simulated minds may read."""

from collections.abc import Awaitable, Callable, Sequence

import msgspec

from mores.core.card import Sampling
from mores.core.transcript import DayEvent, Message, Subtask, SubtaskCheckEvent
from mores.models.cast import Caller
from mores.models.request import AnswerKey, Reply, Request, Tag
from mores.worlds.town.day import Day
from mores.worlds.town.planted import PlantedDay
from mores.worlds.town.prompts import DayPrompts
from mores.worlds.town.stage import DayConfig

SUBJECT, SUPPORTER = "subject", "supporter"
TALKS, FREE = 50, 100
"""The first number among a step's calls that is an utterance, and the first that no call of a step has.

A step takes as many numbers beyond it as the town has people: simulated minds draw by these numbers, and keep to them.
"""


Cue = Callable[[], AnswerKey | None]
"""Makes what a simulated mind may read of one call; for one that reads nothing it is not made."""


SubtaskChecker = Callable[[Day, Subtask, Sequence[DayEvent]], Awaitable[SubtaskCheckEvent]]
"""Whether a subtask is done, asked of the verifier in the course of the day: its word on the events of a step."""


class DayCallers(msgspec.Struct, frozen=True, kw_only=True):
    """The doors, how words are drawn, and the names of the calls of one day; `cues` are what simulated minds may read.

    `own` is how the target's model draws its words, `sampling` how the others do; `blind` are roles that get no cues,
    `swift` says that everybody answers at once.
    """

    cast: Caller
    sampling: Sampling
    own: Sampling
    item: str
    sample: int
    words: DayPrompts
    cues: PlantedDay
    blind: frozenset[str] = frozenset()
    swift: bool = False

    @property
    def stage(self) -> DayConfig:
        """All that is fixed in the day."""
        return self.words.stage

    async def ask(self, role: str, call: tuple[int, int], messages: tuple[Message, ...], cue: Cue) -> Reply:
        """The reply of one mind; a call is a step of the day, and its number among the step's calls."""
        number, of_step = call
        tag = Tag(item=self.item, role=role, step=number * self._calls + of_step, sample=self.sample)
        sampling = self.own if role == SUBJECT else self.sampling
        key = None if role in self.blind else cue()
        return await self.cast.ask(Request(messages=messages, sampling=sampling, tag=tag, key=key))

    @property
    def _calls(self) -> int:
        """Numbers of calls that a step may take."""
        return FREE + len(self.stage.population)
