"""Intervals of shares of independent units, in one stratum and in many."""

from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from mores.core.errors import InputError
from mores.core.estimate import NOTHING_GRADED
from mores.core.seeds import Seed
from mores.stats.intervals import Interval, mean_interval, no_interval, wilson
from mores.stats.weighted_means import stratified_wilson
from tests.stats.drawing import draws, luck

SEED = Seed("tests")
counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
places = st.lists(counts, min_size=2, max_size=30)


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


@pytest.mark.parametrize(("share", "low", "high"), [(0.88, 0.847, 0.907), (0.84, 0.803, 0.871), (0.92, 0.891, 0.942)])
def test_the_judge_of_socialcc_has_its_published_intervals(share: float, low: float, high: float) -> None:
    assert ends(wilson(450 * share, 450)) == pytest.approx((low, high), abs=5e-4)


@given(counts, st.floats(0.5, 0.999))
def test_wilson_is_that_of_statsmodels(count: tuple[int, int], confidence: float) -> None:
    expected = proportion_confint(*count, alpha=1 - confidence, method="wilson")
    assert ends(wilson(*count, confidence)) == pytest.approx(expected, abs=1e-9)


def test_all_right_reaches_one_and_all_wrong_reaches_zero() -> None:
    assert wilson(7, 7).high == 1
    assert wilson(0, 7).low == 0


def test_nothing_graded_has_no_interval_and_says_so() -> None:
    for none in (wilson(0, 0), stratified_wilson([], []), mean_interval([], [], seed=SEED)):
        assert none == no_interval(NOTHING_GRADED)


@pytest.mark.parametrize(("successes", "n"), [(5, 4), (-1, 4), (1, 0), (float("nan"), 3)])
def test_more_successes_than_units_are_refused(successes: float, n: float) -> None:
    with pytest.raises(InputError, match="expected a number from 0 to n"):
        wilson(successes, n)


@pytest.mark.parametrize("confidence", [0, 1, 95, float("nan")])
def test_a_confidence_that_is_no_share_is_refused(confidence: float) -> None:
    with pytest.raises(InputError, match="confidence is"):
        wilson(1, 2, confidence)


@given(places, st.floats(0.5, 0.99), st.floats(0.5, 0.99))
def test_asking_for_more_confidence_never_narrows(
    strata: list[tuple[int, int]], confidence: float, other: float
) -> None:
    x, n = zip(*strata, strict=True)
    low, high = ends(stratified_wilson(x, n, confidence=min(confidence, other)))
    wide_low, wide_high = ends(stratified_wilson(x, n, confidence=max(confidence, other)))
    assert wide_low <= low + 1e-12
    assert high <= wide_high + 1e-12


@given(places, st.sampled_from([None, "equal"]))
def test_the_stratified_interval_holds_the_mean_and_stays_within_bounds(
    strata: list[tuple[int, int]], weights: Literal["equal"] | None
) -> None:
    x, n = (np.array(column, dtype=float) for column in zip(*strata, strict=True))
    low, high = ends(stratified_wilson(x, n, weights=weights))
    mean = np.average(x / n, weights=n if weights is None else None)
    assert 0 <= low <= mean + 1e-9
    assert mean - 1e-9 <= high <= 1


@given(places)
def test_wrong_mirrors_right(strata: list[tuple[int, int]]) -> None:
    x, n = (np.array(column) for column in zip(*strata, strict=True))
    low, high = ends(stratified_wilson(x, n))
    assert ends(stratified_wilson(n - x, n)) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(places)
def test_the_order_of_strata_does_not_matter(strata: list[tuple[int, int]]) -> None:
    x, n = zip(*strata, strict=True)
    back = ends(stratified_wilson(x[::-1], n[::-1], weights="equal"))
    assert ends(stratified_wilson(x, n, weights="equal")) == pytest.approx(back, abs=1e-9)


def test_one_stratum_is_plain_wilson() -> None:
    assert stratified_wilson([30], [40]) == wilson(30, 40)


def test_strata_of_one_unit_are_taken_as_unstratified() -> None:
    assert ends(stratified_wilson([1, 0, 1, 1], [1, 1, 1, 1])) == pytest.approx(ends(wilson(3, 4)))


def test_strata_that_explain_all_make_the_interval_narrower() -> None:
    low, high = ends(stratified_wilson([50, 0], [50, 50]))
    plain_low, plain_high = ends(wilson(50, 100))
    assert high - low < 0.5 * (plain_high - plain_low)


@pytest.mark.parametrize(
    ("x", "n", "weights"),
    [([1, 2], [2, 0], None), ([3, 1], [2, 2], None), ([1], [2, 2], None), ([1, 1], [2, 2], [1, 0]), ([1], [2], [1, 1])],
)
def test_strata_that_cannot_be_are_refused(x: list[float], n: list[float], weights: list[float] | None) -> None:
    with pytest.raises(InputError):
        stratified_wilson(x, n, weights=weights)


def test_units_by_name_give_the_interval_of_their_counts() -> None:
    values, of = [1, 1, 1, 0, 1, 1, 0, 0, 1], list("GGGGGJJJJ")
    assert mean_interval(values, range(9), strata=of, seed=SEED) == stratified_wilson([4, 2], [5, 4])
    equal = mean_interval(values, range(9), strata=of, weights="equal", seed=SEED)
    assert ends(equal) == pytest.approx(ends(stratified_wilson([4, 2], [5, 4], weights="equal")))
    assert mean_interval(values, range(9), seed=SEED) == wilson(6, 9)


@pytest.mark.parametrize("n", [10, 20, 50, 200, 1000, 5000])
def test_wilson_covers_shares_drawn_evenly_from_a_tenth_to_nine_tenths(n: int) -> None:
    """Averaged over shares; for a single share the coverage of any interval swings with n."""
    shares = np.linspace(0.1, 0.9, 4001)
    both = np.array([ends(wilson(x, n)) for x in range(n + 1)])
    first, last = np.searchsorted(both[:, 1], shares), np.searchsorted(both[:, 0], shares, side="right") - 1
    coverage = np.mean(binom.cdf(last, n, shares) - binom.cdf(first - 1, n, shares))
    assert 0.94 <= coverage <= 0.965


DESIGNS = {
    "45 places of 7 to 59": np.random.default_rng(1).integers(7, 60, 45),
    "12 places of 9": np.full(12, 9),
    "2 places of 5": np.full(2, 5),
    "45 places of 111": np.full(45, 111),
    "places of 1 to 300": np.array([1, 1, 2, 3, 5, 8, 13, 30, 80, 300]),
    "2 places of 40 and 8": np.array([40, 8]),
}


def coverage_of_strata(
    sizes: npt.NDArray[np.int64], weights: Literal["equal"] | None, spread: float, draws: int
) -> float:
    """Share of draws whose interval holds the mean of the rates planted in the strata.

    `spread` 0 plants one rate, drawn from U(.1, .9), 1 a rate a stratum, from U(.05, .95).
    """
    rng = np.random.default_rng(7)
    share = sizes / sizes.sum() if weights is None else np.full(sizes.size, 1 / sizes.size)
    held = 0
    for _ in range(draws):
        rates = np.full(sizes.size, rng.uniform(0.1, 0.9)) if spread == 0 else rng.uniform(0.05, 0.95, sizes.size)
        low, high = ends(stratified_wilson(rng.binomial(sizes, rates), sizes, weights=weights))
        held += low <= share @ rates <= high
    return held / draws


@draws(1000, 3000)
@pytest.mark.parametrize("spread", [0, 1], ids=["even", "uneven"])
@pytest.mark.parametrize("design", DESIGNS)
def test_strata_by_size_are_covered(design: str, spread: float, draws: int) -> None:
    # Two strata of five units take 11 values each way, so uneven rates are covered a little too often.
    top, off = 0.975 if design == "2 places of 5" else 0.965, luck(0.95, draws)
    assert 0.94 - off <= coverage_of_strata(DESIGNS[design], None, spread, draws) <= top + off


@draws(1000, 3000)
@pytest.mark.parametrize("spread", [0, 1], ids=["even", "uneven"])
@pytest.mark.parametrize("design", ["45 places of 7 to 59", "12 places of 9", "45 places of 111"])
def test_strata_weighed_alike_are_covered(design: str, spread: float, draws: int) -> None:
    off = luck(0.95, draws)
    assert 0.94 - off <= coverage_of_strata(DESIGNS[design], "equal", spread, draws) <= 0.965 + off


def test_ignoring_strata_would_cover_too_often() -> None:
    """The coverage test can tell: Wilson over all units, with rates .05 to .95, is far too wide."""
    rng, sizes, z = np.random.default_rng(3), np.full(12, 9), ndtri(0.975)
    rates = np.linspace(0.05, 0.95, 12)
    p = rng.binomial(sizes, rates, (4000, 12)).sum(1) / 108
    shrink = 1 + z * z / 108
    centre, half = (p + z * z / 216) / shrink, z / shrink * np.sqrt(p * (1 - p) / 108 + z * z / 216**2)
    assert np.mean(np.abs(rates.mean() - centre) <= half) > 0.975


@pytest.mark.parametrize("value", [0, 1])
@pytest.mark.parametrize("places", range(2, 40))
def test_all_right_over_places_of_one_size_is_wilson_over_all(places: int, value: int) -> None:
    # Fifteen weights of 1/15 add up to 0.9999999999999999; a third of all numbers of places do.
    strata, units = np.repeat(np.arange(places), 9), places * 9
    expected = ends(wilson(value * units, units))
    assert ends(mean_interval(np.full(units, value), range(units), strata=strata, seed=SEED)) == pytest.approx(expected)
    pairs = mean_interval(np.full(2 * units, value), np.arange(2 * units) // 2, strata=np.repeat(strata, 2), seed=SEED)
    assert ends(pairs) == pytest.approx(expected)
