"""Contrasts of two sets of rows: how units are matched, what stays together, and what a figure that is missing says."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.analysis.contrast import (
    Contrast,
    ContrastOptions,
    adjusted,
    contrast,
    joined,
    of_common_items,
    paired,
)
from mores.core.estimate import NO_UNIT_DIFFERS, SHOWS_NO_DIFFERENCE, MetricRows, RowKeys, together
from mores.core.seeds import Seed
from mores.core.transcript import ItemMetadata

TERMS = ContrastOptions(Seed("test"), "accuracy")
Asked = tuple[str, float | None]


def rows(asked: Sequence[Asked], *, clusters: Sequence[str] = ()) -> MetricRows:
    """A row an item, which is a unit by itself."""
    drawn = clusters or [name for name, _ in asked]
    abouts = [
        ItemMetadata(item=name, unit=name, cluster=cluster) for (name, _), cluster in zip(asked, drawn, strict=True)
    ]
    value = np.array([np.nan if points is None else points for _, points in asked])
    return MetricRows(keys=RowKeys.of(abouts), value=value, least=value, most=value)


def test_units_are_matched_by_name_and_left_out_where_one_has_no_grade() -> None:
    a = rows([("x", 1.0), ("y", 0.0), ("z", 1.0), ("w", 1.0)])
    b = rows([("z", 0.0), ("other", 1.0), ("x", 1.0), ("y", None)])
    found = paired(a, b)
    assert found.a.tolist() == [1.0, 1.0]
    assert found.b.tolist() == [1.0, 0.0]
    assert found.shared == 3  # x, y and z were asked by both, y was graded by one
    assert of_common_items(a, b)[0].value.tolist() == [1.0, 0.0, 1.0]


def test_what_either_draws_together_is_one_cluster() -> None:
    a = rows([("x", 1.0), ("y", 0.0), ("z", 1.0)], clusters=["p", "p", "q"])
    b = rows([("x", 1.0), ("y", 0.0), ("z", 0.0)], clusters=["r", "s", "s"])
    assert contrast(a, b, TERMS).clusters == 1


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40))
def test_codes_join_units_as_names_do(pairs: list[tuple[int, int]]) -> None:
    one, other = (np.array(codes, dtype=np.int64) for codes in zip(*pairs, strict=True))
    names = together([(f"a{x}", f"b{y}") for x, y in pairs])
    codes = joined(one, other)
    assert (np.equal.outer(codes, codes) == np.equal.outer(names, names)).all()


def test_what_cannot_be_told_says_so_by_a_code() -> None:
    nothing = contrast(rows([("x", None)]), rows([("x", 1.0)]), TERMS)
    assert (nothing.difference, nothing.p, nothing.family) == (None, None, 0)
    assert nothing.missing is not None
    assert nothing.missing.code == "nothing_graded_for_both"
    few = contrast(rows([("x", 0.0), ("y", 1.0)]), rows([("x", 1.0), ("y", 1.0)]), TERMS)
    assert few.difference == pytest.approx(0.5)
    assert few.missing is not None
    assert (few.missing.code, few.missing.n, few.missing.needed) == ("too_few_clusters", 2, 8)


def test_a_family_counts_those_that_were_tested() -> None:
    names = [f"i{n}" for n in range(12)]
    found = contrast(rows([(n, 1.0) for n in names]), rows([(n, 0.0) for n in names]), TERMS)
    untested = contrast(rows([]), rows([]), TERMS)
    first, second, last = adjusted([found, found, untested])
    assert (first.family, last.p_adjusted) == (2, None)
    assert first.p_adjusted == pytest.approx(2 * (found.p or 0))
    assert second.found


def test_a_least_difference_beyond_the_range_of_the_metric_is_none_and_says_why() -> None:
    """One of two differs: 2.80² / 2 = 3.92 is more than a share can differ by. Of 40 it is .196."""

    def differing(units: int, moved: int) -> Contrast:
        a, b = ([(f"u{n}", float(n < right)) for n in range(units)] for right in (0, moved))
        return contrast(rows(a), rows(b), TERMS)

    few, none, many = differing(2, 1), differing(2, 0), differing(40, 1)
    assert (few.minimum_detectable, few.undetectable) == (None, SHOWS_NO_DIFFERENCE)
    assert (none.minimum_detectable, none.undetectable) == (None, NO_UNIT_DIFFERS)
    assert many.minimum_detectable == pytest.approx(2.8016**2 / 40, rel=1e-3)
    assert many.undetectable is None


def test_units_that_would_show_the_difference_are_told_where_there_are_too_few() -> None:
    """.0250 of 40 units, which show .196 at least: 40 (.196 / .025)² = 2,464, rounded up to two digits."""
    a, b = ([(f"u{n}", points if n == 0 else 0.0) for n in range(40)] for points in (0.0, 1.0))
    assert contrast(rows(a), rows(b), TERMS).units_needed == 2500
    sure = contrast(rows(a), rows([(name, 1.0) for name, _ in a]), TERMS)
    assert (sure.difference, sure.units_needed) == (1.0, None)


def test_a_difference_of_rounding_alone_is_none_that_more_units_would_show() -> None:
    names = [f"u{n}" for n in range(30)]
    a = rows([(name, (0.1, 0.2, 0.7)[n % 3]) for n, name in enumerate(names)])
    b = rows([(name, (0.7, 0.1, 0.2)[n % 3]) for n, name in enumerate(names)])
    found = contrast(a, b, TERMS)
    assert found.difference is not None
    assert 0 < abs(found.difference) < 1e-15
    assert found.minimum_detectable is not None
    assert found.units_needed is None
