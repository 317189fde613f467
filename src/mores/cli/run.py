"""`mores run`: from what was typed to a finished run; what comes after it is imported after it."""

import asyncio
import sys
from collections.abc import Iterator

from mores.cli.args_run import OutputOptions, RunArgs
from mores.cli.progress import carried_out
from mores.core.errors import RunError, RunPending
from mores.core.terminal_safety import print_error
from mores.runs.batch_files import how_to_go_on
from mores.runs.connections import files_needed
from mores.runs.run_study import run_study
from mores.runs.spec import ExecutionSpec, Spec
from mores.runs.specify import new_study, specified
from mores.runs.study import Study


def start(typed: RunArgs) -> None:
    """Run what was asked for.

    Raises:
        InputError: something typed cannot be used.
        SystemExit: the run is not finished.
    """
    if typed.judge_range is not None:
        from mores.analysis.judge_errors import stated_range  # noqa: PLC0415 - only for its refusal

        stated_range(typed.judge_range)
    spec, conditions = specified(typed)
    if typed.dry or conditions.batch is not None:
        _print_estimate(spec, conditions, typed)
    if not typed.dry:
        carry_out(new_study(typed), typed, typed.judge_range)


def _print_estimate(spec: Spec, conditions: ExecutionSpec, typed: RunArgs) -> None:
    """Say what would be asked, or how long batches would take."""
    from mores.cli.run_dry import long_waits, print_estimate  # noqa: PLC0415 - what most runs do without
    from mores.runs.cost_estimate import estimate  # noqa: PLC0415

    parked = conditions.batch is not None
    if typed.dry:
        print_estimate(estimate(spec, parked=parked), json=typed.json)
        return
    for line in long_waits(estimate(spec, parked=True)):
        print_error(line)


def carry_out(study: Study, typed: OutputOptions, judge_range: str | None = None) -> None:
    """Play a study, and say what it found.

    Raises:
        SystemExit: it is not finished.
    """
    if study.window < study.conditions.concurrency:
        asked, room = study.conditions.concurrency, study.window
        print_error(
            f"this shell allows few open files: at most {room} calls at the same time, not {asked} (ulimit -n "
            f"{files_needed(asked, len(set(study.spec.models)))} allows them)."
        )
    try:
        if not _finish_run(study):
            print_error(how_to_go_on(study))
            sys.exit(130)
    except RunPending as waits:
        from mores.cli.parking import print_batch_round  # noqa: PLC0415 - what most runs do without

        print_batch_round(study, str(waits), json=typed.json)
        return
    except RunError as error:
        print_error(f"{error} {how_to_go_on(study)}")
        sys.exit(1)
    finally:
        for name, why in study.skipped.items():
            print_error(f"{name} was left out: {why}")
        sys.stderr.writelines(f"mores: {line}\n" for line in _doubts(study))
    from mores.cli.finishing import finish  # noqa: PLC0415 - figures, page and tables take as long to import as a start

    finish(study, typed, judge_range)


def _finish_run(study: Study) -> bool:
    """Whether a study is done now; what became of the answers that it was given is said."""
    try:
        return bool(asyncio.run(carried_out(study, run_study(study))))
    finally:
        if study.tray is not None:
            from mores.cli.parking import print_collected  # noqa: PLC0415

            print_collected(study)


def _doubts(study: Study) -> Iterator[str]:
    """Whose counts of tokens were not believed, or answers were odd, a line for each model and reason."""
    models = {door.model.spec: door.model for door in study.doors}
    for spec, model in models.items():
        for why, calls in model.doubts.items():
            yield f"{spec}: it counted {why} for {calls:,} calls, whose tokens are estimated from their words instead."
        for what, answers in model.remarks.items():
            yield f"{spec}: {what} ({answers:,} answers)."
