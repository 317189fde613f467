"""One judge again and again, judges of other items and other annotators, and what several judges are worth."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.agreement import krippendorff_alpha, repeat_stability
from mores.stats.cluster_sums import Design
from mores.stats.intervals import Interval
from mores.stats.panel import ABSTAIN, majority_vote, panel_worth
from mores.tables.missing_texts import format_missing

SEED = Seed("tests")
N: float = float("nan")
Table = npt.NDArray[np.float64]
tables = st.lists(
    st.lists(st.one_of(st.integers(0, 3).map(float), st.just(N)), min_size=3, max_size=3), min_size=8, max_size=25
).map(np.array)


def alone(units: int) -> Design:
    return Design(clusters=range(units), seed=SEED)


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.low is not None, interval.missing
    assert interval.high is not None
    return interval.low, interval.high


# Repeats.


def test_the_flip_rate_is_the_probability_that_two_runs_disagree() -> None:
    # Of 4 runs 2 and 2: 2·2·2 / (4·3) = 2/3; 3 and 1: 1/2; all alike: 0; of 3 runs 2 and 1: 2/3; one run: nothing
    table = np.array([[0, 0, 1, 1], [0, 0, 0, 1], [1, 1, 1, 1], [0, 1, 1, N], [1, N, N, N]])
    found = repeat_stability(table, alone(5))
    assert found.flip_rate.value == pytest.approx((2 / 3 + 1 / 2 + 0 + 2 / 3) / 4)
    assert found.items == 4
    assert found.runs == pytest.approx(15 / 4)
    assert found.alpha.value == krippendorff_alpha(table, "nominal", alone(5)).value


def test_variances_of_items_and_of_runs_are_found_again() -> None:
    rng = np.random.default_rng(3)
    table = rng.normal(0, 2, (2000, 1)) + rng.normal(0, 1, (2000, 5))
    found = repeat_stability(table, alone(2000), level="interval")
    assert found.item_variance == pytest.approx(4, rel=0.1)
    assert found.run_variance == pytest.approx(1, rel=0.05)
    assert found.reliability == pytest.approx(4 / (4 + 1 / 5), rel=0.02)


def test_names_have_no_variance_and_items_alike_no_reliability() -> None:
    assert np.isnan(repeat_stability([[0, 2], [1, 1]], alone(2)).item_variance)
    same = repeat_stability([[1, 1], [1, 1]], alone(2))
    assert (same.item_variance, same.run_variance, same.flip_rate.value) == (0, 0, 0)
    assert np.isnan(same.reliability)


def test_items_asked_once_say_nothing_of_stability() -> None:
    found = repeat_stability([[0], [1]], alone(2))
    assert (found.items, found.runs, format_missing(found.flip_rate.missing)) == (0, 0, "no item has two verdicts")


# Several judges.


def test_a_vote_that_ties_abstains() -> None:
    assert majority_vote(np.array([[0, 1, 1], [0, 1, N], [N, N, N], [2, 2, 0]]), 3).tolist() == [1, ABSTAIN, ABSTAIN, 2]


@given(tables, st.permutations([0, 1, 2, 3]))
def test_names_of_classes_do_not_matter_to_a_vote(table: Table, names: list[int]) -> None:
    renamed = np.where(np.isnan(table), N, np.array(names, dtype=float)[np.nan_to_num(table).astype(int)])
    vote = majority_vote(table, 4)
    assert majority_vote(renamed, 4).tolist() == [ABSTAIN if v == ABSTAIN else names[v] for v in vote]


def test_judges_that_err_together_are_worth_less() -> None:
    rng = np.random.default_rng(8)
    truth, hard = rng.integers(0, 2, 4000), rng.random(4000) < 0.2
    # Each errs on a hard item with .7 and on another with .05: correlation of errors is .08² ... by the sum below
    rates = np.where(hard, 0.7, 0.05)
    wrong = rng.random((4000, 3)) < rates[:, None]
    found = panel_worth(np.where(wrong, 1 - truth[:, None], truth[:, None]), truth, 2)
    mean, both = 0.2 * 0.7 + 0.8 * 0.05, 0.2 * 0.7**2 + 0.8 * 0.05**2
    rho = (both - mean**2) / (mean * (1 - mean))
    assert found.rho == pytest.approx(rho, abs=0.03)
    assert found.effective == pytest.approx(3 / (1 + 2 * found.rho))
    assert found.accuracies == pytest.approx([1 - mean] * 3, abs=0.02)
    independent = (1 - mean) ** 3 + 3 * (1 - mean) ** 2 * mean  # two or three of three right
    assert found.majority.accuracy < independent - 0.02
    assert (found.judges, found.items, found.pairs, found.majority.tied) == (3, 4000, 3, 0)
    assert all(0.85 < one.accuracy < 1 for one in found.without)
    assert [one.tied for one in found.without] == pytest.approx([2 * (mean - both)] * 3, abs=0.02)


def test_items_without_all_judges_or_a_label_are_left_out() -> None:
    found = panel_worth(np.array([[0, 0], [1, 1], [0, N], [1, 0]]), [0, 0, 0, N], 2)
    assert found.items == 2
    assert found.rho == pytest.approx(1)
    assert found.effective == pytest.approx(1)
    assert found.majority.accuracy == pytest.approx(0.5)


def test_judges_that_never_err_have_no_correlation() -> None:
    found = panel_worth([[0, 0], [1, 1]], [0, 1], 2)
    assert found.pairs == 0
    assert np.isnan(found.effective)
    assert found.missing
    empty = panel_worth(np.empty((0, 2)), [], 2)
    assert np.isnan([*empty.majority, *empty.accuracies]).all()


@pytest.mark.parametrize(("verdicts", "truth"), [([[0]], [0]), ([[0, 1]], [0, 1]), ([[0, 2]], [0])])
def test_a_panel_that_cannot_be_is_refused(verdicts: list[list[int]], truth: list[int]) -> None:
    with pytest.raises(InputError, match=r"expected (two|codes)"):
        panel_worth(verdicts, truth, 2)
