"""Each kind of column is written in one way for people, and comes to the same keys in every table."""

from collections.abc import Sequence

from msgspec import Struct

from mores.core.card import Metric
from mores.core.estimate import Missing
from mores.tables import Column, Row, Show, Table, View, blocks_of, row_by_key, types_of
from mores.tables.blocks import DifferenceCell, Format
from mores.tables.blocks import TableBlock as ShownTable
from mores.tables.blocks import TableRow as ShownRow
from mores.tables.formatting import text_of

POINTS = Metric(name="sdi", unit="answer", says="", low=0.0, high=4.0)
SHARE = Metric(name="accuracy", unit="answer", says="")
FEW = Missing(code="too_few_clusters", n=5, needed=8)
SIZED = Table.of(
    "sized",
    "Sizes",
    Column("region", "group", title="Region", of="region"),
    Column("wording", "count", title="Wording"),
    Column("metric", "metric", title="Metric"),
    Column("score", "score", title="Score"),
    Column("least", "number", title="Least"),
    Column("most", "number", title="Most"),
    Column("change", "change", title="Change"),
    Column("spread", "size", title="Spread", main=True),
)
APART = DifferenceCell(difference=0.05, low=0.0, high=0.1, missing=None)
ROWS: tuple[Row, ...] = (
    (None, 1, SHARE, 0.5, 0.1, 0.2, APART, APART),
    ("Africa", 1, POINTS, 3.25, 1.0, 2.0, None, DifferenceCell(difference=0.5, low=None, high=None, missing=FEW)),
)


def shown(*shows: Show, rows: Sequence[Row] = ROWS, **more: str) -> ShownTable:
    view = View(title="", rows=tuple(rows), shown=shows, **more)  # type: ignore[arg-type]
    (table,) = blocks_of(SIZED.filled(ROWS), view)
    assert isinstance(table, ShownTable)
    return table


def lines(table: ShownTable) -> list[list[str]]:
    return [[_cell(table, row, at) for at in range(len(row.cells))] for row in table.rows]


def _cell(table: ShownTable, row: ShownRow, at: int) -> str:
    format_: Format | None = table.columns[at].format
    return text_of(row.cells[at], format_)


def test_a_score_and_a_size_are_in_the_points_of_the_metric_of_their_row() -> None:
    assert lines(shown(Show("score"), Show("spread"), Show("change"))) == [
        ["50.0%", "5.0 [0.0, 10.0]", "+5.0 [0.0, +10.0]"],
        ["3.25", "0.50 (too few)", "–"],
    ]


def test_a_value_behind_an_arrow_is_written_as_the_first() -> None:
    assert lines(shown(Show("least", to="most", format="size"))) == [["10.0 → 20.0"], ["1.00 → 2.00"]]


def test_the_row_of_everything_stands_apart_where_groups_begin_the_rows() -> None:
    table = shown(Show("region"), Show("score"))
    assert [(row.cells[0], row.whole) for row in table.rows] == [("Everything", True), ("Africa", False)]
    pivot = shown(Show("region"), across="wording", cell="score")
    assert [column.title for column in pivot.columns] == ["Region", "1"]
    assert [row.whole for row in pivot.rows] == [True, False]
    assert lines(pivot)[1] == ["Africa", "3.25"]


def test_a_size_without_an_interval_says_why_to_programs() -> None:
    assert row_by_key(SIZED, ROWS[1])["why"] == "too few clusters: 5, at least 8 are needed"
    assert types_of(SIZED)["change_low"] == "number"


class Found(Struct, frozen=True, kw_only=True):
    """A difference with the least that a contrast has."""

    a: float = 0.1
    b: float = 0.2
    difference: float = 0.1
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    minimum_detectable: float | None = None
    units: int = 3
    clusters: int = 3
    missing: Missing | None = None


def test_what_a_difference_has_not_is_missing() -> None:
    table = Table.of(
        "one",
        "",
        Column("gain", "contrast", title="Gain", main=True),
    )
    row = row_by_key(table, (Found(),))
    assert (row["gain"], row["units"]) == (0.1, 3)
    assert {row[key] for key in ("p_bh", "p_worse", "test", "method", "tests")} == {None}
