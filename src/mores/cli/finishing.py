"""After a run's last call: its figures, its page, what is printed of them, and the status that it ends with."""

import sys
from pathlib import Path

from mores.analysis.judge_errors import stated_range
from mores.analysis.results import Results
from mores.cli.args_run import OutputOptions
from mores.core.terminal_safety import print_error
from mores.reports.json_output import as_json
from mores.reports.page import PAGE, finished
from mores.reports.sections.provenance import describe_broken
from mores.reports.terminal import print_full, print_report
from mores.runs.study import Study


def finish(study: Study, typed: OutputOptions, judge_range: str | None) -> None:
    """Write and print what a run found.

    Raises:
        SystemExit: 1, as much of it could not be graded, or something failed in mores itself.
    """
    folder = study.folder
    results = finished(study, stated_range(judge_range))
    print_results(results, folder / PAGE, full=typed.full, json=typed.json)
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


def print_results(results: Results, page: Path, *, full: bool, json: bool) -> None:
    """Print what matters of some runs, everything, or a line for programs for each model."""
    if json:
        sys.stdout.write("".join(f"{line}\n" for line in as_json(results, page.parent)))
    elif full:
        print_full(results, page)
    else:
        print_report(results, page)
