"""Means over models and items that were both drawn, and slopes over models."""

import numpy as np
import pytest

from mores.core.arrays import Floats
from mores.core.estimate import Missing
from mores.stats.clusters import ClusterStandardError, clustered
from mores.stats.crossed_effects import MIN_FAMILIES, both_drawn, mean_over_models, slope
from mores.stats.intervals import ClusteredMeans

TRUE = 0.5


def answers(rng: np.random.Generator, models: int, items: int, *, apart: float) -> Floats:
    """Right and wrong answers of models to items, of which other draws would be right half the time."""
    skill, hard = rng.normal(0, apart, models), rng.normal(0, 1.5, items)
    right = rng.random((models, items)) < 1 / (1 + np.exp(hard - skill[:, None]))
    return right.astype(np.float64)


@pytest.mark.parametrize(("models", "items", "apart"), [(6, 40, 0.1), (6, 40, 0.8), (12, 200, 0.8)])
def test_an_interval_over_models_covers_what_other_models_and_items_would_give(
    models: int, items: int, apart: float
) -> None:
    rng, held, draws = np.random.default_rng(1), 0, 600
    for _ in range(draws):
        right = answers(rng, models, items, apart=apart)
        layout = ClusteredMeans.of(right.mean(axis=0), clustered(np.arange(items), None, items))
        found = mean_over_models(right.mean(axis=1), range(models), layout.spread(), share=True)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= TRUE <= found.high
    assert held / draws >= 0.93


def test_two_errors_add_up_by_their_squares() -> None:
    found = both_drawn(ClusterStandardError(3.0, 10.0), ClusterStandardError(4.0, 20.0))
    assert found.se == pytest.approx(5.0)
    assert found.freedom == pytest.approx(25**2 / (9**2 / 10 + 16**2 / 20))
    assert both_drawn(ClusterStandardError(0.0, 5.0), ClusterStandardError(0.0, 7.0)) == ClusterStandardError(0.0, 5.0)


def test_models_of_too_few_families_speak_of_no_others() -> None:
    found = mean_over_models([0.1, 0.5, 0.9, 0.4, 0.6], list("aabbc"), ClusterStandardError(0.01, 50.0), share=True)
    assert (found.low, found.missing) == (None, Missing(code="too_few_families", n=3, needed=MIN_FAMILIES))
    assert slope([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], list("aabbc")).missing == found.missing


def test_a_planted_slope_is_covered_also_where_families_differ() -> None:
    rng, held, draws, true = np.random.default_rng(2), 0, 600, 0.03
    for _ in range(draws):
        family = np.repeat(np.arange(8), rng.integers(1, 4, 8))
        size = rng.normal(3, 1, 8)[family] + rng.normal(0, 0.5, family.size)
        figure = true * size + rng.normal(0, 0.1, 8)[family] + rng.normal(0, 0.03, family.size)
        found = slope(size, figure, family)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= true <= found.high
    assert 0.92 <= held / draws <= 0.99


def test_without_a_slope_few_are_found() -> None:
    rng, draws = np.random.default_rng(3), 600
    found = [slope(rng.normal(size=7), rng.normal(size=7), range(7)).p for _ in range(draws)]
    assert np.mean([p is not None and p < 0.05 for p in found]) <= 0.07


def test_a_slope_that_hangs_on_one_family_is_none() -> None:
    found = slope([0, 0, 0, 0, 0, 1], [1, 2, 3, 4, 5, 6], range(6))
    assert (found.value, found.missing) == (None, Missing(code="hangs_on_one_family"))


def test_the_order_of_models_does_not_matter() -> None:
    x, y, of = [1.0, 2, 4, 8, 16, 3], [0.2, 0.1, 0.4, 0.3, 0.9, 0.5], list("abcdee")
    turned = slope(x[::-1], y[::-1], of[::-1])
    assert turned[:4] == pytest.approx(slope(x, y, of)[:4])
