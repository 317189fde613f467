"""How many units a plan needs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from mores.core.errors import InputError
from mores.stats import minimum_detectable_effect, units_needed

shares = st.floats(0.01, 1)


@given(shares, shares, st.floats(0.2, 10), st.floats(0.1, 1))
def test_it_is_the_fewest_units_that_detect_the_difference(
    part: float, discordance: float, deff: float, judge: float
) -> None:
    d = min(1.0, part * discordance / judge)
    n = units_needed(d, discordance=discordance, design_effect=deff, judge_quality=judge)
    assert minimum_detectable_effect(n, discordance, deff, judge) <= d * (1 + 1e-9)
    if n > 1:
        assert minimum_detectable_effect(n - 1, discordance, deff, judge) > d * (1 - 1e-9)


@pytest.mark.parametrize(
    ("d", "discordance", "units"),
    # The table of effects for n = 25, 100, 400, read the other way: (2.8016 / d)² · discordance
    [(0.1, 0.2, 157), (0.05, 0.1, 314), (0.1, 0.1, 79), (0.2, 0.3, 59)],
)
def test_the_plan_is_the_table_read_backwards(d: float, discordance: float, units: int) -> None:
    assert units_needed(d, discordance=discordance) == units


def test_clusters_and_a_weak_judge_cost_units() -> None:
    plain = units_needed(0.1, discordance=0.2)
    assert units_needed(0.1, discordance=0.2, design_effect=2) == pytest.approx(2 * plain, abs=1)
    assert units_needed(0.1, discordance=0.2, judge_quality=0.5) == pytest.approx(4 * plain, abs=3)


def test_more_power_and_a_stricter_level_cost_units() -> None:
    d, power, alpha = 0.1, 0.9, 0.01
    n = units_needed(d, discordance=0.2, power=power, alpha=alpha)
    reached = ndtr(d / (0.2 / n) ** 0.5 - ndtri(1 - alpha / 2))
    assert reached == pytest.approx(power, abs=0.002)
    assert reached >= power


@pytest.mark.parametrize(
    ("d", "discordance", "deff", "judge"),
    [(0, 0.1, 1, 1), (1.1, 1, 1, 1), (0.1, 0, 1, 1), (0.1, 0.2, 0, 1), (0.1, 0.2, 1, 0), (0.1, 0.2, 1, 1.1)],
)
def test_a_plan_that_cannot_be_is_refused(d: float, discordance: float, deff: float, judge: float) -> None:
    with pytest.raises(InputError, match="expected d, discordance"):
        units_needed(d, discordance=discordance, design_effect=deff, judge_quality=judge)


@pytest.mark.parametrize(("power", "alpha"), [(0.4, 0.05), (1, 0.05), (0.8, 0), (0.8, 1)])
def test_power_and_level_are_shares(power: float, alpha: float) -> None:
    with pytest.raises(InputError, match="expected power"):
        units_needed(0.1, discordance=0.2, power=power, alpha=alpha)


def test_a_difference_that_so_few_discordant_units_cannot_hold_is_refused() -> None:
    with pytest.raises(InputError, match=r"at least 0.3 of them; discordance is 0.1"):
        units_needed(0.3, discordance=0.1)
    assert units_needed(0.3, discordance=0.1, judge_quality=0.3) > 0
