"""How many units a plan needs."""

from math import factorial, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.paired import compare_paired, mcnemar_exact, minimum_detectable_effect
from mores.stats.power import PowerAnalysis, discordance_of_means, least_clusters

shares = st.floats(0.01, 1)


def counted_power(d: float, n: int, discordance: float, alpha: float) -> float:
    """Power of McNemar's test by adding up every outcome there is: b, c and the rest of n units."""
    up, down = (discordance + d) / 2, (discordance - d) / 2
    return sum(
        factorial(n) / (factorial(b) * factorial(c) * factorial(n - b - c))
        * up**b * down**c * (1 - discordance) ** (n - b - c)
        for b in range(n + 1) for c in range(min(b, n - b + 1)) if mcnemar_exact(b, c) < alpha
    )  # fmt: skip


@pytest.mark.parametrize(
    ("d", "n", "discordance", "alpha"),
    [(0.2, 20, 0.3, 0.05), (0.3, 33, 0.4, 0.05), (0.4, 24, 0.4, 0.05 / 15), (0.5, 12, 1.0, 0.05), (0, 15, 0.5, 0.05)],
)
def test_power_is_that_of_every_outcome_counted(d: float, n: int, discordance: float, alpha: float) -> None:
    assert PowerAnalysis(discordance=discordance, alpha=alpha).power_for(d, n) == pytest.approx(
        counted_power(d, n, discordance, alpha), abs=1e-9
    )


@settings(max_examples=8)
@given(st.floats(0.1, 1), st.floats(0.05, 1), st.floats(0.2, 10), st.floats(0.2, 1), st.sampled_from([0.05, 0.05 / 15]))
def test_from_the_planned_number_on_power_never_falls_below_the_wanted(
    part: float, discordance: float, deff: float, judge: float, alpha: float
) -> None:
    d = min(1.0, part * discordance / judge)
    n = PowerAnalysis(discordance=discordance, design_effect=deff, judge_quality=judge, alpha=alpha).units_needed(d)

    def power(units: int) -> float:
        return PowerAnalysis(discordance=discordance, design_effect=deff, judge_quality=judge, alpha=alpha).power_for(
            d, units
        )

    assert n == 1 or power(n - 1) < 0.8
    assert min(power(n + more) for more in (0, 1, 2, 3, 5, 10, 30, 100)) >= 0.8


@settings(max_examples=15)
@given(st.integers(1, 400), shares, st.floats(0.2, 10), st.floats(0.1, 1))
def test_the_least_difference_is_no_larger_than_units_can_differ(
    n: int, discordance: float, deff: float, judge: float
) -> None:
    least = PowerAnalysis(discordance=discordance, design_effect=deff, judge_quality=judge).least_difference(n)

    def power(d: float) -> float:
        return PowerAnalysis(discordance=discordance, design_effect=deff, judge_quality=judge).power_for(d, n)

    if least is None:
        assert power(1.0) < 0.8
    else:
        assert least * judge <= discordance * (1 + 1e-9)
        assert power(least * (1 + 1e-9)) >= 0.8
        assert power(least * 0.999) < 0.8


def test_nine_units_can_never_reach_the_level_that_fifteen_places_leave() -> None:
    """Were all nine to differ the same way, p would be 2 / 2^9 = .0039, and .05 / 15 is .0033."""
    assert mcnemar_exact(9, 0) > 0.05 / 15 > mcnemar_exact(10, 0)
    assert least_clusters(0.05 / 15) == 10
    assert PowerAnalysis(discordance=1.0, alpha=0.05 / 15).power_for(1.0, 9) == 0
    assert PowerAnalysis(discordance=1.0, alpha=0.05 / 15).least_difference(9) is None
    assert PowerAnalysis(discordance=1.0, alpha=0.05 / 15).least_difference(10) == pytest.approx(0.9563, abs=1e-3)


def test_what_so_few_discordant_units_cannot_hold_is_not_promised() -> None:
    """The normal formula says .26 for 9 units of which a fifth differ: more than can differ at all."""
    assert minimum_detectable_effect(9, 0.2) > 0.2
    assert PowerAnalysis(discordance=0.2).least_difference(9) is None


@pytest.mark.parametrize(
    ("d", "discordance", "units"),
    # The normal formula has 157, 314, 79 and 59.
    [(0.1, 0.2, 168), (0.05, 0.1, 337), (0.1, 0.1, 78), (0.2, 0.3, 61)],
)
def test_units_of_usual_plans(d: float, discordance: float, units: int) -> None:
    assert PowerAnalysis(discordance=discordance).units_needed(d) == units


def test_few_clusters_of_many_units_are_few() -> None:
    """Flipping the signs of five sums has no p below 2 / 2^5, and of ten a t test's power at most."""
    assert PowerAnalysis(discordance=0.3).power_for(0.3, 500, clusters=5) == 0
    alone, ten, many = (
        PowerAnalysis(discordance=0.3, design_effect=2, alpha=0.01).power_for(0.1, 500, clusters=clusters)
        for clusters in (None, 10, 200)
    )
    assert many == pytest.approx(alone, abs=0.02)
    assert ten < alone - 0.05
    assert PowerAnalysis(discordance=0.3).power_for(0.3, 500, clusters=10) == pytest.approx(1)


def test_the_power_of_clusters_is_about_that_of_a_simulated_test() -> None:
    """30 clusters of 4, each unit with a chance of .5 to do as its cluster: alike by .25."""
    deff, n = 1 + 3 * 0.25, 120
    d = PowerAnalysis(discordance=0.3, design_effect=deff).least_difference(n, clusters=30)
    assert d is not None
    rng, found = np.random.default_rng(4), 0
    for number in range(250):
        cluster, own = (np.digitize(rng.random(size), [(0.3 + d) / 2, 0.3]) for size in (30, n))
        gap = np.array([1, -1, 0])[np.where(rng.random(n) < 0.5, np.repeat(cluster, 4), own)]
        of, seed = np.repeat(np.arange(30), 4), Seed("power").child(number)
        found += compare_paired(gap > 0, gap < 0, of, resamples=10, seed=seed).p < 0.05
    assert 0.72 < found / 250 < 0.9


def test_clusters_and_a_weak_judge_cost_units() -> None:
    plain = PowerAnalysis(discordance=0.2).units_needed(0.1)
    assert PowerAnalysis(discordance=0.2, design_effect=2).units_needed(0.1) == pytest.approx(2 * plain, abs=1)
    assert PowerAnalysis(discordance=0.2, judge_quality=0.5).units_needed(0.1) == PowerAnalysis(
        discordance=0.2
    ).units_needed(0.05)
    assert PowerAnalysis(discordance=0.2, design_effect=2).units_needed(0.1, cluster_size=20) > 2 * plain


def test_more_power_and_a_stricter_level_cost_units() -> None:
    plain = PowerAnalysis(discordance=0.2).units_needed(0.1)
    assert (
        plain
        < PowerAnalysis(discordance=0.2, power=0.9).units_needed(0.1)
        < PowerAnalysis(discordance=0.2, power=0.95).units_needed(0.1)
    )
    assert (
        plain
        < PowerAnalysis(discordance=0.2, alpha=0.01).units_needed(0.1)
        < PowerAnalysis(discordance=0.2, alpha=0.001).units_needed(0.1)
    )


@pytest.mark.parametrize(
    ("d", "discordance", "deff", "judge"),
    [(0, 0.1, 1, 1), (1.1, 1, 1, 1), (0.1, 0, 1, 1), (0.1, 0.2, 0, 1), (0.1, 0.2, 1, 0), (0.1, 0.2, 1, 1.1)],
)
def test_a_plan_that_cannot_be_is_refused(d: float, discordance: float, deff: float, judge: float) -> None:
    with pytest.raises(InputError, match="expected"):
        PowerAnalysis(discordance=discordance, design_effect=deff, judge_quality=judge).units_needed(d)


@pytest.mark.parametrize(("power", "alpha"), [(0.4, 0.05), (1, 0.05), (0.8, 0), (0.8, 1)])
def test_power_and_level_are_shares(power: float, alpha: float) -> None:
    with pytest.raises(InputError, match="expected power"):
        PowerAnalysis(discordance=0.2, power=power, alpha=alpha).units_needed(0.1)


def test_a_difference_that_so_few_discordant_units_cannot_hold_is_refused() -> None:
    with pytest.raises(InputError, match=r"at least 0.3 of them; discordance is 0.1"):
        PowerAnalysis(discordance=0.1).units_needed(0.3)
    assert PowerAnalysis(discordance=0.1, judge_quality=0.3).units_needed(0.3) > 0


@given(shares, st.floats(0, 1), st.integers(1, 9))
def test_samples_take_the_luck_away_and_leave_the_rest(discordance: float, stable: float, samples: int) -> None:
    found = discordance_of_means(discordance, stable=stable, samples=samples)
    assert discordance * stable - 1e-12 <= found <= discordance + 1e-12
    assert found >= discordance_of_means(discordance, stable=stable, samples=samples + 1) - 1e-12


def test_averages_of_samples_differ_as_planned() -> None:
    """Two models of which half the units differ for good, and answers are lucky besides."""
    rng = np.random.default_rng(8)
    chance = np.where(rng.random((2, 40_000)) < 0.5, 0.9, 0.3)
    single, triple = (
        float(np.mean((drawn[0] - drawn[1]) ** 2)) for drawn in (rng.binomial(k, chance) / k for k in (1, 3))
    )
    lasting = float(np.mean((chance[0] - chance[1]) ** 2))
    assert triple == pytest.approx(discordance_of_means(single, stable=lasting / single, samples=3), abs=0.01)


@settings(max_examples=15)
@given(shares, st.integers(1, 500), shares, st.floats(0, 1), st.floats(0.3, 4))
def test_it_is_the_fewest_samples_that_show_the_difference(
    d: float, units: int, discordance: float, stable: float, deff: float
) -> None:
    found = PowerAnalysis(discordance=discordance, design_effect=deff).samples_needed(d, units=units, stable=stable)

    def power(samples: int) -> float:
        left = sqrt(discordance_of_means(1, stable=stable, samples=samples))
        return PowerAnalysis(discordance=discordance, design_effect=deff).power_for(min(1.0, d / left), units)

    if found is None:
        assert power(10**9) < 0.8 + 1e-4
    else:
        assert power(found) > 0.8 - 1e-4
        assert found == 1 or power(found - 1) < 0.8 + 1e-4


def test_several_answers_are_found_as_often_as_planned() -> None:
    """80 units; answers lasting in half of what differs: a test of averages finds the difference about as planned."""
    n, d, rng, found = 80, 0.15, np.random.default_rng(6), 0
    shape = np.array([[0.9, 0.3], [0.3, 0.9], [0.6, 0.6]]), [(0.5 + d / 0.6) / 2, (0.5 - d / 0.6) / 2, 0.5]
    single = float(np.dot(shape[1], [0.66, 0.66, 0.48]))
    lasting = 0.5 * 0.36 / single
    planned = PowerAnalysis(discordance=single).power_for(d / sqrt(lasting + (1 - lasting) / 4), n)
    for number in range(250):
        chance = shape[0][rng.choice(3, n, p=shape[1])]
        a, b = (rng.binomial(4, chance) / 4).T
        found += compare_paired(a, b, np.arange(n), resamples=10, seed=Seed("k").child(number)).p < 0.05
    assert planned == pytest.approx(found / 250, abs=0.08)


def test_power_and_level_are_those_of_a_simulated_test() -> None:
    """With as many units as planned for power .9 at level .01, McNemar's test finds the difference so often."""
    n = PowerAnalysis(discordance=0.2, power=0.9, alpha=0.01).units_needed(0.1)
    rng = np.random.default_rng(2)
    more, less, _ = rng.multinomial(n, [0.15, 0.05, 0.8], size=4000).T
    found = np.mean([mcnemar_exact(int(b), int(c)) < 0.01 for b, c in zip(more, less, strict=True)])
    assert 0.9 - 0.015 < found < 0.9 + 0.015


@pytest.mark.parametrize(
    "wrong", [{"d": 0}, {"units": 0}, {"stable": 1.5}, {"discordance": 2}, {"judge_quality": 0}, {"power": 0.3}]
)
def test_samples_that_cannot_be_planned_are_refused(wrong: dict[str, float]) -> None:
    plan = {"d": 0.1, "units": 50, "stable": 0.5, "discordance": 0.2, "judge_quality": 1, "power": 0.8, **wrong}
    with pytest.raises(InputError, match="expected"):
        PowerAnalysis(**{name: plan.pop(name) for name in ("discordance", "judge_quality", "power")}).samples_needed(
            **plan  # type: ignore[arg-type]
        )
