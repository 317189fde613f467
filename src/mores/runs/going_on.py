"""What is said of a run that has not come to its end."""

from mores.runs.folder import MANIFEST
from mores.runs.study import Study
from mores.runs.waiting import describe_parked, parked_in


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
