"""How good a draw is held to be."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.stats.conformal import (
    constant_quality,
    decision_token,
    gnmt,
    log_gnmt,
    mean_likelihood,
    prefix_consistency,
    verbalised,
)

LOGPROBS = st.lists(st.floats(-20, 0), min_size=1, max_size=40)


def test_ten_tokens_of_minus_a_tenth() -> None:
    assert gnmt([-0.1] * 10) == pytest.approx(0.56154, abs=5e-6)
    assert mean_likelihood([-0.1] * 10) == pytest.approx(0.90484, abs=5e-6)


def test_one_token_has_no_penalty() -> None:
    assert gnmt([-0.7]) == pytest.approx(exp(-0.7))


@given(LOGPROBS)
def test_likelihoods_lie_between_0_and_1_and_their_logarithm_goes_with_them(logprobs: list[float]) -> None:
    assert 0 <= gnmt(logprobs) <= 1
    assert 0 <= mean_likelihood(logprobs) <= 1
    assert gnmt(logprobs) == pytest.approx(exp(log_gnmt(logprobs)))


def test_long_texts_are_told_apart_by_the_logarithm_alone() -> None:
    worse, better = [-9.0] * 9000, [-8.9] * 9000
    assert gnmt(worse) == gnmt(better) == 0
    assert log_gnmt(worse) < log_gnmt(better)


def test_an_impossible_token_is_the_least_there_is_and_stays_a_number() -> None:
    assert gnmt([-np.inf]) == 0
    assert log_gnmt([-np.inf, -np.inf]) == pytest.approx(-2e5 / (7 / 6) ** 0.6)
    assert (gnmt([]), mean_likelihood([]), log_gnmt([])) == (0, 0, -1e5)


@pytest.mark.parametrize("bad", [[np.nan], [0.5]])
def test_what_is_no_log_probability_is_refused(bad: list[float]) -> None:
    with pytest.raises(InputError, match="log-probability"):
        gnmt(bad)


def test_the_decisions_token_counts_among_those_of_the_labels() -> None:
    listed = {"yes": log(0.3), "no": log(0.1)}
    assert decision_token(listed, "yes") == pytest.approx(0.75)
    assert decision_token(listed, "no") == pytest.approx(0.25)
    assert decision_token(listed, "perhaps") == decision_token(listed, None) == decision_token({}, "yes") == 0
    assert decision_token({"yes": -np.inf, "no": -1.0}, "yes") == 0


def test_the_share_so_far_uses_the_past_alone() -> None:
    # (c + 1) / (k + 2) with c = 1 1 2 3 2 for k = 1 … 5
    assert prefix_consistency([[0, 1, 0, 0, 1]])[0].tolist() == pytest.approx([2 / 3, 2 / 4, 3 / 5, 4 / 6, 3 / 7])
    assert prefix_consistency([[0, 1, 0, 1, 1]])[0, :3].tolist() == pytest.approx([2 / 3, 2 / 4, 3 / 5])


def test_a_draw_that_did_not_parse_agrees_with_none() -> None:
    assert prefix_consistency([[-1, -1, 0]])[0].tolist() == pytest.approx([1 / 3, 1 / 4, 2 / 5])


def test_stated_confidence_is_taken_at_its_word_and_missing_is_none() -> None:
    assert verbalised([[0.9, None], [0.0, 1.0]]).tolist() == [[0.9, 0.0], [0.0, 1.0]]
    with pytest.raises(InputError, match="divide percentages"):
        verbalised([[90.0, 80.0]])


def test_constant_quality_is_one() -> None:
    assert constant_quality(2, 3).tolist() == [[1, 1, 1], [1, 1, 1]]
