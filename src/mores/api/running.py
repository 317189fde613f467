"""A study carried out: played, reported and read again."""

from mores.analysis.judges import JudgesKnown
from mores.analysis.results import Results
from mores.core.errors import RunError, Waiting
from mores.reports.finished import finished
from mores.runs.going_on import how_to_go_on
from mores.runs.performance import run_study
from mores.runs.study import Study


async def carry_out(study: Study, judges: JudgesKnown | None = None) -> Results:
    """What the study found, once it is done.

    Raises:
        InputError: it cannot be carried out as it is.
        RunError: it was stopped; the line says how to go on.
        Waiting: its calls are parked; the line says where.
    """
    try:
        await run_study(study)
    except Waiting:
        raise
    except RunError as error:
        raise type(error)(f"{error} {how_to_go_on(study)}") from error
    return finished(study, judges)
