"""Adjusted p-values of a family of claims."""

from collections.abc import Callable
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from mores.core.errors import InputError
from mores.stats.ranks import benjamini_hochberg, benjamini_yekutieli, holm

Adjust = Callable[[npt.ArrayLike], npt.NDArray[np.float64]]
METHODS = {"holm": holm, "fdr_bh": benjamini_hochberg, "fdr_by": benjamini_yekutieli}
families = st.lists(st.floats(0, 1), min_size=1, max_size=40)
every_method = pytest.mark.parametrize("name", METHODS)


@every_method
@given(family=families)
def test_it_is_that_of_statsmodels(name: str, family: list[float]) -> None:
    with patch("gc.collect"):  # it looks for garbage each time, among all that the suite has loaded
        theirs = multipletests(family, method=name)[1]
    np.testing.assert_allclose(METHODS[name](family), theirs, atol=1e-12)


@every_method
@given(family=families)
def test_adjusting_keeps_the_order_and_never_makes_a_claim_stronger(name: str, family: list[float]) -> None:
    adjusted = METHODS[name](family)
    assert np.all(adjusted >= np.array(family) - 1e-12)
    assert np.all(adjusted <= 1)
    assert np.all(np.diff(adjusted[np.argsort(family)]) >= -1e-12)


@every_method
@given(family=families)
def test_the_order_of_claims_does_not_matter(name: str, family: list[float]) -> None:
    np.testing.assert_allclose(METHODS[name](family[::-1]), METHODS[name](family)[::-1])


@given(families)
def test_from_screening_to_strict_p_only_grows(family: list[float]) -> None:
    assert np.all(benjamini_hochberg(family) <= holm(family) + 1e-12)
    assert np.all(benjamini_hochberg(family) <= benjamini_yekutieli(family) + 1e-12)


def test_worked_by_hand() -> None:
    # Sorted .01 .03 .04. Holm: 3 x .01, 2 x .03, then the maximum so far. BH: .04 x 3/3, min(.03 x 3/2, .04), .01 x 3.
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert benjamini_hochberg([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.04, 0.04])
    # BY: BH times 1 + 1/2 + 1/3
    assert benjamini_yekutieli([0.01, 0.04, 0.03]) == pytest.approx(np.array([0.03, 0.04, 0.04]) * 11 / 6)


@every_method
def test_a_claim_that_could_not_be_tested_is_no_member_of_the_family(name: str) -> None:
    adjusted = METHODS[name]([0.01, float("nan"), 0.04])
    assert np.isnan(adjusted[1])
    assert adjusted[[0, 2]] == pytest.approx(METHODS[name]([0.01, 0.04]))


@every_method
def test_an_empty_family_stays_empty(name: str) -> None:
    assert METHODS[name]([]).size == 0


@every_method
@pytest.mark.parametrize("family", [[0.5, 1.2], [-0.1], [[0.1, 0.2]]])
def test_what_is_no_row_of_p_values_is_refused(name: str, family: list[float]) -> None:
    with pytest.raises(InputError, match="expected a row of p-values"):
        METHODS[name](family)
