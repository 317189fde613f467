"""How far groups lie apart by chance."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.estimate import Estimate
from mores.reports.spread import gap_by_chance, observed_gap

GROUPS = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 500)), min_size=2, max_size=12)


def group(value: float | None, graded: int) -> Estimate:
    return Estimate(metric="accuracy", value=value, asked=graded, graded=graded)


@pytest.mark.parametrize(("groups", "d2"), [(2, 1.128), (5, 2.326), (10, 3.078), (20, 3.735)])
def test_equal_groups_spread_as_published_tables_say(groups: int, d2: float) -> None:
    # Half right of 400 each: the standard error is sqrt(.25 / 400) = .025; d2 is the expected range of normal draws.
    assert gap_by_chance([group(0.5, 400)] * groups) == pytest.approx(0.025 * d2, rel=1e-3)


def test_unequal_groups_spread_as_in_simulation() -> None:
    sizes = np.array([10, 40, 90, 400])
    drawn = np.random.default_rng(1).normal(size=(200_000, 4)) * np.sqrt(0.25 / sizes)
    expected = float((drawn.max(axis=1) - drawn.min(axis=1)).mean())
    assert gap_by_chance([group(0.5, int(n)) for n in sizes]) == pytest.approx(expected, rel=0.01)


@given(GROUPS)
def test_the_order_of_groups_does_not_matter(groups: list[tuple[float, int]]) -> None:
    made = [group(*g) for g in groups]
    assert gap_by_chance(made) == pytest.approx(gap_by_chance(made[::-1]))


@given(GROUPS)
def test_the_gap_is_a_share(groups: list[tuple[float, int]]) -> None:
    gap = gap_by_chance([group(*g) for g in groups])
    assert gap is not None
    assert 0 <= gap <= 1


def test_more_units_mean_a_smaller_gap() -> None:
    few, many = gap_by_chance([group(0.5, 25)] * 5), gap_by_chance([group(0.5, 100)] * 5)
    assert few is not None
    assert many == pytest.approx(few / sqrt(4), rel=1e-3)


def test_a_single_group_has_no_gap() -> None:
    assert gap_by_chance([group(0.5, 9), group(None, 0)]) is None
    assert observed_gap([group(0.5, 9), group(None, 0)]) is None
