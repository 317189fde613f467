"""Rungs held against each other under judges that err: sums on paper, and what must hold whatever the data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.judged_power import fall_power, holds_from, support, with_labels
from mores.stats.judged_scores import (
    DropCriterion,
    JudgedContrast,
    NormDesign,
    RungScores,
    contrast,
    score_intervals,
)
from mores.stats.paired import compare_paired
from mores.stats.rogan_gladen import FLAWLESS, JudgeErrors, RateRange

SEED = Seed("judged")
WIDE = JudgeErrors.within(0.75, 1.0)


def unjudged(scores: Floats, least: float = 0.0) -> RungScores:
    none = np.zeros(scores.size)
    return RungScores(passed=scores, seen=none, verdicts=none + 1, least=least)


def judged(kept: int, of: int, judge: JudgeErrors = WIDE, verdicts: float = 1.0) -> RungScores:
    """So many norms that a judge let pass."""
    said = (np.arange(of) < kept).astype(np.float64)
    return RungScores(passed=said, seen=np.ones(of), verdicts=np.full(of, verdicts), judge=judge)


def alone(size: int) -> NormDesign:
    return NormDesign(np.arange(size), np.zeros(size, dtype=np.int64))


def fall(one: RungScores, other: RungScores) -> JudgedContrast:
    return contrast(one, other, alone(one.passed.size), seed=SEED)


def sure(figure: float | None) -> float:
    assert figure is not None
    return figure


def test_a_drop_is_looked_at_for_every_judge_of_the_range() -> None:
    # Before: (.9 − f) / (se − f) is .867 for a judge that passes a quarter of what is wrong, 1.2, cut to 1, for one
    # that passes three quarters of what is right. After: .3 / .75 = .4, and (.3 − .25) / .75 = .067.
    # At the centre, .875 and .875: (.9 - .125) / .75 is over 1, so 1, and (.3 - .125) / .75.
    found = fall(judged(90, 100), judged(30, 100))
    assert found.ends == pytest.approx((1.0, 0.175 / 0.75))
    assert found.size == pytest.approx(1 - 0.175 / 0.75)
    assert found.size_judged == pytest.approx(0.6)
    assert found.least == pytest.approx(0.65 / 0.75 - 0.4)
    assert found.most == pytest.approx(1 - 0.05 / 0.75)
    assert sure(found.low) < sure(found.size) < sure(found.high)  # of sampling alone: the range stands beside it
    assert sure(found.high) - sure(found.low) < 0.35
    assert sure(found.p_judged) <= sure(found.p) < 0.001


def test_what_some_judge_explains_is_no_finding() -> None:
    found = fall(judged(95, 100), judged(72, 100))  # .72 / .75 = .96 of what is right
    assert sure(found.p_judged) < 0.001
    assert found.p == 1.0


def test_a_judge_that_is_always_right_leaves_the_paired_comparison() -> None:
    one, other = judged(9, 12, FLAWLESS), judged(4, 12, FLAWLESS)
    plain = compare_paired(one.passed, other.passed, np.arange(12), seed=SEED)
    found = fall(one, other)
    assert (found.size, found.low, found.high) == (plain.difference, plain.low, plain.high)
    assert found.p == found.p_judged == plain.p
    assert found.least == found.most == found.size


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 40), st.integers(0, 40), st.floats(0.6, 1), st.floats(0.6, 1))
def test_a_wider_range_never_finds_more(before: int, after: int, one: float, other: float) -> None:
    low, high = sorted((one, other))
    wide, narrow = (
        fall(judged(before, 40, JudgeErrors.within(x, 1)), judged(after, 40, JudgeErrors.within(x, 1)))
        for x in (low, high)
    )
    assert sure(wide.least) <= sure(narrow.least) + 1e-9
    assert sure(narrow.most) <= sure(wide.most) + 1e-9
    assert sure(wide.p) >= sure(narrow.p) - 0.02  # random signs of each corner are drawn apart


def test_a_day_passes_only_if_each_of_its_steps_does() -> None:
    # Three verdicts of .75 each let .42 of what is kept pass: a rung that is as good falls by more than half.
    found = fall(judged(100, 100, FLAWLESS), judged(42, 100, verdicts=3.0))
    assert found.size_judged == pytest.approx(0.58)
    assert found.size == pytest.approx(1 - (0.42 - 0.125) / (0.875**3 - 0.125))
    assert found.least == pytest.approx(1 - min(1, 0.42 / 0.75**3))
    assert sure(found.p) > 0.05


def test_what_no_judge_saw_is_not_the_judges() -> None:
    """Explanations with a wrong label are wrong, whoever grades reasons."""
    kept = np.repeat([1.0, 0.0], 30)
    rung = RungScores(passed=kept, seen=kept, verdicts=np.ones(60), judge=WIDE)
    assert rung.by(1.0, 0.75).mean() == pytest.approx(0.5)
    assert rung.by(1.0, 0.75)[30:].tolist() == [0.0] * 30


def test_labels_put_a_drop_right_and_widen_it() -> None:
    def by(labels: int) -> JudgedContrast:
        judge = JudgeErrors(
            sensitivity=RateRange.labelled(0.8 * labels, labels), specificity=RateRange.labelled(0.9 * labels, labels)
        )
        return fall(judged(100, 100, FLAWLESS), judged(66, 100, judge))

    few, many = by(20), by(2000)
    assert many.size == pytest.approx(1 - (0.66 - 0.1) / 0.7, abs=0.01)  # .2, and not .34
    for found in (few, many):
        assert found.least == found.most == found.size
        assert found.low is not None
    assert (many.low or 0) > (few.low or 0)
    assert sure(many.p) < sure(few.p)


def test_an_interval_over_labels_holds_the_true_drop() -> None:
    """True .9 and .6, a judge of .85 and .9 on the upper rung, 150 labels of each kind: 95 of 100, and no fewer."""
    rng, held, draws = np.random.default_rng(4), 0, 400
    for _ in range(draws):
        up, down = rng.random(120) < 0.9, rng.random(120) < 0.6
        said = np.where(down, rng.random(120) < 0.85, rng.random(120) < 0.1)
        judge = JudgeErrors(
            sensitivity=RateRange.labelled(rng.binomial(150, 0.85), 150),
            specificity=RateRange.labelled(rng.binomial(150, 0.9), 150),
        )
        after = RungScores(passed=said.astype(float), seen=np.ones(120), verdicts=np.ones(120), judge=judge)
        found = contrast(unjudged(up.astype(float)), after, alone(120), seed=SEED)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.3 <= found.high
    assert held / draws >= 0.93


def test_the_worst_judge_for_which_a_drop_holds() -> None:
    # After a rung without a judge, .6 / x is over .2 below from x = .75 on, and p is far below the level there.
    one, other = unjudged(np.ones(200)), judged(120, 200)
    found = holds_from(one, other, alone(200), DropCriterion(0.2, 0.01))
    assert found == pytest.approx(0.76, abs=0.011)


def test_it_holds_for_no_judge_where_nothing_falls() -> None:
    assert holds_from(judged(50, 60), judged(50, 60), alone(60), DropCriterion(0.1, 0.01)) is None


def test_a_figure_is_that_of_the_centre_with_the_band_of_its_judge_beside_its_interval() -> None:
    (found,) = score_intervals([(judged(48, 60), alone(60))], None)
    assert found.value == pytest.approx((0.8 - 0.125) / 0.75)
    assert (found.least, found.most) == pytest.approx((0.55 / 0.75, 1.0))
    low, high = sure(found.interval.low), sure(found.interval.high)
    plain = score_intervals([(judged(48, 60, FLAWLESS), alone(60))], None)[0].interval
    assert (low, high) == pytest.approx(((sure(plain.low) - 0.125) / 0.75, min(1, (sure(plain.high) - 0.125) / 0.75)))


def test_a_figure_at_the_end_of_the_scale_has_an_interval_all_the_same() -> None:
    (found,) = score_intervals([(judged(285, 300), alone(300))], None)  # .95 is more than .875 could let pass
    assert found.value == found.interval.high == 1.0
    plain = sure(score_intervals([(judged(285, 300, FLAWLESS), alone(300))], None)[0].interval.low)
    assert sure(found.interval.low) == pytest.approx((plain - 0.125) / (0.95 - 0.125))


def test_a_band_over_half_of_the_scale_leaves_no_point() -> None:
    assert judged(40, 100, verdicts=9.0).unbounded
    assert not judged(40, 100).unbounded
    assert not unjudged(np.ones(9)).unbounded


def test_the_share_of_judges_for_which_a_fall_is_a_break() -> None:
    claim = DropCriterion(0.1, 0.05)
    whole = (unjudged(np.ones(400)), judged(120, 400), alone(400), claim)
    assert support(*whole, one_judge=True) == 1.0
    assert support(unjudged(np.ones(400)), judged(390, 400), alone(400), claim, one_judge=True) == 0.0
    some = support(unjudged(np.ones(400)), judged(290, 400), alone(400), claim, one_judge=True)
    assert some is not None
    assert 0.2 < some < 0.9
    assert support(unjudged(np.ones(9)), unjudged(np.zeros(9)), alone(9), claim, one_judge=True) is None


def test_one_judge_with_one_pair_of_rates_explains_less_than_two() -> None:
    falls = (judged(360, 400), judged(280, 400), alone(400), DropCriterion(0.1, 0.05))
    together, apart = support(*falls, one_judge=True), support(*falls, one_judge=False)
    assert together == 1.0  # whoever the judge is, the fall only grows when it is corrected
    assert apart is not None
    assert apart < 1.0


def test_no_number_of_norms_shows_what_the_judge_may_explain() -> None:
    # After a rung of 1.0 a judge of .875 twice lets .125 + .75 t pass; by .75 and 1 that is t + 1/6. A fall of d is at
    # least d - 1/6, which is over .1 from .267 on.
    claim = DropCriterion(0.1, 0.05 / 5)
    few, many = (fall_power(unjudged(np.ones(n)), judged(n * 7 // 8, n), alone(n), claim) for n in (48, 80_000))
    assert few.unlimited == many.unlimited == pytest.approx(0.27)
    assert sure(few.least) > sure(many.least)
    assert sure(many.least) <= 0.275
    told = fall_power(unjudged(np.ones(300)), with_labels(judged(262, 300), 200), alone(300), claim)
    assert sure(told.least) < sure(many.least)


def test_a_break_must_exceed_its_size_so_that_power_there_is_never_promised() -> None:
    found = fall_power(unjudged(np.ones(10_000)), unjudged(np.ones(10_000)), alone(10_000), DropCriterion(0.1, 0.05))
    assert sure(found.least) > 0.1
    few = fall_power(unjudged(np.ones(5)), unjudged(np.ones(5)), alone(5), DropCriterion(0.1, 0.05))
    assert few.least is None


@pytest.mark.parametrize("known", [WIDE, FLAWLESS, JudgeErrors.within(0.9, 1.0)])
def test_a_fall_of_the_size_that_is_promised_is_found_in_four_of_five(known: JudgeErrors) -> None:
    """Whole claims on planted falls, the judge at the centre of what is known of it."""
    rng, claim, norms = np.random.default_rng(3), DropCriterion(0.1, 0.01), 250
    se, sp = known.centre

    def draw(share: float) -> RungScores:
        kept = rng.random(norms) < share
        said = np.where(kept, rng.random(norms) < se, rng.random(norms) >= sp)
        return RungScores(passed=said.astype(float), seen=np.ones(norms), verdicts=np.ones(norms), judge=known)

    promised = sure(fall_power(unjudged((rng.random(norms) < 0.9).astype(float)), draw(0.9), alone(norms), claim).least)
    found = 0
    for _ in range(200):
        before = unjudged((rng.random(norms) < 0.9).astype(float))
        seen = fall(before, draw(0.9 - promised))
        found += claim.holds_for(sure(seen.least), sure(seen.p))
    assert 0.72 <= found / 200 <= 0.98


def test_constant_words_count_nothing_where_labels_count_alike() -> None:
    scenes = np.array([1.0] * 6 + [-0.5] * 12)  # always the word of six of them
    design = NormDesign(np.arange(18), np.zeros(18), 1 / np.repeat([6.0, 6.0, 6.0], 6))
    found = contrast(unjudged(scenes, -0.5), unjudged(scenes, -0.5), design, seed=SEED)
    assert found.ends == pytest.approx((0.0, 0.0))


@pytest.mark.parametrize(("low", "high"), [(0.5, 1.0), (0.9, 0.8), (0.9, 1.1)])
def test_a_range_of_a_judge_that_may_be_a_coin_is_refused(low: float, high: float) -> None:
    with pytest.raises(InputError, match=r"two shares from \.6 to 1"):
        JudgeErrors.within(low, high)


def test_labels_of_a_judge_whose_norms_are_all_ungraded_leave_no_figure_and_no_warning() -> None:
    none, rate = np.empty(0), RateRange.labelled(90, 100)
    scores = RungScores(passed=none, seen=none, verdicts=none, judge=JudgeErrors(sensitivity=rate, specificity=rate))
    (found,) = score_intervals([(scores, NormDesign(none, none))], None)
    assert found.interval.low is None
    assert contrast(scores, scores, NormDesign(none, none), seed=Seed("none")).units == 0
