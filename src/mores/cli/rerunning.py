"""`mores resume`, `mores collect` and `mores judge`: an earlier run goes on, or is judged again."""

from mores.cli.args_reports import JudgingArgs, ResumingArgs, TakingArgs
from mores.cli.run import carry_out
from mores.runs.specify import judging_study, resumed_study, taking_study


def judge_again(typed: JudgingArgs) -> None:
    """Judge a run's transcripts by other judges, or more often; what was judged alike before is not asked again.

    Raises:
        InputError: something typed cannot be used, or there is nothing to judge.
        SystemExit: the run is not finished.
    """
    carry_out(judging_study(typed), typed)


def again(typed: ResumingArgs) -> None:
    """Go on with an earlier run, under other conditions where some are given; a budget is for this sitting.

    Raises:
        InputError: the folder is no run, or only a part of one.
        SystemExit: the run is not finished.
    """
    carry_out(resumed_study(typed), typed)


def collect(typed: TakingArgs) -> None:
    """Take the answers of batches into a run, and go on with it.

    Raises:
        InputError: the folder is no run whose calls are parked, or a file holds no answers.
        SystemExit: the run is not finished.
    """
    carry_out(taking_study(typed), typed)
