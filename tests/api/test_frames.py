"""Tables that other programs read."""

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from msgspec import structs

from mores.analysis.results import Results
from mores.api.frames import Frame, FrameColumn
from mores.api.notebook import Runs
from mores.api.tables import results_frame
from mores.core.errors import InputError
from mores.core.verdict import Graded
from mores.reports import sections_list
from tests.api.asked_of_duckdb import MADE, NONE

ROOT = Path(__file__).parents[2]
TABLES = ("estimates", "scores", "items", "transcripts", "verdicts", "calls")


def _asked_of_duckdb(frame: Frame) -> list[dict[str, Any]]:
    """As a process of its own reads it: at the end of one that keeps much, as of these tests, DuckDB complains."""
    command = [sys.executable, "-m", "tests.api.asked_of_duckdb", frame.name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


READERS: dict[str, Callable[[Frame], list[dict[str, Any]]]] = {
    "to_arrow": lambda frame: frame.to_arrow().to_pylist(),
    "arrow": lambda frame: pa.table(frame).to_pylist(),
    "duckdb": _asked_of_duckdb,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("frame", [MADE, NONE], ids=["made", "none"])
def test_every_reader_reads_what_is_there(frame: Frame, reader: str) -> None:
    assert READERS[reader](frame) == list(frame)


@pytest.mark.parametrize("read", [Frame.to_pandas, pd.DataFrame.from_arrow])
def test_pandas_reads_what_is_there(read: Callable[[Frame], Any]) -> None:
    found = read(MADE)
    assert list(found.columns) == list(MADE.columns)
    for name in MADE.columns:
        assert [None if missing else value for value, missing in zip(found[name], found[name].isna(), strict=True)] == [
            *MADE[name]
        ]


def test_a_table_is_found_by_its_own_analysis_alone_and_once(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    carried_out: list[str] = []

    def noted(each: Any) -> Any:
        def analyse(found: Results) -> Any:
            carried_out.append(each.id)
            return each.analyse(found)

        return structs.replace(each, analyse=analyse)

    whole = {name: [*frame] for name, frame in runs.tables.items()}
    monkeypatch.setattr(sections_list, "ANALYSES", tuple(map(noted, sections_list.ANALYSES)))
    tables = Runs(results=structs.replace(runs.results)).tables
    assert len(tables["groups"]) > 0
    assert carried_out == ["groups"]
    assert {name: [*frame] for name, frame in tables.items()} == whole
    assert len(carried_out) == len({*carried_out}) == len(sections_list.ANALYSES)


def test_a_table_that_no_analysis_has_is_no_key(runs: Runs) -> None:
    with pytest.raises(KeyError, match="No analysis has a table 'manners'"):
        runs.tables["manners"]


def test_csv_is_read_back(runs: Runs) -> None:
    assert [*csv.DictReader(io.StringIO(MADE.to_csv()))][2]["text"] == 'c,"d"\n'
    rows = [*csv.DictReader(io.StringIO(runs.verdicts.to_csv()))]
    assert [row["item"] for row in rows] == [*runs.verdicts["item"]]


@pytest.mark.parametrize("name", TABLES)
def test_each_table_says_whose_it_is_and_is_read_by_pandas_and_arrow(runs: Runs, name: str) -> None:
    frame: Frame = getattr(runs, name)
    assert frame is getattr(runs, name)
    assert len(frame) == len(frame.to_pandas()) == len(frame.to_arrow()) > 0
    assert {(row["model"], row["benchmark"]) for row in frame} == {
        (each.label, each.benchmark) for each in runs.results.evaluations
    }
    for each in runs.results.evaluations:
        assert {row["simulated"] for row in frame if row["model"] == each.label} == {each.simulated}


def test_verdicts_are_those_of_the_runs_and_ungraded_ones_have_no_points(runs: Runs) -> None:
    verdicts = [verdict for each in runs.results.evaluations for verdict in each.every_verdict()]
    rows = [*runs.verdicts]
    assert len(rows) == len(verdicts)
    assert any(row["verdict"] == "ungraded" for row in rows)
    for row, verdict in zip(rows, verdicts, strict=True):
        assert row["points"] == (verdict.points if isinstance(verdict, Graded) else None)
        assert (row["cause"] is None) == isinstance(verdict, Graded)
        assert row["domain"] == verdict.about.groups["domain"]


def test_estimates_keep_interval_and_n_and_say_of_which_group_they_are(runs: Runs) -> None:
    estimates = [estimate for each in runs.results.evaluations for estimate in each.estimates]
    for row, estimate in zip(runs.estimates, estimates, strict=True):
        for name in ("metric", "value", "low", "high", "asked", "graded", "worst", "best"):
            assert row[name] == getattr(estimate, name)
        assert {kind: row[kind] for kind in estimate.group} == estimate.group
    assert any(row["place"] == "JP" for row in runs.estimates)


def test_an_item_has_the_mean_of_its_graded_answers(runs: Runs) -> None:
    for each in runs.results.evaluations:
        own = [row for row in runs.items if (row["model"], row["benchmark"]) == (each.label, each.benchmark)]
        verdicts = [*each.verdicts()]
        assert sum(int(row["asked"] or 0) for row in own) == len(verdicts)
        assert sum(int(row["graded"] or 0) for row in own) == sum(isinstance(v, Graded) for v in verdicts)


def test_transcripts_and_calls_hold_every_word(runs: Runs) -> None:
    lines = [line for each in runs.results.evaluations for line in each.transcripts()]
    assert len(runs.transcripts) == sum(len(line.events) for line in lines)
    assert all(json.loads(str(whole))["event"] == event for whole, event in zip(
        runs.transcripts["whole"], runs.transcripts["event"], strict=True))  # fmt: skip
    said = {row["text"] for row in runs.transcripts if row["event"] == "answered"}
    assert said <= {row["text"] for row in runs.calls}


def test_a_group_that_is_called_as_a_column_has_another_name(runs: Runs) -> None:
    whole = next(each for each in runs.results.evaluations[0].estimates if not each.group)
    one = structs.replace(runs.results.evaluations[0], estimates=(structs.replace(whole, group={"metric": "x"}),))
    rows = results_frame("estimates", [one])
    assert [*rows.columns][-1] == "metric_group"
    assert (rows["metric"], rows["metric_group"]) == ([whole.metric], ["x"])


def test_a_group_that_one_result_lacks_is_missing_there(runs: Runs) -> None:
    first, second, *_ = runs.results.evaluations
    bare = structs.replace(second, estimates=tuple(each for each in second.estimates if not each.group))
    rows = [*results_frame("estimates", [first, bare])]
    assert any(row["place"] for row in rows)
    assert {row["place"] for row in rows if row["model"] == bare.label and row["benchmark"] == bare.benchmark} == {None}


@pytest.mark.parametrize(("library", "extra"), [("pandas", "data"), ("arrow", "data")])
def test_a_library_that_is_absent_is_named_with_what_brings_it(
    library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for absent in ("pandas", "pyarrow"):
        monkeypatch.setitem(sys.modules, absent, None)
    with pytest.raises(InputError, match=rf"pip install '\.\[{extra}\]'"):
        getattr(MADE, f"to_{library}")()
    with pytest.raises(InputError, match="pyarrow"):
        MADE.__arrow_c_stream__()


def test_a_table_is_shown_in_short_and_its_words_are_no_markup() -> None:
    long = Frame(name="long", columns={"said": FrameColumn("text", ["<script>"] * 20)})
    assert "<script>" not in long._repr_html_()
    assert "20 rows" in long._repr_html_()
    assert repr(long) == "long: 20 rows of said"
