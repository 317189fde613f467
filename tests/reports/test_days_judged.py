"""What a report says of the verdicts on days in town: who judged what, and which steps went wrong."""

import re
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest

from mores.analysis.judging import JUDGING_ANALYSIS, analyse
from mores.analysis.results import Result
from mores.analysis.units import headline_units
from mores.core.estimate import SEPARATE
from mores.core.verdict import Graded
from mores.reports.browse.outcomes import kind_of
from mores.runs.loading import read_results
from mores.tables import section_of
from tests.benchmarks.plays import TINY
from tests.reports.browsed import answers
from tests.reports.shown import printed

Held = Callable[..., Path]


@pytest.fixture(scope="module")
def evaluations(held: Held) -> dict[str, Result]:
    """Both benchmarks of days, by a simulated novice."""
    run = held("liveculture/town", models=("simulated/novice",), data=str(TINY / "liveculture"), limit=4)
    top = held("ladder/live", models=("simulated/novice",), limit=4)
    return {evaluation.benchmark: evaluation for evaluation in read_results([run, top]).evaluations}


@pytest.mark.parametrize(
    ("benchmark", "judged"),
    [
        ("liveculture/town", {"norms": "hard labels", "goal": "points", "on_time": "points", "profile": "points"}),
        ("ladder/live", {"live": "a label in words", "goal": "points"}),
    ],
)
def test_the_line_on_judges_names_what_they_judged_and_how(
    evaluations: dict[str, Result], benchmark: str, judged: dict[str, str]
) -> None:
    found = analyse(read_results([evaluations[benchmark].run]))
    assert found is not None
    told = " ".join(printed(section_of(JUDGING_ANALYSIS, found)))
    assert "simulated/judge; once, temperature 0" in told
    assert all(re.search(rf"{task}\W.*{verdicts}", told) for task, verdicts in judged.items())
    assert "a probability of each" not in told


def test_a_step_went_wrong_where_a_norm_was_violated_or_nothing_could_be_used_and_nowhere_else(
    evaluations: dict[str, Result],
) -> None:
    verdicts = [v for v in evaluations["liveculture/town"].every_verdict() if v.task == "norms"]
    labels = {(getattr(v, "label", None), kind_of(v)) for v in verdicts}
    assert labels == {("respected", "right"), ("violated", "wrong"), ("format_error", "format error")}


def test_a_norm_of_the_top_rung_rests_on_the_votes_and_words_of_the_steps_at_which_it_was_watched(
    evaluations: dict[str, Result],
) -> None:
    graded = [v for v in evaluations["ladder/live"].every_verdict() if v.task == "live" and isinstance(v, Graded)]
    ballots = [verdict.ballot for verdict in graded if verdict.ballot is not None]
    assert len(ballots) == len(graded) > 0
    assert all((ballot.votes, ballot.asked) == (1, 1) and ballot.words > 0 for ballot in ballots)


def test_a_run_whose_first_day_has_no_norms_is_held_against_others_by_norms(held: Held) -> None:
    run = held("liveculture/town", models=("simulated/novice",), limit=20, settings={"steps": "3"}, seed=1)
    (evaluation,) = read_results([run]).evaluations
    assert next(evaluation.every_verdict()).task != "norms"  # else this shows nothing
    whole = evaluation.overall()
    units = headline_units(evaluation)
    assert whole is not None
    assert whole.graded == units.graded.sum() > 0
    assert whole.value == pytest.approx(fmean(units.value[units.graded]))


def test_as_many_talks_of_the_ladder_went_wrong_as_its_headline_says(held: Held) -> None:
    (evaluation,) = read_results([held("ladder/converse", models=("simulated/typical",), limit=30)]).evaluations
    whole = evaluation.overall()
    assert whole is not None
    assert whole.value is not None
    (apart,) = [each for each in evaluation.estimates if each.metric == "accuracy" and each.group.get(SEPARATE)]
    assert apart.value is not None
    wrong = round(whole.graded * (1 - whole.value)), round(apart.graded * (1 - apart.value))
    assert answers(evaluation.run)["wrong"] == sum(wrong) > wrong[1]
