"""Stated probabilities beside how often they come true: bins, their mean error, and its interval."""

import itertools

import numpy as np
import pytest

from mores.core.seeds import Seed
from mores.stats.cluster_sums import Design
from mores.stats.recalibration import reliability


def stated(rng: np.random.Generator, n: int, off: float) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities and outcomes that come true less often by `off`."""
    chance = rng.uniform(0.5, 1.0, n)
    return chance, (rng.random(n) < chance - off).astype(float)


def of(n: int, off: float, seed: int) -> tuple[float, float, float]:
    chance, right = stated(np.random.default_rng(seed), n, off)
    error = reliability(chance, right, Design(clusters=range(n), seed=Seed("test"), resamples=400)).error
    assert error.interval.low is not None
    assert error.interval.high is not None
    return error.value, error.interval.low, error.interval.high


@pytest.mark.parametrize("off", [0.0, 0.1, 0.25])
@pytest.mark.parametrize("n", [160, 400])
def test_intervals_cover_the_true_error(off: float, n: int) -> None:
    ends = [of(n, off, seed)[1:] for seed in range(60)]
    assert sum(low <= off <= high for low, high in ends) >= 55


def test_what_is_right_as_often_as_stated_has_no_error_that_is_sure() -> None:
    value, low, high = of(2_000, 0.0, 1)
    assert low == 0
    assert 0 < value < high < 0.08


def test_bins_have_as_many_units_each_and_intervals_of_their_shares() -> None:
    chance, right = stated(np.random.default_rng(1), 1_000, 0.1)
    bins = reliability(chance, right, Design(clusters=range(1_000), seed=Seed("test"))).bins
    assert [each.units for each in bins] == [100] * 10
    assert all(each.right.interval.low is not None for each in bins)
    assert all(before.stated < after.stated for before, after in itertools.pairwise(bins))


def test_few_clusters_make_few_bins_and_fewer_than_eight_no_interval() -> None:
    chance, right = stated(np.random.default_rng(1), 100, 0.1)
    assert len(reliability(chance, right, Design(clusters=[n // 2 for n in range(100)], seed=Seed("test"))).bins) == 2
    few = reliability(chance, right, Design(clusters=[n // 20 for n in range(100)], seed=Seed("test")))
    assert few.error.value > 0
    assert few.error.interval.missing is not None
    assert few.error.interval.missing.code == "too_few_clusters"


def test_without_units_there_is_no_error() -> None:
    found = reliability([], [], Design(clusters=[], seed=Seed("test")))
    assert (found.bins, found.error.missing is None) == ((), False)
