"""Pictures in views: dots of figures, with the ends of their scale above, and what a caller draws of a row."""

from mores.core.card import Metric
from mores.core.estimate import Estimate
from mores.tables import Column, Row, Show, Table, View, blocks_of
from mores.tables.blocks import Chart
from mores.tables.blocks import TableBlock as Shown
from mores.tables.formatting import text_of

NAMED = Metric(name="courtesy", unit="dialogue", says="", title="Courteous")
TABLE = Table.of(
    "toy",
    "Toy",
    Column("name", "text", title="Name"),
    Column("share", "estimate", title="Share", main=True),
)
LONG = Table.of(
    "long",
    "Long",
    *TABLE.columns,
    Column("metric", "metric", title="Metric"),
)


def share(value: float) -> Estimate:
    return Estimate(metric="courtesy", value=value, asked=9, graded=9)


def seen(table: Table, rows: tuple[Row, ...], **more: object) -> Shown:
    view = View(title="Toy", rows=rows, **more)  # type: ignore[arg-type]
    (block,) = blocks_of(table.filled(rows), view)
    assert isinstance(block, Shown)
    return block


def test_over_dots_of_shares_stand_the_ends_of_their_scale() -> None:
    rows = (("one", share(0.5)),)
    table = seen(TABLE, rows, shown=(Show("name"), Show("share", picture=True)))
    head = table.columns[2].title
    assert isinstance(head, Chart)
    assert head.axes[0].labels == ("0", "50", "100%")
    drawn = table.rows[0].cells[2]
    assert isinstance(drawn, Chart)
    assert drawn.kind == "interval"


def test_a_caller_draws_a_row_in_a_column_without_a_head() -> None:
    rows = (("one", share(0.5)),)
    shown = Show("name", picture=lambda row: Chart.key(row[0])), Show("share")
    table = seen(TABLE, rows, shown=shown)
    assert [text_of(column.title) for column in table.columns] == ["Name", "", "Share"]
    assert table.rows[0].cells[1] == Chart.key("one")


def test_a_pivot_shades_its_cells_where_these_are_shaded() -> None:
    rows = (("one", share(0.5), NAMED), ("two", share(0.1), NAMED))
    table = seen(LONG, rows, shown=(Show("metric"),), across="name", cell=Show("share", shade=True))
    assert [(column.title, column.shade) for column in table.columns] == [
        ("Metric", False), ("one", True), ("two", True)
    ]  # fmt: skip


def test_a_metric_is_called_by_its_title_for_people() -> None:
    rows = (("one", share(0.5), NAMED),)
    assert text_of(seen(LONG, rows, shown=(Show("metric"),)).rows[0].cells[0]) == "Courteous"


def test_a_column_of_reasons_is_left_out_where_nothing_is_missing() -> None:
    rows = (("one", share(0.5)),)
    table = seen(TABLE, rows, shown=(Show("name"), Show("share"), Show("why")))
    assert [column.title for column in table.columns] == ["Name", "Share"]
