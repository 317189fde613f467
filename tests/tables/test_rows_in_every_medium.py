"""Rows of an analysis are the same as JSON, as a frame, as CSV and as Parquet, whatever ran, and fit their columns."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest

import mores
from mores.analysis.comparison import compare_runs
from mores.api.frames import Frame
from mores.api.runs import Comparisons, Runs
from mores.core.codec import encode
from mores.reports.sections_list import analysed, every_analysis, tables_of
from mores.reports.two_runs import comparison_as_json, comparison_tables, every_comparison
from mores.runs.loading import read_results
from mores.tables import AnalysisResult, FilledTable, refuse_unfit
from mores.tables.missing_texts import to_plain
from tests.benchmarks.plays import TINY
from tests.bundled import SOME

MODELS = ("simulated/typical", "simulated/uneven:refusal=.05,failure=.02,person=1", "baseline/random")
TWO = MODELS[:2]
PLAYED: dict[str, dict[str, Any]] = {
    "ladder": {"model": TWO, "places": SOME[:3], "limit": 9},
    "told": {
        "benchmarks": ("ladder/know", "ladder/judge", "ladder/apply"), "model": TWO, "limit": 12, "control": "told",
    },
    "too small": {"benchmarks": "ladder", "places": SOME[:1], "limit": 1},
    "other words": {"benchmarks": "culturalbench/easy", "model": TWO, "prompt_variants": 2, "data": "culturalbench"},
    "culturalbench": {"model": MODELS, "data": "culturalbench"},
    "cure": {"model": TWO, "data": "cure", "limit": 4},
    "cultureforest": {"model": TWO, "data": "cultureforest", "limit": 8},
    "dialogues": {"benchmarks": "socialcc", "model": TWO, "data": "socialcc", "setting": ["pressure=none,strong"]},
    "a town": {"benchmarks": "liveculture", "model": TWO, "data": "liveculture", "limit": 2},
}  # fmt: skip


@pytest.fixture(scope="module", params=PLAYED)
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    asked = {"benchmarks": request.param, **PLAYED[request.param]}
    if "data" in asked:
        asked["data"] = TINY / asked["data"]
    return mores.run(asked.pop("benchmarks"), out=tmp_path_factory.mktemp("rows") / "run", **asked)


def alike(filled: FilledTable, rows: list[dict[str, Any]], folder: Path) -> None:
    """Nothing, where rows of JSON are those of all other media."""
    frame = Frame.of_table(filled)
    told = [{key: ", ".join(v) if isinstance(v, list) else v for key, v in row.items()} for row in rows]
    assert [*frame] == told
    assert [[*row] for row in frame] == [[*frame.columns]] * len(rows)
    lines = [{key: "" if value is None else str(value) for key, value in row.items()} for row in told]
    assert [*csv.DictReader(StringIO(frame.to_csv()))] == lines
    parquet.write_table(frame.to_arrow(), folder / "table.parquet")
    assert parquet.read_table(folder / "table.parquet").to_pylist() == told


def test_all_media_of_a_run_have_the_same_rows(runs: Runs, tmp_path: Path) -> None:
    results = runs.results
    rows = {id_: of for made in analysed(results) if made.tables for id_, of in plain(made.section.data).items()}
    filled = tables_of(results)
    assert {id_ for id_, table in filled.items() if table.rows} == {id_ for id_, of in rows.items() if of}
    for id_, table in filled.items():
        alike(table, rows.get(id_, []), tmp_path)


def plain(data: object) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = json.loads(encode(to_plain(data)))
    return found


def test_every_value_is_of_its_column_and_every_table_is_declared(runs: Runs) -> None:
    known = {analysis.id: analysis for analysis in every_analysis()}
    for made in analysed(runs.results):
        assert not made.section.id.startswith("failed"), made.section.data
        if made.tables:
            refuse_unfit(known[made.section.id], AnalysisResult(tables=made.tables))


def test_all_media_of_two_runs_have_the_same_rows(runs: Runs, tmp_path: Path) -> None:
    results = read_results(runs.folders)
    found = compare_runs(results, results)
    rows = {id_: of for each in json.loads(comparison_as_json(found))["analyses"].values() for id_, of in each.items()}
    for id_, table in comparison_tables(found).items():
        alike(table, rows[id_], tmp_path)
        assert [*Comparisons(found).tables[id_]] == [*Frame.of_table(table)]
    for analysis in every_comparison():
        own = tuple(table for table in comparison_tables(found).values() if table.table in analysis.tables)
        refuse_unfit(analysis, AnalysisResult(tables=own))
