"""Context of one unit: the models asked about it by their roles, the prompts, the stage, and the attempt.

An answer comes back as a value. A unit that can go no further is raised as `StopUnit`; whoever carries the pipeline out
takes that for its outcome.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Generic, Literal, NamedTuple, Self, TypeVar, get_args, get_origin, overload

import msgspec
from msgspec.structs import replace

from mores.benchmarks.benchmark import CallEstimate
from mores.benchmarks.shapes.question import effort_of
from mores.core.card import Sampling
from mores.core.codec import digest
from mores.core.errors import InputError
from mores.core.prompt import Prompt
from mores.models.cast import LoggingCaller
from mores.models.request import AnswerKey, Tag
from mores.pipelines.funnel import Dropped, Unit, dropped
from mores.pipelines.structured_query import NoAnswer, StructuredQuery, ask

WRITER, CHECKER, REFINER, LABELLER = "writer", "checker", "refiner", "labeller"
WRITING, READING = Sampling(temperature=0.7), Sampling(temperature=0.0)


def sampling_of(role: str) -> Sampling:
    """Sampling of a role's replies: freely for those who write, and the likeliest for those who read."""
    return WRITING if role in {WRITER, REFINER} else READING


def checked_roles(roles: Mapping[str, str], known: Sequence[str], does: str = "writes") -> dict[str, str]:
    """The roles of a pipeline, in the order of the `known` ones; the writer is the third too unless another is.

    `does` says what the writer and the third, if there is one, do, for messages.

    Raises:
        InputError: a role is missing or unknown, or the checker checks its own words.
    """
    other = [role for role in roles if role not in known]
    missing = [role for role in (WRITER, CHECKER) if role not in roles]
    if other or missing:
        wrong = f"--role {other[0]}" if other else f"no --role {missing[0]}=SPEC"
        third = next((role for role in known if role not in {WRITER, CHECKER}), "")
        more = f", a {CHECKER} and, if you like, a {third}" if third else f" and a {CHECKER}"
        raise InputError(f"{wrong}: expected a {WRITER}{more}.")
    full = {role: roles.get(role, roles[WRITER]) for role in known}
    if full[CHECKER] in {full[role] for role in known if role != CHECKER}:
        raise InputError(f"--role {CHECKER}={full[CHECKER]}: it {does} too; expected another model to check.")
    return full


def check_counts(**counts: int | None) -> None:
    """Return where each count, by the name of its flag, is above 0; None is none.

    Raises:
        InputError: one is not.

    >>> check_counts(limit=None, per_place=2)
    """
    for name, count in counts.items():
        if count is not None and count < 1:
            raise InputError(f"--{name.replace('_', '-')} {count}: expected a positive number.")


TRIES, REPAIRS = 3, 2
"""Attempts of a writer that is asked anew, and repairs of what its checker rejects."""
EARLIER_LETTERS = 1_200
"""About how many letters of earlier replies stand in a later prompt."""
NO_USE, NOT_SO = "the writer gave up", "retried too often"
_NONE: Mapping[str, object] = MappingProxyType({})
_NO_WORDS: Mapping[str, str] = MappingProxyType({})
_STATUS = {("status",): "ok", ("reason",): ""}
"""Fields in which a writer speaks of itself."""
_IN_LETTERS = str.maketrans("0123456789", "ghijklmnop")


class WriterReply(msgspec.Struct):
    """Status that a writer gives its words: they will do, it should be asked anew, or nothing would do."""

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


class UnitContext(msgspec.Struct, Generic[U], frozen=True, kw_only=True):
    """Context in which one unit is worked on.

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
    slots: Mapping[str, str]
    voice: LoggingCaller
    prompt: Callable[[str], Prompt]
    stage: str = ""
    attempt: int = 0
    reasons: str = ""

    @property
    def code(self) -> str:
        """Name of the unit for simulated models: its id may name the place, or give away its subject."""
        return code_of(self.unit.id)

    def after(self, attempts: int, reasons: str = "") -> Self:
        """The same after so many attempts more, of which the last would not do for these reasons."""
        return replace(self, attempt=self.attempt + attempts, reasons=reasons)

    def at(self, stage: str) -> Self:
        """The same at a stage."""
        return replace(self, stage=stage)

    def ended(self, reason: str, detail: str, *, transient: bool = False) -> StopUnit:
        """That the unit goes no further, or that it waits where `transient`; to be raised."""
        return StopUnit(dropped(self.unit, self.stage, reason, detail, transient=transient))

    async def tried(self, write: Callable[[Self], Awaitable[W]]) -> W:
        """First reply that its writer says will do; `write` is given each attempt."""
        reasons = ""
        for attempt in range(TRIES):
            reply = await write(self.after(attempt, reasons or self.reasons))
            if reply.status == "ok":
                return reply
            reasons = reply.reason
            if reply.status == "fail":
                raise self.ended(NO_USE, reasons)
        raise self.ended(NOT_SO, reasons)

    async def ask(  # noqa: PLR0913, PLR0917 - what is asked, of whom, and what it must be like
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
        words, prompt = {"reasons": again, **self.slots, **values}, self.prompt(name)
        item = f"{self.unit.id}/{name}{f'/{part}' if part else ''}"
        question = StructuredQuery(
            prompt=prompt,
            values={slot: words[slot] for slot in prompt.slots},
            shape=shape,
            tag=Tag(item=item, role=role, sample=self.attempt),
            key=AnswerKey(
                unit=item,
                truth="said",
                ways={"said": json.dumps(simulated_answer(shape, planted, self.code))},
                place=self.unit.place,
            ),
            check=lambda reply: "" if isinstance(reply, WriterReply) and reply.status != "ok" else wrong(reply),
        )
        reply = await ask(self.voice, question, sampling_of(role))
        if isinstance(reply, NoAnswer):
            raise self.ended(reply.reason, reply.detail, transient=reply.transient)
        return reply.value


class PromptUse(NamedTuple):
    """A prompt that a role is asked for each unit: how often, and with how many letters of earlier replies."""

    name: str
    times: int = 1
    letters: int = 0


def estimated_calls(
    prompt: Callable[[str], Prompt], words: str, uses: Mapping[str, Iterable[PromptUse]]
) -> dict[str, list[CallEstimate]]:
    """Calls of each role about a unit of such words, where every reply will do."""
    return {
        role: [
            effort_of(prompt(use.name).body + words + " " * use.letters, sampling_of(role), use.times) for use in asked
        ]
        for role, asked in uses.items()
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
    """Results of all; where some end the unit, all are waited for, so that the first of them in order ends it."""

    async def caught(each: Awaitable[Any]) -> Any:
        try:
            return await each
        except StopUnit as ended:
            return ended

    reply = await asyncio.gather(*map(caught, asked))
    for each in reply:
        if isinstance(each, StopUnit):
            raise each
    return tuple(reply)


def code_of(unit: str) -> str:
    """Name of a unit for simulated models, in letters.

    >>> code_of("JP-1")
    'mhokhgfi'
    """
    return digest(unit, length=8).translate(_IN_LETTERS)


def simulated_answer(shape: type[Any], planted: Mapping[str, Any], code: str, *within: str) -> dict[str, object]:
    """An answer of a shape with what is planted, and of the other fields words that say that they are simulated."""
    return {
        field.encode_name: _field(field.type, planted.get(field.name), code, *within, field.name)
        for field in msgspec.structs.fields(shape)
    }


def _field(kind: Any, planted: Any, code: str, *within: str) -> object:
    kind = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return simulated_answer(kind, planted or {}, code, *within)
    if planted is not None:
        return planted
    if kind is str or within in _STATUS:
        return _STATUS[within] if within in _STATUS else f"Simulated {' '.join(within).replace('_', ' ')} of {code}."
    return () if get_origin(kind) is tuple else kind() if isinstance(kind, type) else get_args(kind)[0]
