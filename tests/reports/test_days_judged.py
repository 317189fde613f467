"""What a report says of the verdicts on days in town: who judged what, and which steps went wrong."""

from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest

from mores.core.verdict import Graded
from mores.reports.failures import kind_of, sampled_failures
from mores.reports.findings import Finding, read_findings
from mores.reports.judging import judging
from mores.reports.units import EVERY_ITEM, headline_units
from tests.benchmarks.plays import TINY

Held = Callable[..., Path]


@pytest.fixture(scope="module")
def cells(held: Held) -> dict[str, Finding]:
    """Both benchmarks of days, by a simulated novice."""
    run = held("liveculture/town", models=("simulated/novice",), data=str(TINY / "liveculture"), limit=4)
    top = held("ladder/live", models=("simulated/novice",), limit=4)
    return {cell.benchmark: cell for cell in read_findings([run, top]).cells}


@pytest.mark.parametrize(
    ("benchmark", "judged"),
    [
        ("liveculture/town", "norms as hard labels, goal as points, on_time as points, profile as points"),
        ("ladder/live", "live as labels, goal as points"),
    ],
)
def test_the_line_on_judges_names_what_they_judged_and_how(
    cells: dict[str, Finding], benchmark: str, judged: str
) -> None:
    found = judging(read_findings([cells[benchmark].run]))
    assert found is not None
    line = next(found.lines())
    assert f"once, temperature 0, simulated; {judged}" in line
    assert "probabilities" not in line
    assert not line.endswith("; .")


def test_a_step_went_wrong_where_a_norm_was_violated_or_nothing_could_be_used_and_nowhere_else(
    cells: dict[str, Finding],
) -> None:
    verdicts = [v for v in cells["liveculture/town"].every_verdict() if v.task == "norms"]
    labels = {(getattr(v, "label", None), kind_of(v)) for v in verdicts}
    assert labels == {("respected", None), ("violated", "wrong"), ("format_error", "format error")}


def test_a_norm_of_the_top_rung_rests_on_the_votes_and_words_of_the_steps_at_which_it_was_watched(
    cells: dict[str, Finding],
) -> None:
    graded = [v for v in cells["ladder/live"].every_verdict() if v.task == "live" and isinstance(v, Graded)]
    ballots = [verdict.ballot for verdict in graded if verdict.ballot is not None]
    assert len(ballots) == len(graded) > 0
    assert all((ballot.votes, ballot.asked) == (1, 1) and ballot.words > 0 for ballot in ballots)


def test_a_run_whose_first_day_has_no_norms_is_held_against_others_by_norms(held: Held) -> None:
    run = held("liveculture/town", models=("simulated/novice",), limit=60, settings={"steps": "3"})
    (cell,) = read_findings([run]).cells
    assert next(cell.every_verdict()).task != "norms"  # else this shows nothing
    whole = cell.whole()
    units = headline_units(cell, EVERY_ITEM)
    assert whole is not None
    assert whole.graded == sum(unit.graded for unit in units.values()) > 0
    assert whole.value == pytest.approx(fmean(unit.points for unit in units.values() if unit.graded))


def test_as_many_talks_of_the_ladder_went_wrong_as_its_headline_says(held: Held) -> None:
    (cell,) = read_findings([held("ladder/converse", models=("simulated/typical",), limit=30)]).cells
    whole = cell.whole()
    assert whole is not None
    assert whole.value is not None
    assert sampled_failures(cell, 3).counts["wrong"] == round(whole.graded * (1 - whole.value)) > 0
