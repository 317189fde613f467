"""Tests on ranks, beside scipy.stats and a count of all patterns of signs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from mores.core.errors import InputError
from mores.stats.ranks import kruskal_wallis, signed_rank

few_levels = st.integers(-6, 6).map(lambda step: step / 4)  # many ties
groups = st.lists(st.lists(few_levels, min_size=1, max_size=30), min_size=2, max_size=4)


@given(groups=groups)
def test_kruskal_wallis_is_that_of_scipy(groups: list[list[float]]) -> None:
    assume(len({value for group in groups for value in group}) > 1)
    oracle = stats.kruskal(*groups)
    found = kruskal_wallis(*groups)
    assert found.statistic == pytest.approx(oracle.statistic, abs=1e-9)
    assert found.p == pytest.approx(oracle.pvalue, abs=1e-12)
    assert found.n == sum(map(len, groups))


def test_kruskal_wallis_worked_by_hand() -> None:
    """Ranks 1, 2.5, 2.5 and 4: sums 3.5 and 6.5; 12/20 · (3.5²/2 + 6.5²/2) - 15 = 1.35, over 1 - 6/60: 1.5."""
    assert kruskal_wallis([1, 2], [2, 3]).statistic == pytest.approx(1.5)


def test_groups_that_are_all_alike_say_nothing() -> None:
    found = kruskal_wallis([0.5, 0.5], [0.5])
    assert (found.statistic, found.p) == (0, 1)


@pytest.mark.parametrize("groups", [[], [[1.0]], [[1.0], []]])
def test_one_group_cannot_be_compared(groups: list[list[float]]) -> None:
    with pytest.raises(InputError, match="expected two groups or more, none of them empty"):
        kruskal_wallis(*groups)


def test_a_value_that_is_no_number_is_refused() -> None:
    with pytest.raises(InputError, match="group 2 has 1 numbers, 1 of them not finite"):
        kruskal_wallis([1.0], [float("nan")])
    with pytest.raises(InputError, match="differences has 2 numbers, 1 of them not finite"):
        signed_rank([1.0, float("inf")])


@given(sizes=st.lists(st.integers(1, 10**6), min_size=1, max_size=50, unique=True), data=st.data())
def test_few_differences_without_ties_are_counted_as_scipy_counts_them(sizes: list[int], data: st.DataObject) -> None:
    signs = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(sizes), max_size=len(sizes)))
    gaps = [size * sign for size, sign in zip(sizes, signs, strict=True)]
    found = signed_rank(gaps)
    assert found.method == "exact"
    assert found.statistic == stats.wilcoxon(gaps, alternative="greater", method="exact").statistic
    assert found.p == pytest.approx(min(1.0, stats.wilcoxon(gaps, method="exact").pvalue), abs=1e-12)


@given(gaps=st.lists(few_levels, max_size=9))
def test_few_differences_with_ties_are_counted_over_all_patterns_of_signs(gaps: list[float]) -> None:
    kept = [gap for gap in gaps if gap]
    ranks = stats.rankdata(np.abs(kept)) if kept else np.zeros(0)
    middle = ranks.sum() / 2
    seen = abs(ranks[np.array(kept) > 0].sum() - middle) if kept else 0.0
    patterns = [abs(ranks @ pattern - middle) for pattern in product((0, 1), repeat=len(kept))]
    assert signed_rank(gaps).p == pytest.approx(np.mean(np.array(patterns) >= seen - 1e-9))


@given(gaps=st.lists(few_levels, min_size=80, max_size=200))
def test_many_differences_are_judged_as_scipy_judges_them(gaps: list[float]) -> None:
    assume(sum(map(bool, gaps)) > 50)
    oracle = stats.wilcoxon(gaps, alternative="greater", method="asymptotic", correction=False)
    found = signed_rank(gaps)
    assert found.statistic == oracle.statistic
    assert found.p == pytest.approx(stats.wilcoxon(gaps, method="asymptotic", correction=False).pvalue, abs=1e-12)
    assert found.n == sum(map(bool, gaps))


@given(gaps=st.lists(few_levels, max_size=80))
def test_the_other_way_round_p_is_the_same_and_the_sums_share_all_ranks(gaps: list[float]) -> None:
    found, turned = signed_rank(gaps), signed_rank([-gap for gap in gaps])
    assert found.p == pytest.approx(turned.p)
    assert 0 <= found.p <= 1 + 1e-12
    assert found.statistic + turned.statistic == pytest.approx(found.n * (found.n + 1) / 2)


def test_no_differences_are_no_evidence() -> None:
    for gaps in ([], [0.0, 0.0]):
        found = signed_rank(gaps)
        assert (found.statistic, found.p, found.n) == (0, 1, 0)


def test_the_exact_and_the_normal_p_meet_where_one_takes_over() -> None:
    gaps = np.arange(1, 52) * np.where(np.arange(51) % 3, 1.0, -1.0)
    assert signed_rank(gaps).method == "normal, tie-corrected"
    assert signed_rank(gaps[:50]).method == "exact"
    assert signed_rank(gaps[:50]).p == pytest.approx(
        stats.wilcoxon(gaps[:50], method="asymptotic", correction=False).pvalue, abs=2e-3
    )
