"""One sitting: every item of one benchmark played, judged and put in its place.

A window of workers takes plays from the plan, with no barrier between them. An error in a play is stored as an
ungraded item and the run goes on; what stops a run (a budget, a disk, an endpoint that is gone) stops it cleanly.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct, field, structs

from mores.core.errors import BudgetReached, MoresError, NotServed, Stopped
from mores.core.transcript import Failed, Transcript
from mores.core.verdict import Ungraded, Verdict
from mores.core.vote import Vote, in_order
from mores.judges.hearing import Hearing
from mores.models.cast import Cast
from mores.models.claims import Wait
from mores.models.client import ModelClient
from mores.models.request import NotYet
from mores.runs.evaluation import Evaluation
from mores.runs.results import Results

T = TypeVar("T")
AHEAD = 50_000
Earlier = Mapping[tuple[str, int], Transcript]
"""Plays of an earlier run by item and sample, to be judged again."""


class Progress(Struct):
    """How far a sitting is, and of what is done how much was lost in which way; read by whoever shows it.

    `wait` says for whom all of it waits, None while it goes on. `outlined` tells the calls of one play, at most, and
    is asked once, by whoever shows it; None where that is not known. They go through `doors`.
    """

    name: str
    plays: int
    done: int = 0
    lost: Counter[str] = field(default_factory=Counter)
    wait: Wait | None = None
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


class Brake(Struct):
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


class Performed(NamedTuple):
    """What one play left."""

    transcript: Transcript
    verdicts: tuple[Verdict, ...]
    votes: tuple[Vote, ...] = ()


async def perform(
    evaluation: Evaluation, item: Any, sample: int, cast: Cast, earlier: Earlier | None = None
) -> Performed:
    """One item in one sample, played (or as it was played, where `earlier` has it) and judged."""
    benchmark, setting = evaluation.benchmark, evaluation.setting
    notes: list[object] = []
    noted = structs.replace(cast, noting=notes.append)
    if earlier is not None:
        transcript = earlier[item.about.item, sample]
    else:
        transcript = await benchmark.play(item, sample, noted, setting)
    grading = await benchmark.judge(item, transcript, noted, setting)
    heard = [note for note in notes if isinstance(note, Hearing)]
    votes = in_order(vote for hearing in heard for vote in hearing.votes())
    if grading.events:
        transcript = structs.replace(transcript, events=(*transcript.events, *grading.events))
    return Performed(transcript, grading.verdicts, votes)


class Sitting(Struct, kw_only=True):
    """All plays of an evaluation with its cast; `waiting` counts those that need answers which are not there yet."""

    evaluation: Evaluation
    cast: Cast
    results: Results
    progress: Progress
    brake: Brake
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
                transcript, verdicts, votes = await self._perform(play)
            except Stopped:  # others may wait for the place of this one
                self._room.set()
                return
            except NotYet:
                self.waiting += 1
                self._room.set()
                continue
            except (BudgetReached, NotServed) as reached:
                self.brake.pull(reached)  # calls in flight, of other models too, are paid for: let them end
                self._room.set()
                return
            if not self.waiting:  # else nothing is put in place in this sitting
                self.results.put(play.number, transcript, verdicts, votes)
            self.progress.done += 1
            self.progress.lost["ungraded"] += isinstance(verdicts[0], Ungraded)
            if play.number < self.results.written:
                self._room.set()

    async def _perform(self, play: _Play) -> Performed:
        try:
            return await perform(self.evaluation, play.item, play.sample, self.cast, self.earlier)
        except MoresError:
            raise
        except Exception as error:  # noqa: BLE001 - the outermost loop: the item fails, the run goes on
            return self._broken(play, f"error in mores: {type(error).__name__}: {error}")

    def _broken(self, play: _Play, cause: str) -> Performed:
        failed = Failed(role="mores", cause="error in mores", detail=cause)
        verdicts = tuple(
            Ungraded(about=due.about, sample=play.sample, task=due.task, cause="error in mores", raw=cause)
            for due in self.evaluation.benchmark.due(play.item)
        )
        transcript = Transcript(item=play.item.about.item, sample=play.sample, events=(failed,))
        return Performed(transcript, verdicts)
