"""Families in which what is about all units is tested first, and groups of units after it."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from mores.core.errors import InputError
from mores.stats.ranks import FIRST, gatekeeping, holm

Family = tuple[list[float], list[int], list[float]]


@st.composite
def families(draw: st.DrawFn) -> Family:
    """Up to four tests over all units, with up to four groups each; some were not held."""
    first = draw(st.integers(1, 4))
    gate = [FIRST] * first + [draw(st.integers(0, first - 1)) for _ in range(draw(st.integers(0, 8)))]
    p = [draw(st.sampled_from([0.0, 0.001, 0.003, 0.01, 0.02, 0.04, 0.3, float("nan")])) for _ in gate]
    least = [0.0 if np.isnan(each) else min(each, draw(st.sampled_from([0.0, 0.004, 0.02]))) for each in p]
    return p, gate, least


def rejected(family: Family, level: float) -> set[int]:
    """What is rejected at a level, step by step as the procedure says it, without any adjusted p-value."""
    p, gate, least = family
    held, out = {at for at, each in enumerate(p) if not np.isnan(each)}, set[int]()
    branch = {at: (at if gate[at] == FIRST else gate[at]) for at in held}
    while True:
        waiting = {branch[at] for at in held - out}
        for at in sorted(held - out):
            share = level / len(waiting)
            if gate[at] != FIRST:
                if gate[at] in held and gate[at] not in out:
                    continue
                rivals = [least[o] for o in held - out if gate[o] == gate[at]]
                # The largest cut c such that as many groups as could have a p of c at most, times c, fit in the share.
                cuts = [share / k for k in range(1, len(rivals) + 1)] + least
                share = max((c for c in cuts if c * sum(r <= c for r in rivals) <= share + 1e-15), default=-1.0)
            if p[at] <= share + 1e-15:
                out.add(at)
                break
        else:
            return out


@settings(max_examples=200, deadline=None)
@given(families(), st.sampled_from([0.01, 0.05, 0.1, 0.3]))
def test_adjusted_p_values_reject_what_the_steps_reject(family: Family, level: float) -> None:
    p, gate, least = family
    found = gatekeeping(p, gate, least).p_adjusted
    assert rejected(family, level) == set(np.flatnonzero(found <= level + 1e-12).tolist())


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_without_groups_it_is_holms(family: list[float]) -> None:
    with patch("gc.collect"):
        theirs = multipletests(family, method="holm")[1]
    found = gatekeeping(family, [FIRST] * len(family))
    np.testing.assert_allclose(found.p_adjusted, theirs, atol=1e-12)
    assert set(found.divisor.tolist()) == {len(family)}


@given(st.floats(0, 1), st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_behind_one_test_the_groups_are_holms_at_the_whole_level(whole: float, groups: list[float]) -> None:
    found = gatekeeping([whole, *groups], [FIRST] + [0] * len(groups)).p_adjusted
    assert found[0] == whole
    np.testing.assert_allclose(found[1:], np.maximum(whole, holm(groups)))


@given(families())
def test_no_group_is_found_before_its_gate(family: Family) -> None:
    p, gate, least = family
    found = gatekeeping(p, gate, least).p_adjusted
    for at, own in enumerate(gate):
        if own != FIRST and not np.isnan(found[[at, own]]).any():
            assert found[at] >= found[own]
        assert np.isnan(p[at]) or found[at] >= p[at]


def test_groups_that_cannot_be_found_cost_the_others_nothing() -> None:
    # Behind a test over all units: two groups of 20 clusters, and fifty of eight, whose least p is .0078.
    p, least = [0.001, 0.012, 0.2] + [0.3] * 50, [0.0, 2.0**-19, 2.0**-19] + [2.0**-7] * 50
    gate = [FIRST] + [0] * 52
    found, blind = gatekeeping(p, gate, least), gatekeeping(p, gate)
    # .012 is over .0078, so that all fifty count against it; .006 would count two.
    assert found.p_adjusted[1] == pytest.approx(0.012 * 52)
    assert gatekeeping([0.001, 0.006, *p[2:]], gate, least).p_adjusted[1] == pytest.approx(0.006 * 2)
    assert found.able.tolist() == [True] * 3 + [False] * 50
    assert (found.divisor[0], found.divisor[1], blind.divisor[1]) == (1, 2, 52)


def test_a_branch_that_is_done_passes_its_share_on() -> None:
    # Two tests over all units; the first has one group. With all of its branch found the second has the whole level.
    assert gatekeeping([0.001, 0.04, 0.002], [FIRST, FIRST, 0]).p_adjusted == pytest.approx([0.002, 0.04, 0.004])
    # Where its group is not found, the share stays there.
    assert gatekeeping([0.001, 0.04, 0.9], [FIRST, FIRST, 0]).p_adjusted == pytest.approx([0.002, 0.08, 0.9])


def test_groups_behind_a_test_that_was_not_held_have_no_gate() -> None:
    found = gatekeeping([float("nan"), 0.5, 0.01, 0.02], [FIRST, FIRST, 0, 0])
    assert found.p_adjusted == pytest.approx([np.nan, 0.5, 0.04, 0.04], nan_ok=True)
    assert gatekeeping([float("nan")], [FIRST]).p_adjusted.tolist() == pytest.approx([np.nan], nan_ok=True)
    assert gatekeeping([], []).p_adjusted.size == 0


@pytest.mark.parametrize(
    ("p", "gate", "message"),
    [
        ([0.5, 1.2], [FIRST, 0], "expected a row of p-values"),
        ([0.5], [FIRST, 0], "expected one entry each per test"),
        ([0.5, 0.1], [FIRST, 1], "expected positions of first tests"),
        ([0.5, 0.1], [FIRST, 2], "expected positions of first tests"),
    ],
)
def test_what_is_no_family_is_refused(p: list[float], gate: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        gatekeeping(p, gate)
