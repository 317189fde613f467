"""Two models on the same units."""

from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test
from statsmodels.stats.contingency_tables import mcnemar

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.intervals import mean_interval
from mores.stats.paired import Paired, compare_paired, detectable_after, mcnemar_exact, minimum_detectable_effect
from mores.tables.missing_texts import format_missing

SEED = Seed("tests")
Values = npt.NDArray[np.float64]


def ends(found: Paired) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def two(clusters: int, each: int, seed: int = 0, lead: float = 0.0) -> tuple[Values, Values, npt.NDArray[np.int64]]:
    """Scores of two models whose difference varies over clusters."""
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(clusters), each)
    a = rng.random(of.size)
    return a, a - lead - rng.normal(0, 0.2, clusters)[of] - rng.normal(0, 0.1, of.size), of


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_that_of_statsmodels(b: int, c: int) -> None:
    expected = mcnemar([[5, b], [c, 5]], exact=True).pvalue if b + c else 1.0
    assert mcnemar_exact(b, c) == pytest.approx(expected, abs=1e-12)


def test_counts_below_zero_are_refused() -> None:
    with pytest.raises(InputError, match="expected counts from 0"):
        mcnemar_exact(-1, 3)


def test_one_binary_unit_a_cluster_has_mcnemars_p() -> None:
    a, b = np.repeat([1, 0, 1, 0], [7, 2, 20, 11]), np.repeat([0, 1, 1, 0], [7, 2, 20, 11])
    found = compare_paired(a, b, range(40), seed=SEED)
    assert found.test == "McNemar exact"
    assert found.p == pytest.approx(mcnemar_exact(7, 2))
    assert found.p_one_sided == pytest.approx(found.p / 2)
    assert found.difference == pytest.approx(5 / 40)
    assert found.discordance == pytest.approx(9 / 40)
    # One more each way: (8 - 3) / 42 ± 1.96 sqrt((11/42 - (5/42)²) / 42)
    half = 1.959964 * np.sqrt((11 / 42 - (5 / 42) ** 2) / 42)
    assert ends(found) == pytest.approx((5 / 42 - half, 5 / 42 + half))


@pytest.mark.parametrize("clusters", [8, 11])
def test_few_clusters_are_flipped_in_every_way(clusters: int) -> None:
    a, b, of = two(clusters, 4, lead=0.1)
    sums = np.bincount(of, a - b)
    flipped = np.array([np.dot(signs, sums) for signs in product((-1, 1), repeat=clusters)])
    found = compare_paired(a, b, of, seed=SEED)
    assert found.test == "sign flip, exact"
    assert found.p == pytest.approx(np.mean(np.abs(flipped) >= abs(sums.sum()) - 1e-9))
    assert found.p_one_sided == pytest.approx(np.mean(flipped >= sums.sum() - 1e-9))


def test_the_exact_p_is_that_of_scipy() -> None:
    a, b, of = two(10, 3, lead=0.1)
    sums = np.bincount(of, a - b)
    oracle = permutation_test((sums, np.zeros(10)), lambda x, y: np.sum(x - y), permutation_type="samples")
    assert compare_paired(a, b, of, seed=SEED).p == pytest.approx(oracle.pvalue)


@pytest.mark.parametrize(("scale", "name"), [(None, "sign flip, counted on a grid"), (3.0, "sign flip, exact")])
def test_many_clusters_are_counted_to_the_same_p(scale: float | None, name: str) -> None:
    a, b, of = two(40, 3, lead=0.06)
    gap = a - b if scale is None else np.rint(scale * (a - b) * 4) / scale
    sums = np.bincount(of, gap)
    oracle = permutation_test(
        (sums, np.zeros(40)),
        lambda x, y, axis: np.sum(x - y, axis=axis),
        vectorized=True,
        permutation_type="samples",
        n_resamples=50_000,
        rng=np.random.default_rng(1),
    )
    found = compare_paired(gap, np.zeros(120), of, seed=SEED)
    assert found.test == name
    assert found.p == pytest.approx(oracle.pvalue, abs=0.01)


@given(st.integers(0, 60), st.integers(0, 60))
def test_whole_sums_have_the_binomial_p_however_many(up: int, down: int) -> None:
    gap = np.repeat([1.0, -1.0], [2 * up, 2 * down])
    found = compare_paired(gap, np.zeros(gap.size), np.arange(gap.size) // 2, seed=SEED)
    if up + down:
        assert found.test == "sign flip, exact"
        assert found.p == pytest.approx(mcnemar_exact(up, down))


def test_a_p_hangs_on_no_dice() -> None:
    a, b, of = two(300, 2, lead=0.01)
    first, second = (compare_paired(a, b, of, seed=SEED.child(draw)).p for draw in (1, 2))
    assert first == second


def test_clusters_without_a_difference_count_for_nothing_in_the_test() -> None:
    a, b, of = two(10, 2, lead=0.1)
    same = np.ones(60)
    more = compare_paired(
        np.append(a, same), np.append(b, same), np.append(of, np.repeat(np.arange(10, 40), 2)), seed=SEED
    )
    assert more.p == compare_paired(a, b, of, seed=SEED).p


@pytest.mark.parametrize("each", [1, 3])
def test_equal_models_have_p_one_and_an_interval_that_is_not_a_point(each: int) -> None:
    values = np.tile([1.0, 0, 1], 4 * each)
    found = compare_paired(values, values, np.repeat(np.arange(12), each), seed=SEED)
    assert (found.difference, found.p, found.p_one_sided, found.discordance) == (0, 1, 1, 0)
    low, high = ends(found)
    assert low == pytest.approx(-high)
    assert 0 < high < 0.4


def test_equal_differences_of_any_size_have_no_interval() -> None:
    found = compare_paired(np.full(20, 5.0), np.full(20, 2.0), range(20), seed=SEED)
    assert (found.low, found.high, format_missing(found.missing)) == (
        None,
        None,
        "every cluster has the same difference",
    )


def test_fewer_than_eight_clusters_have_a_test_but_no_interval() -> None:
    found = compare_paired(*two(7, 3), seed=SEED)
    assert (found.low, format_missing(found.missing)) == (None, "too few clusters: 7, at least 8 are needed")
    assert 0 < found.p <= 1


def test_no_units_in_common_have_no_figures() -> None:
    found = compare_paired([], [], [], seed=SEED)
    assert format_missing(found.missing) == "nothing graded for both"
    assert np.isnan([found.difference, found.p, found.p_one_sided, found.discordance]).all()


def test_units_that_do_not_pair_are_refused() -> None:
    with pytest.raises(InputError, match="a and b"):
        compare_paired([1, 0], [1], [0, 1], seed=SEED)


def test_clusters_are_weighed_and_not_counted() -> None:
    of = np.repeat(np.arange(8), [46] + [1] * 7)
    found = compare_paired(np.arange(53) % 3 > 0, np.arange(53) % 5 > 0, of, seed=SEED)
    says = "too few clusters: 8, and the largest holds 46 of 53 units; they weigh as 1.3, at least 4 are needed"
    assert (found.low, format_missing(found.missing)) == (None, says)
    assert 0 < found.p <= 1


@pytest.mark.parametrize("difference", [(0.05, 0.0), (0.2, 0.2)])
def test_a_difference_over_uneven_clusters_is_covered(difference: tuple[float, float]) -> None:
    """At least .93 less three standard errors of 500 draws; the rule that counted clusters had .72 to .90."""
    rng, held = np.random.default_rng(4), 0
    of = np.repeat(
        np.arange(40), np.maximum(1, np.rint(10 * np.exp(np.random.default_rng(3).normal(-0.5, 1, 40)))).astype(int)
    )
    for _ in range(500):
        chances = rng.dirichlet(2.5 * np.array([*np.maximum(difference, 1e-6), 1 - sum(difference)]), 40)
        drawn, cuts = rng.random(of.size), np.cumsum(chances, axis=1)[of]
        found = compare_paired(drawn < cuts[:, 0], (drawn >= cuts[:, 0]) & (drawn < cuts[:, 1]), of, seed=SEED)
        held += ends(found)[0] <= difference[0] - difference[1] <= ends(found)[1]
    assert held / 500 >= 0.93 - 3 * np.sqrt(0.93 * 0.07 / 500)


@pytest.mark.parametrize(("clusters", "method"), [(12, "t on cluster means"), (40, "cluster bootstrap")])
def test_the_interval_of_points_is_that_of_the_mean_difference(clusters: int, method: str) -> None:
    a, b, of = two(clusters, 3)
    a, b = 10 * a, 10 * b
    found = compare_paired(a, b, of, strata=of % 2, seed=SEED)
    alike = mean_interval(a - b, of, strata=of % 2, resamples=10_000, seed=SEED.child("resamples"))
    assert found.method == method == alike.method
    assert ends(found) == (alike.low, alike.high)


@settings(max_examples=25, deadline=None)
@given(st.integers(8, 40), st.integers(1, 3), st.integers(0, 99))
def test_swapping_the_models_mirrors_the_answer(clusters: int, each: int, draw: int) -> None:
    a, b, of = two(clusters, each, draw)
    one = compare_paired(a, b, of, resamples=500, seed=SEED)
    other = compare_paired(b, a, of, resamples=500, seed=SEED)
    assert other.difference == pytest.approx(-one.difference)
    assert other.p == pytest.approx(one.p, abs=1e-3 if clusters > 15 else 1e-12)
    assert ends(other)[0] == pytest.approx(-ends(one)[1], abs=0.05)


def test_a_model_that_got_worse_is_found_out_one_sided() -> None:
    assert compare_paired(*two(40, 3, lead=0.3), seed=SEED).p_one_sided < 0.01
    assert compare_paired(*two(40, 3, lead=-0.3), seed=SEED).p_one_sided > 0.99


def test_order_and_names_of_clusters_do_not_matter() -> None:
    a, b, of = two(40, 3)
    order = np.random.default_rng(0).permutation(a.size)
    one = compare_paired(a, b, of, seed=SEED)
    other = compare_paired(a[order], b[order], 100 - of[order], seed=SEED)
    assert other.p == pytest.approx(one.p, abs=1e-3)
    assert ends(other) == pytest.approx(ends(one), abs=1e-6)


@pytest.mark.parametrize(("clusters", "each"), [(12, 5), (40, 5), (40, 1)])
def test_equal_models_are_rarely_called_different(clusters: int, each: int) -> None:
    """Type I error at most .05 plus three standard errors; binary answers, alike within a cluster."""
    rng, draws, of = np.random.default_rng(3), 1000, np.repeat(np.arange(clusters), each)
    false = 0
    for draw in range(draws):
        hard = rng.random((2, clusters))[:, of]
        a, b = (rng.random((2, of.size)) < hard).astype(float)
        false += compare_paired(a, b, of, resamples=50, seed=SEED.child(draw)).p <= 0.05
    assert false / draws <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / draws)


@pytest.mark.parametrize(("more", "less", "n"), [(0.15, 0.05, 30), (0.15, 0.05, 200), (0.02, 0.02, 60)])
def test_the_difference_of_two_shares_is_covered(more: float, less: float, n: int) -> None:
    """At least .95 less three standard errors; rare differences are covered nearly always."""
    rng, held = np.random.default_rng(9), 0
    for _ in range(1000):
        a, b = np.repeat([[1, 0], [0, 1], [1, 1]], rng.multinomial(n, [more, less, 1 - more - less]), axis=0).T
        low, high = ends(compare_paired(a, b, range(n), seed=SEED))
        held += low <= more - less <= high
    assert held / 1000 >= 0.95 - 0.021


@pytest.mark.parametrize(
    ("discordance", "effects"),
    [
        (0.1, [0.177, 0.125, 0.089, 0.063, 0.044, 0.028]),
        (0.2, [0.251, 0.177, 0.125, 0.089, 0.063, 0.040]),
        (0.3, [0.307, 0.217, 0.153, 0.109, 0.077, 0.049]),
    ],
)
def test_the_detectable_effects_are_those_of_the_table(discordance: float, effects: list[float]) -> None:
    found = [minimum_detectable_effect(n, discordance) for n in (25, 50, 100, 200, 400, 1000)]
    assert found == pytest.approx(effects, abs=6e-4)


@pytest.mark.parametrize(("n", "differ"), [(9, 1), (20, 1), (60, 1), (135, 2)])
def test_what_could_have_been_seen_is_found_in_most_draws(n: int, differ: int) -> None:
    """The formula alone takes it that hardly any unit can differ, also where the difference is large."""
    rng, d = np.random.default_rng(9), detectable_after(n, differ / n)
    found = 0
    for _ in range(400):
        gap = np.where(rng.random(n) < d, 1.0, 0.0)
        found += compare_paired(gap, np.zeros(n), range(n), seed=SEED).p < 0.05
    assert found / 400 >= 0.72
    assert minimum_detectable_effect(n, differ / n) < d


def test_where_many_units_differ_the_formula_says_what_could_have_been_seen() -> None:
    assert detectable_after(100, 0.2, 1.5) == minimum_detectable_effect(100, 0.2, 1.5)


def test_clusters_and_a_weak_judge_hide_effects() -> None:
    assert minimum_detectable_effect(100, 0.2, 1.5, 0.8) == pytest.approx(0.192, abs=5e-4)


@pytest.mark.parametrize(
    ("n", "discordance", "deff", "judge"), [(0, 0.1, 1, 1), (10, 1.1, 1, 1), (10, 0.1, 0, 1), (10, 0.1, 1, 0)]
)
def test_a_plan_that_cannot_be_is_refused(n: int, discordance: float, deff: float, judge: float) -> None:
    with pytest.raises(InputError, match="expected n >= 1"):
        minimum_detectable_effect(n, discordance, deff, judge)
