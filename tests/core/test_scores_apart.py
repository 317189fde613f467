"""Rows that stand apart leave no trace in those that count."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mores.core.estimate import NOTHING_GRADED, SEPARATE, CategoricalColumn, MetricRows, RowKeys, Scores
from mores.core.transcript import ItemMetadata


@given(st.lists(st.tuples(st.sampled_from("abc") | st.none(), st.booleans())))
def test_a_column_of_some_rows_has_their_names_and_no_others(rows: list[tuple[str | None, bool]]) -> None:
    kept = np.array([keep for _, keep in rows], dtype=np.bool_)
    found = CategoricalColumn.sorted(name for name, _ in rows).only(kept)
    wanted = [name for name, keep in rows if keep]
    assert found.texts() == [name or "" for name in wanted]
    assert list(found.names) == sorted({name for name in wanted if name})


def rows_of(*apart: str) -> MetricRows:
    abouts = [
        ItemMetadata(item=f"i{n}", unit=f"u{n}", cluster="c", place="JP", groups={SEPARATE: name} if name else {})
        for n, name in enumerate(apart)
    ]
    return MetricRows.within(0.0, 1.0, keys=RowKeys.of(abouts), value=np.arange(len(apart), dtype=np.float64))


def test_rows_are_parted_into_those_that_count_and_the_others() -> None:
    counting, apart = rows_of("", "contested", "").parted()
    assert apart is not None
    assert (counting.keys.unit.names, apart.keys.unit.names) == (("u0", "u2"), ("u1",))
    assert (counting.value.tolist(), apart.value.tolist()) == ([0, 2], [1])
    assert counting.keys.groups[SEPARATE].names == ()


def test_rows_of_which_none_stands_apart_are_left_as_they_are() -> None:
    rows = rows_of("", "")
    assert rows.parted() == (rows, None)


def test_scores_of_a_run_whose_scoring_failed_have_no_rows_of_any_kind() -> None:
    scores = Scores(rows={}, missing={"accuracy": NOTHING_GRADED})
    assert scores.every("accuracy") == ()
    assert scores.separate == {}
