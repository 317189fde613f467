"""What holds, what departs, and what says nothing."""

from math import nan

import numpy as np
import numpy.typing as npt
import pytest

from mores.core.errors import UnknownName
from mores.core.seeds import Seed
from mores.stats.intervals import Interval, no_interval
from mores.validity.conduct import conduct
from mores.validity.promises import (
    Experiment,
    Found,
    Promise,
    alarm,
    alarmed,
    certificate,
    interval,
    mean_of,
    missed,
)
from mores.validity.registry import EXPERIMENTS, chosen, families


def figures(broken: int, kept: int, silent: int = 0) -> npt.NDArray[np.float64]:
    return np.repeat([1.0, 0.0, nan], [broken, kept, silent])


def verdict(promise: Promise, *counts: int) -> str:
    return Found.of(promise, "family", figures(*counts)).verdict


def test_a_promise_departs_beyond_three_standard_errors_on_the_unsafe_side_alone() -> None:
    # Of 400 draws .05 are 20, and three standard errors of them 3 · √(400 · .05 · .95) = 13.1.
    assert verdict(alarm("a"), 33, 367) == "holds"
    assert verdict(alarm("a"), 34, 366) == "DEPARTS"
    assert verdict(alarm("a"), 0, 400) == "holds"


def test_an_interval_may_lack_a_point_however_many_the_draws() -> None:
    # Of 100,000 draws three standard errors are .002.
    assert verdict(interval("a"), 5_900, 94_100) == "holds"
    assert verdict(interval("a"), 6_100, 93_900) == "DEPARTS"
    assert verdict(alarm("a"), 5_900, 94_100) == "DEPARTS"


def test_a_naive_rule_has_to_depart() -> None:
    assert verdict(alarm("a", naive=True), 40, 60) == "must fail, and does"
    assert verdict(alarm("a", naive=True), 5, 95) == "MUST FAIL, AND DOES NOT"
    for counts, sound in (((40, 60), True), ((5, 95), False)):
        assert Found.of(alarm("a", naive=True), "family", figures(*counts)).sound == sound


def test_a_refused_certificate_is_not_broken_and_a_refused_interval_is_not_counted() -> None:
    refused = Found.of(certificate("a"), "family", figures(10, 50, 40))
    assert (refused.broken, refused.draws, refused.said) == (0.1, 100, 0.6)
    left_out = Found.of(interval("a"), "family", figures(10, 50, 40))
    assert left_out.broken == pytest.approx(1 / 6)
    assert left_out.draws == 60


@pytest.mark.parametrize("promise", [certificate("a"), interval("a"), alarm("a", naive=True)])
def test_what_hardly_ever_says_anything_is_no_promise_kept(promise: Promise) -> None:
    found = Found.of(promise, "family", figures(0, 40, 60))
    assert found.verdict == "says nothing"
    assert found.departs
    assert Found.of(promise, "family", figures(0, 0, 9)).verdict == "says nothing"


def test_a_mean_is_held_against_its_own_spread() -> None:
    risks = np.tile([0.0, 0.24], 200)  # mean .12, standard error .12 / 20
    assert Found.of(mean_of("a", 0.11), "family", risks).verdict == "holds"
    assert Found.of(mean_of("a", 0.10), "family", risks).verdict == "DEPARTS"


def test_an_interval_holds_its_ends_and_a_test_its_level() -> None:
    assert [missed(Interval(0.2, 0.4, ""), truth) for truth in (0.2, 0.4, 0.41)] == [0, 0, 1]
    assert np.isnan(missed(no_interval("few"), 0.3))
    assert [alarmed(p) for p in (0.05, 0.051)] == [1, 0]
    assert np.isnan([alarmed(None), alarmed(nan)]).all()


def test_dear_experiments_make_fewer_draws_and_never_too_few() -> None:
    one = Experiment(name="a", family="f", promises=(alarm("a"),), draws=200, draw=lambda _: (0.0,))
    assert [one.times(scale) for scale in (3, 1, 0.5, 0.01)] == [600, 200, 100, 40]
    naive = Experiment(name="a", family="f", promises=(alarm("a", naive=True),), draws=200, draw=lambda _: (1.0,))
    assert [naive.times(scale) for scale in (3, 0.01)] == [600, 200]


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
    ticks: list[tuple[int, int]] = []
    alone, together = (
        [
            found.broken
            for found in conduct(some, draws=200, seed=Seed("s"), workers=many, told=lambda *t: ticks.append(t))
        ]
        for many in (1, 2)
    )
    assert alone == together
    assert ticks[-1][0] == ticks[-1][1]
    other = [found.broken for found in conduct(some, draws=200, seed=Seed("t"), workers=1, told=lambda *_: None)]
    assert other != alone
