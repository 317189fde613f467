"""What is said of calls that are parked, and of answers that were taken."""

from pathlib import Path

from mores.cli import screen
from mores.core.terminal_safety import print_error
from mores.runs.batch_files import CollectedAnswers, PendingBatches, account, pending_batches
from mores.runs.study import Study

COLUMNS = ("file", "model", "requests", "waiting")
NAMED = 5
"""Lines without an answer that are named."""


def print_batch_round(study: Study, says: str, *, json: bool) -> None:
    """Print what a run waits for: a row a file, or one JSON object."""
    parked = pending_batches(study.folder) or PendingBatches(wave=0, folder="")
    rows = [(each.file, each.model, each.requests, len(each.waiting)) for each in parked.files]
    if json:
        files = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        head = {"run": str(study.folder), "state": "waiting", "wave": parked.wave, "park": parked.folder}
        screen.print_json({**head, "files": files, "answers": _taken(study)})
    else:
        screen.table(COLUMNS, [(Path(file).name, *rest) for file, *rest in rows])
    print_error(says)


def print_collected(study: Study) -> None:
    """Say what became of the answers that were given, if any were."""
    found = _taken(study)
    if found is None:
        return
    failed = ", ".join(f"{cause} {count:,}" for cause, count in found.failed.items())
    parts = {
        "taken": found.taken,
        "taken before": found.before,
        f"failed ({failed})": sum(found.failed.values()),
        "of other requests than those that are waited for": found.unknown,
        "given twice": found.duplicates,
    }
    said = ", ".join(f"{count:,} {what}" for what, count in parts.items() if count)
    print_error(f"{found.rows:,} answers: {said}.")
    for line in found.unreadable[:NAMED]:
        print_error(line)
    if len(found.unreadable) > NAMED:
        print_error(f"{len(found.unreadable) - NAMED:,} more lines hold no answer.")


def _taken(study: Study) -> CollectedAnswers | None:
    """What became of the answers; None where none were given."""
    return account(study.folder, study.tray) if study.tray is not None and study.tray.answers.files else None
