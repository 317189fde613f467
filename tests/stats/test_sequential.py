"""Looks at a claim: boundaries as published, error over all looks, and intervals where a run ended."""

import numpy as np
import pytest
from scipy import special
from scipy.stats import multivariate_normal

from mores.core.errors import InputError
from mores.stats.sequential import ClusterScore, LookPlan, at_the_stop, expected, p_of, spent
from tests.stats.drawing import draws, luck

TEN = LookPlan.even(1227)


def _ended(plan: LookPlan, drift: float, rng: np.random.Generator) -> tuple[int, float]:
    """The look that ends a path of scores, and the score there."""
    shares = np.array(plan.shares)
    steps = np.diff(shares, prepend=0.0)
    path = np.cumsum(rng.standard_normal(shares.size) * np.sqrt(steps) + drift * steps) / np.sqrt(shares)
    look = next(number for number, score in enumerate(path, 1) if plan.end(number, float(score)) is not None)
    return look, float(path[look - 1])


def test_the_first_boundary_spends_just_what_it_may() -> None:
    assert p_of(TEN.bounds[0]) == pytest.approx(spent(0.1, 0.05))
    assert TEN.level(1) == pytest.approx(0.0005)


@pytest.mark.parametrize("shares", [(0.5, 1.0), (0.2, 0.6, 1.0)])
def test_looks_spend_what_a_multivariate_normal_says(shares: tuple[float, ...]) -> None:
    plan, at = LookPlan.of(shares), np.array(shares)
    together = np.sqrt(np.minimum.outer(at, at) / np.maximum.outer(at, at))
    for looks in range(1, len(shares) + 1):
        bounds = np.array(plan.bounds[:looks])
        inside = multivariate_normal(cov=together[:looks, :looks]).cdf(bounds, lower_limit=-bounds, rng=1)
        assert 1 - inside == pytest.approx(spent(shares[looks - 1], 0.05), abs=2e-4)


def test_one_look_is_a_plain_test() -> None:
    plan = LookPlan.of([1.0])
    assert plan.bounds == pytest.approx([special.ndtri(0.975)])
    found = at_the_stop(plan, 1, 2.5)
    assert found.p == pytest.approx(p_of(2.5))
    assert (found.low, found.middle, found.high) == pytest.approx((2.5 - 1.959964, 2.5, 2.5 + 1.959964), abs=1e-5)


def test_few_clusters_have_few_looks() -> None:
    assert [len(LookPlan.even(clusters).shares) for clusters in (29, 60, 100, 299, 300, 5000)] == [1, 2, 3, 9, 10, 10]


@draws(3000, 30000)
def test_the_error_holds_over_all_looks_whether_or_not_one_gives_up(draws: int) -> None:
    rng = np.random.default_rng(1)
    ends = [TEN.end(*_ended(TEN, 0.0, rng)) for _ in range(draws)]
    wrong = sum(end in {"shown", "opposite"} for end in ends) / draws
    assert wrong <= 0.05 + luck(0.05, draws)
    assert expected(TEN, 0.0).found + expected(TEN, 0.0).opposite == pytest.approx(0.048, abs=0.001)


@draws(2000, 20000)
@pytest.mark.parametrize("drift", [2.0, 3.2])
def test_a_plan_asks_and_finds_what_it_says(draws: int, drift: float) -> None:
    rng = np.random.default_rng(2)
    found = [_ended(TEN, drift, rng) for _ in range(draws)]
    shown = np.mean([TEN.end(*each) == "shown" for each in found])
    asked = [TEN.shares[look - 1] for look, _ in found]
    told = expected(TEN, drift)
    assert shown == pytest.approx(told.found, abs=luck(told.found, draws))
    assert np.mean(asked) == pytest.approx(told.share, abs=3 * np.std(asked) / np.sqrt(draws))


@draws(400, 6000)
@pytest.mark.parametrize("drift", [0.0, 3.2, 6.0])
def test_the_interval_at_the_end_covers_and_its_middle_is_too_high_half_the_time(draws: int, drift: float) -> None:
    rng = np.random.default_rng(3)
    held, above, sure = 0, 0, 0
    for _ in range(draws):
        look, score = _ended(TEN, drift, rng)
        found, true = at_the_stop(TEN, look, score), drift * np.sqrt(TEN.shares[look - 1])
        held += found.low <= true <= found.high
        above += found.middle > true
        sure += found.low > 0 or found.high < 0
    assert held / draws >= 0.95 - luck(0.05, draws)
    assert above / draws == pytest.approx(0.5, abs=luck(0.5, draws) + 0.03)  # giving up moves it by a little
    if drift == 0:
        assert sure / draws <= 0.05 + luck(0.05, draws)


@pytest.mark.parametrize(("look", "score"), [(1, 3.6), (4, 2.9), (7, -2.6), (10, 2.2), (10, 2.1), (6, 0.3)])
def test_interval_and_p_agree_with_the_boundary(look: int, score: float) -> None:
    found = at_the_stop(TEN, look, score)
    decided = TEN.end(look, score) in {"shown", "opposite"}
    assert (found.p <= 0.05) == decided
    assert (found.low > 0 or found.high < 0) == decided
    assert found.low < found.middle < found.high


def test_the_score_is_the_sign_flip_tests_and_bounded_by_the_clusters() -> None:
    twelve = ClusterScore.of([1.0] * 12 + [0.0] * 48, range(60))
    assert twelve.score() == pytest.approx(np.sqrt(12))  # 12 of 12 agree: p .0005, and by flips 2 / 2 ** 12
    assert ClusterScore.of([0.0] * 5, range(5)).score() == 0.0


def test_clusters_count_once() -> None:
    rng = np.random.default_rng(4)
    gaps, of = rng.integers(-1, 2, 30).astype(float), np.repeat(range(10), 3)
    score = ClusterScore.of(gaps, of)
    thrice = ClusterScore.of(np.repeat(gaps, 3), np.repeat(of, 3))
    assert thrice.score() == pytest.approx(score.score())
    assert thrice.mean == pytest.approx(score.mean)


def test_a_difference_and_its_drift_are_two_ways_to_say_one_thing() -> None:
    rng = np.random.default_rng(5)
    score = ClusterScore.of(rng.integers(-1, 2, 90).astype(float), np.repeat(range(45), 2))
    assert score.difference(0.0) == pytest.approx(0.0, abs=1e-8)
    assert score.difference(score.score()) == pytest.approx(score.mean, abs=1e-8)
    for difference in (-0.4, 0.2):
        assert score.difference(score.score() - score.score(difference)) == pytest.approx(difference, abs=1e-8)
    assert score.difference(-100.0) == -np.inf
    assert score.difference(100.0) == np.inf


def test_what_is_no_plan_is_refused() -> None:
    for shares in ([], [0.5], [0.5, 0.4, 1.0]):
        with pytest.raises(InputError, match="expected a rise to 1"):
            LookPlan.of(shares)
    with pytest.raises(InputError, match="a look of 1 to 10"):
        at_the_stop(TEN, 11, 1.0)
