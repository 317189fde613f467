"""Slopes over clusters and shares that a covariate is taken out of: what was planted is covered as promised."""

import numpy as np
import pytest

from mores.stats.covariate import adjusted_shares, slope

COUNTS = np.array([[5, 8, 12], [20, 35, 28], [3, 2, 6], [50, 40, 60], [10, 14, 20]])
"""Norms in play by group and origin."""


def test_a_slope_is_that_of_least_squares_and_its_error_the_jackknifes() -> None:
    """y of 0 to 7 at x of 0 to 7 is one more each, but for the last: by hand through numpy, without each in turn."""
    x, y = np.arange(8.0), np.array([0, 1, 2, 3, 4, 5, 6, 9.0])
    found = slope(x, y, np.ones(8), np.arange(8))
    by_hand = np.polyfit(x, y, 1)[0]
    without = np.array([np.polyfit(np.delete(x, n), np.delete(y, n), 1)[0] for n in range(8)])
    error = np.sqrt(7 / 8 * ((without - by_hand) ** 2).sum())
    assert found.value == pytest.approx(by_hand)
    assert found.high == pytest.approx(by_hand + 2.364624 * error)  # t of 7 degrees, .975
    assert found.clusters == 8


def test_units_of_one_cluster_are_no_independent_evidence() -> None:
    x, y = np.tile(np.arange(8.0), 5), np.tile(np.array([1, 0, 2, 1, 3, 2, 4, 3.0]), 5)
    once, five = slope(x[:8], y[:8], np.ones(8), np.arange(8)), slope(x, y, np.ones(40), np.tile(np.arange(8), 5))
    assert five.low == pytest.approx(once.low)
    assert five.p == pytest.approx(once.p)


def test_a_planted_slope_is_covered_as_promised() -> None:
    rng, inside = np.random.default_rng(2), 0
    for _ in range(400):
        met = rng.choice(np.arange(1, 8), p=[0.4, 0.25, 0.15, 0.1, 0.05, 0.03, 0.02], size=60)
        share = (rng.random((60, 10)) < (0.7 - 0.04 * met)[:, None]).mean(1)
        found = slope(met, share, np.ones(60), np.arange(60))
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= -0.04 <= found.high
    assert inside / 400 == pytest.approx(0.95, abs=0.035)  # three standard errors


def test_no_slope_where_nothing_varies_or_clusters_are_few() -> None:
    same, few = slope([2.0] * 9, range(9), [1] * 9, range(9)), slope([1, 2], [1, 2], [1, 1], [0, 1])
    assert same.missing is not None
    assert few.missing is not None
    assert (same.value, same.missing.code) == (None, "covariate_constant")
    assert (few.value, few.missing.code) == (None, "too_few_clusters")


def steps(rng: np.random.Generator, days: int, true: float = 0.75, factor: float = 0.97) -> np.ndarray:
    """Kept or not, norms in play, group and day of the steps of some days; a fifth of days go one way throughout."""
    day = np.repeat(np.arange(days), 12)
    group = rng.integers(0, len(COUNTS), day.size)
    counts = COUNTS[group, day % 3]
    lots = np.where(rng.random(days)[day] < 0.2, rng.random(days)[day], rng.random(day.size))
    return np.column_stack((lots < true * factor**counts, counts, group, day)).astype(float)


def test_groups_that_differ_in_norms_in_play_alone_are_alike_once_these_are_taken_out() -> None:
    rng, inside, of_all, factors = np.random.default_rng(1), 0, 0, 0
    for _ in range(60):
        made = steps(rng, 90)
        found = adjusted_shares(made[:, 0], made[:, 1], made[:, 2].astype(int), np.ones(len(made)), made[:, 3])
        truth = 0.75 * 0.97**found.at
        raw = [each.raw for each in found.groups]
        assert max(raw) - min(raw) > 0.25
        inside += sum((each.low or 0) <= truth <= (each.high or 0) for each in found.groups)
        of_all += len(found.groups)
        factors += (found.factor.low or 0) <= 0.97 <= (found.factor.high or 0)
    assert inside / of_all >= 0.9
    assert factors >= 54


def test_a_group_that_is_better_stays_better() -> None:
    made = steps(np.random.default_rng(4), 300, true=0.5)
    better = made[:, 2] == 3
    rng = np.random.default_rng(5)
    made[better, 0] = rng.random(int(better.sum())) < 0.95 * 0.97 ** made[better, 1]
    found = adjusted_shares(made[:, 0], made[:, 1], made[:, 2].astype(int), np.ones(len(made)), made[:, 3])
    others = [each for each in found.groups if each.group != 3]
    assert found.groups[3].raw < min(each.raw for each in others if each.group != 1)
    assert all((found.groups[3].low or 0) > (each.adjusted or 1) for each in others)


def test_without_a_covariate_that_matters_adjusted_is_raw() -> None:
    """Shares that do not hang on it: the factor is 1, but for chance, and each group keeps its own."""
    group = np.repeat([0, 1], 400)
    counts = np.tile([5.0, 50.0], 400)
    kept = np.concatenate((np.tile([1.0, 1, 0, 0], 100), np.tile([1.0, 1, 1, 1, 0, 0, 1, 1], 50)))
    found = adjusted_shares(kept, counts, group, np.ones(800), np.arange(800) // 8)
    assert found.factor.value == pytest.approx(1.0)
    assert [each.adjusted for each in found.groups] == pytest.approx([0.5, 0.75])


def test_nothing_is_adjusted_where_groups_alone_differ_in_the_covariate() -> None:
    group = np.repeat([0, 1], 40)
    counts = np.where(group == 0, 5.0, 50.0)
    found = adjusted_shares(np.tile([1.0, 0.0], 40), counts, group, np.ones(80), np.arange(80) // 4)
    assert {each.adjusted for each in found.groups} == {None}
    assert {each.missing.code for each in found.groups if each.missing} == {"covariate_constant"}
    assert [each.raw for each in found.groups] == [0.5, 0.5]
