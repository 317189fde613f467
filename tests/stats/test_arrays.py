"""Places of values among the distinct ones are the same, however they are found and in whatever kind of number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.stats.checks import ranks


@given(
    values=st.lists(st.integers(-128, 127), min_size=1, max_size=60), kind=st.sampled_from(["int8", "int32", "int64"])
)
def test_whole_numbers_that_are_counted_have_the_places_of_those_that_are_sorted(values: list[int], kind: str) -> None:
    own = np.array(values, dtype=kind)
    assert ranks(own).tolist() == np.unique(own, return_inverse=True)[1].tolist()


@pytest.mark.parametrize("kind", ["int8", "int16", "int64"])
def test_a_range_that_is_wider_than_the_kind_of_number_holds_is_counted_all_the_same(kind: str) -> None:
    values = np.arange(-100, 101).astype(kind)
    assert ranks(values).tolist() == list(range(201))
