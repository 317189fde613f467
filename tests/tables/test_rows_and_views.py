"""Rows of tables are found by their values, gathered over parts, and shown across the values of a key."""

import pytest

from mores.core.estimate import Estimate
from mores.tables import Column, Show, Table, View, blocks_of, gathered, rows_by_key
from mores.tables import formatting as words
from mores.tables.blocks import TableBlock as ShownTable

SCORES = Table.of(
    "scores",
    "Scores",
    Column("model", "model", title="Model"),
    Column("round", "text", title="Round"),
    Column("score", "estimate", title="Score", main=True),
)


def score(value: float) -> Estimate:
    return Estimate(metric="score", value=value, low=value - 0.1, high=value + 0.1, asked=9, graded=9)


FILLED = SCORES.filled((("a", "first", score(0.5)), ("a", None, score(0.6)), ("b", "first", score(0.7))))


def test_rows_are_found_by_their_values_and_by_the_want_of_one() -> None:
    assert FILLED.where(round="first", model="b") == (FILLED.rows[2],)
    assert FILLED.where(round=None) == (FILLED.rows[1],)
    with pytest.raises(ValueError, match="height"):
        FILLED.where(height=1)


def test_a_row_is_made_by_its_keys_and_refuses_those_that_no_column_has() -> None:
    assert SCORES.row(round="first", model="b") == ("b", "first", None)
    with pytest.raises(KeyError, match="height"):
        SCORES.row(height=1)


def test_tables_of_parts_are_gathered_in_order_and_one_of_no_part_has_no_rows() -> None:
    other = Table.of(
        "other",
        "Other",
        *SCORES.columns,
    )
    found = gathered((other, SCORES), (FILLED, FILLED))
    assert [(each.table.id, len(each.rows)) for each in found] == [("other", 0), ("scores", 6)]
    assert rows_by_key(SCORES, found[1].rows)[0] == rows_by_key(SCORES, FILLED.rows)[0]


def test_a_cell_of_a_table_across_a_key_is_shown_as_the_view_says() -> None:
    view = View(
        title="By round", rows=FILLED.where(round="first"), shown=(Show("model"),), across="round",
        cell=Show("score", format="share"),
    )  # fmt: skip
    (shown,) = blocks_of(FILLED, view)
    assert isinstance(shown, ShownTable)
    assert [words.text_of(row.cells[1]) for row in shown.rows] == ["50.0% [40.0, 60.0]", "70.0% [60.0, 80.0]"]
