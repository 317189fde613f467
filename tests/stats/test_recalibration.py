"""Probabilities put right: planted scale and bias are found, and nothing changes without reason."""

import numpy as np
import pytest

from mores.core.errors import InputError
from mores.stats.recalibration import recalibrate, rescale


def drawn(rng: np.random.Generator, n: int, scale: float, bias: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities as a verifier gives them, and labels drawn from what they are once put right."""
    logs = rng.normal(0, 1.5, (n, 3))
    given = np.exp(logs) / np.exp(logs).sum(axis=1, keepdims=True)
    true = given**scale * np.exp(bias)
    true /= true.sum(axis=1, keepdims=True)
    return given, (rng.random(n)[:, None] > true.cumsum(axis=1)).sum(axis=1)


def test_planted_scale_and_bias_are_found() -> None:
    found = recalibrate(*drawn(np.random.default_rng(1), 20_000, 0.6, [1.0, -0.5, 0.0]))
    assert found.scale == pytest.approx(0.6, abs=0.05)
    assert found.bias == pytest.approx([1.0, -0.5, 0.0], abs=0.1)


def test_probabilities_that_are_right_stay_as_they_are() -> None:
    given, truth = drawn(np.random.default_rng(2), 5_000, 1.0, [0.0, 0.0, 0.0])
    found = recalibrate(given, truth)
    assert np.mean(found.likeliest(given) == given.argmax(axis=1)) > 0.97


def test_without_data_nothing_changes() -> None:
    found = recalibrate(np.empty((0, 3)), np.empty(0))
    assert (found.scale, found.bias.tolist()) == (1.0, [0.0, 0.0, 0.0])


def test_a_label_that_was_certain_and_wrong_is_finite() -> None:
    found = recalibrate([[1.0, 0.0]] * 5, [1] * 5)
    assert np.isfinite([found.scale, *found.bias]).all()


def test_a_code_that_is_no_label_is_refused() -> None:
    with pytest.raises(InputError, match="expected a code from 0 to 1 for 1 rows"):
        recalibrate([[0.5, 0.5]], [2])


def test_a_scale_alone_changes_how_sure_a_label_is_and_never_which() -> None:
    given, truth = drawn(np.random.default_rng(3), 20_000, 0.5, [0.0, 0.0, 0.0])
    found = rescale(given, truth)
    assert found.scale == pytest.approx(0.5, abs=0.03)
    assert (found.bias == 0).all()
    assert (found.likeliest(given) == given.argmax(axis=1)).all()
    assert found.probabilities(given).sum(axis=1) == pytest.approx(np.ones(20_000))
    assert (found.probabilities(given).max(axis=1) <= given.max(axis=1) + 1e-12).all()
