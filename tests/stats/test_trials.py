"""Right answers over questions asked several times."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

from mores.core.errors import InputError
from mores.stats import medium_outcomes, region_trials, trial_scores
from mores.stats.arrays import IntArray

outcomes = hnp.arrays(np.int64, (3, 12), elements={"min_value": -1, "max_value": 1})


def test_worked_by_hand() -> None:
    # right 3 of 8; questions 1 and 3 have one; errors by sample: 1 of form in 2, 2 of form in 3
    scores = trial_scores([[1, 0, 1, -1], [1, -1, 0, -1]])
    assert scores == pytest.approx((3 / 8, 2 / 4, (1 / 2 + 2 / 3) / 2))


@given(outcomes)
def test_the_mean_never_exceeds_what_passes_and_form_counts_as_wrong(codes: IntArray) -> None:
    scores = trial_scores(codes)
    assert 0 <= scores.mean <= scores.passed <= 1
    assert trial_scores(np.maximum(codes, 0))[:2] == scores[:2]


def test_without_errors_none_are_of_form_and_without_questions_there_is_no_share() -> None:
    assert np.isnan(trial_scores([[1, 1]]).format_errors)
    assert trial_scores([[1, 1], [1, -1]]).format_errors == 1
    assert np.isnan(trial_scores(np.empty((3, 0)))).all()


@given(outcomes)
def test_regions_of_one_size_average_to_the_whole(codes: IntArray) -> None:
    regions, scores = ["GE", "JP", "PE"] * 4, trial_scores(codes)
    assert region_trials(codes, regions).points.mean() == pytest.approx(100 * scores.mean)
    passed = region_trials(codes, regions, statistic="passed")
    assert passed.points.mean() == pytest.approx(100 * scores.passed)
    assert (passed.std, passed.gap) == pytest.approx((np.std(passed.points), np.ptp(passed.points)))


def test_only_the_last_option_alone_is_right() -> None:
    said = [[[0, 0, 0, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, -1, 1], [1, -1, 0, 0]]]
    assert medium_outcomes(said).tolist() == [[1, 0, 0, -1, -1]]


@pytest.mark.parametrize("codes", [[1, 0], [[2]], [[0.5]], np.empty((0, 3))])
def test_other_outcomes_are_refused(codes: Any) -> None:
    with pytest.raises(InputError, match="outcomes has shape"):
        trial_scores(codes)


def test_another_number_of_options_is_refused() -> None:
    with pytest.raises(InputError, match="said has 3 options"):
        medium_outcomes([[[0, 0, 1]]])
