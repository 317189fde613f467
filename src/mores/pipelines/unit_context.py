"""Where a unit is worked on: who is asked about it, by which prompts, at which stage, and which attempt it is.

What a maker asks for comes back as a value. A unit that can go no further is raised as `StopUnit`, so that its way is
told straight on; whoever carries the pipeline out takes that for what became of the unit.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any, Generic, Literal, NamedTuple, Self, TypeVar, get_args, get_origin, overload

import msgspec

from mores.benchmarks.benchmark import CallEstimate
from mores.benchmarks.shapes.question import effort_of
from mores.core.codec import digest
from mores.core.prompt import Prompt
from mores.models.cast import LoggingCaller
from mores.models.request import AnswerKey, Tag
from mores.pipelines.funnel import Dropped, Unit, dropped
from mores.pipelines.roles import sampling_of
from mores.pipelines.structured_query import NoAnswer, StructuredQuery, ask

TRIES = 3
NO_USE, NOT_SO = "the writer gave up", "retried too often"
_NONE: Mapping[str, object] = MappingProxyType({})
_NO_WORDS: Mapping[str, str] = MappingProxyType({})
_SAID = {("status",): "ok", ("reason",): ""}
"""What a writer says of itself."""
_IN_LETTERS = str.maketrans("0123456789", "ghijklmnop")


class WriterReply(msgspec.Struct):
    """What a writer says of its words: that they will do, that it should be asked anew, or that nothing would do."""

    status: Literal["ok", "retry", "fail"]
    reason: str = ""


class StopUnit(Exception):
    """A unit goes no further; `outcome` says where it ended."""

    def __init__(self, outcome: Dropped) -> None:
        super().__init__(outcome.reason)
        self.outcome = outcome


U = TypeVar("U", bound=Unit)
W = TypeVar("W", bound=WriterReply)
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitContext(Generic[U]):
    """Where one unit is worked on.

    Attributes:
        unit: What something is made of.
        told: What prompts may say of the unit, by slot.
        voice: Who is asked.
        prompt: The pipeline's prompt of a name.
        stage: At which it ends, if it goes no further.
        attempt: How many attempts there were before.
        reasons: Why the last would not do, which its writer is told.
    """

    unit: U
    told: Mapping[str, str]
    voice: LoggingCaller
    prompt: Callable[[str], Prompt]
    stage: str = ""
    attempt: int = 0
    reasons: str = ""

    @property
    def code(self) -> str:
        """What simulated models call the unit, in letters: its id may name the place, or give away what it is about."""
        return code_of(self.unit.id)

    def after(self, attempts: int, reasons: str = "") -> Self:
        """The same after so many attempts more, of which the last would not do for these reasons."""
        return replace(self, attempt=self.attempt + attempts, reasons=reasons)

    def at(self, stage: str) -> Self:
        """The same at a stage."""
        return replace(self, stage=stage)

    def ended(self, reason: str, detail: str, *, passing: bool = False) -> StopUnit:
        """That the unit goes no further, or that it waits where `passing`; to be raised."""
        return StopUnit(dropped(self.unit, self.stage, reason, detail, passing=passing))

    async def tried(self, put: Callable[[Self], Awaitable[W]]) -> W:
        """What a writer says will do; `put` is given each attempt."""
        reasons = ""
        for attempt in range(TRIES):
            found = await put(self.after(attempt, reasons or self.reasons))
            if found.status == "ok":
                return found
            reasons = found.reason
            if found.status == "fail":
                raise self.ended(NO_USE, reasons)
        raise self.ended(NOT_SO, reasons)

    async def put(  # noqa: PLR0913, PLR0917 - what is asked, of whom, and what it must be like
        self,
        name: str,
        role: str,
        shape: type[A],
        values: Mapping[str, str] = _NO_WORDS,
        wrong: Callable[[A], str] = lambda _: "",
        planted: Mapping[str, object] = _NONE,
        part: str = "",
    ) -> A:
        """The answer of a role to one prompt; `planted` is what a simulated model says, who makes up the other fields.

        Nothing is wrong with the words of a writer who says that they will not do.
        """
        again = f"Last time it would not do: {self.reasons}\n\n" if self.reasons else ""
        words, prompt = {"reasons": again, **self.told, **values}, self.prompt(name)
        item = f"{self.unit.id}/{name}{f'/{part}' if part else ''}"
        question = StructuredQuery(
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
            check=lambda made: "" if isinstance(made, WriterReply) and made.status != "ok" else wrong(made),
        )
        found = await ask(self.voice, question, sampling_of(role))
        if isinstance(found, NoAnswer):
            raise self.ended(found.reason, found.detail, passing=found.passing)
        return found.value


class PromptUse(NamedTuple):
    """A prompt that is put to a role for each unit: how often, and about how many letters stand in it by then."""

    name: str
    times: int = 1
    letters: int = 0


def estimated_calls(
    prompt: Callable[[str], Prompt], words: str, puts: Mapping[str, Iterable[PromptUse]]
) -> dict[str, list[CallEstimate]]:
    """What a unit of such words asks of each role, where every reply will do."""
    return {
        role: [
            effort_of(prompt(put.name).body + words + " " * put.letters, sampling_of(role), put.times) for put in asked
        ]
        for role, asked in puts.items()
    }


@overload
async def all_of(one: Awaitable[A], two: Awaitable[B], /) -> tuple[A, B]: ...
@overload
async def all_of(one: Awaitable[A], two: Awaitable[B], three: Awaitable[C], /) -> tuple[A, B, C]: ...
@overload
async def all_of(
    one: Awaitable[A], two: Awaitable[B], three: Awaitable[C], four: Awaitable[D], /
) -> tuple[A, B, C, D]: ...
async def all_of(*asked: Awaitable[Any]) -> tuple[Any, ...]:
    """What comes of each; where some end the unit, all are waited for, so that the first of them in order ends it."""

    async def caught(each: Awaitable[Any]) -> Any:
        try:
            return await each
        except StopUnit as ended:
            return ended

    found = await asyncio.gather(*map(caught, asked))
    for each in found:
        if isinstance(each, StopUnit):
            raise each
    return tuple(found)


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
