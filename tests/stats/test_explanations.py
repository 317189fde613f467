"""Explanations beside the labels they explain."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.regression.linear_model import OLS
from statsmodels.tools.tools import add_constant

from mores.core.errors import InputError
from mores.stats.correlation import rank_correlations
from mores.stats.explanations import Reasons, box_of, length_bias, quartile_range, reasons, spread_reduced

seeds = st.integers(0, 2**32 - 1)


def test_right_for_the_wrong_reason_is_told_apart() -> None:
    found = reasons([1, 1, 1, 0, 0, 1], [0.5, 0.4, 0.9, 0.8, 0.1, np.nan])
    assert found == Reasons(right_good=2, right_bad=1, wrong_good=1, wrong_bad=1, ungraded=1)


def test_a_higher_bar_makes_no_more_explanations_good() -> None:
    points = [0.1, 0.5, 0.9]
    assert reasons([1, 1, 1], points, good=0.9).right_good == 1
    assert reasons([1, 1, 1], points, good=0.1).right_good == 3


def test_what_is_not_graded_is_neither_good_nor_bad() -> None:
    assert reasons([True], [np.nan]) == Reasons(0, 0, 0, 0, ungraded=1)
    with pytest.raises(InputError, match="right and points"):
        reasons([True], [1, 0])


def test_the_quartile_range_by_hand_and_how_much_less_it_is() -> None:
    # of 0, 1, 2, 3, 4 the quartiles are 1 and 3
    assert quartile_range([4, 2, 0, 1, 3]) == 2
    assert spread_reduced([0, 0.5, 1, 1.5, 2], [0, 1, 2, 3, 4]) == 0.5
    assert spread_reduced([0, 2, 4, 6, 8], [0, 1, 2, 3, 4]) == -1


def test_under_four_models_or_without_spread_there_is_nothing_to_reduce() -> None:
    assert np.isnan(quartile_range([1, 2, 3]))
    assert np.isnan(spread_reduced([1, 2, 3, 4], [2, 2, 2, 2]))
    assert np.isnan(spread_reduced([1, 2, 3], [1, 2, 3]))


def test_rubrics_go_together_over_models_by_rank() -> None:
    coverage, coherence, accuracy = (
        [0.40, 0.45, 0.50, 0.52, 0.55],
        [0.3, 0.8, 0.7, 0.9, 0.95],
        [0.9, 0.8, 0.7, 0.6, 0.5],
    )
    rho = rank_correlations([coverage, coherence, accuracy])
    assert rho[0] == pytest.approx([1, 0.9, -1])


@given(seeds)
def test_the_slope_and_its_error_are_those_of_statsmodels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lengths, human = rng.integers(5, 500, 30), rng.random(30)
    judge = human + 0.1 * np.log(lengths) + rng.normal(scale=0.1, size=30)
    found = length_bias(judge, human, lengths)
    oracle = OLS(judge - human, add_constant(np.log(lengths))).fit(cov_type="HC3")
    assert (found.slope, found.error) == pytest.approx((oracle.params[1], oracle.bse[1]))
    assert found.labelled == 30


def test_correcting_takes_length_away_and_leaves_quality() -> None:
    """People too prefer the longer answers here; only what the judge adds beyond them goes."""
    lengths = np.array([10, 20, 40, 80, 160] * 4)
    human = 0.1 * np.log(lengths)
    judge = human + 0.2 * np.log(lengths)
    bias = length_bias(judge, human, lengths)
    corrected = bias.corrected(judge, lengths)
    assert corrected - human == pytest.approx(np.full(20, 0.2 * np.log(lengths).mean()))
    assert corrected.mean() == pytest.approx(judge.mean())


def test_a_judge_that_is_blind_to_length_is_left_as_it_is() -> None:
    points, lengths = np.linspace(0, 1, 12), np.arange(1, 13)
    assert length_bias(points, points, lengths).corrected(points, lengths) == pytest.approx(points)


def test_an_answer_that_alone_sets_the_slope_does_not_break_its_error() -> None:
    found = length_bias(np.arange(12.0), np.zeros(12), [5] * 11 + [500])
    assert np.isfinite(found.error)


@pytest.mark.parametrize(
    ("judge", "human", "lengths"),
    [
        ([], [], []),
        ([1] * 9, [1] * 9, range(1, 10)),
        ([1] * 12, [1] * 12, [7] * 12),
        ([1] * 12, [1] * 12, range(12)),
        ([1] * 12, [1] * 11, range(1, 13)),
        ([1] * 12, [1] * 12, range(1, 12)),
    ],
)
def test_what_gives_no_slope_is_refused(judge: Any, human: Any, lengths: Any) -> None:
    with pytest.raises(InputError, match="expected"):
        length_bias(judge, human, list(lengths))


def test_what_lies_beyond_one_and_a_half_quartile_ranges_is_an_outlier() -> None:
    box = box_of([0.5, 0.1, 0.52, 0.54, 0.56, 0.9])
    assert box is not None
    # Quartiles .505 and .555, so that whiskers reach from .43 to .63 at most.
    assert (box.first, box.third) == pytest.approx((0.505, 0.555))
    assert (box.low, box.high, box.outliers) == (0.5, 0.56, (0.1, 0.9))


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=30))
def test_a_box_holds_every_value_that_is_no_outlier(values: list[float]) -> None:
    box = box_of(values)
    assert box is not None
    assert box.low <= box.median <= box.high
    assert sum(box.low <= value <= box.high for value in values) == len(values) - len(box.outliers)


def test_three_values_have_no_box() -> None:
    assert box_of([1, 2, 3]) is None
