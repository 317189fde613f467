"""Rows of a table as people see them."""

from typing import Any

import pytest
from msgspec.structs import replace

from mores.analysis.contrast import Contrast
from mores.core.card import Metric
from mores.core.estimate import NO_UNIT_DIFFERS, SHOWS_NO_DIFFERENCE
from mores.tables import Column, Row, Show, Table, View, blocks_of, row_by_key
from mores.tables.blocks import CellValue, Span
from mores.tables.blocks import TableBlock as ShownTable
from mores.tables.formatting import describe_detectable, text_of

POINTS = Metric(name="behaviour", unit="answer", says="points", low=0, high=3)
TABLE = Table.of(
    "teas",
    "Teas",
    Column("way", "text", title="Way"),
    Column("metric", "metric", title="Metric"),
    Column("score", "score", title="Score"),
    Column("cups", "count", title="Cups"),
    Column("gap", "contrast", title="Gap", main=True, ends=("second", "first")),
)
GAP = Contrast(metric="behaviour", a=1.0, b=2.5, difference=1.5, low=1.0, high=2.0, p=0.01, units=9, clusters=9,
               minimum_detectable=1.25, test="", method="", missing=None)  # fmt: skip


def shown(*rows: Row, **view: Any) -> ShownTable:
    filled = TABLE.filled(rows)
    (block,) = blocks_of(filled, View(title="Teas", rows=rows, **view))
    assert isinstance(block, ShownTable)
    return block


def texts(table: ShownTable) -> list[list[str]]:
    return [[text_of(cell, head.format, head.metric) for cell, head in zip(row.cells, table.columns, strict=True)]
            for row in table.rows]  # fmt: skip


def test_scores_and_both_ends_of_a_contrast_are_written_in_the_points_of_the_rows_metric() -> None:
    keys = (Show("score"), Show("first"), Show("second"), Show("minimum_detectable"))
    table = shown(("green", POINTS, 0.5, 1, GAP), ("black", None, 0.5, 1, GAP), shown=keys)
    assert texts(table) == [["0.50", "1.00", "2.50", "1.25"], ["50.0%", "100.0%", "250.0%", "125.0"]]


@pytest.mark.parametrize(
    ("why", "told", "plain"),
    [
        (SHOWS_NO_DIFFERENCE, "not reachable", "so few units cannot show any difference"),
        (NO_UNIT_DIFFERS, "–", "no unit differs"),
    ],
)
def test_a_minimum_detectable_effect_that_is_not_there_is_told_with_its_reason(why: Any, told: str, plain: str) -> None:
    row = ("green", POINTS, None, 1, replace(GAP, minimum_detectable=None, undetectable=why))
    assert texts(shown(row, shown=(Show("minimum_detectable"),))) == [[told]]
    found = row_by_key(TABLE, row)
    assert (found["minimum_detectable"], found["minimum_detectable_why"]) == (None, plain)


def test_a_cell_leads_where_its_row_says() -> None:
    rows = (("green", POINTS, 0.5, 12, GAP), ("black", POINTS, 0.5, 0, GAP))
    show = Show("cups", target=lambda row: f"#{row[0]}" if row[3] else "")
    first, second = (row.cells[0] for row in shown(*rows, shown=(show,)).rows)
    assert (first, second) == (CellValue(12, "count", target="#green"), 0)
    named = shown(rows[0], shown=(Show("way", target=lambda row: "#here"),)).rows[0].cells[0]
    assert named == Span("green", "link", target="#here")


def test_cells_of_a_pivot_can_be_shown_as_columns_are_and_the_table_has_its_anchor() -> None:
    rows = tuple((way, metric, 0.5, cups, GAP) for way in ("green", "black")
                 for metric, cups in ((POINTS, 1200), (Metric(name="warmth", unit="cup", says=""), 3)))  # fmt: skip
    cell = Show("cups", target=lambda row: f"#{row[0]}-{row[1].name}")
    table = shown(*rows, shown=(Show("way"),), across="metric", cell=cell, id="pivot")
    assert table.id == "pivot"
    assert [text_of(head.title) for head in table.columns] == ["Way", "behaviour", "warmth"]
    assert texts(table)[0] == ["green", "1,200", "3"]
    assert table.rows[0].cells[1] == CellValue(1200, "count", target="#green-behaviour")


def test_what_several_tests_could_have_shown_is_told_in_one_way() -> None:
    blind = replace(GAP, minimum_detectable=None, undetectable=SHOWS_NO_DIFFERENCE)
    assert describe_detectable([GAP, GAP], POINTS) == "Minimum detectable effect: 1.25 points."
    assert describe_detectable([blind], POINTS) == "Minimum detectable effect: not reachable."
    told = "Minimum detectable effect: not reachable in 1 of 2; up to 1.25 points in others."
    assert describe_detectable([blind, GAP], POINTS) == told
    assert not describe_detectable([replace(blind, undetectable=NO_UNIT_DIFFERS)], POINTS)
