"""How many units a plan needs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from mores.core.errors import InputError
from mores.stats import (
    discordance_of_means,
    mcnemar_exact,
    minimum_detectable_effect,
    samples_needed,
    units_needed,
)

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


@given(shares, st.floats(0, 1), st.integers(1, 9))
def test_samples_take_the_luck_away_and_leave_the_rest(discordance: float, stable: float, samples: int) -> None:
    found = discordance_of_means(discordance, stable=stable, samples=samples)
    assert discordance * stable - 1e-12 <= found <= discordance + 1e-12
    assert found >= discordance_of_means(discordance, stable=stable, samples=samples + 1) - 1e-12


def test_averages_of_samples_differ_as_planned() -> None:
    """Two models of which half the units differ for good, and answers are lucky besides."""
    dice = np.random.default_rng(8)
    chance = np.where(dice.random((2, 40_000)) < 0.5, 0.9, 0.3)
    single, triple = (
        float(np.mean((drawn[0] - drawn[1]) ** 2)) for drawn in (dice.binomial(k, chance) / k for k in (1, 3))
    )
    lasting = float(np.mean((chance[0] - chance[1]) ** 2))
    assert triple == pytest.approx(discordance_of_means(single, stable=lasting / single, samples=3), abs=0.01)


@given(shares, st.integers(1, 500), shares, st.floats(0, 1), st.floats(0.3, 4))
def test_it_is_the_fewest_samples_that_detect_the_difference(
    d: float, units: int, discordance: float, stable: float, deff: float
) -> None:
    found = samples_needed(d, units=units, discordance=discordance, stable=stable, design_effect=deff)

    def least(samples: int) -> float:
        return minimum_detectable_effect(units, discordance_of_means(discordance, stable=stable, samples=samples), deff)

    if found is None:
        assert least(10**9) > d * (1 - 1e-6)
    else:
        assert least(found) <= d * (1 + 1e-6)
        assert found == 1 or least(found - 1) > d * (1 - 1e-6)


def test_power_and_level_are_those_of_a_simulated_test() -> None:
    """With as many units as planned for power .9 at level .01, McNemar's test finds the difference about so often."""
    n = units_needed(0.1, discordance=0.2, power=0.9, alpha=0.01)
    assert minimum_detectable_effect(n, 0.2, power=0.9, alpha=0.01) == pytest.approx(0.1, abs=5e-4)
    dice = np.random.default_rng(2)
    more, less, _ = dice.multinomial(n, [0.15, 0.05, 0.8], size=2000).T
    found = np.mean([mcnemar_exact(int(b), int(c)) < 0.01 for b, c in zip(more, less, strict=True)])
    assert 0.87 < found < 0.95


@pytest.mark.parametrize(
    "wrong", [{"d": 0}, {"units": 0}, {"stable": 1.5}, {"discordance": 2}, {"judge_quality": 0}, {"power": 0.3}]
)
def test_samples_that_cannot_be_planned_are_refused(wrong: dict[str, float]) -> None:
    plan = {"d": 0.1, "units": 50, "discordance": 0.2, "stable": 0.5, **wrong}
    with pytest.raises(InputError, match="expected"):
        samples_needed(plan.pop("d"), **plan)  # type: ignore[arg-type]
