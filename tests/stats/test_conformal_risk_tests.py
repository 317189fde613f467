"""P-values of risks, and many settings tested at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from mores.core.errors import InputError
from mores.stats.conformal.risk_tests import RiskEvidence, binomial_p, hoeffding_bentkus_p, most_losses, safe, units_for
from tests.stats.drawing import RISKS


@pytest.mark.parametrize(
    ("losses", "n", "p"),
    [(4, 200, 0.02645), (5, 200, 0.06234), (2, 140, 0.02687), (3, 140, 0.07652), (0, 59, 0.04849), (0, 58, 0.05105)],
)
def test_binomial_p_values_are_those_of_the_table(losses: int, n: int, p: float) -> None:
    assert float(binomial_p([losses], n, 0.05)[0]) == pytest.approx(p, abs=5e-6)


@pytest.mark.parametrize(
    ("mean", "n", "risk", "p"),
    [(0.02, 200, 0.05, 0.07189), (0.01, 140, 0.05, 0.03133), (0, 60, 0.05, 0.04607), (14 / 200, 200, 0.11, 0.10595)],
)
def test_hoeffding_bentkus_p_values_are_those_of_the_table(mean: float, n: int, risk: float, p: float) -> None:
    assert float(hoeffding_bentkus_p([mean * n], n, risk)[0]) == pytest.approx(p, abs=5e-6)


@pytest.mark.parametrize(
    ("n", "passing"),
    [
        (60, [0, 2, 5, 8, 11, 14]),
        (100, [1, 5, 10, 15, 21, 26]),
        (140, [2, 9, 16, 23, 31, 39]),
        (200, [4, 14, 24, 35, 47, 58]),
        (400, [12, 33, 55, 77, 100, 123]),
    ],
)
def test_the_largest_passing_losses_are_those_of_the_table(n: int, passing: list[int]) -> None:
    assert [most_losses(n, risk) for risk in RISKS] == passing


@pytest.mark.parametrize(("n", "passing"), [(140, [1, 7, 14, 21, 29, 36]), (200, [3, 12, 22, 33, 44, 55])])
def test_hoeffding_bentkus_lets_pass_what_the_table_says(n: int, passing: list[int]) -> None:
    found = [int(np.sum(hoeffding_bentkus_p(np.arange(n + 1), n, risk) <= 0.05)) - 1 for risk in RISKS]
    assert found == passing


def test_the_smallest_testable_risks_are_those_of_the_table() -> None:
    units = (30, 50, 60, 100, 140, 200, 400)
    found = [RiskEvidence.of(np.zeros((1, n))).passes_at(0, 0.05) for n in units]
    assert found == pytest.approx([0.095, 0.058, 0.049, 0.030, 0.021, 0.015, 0.0075], abs=6e-4)


@given(st.floats(0.005, 0.6), st.floats(0.001, 0.3))
def test_units_for_is_the_least_number_that_passes_without_a_loss(risk: float, delta: float) -> None:
    n = units_for(risk, delta)
    assert (1 - risk) ** n <= delta * (1 + 1e-9)
    assert (1 - risk) ** (n - 1) > delta * (1 - 1e-9)


@settings(max_examples=60)
@given(st.integers(1, 400), st.integers(0, 400), st.floats(0.01, 0.6))
def test_the_p_value_comes_from_the_count_not_from_the_mean(n: int, losses: int, risk: float) -> None:
    """n times the mean may fall just below the count, and the p-value of one loss fewer is unsafe."""
    losses = min(losses, n)
    lost = np.zeros((1, n))
    lost[0, :losses] = 1
    assert float(RiskEvidence.of(lost).p(risk)[0]) == pytest.approx(float(binom.cdf(losses, n, risk)), abs=1e-12)


def test_seven_of_fifty_five_are_seven() -> None:
    lost = np.zeros((1, 55))
    lost[0, :7] = 1
    assert 55 * lost.mean() < 7
    assert float(RiskEvidence.of(lost).p(0.1)[0]) == pytest.approx(float(binom.cdf(7, 55, 0.1)))


@given(st.integers(2, 9), st.integers(1, 60), st.floats(0.02, 0.5))
def test_cluster_means_that_add_up_to_a_whole_number_count_as_it(each: int, whole: int, risk: float) -> None:
    """One item lost in each of `each * whole` clusters of that many: `whole` losses, not a whisker more."""
    clusters = np.repeat(np.arange(each * whole + 5), each)
    lost = (np.arange(clusters.size) % each == 0) & (clusters < each * whole)
    evidence = RiskEvidence.of(lost[None], clusters)
    assert evidence.total.tolist() == [whole]
    expected = hoeffding_bentkus_p([whole], each * whole + 5, risk)
    assert evidence.p(risk).tolist() == expected.tolist()


@settings(max_examples=40)
@given(st.integers(2, 120), st.floats(0, 1), st.floats(0.02, 0.5))
def test_more_loss_never_gives_a_smaller_p_value(n: int, share: float, risk: float) -> None:
    totals = np.sort(np.append(np.linspace(0, n, 40), share * n))
    assert np.all(np.diff(hoeffding_bentkus_p(totals, n, risk)) >= -1e-12)
    assert np.all(np.diff(binomial_p(np.arange(n + 1), n, risk)) >= 0)


@settings(max_examples=40)
@given(st.integers(5, 200), st.floats(0, 1), st.booleans())
def test_a_setting_passes_from_the_level_it_says(n: int, share: float, whole: bool) -> None:
    total = float(round(share * n)) if whole else round(share * n, 6)
    evidence = RiskEvidence(total=np.array([total]), units=n, counted=whole)
    level = evidence.passes_at(0, 0.05)
    if level < 1 - 1e-6:
        assert float(evidence.p(level + 1e-7)[0]) <= 0.05
        assert float(evidence.p(max(level - 1e-6, 1e-9))[0]) > 0.05 - 1e-9
    else:
        assert total > n - 1 + 1e-6 or total == n or evidence.p(0.99)[0] > 0.05


def test_where_nearly_all_is_lost_no_level_below_one_passes() -> None:
    assert RiskEvidence(total=np.array([4.921875]), units=5, counted=False).passes_at(0, 0.05) == 1


def test_the_sequence_stops_for_good_at_the_first_that_fails() -> None:
    losses = np.zeros((4, 100))
    losses[1, :50] = 1
    found = [safe(RiskEvidence.of(losses).p(risk), 0.05).tolist() for risk in (0.05, 0.6)]
    assert found == [[True, False, False, False], [True] * 4]


def test_graded_losses_are_tested_too() -> None:
    losses = np.full((1, 200), 0.02)
    assert float(RiskEvidence.of(losses).p(0.05)[0]) == pytest.approx(0.07189, abs=5e-6)


def test_clustered_losses_are_tested_as_clusters() -> None:
    """Twenty clusters of ten, one lost whole: five per cent of items, but one of only twenty units."""
    clusters = np.repeat(np.arange(20), 10)
    lost = (clusters == 0)[None].astype(float)
    assert float(RiskEvidence.of(lost).p(0.11)[0]) < 0.05
    clustered = float(RiskEvidence.of(lost, clusters).p(0.11)[0])
    assert clustered == pytest.approx(float(hoeffding_bentkus_p([1], 20, 0.11)[0]))
    assert clustered > 0.05


def test_what_is_out_of_range_is_refused() -> None:
    with pytest.raises(InputError, match="outside"):
        RiskEvidence.of([[1.5]])
    with pytest.raises(InputError, match="settings in rows"):
        RiskEvidence.of([0.0, 1.0])
    with pytest.raises(InputError, match="risk level is 0"):
        RiskEvidence.of([[0.0]]).p(0)
    with pytest.raises(InputError, match="whole numbers"):
        binomial_p([6.999], 55, 0.1)
    with pytest.raises(InputError, match="at most one a unit"):
        hoeffding_bentkus_p([3], 2, 0.1)
