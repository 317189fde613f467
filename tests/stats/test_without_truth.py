"""Judges by each other: planted accuracies and errors come back, and intervals hold them as often as they promise."""

from collections.abc import Sequence

import numpy as np
import pytest

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.cluster_sums import Design
from mores.stats.without_truth import judged_by_others

RNG_SEED = 20261123
N = 270


def words(rng: np.random.Generator, accuracies: Sequence[float], classes: int = 2, n: int = N) -> np.ndarray:
    """What judges say of things of which two thirds are of the first class; who errs says any other word alike."""
    truth = np.where(rng.random(n) < 2 / 3, 0, rng.integers(1, classes, n))
    wrong = (truth[:, None] + rng.integers(1, classes, (n, len(accuracies)))) % classes
    return np.where(rng.random(wrong.shape) < accuracies, truth[:, None], wrong).astype(float)


def design(n: int = N, seed: int = 0) -> Design:
    return Design(clusters=[f"c{row}" for row in range(n)], seed=Seed(f"apart-{seed}"), resamples=400)


def found(said: np.ndarray, classes: int, seed: int = 0) -> list[float]:
    return [each.value for each in judged_by_others(said, np.full(len(said), classes), design(len(said), seed))]


def test_planted_accuracies_come_back_within_their_intervals_as_often_as_promised() -> None:
    rng, planted, held = np.random.default_rng(RNG_SEED), (0.95, 0.8, 0.6), np.zeros(3)
    rounds = 60
    for seed in range(rounds):
        figures = judged_by_others(words(rng, planted), np.full(N, 2), design(seed=seed))
        for judge, (figure, chance) in enumerate(zip(figures, planted, strict=True)):
            held[judge] += (figure.interval.low or 0) <= chance <= (figure.interval.high or 1)
    assert (held / rounds >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / rounds)).all()


def test_of_five_judges_all_agreements_count_and_a_coin_is_found_out() -> None:
    planted = (0.9, 0.85, 0.7, 0.6, 0.5)
    values = found(words(np.random.default_rng(RNG_SEED), planted, n=4000), 2)
    assert values == pytest.approx(planted, abs=0.03)


def test_a_choice_among_three_counts_as_one_between_two() -> None:
    """Right with .8 among three words is .7 above chance, and so .85 between two."""
    values = found(words(np.random.default_rng(RNG_SEED), (0.8, 0.8, 0.8), classes=3, n=4000), 3)
    assert values == pytest.approx([0.85] * 3, abs=0.02)


def test_errors_of_points_add_up_to_how_far_judges_are_apart() -> None:
    rng, planted = np.random.default_rng(RNG_SEED), (0.05, 0.1, 0.2)
    said = rng.random((4000, 1)) + rng.normal(0, planted, (4000, 3))
    assert found(said, 0) == pytest.approx([error**2 for error in planted], rel=0.1, abs=5e-4)


def test_what_a_judge_did_not_say_is_left_out_and_judges_that_share_nothing_have_no_figure() -> None:
    said = words(np.random.default_rng(RNG_SEED), (0.9, 0.8, 0.7), n=4000)
    gaps = said.copy()
    gaps[::3, 0], gaps[1::3, 1] = np.nan, np.nan
    assert found(gaps, 2) == pytest.approx((0.9, 0.8, 0.7), abs=0.04)
    gaps[:2000, 0], gaps[2000:, 1] = np.nan, np.nan
    assert np.isnan(found(gaps, 2)).all()


def test_few_clusters_have_figures_without_intervals() -> None:
    figures = judged_by_others(words(np.random.default_rng(1), (0.9, 0.8, 0.7), n=7), np.full(7, 2), design(7))
    assert all(figure.interval.low is None and figure.interval.missing is not None for figure in figures)


def test_two_judges_cannot_be_told_apart() -> None:
    with pytest.raises(InputError, match="2 judges; without labels expected three or more"):
        found(words(np.random.default_rng(1), (0.9, 0.8)), 2)
