"""A door round a model that says what a test wants, and the requests to put to it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

from mores.core.card import Sampling
from mores.core.seeds import Seed
from mores.core.transcript import Message
from mores.models.budget import Budget, Price
from mores.models.client import ModelClient
from mores.models.journal import Journal
from mores.models.model import LocalModel, Model
from mores.models.rate_limits import AdaptiveLimit, FairSemaphore
from mores.models.request import AnswerKey, CallFailed, Reply, Request, Tag, Usage
from mores.models.retries import RetryPolicy
from tests.models.clock import Clock, run

T = TypeVar("T")
HASTE = RetryPolicy(attempts=8, first_wait=0.001, longest_wait=0.004)
FIXED = Sampling(temperature=0.0, max_tokens=8)
RANDOM = Sampling(temperature=0.8, max_tokens=8)
KEY = AnswerKey(unit="q-1", truth="true", ways={"true": "True", "false": "False"}, place="JP", affirmative="true")

Turn = Reply | Exception | Callable[[Request], Awaitable[Reply]]


def request(
    words: str = "Is it so?",
    *,
    item: str = "i-1",
    role: str = "subject",
    step: int = 0,
    sample: int = 0,
    sampling: Sampling = FIXED,
) -> Request:
    messages = (Message(role="user", content=words),)
    return Request(messages=messages, sampling=sampling, tag=Tag(item=item, role=role, step=step, sample=sample))


def said(text: str = "True", *, tokens: tuple[int, int] = (10, 2)) -> Reply:
    return Reply(text=text, usage=Usage(input=tokens[0], output=tokens[1]), model="script")


class Script(LocalModel):
    """A model that says each turn once, in order, and the last one for ever; it counts what it was asked."""

    reads_key = False
    by_item = False
    simulated = False

    def __init__(self, *turns: Turn, spec: str = "vllm/script", identity: str = "http://localhost/v1") -> None:
        super().__init__(spec)
        self.identity = identity
        self.turns: Sequence[Turn] = turns or (said(),)
        self.asked: Counter[str] = Counter()
        self.in_flight = self.most = 0

    async def reply(self, request: Request) -> Reply:
        turn = self.turns[min(self.asked.total(), len(self.turns) - 1)]
        self.asked[request.messages[-1].content] += 1
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            await asyncio.sleep(0)
            if isinstance(turn, Exception):
                raise turn
            return turn if isinstance(turn, Reply) else await turn(request)
        finally:
            self.in_flight -= 1


def slowly(seconds: float, reply: Reply | None = None) -> Turn:
    async def turn(_: Request) -> Reply:
        await asyncio.sleep(seconds)
        return reply or said()

    return turn


def passing(cause: str = "http 500", wait: float | None = None) -> CallFailed:
    return CallFailed(cause, "it may pass", passing=True, wait=wait)


def at_door(
    folder: Path,
    model: Model,
    use: Callable[[ModelClient], Awaitable[T]],
    *,
    window: int = 8,
    budget: Budget | None = None,
    rate: Price | None = None,
    patience: RetryPolicy = HASTE,
    clock: Clock | None = None,
) -> T:
    """What `use` makes of a door with its journal in `folder`, by a clock of its own if one is given."""

    async def go() -> T:
        journal = Journal(folder / "journal.sqlite")
        door = ModelClient(
            model=model,
            journal=journal,
            window=FairSemaphore(window),
            limit=AdaptiveLimit(window),
            budget=budget or Budget(),
            seed=Seed("door"),
            rate=rate,
            retry_policy=patience,
        )
        try:
            return await use(door)
        finally:
            await journal.flush()
            journal.close()
            await model.close()

    return run(go(), clock)


def ask_all(*requests: Request) -> Callable[[ModelClient], Awaitable[list[Reply | BaseException]]]:
    """Ask all at once; what failed is among the answers."""

    async def use(door: ModelClient) -> list[Reply | BaseException]:
        return await asyncio.gather(*(door.ask(r) for r in requests), return_exceptions=True)

    return use


def texts(replies: Sequence[Reply | BaseException]) -> list[str]:
    """What was said; fails where something else came."""
    assert all(isinstance(reply, Reply) for reply in replies), replies
    return [reply.text for reply in replies if isinstance(reply, Reply)]


async def put(model: Model, request: Request) -> Reply:
    """The reply of a model alone, prepared as its door would."""
    await model.prepare(request.sampling)
    return await model.reply(request)
