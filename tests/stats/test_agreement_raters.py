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
from mores.stats.agreement import RaterAgreement, human_ceiling, krippendorff_alpha, rater_agreement
from mores.stats.cluster_sums import Design, MeasuredFigure
from mores.stats.confusion import pair_agreement
from mores.stats.intervals import Interval
from mores.tables.missing_texts import format_missing

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
    assert interval.low is not None, interval.missing
    assert interval.high is not None
    return interval.low, interval.high


def coefficients(found: RaterAgreement) -> list[MeasuredFigure]:
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
        assert np.isnan(figure.value) == (figure.missing is not None)
        if figure.interval.low is not None:
            low, high = ends(figure.interval)
            assert -1 <= low <= figure.value + 1e-9
            assert figure.value - 1e-9 <= high <= 1


@pytest.mark.parametrize("level", LEVELS)
def test_ratings_that_are_all_equal_have_no_alpha(level: Level) -> None:
    found = krippendorff_alpha(np.full((10, 3), 0.1), level, alone(10))
    assert np.isnan(found.value)
    assert (
        format_missing(found.missing)
        == format_missing(found.interval.missing)
        == "all ratings that can be compared are equal"
    )


def test_units_with_one_rating_cannot_be_compared() -> None:
    lone = np.column_stack((np.arange(10.0) % 3, np.full(10, N)))
    assert format_missing(krippendorff_alpha(lone, "nominal", alone(10)).missing) == "no unit has two ratings"
    assert format_missing(rater_agreement(lone, 3, alone(10)).pairwise.missing) == "no unit has two raters"


def test_raters_of_one_class_only_have_no_coefficients() -> None:
    found = rater_agreement(np.zeros((10, 2)), 3, alone(10))
    assert found.pairwise.value == 1
    assert format_missing(found.fleiss.missing) == "all raters give one and the same class throughout"
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
    rng = np.random.default_rng(0)
    truth = rng.normal(size=500)
    found = krippendorff_alpha(truth[:, None] + rng.normal(size=(500, 3)), "interval", alone(500))
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
    found = human_ceiling([3, 1], [[1, 2], [1, 5]], alone(2), matching="near", span=4)
    assert found.people.value == pytest.approx((3 / 4 + 0) / 2)
    assert found.judge.value == pytest.approx(((2 / 4 + 3 / 4) / 2 + (1 + 0) / 2) / 2)


def test_a_judge_that_is_one_of_the_people_is_within_the_gap() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 200)
    people = np.where(rng.random((200, 4)) < 0.85, truth[:, None], 1 - truth[:, None])
    low, high = ends(human_ceiling(people[:, 0], people[:, 1:], alone(200)).gap.interval)
    assert low < 0 < high
    worse = np.where(rng.random(200) < 0.6, truth, 1 - truth)
    assert ends(human_ceiling(worse, people, alone(200)).gap.interval)[1] < 0
    few = human_ceiling(worse[:7], people[:7], Design(clusters=[0] * 7, seed=SEED))
    assert format_missing(few.gap.interval.missing) == "too few clusters: 1, at least 8 are needed"


def test_nobody_to_compare_with_is_no_ceiling() -> None:
    found = human_ceiling([0, N], np.array([[0, N], [0, 1]]), alone(2))
    assert (
        format_missing(found.gap.missing)
        == format_missing(found.judge.missing)
        == "no unit has a verdict and two people"
    )


@pytest.mark.parametrize("span", [0.0, 3.0])
def test_points_beyond_the_span_are_refused(span: float) -> None:
    with pytest.raises(InputError, match="points lie up to 4 apart"):
        human_ceiling([1], [[1, 5]], alone(1), matching="near", span=span)


def test_a_judge_of_other_units_is_refused() -> None:
    with pytest.raises(InputError, match="judge and people"):
        human_ceiling([1], [[1, 5], [1, 1]], alone(2))
