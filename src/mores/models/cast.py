"""Roles and their clients: a call through a client leaves two events in a transcript."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol, TypeVar, overload

from msgspec import Struct

from mores.core.errors import MoresError
from mores.core.transcript import FailureEvent, ReplyEvent, RequestEvent
from mores.models.request import CallFailed, Reply, Request

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
T = TypeVar("T")


class Caller(Protocol):
    """Anything that brings a request to a model: the client of one role, or a `Cast` to that of the tag's role."""

    def ask(self, request: Request) -> Awaitable[Reply]:
        """The reply.

        Raises:
            CallFailed: none came.
        """
        ...


class LoggingCaller(Caller, Protocol):
    """Anything that brings requests to models and records the calls, as a `Cast` does."""

    def note(self, result: object) -> None:
        """Keep what was heard, where anybody takes notes."""
        ...


class Cast(Struct, frozen=True):
    """The doors by role; the tag of a request says whose door it goes through.

    `noting` takes what those who ask note of what they heard, in nouns of their own; by default nothing is noted.
    `blind` are roles whose models read no sealed key: whoever asks many calls of them need not make one for each.
    `swift` are those whose models answer at once, as simulated ones do.
    """

    clients: Mapping[str, Caller]
    noting: Callable[[object], None] | None = None
    blind: frozenset[str] = frozenset()
    swift: frozenset[str] = frozenset()

    def ask(self, request: Request) -> Awaitable[Reply]:
        """The reply of the role that the request's tag names."""
        return self.clients[request.tag.role].ask(request)

    def note(self, result: object) -> None:
        """Keep what was heard, where anybody takes notes."""
        if self.noting is not None:
            self.noting(result)


async def call_outcome(asked: Iterable[Awaitable[T]], *, swift: bool) -> list[T]:
    """Results of all calls in their order: all at once, but in turn where all answer swiftly.

    A task for each would cost as much as a simulated answer does.
    """
    return [await each for each in asked] if swift else list(await all_of(*asked))


@overload
async def all_of(one: Awaitable[A], two: Awaitable[B], /) -> tuple[A, B]: ...
@overload
async def all_of(
    one: Awaitable[A], two: Awaitable[B], three: Awaitable[C], four: Awaitable[D], /
) -> tuple[A, B, C, D]: ...
@overload
async def all_of(*asked: Awaitable[T]) -> tuple[T, ...]: ...
async def all_of(*asked: Awaitable[Any]) -> tuple[Any, ...]:
    """Results of all calls, made at once.

    Where some fail, one is raised when all have ended: what is under way is paid for, and which of the errors is told
    (one that ends the run, else the first in their order) hangs on no clock.
    """
    came = await asyncio.gather(*asked, return_exceptions=True)
    failed = [each for each in came if isinstance(each, BaseException)]
    if failed:
        raise next((each for each in failed if isinstance(each, MoresError)), failed[0])
    return tuple(came)


class CallRecord(NamedTuple):
    """One call as a transcript has it: what was asked, and the answer or why there is none; `reply` as it came."""

    asked: RequestEvent
    result: ReplyEvent | FailureEvent
    reply: Reply | None


async def call_role(voice: Caller, request: Request, prompt: str) -> CallRecord:
    """Record of a call whose messages were made from the prompt with this hash."""
    role = request.tag.role
    asked = RequestEvent(role=role, messages=request.messages, prompt=prompt)
    try:
        reply = await voice.ask(request)
    except CallFailed as failure:
        return CallRecord(asked, FailureEvent(role=role, cause=failure.cause, detail=failure.detail), None)
    result = ReplyEvent(
        role=role,
        text=reply.text,
        reasoning=reply.reasoning,
        finish=reply.finish,
        refusal=reply.refusal,
        planted=reply.planted,
    )
    return CallRecord(asked, result, reply)
