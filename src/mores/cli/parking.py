"""What is said of calls that are parked, and of answers that were taken."""

from mores.cli import screen
from mores.core.visible import tell
from mores.runs.study import Study
from mores.runs.waiting import Taken, account, parked_in

NAMED = 5
"""Lines without an answer that are named."""


def print_wave(study: Study, says: str, *, json: bool) -> None:
    """Print what a run waits for: a row a file, or one JSON object."""
    parked = parked_in(study.folder)
    files = [
        {"file": each.file, "model": each.model, "requests": each.requests, "waiting": len(each.waiting)}
        for each in (parked.files if parked else ())
    ]
    if json:
        wave, folder = (parked.wave, parked.folder) if parked else (0, "")
        head = {"run": str(study.folder), "state": "waiting", "wave": wave, "park": folder}
        screen.print_json({**head, "files": files, "answers": _taken(study)})
    else:
        screen.table(("file", "model", "requests", "waiting"), [tuple(each.values()) for each in files])
    tell(says)


def tell_taken(study: Study) -> None:
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
    tell(f"{found.rows:,} answers: {said}.")
    for line in found.unreadable[:NAMED]:
        tell(line)
    if len(found.unreadable) > NAMED:
        tell(f"{len(found.unreadable) - NAMED:,} more lines hold no answer.")


def _taken(study: Study) -> Taken | None:
    """What became of the answers; None where none were given."""
    return account(study.folder, study.tray) if study.tray is not None and study.tray.answers.files else None
