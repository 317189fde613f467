"""Tables whose columns are models: the model of an evaluation alone, and rows of one cell over some rows."""

from types import SimpleNamespace
from typing import Any

from mores.tables import Column, Row, Show, Table, View, blocks_of
from mores.tables.blocks import TableBlock as ShownTable
from mores.tables.formatting import subject, text_of

POTS = Table.of(
    "pots",
    "Pots",
    Column("evaluation", "evaluation", title="Model"),
    Column("tea", "text", title="Tea"),
    Column("few", "flag", "true where few were asked"),
    Column("cups", "count", title="Cups"),
)
ONE, OTHER = (SimpleNamespace(run="r", label=name, benchmark="tea/pot", simulated=name == "b") for name in "ab")
ROWS: tuple[Row, ...] = (
    (ONE, "green", False, 3), (OTHER, "green", False, 4), (ONE, "black", True, 1), (ONE, "white", True, 2),
)  # fmt: skip
OVER = Show("few", write=lambda row: "Few were asked" if row[2] else "")


def texts(**view: Any) -> list[list[str]]:
    filled = POTS.filled(ROWS)
    (table,) = blocks_of(filled, View(title="Pots", rows=ROWS, **view))
    assert isinstance(table, ShownTable)
    heads = [text_of(column.title) for column in table.columns]
    return [heads, *([text_of(cell) for cell in row.cells] for row in table.rows)]


def test_the_model_of_an_evaluation_stands_alone_with_its_mark() -> None:
    heads, first, second, *_ = texts(shown=("model", Show("benchmark"), "cups"))
    assert heads == ["Model", "Benchmark", "Cups"]
    assert (first, second) == (["a", "tea/pot", "3"], ["b (simulated)", "tea/pot", "4"])


def test_models_become_columns_whose_cells_may_be_made_by_hand_and_rows_stand_under_what_they_share() -> None:
    cell = Show("cups", write=lambda row: f"{row[3]} cups")
    heads = {"a": "a", "b": subject("b", simulated=True)}
    assert texts(shown=(Show("tea"),), across="model", cell=cell, heads=heads, over=OVER) == [
        ["Tea", "a", "b (simulated)"],
        ["green", "3 cups", "4 cups"],
        ["Few were asked"],
        ["black", "1 cups", "–"],
        ["white", "2 cups", "–"],
    ]


def test_heads_of_models_may_be_written_from_their_rows() -> None:
    head = Show("tea", write=lambda row: f"{row[1]} tea")
    assert texts(shown=("model",), across=head, cell="cups")[:2] == [
        ["Model", "green tea", "black tea", "white tea"],
        ["a", "3", "1", "2"],
    ]


def test_rows_over_which_nothing_stands_have_no_row_above_them() -> None:
    rows = texts(shown=(Show("tea"), Show("cups")), over=OVER)[1:]
    assert rows == [["green", "3"], ["green", "4"], ["Few were asked"], ["black", "1"], ["white", "2"]]
