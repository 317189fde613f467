"""How much clustering costs, and the room's seeds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.clusters import design_effect
from mores.stats.rng import generator


def test_worked_by_hand() -> None:
    # Clusters (1, 2), (3, 4), (5, 6): between 2 (2 · 2²) / 2 = 8, within 3 · .5 / 3 = .5, icc 7.5 / 8.5
    icc, deff = design_effect([1, 2, 3, 4, 5, 6], [0, 0, 1, 1, 2, 2])
    assert icc == pytest.approx(7.5 / 8.5)
    assert deff == pytest.approx(1 + 7.5 / 8.5)


def test_clusters_of_two_sizes_worked_by_hand() -> None:
    # Clusters (0, 0, 1), (1,): mean 1/2; between 3/36·... = 3 (1/6)² + (1/2)² = 1/3; within (2/3) / 2 = 1/3; icc 0
    icc, deff = design_effect([0, 0, 1, 1], [0, 0, 0, 1])
    assert icc == pytest.approx(0)
    assert deff == pytest.approx(1)


def test_clusters_that_agree_with_themselves_have_correlation_one() -> None:
    assert design_effect([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]) == pytest.approx((1, 3))


def test_a_planted_correlation_is_found_again() -> None:
    rng = np.random.default_rng(1)
    of = np.repeat(np.arange(2000), rng.integers(1, 9, 2000))
    values = np.sqrt(0.3) * rng.standard_normal(2000)[of] + np.sqrt(0.7) * rng.standard_normal(of.size)
    assert design_effect(values, of).icc == pytest.approx(0.3, abs=0.03)


def test_one_unit_a_cluster_costs_nothing_and_says_nothing() -> None:
    icc, deff = design_effect([1, 0, 1], [0, 1, 2])
    assert np.isnan(icc)
    assert deff == 1


@pytest.mark.parametrize(("values", "clusters"), [([], []), ([1, 0], [0, 0]), ([1, 1, 1], [0, 0, 1])])
def test_where_nothing_can_be_known_both_are_nan(values: list[float], clusters: list[int]) -> None:
    assert np.isnan(design_effect(values, clusters)).all()


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=3, max_size=40))
def test_order_and_scale_do_not_matter(units: list[tuple[int, int]]) -> None:
    values, of = (np.array(column) for column in zip(*units, strict=True))
    assert design_effect(3 * values[::-1] + 2, of[::-1]) == pytest.approx(design_effect(values, of), nan_ok=True)


def test_an_ungraded_unit_is_refused() -> None:
    with pytest.raises(InputError, match="not finite"):
        design_effect([1, float("inf")], [0, 1])


def test_equal_seeds_draw_alike_and_others_do_not() -> None:
    first, again, other = (generator(Seed(name)).random(4).tolist() for name in ("a", "a", "b"))
    assert first == again != other
