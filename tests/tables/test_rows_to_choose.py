"""Rows of a table: pivots whose cells are made by hand, rows to choose among, styled words, rows that do not fit."""

from typing import Any

import pytest

from mores.analysis.contrast import Contrast
from mores.tables import Column, Show, View, blocks_of, rows_by_key
from mores.tables import Table as Declared
from mores.tables.blocks import CellValue, Filter, Span, TableBlock
from mores.tables.formatting import text_of

MARKS = Declared.of(
    "marks",
    "Marks",
    Column("kind", "text", title="Kind"),
    Column("who", "text", title="Who"),
    Column("term", "text", title="Term"),
    Column("mark", "share", title="Mark"),
    Column("told", "words", title="Told"),
)
ROWS: tuple[tuple[Any, ...], ...] = (
    (None, "all", "spring", 0.5, ("so ", Span("so", "strong"))),
    (None, "all", "autumn", 0.75, None),
    ("house", "north", "autumn", 1.0, None),
)
FALL = Declared.of(
    "fall",
    "Falls",
    Column("fall", "contrast", title="Fall, points", main=True),
)


def seen(view: View, rows: tuple[tuple[Any, ...], ...] = ROWS) -> TableBlock:
    (table,) = blocks_of(MARKS.filled(rows), view)
    assert isinstance(table, TableBlock)
    return table


def test_a_cell_of_a_pivot_may_be_made_by_hand_and_sorted_by() -> None:
    cell = Show("mark", format="share", sort="descending", write=lambda row: ("! ", CellValue(row[3])))
    shown = (Show("who"),)
    table = seen(View(title="T", rows=ROWS, shown=shown, across="term", cell=cell, heads={"autumn": "Autumn"}))
    assert [(text_of(each.title), each.sort) for each in table.columns] == [
        ("Who", ""), ("Autumn", "descending"), ("spring", "descending"),
    ]  # fmt: skip
    assert [[text_of(each) for each in row.cells] for row in table.rows] == [
        ["all", "! 75.0%", "! 50.0%"], ["north", "! 100.0%", "–"],
    ]  # fmt: skip


def test_readers_choose_among_rows_and_those_of_the_whole_stand_apart() -> None:
    house = (Filter.of("kind", "Kinds", ("house",)),)
    table = seen(View(title="T", rows=ROWS, shown=(Show("who"),), id="marks-1", by="kind", filters=house))
    assert (table.id, table.filters) == ("marks-1", house)
    assert [(row.kind, row.whole) for row in table.rows] == [("", True), ("", True), ("house", False)]
    plain = seen(View(title="T", rows=ROWS, shown=(Show("who"),)))
    assert not any(row.whole for row in plain.rows)


def test_words_keep_their_styles_for_people_and_are_plain_for_programs() -> None:
    table = seen(View(title="T", rows=ROWS[:2], shown=(Show("told"),)))
    assert [row.cells for row in table.rows] == [(("so ", Span("so", "strong")),), ("",)]
    assert [row["told"] for row in rows_by_key(MARKS, ROWS[:2])] == ["so so", None]


def test_a_difference_that_is_said_to_be_a_loss_has_no_plus() -> None:
    found = Contrast(
        metric="kept", a=0.5, b=0.75, difference=0.25, low=-0.1, high=0.6, p=0.1, units=9, clusters=9, test="",
        method="", missing=None,
    )  # fmt: skip
    rows = ((found,),)
    shows = (Show("fall", format="size"), "25.0 [−10.0, 60.0]"), (Show("fall"), "+25.0 [−10.0, +60.0]")
    for show, told in shows:
        view = View(title="T", rows=rows, shown=(show,))
        (table,) = blocks_of(FALL.filled(rows), view)
        assert isinstance(table, TableBlock)
        assert text_of(table.rows[0].cells[0]) == told


def test_a_row_that_does_not_fit_the_columns_is_refused() -> None:
    with pytest.raises(ValueError, match=r"Table 'marks' has 5 columns, and a row of 4"):
        MARKS.filled((ROWS[0][:4],))
