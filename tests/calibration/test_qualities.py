"""How good a draw is held to be by its likelihood: both forms by hand, and what has none."""

from math import exp

import pytest

from mores.calibration.draws import likelihood
from mores.core.verdict import JudgeAnswer, Vote


def reply(tokens: int | None, logprob: float | None) -> Vote:
    """A judge's reply of so many tokens with this log-likelihood in all."""
    return Vote(item="i", sample=0, task="goal", judge="judge", draw=0, prompt="p", options=("yes", "no"),
                said={"": JudgeAnswer(label="yes")}, tokens=tokens, logprob=logprob)  # fmt: skip


def test_the_penalty_for_length_divides_by_a_power_of_it() -> None:
    # Ten tokens of -.1 are -1 in all; the penalty is ((5 + 10) / 6)^.6 = 2.5^.6 = 1.73286, and exp(-1 / 1.73286).
    assert likelihood(reply(10, -1.0), gnmt=True) == pytest.approx(0.56154, abs=5e-6)


def test_the_mean_form_is_the_geometric_mean_of_the_tokens() -> None:
    assert likelihood(reply(10, -1.0), gnmt=False) == pytest.approx(0.90484, abs=5e-6)
    assert likelihood(reply(10, -1.0), gnmt=False) == pytest.approx(exp(-0.1))


def test_length_costs_by_the_penalty_and_not_by_the_mean() -> None:
    # The same -.1 for each of eighty tokens: (85 / 6)^.6 = 4.90637, and exp(-8 / 4.90637) = .19583.
    assert likelihood(reply(80, -8.0), gnmt=True) == pytest.approx(0.19583, abs=5e-6)
    assert likelihood(reply(80, -8.0), gnmt=False) == pytest.approx(0.90484, abs=5e-6)


def test_one_token_has_its_own_likelihood_by_both_forms() -> None:
    # The penalty of one token is ((5 + 1) / 6)^.6 = 1.
    for gnmt in (True, False):
        assert likelihood(reply(1, -0.5), gnmt=gnmt) == pytest.approx(exp(-0.5))


def test_a_likelihood_that_is_rounded_above_one_is_one() -> None:
    for gnmt in (True, False):
        assert likelihood(reply(3, 1e-7), gnmt=gnmt) == 1.0


def test_a_reply_without_tokens_or_log_probabilities_has_no_likelihood() -> None:
    for gnmt in (True, False):
        assert likelihood(reply(None, -1.0), gnmt=gnmt) is None
        assert likelihood(reply(10, None), gnmt=gnmt) is None
        assert likelihood(reply(0, 0.0), gnmt=gnmt) is None
