"""Two groups of units: their difference, its interval and its test."""

import numpy as np
import pytest

from mores.core.estimate import Missing
from mores.core.seeds import Seed
from mores.stats.group_means import compare_groups, unequal_errors
from tests.stats.drawing import draws, luck

SEED = Seed("groups")


@draws(120, 300)
@pytest.mark.parametrize(("share", "inside"), [(0.5, 20), (0.9, 20), (0.7, 100)])
def test_a_planted_difference_is_covered_and_none_is_rarely_found(share: float, inside: int, draws: int) -> None:
    rng, held, wrong = np.random.default_rng(4), 0, 0
    within = np.arange(300) < inside
    for _ in range(draws):
        alike = (rng.random(300) < share).astype(np.float64)
        lower = np.where(within & (rng.random(300) < 0.3), 0.0, alike)  # a share of .7 of them is left inside
        found = compare_groups(lower, within, np.arange(300), seed=SEED)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= -0.3 * share <= found.high
        p = compare_groups(alike, within, np.arange(300), seed=SEED).p
        wrong += p is not None and p < 0.05
    assert held / draws >= 0.95 - luck(0.95, draws)
    assert wrong / draws <= 0.05 + luck(0.05, draws)


def test_the_other_group_inside_turns_the_difference_round() -> None:
    values, within = np.array([1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0], dtype=np.float64), np.arange(16) < 8
    one, other = (compare_groups(values, kept, np.arange(16), seed=SEED) for kept in (within, ~within))
    assert (one.outside, one.inside, one.difference) == (0.25, 0.875, 0.625)
    assert (other.low, other.high) == pytest.approx((-(one.high or 0), -(one.low or 0)))
    assert one.p == other.p


def test_with_many_clusters_the_test_comes_to_that_of_deals() -> None:
    rng, within = np.random.default_rng(6), np.arange(6000) < 400
    for lift in (0.0, 0.03, 0.06):
        values = (rng.random(6000) < 0.5 + lift * within) - (rng.random(6000) < 0.5) * 0.5
        found = compare_groups(values, within, np.arange(6000), seed=SEED)
        dealt = unequal_errors(values, within, np.arange(6000), seed=SEED, permutations=10_000)[1]
        assert found.difference == pytest.approx(dealt.error - dealt.others)
        assert found.p == pytest.approx(dealt.p, abs=0.02)


def test_a_group_of_too_few_clusters_has_no_interval() -> None:
    clusters = [0, 0, 1, 1, 2, 2, *range(10, 30)]
    found = compare_groups([1.0, 0] * 13, np.arange(26) < 6, clusters, seed=SEED)
    assert (found.low, found.p) == (None, None)
    assert found.missing == Missing(code="too_few_clusters", n=3, needed=8)
