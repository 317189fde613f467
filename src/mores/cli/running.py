"""`mores run` and `mores resume`: from what was typed to a finished run, its table and its page."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import typer

from mores.analysis.judges import JudgesKnown
from mores.analysis.results import Results
from mores.api.running import PAGE, finished, how_to_go_on
from mores.calibration.ladder_labels import stated_range
from mores.cli.dry import long_waits, print_estimate
from mores.cli.parking import print_wave, tell_taken
from mores.cli.show_progress import carried_out
from mores.cli.typed import TypedJudging, TypedResuming, TypedRun, TypedTaking
from mores.core.errors import RunError, Waiting
from mores.core.visible import tell
from mores.models.openai import ChatEndpoint
from mores.reports.machine import as_json
from mores.reports.terminal import print_full, print_report
from mores.runs.asked import judging_study, new_study, resumed_study, specified, taking_study
from mores.runs.dry import estimate
from mores.runs.performance import run_study
from mores.runs.study import Study


def start(typed: TypedRun) -> None:
    """Run what was asked for.

    Raises:
        InputError: something typed cannot be used.
        typer.Exit: the run is not finished.
    """
    spec, conditions = specified(typed)
    parked = conditions.park is not None
    if typed.dry:
        stated_range(typed.judge_range)
        print_estimate(estimate(spec, parked=parked), json=typed.json)
        return
    for line in long_waits(estimate(spec, parked=True)) if parked else ():
        tell(line)
    _carry_out(new_study(typed), typed, stated_range(typed.judge_range))


def judge_again(typed: TypedJudging) -> None:
    """Judge a run's transcripts by other judges, or more often; what was judged alike before is not asked again.

    Raises:
        InputError: something typed cannot be used, or there is nothing to judge.
        typer.Exit: the run is not finished.
    """
    _carry_out(judging_study(typed), typed)


def again(typed: TypedResuming) -> None:
    """Go on with an earlier run, under other conditions where some are given; a budget is for this sitting.

    Raises:
        InputError: the folder is no run, or only a part of one.
        typer.Exit: the run is not finished.
    """
    _carry_out(resumed_study(typed), typed)


def take(typed: TypedTaking) -> None:
    """Take the answers of batches into a run, and go on with it.

    Raises:
        InputError: the folder is no run whose calls are parked, or a file holds no answers.
        typer.Exit: the run is not finished.
    """
    _carry_out(taking_study(typed), typed)


def _carry_out(
    study: Study, typed: TypedRun | TypedJudging | TypedResuming | TypedTaking, judges: JudgesKnown | None = None
) -> None:
    folder = study.folder
    if study.window < study.conditions.concurrency:
        asked, room = study.conditions.concurrency, study.window
        tell(
            f"this shell allows few open files: at most {room} calls at the same time, not {asked} "
            "(ulimit -n 1024 allows more)."
        )
    try:
        if not _sat(study):
            tell(how_to_go_on(study))
            raise typer.Exit(130)
    except Waiting as waits:
        print_wave(study, str(waits), json=typed.json)
        return
    except RunError as error:
        tell(f"{error} {how_to_go_on(study)}")
        raise typer.Exit(1) from error
    finally:
        for name, why in study.skipped.items():
            tell(f"{name} was left out: {why}")
        sys.stderr.writelines(f"mores: {line}\n" for line in _doubts(study))
    results = finished(study, judges)
    print_results(results, folder / PAGE, full=typed.full, json=typed.json)
    if any("error in mores" in evaluation.causes() for evaluation in results.evaluations):
        tell(f"some items failed in mores itself; their causes are in {folder}. Please report it.")
        raise typer.Exit(1)
    few = [evaluation for evaluation in results.evaluations if evaluation.mostly_ungraded]
    if few:
        names = ", ".join(dict.fromkeys(f"{evaluation.benchmark} by {evaluation.model}" for evaluation in few))
        silent = all((whole := evaluation.whole()) is not None and not whole.graded for evaluation in few)
        tell(
            f"{'nothing' if silent else 'less than half'} could be graded for the headline of {names}, see why above; "
            f"mores resume {folder} retries what failed."
        )
        raise typer.Exit(1)


def print_results(results: Results, page: Path, *, full: bool, json: bool) -> None:
    """Print what matters of some runs, everything, or a line for programs for each model."""
    if json:
        sys.stdout.write("".join(f"{line}\n" for line in as_json(results, page.parent)))
    elif full:
        print_full(results, page)
    else:
        print_report(results, page)


def _sat(study: Study) -> bool:
    """Whether a study is done now; what became of the answers that it was given is said."""
    try:
        return bool(asyncio.run(carried_out(study, run_study(study))))
    finally:
        tell_taken(study)


def _doubts(study: Study) -> Iterator[str]:
    """Whose counts of tokens were not believed, a line for each model and reason."""
    models = {door.model.spec: door.model for door in study.doors}
    for spec, model in models.items():
        for why, calls in model.doubts.items() if isinstance(model, ChatEndpoint) else ():
            yield f"{spec}: it counted {why} for {calls:,} calls, whose tokens are estimated from their words instead."
