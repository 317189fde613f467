"""One session: every item of one benchmark played, judged and put in its place.

A window of workers takes plays from the plan, with no barrier between them. What stops a run (a budget,
a disk, an endpoint that is gone) stops it cleanly.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple, TypeVar
from typing import Protocol as Capability

from msgspec import Struct, field, structs

from mores.benchmarks.benchmark import ExpectedVerdict, Grading, Varying
from mores.benchmarks.catalogue import package_of
from mores.core.card import SequentialTest
from mores.core.code_errors import cause_in, cause_of, is_callers
from mores.core.errors import BudgetReached, MoresError, NotServed, Stopped
from mores.core.terminal_safety import describe_error
from mores.core.transcript import FailureEvent, Item, Transcript
from mores.core.verdict import Graded, Ungraded, Verdict, Vote, in_order
from mores.judges.judge import JudgeCall
from mores.models.cast import Cast
from mores.models.request import CallFailed, ReplyPending
from mores.runs.evaluation import UNWRITABLE, Evaluation, ResultWriter
from mores.runs.progress import RunProgress, StopSignal

Earlier = Mapping[tuple[str, int], Transcript]
"""Plays of an earlier run by item and sample, to be judged again."""
_NUMBERS = (float, int, bool)
"""Kinds of numbers that can be written down; those of numpy cannot."""
_WORDS = (str, type(None))
_Key = tuple[str, str, str, str]


class PlayResult(NamedTuple):
    """Transcript, verdicts and votes of one play."""

    transcript: Transcript
    verdicts: tuple[Verdict, ...]
    votes: tuple[Vote, ...] = ()


class Unfit(Exception):
    """Error of a benchmark's code: no play, or not the verdicts that are due."""


async def perform(
    evaluation: Evaluation, item: Any, sample: int, cast: Cast, earlier: Earlier | None = None
) -> PlayResult:
    """One item in one sample, played (or as it was played, where `earlier` has it) and judged.

    Raises:
        MoresError: what ends the run.
    """
    notes: list[object] = []
    cast = structs.replace(cast, noting=notes.append)
    transcript: Transcript | None = None
    try:
        transcript = await play_item(evaluation, item, sample, cast, earlier)
        grading = await evaluation.benchmark.judge(item, transcript, cast, evaluation.setting)
        _check_grading(evaluation, item, sample, grading)
        return _performed(transcript, grading, notes)
    # Not only Exception: a cancellation that a play made itself costs its item alone.
    except BaseException as error:
        ending = ends_the_run(error)
        if ending is error:
            raise
        if ending is not None:
            raise ending from error
        return broken(evaluation, item, sample, error, transcript)


def _performed(transcript: Transcript, grading: Grading, notes: Sequence[object]) -> PlayResult:
    votes = in_order(vote for judge_call in notes if isinstance(judge_call, JudgeCall) for vote in judge_call.votes())
    if grading.events:
        transcript = structs.replace(transcript, events=(*transcript.events, *grading.events))
    return PlayResult(transcript, grading.verdicts, votes)


async def play_item(evaluation: Evaluation, item: Any, sample: int, cast: Cast, earlier: Earlier | None) -> Transcript:
    """The transcript of an item in one sample, played now or, where `earlier` has plays, as it was played.

    Raises:
        Unfit: the benchmark's code gave no such transcript.
    """
    if earlier is not None:
        return earlier[item.about.item, sample]
    found = await evaluation.benchmark.play(item, sample, cast, evaluation.setting)
    if not isinstance(found, Transcript) or (found.item, found.sample) != (item.about.item, sample):
        raise Unfit(f"play gave {_kind(found)}; expected the transcript of {item.about.item}, sample {sample}")
    return found


def broken(
    evaluation: Evaluation, item: Any, sample: int, error: BaseException, played: Transcript | None = None
) -> PlayResult:
    """Stand-in for a play that failed by an error of code: no grade on anything that was due.

    Where it was `played`, that is kept, to be judged again once the code is mended.
    """
    cause = _cause_of(evaluation, error)
    says = error.detail if isinstance(error, CallFailed) else f"{cause}: {describe_error(error)}"
    failed = FailureEvent(role="mores" if played is None else "judge", cause=cause, detail=says)
    verdicts = tuple(
        Ungraded(about=due.about, sample=sample, task=due.task, cause=cause, raw=says, gold=due.gold)
        for due in _dues(evaluation, item)
    )
    events = () if played is None else played.events
    return PlayResult(Transcript(item=item.about.item, sample=sample, events=(*events, failed)), verdicts)


def put_down(results: ResultWriter, number: int, evaluation: Evaluation, item: Any, left: PlayResult) -> None:
    """Put what a play left in its place of the plan, or that it cannot be written."""
    try:
        results.put(number, *left)
    except UNWRITABLE as error:
        results.put(number, *broken(evaluation, item, left.transcript.sample, error))


def _cause_of(evaluation: Evaluation, error: BaseException) -> str:
    """Cause of a missing grade: whose code failed, or a failed call that the code let pass."""
    if isinstance(error, CallFailed):
        return error.cause
    package = package_of(evaluation.name) if isinstance(error, Unfit) else None
    return cause_of(error) if package is None else cause_in(package)


def _dues(evaluation: Evaluation, item: Any) -> Sequence[ExpectedVerdict]:
    try:
        return tuple(evaluation.benchmark.due(item))
    except Exception:  # noqa: BLE001 - the item failed already, and stands ungraded on each task
        return tuple(ExpectedVerdict(task, item.about) for task in evaluation.benchmark.tasks)


def ends_the_run(error: BaseException) -> BaseException | None:
    """Error, of one or a group, that ends the run; None where its item alone fails."""
    return next((each for each in _single(error) if _is_of_the_run(each)), None)


def _single(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _single(each)
    else:
        yield error


def _is_of_the_run(error: BaseException) -> bool:
    match error:
        case KeyboardInterrupt() | GeneratorExit() | ReplyPending():
            return True
        case asyncio.CancelledError():  # of this task, or one that escaped from the play's own
            task = asyncio.current_task()
            return task is None or task.cancelling() > 0
        case MoresError():
            return is_callers(error)
        case _:
            return False


def _check_grading(evaluation: Evaluation, item: Any, sample: int, grading: object) -> None:
    """Nothing, where these are the verdicts that are due.

    Raises:
        Unfit: they are not; the words say which.
    """
    if not isinstance(grading, Grading):
        raise Unfit(f"judge gave {_kind(grading)}; expected a Grading")
    given, due = grading.verdicts, evaluation.benchmark.due(item)
    if _is_plain(given, due, sample):
        return
    for verdict in given:
        _check_verdict(verdict, sample)
    varying = evaluation.benchmark.varying_tasks if isinstance(evaluation.benchmark, Varying) else ()
    _check_dues(*(Counter(_key(each) for each in of if each.task not in varying) for of in (given, due)))
    for verdict in given:
        if verdict.about.item != item.about.item:
            raise Unfit(f"judge gave a verdict on {verdict.about.item}; expected {item.about.item}")


def _is_plain(given: Sequence[Verdict], due: Sequence[ExpectedVerdict], sample: int) -> bool:
    """True of verdicts as our shapes give them: these need no second look, which takes as long as to make them."""
    if len(given) != len(due):
        return False
    for verdict, owed in zip(given, due, strict=True):
        if type(verdict) is Graded:
            if type(verdict.points) is not float or not isfinite(verdict.points) or type(verdict.label) not in _WORDS:
                return False
        elif type(verdict) is not Ungraded:
            return False
        if verdict.about is not owed.about or verdict.task != owed.task or verdict.sample != sample:
            return False
    return True


def _check_dues(given: Counter[_Key], due: Counter[_Key]) -> None:
    """Nothing, where all that is due was given, and nothing else."""
    less, more = due - given, given - due
    if less:
        raise Unfit(f"judge gave no verdict on {_describe_key(less)}, which is due")
    if more:
        raise Unfit(f"judge gave a verdict on {_describe_key(more)}, which is not due")


def _check_verdict(verdict: object, sample: int) -> None:
    if not isinstance(verdict, Graded | Ungraded):
        raise Unfit(f"judge gave {_kind(verdict)} for a verdict; expected Graded or Ungraded")
    if isinstance(verdict, Graded) and (type(verdict.points) not in _NUMBERS or not isfinite(verdict.points)):
        raise Unfit(f"judge gave {verdict.points!r} for points; expected a finite number of Python's own")
    words = (verdict.label, verdict.gold) if isinstance(verdict, Graded) else (verdict.cause, verdict.gold)
    if not all(each is None or isinstance(each, str) for each in words):
        raise Unfit(f"judge gave {words} for a label and its gold one; expected words")
    if verdict.sample != sample:
        raise Unfit(f"judge gave a verdict on sample {verdict.sample}; expected {sample}")


def _key(owed: ExpectedVerdict | Verdict) -> _Key:
    return owed.task, owed.about.item, owed.about.unit, owed.about.part


def _describe_key(keys: Counter[_Key]) -> str:
    task, item, _, part = next(iter(keys))
    return f"the task '{task}' of {item}{f', part {part}' if part else ''}"


def _kind(value: object) -> str:
    return "nothing" if value is None else f"a {type(value).__name__}"


T = TypeVar("T")
AHEAD = 50_000


async def side_by_side(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Results of all; where one fails, or all are broken off, none is left under way."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        # `gather` alone would leave the others running.
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


class _Play(NamedTuple):
    """One item in one sample, and its place in the plan."""

    number: int
    item: Any
    sample: int


class Steps(Capability):
    """Steps in which an evaluation is asked, each of which hangs on the answers to those before."""

    def ask(self, results: ResultWriter) -> AsyncIterator[Sequence[Item]]:
        """The items of each step, after the answers to all before.

        Raises:
            Stopped: another evaluation that takes part has stopped.
        """

    def leave(self) -> None:
        """Take no further part, so that nobody waits."""

    def ended(self, asked: Sequence[Item]) -> Evaluation:
        """The evaluation of what was asked."""

    @property
    def found(self) -> SequentialTest | None:
        """The claim that ended it; None where there was none."""


class Executor(Struct, kw_only=True):
    """All plays of an evaluation with its cast; `waiting` counts those that need answers which are not there yet."""

    evaluation: Evaluation
    cast: Cast
    results: ResultWriter
    progress: RunProgress
    stop_signal: StopSignal
    workers: int
    earlier: Earlier | None = None
    steps: Steps | None = None
    waiting: int = 0
    _room: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> bool:
        """True once every play is in its place; False if it was asked to stop before.

        Raises:
            MoresError: what stopped the run at once; a budget or a refused key stops it cleanly.
        """
        self._room.set()
        if self.steps is not None:
            return await self._in_steps(self.steps)
        await self._ask(self.evaluation.items)
        return self.progress.done == self.progress.plays

    async def _in_steps(self, steps: Steps) -> bool:
        """The same of items that are asked step by step: what is asked next hangs on what was answered."""
        asked, samples = list[Item](), self.evaluation.setting.protocol.samples
        try:
            async for items in steps.ask(self.results):
                await self._ask(items, begin=len(asked))
                asked += items
                if self.progress.done < len(asked) * samples:
                    return False
        except Stopped:
            return False
        finally:
            steps.leave()
        self.evaluation = steps.ended(asked)
        self.progress.plays = self.progress.done
        return True

    async def _ask(self, items: Sequence[Item], begin: int = 0) -> None:
        """Play some items, of which the first is at this place of the plan."""
        plays, others = self._plan(items, begin), asyncio.all_tasks()
        # All of them draw from the one plan, so that none stands idle while plays are left.
        workers = min(self.workers, max(1, self.progress.plays))
        await side_by_side(self._work(plays) for _ in range(workers))
        while self.waiting and (asking := asyncio.all_tasks() - others):
            await asyncio.wait(asking)  # who was asked at once with a call that waits has something to ask too

    def _plan(self, items: Sequence[Item], begin: int) -> Iterator[_Play]:
        samples = self.evaluation.setting.protocol.samples
        for number, item in enumerate(items, begin):
            for sample in range(samples):
                yield _Play(number * samples + sample, item, sample)

    async def _work(self, plays: Iterator[_Play]) -> None:
        for play in plays:
            # Results are written in the order of the plan: what is far ahead of a slow play is held in memory.
            while play.number - self.results.written > AHEAD and not (self.waiting or self.stop_signal.stopped):
                self._room.clear()
                await self._room.wait()
            if self.stop_signal.stopped:
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
                self.stop_signal.stop(reached)  # calls in flight, of other models too, are paid for: let them end
                self._room.set()
                return
            if not self.waiting:  # else nothing is put in place in this session
                put_down(self.results, play.number, self.evaluation, play.item, left)
            self.progress.done += 1
            self.progress.lost["ungraded"] += any(isinstance(verdict, Ungraded) for verdict in left.verdicts[:1])
            if play.number < self.results.written:
                self._room.set()
