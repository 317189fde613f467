"""What telling adds, and what it takes away of a fall: sums on paper, and what must hold whatever the data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from mores.core.arrays import Floats
from mores.core.seeds import Seed
from mores.stats.anchors import ToldScores, anchored_fall, told_gain
from mores.stats.judged_scores import NormDesign, RungScores, contrast
from mores.stats.paired import compare_paired
from mores.stats.rogan_gladen import FLAWLESS, JudgeErrors, RateRange

SEED = Seed("anchors")
WIDE = JudgeErrors.within(0.75, 1.0)


def scores(kept: Floats, judge: JudgeErrors = FLAWLESS, least: float = 0.0) -> RungScores:
    seen = np.full(kept.size, float(judge is not FLAWLESS))
    return RungScores(passed=kept, seen=seen, verdicts=np.ones(kept.size), judge=judge, least=least)


def first(kept: int, of: int = 100) -> Floats:
    return (np.arange(of) < kept).astype(np.float64)


def told(plain: int, after: int, judge: JudgeErrors = FLAWLESS) -> ToldScores:
    return ToldScores(plain=scores(first(plain), judge), told=scores(first(after), judge))


def alone(size: int = 100) -> NormDesign:
    return NormDesign(np.arange(size), np.zeros(size, dtype=np.int64))


def test_what_telling_adds_is_told_less_plain() -> None:
    found = told_gain(told(60, 90), alone(), seed=SEED)
    assert found.ends == pytest.approx((0.9, 0.6))
    assert (found.size, found.least, found.most) == pytest.approx((0.3, 0.3, 0.3))
    paired = compare_paired(first(90), first(60), np.arange(100), seed=SEED)
    assert found.p == pytest.approx(paired.p)
    assert found.low is not None
    assert found.low < 0.3


def test_the_part_of_a_fall_that_telling_takes_away_is_a_difference_of_differences() -> None:
    # 80 to 60 plain, 95 to 80 told: 20 - 15, or what telling adds after, 20, less what it adds before, 15.
    before, after = told(80, 95), told(60, 80)
    found = anchored_fall(before, after, alone(), seed=SEED)
    assert found.size == pytest.approx(0.05)
    assert found.ends == pytest.approx((0.2, 0.15))
    units = (first(80) - first(60)) - (first(95) - first(80))
    paired = compare_paired(units, np.zeros(100), np.arange(100), seed=SEED)
    assert found.p == pytest.approx(paired.p)


def test_harder_items_alone_take_nothing_away() -> None:
    found = anchored_fall(told(80, 90), told(60, 70), alone(), seed=SEED)
    assert found.size == pytest.approx(0.0)
    assert found.p == 1.0


def test_a_fall_of_knowledge_alone_goes_whole() -> None:
    before, after = told(90, 100), told(60, 100)
    found = anchored_fall(before, after, alone(), seed=SEED)
    plain = contrast(before.plain, after.plain, alone(), seed=SEED)
    assert found.size == pytest.approx(0.3)
    assert found.size == pytest.approx(plain.size)


def test_a_judge_stretches_a_gain_as_its_rates_say() -> None:
    # A gain of 30 of 100 that pass is one of .3 / (se + sp - 1): .3 for a judge without errors, .6 for one of .75.
    found = told_gain(told(40, 70, WIDE), alone(), seed=SEED)
    assert found.size == pytest.approx(0.3 / 0.75)
    assert found.size_judged == pytest.approx(0.3)
    assert found.least == pytest.approx(0.3)
    # At .75 and .75, (.7 - .25) / .5 less (.4 - .25) / .5.
    assert found.most == pytest.approx(0.6)


def test_what_labels_leave_open_moves_both_scores_together() -> None:
    rate = RateRange.labelled(85, 100)
    judge = JudgeErrors(sensitivity=rate, specificity=rate)
    known = JudgeErrors.within(rate.low, rate.low)
    assert (rate.low, rate.high) == (known.sensitivity.low, known.sensitivity.high)
    wide, narrow = (told_gain(told(40, 70, each), alone(), seed=SEED) for each in (judge, known))
    alike = told_gain(told(40, 40, judge), alone(), seed=SEED)
    assert wide.size == pytest.approx(narrow.size)
    assert None not in (wide.low, wide.high, narrow.low, narrow.high)
    assert float(wide.high or 0) - float(wide.low or 0) > float(narrow.high or 0) - float(narrow.low or 0)
    assert alike.size == 0.0


def test_told_answers_are_held_against_the_judge_of_the_plain_ones() -> None:
    both = told(40, 70, WIDE)
    other = ToldScores(plain=both.plain, told=replace(both.told, judge=JudgeErrors.within(0.95, 1.0)))
    assert told_gain(other, alone(), seed=SEED) == told_gain(both, alone(), seed=SEED)


def test_a_gain_is_that_of_figures_cut_to_the_scale() -> None:
    # At the centre, (.97 - .125) / .75 is over 1: told is 1, and the gain what is left to it.
    found = told_gain(told(60, 97, WIDE), alone(), seed=SEED)
    plain = (0.6 - 0.125) / 0.75
    assert found.ends == pytest.approx((1.0, plain))
    assert found.size == pytest.approx(1.0 - plain)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= 1.0 - plain <= found.high


def test_without_norms_there_are_no_figures() -> None:
    none = told(0, 0).at(np.zeros(100, dtype=np.bool_))
    design = alone().at(np.zeros(100, dtype=np.bool_))
    for found in (told_gain(none, design, seed=SEED), anchored_fall(none, none, design, seed=SEED)):
        assert (found.size, found.p, found.units) == (None, None, 0)


def test_norms_count_as_graded_where_both_are() -> None:
    plain, after = first(3, 5), first(4, 5)
    plain[0], after[4] = np.nan, np.nan
    both = ToldScores(plain=scores(plain), told=scores(after))
    assert both.graded.tolist() == [False, True, True, True, False]


kept_sets = st.lists(st.tuples(*[st.booleans()] * 4), min_size=8, max_size=40)


@given(kept_sets, st.booleans())
@settings(max_examples=40, deadline=None)
def test_the_order_of_norms_does_not_matter_and_sides_change_the_sign(
    kept: list[tuple[bool, bool, bool, bool]], judged: bool
) -> None:
    judge = WIDE if judged else FLAWLESS

    def found(rows: list[tuple[bool, bool, bool, bool]], *, turned: bool = False) -> float | None:
        one, two, three, four = (
            scores(np.array(column, dtype=np.float64), judge) for column in zip(*rows, strict=True)
        )
        sides = [ToldScores(plain=one, told=two), ToldScores(plain=three, told=four)]
        a, b = reversed(sides) if turned else sides
        return anchored_fall(a, b, alone(len(rows)), seed=SEED).size

    size = found(kept)
    assert size is not None
    assert found(kept[::-1]) == pytest.approx(size)
    assert found(kept, turned=True) == pytest.approx(-size)
    assert -2 <= size <= 2


def test_a_judge_never_turns_a_gain_round() -> None:
    # Nine in ten pass untold, more than a judge of .75 lets pass of what is right: cut to the scale there is no room.
    found = told_gain(told(90, 98, WIDE), alone(), seed=SEED)
    assert found.p == pytest.approx(compare_paired(first(98), first(90), np.arange(100), seed=SEED).p)
    assert found.size == 0.0  # both are cut to 1 at the centre
    assert found.least == 0.0
    assert found.most == pytest.approx(0.08 / 0.5)
