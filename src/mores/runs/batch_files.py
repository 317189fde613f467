"""Batches of a run: the files of its next round of calls, and the answers that it waits for.

calls of a session ─▶ files below the limits of a provider, in the folder that was named ─▶ parked.json in the run

Everything else is in the journal: what is asked next follows from what was answered, so that a run that was killed
while it read answers, or wrote a wave, does the same again.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from mores.core.codec import build, canonical, parse_json, read_text
from mores.core.errors import BudgetReached, InputError, RunPending
from mores.core.files import own_folder, storing, write_own
from mores.models.batch.endpoint import BatchClient
from mores.models.batch.formats import LAYOUTS
from mores.models.batch.queue import BatchQueue, EndpointProfile
from mores.models.client import ModelClient
from mores.models.journal_reader import EarlierJournal, read_entries
from mores.models.model import BatchedCalls, Model
from mores.runs.evaluation import Evaluation
from mores.runs.folder import JOURNAL, MANIFEST, plain_names, read_part
from mores.runs.study import Study
from mores.tables.formatting import plural

PENDING, PARTIAL = "parked.json", "kept.jsonl"
"""What a run waits for, and answers to parts of a reply that is not whole yet."""
NAMED = 5
"""Lines without an answer that are named."""
_KEY = re.compile(r"[0-9a-f]{32}")


class BatchFile(Struct, frozen=True, kw_only=True):
    """A file of requests to one model, the SHA-256 of its bytes, and the requests that nothing has come of so far."""

    file: str
    model: str
    requests: int
    sha256: str
    waiting: tuple[str, ...]


class PendingBatches(Struct, frozen=True, kw_only=True):
    """Answers that a run waits for, to the requests in some files; none where there are no files.

    `wave` counts the waves so far, `learnt` is what endpoints were found to take, `taken` are hashes of files of
    answers that were read.
    """

    wave: int
    folder: str
    files: tuple[BatchFile, ...] = ()
    learnt: dict[str, EndpointProfile] = field(default_factory=dict)
    taken: tuple[str, ...] = ()

    @property
    def waiting(self) -> frozenset[str]:
        """The requests whose answers are waited for."""
        return frozenset(name for each in self.files for name in each.waiting)


class CollectedAnswers(Struct, frozen=True, kw_only=True):
    """Counts of the rows of some files of answers, by what became of them.

    `failed` counts by cause what came to nothing, of which all that may pass is asked again; `unknown` are names of
    requests that this run did not wait for, `before` those that it had taken already.
    """

    rows: int
    taken: int
    failed: dict[str, int]
    unknown: int
    before: int
    duplicates: int
    unreadable: tuple[str, ...]


def pending_batches(run: Path) -> PendingBatches | None:
    """Batches that a run waits for, perhaps none; None where it never had any.

    Raises:
        InputError: what the run says of it is damaged.
    """
    path = run / PENDING
    return (
        build(PendingBatches, parse_json(read_text(path), where=str(path)), where=str(path)) if path.is_file() else None
    )


def partial_answer_files(run: Path) -> tuple[Path, ...]:
    """The file of answers that wait for others of their reply, where there are any."""
    path = run / PARTIAL
    return (path,) if path.is_file() and path.stat().st_size else ()


def is_waiting(run: Path) -> bool:
    """True if a run waits for answers."""
    pending = pending_batches(run)
    return pending is not None and bool(pending.files)


def refuse_waiting(run: Path) -> None:
    """Nothing, where a run waits for no answers.

    Raises:
        RunPending: it does; the line says for what.
    """
    pending = pending_batches(run)
    if pending is not None and pending.files:
        raise RunPending(f"{run}: {describe_pending(run, pending)}")


def describe_pending(run: Path, pending: PendingBatches) -> str:
    """Line for people: the answers that a run waits for, and how it goes on."""
    answers = plural(len(pending.waiting), "answer")
    return (
        f"Waiting for {answers} to what waits in {pending.folder} (round {pending.wave}). Continue with: "
        f"mores collect {run} FILE…, with the files of answers; or ask now instead: mores resume {run} --live"
    )


def how_to_go_on(study: Study) -> str:
    """Line for people on a run that has not ended: how far it came, and what to do."""
    if not (study.folder / MANIFEST).is_file():
        return "Nothing was begun."
    pending = pending_batches(study.folder)
    if pending is not None and pending.files:
        return describe_pending(study.folder, pending)
    left = study.budget.left()
    note = f" Left of the budget: {left}." if left else ""
    return f"{describe_progress(study)}{note} Continue with: mores resume {study.folder}"


def describe_progress(study: Study) -> str:
    """Sentence for people on how far a run came that has not ended."""
    done = study.before + sum(each.done for each in study.progress)
    plays = study.before + study.waiting + sum(each.plays for each in study.progress)
    return f"Unfinished, {done:,} of {plays:,} done."


def check_batch_folder(run: Path, folder: Path) -> None:
    """Refuse a folder for waves that holds something else than this run's.

    Raises:
        InputError: it does.
    """
    pending = pending_batches(run)
    begun = read_part(run, "conditions").get("batch") if (run / MANIFEST).is_file() else None
    own = pending.folder if pending is not None else begun
    if own != str(folder) and folder.is_dir() and any(not path.name.startswith(".") for path in folder.iterdir()):
        raise InputError(f"--batch {folder}: it holds files; expected a new folder, or an empty one.")


def write_batch_files(run: Path, folder: Path, batches: BatchQueue, models: Sequence[BatchedCalls]) -> PendingBatches:
    """Put the calls of a session into files, and last of all into what the run says of itself.

    Raises:
        StorageError: the disk is full, read-only or gone.
    """
    before = pending_batches(run) or PendingBatches(wave=0, folder=str(folder))
    wave = before.wave + bool(batches.queued)
    named = zip(models, plain_names([model.spec for model in models]), strict=True)
    files = tuple(each for model, name in named for each in _files(folder, f"wave-{wave}-{name}", model, batches))
    if files:
        _sweep(folder, wave, {Path(each.file) for each in files})
    left = (
        replace(each, waiting=tuple(name for name in each.waiting if name in batches.awaited)) for each in before.files
    )
    learnt = {model.spec: model.learnt for model in models if model.learnt is not None}
    pending = PendingBatches(
        wave=wave,
        folder=str(folder) if files else before.folder,
        files=(*(each for each in left if each.waiting), *files),
        learnt=before.learnt | learnt,
        taken=tuple(dict.fromkeys((*before.taken, *batches.answers.files))),
    )
    # What is waited for comes last: a run that is killed before it writes the same wave again.
    write_own(run / PARTIAL, b"".join(batches.answers.line(name).rstrip() + b"\n" for name in sorted(batches.kept)))
    write_own(run / PENDING, canonical(pending) + b"\n")
    return pending


def close_batch_round(run: Path, folder: Path, batches: BatchQueue, models: Sequence[Model]) -> None:
    """Lay out what a session put into batches, if it did.

    Raises:
        RunPending: it did.
        BudgetReached: there is no room for anything that is to be asked next.
    """
    pending = write_batch_files(run, folder, batches, [each.batch for each in models if each.batch is not None])
    if pending.files:
        left = f" The budget had no room for {plural(batches.left_out, 'more request')}." if batches.left_out else ""
        raise RunPending(describe_pending(run, pending) + left)
    if batches.left_out:
        raise BudgetReached(f"The budget has no room for any of {batches.left_out:,} requests.")


def count_waves(evaluation: Evaluation, clients: Mapping[str, ModelClient]) -> None:
    """Count what earlier waves took: the budget and the cost of a run in batches are of all of them."""
    pending = {
        role: client for role, spec in evaluation.asked.items() if isinstance(client := clients[spec], BatchClient)
    }
    for entry in read_entries(evaluation.folder / JOURNAL) if pending else ():
        if entry.tag.role in pending:
            pending[entry.tag.role].count(entry.reply.usage)


def _files(folder: Path, begins: str, model: BatchedCalls, batches: BatchQueue) -> Iterator[BatchFile]:
    layout, calls = LAYOUTS[model.layout], batches.queued.get(model.spec, {}).values()
    for shard, (data, names) in enumerate(layout.files(calls), start=1):
        own_folder(folder)
        file = folder / f"{begins}-{shard}{layout.suffix}"
        write_own(file, data)
        sha = hashlib.sha256(data).hexdigest()
        yield BatchFile(file=str(file), model=model.spec, requests=len(names), sha256=sha, waiting=names)


def _sweep(folder: Path, number: int, kept: set[Path]) -> None:
    """Take away what a session that was killed had written of the same wave."""
    with storing(folder):
        for path in folder.glob(f"wave-{number}-*"):
            if path not in kept:
                path.unlink()


def forget(run: Path) -> None:
    """Wait for nothing any more."""
    with storing(run / PENDING):
        for name in (PENDING, PARTIAL):
            (run / name).unlink(missing_ok=True)


def account(run: Path, batches: BatchQueue) -> CollectedAnswers:
    """Counts of the answers that a session was given."""
    answers = batches.answers
    rest = [name for name in answers if name not in batches.received | answers.own]
    before = sum(name in answers.repeated for name in rest)
    known = _journalled(run, [name for name in rest if name not in answers.repeated])
    return CollectedAnswers(
        rows=answers.rows,
        taken=sum(answers.is_answer(name) for name in batches.received - answers.own),
        failed=dict(sorted(answers.failed.items())),
        unknown=len(rest) - before - known,
        before=before + known,
        duplicates=answers.duplicates,
        unreadable=tuple(answers.unreadable),
    )


def describe_taken(found: CollectedAnswers) -> Iterator[str]:
    """Lines for people: counts of answers, and the first lines of files that hold none."""
    failed = ", ".join(f"{cause} {count:,}" for cause, count in found.failed.items())
    parts = {
        "taken": found.taken,
        "taken before": found.before,
        f"failed ({failed})": sum(found.failed.values()),
        "of other requests than those that are waited for": found.unknown,
        "given twice": found.duplicates,
    }
    counts = ", ".join(f"{count:,} {what}" for what, count in parts.items() if count)
    yield f"{found.rows:,} answers: {counts}."
    yield from found.unreadable[:NAMED]
    if len(found.unreadable) > NAMED:
        yield f"{len(found.unreadable) - NAMED:,} more lines hold no answer."


def _journalled(run: Path, names: Sequence[str]) -> int:
    """Number of the names that are keys in the run's journals."""
    keys, found = {bytes.fromhex(name) for name in names if _KEY.fullmatch(name)}, set[bytes]()
    for path in sorted(run.glob(f"**/{JOURNAL}")) if keys else ():
        with closing(EarlierJournal(path)) as journal:
            found.update(key for key in keys if journal.find(key) is not None)
    return len(found)
