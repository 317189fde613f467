"""Tables with models side by side: a column a model of the evaluations, a row what they were asked."""

import pytest

from mores.analysis.results import Result
from mores.runs.loading import read_results
from mores.tables import Column, FilledTable, Show, Table, View, blocks_of
from mores.tables.blocks import TableBlock as Shown
from mores.tables.formatting import text_of
from tests.reports.made import Made, run_of
from tests.reports.test_rankings import GOOD, verdicts

TOY = Table.of(
    "toy",
    "Toy",
    Column("evaluation", "evaluation", title="Benchmark"),
    Column("thing", "text", title="Thing"),
    Column("count", "count", title="Count"),
)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, ...]:
    made = [
        Made(model=m, benchmark="odd/tea", verdicts=verdicts(GOOD), figures={"accuracy": 0.9}) for m in ("a/x", "a/y")
    ]
    return read_results([run_of(tmp_path_factory.mktemp("toy") / "run", *made)]).evaluations


def shown(filled: FilledTable, view: View) -> Shown:
    (block,) = blocks_of(filled, view)
    assert isinstance(block, Shown)
    return block


def cells(table: Shown) -> list[list[str]]:
    return [[text_of(cell, c.format) for cell, c in zip(row.cells, table.columns, strict=True)] for row in table.rows]


def test_models_stand_side_by_side_and_what_one_lacks_is_a_dash(results: tuple[Result, ...]) -> None:
    first, second = results
    filled = TOY.filled(((first, "tea", 1), (second, "tea", 2), (second, "milk", 3)))
    table = shown(filled, View(title="Toy", rows=filled.rows, shown=(Show("thing"),), across="model", cell="count"))
    assert [text_of(column.title) for column in table.columns] == ["Thing", "a/x", "a/y"]
    assert cells(table) == [["tea", "1", "2"], ["milk", "–", "3"]]


def test_a_model_and_its_benchmark_can_stand_in_columns_of_their_own(results: tuple[Result, ...]) -> None:
    filled = TOY.filled(((results[0], "tea", 1),))
    keys = (Show("model"), Show("benchmark"), Show("count"))
    assert cells(shown(filled, View(title="Toy", rows=filled.rows, shown=keys))) == [["a/x", "odd/tea", "1"]]
