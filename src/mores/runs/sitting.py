"""One sitting: every item of one benchmark played, judged and put in its place.

A window of workers takes plays from the plan, with no barrier between them. An error in a play is stored as an
ungraded item and the run goes on; what stops a run (a budget, a disk, an endpoint that is gone) stops it cleanly.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from mores.benchmarks.benchmark import Benchmark, Setting
from mores.core.errors import BudgetReached, MoresError, NotServed, Stopped
from mores.core.transcript import Failed, Transcript
from mores.core.verdict import Ungraded, Verdict
from mores.core.vote import Votes
from mores.judges.hearing import Hearing
from mores.models.cast import Cast
from mores.runs.results import Results

AHEAD = 50_000


@dataclass(slots=True)
class Progress:
    """How far a sitting is; read by whoever shows it."""

    name: str
    plays: int
    done: int = 0
    ungraded: int = 0


@dataclass(slots=True)
class Brake:
    """Asked to stop: no new play begins, and those under way end."""

    pulled: bool = False
    reason: MoresError | None = None

    def pull(self, reason: MoresError | None = None) -> None:
        """Stop, for the first reason given."""
        self.pulled = True
        self.reason = self.reason or reason


class _Play(NamedTuple):
    """One item in one sample, and its place in the plan."""

    number: int
    item: Any
    sample: int


@dataclass(slots=True, kw_only=True)
class Sitting:
    """All plays of one benchmark with one cast."""

    benchmark: Benchmark
    setting: Setting
    items: Sequence[Any]
    cast: Cast
    results: Results
    progress: Progress
    brake: Brake
    workers: int
    earlier: Mapping[tuple[str, int], Transcript] | None = None
    _room: asyncio.Event = field(default_factory=asyncio.Event)

    async def hold(self) -> bool:
        """True once every play is in its place; False if the brake was pulled before.

        Raises:
            MoresError: what stopped the run at once; a budget or a refused key pulls the brake.
        """
        self._room.set()
        plays = self._plan()
        workers = min(self.workers, max(1, self.progress.plays))
        tasks = [asyncio.create_task(self._work(plays)) for _ in range(workers)]
        try:
            await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise
        return self.progress.done == self.progress.plays

    def _plan(self) -> Iterator[_Play]:
        samples = self.setting.protocol.samples
        for number, item in enumerate(self.items):
            for sample in range(samples):
                yield _Play(number * samples + sample, item, sample)

    async def _work(self, plays: Iterator[_Play]) -> None:
        for play in plays:
            if play.number - self.results.written > AHEAD:
                self._room.clear()
                await self._room.wait()
            if self.brake.pulled:
                return
            try:
                transcript, verdicts, votes = await self._perform(play)
            except Stopped:
                return
            except (
                BudgetReached,
                NotServed,
            ) as reached:  # calls in flight, of other models too, are paid for: let them end
                self.brake.pull(reached)
                self._room.set()
                return
            self.results.put(play.number, transcript, verdicts, votes)
            self.progress.done += 1
            self.progress.ungraded += isinstance(verdicts[0], Ungraded)
            if not self._room.is_set() and play.number - self.results.written <= AHEAD:
                self._room.set()

    async def _perform(self, play: _Play) -> tuple[Transcript, tuple[Verdict, ...], Votes]:
        notes: list[object] = []
        cast = replace(self.cast, noting=notes.append)
        try:
            transcript = await self._transcript(play, cast)
            grading = await self.benchmark.judge(play.item, transcript, cast, self.setting)
            votes = Votes.of(vote for note in notes if isinstance(note, Hearing) for vote in note.votes())
            return replace(transcript, events=(*transcript.events, *grading.events)), grading.verdicts, votes
        except MoresError:
            raise
        except Exception as error:  # noqa: BLE001 - the outermost loop: the item fails, the run goes on
            return *self._broken(play, f"error in mores: {type(error).__name__}: {error}"), Votes()

    async def _transcript(self, play: _Play, cast: Cast) -> Transcript:
        """What happens, or what happened where plays of an earlier run are judged again."""
        if self.earlier is not None:
            return self.earlier[play.item.about.item, play.sample]
        return await self.benchmark.play(play.item, play.sample, cast, self.setting)

    def _broken(self, play: _Play, cause: str) -> tuple[Transcript, tuple[Verdict, ...]]:
        failed = Failed(role="mores", cause="error in mores", detail=cause)
        verdicts = tuple(
            Ungraded(about=due.about, sample=play.sample, task=due.task, cause="error in mores", raw=cause)
            for due in self.benchmark.due(play.item)
        )
        return Transcript(item=play.item.about.item, sample=play.sample, events=(failed,)), verdicts
