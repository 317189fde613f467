"""Where a unit is worked on: who is asked about it, by which prompts, and which attempt it is."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any, Generic, Self, TypeVar, get_args, get_origin

import msgspec

from mores.core.codec import digest
from mores.core.prompt import Prompt
from mores.models.cast import Asker
from mores.models.request import AnswerKey, Tag
from mores.pipelines.asking import Question, Told, Untold, ask
from mores.pipelines.outcomes import Dropped, Unit
from mores.pipelines.roles import sampling_of
from mores.pipelines.trying import NO_USE, NOT_SO, TRIES, Written, dropped, ended

T = TypeVar("T")
_NONE: Mapping[str, object] = MappingProxyType({})
_SAID = {("status",): "ok", ("reason",): ""}
"""What a writer says of itself."""
_IN_LETTERS = str.maketrans("0123456789", "ghijklmnop")
U = TypeVar("U", bound=Unit)
W = TypeVar("W", bound=Written)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room(Generic[U]):
    """Where one unit is worked on.

    Attributes:
        unit: What something is made of.
        told: What prompts may say of the unit, by slot.
        voice: Who is asked.
        prompt: The pipeline's prompt of a name.
        attempt: How many attempts there were before.
    """

    unit: U
    told: Mapping[str, str]
    voice: Asker
    prompt: Callable[[str], Prompt]
    attempt: int = 0

    @property
    def code(self) -> str:
        """What simulated models call the unit, in letters: its id may name the place, or give away what it is about."""
        return code_of(self.unit.id)

    def after(self, attempts: int) -> Self:
        """The same after so many attempts more."""
        return replace(self, attempt=self.attempt + attempts)

    async def tried(self, stage: str, put: Callable[[Self, str], Awaitable[Told[W] | Untold]]) -> W | Dropped:
        """What a writer says will do, or where it ended; `put` is given each attempt, and why the last will not do."""
        reasons = ""
        for attempt in range(TRIES):
            found = await put(self.after(attempt), reasons)
            if isinstance(found, Untold):
                return ended(self.unit, stage, found)
            if found.value.status == "ok":
                return found.value
            reasons = found.value.reason
            if found.value.status == "fail":
                return dropped(self.unit, stage, NO_USE, reasons)
        return dropped(self.unit, stage, NOT_SO, reasons)

    async def put(  # noqa: PLR0913, PLR0917 - what is asked, of whom, and what it must be like
        self,
        name: str,
        role: str,
        shape: type[T],
        values: Mapping[str, str],
        wrong: Callable[[T], str],
        planted: Mapping[str, object] = _NONE,
        part: str = "",
    ) -> Told[T] | Untold:
        """The answer of a role to one prompt; `planted` is what a simulated model says, who makes up the other fields.

        Nothing is wrong with the words of a writer who says that they will not do.
        """
        words, prompt = {**self.told, **values}, self.prompt(name)
        item = f"{self.unit.id}/{name}{f'/{part}' if part else ''}"
        question = Question(
            prompt=prompt,
            values={slot: words[slot] for slot in prompt.slots},
            shape=shape,
            tag=Tag(item=item, role=role, sample=self.attempt),
            key=AnswerKey(
                unit=item,
                truth="said",
                ways={"said": json.dumps(made_up(shape, planted, self.code))},
                place=self.unit.place,
            ),
            check=lambda made: "" if isinstance(made, Written) and made.status != "ok" else wrong(made),
        )
        return await ask(self.voice, question, sampling_of(role))


def code_of(unit: str) -> str:
    """What simulated models call a unit.

    >>> code_of("JP-1")
    'mhokhgfi'
    """
    return digest(unit, length=8).translate(_IN_LETTERS)


def made_up(shape: type[Any], planted: Mapping[str, Any], code: str, *within: str) -> dict[str, object]:
    """An answer of a shape with what is planted, and of the other fields words that say that they are simulated."""
    return {
        field.encode_name: _field(field.type, planted.get(field.name), code, *within, field.name)
        for field in msgspec.structs.fields(shape)
    }


def _field(kind: Any, planted: Any, code: str, *within: str) -> object:
    kind = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return made_up(kind, planted or {}, code, *within)
    if planted is not None:
        return planted
    if kind is str or within in _SAID:
        return _SAID[within] if within in _SAID else f"Simulated {' '.join(within).replace('_', ' ')} of {code}."
    return () if get_origin(kind) is tuple else kind() if isinstance(kind, type) else get_args(kind)[0]
