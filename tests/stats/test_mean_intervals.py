"""Intervals of means over units in clusters."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import t as student

from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.core.seeds import Seed
from mores.stats.intervals import Interval, mean_interval, no_interval, wilson
from mores.stats.weighted_means import stratified_wilson
from mores.tables.missing_texts import format_missing
from tests.stats.drawing import draws, luck

SEED = Seed("tests")
Values = npt.NDArray[np.float64]


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


def graded(clusters: int, each: int, seed: int = 0) -> tuple[Values, npt.NDArray[np.int64]]:
    """Shares between 0 and 1 in clusters that differ."""
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(clusters), each)
    return np.clip(rng.normal(0.5, 0.1, clusters)[of] + rng.normal(0, 0.1, of.size), 0, 1), of


def test_fewer_than_eight_clusters_have_no_interval_and_it_says_so() -> None:
    values, of = graded(7, 5)
    expected = no_interval(Missing(code="too_few_clusters", n=7, needed=8))
    assert mean_interval(values, of, seed=SEED) == expected
    assert mean_interval(np.ones(35), of, seed=SEED) == expected


@pytest.mark.parametrize("right", [0.0, 1.0])
def test_units_alone_have_an_interval_from_eight_as_clusters_have(right: float) -> None:
    for units in (1, 7):
        few = mean_interval(np.full(units, right), np.arange(units), seed=SEED)
        assert few == no_interval(Missing(code="too_few_clusters", n=units, needed=8))
    assert ends(mean_interval(np.full(8, right), np.arange(8), seed=SEED)) == ends(wilson(8 * right, 8))


def test_one_unit_with_half_of_the_weight_leaves_too_few() -> None:
    found = mean_interval([1.0] * 41, np.arange(41), strata=[0] + [1] * 40, weights="equal", seed=SEED)
    assert (found.low, found.missing and found.missing.code) == (None, "too_few_clusters_by_strata")


def test_eight_clusters_have_one() -> None:
    assert mean_interval(*graded(8, 5), seed=SEED).method == "t on cluster means"


def points(clusters: int, each: int, seed: int = 0) -> tuple[Values, npt.NDArray[np.int64]]:
    """The same on a scale of ten points, so that they are no shares."""
    values, of = graded(clusters, each, seed)
    return 10 * values, of


def test_thirty_clusters_of_points_are_resampled() -> None:
    assert mean_interval(*points(29, 5), seed=SEED).method == "t on cluster means"
    assert mean_interval(*points(30, 5), seed=SEED).method == "cluster bootstrap"
    assert mean_interval(*graded(30, 5), seed=SEED).method == "t on cluster means"


def test_many_clusters_of_which_few_hold_most_are_not_resampled() -> None:
    of = np.repeat(np.arange(60), [60] * 10 + [1] * 50)
    values = 10 * np.random.default_rng(1).random(of.size)
    assert mean_interval(values, of, seed=SEED).method == "t on cluster means"


def test_clusters_are_weighed_and_not_counted() -> None:
    # Kish: 53² / (46² + 7) = 1.32, as of SocialCC's etiquette for Germany
    of = np.repeat(np.arange(8), [46] + [1] * 7)
    says = "too few clusters: 8, and the largest holds 46 of 53 units; they weigh as 1.3, at least 4 are needed"
    for values in (np.arange(53) % 3 > 0, np.ones(53), 10.0 * np.arange(53)):
        found = mean_interval(values, of, seed=SEED)
        assert (found.low, found.high, format_missing(found.missing)) == (None, None, says)


def test_any_numbers_in_few_clusters_have_the_t_interval_of_their_means() -> None:
    means = np.array([3.0, 5, 1, 4, 2, 8, 6, 7, 2])
    half = student.ppf(0.975, 8) * means.std(ddof=1) / 3
    found = ends(mean_interval(np.repeat(means, 4), np.repeat(np.arange(9), 4), seed=SEED))
    assert found == pytest.approx((means.mean() - half, means.mean() + half))


def test_clusters_of_two_sizes_are_a_ratio_of_sums() -> None:
    # Eight clusters, sizes 1 and 3 in turn, means 2 and 4 … by hand: R = sum S / sum m, e = S - m R.
    of = np.repeat(np.arange(8), [1, 3] * 4)
    means = np.array([2.0, 4, 3, 5, 1, 6, 2, 5])
    size = np.array([1.0, 3] * 4)
    ratio = (size @ means) / 16
    error = size * (means - ratio) / 16
    # Each counts as what leaving its cluster out moves; Kish's number of clusters is 16² / (4 · 1 + 4 · 9) = 6.4
    half = student.ppf(0.975, 5.4) * np.sqrt(7 / 8 * np.sum((error / (1 - size / 16)) ** 2))
    assert ends(mean_interval(means[of], of, seed=SEED)) == pytest.approx((ratio - half, ratio + half))


@pytest.mark.parametrize(("value", "clusters"), [(1, 12), (0, 12), (1, 40)])
def test_clusters_that_are_all_right_fall_back_on_wilson(value: int, clusters: int) -> None:
    interval = mean_interval(np.full(clusters * 5, value), np.repeat(np.arange(clusters), 5), seed=SEED)
    assert ends(interval) == pytest.approx(ends(wilson(value * clusters, clusters)))
    assert interval.method == "wilson"


def test_clusters_of_one_mean_fall_back_on_wilson_over_clusters() -> None:
    interval = mean_interval([0, 1, 1, 1] * 12, np.repeat(np.arange(12), 4), seed=SEED)
    assert ends(interval) == pytest.approx(ends(wilson(9, 12)))


def test_places_that_are_all_right_or_all_half_right_fall_back_on_stratified_wilson() -> None:
    values, of = [1, 1] * 6 + [0, 1] * 6, np.repeat(np.arange(12), 2)
    interval = mean_interval(values, of, strata=np.repeat(["GE", "JP"], 12), seed=SEED)
    assert ends(interval) == pytest.approx(ends(stratified_wilson([6, 3], [6, 6])))


def test_repeats_of_one_answer_are_one_answer() -> None:
    answers = np.array([0, 1] * 10)
    interval = mean_interval(np.repeat(answers, 3), np.repeat(np.arange(20), 3), seed=SEED)
    assert ends(interval) == pytest.approx(ends(wilson(10, 20)))


def test_equal_numbers_that_are_no_shares_have_no_interval() -> None:
    interval = mean_interval(np.full(40, 3.0), np.repeat(np.arange(10), 4), seed=SEED)
    assert interval == no_interval(Missing(code="same_means"))


@settings(max_examples=30, deadline=None)
@given(st.integers(8, 45), st.integers(1, 4), st.integers(0, 99))
def test_neither_order_nor_names_of_clusters_matter(clusters: int, each: int, draw: int) -> None:
    values, of = graded(clusters, each, draw)
    order = np.random.default_rng(draw).permutation(values.size)
    names = np.array([f"episode {clusters - c:03d}" for c in of])
    first, second = (
        mean_interval(values, of, resamples=200, seed=SEED),
        mean_interval(values[order], names[order], resamples=200, seed=SEED),
    )
    assert ends(first) == pytest.approx(ends(second), abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(st.integers(8, 45), st.floats(0.5, 0.99), st.floats(0.5, 0.99))
def test_asking_for_more_confidence_never_narrows(clusters: int, confidence: float, other: float) -> None:
    values, of = graded(clusters, 3)
    less, more = (
        ends(mean_interval(values, of, confidence=c, resamples=300, seed=SEED)) for c in sorted((confidence, other))
    )
    assert more[0] <= less[0] + 1e-12
    assert less[1] <= more[1] + 1e-12


@given(st.lists(st.integers(0, 1), min_size=24, max_size=24))
def test_shares_stay_within_bounds(answers: list[int]) -> None:
    low, high = ends(mean_interval(answers, np.repeat(np.arange(8), 3), seed=SEED))
    assert 0 <= low <= np.mean(answers) + 1e-9
    assert np.mean(answers) - 1e-9 <= high <= 1


def test_one_seed_gives_one_interval() -> None:
    values, of = points(40, 3)
    assert mean_interval(values, of, seed=SEED) == mean_interval(values, of, seed=SEED)
    assert mean_interval(values, of, seed=SEED) != mean_interval(values, of, seed=SEED.child("other"))


def test_strata_take_the_difference_between_places_out() -> None:
    values, of = graded(40, 5)
    place = of % 4
    shifted = values / 4 + place * 0.25
    low, high = ends(mean_interval(shifted, of, strata=place, seed=SEED))
    plain_low, plain_high = ends(mean_interval(shifted, of, seed=SEED))
    assert high - low < 0.5 * (plain_high - plain_low)


@pytest.mark.parametrize("lone", [1, 2])
def test_places_of_one_cluster_are_put_together_and_keep_their_interval(lone: int) -> None:
    values, of = graded(40, 5)
    place = np.where(of < lone, of, 9 + of % 2)
    low, high = ends(mean_interval(values, of, strata=place, seed=SEED))
    assert low < values.mean() < high


def test_weights_decide_which_place_counts() -> None:
    values, of = graded(40, 5)
    place = of % 2
    high_place = np.where(place == 1, values / 2 + 0.5, values / 2)
    low, high = ends(mean_interval(high_place, of, strata=place, weights=[1, 9], seed=SEED))
    target = 0.1 * high_place[place == 0].mean() + 0.9 * high_place[place == 1].mean()
    assert low < target < high
    assert low > high_place.mean()


def test_weight_on_a_place_of_few_clusters_leaves_few_degrees_of_freedom() -> None:
    values, of = points(45, 5)
    place = np.where(of < 40, "GE", "JP")
    lopsided = mean_interval(values, of, strata=place, weights="equal", seed=SEED)
    assert lopsided.method == "t on cluster means"
    assert mean_interval(values, of, strata=place, seed=SEED).method == "cluster bootstrap"
    two = of < 42
    few = mean_interval(values[two], of[two], strata=place[two], weights="equal", seed=SEED)
    assert (
        format_missing(few.missing)
        == "too few clusters: 42, and strata of few hold much of the weight; they weigh as 2.1, at least 4 are needed"
    )


def test_places_that_share_a_cluster_are_resampled_as_one() -> None:
    values, of = graded(40, 5)
    place = np.where(of < 20, "GE", "JP")
    place[0] = "JP"
    shared = mean_interval(values, of, strata=place, seed=SEED)
    assert ends(shared) == pytest.approx(ends(mean_interval(values, of, seed=SEED)), abs=1e-9)
    chained = np.array(["GE", "JP", "KR", "MX"])[np.minimum(of // 10, 3)]
    chained[[0, 50, 100]] = ["JP", "KR", "MX"]
    assert ends(mean_interval(values, of, strata=chained, seed=SEED)) == pytest.approx(ends(shared), abs=1e-9)


def test_places_that_share_a_cluster_keep_their_weights() -> None:
    values, of = graded(40, 5)
    place = np.where(of < 30, 0, 1)
    place[0] = 1
    values = np.where(place == 1, values / 2 + 0.5, values / 2)
    low, high = ends(mean_interval(values, of, strata=place, weights="equal", seed=SEED))
    assert low < (values[place == 0].mean() + values[place == 1].mean()) / 2 < high
    assert low > values.mean()


def test_an_ungraded_unit_is_refused() -> None:
    with pytest.raises(InputError, match="2 numbers, 1 of them not finite"):
        mean_interval([1, float("nan")], [0, 1], seed=SEED)


@pytest.mark.parametrize(
    ("values", "clusters", "strata", "says"),
    [
        ([1, 0], [0], None, "clusters and values"),
        ([1, 0], [0, 1], [0], "strata and clusters"),
        ([[1, 0]], [0, 1], None, "2 dimensions"),
    ],
)
def test_a_design_that_cannot_be_is_refused(values: list[int], clusters: list[int], strata: None, says: str) -> None:
    with pytest.raises(InputError, match=says):
        mean_interval(values, clusters, strata=strata, seed=SEED)


def alike(clusters: int, each: int, share: float, rng: np.random.Generator, latent: float = 0.2) -> Values:
    """Binary units, a row a cluster, whose hidden normal scores correlate within a cluster."""
    common = np.sqrt(latent) * rng.standard_normal((clusters, 1))
    own = np.sqrt(1 - latent) * rng.standard_normal((clusters, each))
    return np.where(common + own < ndtri(share), 1.0, 0.0)


def covers(clusters: int, share: float, draws: int, *, grouped: bool) -> float:
    rng = np.random.default_rng(11)
    of = np.repeat(np.arange(clusters), 20) if grouped else np.arange(clusters * 20)
    held = 0
    for draw in range(draws):
        values = alike(clusters, 20, share, rng).ravel()
        low, high = ends(mean_interval(values, of, resamples=300, seed=SEED.child(draw)))
        held += low <= share <= high
    return held / draws


@draws(500, 1500)
@pytest.mark.parametrize("clusters", [15, 30, 60])
@pytest.mark.parametrize(("share", "most"), [(0.5, 0.97), (0.9, 0.992)])
def test_clustered_means_are_covered(clusters: int, share: float, most: float, draws: int) -> None:
    """Nominal .95; attained .95 to .97, up to .992 near an edge, less three standard errors or more by them."""
    assert 0.94 - luck(0.94, draws) <= covers(clusters, share, draws, grouped=True) <= most + luck(most, draws)


UNEVEN = {
    "five of 61 and six of 26": [61] * 5 + [26] * 6,
    "log-normal": np.maximum(1, np.rint(10 * np.exp(np.random.default_rng(3).normal(-0.5, 1, 40)))).astype(int),
}


@draws(200, 600)
@pytest.mark.parametrize(("share", "icc"), [(0.8, 0.05), (0.95, 0.3)])
@pytest.mark.parametrize("design", UNEVEN)
def test_clusters_of_uneven_sizes_are_covered(design: str, share: float, icc: float, draws: int) -> None:
    """At least .93 less three standard errors; the old rule, which counted clusters, had .83 to .90."""
    rng, of, held = np.random.default_rng(5), np.repeat(np.arange(len(UNEVEN[design])), UNEVEN[design]), 0
    for _ in range(draws):
        mind = rng.beta(share * (1 - icc) / icc, (1 - share) * (1 - icc) / icc, of.max() + 1)
        low, high = ends(mean_interval((rng.random(of.size) < mind[of]).astype(float), of, seed=SEED))
        held += low <= share <= high
    assert held / draws >= 0.93 - luck(0.93, draws)


def right_or_wrong_as_a_whole(of: npt.NDArray[np.int64], share: float, rng: np.random.Generator) -> Values:
    """Three clusters of ten are right or wrong as one, units of the others by themselves."""
    clusters = of.max() + 1
    as_one = rng.random(clusters) < 0.3
    chances = np.where(as_one, rng.random(clusters) < share, share)
    return (rng.random(of.size) < chances[of]).astype(float)


@draws(150, 400)
@pytest.mark.parametrize("share", [0.8, 0.9, 0.95])
@pytest.mark.parametrize("sizes", [[20] * 40, [70] * 16 + [30] * 45 + [1] * 90])
def test_whole_clusters_that_are_wrong_are_covered_though_a_sample_may_have_none(
    sizes: list[int], share: float, draws: int
) -> None:
    """At least .95 less three standard errors; from the spread alone it is .84 to .92."""
    rng, of, held = np.random.default_rng(8), np.repeat(np.arange(len(sizes)), sizes), 0
    for _ in range(draws):
        low, high = ends(mean_interval(right_or_wrong_as_a_whole(of, share, rng), of, seed=SEED))
        held += low <= share <= high
    assert held / draws >= 0.95 - luck(0.95, draws)


def test_an_interval_of_independent_units_hardly_widens_for_clusters_that_may_be_wrong_as_a_whole() -> None:
    rng, of = np.random.default_rng(8), np.repeat(np.arange(61), [70] * 16 + [30] * 45)
    widths = []
    for _ in range(100):
        low, high = ends(mean_interval((rng.random(of.size) < 0.9).astype(float), of, seed=SEED))
        widths.append(high - low)
    assert np.mean(widths) < 1.4 * 2 * 1.96 * np.sqrt(0.9 * 0.1 / of.size)


@draws(200, 600)
@pytest.mark.parametrize("failing", [0.03, 0.075])
def test_shares_of_a_doubting_judge_are_covered_near_its_edge(failing: float, draws: int) -> None:
    """Three answers to each of 45 bundles, about .96 where right and .16 where wrong: .95 and more, a t has .88."""
    rng, held, of = np.random.default_rng(6), 0, np.repeat(np.arange(45), 3)
    truth = (1 - failing) * 30 / 31.2 + failing * 1.5 / 9.5
    for _ in range(draws):
        right = rng.random(135) >= failing
        values = np.where(right, rng.beta(30, 1.2, 135), rng.beta(1.5, 8, 135))
        low, high = ends(mean_interval(values, of, strata=of // 3, seed=SEED))
        held += low <= truth <= high
    assert held / draws >= 0.95 - luck(0.95, draws)


def test_ignoring_clusters_fails_to_cover() -> None:
    assert covers(30, 0.5, 500, grouped=False) < 0.8
