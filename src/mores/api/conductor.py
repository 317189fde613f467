"""Runs from what was asked to what was found: the one way that the Python interface and the command line both go.

options ─▶ Spec and ExecutionSpec ─▶ Study in its folder ─▶ played under an observer ─▶ Results, with the page beside

Nothing here prints or asks: whoever calls gives an `Observer`, which is told how far it is and all that people should
know. What only the end of a run needs is imported then, as it takes as long to import as a start.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path

from msgspec.structs import replace

from mores.analysis.judge_errors import KnownJudgeErrors, stated_range
from mores.analysis.results import Results
from mores.core.errors import InputError, RunError, RunPending
from mores.models.batch.queue import BatchQueue, read_answers
from mores.runs.batch_files import (
    CollectedAnswers,
    PendingBatches,
    account,
    check_batch_folder,
    describe_progress,
    describe_taken,
    how_to_go_on,
    partial_answer_files,
    pending_batches,
    refuse_waiting,
)
from mores.runs.client_pool import files_needed, typed_now
from mores.runs.folder import RUNS, choose_folder
from mores.runs.launchers import AUTO, part_folder, parts_folder
from mores.runs.merge import merged_study
from mores.runs.options import (
    BatchOptions,
    CollectOptions,
    JudgeOptions,
    MergeOptions,
    ResumeOptions,
    RunOptions,
    flag_of,
)
from mores.runs.run_study import run_study
from mores.runs.selection import Shard
from mores.runs.spec import ExecutionSpec, Spec, limits_of_part
from mores.runs.specify import read_earlier, specify, specify_again, specify_judging
from mores.runs.study import Study


class Interrupted(RunError):
    """A run that whoever looks on has stopped; the line says how to go on."""


class Observer:
    """Observer of a run that shows nothing and says nothing; others derive from it."""

    def watch(self, study: Study) -> AbstractAsyncContextManager[None]:  # noqa: ARG002 - for those who look
        """Context in which the calls are made; one that takes a cancellation upon itself leaves the run unfinished."""
        return nullcontext()

    def say(self, line: str) -> None:
        """Tell people a line that is no figure: of what was left out, lowered, doubted or taken."""

    def wait(self, run: Path, pending: PendingBatches, taken: CollectedAnswers | None) -> None:
        """Tell people what a run waits for, and what became of the answers that it was given."""


UNWATCHED = Observer()


async def run(options: RunOptions, observer: Observer = UNWATCHED) -> Results:
    """Results of a new run, in a new folder or in that of an equal one.

    Raises:
        InputError: an option cannot be used.
        RunPending: its calls were put into batches.
        RunError: it is not finished; the line says how to go on.
    """
    judges = stated_range(options.judge_range)
    study = _new_study(*specify(options), options)
    if options.on is not None:
        return await _run_parts(study, options, observer, judges)
    if study.batches is not None:
        from mores.runs.cost_estimate import describe_long_waits, estimate  # noqa: PLC0415 - what most runs do without

        for line in describe_long_waits(estimate(study.spec, batch=True)):
            observer.say(line)
    return await _carry_out(study, observer, judges)


async def _run_parts(study: Study, options: RunOptions, observer: Observer, judges: KnownJudgeErrors | None) -> Results:
    """Results of a study whose parts are asked on a cluster and put together here."""
    from mores.runs.on_ray import ask_on_ray  # noqa: PLC0415 - an extra, which most runs do without

    failures, ended = list[str](), False
    async with observer.watch(study):
        failures = await ask_on_ray(study, options.on or "", options.parts)
        ended = not study.stop_signal.stopped
    for line in _remarks(study):
        observer.say(line)
    parts = parts_folder(study.folder)
    again = f"Its parts are in {parts}; go on with the same command and --out {study.folder}."
    if not ended:
        raise Interrupted(f"{describe_progress(study)} {again}")
    if failures:
        raise RunError(f"{describe_progress(study)} {'; '.join(failures)} {again}")
    return _results(merged_study(MergeOptions(runs=[parts], out=study.folder)), judges)


async def resume(options: ResumeOptions, observer: Observer = UNWATCHED) -> Results:
    """Results of an earlier run that goes on, under other conditions where some are given.

    Raises:
        InputError: the folder is no run, or only a part of one.
        RunPending, RunError: as of `run`.
    """
    return await _carry_out(_resumed_study(options), observer)


async def judge(options: JudgeOptions, observer: Observer = UNWATCHED) -> Results:
    """Results of a run's transcripts judged by other judges, or more often; equal judgements are not asked again.

    Raises:
        InputError: an option cannot be used, or there is nothing to judge.
        RunPending, RunError: as of `run`.
    """
    return await _carry_out(_new_study(*specify_judging(options), options), observer)


async def collect(options: CollectOptions, observer: Observer = UNWATCHED) -> Results:
    """Results of a run that waited for batches, with the answers in some files.

    Raises:
        InputError: the folder is no such run, or a file holds no answers.
        RunPending, RunError: as of `run`.
    """
    return await _carry_out(_collecting_study(options), observer)


def merge(options: MergeOptions) -> Results:
    """Results of a run whose parts were asked apart; nothing is asked.

    Raises:
        InputError: a folder is no part of a run, or of another one.
        RunError: a part is missing or not finished.
    """
    return _results(merged_study(options))


async def play(study: Study, observer: Observer = UNWATCHED) -> None:
    """Play and judge all of a study that is not done, its figures last.

    Raises:
        Interrupted: it was stopped from outside.
        RunPending, RunError: as of `run`.
    """
    if study.window < study.conditions.concurrency:
        observer.say(_describe_window(study))
    own = limits_of_part(study.conditions, Shard.read(study.spec.shard))
    if own:
        observer.say(_describe_part(study, own))
    done = False
    try:
        async with observer.watch(study):
            done = await run_study(study)
    except RunPending:
        pending = pending_batches(study.folder) or PendingBatches(wave=0, folder="")
        observer.wait(study.folder, pending, _taken(study))
        raise
    except RunError as error:
        raise type(error)(f"{error} {how_to_go_on(study)}") from error
    finally:
        # Also where it broke off: what was left out or doubted holds for what there is.
        for line in _remarks(study):
            observer.say(line)
    if not done:
        raise Interrupted(how_to_go_on(study))


def _new_study(spec: Spec, execution: ExecutionSpec, options: RunOptions | JudgeOptions) -> Study:
    """Study in the folder that is asked for, or in a new one.

    Raises:
        InputError: it holds something else.
        RunPending: it holds this run, that waits for batches.
    """
    out = options.out
    if isinstance(options, RunOptions) and options.shard == AUTO:
        out = part_folder(Path(out or RUNS), Shard.read(spec.shard))
    folder = choose_folder(out, spec.hash, RUNS)
    refuse_waiting(folder)
    return _study(spec, execution, folder, options)


def _resumed_study(options: ResumeOptions) -> Study:
    """Study of an earlier run, under other conditions where some are given.

    Raises:
        InputError: the folder is no run, or only a part of one.
        RunPending: its calls wait in batches, and it was not asked to make them.
    """
    run = Path(options.run)
    spec, before = read_earlier(run)
    if options.live and options.batch:
        raise InputError(f"--live and --batch {options.batch}: expected one of them.")
    if not options.live:
        refuse_waiting(run)
    batch = None if options.live else before.batch
    # A budget is of one session: whoever goes on names another one, or none.
    fresh = replace(before, max_calls=None, max_tokens=None, max_cost=None, batch=batch)
    return _study(*specify_again(spec, fresh, options), run, options)


def _collecting_study(options: CollectOptions) -> Study:
    """Study of a run that waits for batches, with the answers to them in its queue.

    Raises:
        InputError: the folder is no run, it has no batches, or a file holds no answers.
    """
    run = Path(options.run)
    spec, before = read_earlier(run)
    pending = pending_batches(run)
    if pending is None:
        raise InputError(f"{run}: nothing of it waits for a batch; expected a run that was begun with --batch DIR.")
    study = _study(*specify_again(spec, replace(before, batch=pending.folder), options), run, options)
    answers = read_answers([Path(file) for file in options.files or ()], pending.taken, partial_answer_files(run))
    waiting = frozenset[str]() if options.again else pending.waiting
    layout, learnt = study.conditions.batch_format, pending.learnt
    queue = BatchQueue(answers=answers, layout=layout, learnt=learnt, waiting=waiting)
    return replace(study, batches=queue)


def _study(spec: Spec, execution: ExecutionSpec, folder: Path, options: BatchOptions) -> Study:
    queue = None
    if execution.batch is not None:
        batch = Path(execution.batch).resolve()
        check_batch_folder(folder, batch)
        execution, queue = replace(execution, batch=str(batch)), BatchQueue(layout=execution.batch_format)
    elif execution.batch_format is not None:
        raise InputError(f"--batch-format {execution.batch_format}: expected --batch DIR beside it.")
    typed = typed_now(options.base_url, options.header)
    return Study(spec=spec, conditions=execution, folder=folder, typed=typed, batches=queue)


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


def _describe_part(study: Study, own: Mapping[str, float]) -> str:
    """Line for people that a part has its share of the limits."""
    parts = (f"{value:g} of {getattr(study.conditions, name):g} ({flag_of(name)})" for name, value in own.items())
    return f"part {study.spec.shard} has its share of the limits: {', '.join(parts)}; --per-part gives it all of them."


def _remarks(study: Study) -> Iterator[str]:
    """Lines for people once the calls have ended: answers taken, benchmarks left out, counts not believed."""
    taken = _taken(study)
    yield from () if taken is None else describe_taken(taken)
    for name, why in study.skipped.items():
        yield f"{name} was left out: {why}"
    for spec, model in {client.model.spec: client.model for client in study.clients}.items():
        for why, calls in model.doubts.items():
            yield f"{spec}: it counted {why} for {calls:,} calls, whose tokens are estimated from their words instead."
        for what, answers in model.remarks.items():
            yield f"{spec}: {what} ({answers:,} answers)."


def _taken(study: Study) -> CollectedAnswers | None:
    """Counts of the answers in files that a run was given; None where none were."""
    return account(study.folder, study.batches) if study.batches is not None and study.batches.answers.files else None
