"""Intervals that hold together."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.group_means import exact_binomial, joint_interval
from mores.stats.intervals import mean_interval
from mores.tables.missing_texts import format_missing


def right(successes: int, n: int) -> list[int]:
    return [1] * successes + [0] * (n - successes)


@pytest.mark.parametrize(("n", "family"), [(12, 15), (30, 45), (58, 45)])
def test_one_of_a_family_misses_in_no_more_than_its_part_whatever_is_true(n: int, family: int) -> None:
    """Summed over all outcomes, so without random draws: a family of such intervals misses in at most .05."""
    found = [joint_interval(right(x, n), np.arange(n), family=family, seed=Seed("s")) for x in range(n + 1)]
    low, high = np.array([[one.low, one.high] for one in found], dtype=np.float64).T
    for truth in np.linspace(0.01, 0.99, 197):
        missed = binom.pmf(np.flatnonzero((low > truth) | (high < truth)), n, truth).sum()
        assert missed <= 0.05 / family, truth


def test_the_exact_interval_is_that_of_another_implementation() -> None:
    for x, n, confidence in ((0, 9, 0.95), (4, 9, 0.95), (9, 9, 0.99), (57, 60, 0.999)):
        other = binomtest(x, n).proportion_ci(confidence)
        assert exact_binomial(x, n, confidence)[:2] == pytest.approx((other.low, other.high))


def test_clusters_have_the_interval_of_their_mean_at_the_confidence_of_one_of_the_family() -> None:
    values, of = right(40, 60), np.repeat(np.arange(12), 5)
    alone = mean_interval(values, of, confidence=1 - 0.05 / 10, seed=Seed("s"))
    assert joint_interval(values, of, family=10, seed=Seed("s")) == alone


def test_what_has_no_interval_says_so() -> None:
    assert joint_interval([], [], family=3, seed=Seed("s")).low is None
    assert format_missing(exact_binomial(0, 0).missing) == "nothing graded"
    with pytest.raises(InputError, match="successes is 3 of n = 2"):
        exact_binomial(3, 2)
    with pytest.raises(InputError, match="family is 0"):
        joint_interval([1], [1], family=0, seed=Seed("s"))
