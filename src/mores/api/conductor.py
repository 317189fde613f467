"""Runs from what was asked to what was found: the one way that the Python interface and the command line both go.

options ─▶ Study ─▶ played under an observer ─▶ Results, with the page beside

Nothing here prints or asks: whoever calls gives an `Observer`, which is told how far it is and all that people should
know. What only the end of a run needs is imported then, as it takes as long to import as a start.
"""

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, nullcontext

from mores.analysis.judge_errors import KnownJudgeErrors, stated_range
from mores.analysis.results import Results
from mores.core.errors import RunError, RunPending
from mores.runs.batch_files import (
    CollectedAnswers,
    PendingBatches,
    account,
    describe_taken,
    how_to_go_on,
    pending_batches,
)
from mores.runs.connections import files_needed
from mores.runs.cost_estimate import DryRunEstimate, describe_long_waits
from mores.runs.cost_estimate import estimate as estimate_of
from mores.runs.merge import merged_study
from mores.runs.options import CollectOptions, JudgeOptions, MergeOptions, ResumeOptions, RunOptions
from mores.runs.run_study import run_study
from mores.runs.specify import judging_study, new_study, resumed_study, specified, taking_study
from mores.runs.study import Study


class Interrupted(RunError):
    """A run that whoever looks on has stopped; the line says how to go on."""


class Observer:
    """Whoever looks on at a run; this one shows nothing and says nothing."""

    def watch(self, study: Study) -> AbstractAsyncContextManager[None]:  # noqa: ARG002 - for those who look
        """Context in which the calls are made; one that takes a cancellation upon itself leaves the run unfinished."""
        return nullcontext()

    def say(self, line: str) -> None:
        """Tell people a line that is no figure: of what was left out, lowered, doubted or taken."""

    def wait(self, study: Study, pending: PendingBatches, taken: CollectedAnswers | None) -> None:
        """Tell people what a run waits for, and what became of the answers that it was given."""


UNWATCHED = Observer()


async def run(options: RunOptions, observer: Observer = UNWATCHED) -> Results:
    """Results of a new run, in a new folder or in that of an equal one.

    Raises:
        InputError: an option cannot be used.
        Waiting: its calls were put into batches.
        RunError: it is not finished; the line says how to go on.
    """
    judges = stated_range(options.judge_range)
    study = new_study(options)
    if study.tray is not None:
        for line in describe_long_waits(estimate_of(study.spec, parked=True)):
            observer.say(line)
    return await _carry_out(study, observer, judges)


async def resume(options: ResumeOptions, observer: Observer = UNWATCHED) -> Results:
    """Results of an earlier run that goes on, under other conditions where some are given.

    Raises:
        InputError: the folder is no run, or only a part of one.
        Waiting, RunError: as of `run`.
    """
    return await _carry_out(resumed_study(options), observer)


async def judge(options: JudgeOptions, observer: Observer = UNWATCHED) -> Results:
    """Results of a run's transcripts judged by other judges, or more often; equal judgements are not asked again.

    Raises:
        InputError: an option cannot be used, or there is nothing to judge.
        Waiting, RunError: as of `run`.
    """
    return await _carry_out(judging_study(options), observer)


async def collect(options: CollectOptions, observer: Observer = UNWATCHED) -> Results:
    """Results of a run that waited for batches, with the answers in some files.

    Raises:
        InputError: the folder is no such run, or a file holds no answers.
        Waiting, RunError: as of `run`.
    """
    return await _carry_out(taking_study(options), observer)


def merge(options: MergeOptions) -> Results:
    """Results of a run whose parts were asked apart; nothing is asked.

    Raises:
        InputError: a folder is no part of a run, or of another one.
        RunError: a part is missing or not finished.
    """
    return _results(merged_study(options))


def estimate(options: RunOptions) -> tuple[DryRunEstimate, ...]:
    """Calls, tokens and price of each evaluation of a run, at most; nothing is asked.

    Raises:
        InputError: an option cannot be used.
    """
    spec, conditions = specified(options)
    return estimate_of(spec, parked=conditions.park is not None)


async def play(study: Study, observer: Observer = UNWATCHED) -> None:
    """Play and judge all of a study that is not done, its figures last.

    Raises:
        Interrupted: it was stopped from outside.
        Waiting, RunError: as of `run`.
    """
    if study.window < study.conditions.concurrency:
        observer.say(_describe_window(study))
    done = False
    try:
        async with observer.watch(study):
            done = await run_study(study)
    except RunPending:
        pending = pending_batches(study.folder) or PendingBatches(wave=0, folder="")
        observer.wait(study, pending, _taken(study))
        raise
    except RunError as error:
        raise type(error)(f"{error} {how_to_go_on(study)}") from error
    finally:
        for line in _remarks(study):
            observer.say(line)
    if not done:
        raise Interrupted(how_to_go_on(study))


async def _carry_out(study: Study, observer: Observer, judges: KnownJudgeErrors | None = None) -> Results:
    await play(study, observer)
    return _results(study, judges)


def _results(study: Study, judges: KnownJudgeErrors | None = None) -> Results:
    from mores.reports.page import finished  # noqa: PLC0415 - figures and page: as long to import as a start

    return finished(study, judges)


def _describe_window(study: Study) -> str:
    """Line for people that fewer calls go at once than were asked for."""
    wanted, models = study.conditions.concurrency, len(set(study.spec.models))
    return (
        f"this shell allows few open files: at most {study.window} calls at the same time, not {wanted} "
        f"(ulimit -n {files_needed(wanted, models)} allows them)."
    )


def _remarks(study: Study) -> Iterator[str]:
    """Lines for people once the calls have ended: answers taken, benchmarks left out, counts not believed."""
    taken = _taken(study)
    yield from () if taken is None else describe_taken(taken)
    for name, why in study.skipped.items():
        yield f"{name} was left out: {why}"
    for spec, model in {door.model.spec: door.model for door in study.doors}.items():
        for why, calls in model.doubts.items():
            yield f"{spec}: it counted {why} for {calls:,} calls, whose tokens are estimated from their words instead."
        for what, answers in model.remarks.items():
            yield f"{spec}: {what} ({answers:,} answers)."


def _taken(study: Study) -> CollectedAnswers | None:
    """Counts of the answers in files that a run was given; None where none were."""
    return account(study.folder, study.tray) if study.tray is not None and study.tray.answers.files else None
