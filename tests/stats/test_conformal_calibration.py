"""Certificates, and the reasons why there are none."""

from collections.abc import Sequence
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy.stats import binomtest

from mores.calibration.certify import format_claim
from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.conformal.calibration import (
    Calibrated,
    CalibrationPlan,
    Uncalibratable,
    calibrate,
    calibrate_groups,
    efficient,
    stop_levels,
    sweep,
)
from mores.stats.conformal.draws import Draws, LabelledDraws, Thresholds
from mores.stats.conformal.replay import judge_sets, losses_under
from mores.stats.conformal.risk_tests import hoeffding_bentkus_p
from mores.tables.missing_texts import format_missing
from tests.stats.drawing import RISKS

SEED = Seed("tests")
COUNTING = CalibrationPlan(score="first_k", mode="line")


def judged(n: int, *, never: int = 0, late: int = 0, clusters: Sequence[int] | None = None) -> LabelledDraws:
    """Items whose four draws are right from the first, from the third (`late` of them) or not at all (`never`)."""
    right = np.ones((n, 4), dtype=np.int64)
    right[:never] = 0
    right[never : never + late, :2] = 0
    return LabelledDraws.of(Draws.of(right.tolist(), np.full((n, 4), 0.5)), [1] * n, clusters)


def drawn(seed: int, n: int = 200, each: int = 8) -> LabelledDraws:
    """A judge of some skill: surer where it is right, and alike where it decides alike."""
    rng = np.random.default_rng(seed)
    skill = np.where(rng.random(n) < 0.02, 0.0, rng.beta(6, 0.7, n))
    right = rng.random((n, each)) < skill[:, None]
    alike = np.where(right[:, :, None] == right[:, None, :], rng.uniform(0.2, 1, (n, each, each)), 0.0)
    draws = Draws.of(right.astype(int).tolist(), rng.beta(2 + 3 * right, 3), alike)
    return LabelledDraws.of(draws, [1] * n)


def certified(answer: Calibrated | Uncalibratable) -> Calibrated:
    assert isinstance(answer, Calibrated)
    return answer


def refused(answer: Calibrated | Uncalibratable) -> Uncalibratable:
    assert isinstance(answer, Uncalibratable)
    return answer


def test_four_losses_of_two_hundred_certify_a_twentieth_and_five_do_not() -> None:
    found = certified(calibrate(judged(200, never=4), [0.05], COUNTING, seed=SEED)[0])
    assert (found.thresholds, found.loss, found.units) == (Thresholds(stop=1.0), 0.02, 200)
    assert found.p == pytest.approx(0.02645, abs=5e-6)
    none = refused(calibrate(judged(200, never=5), [0.05], COUNTING, seed=SEED)[0])
    assert none.cause == "too few items"  # 5 of 200 are .025: were they as rare among more items, .05 would stand
    assert "0.025 of 200 units: under 0.05" in format_missing(none.missing)
    assert refused(calibrate(judged(200, never=10), [0.05], COUNTING, seed=SEED)[0]).cause == "judge not good enough"
    assert none.p == none.p_all == pytest.approx(0.06234, abs=5e-6)
    assert none.passes_at == pytest.approx(binomtest(5, 200).proportion_ci(0.9, "exact").high)
    assert none.loss == 0.025


def test_the_cheapest_safe_stop_is_chosen() -> None:
    """4 never right and 3 late: 7 losses of 200 stop at one or two draws, 4 at three; .05 allows 4, .11 allows 14."""
    found = calibrate(judged(200, never=4, late=3), [0.05, 0.11], COUNTING, seed=SEED)
    assert [certified(one).thresholds.stop for one in found] == [3.0, 1.0]
    assert [certified(one).accepted for one in found] == [3, 5]  # all draws, four, three; and two, one


def test_too_few_items_are_said_to_be_too_few_whatever_the_judge() -> None:
    none = refused(calibrate(judged(58), [0.05], COUNTING, seed=SEED)[0])
    assert none.cause == "too few items"
    assert "label at least 59" in format_missing(none.missing)
    assert certified(calibrate(judged(59), [0.05], COUNTING, seed=SEED)[0]).loss == 0


def test_an_unlucky_order_is_told_apart_and_the_failed_setting_is_not_handed_out() -> None:
    answers = [
        calibrate(drawn(seed), [0.05], CalibrationPlan(mode="pareto", levels=8), seed=SEED)[0] for seed in range(40)
    ]
    unlucky = [one for one in answers if isinstance(one, Uncalibratable) and one.cause == "unlucky order"]
    assert unlucky
    for one in unlucky:
        assert one.p_all <= 0.05 < one.p
        assert one.passes_at > 0.05
        assert "Another split would void the promise" in format_missing(one.missing)
    assert any(isinstance(one, Calibrated) for one in answers)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(["max", "first_k"]))
def test_a_larger_risk_is_never_dearer(seed: int, score: str) -> None:
    plan = CalibrationPlan(score=score, mode="line")  # type: ignore[arg-type]
    found = [one for one in calibrate(drawn(seed), RISKS, plan, seed=SEED) if isinstance(one, Calibrated)]
    stops = [one.thresholds.stop for one in found]
    assert stops == sorted(stops, reverse=True)
    assert [one.risk for one in found] == list(RISKS[len(RISKS) - len(found) :])
    assert all(one.p <= 0.05 and one.loss < one.risk for one in found)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000))
def test_the_order_of_the_items_does_not_matter_on_a_line(seed: int) -> None:
    data = drawn(seed)
    other = data.at(np.random.default_rng(seed).permutation(data.draws.count))
    plan = CalibrationPlan(mode="line")
    assert calibrate(data, RISKS, plan, seed=SEED) == calibrate(other, RISKS, plan, seed=SEED)


def test_a_split_is_drawn_by_the_seed_alone() -> None:
    data, plan = drawn(3), CalibrationPlan(mode="pareto", levels=6)
    assert calibrate(data, RISKS, plan, seed=SEED) == calibrate(data, RISKS, plan, seed=SEED)
    others = [calibrate(data, RISKS, plan, seed=Seed(f"{draw}")) for draw in range(5)]
    assert len(set(others)) > 1


def test_a_split_tests_on_what_was_not_split_off() -> None:
    assert certified(calibrate(drawn(3), [0.35], CalibrationPlan(mode="pareto", levels=6), seed=SEED)[0]).units == 140


def test_from_four_hundred_units_a_split_pays() -> None:
    assert certified(calibrate(judged(399), [0.35], CalibrationPlan(score="first_k"), seed=SEED)[0]).units == 399
    assert certified(calibrate(judged(400), [0.35], CalibrationPlan(score="first_k"), seed=SEED)[0]).units == 280
    four = [number // 4 for number in range(1200)]
    assert certified(calibrate(judged(1200, clusters=four), [0.35], seed=SEED)[0]).units == 300


def test_items_that_share_clusters_are_tested_as_clusters() -> None:
    """Twenty episodes of ten items, one of them lost whole: as items 10 of 200 would pass .11."""
    data = judged(200, never=10, clusters=[number // 10 for number in range(200)])
    assert certified(calibrate(judged(200, never=10), [0.11], COUNTING, seed=SEED)[0]).loss == 0.05
    none, found = calibrate(data, [0.11, 0.29], COUNTING, seed=SEED)
    assert refused(none).p == pytest.approx(float(hoeffding_bentkus_p([1], 20, 0.11)[0]))
    assert (certified(found).units, certified(found).clustered) == (20, True)
    assert "an item of a cluster" in format_claim(certified(found))


def test_a_cluster_is_split_off_whole() -> None:
    data = judged(400, clusters=[number // 4 for number in range(400)])
    found = certified(calibrate(data, [0.35], CalibrationPlan(score="first_k", mode="pareto"), seed=SEED)[0])
    assert (found.units, found.clustered) == (70, True)


def test_several_claims_share_delta() -> None:
    plan = CalibrationPlan(score="first_k", mode="line", claims=2)
    assert refused(calibrate(judged(200, never=4), [0.05], plan, seed=SEED)[0]).cause == "too few items"
    assert certified(calibrate(judged(200, never=3), [0.05], plan, seed=SEED)[0]).delta == 0.025


def test_groups_are_calibrated_apart_and_share_delta() -> None:
    data, places = judged(260, never=12), np.repeat(["GE", "JP"], [130, 130])
    found = calibrate_groups(data, places, [0.05, 0.23], COUNTING, seed=SEED)
    assert [refused(found["GE"][0]).cause, certified(found["GE"][1]).units] == ["judge not good enough", 130]
    assert (certified(found["JP"][0]).delta, certified(found["JP"][0]).loss) == (0.025, 0)


def test_log_likelihoods_want_stops_of_their_own() -> None:
    data = drawn(2)
    logs = replace(data.draws, quality=np.log(data.draws.quality) * 30)
    labelled = replace(data, draws=logs)
    with pytest.raises(InputError, match="stop_levels of draws without labels"):
        calibrate(labelled, [0.23], seed=SEED)
    stops = stop_levels(logs.at(np.arange(0, 50)))
    found = certified(calibrate(labelled.at(np.arange(50, 200)), [0.23], CalibrationPlan(stops=stops), seed=SEED)[0])
    assert found.thresholds.stop in (inf, *stops)
    assert list(stops) == sorted(stops, reverse=True)


def test_efficient_settings_are_those_that_none_beats() -> None:
    data = drawn(5, n=60)
    alike = data.draws.similarity
    assert alike is not None
    found = efficient(data, CalibrationPlan(levels=5, most_empty=None))
    sets = [judge_sets(data.draws, one) for one in found]
    costs = [(int(one.losses(data.admissible).sum()), int((one.draws + one.size).sum())) for one in sets]
    losses, spent = zip(*costs, strict=True)
    assert list(losses) == sorted(set(losses))
    assert list(spent) == sorted(set(spent), reverse=True)

    def tried(values: Floats) -> list[float]:
        return [-inf, *np.quantile(values, np.linspace(0, 1, 5), method="nearest").tolist(), inf]

    ceilings = tried(alike[:, ~np.eye(8, dtype=bool)])
    pairs = np.array([(ceiling, floor) for ceiling in ceilings for floor in tried(data.draws.quality)])
    stops = np.array(tried(np.maximum.accumulate(data.draws.quality, axis=1)))
    every = sweep(data, pairs, stops, "max")
    for lost, cost in zip(every.losses.ravel(), every.cost.ravel(), strict=True):
        assert any(l_ <= lost and c <= cost for l_, c in costs)
    assert set(costs) <= set(zip(every.losses.ravel().tolist(), every.cost.ravel().tolist(), strict=True))


def test_settings_that_leave_many_sets_empty_are_left_out() -> None:
    data = drawn(7, n=100)
    few, any_ = (efficient(data, CalibrationPlan(levels=8, most_empty=most)) for most in (0.01, None))
    assert max(judge_sets(data.draws, one).empty.mean() for one in few) <= 0.01
    assert max(judge_sets(data.draws, one).empty.mean() for one in any_) > 0.01


def test_draws_without_likeness_are_calibrated_by_quality_and_stop() -> None:
    data = drawn(4)
    plain = replace(data, draws=replace(data.draws, similarity=None))
    found = certified(calibrate(plain, [0.23], CalibrationPlan(mode="pareto"), seed=SEED)[0])
    assert found.thresholds.similarity == inf


def test_thresholds_do_what_their_certificate_says() -> None:
    data, plan = drawn(6), CalibrationPlan(mode="line")
    for one in calibrate(data, RISKS, plan, seed=SEED):
        if isinstance(one, Calibrated):
            lost = losses_under(data.draws, data.admissible, [one.thresholds])
            assert one.loss == lost.mean()


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        ({"delta": 0.0}, "0 < delta < 1"),
        ({"claims": 0}, "for 0 claims"),
        ({"tuning": 1.0}, "tuning is 1.0"),
        ({"levels": 0}, "levels 0"),
        ({"stops": (0.1, 0.9)}, "stops do not fall"),
    ],
)
def test_plans_that_make_no_sense_are_refused(plan: dict[str, float], says: str) -> None:
    with pytest.raises(InputError, match=says):
        CalibrationPlan(**plan)  # type: ignore[arg-type]


def test_levels_and_splits_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InputError, match="risk level is 1"):
        calibrate(judged(60), [1.0], seed=SEED)
    with pytest.raises(InputError, match="risk level is 0"):
        calibrate(judged(60), [0.0], seed=SEED)
    with pytest.raises(InputError, match="at least two to split"):
        calibrate(judged(1), [0.5], CalibrationPlan(score="first_k", mode="pareto"), seed=SEED)
    with pytest.raises(InputError, match="groups and items"):
        calibrate_groups(judged(60), ["GE"], [0.1], seed=SEED)
