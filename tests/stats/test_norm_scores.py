"""Scores of open answers that a verifier holds against norms."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.estimate import CategoricalColumn
from mores.stats.intervals import Interval
from mores.stats.norm_scores import NormRule, norm_weights, region_points, weighted_interval
from mores.tables.missing_texts import format_missing
from tests.stats.by_definition import norm_interval, norm_score, norm_slots, region_scores, score_from_means
from tests.stats.drawing import draws, luck

SLOTS = {"no": 6557, "sometimes": 9577}
# CultureForest, table 3 in percent ("sometimes", then "no": satisfied, left open, violated) and Hard Mean@3 of table 2.
PUBLISHED = {
    "GPT-5.2": ((70.13, 29.02, 0.84), (66.00, 33.47, 0.52), 51.29),
    "Claude-Sonnet-4.6": ((73.56, 25.77, 0.66), (70.16, 29.42, 0.41), 57.14),
    "Gemini-3.1-Pro": ((73.45, 25.91, 0.63), (69.35, 30.19, 0.44), 56.37),
    "Qwen3.5-Plus": ((71.65, 27.69, 0.65), (66.57, 33.00, 0.43), 52.81),
    "Deepseek-V3.2": ((68.89, 30.53, 0.57), (62.89, 36.71, 0.39), 47.91),
    "Llama4-Scout": ((59.76, 39.51, 0.72), (52.86, 46.65, 0.47), 33.38),
    "Llama-3.1-8B": ((54.63, 44.57, 0.79), (49.00, 50.46, 0.53), 26.75),
    "Mistral-7B-v0.3": ((59.10, 39.39, 1.50), (55.56, 43.44, 0.99), 34.99),
    "Phi-3.5-mini": ((55.98, 43.53, 0.48), (49.31, 50.33, 0.34), 28.00),
    "Qwen3.5-0.8B": ((48.65, 50.50, 0.84), (43.43, 56.01, 0.56), 18.11),
    "Qwen2.5-7B": ((58.72, 40.72, 0.56), (51.11, 48.46, 0.41), 31.25),
}
YES, OPEN, BROKEN, UNGRADED = (1, 0, 0), (0, 1, 0), (0, 0, 1), (np.nan,) * 3
seeds = st.integers(0, 2**32 - 1)


def drawn(seed: int, samples: int = 3, slots: int = 60) -> tuple[Floats, list[str]]:
    rng = np.random.default_rng(seed)
    return rng.dirichlet((4, 2, 1), (samples, slots)), rng.choice(["no", "sometimes"], slots).tolist()


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


@pytest.mark.parametrize("model", PUBLISHED)
def test_the_published_distributions_give_the_published_scores(model: str) -> None:
    sometimes, no, score = PUBLISHED[model]
    means = {"no": np.divide(no, 100).tolist(), "sometimes": np.divide(sometimes, 100).tolist()}
    assert score_from_means(means, SLOTS) == pytest.approx(score, abs=0.01)


def test_the_largest_mean_weight_is_that_of_the_released_script() -> None:
    weights = norm_weights(["no"] * SLOTS["no"] + ["sometimes"] * SLOTS["sometimes"])
    assert weights.sum() == 11345.5
    assert weights.size == 16134


@given(seeds)
def test_mean_probabilities_say_the_same_as_all_of_them(seed: int) -> None:
    p, strictness = drawn(seed)
    of = np.array(strictness)
    kinds = sorted(set(strictness))
    means = {kind: p[:, of == kind].mean((0, 1)).tolist() for kind in kinds}
    assert norm_score(norm_slots(p, strictness)).mean == pytest.approx(
        score_from_means(means, {kind: int((of == kind).sum()) for kind in kinds})
    )


def test_worked_by_hand() -> None:
    # values: no +1, -.5; sometimes .5 · (+1, -1). Means .25 and 0 over weights 1 and .5; best 1 and .5
    score = norm_score(norm_slots([[YES, YES], [OPEN, BROKEN]], ["no", "sometimes"]))
    assert score.mean == pytest.approx(100 * 0.25 / 1.5)
    assert score.passed == pytest.approx(100)
    assert (score.worst, score.best, score.graded, score.asked) == (score.mean, score.mean, 4, 4)


def test_all_satisfied_is_100_and_all_violated_minus_100() -> None:
    for verdict, points in ((YES, 100), (OPEN, -50), (BROKEN, -100)):
        assert norm_score(norm_slots([[verdict] * 3], ["no", "no", "sometimes"])).mean == points


@given(seeds)
def test_a_model_passes_no_less_than_its_mean(seed: int) -> None:
    score = norm_score(norm_slots(*drawn(seed)))
    assert -100 <= score.mean <= score.passed <= 100


@given(seeds)
def test_the_order_of_slots_and_samples_does_not_matter(seed: int) -> None:
    p, strictness = drawn(seed)
    score, back = norm_score(norm_slots(p, strictness)), norm_score(norm_slots(p[::-1, ::-1], strictness[::-1]))
    assert (score.mean, score.passed) == pytest.approx((back.mean, back.passed))


@given(seeds)
def test_what_could_not_be_graded_is_left_out_and_bounded(seed: int) -> None:
    p, strictness = drawn(seed, slots=10)
    lost = np.random.default_rng(seed).random((3, 10)) < 0.3
    score = norm_score(norm_slots(np.where(lost[..., None], np.nan, p), strictness))
    truth = norm_score(norm_slots(p, strictness)).mean
    assert (score.graded, score.asked) == (30 - lost.sum(), 30)
    assert score.worst - 1e-9 <= min(score.mean, truth)
    assert max(score.mean, truth) <= score.best + 1e-9


def test_nothing_graded_has_no_score() -> None:
    slots = norm_slots([[UNGRADED]], ["no"])
    score = norm_score(slots)
    assert np.isnan([score.mean, score.passed]).all()
    assert (score.worst, score.best, score.graded) == (-100, 100, 0)
    assert format_missing(norm_interval(slots, ["q1"]).missing) == "nothing graded"
    regions = region_scores(slots, ["JP"])
    assert np.isnan([*regions.points, regions.std, regions.gap]).all()


@pytest.mark.parametrize("form", ["paper", "adjusted"])
def test_no_slots_have_no_score(form: Any) -> None:
    slots = norm_slots(np.empty((3, 0, 3)), [])
    assert np.isnan([norm_score(slots).mean, norm_score(slots).best]).all()
    assert region_scores(slots, [], form=form).names == ()
    assert format_missing(norm_interval(slots, [], form=form).missing) == "nothing graded"


@pytest.mark.parametrize("strictness", ["yes", "No", "", "None"])
def test_an_unknown_strictness_is_refused_by_name(strictness: str) -> None:
    with pytest.raises(InputError, match=f"slot 1: strictness '{strictness}'; expected 'no' or 'sometimes'"):
        norm_slots([[YES, YES]], ["no", strictness])


@pytest.mark.parametrize(
    "p",
    [
        [[(0.5, 0.5, 0.5)]],
        [[(1.5, -0.5, 0)]],
        [[(np.nan, 0.5, 0.5)]],
        [[(1, 0)]],
        1.0,
        [[YES, YES]],
        [YES],
        np.empty((0, 1, 3)),
    ],
)
def test_what_is_no_distribution_for_each_slot_is_refused(p: Any) -> None:
    with pytest.raises(InputError, match="expected"):
        norm_slots(p, ["no"])


@pytest.mark.parametrize(("alpha", "beta"), [(0, 0.5), (1.1, 0.5), (0.5, -0.1), (0.5, float("nan"))])
def test_a_rule_outside_its_range_is_refused(alpha: float, beta: float) -> None:
    with pytest.raises(InputError, match="expected 0 < alpha"):
        NormRule(alpha=alpha, beta=beta)


def test_a_region_of_strict_norms_exceeds_100_in_the_papers_form_only() -> None:
    # mean weight of all is .75: GE 1 / .75, JP .5 / .75
    slots = norm_slots([[YES, YES]], ["no", "sometimes"])
    paper, adjusted = region_scores(slots, ["GE", "JP"], form="paper"), region_scores(slots, ["GE", "JP"])
    assert paper.names == ("GE", "JP")
    assert paper.points == pytest.approx([400 / 3, 200 / 3])
    assert (paper.std, paper.gap) == pytest.approx((100 / 3, 200 / 3))
    assert adjusted.points == pytest.approx([100, 100])
    assert (adjusted.std, adjusted.gap) == (0, 0)


@given(seeds, st.sampled_from(["mean", "passed"]))
def test_regions_of_the_papers_form_average_to_the_whole(seed: int, statistic: Any) -> None:
    p, strictness = drawn(seed)
    slots = norm_slots(p, strictness)
    regions = region_scores(slots, ["GE", "JP", "PE"] * 20, form="paper", statistic=statistic)
    assert regions.points.mean() == pytest.approx(getattr(norm_score(slots), statistic))
    assert regions.std == pytest.approx(np.std(regions.points))


def test_a_region_without_graded_slots_is_left_out_of_the_gap() -> None:
    regions = region_scores(norm_slots([[YES, BROKEN, UNGRADED]], ["no"] * 3), ["GE", "JP", "PE"])
    assert regions.points == pytest.approx([100, -100, np.nan], nan_ok=True)
    assert regions.gap == 200


def test_lengths_that_differ_are_refused() -> None:
    slots = norm_slots([[YES]], ["no"])
    with pytest.raises(InputError, match="regions and units"):
        region_points(slots.mean, slots.weight, CategoricalColumn.sorted(["GE", "JP"]))
    with pytest.raises(InputError, match="clusters and values"):
        weighted_interval(slots.mean, slots.weight, ["q1", "q2"])


@given(seeds, st.sampled_from(["paper", "adjusted"]))
def test_the_score_lies_within_its_interval(seed: int, form: Any) -> None:
    p, strictness = drawn(seed)
    slots, questions = norm_slots(p, strictness), np.repeat(np.arange(20), 3)
    low, high = ends(norm_interval(slots, questions, form=form))
    wide_low, wide_high = ends(norm_interval(slots, questions, form=form, confidence=0.99))
    assert wide_low < low < norm_score(slots).mean < high < wide_high


@pytest.mark.parametrize("form", ["paper", "adjusted"])
def test_a_region_lies_within_the_interval_of_its_own_form(form: Any) -> None:
    p, _ = drawn(0)
    slots = norm_slots(p, ["no"] * 30 + ["sometimes"] * 30)
    region = np.repeat(["GE", "JP"], 30)
    for name, points in zip(*region_scores(slots, region.tolist(), form=form)[:2], strict=True):
        low, high = ends(norm_interval(slots, np.arange(60) // 3, within=region == name, form=form))
        assert (low + high) / 2 == pytest.approx(points, abs=6)
        assert low < points < high


def test_few_questions_have_no_interval() -> None:
    p, strictness = drawn(0, slots=21)
    assert (
        format_missing(norm_interval(norm_slots(p, strictness), np.arange(21) // 3).missing)
        == "too few clusters: 7, at least 8 are needed"
    )


def test_all_satisfied_ends_at_100_and_starts_below() -> None:
    low, high = ends(norm_interval(norm_slots([[YES] * 10], ["no", "sometimes"] * 5), range(10)))
    assert 20 < low < 60
    assert high == 100


def test_regions_of_different_skill_narrow_the_interval() -> None:
    rng = np.random.default_rng(0)
    p = np.concatenate((rng.dirichlet((9, 1, 1), (1, 60)), rng.dirichlet((1, 1, 9), (1, 60))), axis=1)
    slots, questions = norm_slots(p, ["no", "sometimes"] * 60), np.arange(120) // 2
    low, high = ends(norm_interval(slots, questions, strata=np.repeat(["GE", "JP"], 60)))
    plain_low, plain_high = ends(norm_interval(slots, questions))
    assert high - low < 0.7 * (plain_high - plain_low)


@draws(400, 1200)
@pytest.mark.parametrize(("statistic", "questions"), [("mean", 10), ("mean", 60), ("passed", 200)])
def test_the_interval_covers_what_questions_in_general_would_score(statistic: Any, questions: int, draws: int) -> None:
    """Nominal .95, give or take three standard errors. Skill varies from question to question.

    With few questions the interval errs towards wide, as a verifier's probabilities might hide a question that fails.
    """
    rng = np.random.default_rng(7)

    def play(count: int) -> Any:
        skill = rng.beta(4, 2, (count, 1, 1))
        satisfied = rng.random((count, 3, 3)) < skill
        share = np.where(satisfied, 0.9, 0.2).transpose(1, 0, 2).reshape(3, -1)
        p = np.stack((share, 0.8 * (1 - share), 0.2 * (1 - share)), axis=-1)
        return norm_slots(p, rng.choice(["no", "sometimes"], 3 * count, p=[0.4, 0.6]).tolist())

    truth, held = getattr(norm_score(play(100_000)), statistic), 0
    for _ in range(draws):
        low, high = ends(norm_interval(play(questions), np.arange(3 * questions) // 3, statistic=statistic))
        held += low <= truth <= high
    most = 0.995 if questions < 30 else 0.97
    assert 0.95 - luck(0.95, draws) <= held / draws <= most + luck(most, draws)
