"""`mores run`, `resume`, `collect`, `judge` and `merge`: the conductor does them; here is what people see of it."""

import asyncio
import sys
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, TypeVar

from mores.analysis.results import Results
from mores.api import conductor
from mores.cli.args_run import JudgingArgs, MergeArgs, OutputOptions, ResumingArgs, RunArgs, TakingArgs
from mores.cli.progress import RunningJob, watched
from mores.core.errors import RunPending
from mores.core.terminal_safety import print_error
from mores.runs.batch_files import CollectedAnswers, PendingBatches

Asked = TypeVar("Asked", bound=OutputOptions)


class Onlooker(conductor.Observer):
    """A person before a terminal: sees how far a run is, may stop it, and reads what it waits for."""

    def __init__(self, *, json: bool) -> None:
        self._json = json
        self.waits = False

    def watch(self, study: RunningJob) -> AbstractAsyncContextManager[None]:
        """Show progress while calls are made, and stop on Ctrl-C."""
        return watched(study)

    def say(self, line: str) -> None:
        """A line on standard error."""
        print_error(line)

    def wait(self, run: Path, pending: PendingBatches, taken: CollectedAnswers | None) -> None:
        """Print a row for each file of requests, or one JSON object."""
        from mores.cli.run_output import print_batch_round  # noqa: PLC0415 - what most runs do without

        self.waits = True
        print_batch_round(run, pending, taken, json=self._json)


def start(typed: RunArgs) -> None:
    """Run what was asked for, or print what that would ask.

    Raises:
        InputError: something typed cannot be used.
        RunError: the run is not finished.
        SystemExit: it was stopped, or too little of it could be graded.
    """
    if typed.dry:
        from mores.cli.run_output import dry_run  # noqa: PLC0415 - what most runs do without

        dry_run(typed, json=typed.json)
        return
    _carry_out(conductor.run, typed)


def again(typed: ResumingArgs) -> None:
    """Go on with an earlier run, under other conditions where some are given; a budget is for this session.

    Raises:
        InputError: the folder is no run, or only a part of one.
        RunError, SystemExit: as of `start`.
    """
    _carry_out(conductor.resume, typed)


def judge_again(typed: JudgingArgs) -> None:
    """Judge a run's transcripts by other judges, or more often; what was judged alike before is not asked again.

    Raises:
        InputError: something typed cannot be used, or there is nothing to judge.
        RunError, SystemExit: as of `start`.
    """
    _carry_out(conductor.judge, typed)


def collect(typed: TakingArgs) -> None:
    """Take the answers of batches into a run, and go on with it.

    Raises:
        InputError: the folder is no run whose calls wait in batches, or a file holds no answers.
        RunError, SystemExit: as of `start`.
    """
    _carry_out(conductor.collect, typed)


def merge(typed: MergeArgs) -> None:
    """Put the parts of a run together, and print what it found.

    Raises:
        InputError: a folder is no part of a run, or of another one.
        RunError: a part is missing or not finished.
    """
    results = conductor.merge(typed)
    from mores.cli.run_output import print_results  # noqa: PLC0415 - as of `_carry_out`

    print_results(results, full=typed.full, json=typed.json)


def _carry_out(conduct: Callable[[Asked, Onlooker], Coroutine[Any, Any, Results]], typed: Asked) -> None:
    """Conduct what was typed and print what it found; of a run whose calls were put into batches that is said."""
    onlooker = Onlooker(json=typed.json)
    try:
        results = asyncio.run(conduct(typed, onlooker))
    except RunPending as waits:
        if not onlooker.waits:
            raise
        print_error(str(waits))
        return
    except conductor.Interrupted as stopped:
        print_error(str(stopped))
        sys.exit(130)
    from mores.cli.run_output import finish  # noqa: PLC0415 - page and tables take as long to import as a start

    finish(results, typed)
