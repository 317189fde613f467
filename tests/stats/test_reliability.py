"""Whether figures of groups would come out in the same order with other units."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.stats.reliability import Reliability, reliability_of_means
from mores.tables.missing_texts import format_missing


def of(values: object, groups: object, clusters: object = None, divisors: object = None) -> Reliability:
    size = len(np.asarray(values))
    return reliability_of_means(
        np.asarray(values, dtype=float),
        np.ones(size) if divisors is None else np.asarray(divisors, dtype=float),
        np.asarray(groups),
        np.arange(size) if clusters is None else np.asarray(clusters),
    )


EIGHTS = list("A" * 8 + "B" * 8)
APART = [1] * 6 + [0] * 2 + [1] * 2 + [0] * 6


def test_it_is_one_less_noise_over_variance_worked_by_hand() -> None:
    # A has 6 of 8 right, B 2 of 8: variance of a mean .75 · .25 / 7 = .0268 for both; between (.75, .25) .125.
    found = of(APART, EIGHTS)
    assert found.value == pytest.approx(1 - 0.1875 / 7 / 0.125)
    # A unit varies by .0268 · 8 = .214 and places by .125 - .0268 = .0982: 4 · .214 / .0982 = 8.7, so 9 units for .8.
    assert (found.groups, found.units, found.clusters, found.needed) == (2, 16, 16, 9)


def test_groups_of_equal_size_have_the_classical_one() -> None:
    """1 - 1 / F of a one-way analysis of variance, which is what Spearman and Brown make of the split halves."""
    points = np.random.default_rng(1).normal(np.repeat([0.0, 0.5, 1.0, 1.5], 8), 1.0)
    table = points.reshape(4, 8)
    f = 8 * table.mean(1).var(ddof=1) / table.var(1, ddof=1).mean()
    assert of(points, np.repeat(range(4), 8)).value == pytest.approx(1 - 1 / f)


def test_split_halves_agree_as_it_says() -> None:
    """The correlation of figures from two lots of other units, over many lots, is the reliability of either."""
    rng, shares = np.random.default_rng(3), np.linspace(0.5, 0.9, 15)
    drawn = rng.binomial(20, shares, size=(2, 400, 15)) / 20
    agree = np.mean([np.corrcoef(a, b)[0, 1] for a, b in zip(*drawn, strict=True)])
    right = rng.random((200, 15, 20)) < shares[:, None]
    found = [of(each.ravel(), np.repeat(range(15), 20)).value for each in right]
    assert np.mean([value for value in found if value is not None]) == pytest.approx(agree, abs=0.05)


def test_as_many_units_as_are_said_to_be_needed_give_what_was_wanted() -> None:
    rng, shares = np.random.default_rng(5), np.linspace(0.6, 0.8, 15)
    noise, between = shares * (1 - shares), shares.var(ddof=1)
    truly = 4 * noise.mean() / between
    right = rng.random((15, 300)) < shares[:, None]
    needed = of(right.ravel(), np.repeat(range(15), 300)).needed
    assert needed is not None
    assert needed == pytest.approx(truly, rel=0.6)
    assert between / (between + noise.mean() / truly) == pytest.approx(0.8)


def test_clusters_make_it_less() -> None:
    """Eight clusters of five that all say the same are eight answers, not forty."""
    right = np.repeat(APART, 5)
    groups, clusters = np.repeat(EIGHTS, 5), np.repeat(range(16), 5)
    assert of(right, groups, clusters).value == pytest.approx(of(APART, EIGHTS).value)
    assert (of(right, groups).value or 0) > 0.95


def test_places_that_are_alike_need_more_than_can_be_told() -> None:
    found = of([1, 0] * 4 + [1, 0] * 4 + [1, 0, 1, 0, 1, 0, 1, 1], np.repeat(list("ABC"), 8))
    assert (found.value, found.low, found.needed, found.ranks) == (0, 0, None, False)
    assert found.high is not None
    assert found.needed_least is not None
    assert found.high > 0.3


def test_half_reliable_is_no_order_where_chance_alone_gives_it() -> None:
    """Of two places of eight .57 comes of chance in one draw of seven."""
    found = of([1] * 6 + [0] * 2 + [1] * 3 + [0] * 5, EIGHTS)
    assert found.value == pytest.approx(4 / 7)
    assert (found.low, found.ranks) == (0, False)
    sure = of(np.repeat([1] * 6 + [0] * 2 + [1] * 3 + [0] * 5, 5), np.repeat(EIGHTS, 5))
    assert sure.ranks


def test_what_cannot_be_told_is_none_with_a_reason() -> None:
    for values, groups, why in (
        ([1, 0, 1], list("AAA"), "fewer than two groups"),
        ([1, 0] * 15, [*("A" * 23), *("B" * 7)], "fewer than two groups with 8 clusters"),
        ([np.nan] * 16, EIGHTS, "fewer than two groups"),
        ([1, 0] * 8, EIGHTS, "one and the same"),
    ):
        found = of(values, groups)
        assert (found.value, found.low, found.high, found.needed) == (None, None, None, None)
        assert why in format_missing(found.missing)
        assert not found.ranks
    apart = of([1] * 8 + [0] * 8, EIGHTS)
    assert (apart.value, apart.low, apart.high) == (1, 0, 1)


def test_groups_of_fewer_than_eight_clusters_are_left_out() -> None:
    assert of([*APART, *[1] * 7], [*EIGHTS, *"C" * 7]) == of(APART, EIGHTS)


def test_a_cluster_in_two_groups_is_one_of_each() -> None:
    assert of(APART, EIGHTS, [*range(8), *range(8)]) == of(APART, EIGHTS)


@settings(max_examples=20)
@given(st.lists(st.integers(8, 16), min_size=2, max_size=12), st.integers(0, 99))
def test_it_lies_within_its_interval_whatever_the_order_of_units(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = np.repeat(range(len(sizes)), sizes)
    points = rng.random(groups.size)
    found, shuffle = of(points, groups), rng.permutation(groups.size)
    again = of(points[shuffle], groups[shuffle])
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert again.value == pytest.approx(found.value)
    assert 0 <= found.low <= found.value + 1e-5 <= found.high + 2e-5
    assert found.high <= 1


def test_lengths_that_differ_are_refused() -> None:
    with pytest.raises(InputError, match="groups and values"):
        of([1, 0], ["A"])


@pytest.mark.parametrize(
    ("sizes", "share"),
    [((2, 28), 0.5), ((2, 28), 0.2), ((8, 50), 0.5), ((8, 100), 0.3), ((9, 40, 200), 0.3), ((8, 8, 9, 60), 0.5)],
)
def test_unequal_groups_without_a_difference_are_seldom_put_in_order(sizes: tuple[int, ...], share: float) -> None:
    """At most .025 are; of 300 draws over 15 would be one in 200 runs of this test. A few alike claimed .18 to .51."""
    rng = np.random.default_rng(31)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    draws = (rng.random((300, groups.size)) < share).astype(float)
    ranked = sum(reliability_of_means(d, np.ones(d.size), groups, np.arange(d.size)).ranks for d in draws)
    assert ranked <= 15


def test_a_group_that_is_all_alike_is_not_measured_without_noise() -> None:
    few = [1.0, 1.0, *([0.0, 1.0] * 14)]
    assert not reliability_of_means(few, np.ones(30), [0, 0, *[1] * 28], np.arange(30)).ranks
