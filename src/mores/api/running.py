"""A study carried out: played, reported and read again."""

from dataclasses import replace

from mores.analysis.judges import JudgesKnown
from mores.analysis.results import Results
from mores.core.errors import RunError, Waiting
from mores.reports.page import write_page
from mores.runs.folder import MANIFEST
from mores.runs.loading import read_results
from mores.runs.performance import run_study
from mores.runs.study import Study
from mores.runs.waiting import describe_parked, parked_in
from mores.runs.watch import quiet_collector

PAGE = "report.html"


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


def finished(study: Study, judges: JudgesKnown | None = None) -> Results:
    """The results of a study that is done; its page is written where anything new was found."""
    with quiet_collector():
        results = replace(read_results([study.folder], study.scored), judges=judges or JudgesKnown())
        page = study.folder / PAGE
        if study.progress or not page.is_file():
            write_page(results, page, private=True)
        return results


def how_to_go_on(study: Study) -> str:
    """How far a run came and what to do, in one line."""
    if not (study.folder / MANIFEST).is_file():
        return "Nothing was begun."
    parked = parked_in(study.folder)
    if parked is not None and parked.files:
        return describe_parked(study.folder, parked)
    done = study.before + sum(each.done for each in study.progress)
    plays = study.before + study.waiting + sum(each.plays for each in study.progress)
    left = study.budget.left()
    note = f" Left of the budget: {left}." if left else ""
    return f"Unfinished, {done:,} of {plays:,} done.{note} Continue with: mores resume {study.folder}"
