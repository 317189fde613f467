"""`mores list runs`: what lies under runs/, how far each is, what it cost and how long ago something came."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from mores.analysis.results import Result
from mores.core.errors import InputError, MoresError
from mores.models.entries import reader_of
from mores.runs.asked import RUNS
from mores.runs.folder import MANIFEST, read_part
from mores.runs.loading import read_what_is_there
from mores.runs.sealing import JOURNAL
from mores.runs.so_far import written_files
from mores.runs.waiting import is_waiting

COLUMNS = ("run", "state", "benchmarks", "models", "plays", "calls", "cost", "age")
DAY, HOUR, MINUTE = 86_400, 3_600, 60


def runs_there(root: Path = RUNS) -> list[dict[str, object]]:
    """A row a run, the newest first; one that cannot be read says so instead of its figures."""
    folders = [path.parent for path in root.glob(f"*/{MANIFEST}")]
    newest = sorted(folders, key=lambda folder: (-_changed(folder), folder.name))
    return [_row(folder) for folder in newest]


def _row(run: Path) -> dict[str, object]:
    try:
        found = read_what_is_there([run])
        spec = read_part(run, "spec")
    except MoresError as error:
        return {**dict.fromkeys(COLUMNS, ""), "run": str(run), "state": f"cannot be read: {error}", "age": _age(run)}
    plays = [each.provenance.plays for each in found.every]
    done, asked = sum(each.done for each in plays), sum(each.asked for each in plays)
    return {
        "run": str(run),
        "state": ("waiting" if is_waiting(run) else "unfinished") if found.partial else "finished",
        "benchmarks": ", ".join(spec["benchmarks"]),
        "models": ", ".join(spec["models"]),
        "plays": f"{done:,} of {asked:,}" if asked and not found.missing else f"{done:,} so far",
        "calls": _calls(run),
        "cost": _cost(found.every),
        "age": _age(run),
    }


def _calls(run: Path) -> int:
    """How many calls its journals hold, those of a process that is writing among them."""
    return sum(_replies(path) for path in run.glob(f"**/{JOURNAL}"))


def _replies(path: Path) -> int:
    try:
        with closing(reader_of(path)) as reader:
            return int(reader.execute("SELECT count(*) FROM replies").fetchone()[0])
    except (sqlite3.DatabaseError, InputError):
        return 0


def _cost(evaluations: Sequence[Result]) -> str:
    """US dollars of all sittings' last, at most; empty where a price is not known."""
    costs = [usage.cost for each in evaluations for usage in each.provenance.models.values() if usage.price is not None]
    return "" if None in costs else f"${sum(cost for cost in costs if cost is not None):.2f}" if costs else ""


def _changed(run: Path) -> float:
    """When something in it was last written, in seconds of the system's clock."""
    return max((path.stat().st_mtime for path in written_files(run)), default=0.0)


def _age(run: Path) -> str:
    """How long ago something was last written: `12 s`, `5 min`, `3 h`, `2 days`."""
    seconds = max(0.0, datetime.now(UTC).timestamp() - _changed(run))
    if seconds < 2 * MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * HOUR:
        return f"{seconds / MINUTE:.0f} min"
    return f"{seconds / HOUR:.0f} h" if seconds < 2 * DAY else f"{seconds / DAY:.0f} days"
