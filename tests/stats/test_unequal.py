"""Errors that differ between groups: found where they do, seldom where they do not, and never from few clusters."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.group_means import unequal_errors
from mores.stats.ranks import holm

SEED = Seed("unequal")


def test_the_counts_are_those_of_all_deals() -> None:
    # 8 of A with 6 errors and 8 of B with 1: a deal is one of the 16 choose 8 ways to give A its clusters
    errors = [1] * 6 + [0] * 2 + [1] + [0] * 7
    permutations = [sum(errors[place] for place in chosen) for chosen in combinations(range(16), 8)]
    exact = sum(abs(2 * wrong - 7) >= 5 for wrong in permutations) / len(permutations)
    a, b = unequal_errors(errors, ["A"] * 8 + ["B"] * 8, range(16), seed=SEED)
    assert (a.group, a.units, a.clusters, a.error, a.others) == ("A", 8, 8, 0.75, 0.125)
    assert a.p == pytest.approx(exact, rel=1e-9)
    assert b.p == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("times", [1, 4])
def test_deals_that_are_drawn_come_to_the_same_as_all_deals(times: int) -> None:
    errors = np.tile([1] * 5 + [0] * 5 + [1] * 4 + [0] * 6, times)
    groups = np.tile(["A"] * 10 + ["B"] * 10, times)
    of = np.arange(20 * times)
    counted = unequal_errors(errors, groups, of, seed=SEED)[0]
    twice = (np.repeat(each, 2) for each in (errors, groups, of))
    drawn = unequal_errors(*twice, seed=SEED, permutations=40_000)[0]
    assert drawn.clusters == counted.clusters == 10 * times
    assert drawn.p == pytest.approx(counted.p, abs=4 * (counted.p * (1 - counted.p) / 40_000) ** 0.5)


@pytest.mark.parametrize("kinds", [3, 16])
def test_deals_of_clusters_of_unlike_errors_and_sizes_come_to_the_same_as_all_deals(kinds: int) -> None:
    rng = np.random.default_rng(kinds)
    size = 1 + np.arange(16) % 3
    errors = np.round(3 * rng.random(kinds)[np.arange(16) % kinds]) / 3 if kinds < 16 else rng.random(16)
    errors[:4] += 0.4
    groups = np.array(["A"] * 8 + ["B"] * 8)
    values, of = np.repeat(errors, size), np.repeat(np.arange(16), size)
    inside = np.zeros((12_870, 16), dtype=np.bool_)
    for row, chosen in zip(inside, combinations(range(16), 8), strict=True):
        row[list(chosen)] = True
    apart = (inside @ (errors * size)) / (inside @ size) - (~inside @ (errors * size)) / (~inside @ size)
    exact = float(np.mean(np.abs(apart) >= abs(apart[0]) - 1e-12))  # the first deal is the one that was seen
    a, b = unequal_errors(values, np.repeat(groups, size), of, seed=SEED, permutations=40_000)
    assert a.p == b.p == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 40_000) ** 0.5)


def test_a_group_that_errs_twice_as_often_is_found_and_the_claims_of_equal_ones_stay_true() -> None:
    found, false = 0, 0
    for number in range(60):
        rng = np.random.default_rng(number)
        groups = np.repeat(["A", "B", "C", "D"], 60)
        errors = rng.random(240) < np.where(groups == "A", 0.5, 0.15)
        p = holm([each.p for each in unequal_errors(errors, groups, range(240), seed=SEED)])
        found += p[0] <= 0.05
        same = unequal_errors(rng.random(240) < 0.2, groups, range(240), seed=SEED)
        false += holm([each.p for each in same]).min() <= 0.05
    assert found >= 55
    assert false <= 3 + 3 * (60 * 0.05 * 0.95) ** 0.5


def test_things_of_one_cluster_are_no_independent_ones() -> None:
    rng = np.random.default_rng(5)
    by_cluster, by_thing = 0, 0
    for _ in range(150):
        wrong = np.repeat(rng.random(40) < 0.3, 10)  # all ten things of a cluster alike
        groups, clusters = np.repeat(["A", "B"], 200), np.repeat(range(40), 10)
        by_cluster += unequal_errors(wrong, groups, clusters, seed=SEED, permutations=400)[0].p <= 0.05
        by_thing += unequal_errors(wrong, groups, range(400), seed=SEED)[0].p <= 0.05
    assert by_cluster <= 150 * 0.05 + 3 * (150 * 0.05 * 0.95) ** 0.5
    assert by_thing > 60


def test_groups_with_few_clusters_are_not_tested_and_neither_is_one_without_others() -> None:
    groups = ["A"] * 7 + ["B"] * 9 + ["C"] * 9
    few, *others = unequal_errors([0, 1] * 12 + [0], groups, range(25), seed=SEED)
    assert np.isnan(few.p)
    assert all(np.isfinite(each.p) for each in others)
    (alone,) = unequal_errors([0, 1] * 10, ["A"] * 20, range(20), seed=SEED)
    assert np.isnan(alone.p)
    assert np.isnan(alone.others)
    assert unequal_errors([], [], [], seed=SEED) == ()


def test_units_without_an_error_to_speak_of_are_left_out() -> None:
    errors = [0.1, float("nan"), 0.3] * 8
    a, b = unequal_errors(errors, ["A", "A", "B"] * 8, range(24), seed=SEED)
    assert (a.units, b.units) == (8, 8)
    assert [a.error, b.error] == pytest.approx([0.1, 0.3])
    assert a.p < 0.001


@given(st.lists(st.tuples(st.sampled_from("ABC"), st.booleans()), min_size=1, max_size=60))
def test_every_group_has_a_chance_between_0_and_1_or_none_and_order_changes_nothing(
    rows: list[tuple[str, bool]],
) -> None:
    groups, errors = zip(*rows, strict=True)
    found = unequal_errors(errors, groups, range(len(rows)), seed=SEED)
    assert [each.group for each in found] == sorted(set(groups))
    assert all(np.isnan(each.p) or 0 < each.p <= 1 for each in found)
    turned = unequal_errors(errors[::-1], groups[::-1], range(len(rows)), seed=SEED)
    assert [each.p for each in turned] == pytest.approx([each.p for each in found], nan_ok=True)


def test_lengths_that_differ_and_infinite_errors_are_refused() -> None:
    with pytest.raises(InputError, match="groups and errors"):
        unequal_errors([0, 1], ["A"], [1, 2], seed=SEED)
    with pytest.raises(InputError, match="clusters and errors"):
        unequal_errors([0, 1], ["A", "B"], [1], seed=SEED)
    with pytest.raises(InputError, match="not finite"):
        unequal_errors([float("inf"), 1], ["A", "B"], [1, 2], seed=SEED)
