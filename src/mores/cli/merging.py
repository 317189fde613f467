"""`mores merge`: the parts of a run put together."""

import typer

from mores.cli.args_reports import MergeArgs
from mores.cli.finishing import print_results
from mores.core.errors import RunError
from mores.core.terminal_safety import print_error
from mores.reports.page import PAGE, finished
from mores.runs.merge import merged_study


def merge(typed: MergeArgs) -> None:
    """Put the parts of a run together, and print what it found.

    Raises:
        InputError: a folder is no part of a run, or of another one.
        typer.Exit: a part is missing or not finished.
    """
    try:
        study = merged_study(typed)
    except RunError as unfinished:
        print_error(str(unfinished))
        raise typer.Exit(1) from None
    print_results(finished(study), study.folder / PAGE, full=typed.full, json=typed.json)
