"""The rungs that models stood on, and their figures above what guessing gets."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mores.benchmarks.ladder.ladders import ladders
from mores.benchmarks.ladder.rungs import Rung, corrected, ladder_runs
from mores.core.estimate import Estimate
from mores.runs.loading import read_results
from tests.reports.conftest import Held
from tests.reports.ladder_norms import evaluation, judged, known, rung
from tests.reports.made import run_of

SHARES = st.floats(0, 1)
CHANCES = st.floats(0, 0.9)


def figure(value: float, graded: int = 20) -> Estimate:
    return Estimate(metric="accuracy", value=value, low=value, high=value, asked=graded, graded=graded)


def guessed(chance: float) -> Rung:
    return Rung(name="judge", chance=chance, evaluation=rung("judge").evaluation)


@given(CHANCES)
def test_guessing_is_nought_and_all_right_is_one(chance: float) -> None:
    assert corrected(figure(chance), guessed(chance)).value == pytest.approx(0)
    assert corrected(figure(1.0), guessed(chance)).value == pytest.approx(1)


@given(SHARES, SHARES, CHANCES)
def test_correction_keeps_the_order(one: float, other: float, chance: float) -> None:
    low, high = sorted((one, other))
    assert guessed(chance).above(low) <= guessed(chance).above(high)


def test_the_ends_of_a_figure_above_guessing_are_those_of_the_figure_above_guessing() -> None:
    plain = replace(figure(0.5), low=0.4, high=0.7, worst=0.25, best=1.0)
    found = corrected(plain, guessed(0.25))  # (s - .25) / (1 - .25)
    assert [found.low, found.high, found.worst, found.best] == pytest.approx([0.2, 0.6, 0.0, 1.0])
    assert corrected(replace(plain, low=None, high=None), guessed(0.25)).low is None


def test_each_model_with_two_rungs_has_a_ladder_from_the_ground_up(tmp_path: Path) -> None:
    one = [evaluation("judge", judged("a", 1), 1.0), evaluation("know", known("a", (1, 1)), 1.0)]
    found = ladder_runs(
        read_results([run_of(tmp_path / "run", *one, evaluation("know", known("a", (1, 1)), 1.0, model="other"))])
    )
    assert [(climb.label, [rung.name for rung in climb.rungs]) for climb in found] == [("m", ["know", "judge"])]


def test_rungs_of_several_runs_make_one_ladder(tmp_path: Path) -> None:
    low = run_of(tmp_path / "low", evaluation("know", known("a", (1, 1)), 1.0))
    high = run_of(tmp_path / "high", evaluation("judge", judged("a", 1), 1.0))
    (found,) = ladder_runs(read_results([low, high]))
    assert found.label == "m"
    assert [rung.evaluation.run for rung in found.rungs] == [low, high]


def test_a_rung_that_was_run_twice_keeps_runs_apart(tmp_path: Path) -> None:
    both = [evaluation("know", known("a", (1, 1)), 1.0), evaluation("judge", judged("a", 1), 1.0)]
    one, other = run_of(tmp_path / "one", *both), run_of(tmp_path / "other", *both)
    assert [climb.label for climb in ladder_runs(read_results([one, other]))] == [f"m in {one}", f"m in {other}"]


def test_one_rung_makes_no_ladder(held: Held) -> None:
    assert ladders(read_results([held("ladder/judge", limit=9)])) == ()
