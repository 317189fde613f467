"""One sitting: every item of one benchmark played, judged and put in its place.

A window of workers takes plays from the plan, with no barrier between them. What stops a run (a budget,
a disk, an endpoint that is gone) stops it cleanly.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct, field

from mores.core.errors import BudgetReached, MoresError, NotServed, Stopped
from mores.core.verdict import Ungraded
from mores.models.call_claims import ClaimHolder
from mores.models.cast import Cast
from mores.models.client import ModelClient
from mores.models.request import ReplyPending
from mores.runs.evaluation import Evaluation
from mores.runs.plays import Earlier, perform, put_down
from mores.runs.results import ResultWriter

T = TypeVar("T")
AHEAD = 50_000


class RunProgress(Struct):
    """How far a sitting is, and of what is done how much was lost in which way; read by whoever shows it.

    `wait` says for whom all of it waits, None while it goes on. `outlined` tells the calls of one play, at most, and
    is asked once, by whoever shows it; None where that is not known. They go through `doors`.
    """

    name: str
    plays: int
    done: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    wait: ClaimHolder | None = None
    outlined: Callable[[], float] | None = None
    doors: tuple[ModelClient, ...] = ()
    _each: float | None = None

    @property
    def answered(self) -> int:
        """Calls that were answered, by models or by what is written down."""
        return sum(door.answered + door.tally.from_journal + door.tally.reused for door in self.doors)

    def expected(self) -> float:
        """Calls of all its plays: as outlined, or fewer where those that are done took fewer."""
        if self.done == self.plays or self.outlined is None:
            return self.answered
        if self._each is None:
            self._each = self.outlined()
        each = min(self._each, self.answered / self.done) if self.done else self._each
        return max(self.answered, self.plays * each)


class StopSignal(Struct):
    """Asked to stop: no new play begins, and those under way end."""

    pulled: bool = False
    reason: MoresError | None = None

    def pull(self, reason: MoresError | None = None) -> None:
        """Stop, for the first reason given."""
        self.pulled = True
        self.reason = self.reason or reason


async def side_by_side(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """What comes of each; where one fails, or all are broken off, none is left under way."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


class _Play(NamedTuple):
    """One item in one sample, and its place in the plan."""

    number: int
    item: Any
    sample: int


class Executor(Struct, kw_only=True):
    """All plays of an evaluation with its cast; `waiting` counts those that need answers which are not there yet."""

    evaluation: Evaluation
    cast: Cast
    results: ResultWriter
    progress: RunProgress
    brake: StopSignal
    workers: int
    earlier: Earlier | None = None
    waiting: int = 0
    _room: asyncio.Event = field(default_factory=asyncio.Event)

    async def hold(self) -> bool:
        """True once every play is in its place; False if the brake was pulled before.

        Raises:
            MoresError: what stopped the run at once; a budget or a refused key pulls the brake.
        """
        self._room.set()
        plays, others = self._plan(), asyncio.all_tasks()
        workers = min(self.workers, max(1, self.progress.plays))
        await side_by_side(self._work(plays) for _ in range(workers))
        while self.waiting and (asking := asyncio.all_tasks() - others):
            await asyncio.wait(asking)  # who was asked at once with a call that waits has something to ask too
        return self.progress.done == self.progress.plays

    def _plan(self) -> Iterator[_Play]:
        samples = self.evaluation.setting.protocol.samples
        for number, item in enumerate(self.evaluation.items):
            for sample in range(samples):
                yield _Play(number * samples + sample, item, sample)

    async def _work(self, plays: Iterator[_Play]) -> None:
        for play in plays:
            while play.number - self.results.written > AHEAD and not (self.waiting or self.brake.pulled):
                self._room.clear()
                await self._room.wait()
            if self.brake.pulled:
                return
            try:
                left = await perform(self.evaluation, play.item, play.sample, self.cast, self.earlier)
            except Stopped:  # others may wait for the place of this one
                self._room.set()
                return
            except ReplyPending:
                self.waiting += 1
                self._room.set()
                continue
            except (BudgetReached, NotServed) as reached:
                self.brake.pull(reached)  # calls in flight, of other models too, are paid for: let them end
                self._room.set()
                return
            if not self.waiting:  # else nothing is put in place in this sitting
                put_down(self.results, play.number, self.evaluation, play.item, left)
            self.progress.done += 1
            self.progress.lost["ungraded"] += any(isinstance(verdict, Ungraded) for verdict in left.verdicts[:1])
            if play.number < self.results.written:
                self._room.set()
