"""Several raters, one rater again and again, and what several judges are worth."""

from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats import (
    ABSTAIN,
    Crossing,
    Design,
    Interval,
    Measured,
    RaterAgreement,
    crossed_mean,
    effective_judges,
    human_ceiling,
    krippendorff_alpha,
    majority_accuracy,
    majority_vote,
    pair_agreement,
    panel_worth,
    rater_agreement,
    repeat_stability,
    vote_weights,
    weighted_vote,
)
from mores.stats.cluster_sums import ratio

SEED = Seed("tests")
N: float = float("nan")
Level = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
Table = npt.NDArray[np.float64]

# Krippendorff's own example: a row a rater.
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
        [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
    ]
).T
# Fifteen units and four raters by a fixed rule, with gaps.
SECOND = np.array(
    [[u % 4 if (3 * u + 5 * r) % 7 > 1 else (u + r) % 4 for r in range(4)] for u in range(15)], dtype=float
)
SECOND[np.add.outer(4 * np.arange(15), np.arange(4)) % 6 == 5] = N
# Fleiss (1971): 14 raters, 10 subjects, 5 classes; how often each class was given.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
tables = st.lists(
    st.lists(st.one_of(st.integers(0, 3).map(float), st.just(N)), min_size=3, max_size=3), min_size=8, max_size=25
).map(np.array)


def alone(units: int) -> Design:
    return Design(clusters=range(units), seed=SEED)


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.low is not None, interval.why
    assert interval.high is not None
    return interval.low, interval.high


def coefficients(found: RaterAgreement) -> list[Measured]:
    return [found.pairwise, found.alpha, found.fleiss, found.ac1, found.pabak]


# Figures of the package krippendorff 0.9.0, run once on the same tables.
@pytest.mark.parametrize(
    ("table", "level", "alpha"),
    [
        (EXAMPLE, "nominal", 0.743421052631579),
        (EXAMPLE, "ordinal", 0.8153875037548814),
        (EXAMPLE, "interval", 0.8491071428571428),
        (EXAMPLE, "ratio", 0.7974027747116121),
        (SECOND, "nominal", 0.5252960172228203),
        (SECOND, "ordinal", 0.3777093304513407),
        (SECOND, "interval", 0.3696105702364396),
        (SECOND, "ratio", 0.426225627211978),
    ],
)
def test_alpha_is_krippendorffs(table: Table, level: Level, alpha: float) -> None:
    assert krippendorff_alpha(table, level, alone(len(table))).value == pytest.approx(alpha, abs=1e-12)


# Figures of the package irrCAC 0.4.4, run once on the same tables; its chance for AC1 is .1903 in the example.
@pytest.mark.parametrize(
    ("table", "classes", "ac1", "fleiss", "pabak"),
    [
        (EXAMPLE - 1, 5, 0.7754440681, 0.7611692754, 0.7727272727),
        (SECOND, 4, 0.5275461381, 0.520997921, 0.5259259259),
    ],
)
def test_ac1_and_generalised_fleiss_are_gwets(
    table: Table, classes: int, ac1: float, fleiss: float, pabak: float
) -> None:
    found = rater_agreement(table, classes, alone(len(table)))
    values = [found.ac1.value, found.fleiss.value, found.pabak.value]
    assert values == pytest.approx([ac1, fleiss, pabak], abs=1e-9)


def test_pairs_of_the_example_agree_so_often() -> None:
    found = rater_agreement(EXAMPLE - 1, 5, alone(12))
    assert found.pairwise.value == pytest.approx(0.81818, abs=5e-6)
    assert (found.units, found.raters) == (11, 4)


def test_fleiss_kappa_is_that_of_his_example() -> None:
    table = np.array([np.repeat(np.arange(5.0), row) for row in FLEISS])
    found = rater_agreement(table, 5, alone(10)).fleiss.value
    assert found == pytest.approx(0.20993, abs=5e-6)
    assert found == pytest.approx(fleiss_kappa(np.array(FLEISS)))


@given(tables)
def test_fleiss_kappa_without_gaps_is_that_of_statsmodels(table: Table) -> None:
    table = np.nan_to_num(table, nan=1.0)
    if np.ptp(table) > 0:
        counts = aggregate_raters(table.astype(int), 4)[0]
        assert rater_agreement(table, 4, alone(len(table))).fleiss.value == pytest.approx(fleiss_kappa(counts))


@given(tables)
def test_alpha_of_two_raters_is_that_of_their_confusion_table(table: Table) -> None:
    table = np.nan_to_num(table[:, :2], nan=2.0)
    pair = pair_agreement(table[:, 0], table[:, 1], list("abcd"), alone(len(table)), ordered=True).alpha
    many = krippendorff_alpha(table, "ordinal", alone(len(table)))
    assert many.value == pytest.approx(pair.value, nan_ok=True)
    if pair.interval.low is not None:
        assert ends(many.interval) == pytest.approx(ends(pair.interval), abs=0.03)


@given(tables, st.permutations([0, 1, 2]), st.sampled_from(LEVELS))
def test_order_of_raters_and_units_does_not_matter(table: Table, order: list[int], level: Level) -> None:
    one = krippendorff_alpha(table, level, alone(len(table)))
    other = krippendorff_alpha(table[::-1][:, order], level, alone(len(table)))
    assert one.value == pytest.approx(other.value, nan_ok=True)
    first, second = (rater_agreement(t, 4, alone(len(table))) for t in (table, table[::-1][:, order]))
    for a, b in zip(coefficients(first), coefficients(second), strict=True):
        assert a.value == pytest.approx(b.value, nan_ok=True)


@given(tables, st.floats(0.1, 1e4))
def test_alpha_takes_points_in_any_unit(table: Table, scale: float) -> None:
    one, other, shifted = (
        krippendorff_alpha(t, "interval", alone(len(table))).value for t in (table, scale * table + 1e3, scale * table)
    )
    assert one == pytest.approx(other, nan_ok=True, abs=1e-9)
    assert one == pytest.approx(shifted, nan_ok=True, abs=1e-9)
    ratios = [krippendorff_alpha(t, "ratio", alone(len(table))).value for t in (table, scale * table)]
    assert ratios[0] == pytest.approx(ratios[1], nan_ok=True, abs=1e-9)


@given(tables)
def test_coefficients_and_their_intervals_stay_within_bounds(table: Table) -> None:
    for figure in coefficients(rater_agreement(table, 4, alone(len(table)))):
        assert np.isnan(figure.value) == (figure.why is not None)
        if figure.interval.low is not None:
            low, high = ends(figure.interval)
            assert -1 <= low <= figure.value + 1e-9
            assert figure.value - 1e-9 <= high <= 1


@pytest.mark.parametrize("level", LEVELS)
def test_ratings_that_are_all_equal_have_no_alpha(level: Level) -> None:
    found = krippendorff_alpha(np.full((10, 3), 0.1), level, alone(10))
    assert np.isnan(found.value)
    assert found.why == found.interval.why == "all ratings that can be compared are equal"


def test_units_with_one_rating_cannot_be_compared() -> None:
    lone = np.column_stack((np.arange(10.0) % 3, np.full(10, N)))
    assert krippendorff_alpha(lone, "nominal", alone(10)).why == "no unit has two ratings"
    assert rater_agreement(lone, 3, alone(10)).pairwise.why == "no unit has two raters"


def test_raters_of_one_class_only_have_no_coefficients() -> None:
    found = rater_agreement(np.zeros((10, 2)), 3, alone(10))
    assert found.pairwise.value == 1
    assert found.fleiss.why == "all raters give one and the same class throughout"
    assert found.ac1.value == found.pabak.value == 1  # their chance is not certainty


@pytest.mark.parametrize(
    ("table", "level", "says"),
    [
        ([1.0, 2.0], "nominal", "expected a row a unit"),
        ([[1.0, np.inf]], "interval", "expected a row a unit"),
        ([[1.0, -2.0]], "ratio", "a rating is -2; expected amounts from 0"),
        ([[float(v), float(v + 1)] for v in range(110)], "ordinal", "111 distinct values; expected at most 101"),
    ],
)
def test_ratings_that_do_not_fit_the_scale_are_refused(table: list[float], level: Level, says: str) -> None:
    with pytest.raises(InputError, match=says):
        krippendorff_alpha(table, level, alone(len(table)))


@pytest.mark.parametrize("table", [[[0, 4]], [[0, -1]], [[0, 0.5]], np.empty((3, 0))])
def test_labels_that_are_no_codes_are_refused(table: npt.ArrayLike) -> None:
    with pytest.raises(InputError, match="codes 0 to 3"):
        rater_agreement(table, 4, alone(len(np.asarray(table))))


def test_points_on_a_fine_scale_have_an_alpha() -> None:
    dice = np.random.default_rng(0)
    truth = dice.normal(size=500)
    found = krippendorff_alpha(truth[:, None] + dice.normal(size=(500, 3)), "interval", alone(500))
    low, high = ends(found.interval)
    assert low < 0.5 < high
    assert found.interval.method == "cluster bootstrap"


def test_perfect_agreement_of_raters_is_no_proof_of_it() -> None:
    table = np.repeat(np.arange(40.0)[:, None] % 2, 3, axis=1)
    for level in LEVELS:
        low, high = ends(krippendorff_alpha(table, level, alone(40)).interval)
        assert 0.7 < low < 0.95
        assert high == pytest.approx(1)


# The human ceiling.


def test_the_ceiling_is_how_often_two_people_agree() -> None:
    # Units of people 000, 001, 011 | judge 0: pairs 1, 1/3, 1/3; judge 1, 2/3, 1/3
    found = human_ceiling([0, 0, 0, 1, N], np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, N, N], [0, 0, 0]]), alone(5))
    assert found.units == 3
    assert found.people.value == pytest.approx(5 / 9)
    assert found.judge.value == pytest.approx(2 / 3)
    assert found.gap.value == pytest.approx(1 / 9)


def test_points_are_near_by_their_distance_on_the_scale() -> None:
    found = human_ceiling([3, 1], [[1, 2], [1, 5]], alone(2), likeness="near", span=4)
    assert found.people.value == pytest.approx((3 / 4 + 0) / 2)
    assert found.judge.value == pytest.approx(((2 / 4 + 3 / 4) / 2 + (1 + 0) / 2) / 2)


def test_a_judge_that_is_one_of_the_people_is_within_the_gap() -> None:
    dice = np.random.default_rng(2)
    truth = dice.integers(0, 2, 200)
    people = np.where(dice.random((200, 4)) < 0.85, truth[:, None], 1 - truth[:, None])
    low, high = ends(human_ceiling(people[:, 0], people[:, 1:], alone(200)).gap.interval)
    assert low < 0 < high
    worse = np.where(dice.random(200) < 0.6, truth, 1 - truth)
    assert ends(human_ceiling(worse, people, alone(200)).gap.interval)[1] < 0
    few = human_ceiling(worse[:7], people[:7], Design(clusters=[0] * 7, seed=SEED))
    assert few.gap.interval.why == "too few clusters: 1, at least 8 are needed"


def test_nobody_to_compare_with_is_no_ceiling() -> None:
    found = human_ceiling([0, N], np.array([[0, N], [0, 1]]), alone(2))
    assert found.gap.why == found.judge.why == "no unit has a verdict and two people"


@pytest.mark.parametrize("span", [0.0, 3.0])
def test_points_beyond_the_span_are_refused(span: float) -> None:
    with pytest.raises(InputError, match="points lie up to 4 apart"):
        human_ceiling([1], [[1, 5]], alone(1), likeness="near", span=span)


def test_a_judge_of_other_units_is_refused() -> None:
    with pytest.raises(InputError, match="judge and people"):
        human_ceiling([1], [[1, 5], [1, 1]], alone(2))


# Repeats.


def test_the_flip_rate_is_the_probability_that_two_runs_disagree() -> None:
    # Of 4 runs 2 and 2: 2·2·2 / (4·3) = 2/3; 3 and 1: 1/2; all alike: 0; of 3 runs 2 and 1: 2/3; one run: nothing
    table = np.array([[0, 0, 1, 1], [0, 0, 0, 1], [1, 1, 1, 1], [0, 1, 1, N], [1, N, N, N]])
    found = repeat_stability(table, alone(5))
    assert found.flip_rate.value == pytest.approx((2 / 3 + 1 / 2 + 0 + 2 / 3) / 4)
    assert found.items == 4
    assert found.runs == pytest.approx(15 / 4)
    assert found.alpha.value == krippendorff_alpha(table, "nominal", alone(5)).value


def test_variances_of_items_and_of_runs_are_found_again() -> None:
    dice = np.random.default_rng(3)
    table = dice.normal(0, 2, (2000, 1)) + dice.normal(0, 1, (2000, 5))
    found = repeat_stability(table, alone(2000), level="interval")
    assert found.item_variance == pytest.approx(4, rel=0.1)
    assert found.run_variance == pytest.approx(1, rel=0.05)
    assert found.reliability == pytest.approx(4 / (4 + 1 / 5), rel=0.02)


def test_names_have_no_variance_and_items_alike_no_reliability() -> None:
    assert np.isnan(repeat_stability([[0, 2], [1, 1]], alone(2)).item_variance)
    same = repeat_stability([[1, 1], [1, 1]], alone(2))
    assert (same.item_variance, same.run_variance, same.flip_rate.value) == (0, 0, 0)
    assert np.isnan(same.reliability)


def test_items_asked_once_say_nothing_of_stability() -> None:
    found = repeat_stability([[0], [1]], alone(2))
    assert (found.items, found.runs, found.flip_rate.why) == (0, 0, "no item has two verdicts")


# Crossed factors.


def crossed(
    items: int, annotators: int, dice: np.random.Generator
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Agreement of a judge with each annotator on each item: easy and hard items, near and far annotators."""
    item, annotator = np.divmod(np.arange(items * annotators), annotators)
    level = 0.7 + dice.normal(size=items)[item] + 0.5 * dice.normal(size=annotators)[annotator]
    return item, annotator, (level + dice.normal(size=item.size) > 0).astype(float)


def test_other_annotators_are_less_certain_than_these() -> None:
    item, annotator, right = crossed(60, 12, np.random.default_rng(4))
    both = crossed_mean(right, item, annotator, seed=SEED)
    low, high = ends(both.interval)
    these = pair_agreement(right, np.ones(720), ["no", "yes"], Design(clusters=item, seed=SEED)).accuracy
    assert both.value == these.value == right.mean()
    assert high - low > ends(these.interval)[1] - ends(these.interval)[0]


def test_three_annotators_do_not_speak_for_others() -> None:
    item, annotator, right = crossed(40, 3, np.random.default_rng(5))
    found = crossed_mean(right, item, annotator, seed=SEED)
    assert found.interval.why == "too few annotators: 3, at least 8 are needed to speak of others"


def test_many_of_both_have_percentiles() -> None:
    item, annotator, right = crossed(40, 40, np.random.default_rng(6))
    assert crossed_mean(right, item, annotator, seed=SEED).interval.method == "cluster bootstrap"


def test_a_crossing_measures_any_statistic_of_sums() -> None:
    item, annotator, right = crossed(20, 10, np.random.default_rng(6))
    crossing = Crossing.of(item, annotator, right.size, seed=SEED)
    columns = np.column_stack((right, np.ones(right.size)))
    mean = crossing.measure(columns, lambda rows: ratio(rows[..., 0], rows[..., 1]), "share", why="")
    assert mean == crossed_mean(right, item, annotator, seed=SEED)
    rare = np.column_stack(((item == 0) & (annotator == 0), np.ones(right.size))).astype(float)
    hidden = crossing.measure(rare, lambda rows: ratio(rows[..., 1], rows[..., 0]), "share", why="")
    assert "of 2000 resamples" in str(hidden.interval.why)


def test_nothing_crossed_has_no_mean() -> None:
    assert crossed_mean([], [], [], seed=SEED).why == "nothing graded"


@pytest.mark.parametrize(
    ("values", "items", "annotators", "says"),
    [([2.0], [0], [0], "expected shares"), ([1.0], [0, 1], [0], "items"), ([1.0], [0], [0, 1], "annotators")],
)
def test_a_crossing_that_cannot_be_is_refused(
    values: list[float], items: list[int], annotators: list[int], says: str
) -> None:
    with pytest.raises(InputError, match=says):
        crossed_mean(values, items, annotators, seed=SEED)


@pytest.mark.parametrize(("items", "annotators"), [(60, 10), (40, 35)])
def test_other_items_and_other_annotators_are_covered(items: int, annotators: int) -> None:
    """Conservative by design, .95 or more; 200 draws: three standard errors are .046."""
    dice, held = np.random.default_rng(7), 0
    truth = 0.6796  # share of normal(.7, 1 + .25 + 1) above 0: Phi(.7 / 1.5)
    for draw in range(200):
        item, annotator, right = crossed(items, annotators, dice)
        low, high = ends(crossed_mean(right, item, annotator, resamples=300, seed=SEED.child(draw)).interval)
        held += low <= truth <= high
    assert held / 200 >= 0.95 - 0.046


# Several judges.


def test_the_majority_of_independent_judges_is_better_than_each() -> None:
    assert majority_accuracy(3, 0.85) == pytest.approx(0.939, abs=5e-4)
    assert majority_accuracy(5, 0.85) == pytest.approx(0.973, abs=5e-4)
    assert majority_accuracy(1, 0.85) == pytest.approx(0.85)


def test_correlated_judges_are_fewer() -> None:
    assert effective_judges(3, 0.6) == pytest.approx(1.36, abs=5e-3)
    assert effective_judges(3, 0) == 3
    assert effective_judges(3, 1) == effective_judges(1, 0.3) == 1


@pytest.mark.parametrize(("judges", "accuracy"), [(2, 0.5), (0, 0.5), (3, 1.1)])
def test_a_majority_that_can_tie_is_refused(judges: int, accuracy: float) -> None:
    with pytest.raises(InputError, match="expected an odd number"):
        majority_accuracy(judges, accuracy)


@pytest.mark.parametrize(("judges", "rho"), [(0, 0.1), (3, -0.5), (3, 1.1)])
def test_a_correlation_that_cannot_be_is_refused(judges: int, rho: float) -> None:
    with pytest.raises(InputError, match="rho"):
        effective_judges(judges, rho)


def test_a_vote_that_ties_abstains() -> None:
    assert majority_vote(np.array([[0, 1, 1], [0, 1, N], [N, N, N], [2, 2, 0]]), 3).tolist() == [1, ABSTAIN, ABSTAIN, 2]


def test_a_good_judge_outvotes_two_poor_ones() -> None:
    weights = vote_weights([0.95, 0.6, 0.6])
    assert weights == pytest.approx([2.944, 0.405, 0.405], abs=5e-4)  # log(.95/.05), log(.6/.4)
    assert weighted_vote([[0, 1, 1]], weights, 2).tolist() == [0]
    assert majority_vote([[0, 1, 1]], 2).tolist() == [1]
    assert vote_weights([0.5], classes=3) == pytest.approx([np.log(2)])
    assert vote_weights([1 / 3], classes=3) == pytest.approx([0])


@pytest.mark.parametrize(("accuracies", "classes"), [([1.0], 2), ([0.0], 2), ([0.5], 1)])
def test_a_judge_seen_always_right_has_no_weight(accuracies: list[float], classes: int) -> None:
    with pytest.raises(InputError, match="above 0 and below 1"):
        vote_weights(accuracies, classes)


@given(tables, st.permutations([0, 1, 2, 3]))
def test_names_of_classes_do_not_matter_to_a_vote(table: Table, names: list[int]) -> None:
    renamed = np.where(np.isnan(table), N, np.array(names, dtype=float)[np.nan_to_num(table).astype(int)])
    vote = majority_vote(table, 4)
    assert majority_vote(renamed, 4).tolist() == [ABSTAIN if v == ABSTAIN else names[v] for v in vote]


def test_judges_that_err_together_are_worth_less() -> None:
    dice = np.random.default_rng(8)
    truth, hard = dice.integers(0, 2, 4000), dice.random(4000) < 0.2
    # Each errs on a hard item with .7 and on another with .05: correlation of errors is .08² ... by the sum below
    rates = np.where(hard, 0.7, 0.05)
    wrong = dice.random((4000, 3)) < rates[:, None]
    found = panel_worth(np.where(wrong, 1 - truth[:, None], truth[:, None]), truth, 2)
    mean = 0.2 * 0.7 + 0.8 * 0.05
    rho = (0.2 * 0.7**2 + 0.8 * 0.05**2 - mean**2) / (mean * (1 - mean))
    assert found.rho == pytest.approx(rho, abs=0.03)
    assert found.effective == pytest.approx(3 / (1 + 2 * found.rho))
    assert found.accuracies == pytest.approx([1 - mean] * 3, abs=0.02)
    assert found.majority < majority_accuracy(3, 1 - mean) - 0.02
    assert (found.judges, found.items, found.pairs, found.abstained) == (3, 4000, 3, 0)
    assert all(0.85 < one < 1 for one in found.without)


def test_items_without_all_judges_or_a_label_are_left_out() -> None:
    found = panel_worth(np.array([[0, 0], [1, 1], [0, N], [1, 0]]), [0, 0, 0, N], 2)
    assert found.items == 2
    assert found.rho == pytest.approx(1)
    assert found.effective == pytest.approx(1)
    assert found.majority == pytest.approx(0.5)


def test_judges_that_never_err_have_no_correlation() -> None:
    found = panel_worth([[0, 0], [1, 1]], [0, 1], 2)
    assert found.pairs == 0
    assert np.isnan(found.effective)
    assert found.why
    empty = panel_worth(np.empty((0, 2)), [], 2)
    assert np.isnan([empty.majority, empty.abstained, *empty.accuracies]).all()


@pytest.mark.parametrize(("verdicts", "truth"), [([[0]], [0]), ([[0, 1]], [0, 1]), ([[0, 2]], [0])])
def test_a_panel_that_cannot_be_is_refused(verdicts: list[list[int]], truth: list[int]) -> None:
    with pytest.raises(InputError, match="expected two"):
        panel_worth(verdicts, truth, 2)


def test_weights_that_are_not_one_a_judge_are_refused() -> None:
    with pytest.raises(InputError, match="3 weights for 2 judges"):
        weighted_vote([[0, 1]], [1, 1, 1], 2)
