"""No worse by a margin: what passes, how often it passes wrongly, and how many units it takes."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.paired import compare_paired, is_non_inferior, units_to_decide

SEED = Seed("tests")


def passes(lost: int, gained: int, units: int, margin: float) -> bool:
    """The decision on single units, so many of which were right in the first alone and in the second alone."""
    old, new = np.zeros(units), np.zeros(units)
    old[:lost], new[lost : lost + gained] = 1, 1
    found = compare_paired(old, new, np.arange(units), seed=SEED)
    return found.high is not None and is_non_inferior(-found.difference, -found.high, units, margin)


def passed_wrongly(units: int, margin: float, gained: float) -> float:
    """The exact chance to pass with a true loss of just the margin, where so large a share of units is gained."""
    lost, total = gained + margin, 0.0
    for b in range(int(binom.ppf(1e-7, units, lost)), int(binom.ppf(1 - 1e-7, units, lost)) + 1):
        # The fewer are gained, the less it passes: the first number of them that passes tells of all more.
        least = next((c for c in range(units - b + 1) if passes(b, c, units, margin)), None)
        if least is not None:
            total += binom.pmf(b, units, lost) * binom.sf(least - 1, units - b, gained / (1 - lost))
    return float(total)


@pytest.mark.parametrize(
    ("units", "margin", "gained"),
    [(99, 0.03, 0.0), (146, 0.03, 0.0), (153, 0.05, 0.0), (118, 0.05, 0.005), (90, 0.1, 0.02), (60, 0.1, 0.1),
     (250, 0.03, 0.02)],
)  # fmt: skip
def test_a_loss_of_just_the_margin_passes_one_time_in_twenty_at_most(units: int, margin: float, gained: float) -> None:
    assert passed_wrongly(units, margin, gained) <= 0.05


def test_units_in_clusters_keep_the_promise_too() -> None:
    rng, draws, clusters, size, margin = np.random.default_rng(5), 600, 40, 5, 0.1
    passed = 0
    for _ in range(draws):
        # In each cluster losses and gains have shares of their own: .2 and .1 on average, alike by about .2.
        lost, gained = (rng.beta(4 * share, 4 * (1 - share), clusters) for share in (0.2, 0.1))
        drawn = rng.random((clusters, size))
        gap = np.where(drawn < lost[:, None], 1.0, np.where(drawn > 1 - gained[:, None], -1.0, 0.0)).ravel()
        codes = np.repeat(np.arange(clusters), size)
        found = compare_paired(np.maximum(gap, 0), np.maximum(-gap, 0), codes, seed=SEED)
        assert found.high is not None
        passed += is_non_inferior(-found.difference, -found.high, clusters * size / 1.8, margin)
    assert passed / draws <= 0.05 + 3 * sqrt(0.05 * 0.95 / draws)


def tango(lost: int, gained: int, units: int, margin: float) -> float:
    """One-sided p of Tango's score test of a loss of the margin or more: large where it may be so."""
    b, c, n, d = gained, lost, units, -margin
    a2, a1, a0 = 2 * n, (2 * n + c - b) * d - (b + c), -c * d * (1 - d)
    # The share gained, were the true difference (gained less lost) just -margin, that makes what was seen likeliest.
    q = (sqrt(a1**2 - 4 * a2 * a0) - a1) / (2 * a2)
    z = (b - c - n * d) / sqrt(n * (2 * q + d - d**2)) if 2 * q + d - d**2 > 0 else 0.0
    return float(norm.sf(z))


def test_the_decision_is_that_of_tangos_score_test_but_at_the_very_margin() -> None:
    rng, differ = np.random.default_rng(3), 0
    for _ in range(300):
        units, margin = int(rng.integers(150, 2_000)), float(rng.choice([0.03, 0.05, 0.1]))
        lost, gained = (int(rng.binomial(units, share)) for share in (rng.uniform(0.02, 0.15), rng.uniform(0.02, 0.1)))
        p = tango(lost, gained, units, margin)
        if not 0.015 < p < 0.035:  # the interval's one-sided level is .025
            differ += passes(lost, gained, units, margin) != (p < 0.025)
    assert differ == 0


@pytest.mark.parametrize("units", [1, 8, 18, 98])
def test_equal_answers_to_few_units_never_pass_a_small_margin(units: int) -> None:
    # .97 to the power of 98 is .0505: a loss of the margin may well not have shown.
    assert not passes(0, 0, units, 0.03)
    assert passes(0, 0, 110, 0.03)


def test_who_is_clearly_better_passes_on_few_units() -> None:
    assert passes(1, 16, 50, 0.03)


@given(st.integers(20, 400), st.integers(0, 20), st.integers(0, 20), st.floats(0.01, 0.3), st.floats(0.01, 0.3))
def test_a_larger_margin_never_holds_back_what_a_smaller_one_lets_pass(
    units: int, lost: int, gained: int, one: float, other: float
) -> None:
    lost, gained = min(lost, units // 2), min(gained, units // 2)
    small, large = sorted((one, other))
    assert passes(lost, gained, units, small) <= passes(lost, gained, units, large)


@pytest.mark.parametrize(("differ", "margin"), [(0.2, 0.1), (0.1, 0.05), (0.4, 0.1)])
def test_so_many_units_decide_four_times_in_five(differ: float, margin: float) -> None:
    rng, units = np.random.default_rng(7), units_to_decide(differ, margin)
    drawn = rng.multinomial(units, [differ / 2, differ / 2, 1 - differ], size=300)
    passed = np.mean([passes(int(b), int(c), units, margin) for b, c, _ in drawn])
    assert passed == pytest.approx(0.8, abs=0.08)


@pytest.mark.parametrize("margin", [0.0, 1.0, -0.1, 3.0])
def test_a_margin_that_is_no_share_is_refused(margin: float) -> None:
    with pytest.raises(InputError, match="expected a share in"):
        is_non_inferior(0.0, 0.0, 100, margin)
