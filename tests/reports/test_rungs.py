"""The ladder's rungs side by side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.estimate import Estimate
from mores.reports.findings import Findings, read_findings
from mores.reports.rungs import corrected, ladders
from tests.reports.conftest import Held

SHARES = st.floats(0, 1)
CHANCES = st.floats(0, 0.9)


def figure(value: float, graded: int = 20) -> Estimate:
    return Estimate(metric="accuracy", value=value, low=value, high=value, asked=graded, graded=graded)


@given(CHANCES)
def test_guessing_is_nought_and_all_right_is_one(chance: float) -> None:
    assert corrected(figure(chance), chance).value == pytest.approx(0)
    assert corrected(figure(1.0), chance).value == pytest.approx(1)


@given(SHARES, SHARES, CHANCES)
def test_correction_keeps_the_order(one: float, other: float, chance: float) -> None:
    low, high = sorted((one, other))
    first, second = corrected(figure(low), chance).value, corrected(figure(high), chance).value
    assert first is not None
    assert second is not None
    assert first <= second


def test_fewer_than_eight_norms_stand_without_an_interval() -> None:
    seven, eight = corrected(figure(0.5, 7), 0.25), corrected(figure(0.5, 8), 0.25)
    assert (seven.low, seven.high) == (None, None)
    assert (seven.why or "").startswith("too few norms: 7")
    assert eight.low == pytest.approx(1 / 3)  # (.5 - .25) / (1 - .25)


def test_each_model_with_two_rungs_has_a_ladder_from_the_ground_up(found: Findings) -> None:
    made = ladders(found)
    assert [ladder.label for ladder in made] == list(found.labels)
    assert [rung.name for rung in made[0].rungs] == ["know", "judge"]
    assert made[0].steps[0].kind == ""
    assert {step.kind for step in made[0].steps[1:]} == {"domain", "place"}


def test_one_rung_makes_no_ladder(held: Held) -> None:
    assert ladders(read_findings([held("ladder/judge", limit=9)])) == ()
