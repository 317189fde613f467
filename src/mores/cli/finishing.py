"""After a run's last call: what is printed of its figures, or of the batches that it waits for, and the last status."""

import sys
from pathlib import Path

from mores.analysis.results import Results
from mores.cli import screen
from mores.cli.args_run import OutputOptions
from mores.core.terminal_safety import print_error
from mores.reports.json_output import as_json
from mores.reports.page import PAGE
from mores.reports.sections.provenance import describe_broken
from mores.reports.terminal import print_full, print_report
from mores.runs.batch_files import CollectedAnswers, PendingBatches

COLUMNS = ("file", "model", "requests", "waiting")


def finish(results: Results, typed: OutputOptions) -> None:
    """Print what a run found.

    Raises:
        SystemExit: 1, as much of it could not be graded, or something failed in mores itself.
    """
    print_results(results, full=typed.full, json=typed.json)
    folder = results.runs[0]
    broken = [line for evaluation in results.every for line in describe_broken(evaluation)]
    for line in broken:
        print_error(f"{line} Their causes are in {folder}; mores resume {folder} tries them again.")
    if broken:
        sys.exit(1)
    few = [evaluation for evaluation in results.evaluations if evaluation.mostly_ungraded]
    if few:
        names = ", ".join(dict.fromkeys(f"{evaluation.benchmark} by {evaluation.model}" for evaluation in few))
        silent = all((whole := evaluation.whole()) is not None and not whole.graded for evaluation in few)
        print_error(
            f"{'nothing' if silent else 'less than half'} could be graded for the headline of {names}, see why above; "
            f"mores resume {folder} retries what failed."
        )
        sys.exit(1)


def print_results(results: Results, *, full: bool, json: bool) -> None:
    """Print what matters of a run, everything, or a line for programs for each model."""
    folder = results.runs[0]
    if json:
        sys.stdout.write("".join(f"{line}\n" for line in as_json(results, folder)))
    elif full:
        print_full(results, folder / PAGE)
    else:
        print_report(results, folder / PAGE)


def print_batch_round(run: Path, pending: PendingBatches, taken: CollectedAnswers | None, *, json: bool) -> None:
    """Print what a run waits for: a row a file, or one JSON object."""
    rows = [(each.file, each.model, each.requests, len(each.waiting)) for each in pending.files]
    if json:
        files = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        head = {"run": str(run), "state": "waiting", "wave": pending.wave, "park": pending.folder}
        screen.print_json({**head, "files": files, "answers": taken})
    else:
        screen.table(COLUMNS, [(Path(file).name, *rest) for file, *rest in rows])
