"""A study carried out: models side by side under one window and one budget, the benchmarks of one after another."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, runtime_checkable
from typing import Protocol as Capability

from mores.benchmarks.shapes.closed_question import ClosedItem
from mores.core.card import SequentialTest
from mores.core.code_errors import keep
from mores.core.errors import InputError, MoresError
from mores.core.estimate import Estimate
from mores.core.files import own_folder
from mores.core.transcript import ItemMetadata
from mores.models.cast import Cast
from mores.models.client import ModelClient
from mores.models.journal import Journal
from mores.models.journal_reader import EarlierJournal
from mores.models.logs.logged_reply import LabelledOption, Log, LoggedQuestion
from mores.models.logs.order import bare
from mores.models.logs.tables import KEY
from mores.models.model import Model, RecordedOutputs
from mores.models.recorded import SUBJECT
from mores.norms.places import place as known_place
from mores.runs.batch_files import close_batch_round, count_waves, forget
from mores.runs.client_pool import ClientPool, accesses, open_clients, prices_of
from mores.runs.evaluation import (
    Evaluation,
    ResultWriter,
    evaluation_is_done,
    finish_evaluation,
    plays_of_done,
    unfinished,
)
from mores.runs.executor import Executor, side_by_side
from mores.runs.folder import FILES, JOURNAL, MANIFEST, locked, read_run, reopen
from mores.runs.garbage import quiet_collector
from mores.runs.manifest import check_unchanged, evaluation_manifest, study_manifest
from mores.runs.progress import RunProgress, calls_of_a_play
from mores.runs.selection import LazyItems
from mores.runs.spec import check
from mores.runs.stored_plays import StoredPlays
from mores.runs.study import Study

SPARE_WORKERS = 64
FEWEST_RIGHT = 5
"""Replies, all right, at which a column looks like the data's own key."""


async def run_study(study: Study) -> bool:
    """Play every evaluation that is not done; True once all are.

    Raises:
        MoresError: what stopped the study.
        RunPending: its calls wait in batches, and their answers are to be taken.
    """
    check(study.spec, study.conditions)
    with quiet_collector():  # rooms are imported and items made, most of which stay
        evaluations = study.evaluations()
    if _lies_finished(study, evaluations):
        return True
    if study.spec.judged is None and (study.spec.until is not None or any(each.stops for each in evaluations)):
        from mores.runs.stepwise import steps_of  # noqa: PLC0415 - what most runs do without

        study.steps.update(steps_of(study.spec, evaluations))
    shared = _share(study, evaluations)
    try:
        with locked(study.folder):
            for evaluation in evaluations:
                check_unchanged(evaluation)
            study_manifest(study.folder, study.spec, study.conditions, evaluations)
            with quiet_collector():
                done = await _all_models(study, evaluations, shared)
            if study.batches is None:
                forget(study.folder)
            elif not study.stop_signal.stopped or study.stop_signal.reason:
                close_batch_round(
                    study.folder, Path(study.conditions.batch or ""), study.batches, list(shared.models.values())
                )
    finally:
        await shared.close()
    if study.stop_signal.reason is not None:
        raise study.stop_signal.reason
    return done


def _lies_finished(study: Study, evaluations: Sequence[Evaluation]) -> bool:
    """True of a finished run where nothing can be written, as on a disk that is read-only: there is nothing to write.

    Raises:
        InputError: it was changed after it was written.
    """
    if os.access(study.folder, os.W_OK) or not all(map(evaluation_is_done, evaluations)):
        return False
    for evaluation in evaluations:
        check_unchanged(evaluation)
        study.before += plays_of_done(evaluation)
    return True


def _share(study: Study, evaluations: Sequence[Evaluation]) -> ClientPool:
    """The clients that evaluations share, opened and checked before a folder is made."""
    _journals(study.conditions.reuse)
    reached = accesses(study.spec, study.conditions, study.typed, evaluations)
    asked = dict.fromkeys(spec for evaluation in evaluations for spec in evaluation.asked.values())
    given = () if study.spec.judged else tuple(study.spec.roles.values())
    clients = open_clients(
        {spec: reached[spec] for spec in asked}, study.limits, window=study.window, seed=study.spec.root_seed,
        budget=study.budget, stop_signal=study.stop_signal, batches=study.batches,
        checked_only={spec: reached[spec] for spec in given}, prices=prices_of(study.spec),
        columns=dict.fromkeys(study.spec.models, study.spec.columns), pace_of=study.pace_of,
    )  # fmt: skip
    for model in clients.models.values():
        for place in model.places:
            known_place(place)
    for evaluation in evaluations:
        check_recordings(clients.models, evaluation)
        subject = clients.models[evaluation.model] if evaluation.source is None else None
        if subject is not None and subject.similarities is not None:
            from mores.benchmarks.shapes.option_similarity import check_options  # noqa: PLC0415 - one baseline's

            check_options(subject, evaluation.items, evaluation.name)
    return clients


async def _all_models(study: Study, evaluations: Sequence[Evaluation], shared: ClientPool) -> bool:
    by_model: dict[str, list[Evaluation]] = {}
    together = study.spec.until is not None and not all(map(evaluation_is_done, evaluations))
    for evaluation in evaluations:
        if not together and evaluation_is_done(evaluation):
            study.before += plays_of_done(evaluation)
        else:
            study.waiting += evaluation.plays
            study.coming[evaluation.folder] = _progress(evaluation)
            by_model.setdefault(evaluation.model, []).append(evaluation)
    return all(await side_by_side(_run_model(study, members, shared) for members in by_model.values()))


async def _run_model(study: Study, evaluations: list[Evaluation], shared: ClientPool) -> bool:
    done = True
    for evaluation in evaluations:
        done = await _run_evaluation(study, evaluation, shared) and done
        if study.stop_signal.stopped:
            return False
    return done


async def _run_evaluation(study: Study, evaluation: Evaluation, shared: ClientPool) -> bool:
    own_folder(evaluation.folder)
    reopen(evaluation.folder)
    with ExitStack() as held:
        journal = held.enter_context(closing(Journal(evaluation.folder / JOURNAL, full=study.conditions.full_sync)))
        judged = () if evaluation.source is None else (str(evaluation.source),)
        paths = _journals((*judged, *study.conditions.reuse))
        earlier = [held.enter_context(closing(EarlierJournal(path))) for path in paths]
        plays = None if evaluation.source is None else held.enter_context(closing(StoredPlays(evaluation.source)))
        reuse = tuple(journal.find for journal in earlier)
        clients = {
            spec: shared.make[spec](journal=journal, reuse=reuse) for spec in dict.fromkeys(evaluation.asked.values())
        }
        study.clients.extend(clients.values())
        count_waves(evaluation, clients)
        return await _execute(study, _executor(study, evaluation, clients, plays), shared, clients, journal)


def _claim_of(executor: Executor) -> dict[str, SequentialTest]:
    """The claim that ended the asking, for the manifest."""
    found = None if executor.steps is None else executor.steps.found
    return {} if found is None else {"until": found}


class Stopwatch:
    """Seconds since it was made, on the wall and of this process's CPU."""

    def __init__(self) -> None:
        self._wall, self._cpu = perf_counter(), process_time()

    def read(self) -> dict[str, float]:
        """Seconds that have passed, to the microsecond."""
        return {
            "seconds": round(perf_counter() - self._wall, 6),
            "cpu_seconds": round(process_time() - self._cpu, 6),
        }


async def _execute(
    study: Study, executor: Executor, shared: ClientPool, clients: dict[str, ModelClient], journal: Journal
) -> bool:  # fmt: skip
    results = executor.results
    watch, more, finished = Stopwatch(), tuple[Estimate, ...](), False
    try:
        played = await executor.run()
        # The manifest counts failures that are committed.
        await journal.flush()
        evaluation = executor.evaluation
        subject = shared.models.get(evaluation.model)
        if played and subject is not None and subject.similarities is not None:
            more = await _more_figures(subject, evaluation)
        finished = played
        if finished and isinstance(evaluation.items, LazyItems):
            evaluation.items.forget()  # before figures are made, which take memory of their own
    finally:
        # However it ended, the manifest says how far it came.
        took, evaluation = {"took": watch.read(), **_claim_of(executor)}, executor.evaluation
        facts = evaluation_manifest(evaluation, study.spec, study.conditions, clients, journal.failures()) | took
        if finished:
            facts[FILES] = journal.hashes()
            study.scored[evaluation.folder] = finish_evaluation(evaluation, results, facts, more)
        else:
            waits, done = bool(executor.waiting), executor.progress.done if executor.waiting else results.written
            unfinished(evaluation, results, facts, done=done, waiting=waits)
    return finished


async def _more_figures(model: Model, evaluation: Evaluation) -> tuple[Estimate, ...]:
    """Figures of `baseline/similarity` beside its answers."""
    from mores.benchmarks.shapes.option_similarity import similarity_figures  # noqa: PLC0415 - one baseline's

    try:
        return tuple(await similarity_figures(model, evaluation.items, evaluation.setting))
    except MoresError:
        raise
    except Exception as error:  # noqa: BLE001 - its answers and their figures are there
        keep(f"the figures of similarity of {evaluation.name}", error)
        return ()


def _progress(evaluation: Evaluation) -> RunProgress:
    name = f"{evaluation.model} · {evaluation.name}"
    return RunProgress(name, evaluation.plays, outlined=partial(calls_of_a_play, evaluation))


def _executor(
    study: Study, evaluation: Evaluation, clients: dict[str, ModelClient], plays: StoredPlays | None
) -> Executor:  # fmt: skip
    progress = study.coming.pop(evaluation.folder)
    progress.clients = tuple(clients.values())
    study.progress.append(progress)
    study.waiting -= progress.plays
    own = {role: clients[spec] for role, spec in evaluation.asked.items()}
    return Executor(
        evaluation=evaluation,
        cast=Cast(
            own,
            blind=frozenset(role for role, client in own.items() if not client.model.reads_key),
            swift=frozenset(role for role, client in own.items() if client.model.simulated and client.claims is None),
        ),
        earlier=plays,
        results=ResultWriter(evaluation.folder, judged=evaluation.judged),
        progress=progress,
        stop_signal=study.stop_signal,
        steps=study.steps.get(evaluation.folder),
        workers=study.conditions.concurrency + SPARE_WORKERS,
    )


def _journals(runs: tuple[str, ...]) -> list[Path]:
    """The journals of earlier runs.

    Raises:
        InputError: a folder has none, or a run was changed after it was written.
    """
    found: list[Path] = []
    for run in runs:
        paths = sorted(Path(run).glob(f"**/{JOURNAL}"))
        if not paths:
            raise InputError(f"--reuse {run}: no run; expected a folder with {JOURNAL}.")
        for path in paths:
            if (path.parent / MANIFEST).is_file():
                read_run(path.parent)
        found += paths
    return found


def check_recordings(models: Mapping[str, Model], evaluation: Evaluation) -> None:
    """Match a log with the questions of an evaluation, and refuse outputs that are of another benchmark altogether.

    Raises:
        InputError: no row is about an item of the evaluation, or a log plays a role that asks no question here.
    """
    for role, spec in evaluation.asked.items():
        recording = models[spec].recording
        if recording is not None and recording.log is not None and role != SUBJECT:
            raise InputError(f"{role}={spec}: logs of other programs are read for the subject alone; got a {role}.")
    subject = models[evaluation.model].recording if evaluation.source is None else None
    if subject is None:
        return
    if subject.log is not None:
        _match(subject, evaluation)
        return
    ids = {item.about.item for item in evaluation.items}
    subject.count(evaluation.name, ids)
    if not subject.items() & ids:
        _refuse_cut(subject, evaluation)
        given, wanted = min(subject.items()), evaluation.items[0].about.item
        raise InputError(
            f"{subject.spec}: no row is about an item of {evaluation.name}; got '{given}', expected '{wanted}'."
        )


def _refuse_cut(model: RecordedOutputs, evaluation: Evaluation) -> None:
    """Nothing, unless recorded outputs are of the benchmark and a limit or a choice of places left their items out.

    Raises:
        InputError: it did.
    """
    everything = {item.about.item for item in evaluation.benchmark.items(evaluation.setting)}
    cut = len(model.items() & everything)
    if cut:
        raise InputError(
            f"{model.spec}: its {cut:,} items of {evaluation.name} are not among the {len(evaluation.items):,} that "
            "--limit or --places leave; leave these out, or use --limit all."
        )


def _match(model: RecordedOutputs, evaluation: Evaluation) -> None:
    """Match the replies of a log with the questions that are put.

    Raises:
        InputError: the benchmark asks more than one turn, or none of the replies is to one of its questions.
    """
    questions, log = list(_questions(evaluation)), model.log
    if not questions or log is None:
        raise InputError(
            f"{model.spec}: logs of other programs answer questions of one turn, and {evaluation.name} has none; "
            "talks are read as item, reply, role and step."
        )
    counts = model.match(evaluation.name, questions, evaluation.setting.protocol.samples)
    if counts.matched:
        _refuse_key(model, log, questions)
        return
    first, wanted = log.rows[0], questions[0]
    reasons = ", ".join(f"{count:,} {why}" for why, count in counts.reasons.items())
    why = f" ({reasons})" if reasons else ""
    raise InputError(
        f"{model.spec}: no reply in {log.layout} answers a question of {evaluation.name}, by id or by the words asked; "
        f"got '{first.item}'{why}, expected '{wanted.item}'. Ids: mores show {evaluation.name} --items."
    )


def _refuse_key(model: RecordedOutputs, log: Log, questions: Sequence[LoggedQuestion]) -> None:
    """Refuse replies out of a column that nobody named and that holds nothing but right answers.

    Raises:
        InputError: the column is the data's own key, as far as one can tell.
    """
    known = [(q.right, reply) for q in questions if q.right and (reply := model.reply_text(q)) is not None]
    keys = all(bare(reply) in {bare(word) for word in right} for right, reply in known)
    if log.guessed == KEY and len(known) >= FEWEST_RIGHT and keys:
        raise InputError(
            f"{model.spec}: its column '{KEY}' has the right answer in all of {len(known):,} rows, as the data's own "
            f"key has; name the column with the replies: --columns reply=COLUMN ({KEY}, if it is that one)."
        )


@runtime_checkable
class _Filled(Capability):
    """An item that is one prompt with its slots filled."""

    @property
    def about(self) -> ItemMetadata: ...

    @property
    def words(self) -> Mapping[str, str] | tuple[str, ...]: ...

    def render(self) -> str: ...


@runtime_checkable
class _Named(Capability):
    """A benchmark whose data have ids of their own."""

    def data_ids(self, item: Any) -> Mapping[str, str]: ...


def _questions(evaluation: Evaluation) -> Iterator[LoggedQuestion]:
    """Questions put to the subject in one turn, with what fills the prompt and what the labels stand for."""
    benchmark = evaluation.benchmark
    for item in evaluation.items:
        if isinstance(item, _Filled):
            parts = item.words if isinstance(item.words, tuple) else tuple(item.words.values())
            ids = benchmark.data_ids(item) if isinstance(benchmark, _Named) else {}
            question = LoggedQuestion(item.about.item, item.render(), parts, ids=tuple(ids.items()))
            yield _with_labels(question, item) if isinstance(item, ClosedItem) else question


def _with_labels(question: LoggedQuestion, item: ClosedItem) -> LoggedQuestion:
    """The same with its labels: letters stand for the options in the slots that bear their names."""
    form, filled = item.form, dict(zip(item.form.slots, item.words, strict=True))
    right = (item.gold, form.label_texts[item.gold])
    if not all(len(label) == 1 for label in form.labels):
        choices = tuple(LabelledOption(label, way, label) for label, way in form.label_texts.items())
        return question._replace(choices=choices, right=right)
    if not filled.keys() >= set(form.labels):  # options stand in the question's own text, and go with it
        return question._replace(right=right)
    choices = tuple(LabelledOption(label, way, filled[label]) for label, way in form.label_texts.items())
    return question._replace(choices=choices, by_position=True, right=right)
