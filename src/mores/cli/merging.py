"""`mores merge`: the parts of a run put together."""

from pathlib import Path

import typer

from mores.cli.finishing import print_results
from mores.cli.typed import TypedMerge
from mores.core.visible import tell
from mores.models.budget import Budget
from mores.reports.finished import PAGE, finished
from mores.runs.asked import RUNS
from mores.runs.folder import choose_folder
from mores.runs.merging import merge, whole_spec
from mores.runs.spec import Conditions
from mores.runs.study import Study


def put_together(typed: TypedMerge) -> None:
    """Put the parts of a run together, and print what it found.

    Raises:
        InputError: a folder is no part of a run, or of another one.
        typer.Exit: a part is missing or not finished.
    """
    runs = typed.runs or []
    spec = whole_spec(runs)
    folder = choose_folder(Path(typed.out) if typed.out else None, spec.hash, RUNS)
    study = Study(spec=spec, conditions=Conditions(), folder=folder, budget=Budget())
    left = merge(study, runs)
    if left:
        plays = study.before + study.waiting
        tell(
            f"Unfinished, {study.before:,} of {plays:,} done: {'; '.join(left)}. Merge again with --out {folder} once "
            f"all parts are there, or ask the rest here: mores resume {folder}"
        )
        raise typer.Exit(1)
    print_results(finished(study), folder / PAGE, full=typed.full, json=typed.json)
