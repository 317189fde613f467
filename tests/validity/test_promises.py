"""What holds, what departs, and what says nothing."""

from math import nan

import numpy as np
import numpy.typing as npt
import pytest

from mores.core.errors import UnknownName
from mores.core.estimate import NOTHING_GRADED
from mores.core.seeds import Seed
from mores.stats.intervals import Interval, no_interval
from mores.validity.promises import (
    Promise,
    StoppingRule,
    alarm,
    alarmed,
    certificate,
    departs,
    interval,
    long_form,
    mean_of,
    missed,
    power,
)
from mores.validity.runner import (
    EXPERIMENTS,
    ExperimentProgress,
    PromiseResult,
    chosen,
    families,
    run_experiments,
    short,
)


def figures(broken: int, kept: int, silent: int = 0) -> npt.NDArray[np.float64]:
    """So many draws of each kind, in the order of luck."""
    return np.random.default_rng(0).permutation(np.repeat([1.0, 0.0, nan], [broken, kept, silent]))


def verdict(promise: Promise, *counts: int) -> str:
    return PromiseResult.of(promise, "family", figures(*counts)).verdict


def test_a_promise_departs_beyond_luck_on_the_unsafe_side_alone() -> None:
    # Of 400 draws .05 are 20; 39 or more come in one of 14,800, 40 or more in one of 31,900: a third of 1 / 6,000.
    assert verdict(alarm("a"), 39, 361) == "holds"
    assert verdict(alarm("a"), 40, 360) == "DEPARTS"
    assert verdict(alarm("a"), 0, 400) == "holds"


def test_an_interval_may_lack_half_a_point_however_many_the_draws() -> None:
    # Of 10,000 draws 641 or more come in a third of 1 / 6,000 where .055 is true, and 587 or more where .05 is.
    assert verdict(interval("a"), 580, 9_420) == "holds"
    assert verdict(interval("a"), 750, 9_250) == "DEPARTS"
    assert verdict(alarm("a"), 700, 9_300) == "DEPARTS"


def test_an_interval_that_covers_over_97_is_said_to_be_conservative() -> None:
    assert verdict(interval("a"), 10, 990) == "holds, conservative"
    assert verdict(interval("a"), 29, 971) == "holds"
    assert verdict(alarm("a"), 10, 990) == "holds"


def test_a_clear_row_ends_early_and_a_doubtful_one_is_drawn_on() -> None:
    form = StoppingRule(enough=400, most=6000)
    assert departs(interval("a"), figures(2, 98), form) is None
    assert departs(interval("a"), figures(6, 294), form) is False  # 98 of 100: over ten times likelier 94.5 than 93
    assert departs(interval("a"), figures(20, 380), form) is False  # enough, and no doubt
    assert departs(interval("a"), figures(28, 372), form) is None
    assert departs(interval("a"), figures(60, 340), form) is True


def test_a_clear_row_is_drawn_until_its_figure_is_known() -> None:
    form = StoppingRule(enough=6000, most=6000, least=1000)
    assert departs(interval("a"), figures(2, 898), form) is None
    assert departs(interval("a"), figures(2, 998), form) is False
    assert departs(interval("a"), figures(90, 10), form) is True


def test_the_power_of_a_row_is_how_often_the_departure_is_found() -> None:
    form = StoppingRule(enough=100, most=800)
    rng = np.random.default_rng(1)
    rows = rng.random((800, 800)) < 0.07
    found = np.mean([departs(alarm("a"), row.astype(np.float64), form) is True for row in rows])
    said = power(alarm("a"), form, claimed=1.0, spread=nan)
    assert abs(found - said) < 4 * (said * (1 - said) / 800) ** 0.5


@pytest.mark.parametrize(
    "promise", [interval("a"), alarm("a"), certificate("a"), alarm("a", level=0.01), alarm("a", level=0.2)]
)
def test_the_long_form_notices_two_points_in_eight_of_ten(promise: Promise) -> None:
    assert power(promise, long_form(promise), claimed=1.0, spread=nan) >= 0.8
    assert power(promise, StoppingRule(enough=100, most=100), claimed=1.0, spread=nan) < 0.8


def test_a_row_that_may_refuse_half_of_its_draws_notices_two_points_as_well() -> None:
    promise = interval("a", may_refuse=True)
    assert power(promise, long_form(promise), claimed=0.5, spread=nan) >= 0.8


def test_the_power_of_a_mean_comes_from_its_spread() -> None:
    form = StoppingRule(enough=6000, most=6000)
    sure, unsure = (power(mean_of("a", 0.1), form, claimed=1.0, spread=spread) for spread in (0.1, 1.0))
    assert sure > 0.99 > 0.2 > unsure


def test_an_interval_that_lacks_more_than_half_a_point_and_less_than_two_is_said_to_be_a_little_short() -> None:
    assert verdict(interval("a"), 390, 5_610) == "holds, a little short"
    assert verdict(interval("a"), 350, 5_650) == "holds"


def test_a_naive_rule_has_to_depart() -> None:
    assert verdict(alarm("a", naive=True), 40, 60) == "must fail, and does"
    assert verdict(alarm("a", naive=True), 5, 95) == "MUST FAIL, AND DOES NOT"
    for counts, sound in (((40, 60), True), ((5, 95), False)):
        assert PromiseResult.of(alarm("a", naive=True), "family", figures(*counts)).sound == sound


def test_a_refused_certificate_is_not_broken_and_a_refused_interval_is_not_counted() -> None:
    refused = PromiseResult.of(certificate("a"), "family", figures(10, 50, 40))
    assert (refused.broken, refused.draws, refused.claimed) == (0.1, 100, 0.6)
    left_out = PromiseResult.of(interval("a"), "family", figures(10, 50, 40))
    assert left_out.broken == pytest.approx(1 / 6)
    assert left_out.draws == 60


def test_where_the_honest_answer_may_be_none_refusing_is_no_departure() -> None:
    assert verdict(interval("a", may_refuse=True), 0, 5, 95) == "refuses"
    assert verdict(interval("a", may_refuse=True), 0, 0, 100) == "refuses"
    assert verdict(interval("a", may_refuse=True), 20, 20, 160) == "DEPARTS"
    assert verdict(interval("a", may_refuse=True), 40, 60) == "DEPARTS"


@pytest.mark.parametrize("promise", [certificate("a"), interval("a"), alarm("a", naive=True)])
def test_what_hardly_ever_says_anything_is_no_promise_kept(promise: Promise) -> None:
    found = PromiseResult.of(promise, "family", figures(0, 40, 60))
    assert found.verdict == "says nothing"
    assert found.departs
    assert PromiseResult.of(promise, "family", figures(0, 0, 9)).verdict == "says nothing"


def test_a_mean_is_held_against_its_own_spread() -> None:
    risks = np.tile([0.0, 0.24], 200)  # mean .12, standard error .12 / 20; a third of 1 / 6,000 is beyond 3.9 of them
    assert PromiseResult.of(mean_of("a", 0.10), "family", risks).verdict == "holds"
    assert PromiseResult.of(mean_of("a", 0.09), "family", risks).verdict == "DEPARTS"


def test_an_interval_holds_its_ends_and_a_test_its_level() -> None:
    assert [missed(Interval(0.2, 0.4, ""), truth) for truth in (0.2, 0.4, 0.41)] == [0, 0, 1]
    assert np.isnan(missed(no_interval(NOTHING_GRADED), 0.3))
    assert [alarmed(p) for p in (0.05, 0.051)] == [1, 0]
    assert np.isnan([alarmed(None), alarmed(nan)]).all()


def test_every_row_has_a_name_of_its_own_and_every_family_a_rule_that_must_fail() -> None:
    names = [promise.name for one in EXPERIMENTS for promise in one.promises]
    assert len(names) == len(set(names))
    assert len({one.name for one in EXPERIMENTS}) == len(EXPERIMENTS)
    naive = {one.family for one in EXPERIMENTS if any(promise.naive for promise in one.promises)}
    assert set(families()) == naive


def test_rows_are_chosen_by_the_beginning_of_a_family_or_name() -> None:
    assert {one.family for one in chosen(["trust"])} == {"trust or escalate"}
    assert [one.name for one in chosen(["Holm, any false claim: 20 claims, none"])] == ["20 claims, none true"]
    assert chosen([]) == EXPERIMENTS
    with pytest.raises(UnknownName, match="Did you mean 'agreement'"):
        chosen(["agrement"])


def test_the_findings_are_the_same_over_however_many_processes() -> None:
    some = chosen(["trust or escalate", "many claims"])
    ticks: list[ExperimentProgress] = []
    alone, together = (
        [
            found.broken
            for found in run_experiments(
                some, forms=short(0.05), seed=Seed("s"), workers=many, on_progress=ticks.append
            )
        ]
        for many in (1, 2)
    )
    assert alone == together
    assert ticks[-1] == (len(some), len(some), 0.0)
    other = [found.broken for found in run_experiments(some, forms=short(0.05), seed=Seed("t"), workers=1)]
    assert other != alone
