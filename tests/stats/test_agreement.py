"""Two raters: agreement of a judge with people, and its intervals."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, precision_recall_fscore_support
from statsmodels.stats.inter_rater import cohens_kappa

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.cluster_sums import Design, MeasuredFigure, percentiles
from mores.stats.confusion import PairAgreement, cohen_kappa, confusion_table, gwet_ac1, pair_agreement
from mores.stats.correlation import pearson_correlation, spearman_correlation
from mores.stats.intervals import Interval, mean_interval, wilson
from mores.tables.missing_texts import format_missing

SEED = Seed("tests")
CLASSES = ["kept", "broken", "neutral"]
Codes = npt.NDArray[np.int64]
pairs = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=60)


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.low is not None, interval.missing
    assert interval.high is not None
    return interval.low, interval.high


def alone(units: int) -> Design:
    return Design(clusters=range(units), seed=SEED)


def units(table: list[list[int]]) -> tuple[Codes, Codes]:
    """Gold and said labels that have this table."""
    counts = np.array(table)
    gold, said = np.indices(counts.shape).reshape(2, -1)
    return np.repeat(gold, counts.ravel()), np.repeat(said, counts.ravel())


def agreed(clusters: int, each: int, share: float = 0.8, seed: int = 0) -> tuple[Codes, Codes, Codes]:
    """Labels of three classes, right with this probability, and their clusters."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, clusters * each)
    said = np.where(rng.random(gold.size) < share, gold, rng.integers(0, 3, gold.size))
    return gold, said, np.repeat(np.arange(clusters), each)


def figures(found: PairAgreement) -> list[MeasuredFigure]:
    """All figures of a pair."""
    weighted = [one for one in (found.kappa_linear, found.kappa_quadratic) if one is not None]
    each = [figure for one in found.classes for figure in (one.precision, one.recall, one.f1)]
    return [found.accuracy, found.balanced_accuracy, found.kappa, found.alpha, found.ac1, found.pabak, *weighted, *each]


def test_kappa_is_that_of_the_textbook_table() -> None:
    # Agreement 35/50 = .7; chance (25·30 + 25·20)/50² = .5; (.7 - .5)/.5
    assert cohen_kappa(np.array([[20.0, 5.0], [10.0, 15.0]])) == pytest.approx(0.4)


def test_a_rare_class_is_punished_by_kappa_and_not_by_ac1() -> None:
    table = [[190, 4], [4, 2]]
    found = pair_agreement(*units(table), ["kept", "broken"], alone(200))
    assert found.accuracy.value == pytest.approx(0.96)
    assert found.kappa.value == pytest.approx(0.313, abs=5e-4) == cohen_kappa(np.array(table, dtype=float))
    assert found.ac1.value == pytest.approx(0.958, abs=5e-4)
    assert found.pabak.value == pytest.approx(0.92)
    assert gwet_ac1(np.array(table, dtype=float)) == pytest.approx(found.ac1.value)


@given(pairs)
def test_figures_are_those_of_scikit_learn(answers: list[tuple[int, int]]) -> None:
    gold, said = (np.array(column) for column in zip(*answers, strict=True))
    found = pair_agreement(gold, said, CLASSES, alone(gold.size), ordered=True)
    assert found.table.tolist() == confusion_table(gold, said, 3).tolist()
    precision, recall, f1, count = precision_recall_fscore_support(
        gold, said, labels=[0, 1, 2], average=None, zero_division=np.nan
    )
    for number, one in enumerate(found.classes):
        assert one.gold == count[number]
        assert [one.precision.value, one.recall.value] == pytest.approx(
            [precision[number], recall[number]], nan_ok=True
        )
        assert one.f1.value == pytest.approx(f1[number], nan_ok=True)
    if np.unique(gold).size == 3:
        assert found.balanced_accuracy.value == pytest.approx(balanced_accuracy_score(gold, said))
    if np.unique(np.concatenate((gold, said))).size > 1:
        plain, linear, quadratic = (
            cohen_kappa_score(gold, said, labels=[0, 1, 2], weights=w) for w in (None, "linear", "quadratic")
        )
        assert found.kappa_linear is not None
        assert found.kappa_quadratic is not None
        values = [found.kappa.value, found.kappa_linear.value, found.kappa_quadratic.value]
        assert values == pytest.approx([plain, linear, quadratic])
    else:
        assert np.isnan(found.kappa.value)
        assert format_missing(found.kappa.missing) == "both raters give one and the same class throughout"


def test_kappas_are_those_of_statsmodels() -> None:
    table = np.array([[20, 5, 1], [3, 30, 6], [2, 4, 9]])
    for weighting, name in (("none", None), ("linear", "linear"), ("quadratic", "quadratic")):
        assert cohen_kappa(table.astype(float), weighting) == pytest.approx(cohens_kappa(table, wt=name).kappa)  # type: ignore[arg-type]


@given(pairs, st.permutations([0, 1, 2]))
def test_neither_order_nor_names_of_classes_matter(answers: list[tuple[int, int]], names: list[int]) -> None:
    gold, said = (np.array(column) for column in zip(*answers, strict=True))
    order = np.random.default_rng(len(answers)).permutation(gold.size)
    renamed = np.array(names)
    one = pair_agreement(gold, said, CLASSES, alone(gold.size))
    other = pair_agreement(renamed[gold][order], renamed[said][order], CLASSES, alone(gold.size))
    for name in ("accuracy", "balanced_accuracy", "kappa", "alpha", "ac1", "pabak"):
        if name == "balanced_accuracy" and np.unique(gold).size < 3:
            continue
        first, second = getattr(one, name), getattr(other, name)
        assert first.value == pytest.approx(second.value, nan_ok=True)
        assert (first.interval.low is None) == (second.interval.low is None)
        if first.interval.low is not None:
            reach = 0.05 if first.interval.method == "cluster bootstrap" else 1e-9  # other draws
            assert ends(first.interval) == pytest.approx(ends(second.interval), abs=reach)


@given(pairs)
def test_figures_and_their_intervals_stay_within_bounds(answers: list[tuple[int, int]]) -> None:
    gold, said = (np.array(column) for column in zip(*answers, strict=True))
    for figure in figures(pair_agreement(gold, said, CLASSES, alone(gold.size), ordered=True)):
        if figure.missing:
            assert np.isnan(figure.value)
            assert figure.interval.missing
        elif figure.interval.low is not None:
            low, high = ends(figure.interval)
            assert -1 <= low <= figure.value + 1e-9
            assert figure.value - 1e-9 <= high <= 1


def test_shares_of_single_units_have_wilsons_interval() -> None:
    found = pair_agreement(*units([[20, 5], [10, 15]]), ["kept", "broken"], alone(50))
    assert ends(found.accuracy.interval) == pytest.approx(ends(wilson(35, 50)))
    assert ends(found.classes[1].recall.interval) == pytest.approx(ends(wilson(15, 25)))
    assert ends(found.classes[1].precision.interval) == pytest.approx(ends(wilson(15, 20)))
    # PABAK is 2 · accuracy - 1
    assert ends(found.pabak.interval) == pytest.approx(tuple(2 * end - 1 for end in ends(wilson(35, 50))))


def test_balanced_accuracy_has_limits_from_the_recalls() -> None:
    found = pair_agreement(*units([[20, 5], [10, 15]]), ["kept", "broken"], alone(50))
    (a, b), (c, d) = ends(wilson(20, 25)), ends(wilson(15, 25))
    low, high = 0.7 - np.hypot(0.8 - a, 0.6 - c) / 2, 0.7 + np.hypot(b - 0.8, d - 0.6) / 2
    assert ends(found.balanced_accuracy.interval) == pytest.approx(
        (low, high), abs=1e-3
    )  # but for strays of the jackknife


def test_clustered_shares_have_the_interval_of_a_clustered_mean() -> None:
    gold, said, of = agreed(40, 5)
    found = pair_agreement(gold, said, CLASSES, Design(clusters=of, seed=SEED))
    assert found.accuracy.interval == mean_interval(gold == said, of, seed=SEED.child("accuracy"))
    assert (found.units, found.clusters) == (200, 40)


@pytest.mark.parametrize(("clusters", "method"), [(29, "t over clusters"), (30, "cluster bootstrap")])
def test_thirty_clusters_are_resampled(clusters: int, method: str) -> None:
    gold, said, of = agreed(clusters, 20, share=0.5)
    assert pair_agreement(gold, said, CLASSES, Design(clusters=of, seed=SEED)).kappa.interval.method == method


def test_fewer_than_eight_clusters_have_figures_without_intervals() -> None:
    gold, said, of = agreed(7, 10)
    for figure in figures(pair_agreement(gold, said, CLASSES, Design(clusters=of, seed=SEED))):
        assert not np.isnan(figure.value)
        assert figure.interval.low is None
        assert "at least 8 are needed" in format_missing(figure.interval.missing)


def test_labels_of_few_episodes_say_less_than_as_many_independent_ones() -> None:
    gold, said, of = agreed(40, 5)
    copied = np.repeat(gold[::5], 5), np.repeat(said[::5], 5)
    low, high = ends(pair_agreement(*copied, CLASSES, Design(clusters=of, seed=SEED)).kappa.interval)
    wrong_low, wrong_high = ends(pair_agreement(*copied, CLASSES, alone(200)).kappa.interval)
    assert high - low > 1.8 * (wrong_high - wrong_low)


def test_perfect_agreement_is_no_proof_of_it_and_less_so_with_a_rare_class() -> None:
    even = pair_agreement(*units([[50, 0], [0, 50]]), ["kept", "broken"], alone(100)).kappa
    rare = pair_agreement(*units([[95, 0], [0, 5]]), ["kept", "broken"], alone(100)).kappa
    assert even.value == rare.value == 1
    assert 0.5 < ends(rare.interval)[0] < ends(even.interval)[0] < 1
    assert ends(even.interval)[1] == pytest.approx(1)


def test_a_class_that_hangs_on_one_unit_has_no_interval() -> None:
    found = pair_agreement(*units([[50, 0], [0, 1]]), ["kept", "broken"], alone(51))
    assert format_missing(found.kappa.interval.missing) == (
        "it depends on one cluster; without that, both raters give one and the same class throughout"
    )


def test_a_class_in_two_clusters_has_no_interval_of_its_f1() -> None:
    found = pair_agreement(*units([[50, 3], [0, 2]]), ["kept", "broken"], alone(55))
    assert (
        format_missing(found.classes[1].f1.interval.missing)
        == "too few clusters of class 'broken': 2, at least 3 are needed"
    )


def test_a_class_never_given_has_no_recall_and_says_so() -> None:
    found = pair_agreement([0] * 10, [0] * 9 + [1], CLASSES, alone(10))
    assert format_missing(found.classes[1].recall.missing) == "no gold label is 'broken'"
    assert format_missing(found.classes[2].precision.missing) == "the judge never says 'neutral'"
    assert format_missing(found.classes[2].f1.missing) == "neither gives the class 'neutral'"
    assert format_missing(found.balanced_accuracy.missing) == "no gold label is 'broken'"


def test_nothing_labelled_has_no_figures() -> None:
    found = pair_agreement([], [], CLASSES, alone(0))
    assert (
        format_missing(found.kappa.missing)
        == format_missing(found.accuracy.missing)
        == format_missing(found.pabak.missing)
        == "nothing graded"
    )
    assert all(np.isnan(figure.value) for figure in figures(found))


def test_strata_take_the_difference_between_places_out() -> None:
    easy, hard = agreed(40, 5, share=0.97), agreed(40, 5, share=0.1, seed=1)
    gold, said = (np.concatenate((easy[i], hard[i])) for i in (0, 1))
    of, place = np.arange(400) // 5, np.repeat(["GE", "JP"], 200)
    low, high = ends(pair_agreement(gold, said, CLASSES, Design(clusters=of, strata=place, seed=SEED)).ac1.interval)
    plain_low, plain_high = ends(pair_agreement(gold, said, CLASSES, Design(clusters=of, seed=SEED)).ac1.interval)
    assert high - low < 0.8 * (plain_high - plain_low)


@pytest.mark.parametrize(
    ("gold", "said", "says"),
    [
        ([3], [0], "gold has the label 3; expected codes 0 to 2"),
        ([0], [-1], "judged has the label -1"),
        ([0.5], [0], "gold has the label 0.5"),
        ([0, 1], [0], "gold and judged"),
        ([float("nan")], [0], "not finite"),
    ],
)
def test_labels_that_are_no_codes_are_refused(gold: list[float], said: list[float], says: str) -> None:
    with pytest.raises(InputError, match=says):
        pair_agreement(gold, said, CLASSES, alone(len(gold)))


def test_one_class_is_no_choice() -> None:
    with pytest.raises(InputError, match="there are 1 classes; expected at least two"):
        confusion_table([0], [0], 1)


@pytest.mark.parametrize(("confidence", "resamples"), [(1.0, 2000), (0.95, 99)])
def test_a_design_that_cannot_be_is_refused(confidence: float, resamples: int) -> None:
    with pytest.raises(InputError, match="expected"):
        Design(clusters=[0], confidence=confidence, resamples=resamples, seed=SEED)


points = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=3, max_size=60)


@given(points, st.floats(0.1, 1e6), st.floats(-1e6, 1e6))
def test_correlations_are_those_of_scipy_on_any_scale(pairs: list[tuple[int, int]], scale: float, shift: float) -> None:
    x, y = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    design = alone(x.size)
    one, other = pearson_correlation(x, y, design), spearman_correlation(x, y, design)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert format_missing(one.missing) == format_missing(other.missing) == "one of the two is the same throughout"
        return
    assert one.value == pytest.approx(pearsonr(x, y).statistic)
    assert other.value == pytest.approx(spearmanr(x, y).statistic)
    assert pearson_correlation(scale * x + shift, y, design).value == pytest.approx(one.value, abs=1e-6)


def test_correlations_lie_within_their_clustered_intervals() -> None:
    rng = np.random.default_rng(0)
    for clusters in (20, 200):
        of = np.repeat(np.arange(clusters), 4)
        x = rng.normal(size=clusters)[of] + rng.normal(size=of.size)
        y = x + rng.normal(size=of.size)
        for correlation in (pearson_correlation, spearman_correlation):
            found = correlation(x, y, Design(clusters=of, seed=SEED))
            low, high = ends(found.interval)
            assert -1 < low < found.value < high < 1
            assert found.interval.method == ("t over clusters" if clusters < 30 else "cluster bootstrap")


def test_ranks_are_found_again_in_each_resample() -> None:
    """Leaving a cluster out by hand, and ranking the rest: the jackknife of Spearman's correlation."""
    rng = np.random.default_rng(1)
    of = np.repeat(np.arange(12), 3)
    x, y = rng.integers(0, 6, 36), rng.integers(0, 6, 36)
    value = spearmanr(x, y).statistic
    without = np.array([spearmanr(x[of != g], y[of != g]).statistic for g in range(12)])
    se = np.sqrt(11 / 12 * np.sum((without - without.mean()) ** 2))
    low, high = ends(spearman_correlation(x, y, Design(clusters=of, seed=SEED)).interval)
    # Wilson's form around the value: (high - low) / 2 is near t · se, pulled in a little
    assert (high - low) / 2 == pytest.approx(2.201 * se, rel=0.12)
    assert low < value < high


def test_a_continuous_scale_of_thousands_has_a_rank_correlation_without_interval() -> None:
    x = np.arange(1001.0)
    found = spearman_correlation(x, x**2, alone(1001))
    assert found.value == pytest.approx(1)
    assert format_missing(found.interval.missing) == "1001 distinct pairs of values; at most 1000 are resampled"


def test_no_points_have_no_correlation() -> None:
    assert format_missing(spearman_correlation([], [], alone(0)).missing) == "nothing graded"
    assert format_missing(pearson_correlation([], [], alone(0)).missing) == "nothing graded"


def test_a_statistic_undefined_in_too_many_resamples_has_no_interval() -> None:
    drawn = np.append(np.full(10, np.nan), np.arange(90.0))
    assert format_missing(percentiles(drawn, 50, 0.95).missing) == "undefined in 10 of 100 resamples of clusters"
    assert ends(percentiles(drawn[9:], 50, 0.95))[0] == pytest.approx(2, abs=0.5)
