"""An agent in a talk: who it is, what it has heard and said, and the model that speaks for it.

Persona and memory are values; only the policy calls a model.
"""

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from mores.core.card import Sampling
from mores.core.transcript import Message
from mores.models.cast import Caller
from mores.models.request import OVER, AnswerKey, Reply, Request, Tag


class Persona(Struct, frozen=True, kw_only=True):
    """Persona of a speaker: its role in the cast, its name, what it is told, and the prompt that this was made from.

    `rules` are the stretches of it that are instructions, not to be said aloud.
    """

    role: str
    name: str
    brief: str
    prompt: str
    rules: tuple[str, ...] = ()


class Memory(Struct, frozen=True):
    """A talk as one agent has it, as messages: its own words are the assistant's, what it heard is the user's."""

    messages: tuple[Message, ...]

    @classmethod
    def of(cls, persona: Persona, opening: str = "") -> "Memory":
        """An agent that was told who it is and, if it speaks first, that it may begin."""
        system = (Message(role="system", content=persona.brief),)
        return cls((*system, Message(role="user", content=opening)) if opening else system)

    def add_user(self, text: str) -> "Memory":
        """The same with what somebody else said."""
        return Memory((*self.messages, Message(role="user", content=text)))

    def add_assistant(self, text: str) -> "Memory":
        """The same with what it said itself."""
        return Memory((*self.messages, Message(role="assistant", content=text)))


Keys = Callable[[str, int], AnswerKey | None]
"""What simulated agents may read: the sealed key of a role's turn; None where there is nothing to plant."""


class ModelPolicy(Struct, frozen=True, kw_only=True):
    """Speaks by asking the model of the persona's role."""

    cast: Caller
    sampling: Sampling
    item: str
    sample: int
    keys: Keys = lambda _role, _step: None

    async def speak(self, persona: Persona, memory: Memory, step: int) -> Reply | None:
        """Next reply of the model; None where it plays back a talk that went no further.

        Raises:
            CallFailed: it could not be asked.
        """
        tag = Tag(item=self.item, role=persona.role, step=step, sample=self.sample)
        key = self.keys(persona.role, step)
        reply = await self.cast.ask(Request(messages=memory.messages, sampling=self.sampling, tag=tag, key=key))
        return None if reply.finish == OVER else reply


class Policy(Protocol):
    """Makes words of a persona and its memory."""

    async def speak(self, persona: Persona, memory: Memory, step: int) -> Reply | None:
        """Next reply of the speaker; None where it has left.

        Raises:
            CallFailed: nothing could be found out.
        """
        ...
