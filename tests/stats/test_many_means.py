"""Means of many groups at once have the intervals that each has alone."""

from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.arrays import Floats, Integers
from mores.core.seeds import Seed
from mores.stats.group_means import mean_intervals
from mores.stats.intervals import mean_interval

KINDS = ("yes or no", "all right", "shares", "whole clusters", "points")


def values_of(kind: str, cluster: Integers, rng: np.random.Generator) -> Floats:
    """One value a unit."""
    if kind == "whole clusters":
        return np.asarray((rng.random(int(cluster.max()) + 1) < 0.8)[cluster], dtype=np.float64)
    if kind == "shares":
        return np.round(rng.random(cluster.size), 2)
    if kind == "points":
        return rng.normal(3, 2, cluster.size)
    return np.ones(cluster.size) if kind == "all right" else (rng.random(cluster.size) < 0.9).astype(float)


@given(
    number=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(KINDS),
    weights=st.sampled_from(["equal", None]),
    each=st.sampled_from([1, 3]),
    crossed=st.booleans(),
)
def test_every_group_has_the_interval_that_it_has_alone(
    number: int, kind: str, weights: Literal["equal"] | None, each: int, crossed: bool
) -> None:
    rng = np.random.default_rng(number)
    size = int(rng.integers(1, 120))
    cluster = rng.integers(0, max(1, size // each), size) if each > 1 else np.arange(size)
    strata = rng.integers(-1, 4, size) if crossed else cluster % 4
    groups = rng.integers(0, 4, size)
    values = values_of(kind, cluster, rng)
    found = mean_intervals(values, cluster, groups, 4, strata=strata, weights=weights)
    for group, interval in enumerate(found):
        own = groups == group
        alone = mean_interval(values[own], cluster[own], strata=strata[own], weights=weights, seed=Seed("alone"))
        if interval is None:  # left to be asked alone
            continue
        assert interval.method == alone.method
        assert interval.missing == alone.missing
        if alone.low is not None:
            assert (interval.low, interval.high) == pytest.approx((alone.low, alone.high), abs=1e-11)


def test_a_group_that_needs_draws_is_left_to_be_asked_alone() -> None:
    values = np.random.default_rng(1).normal(size=80)
    groups = np.repeat([0, 1], 40)
    found = mean_intervals(values, np.arange(80), groups, 2, strata=np.zeros(80, dtype=np.int64))
    assert found == [None, None]


def test_a_group_without_units_has_no_interval() -> None:
    found = mean_intervals(np.ones(20), np.arange(20), np.zeros(20, dtype=np.int64), 2, strata=np.arange(20) % 2)
    assert found[0] is not None
    assert found[0].method == "stratified wilson"
    assert found[1] is not None
    assert found[1].missing is not None
    assert found[1].missing.code == "nothing_graded"
