"""The lines that programs read."""

import json
from pathlib import Path

from mores.analysis.results import Results
from mores.reports.json_output import as_json
from mores.runs.loading import read_results
from tests.reports.conftest import Held

FIGURE = {"metric", "group", "value", "low", "high", "asked", "graded", "worst", "best", "why"}


def test_each_model_has_one_line_with_all_its_benchmarks(found: Results, ladder: Path) -> None:
    lines = [json.loads(line) for line in as_json(found, ladder)]
    assert [line["model"] for line in lines] == list(found.models)
    assert all(line["run"] == str(ladder) for line in lines)
    assert all(list(line["benchmarks"]) == ["ladder/know", "ladder/judge"] for line in lines)


def test_figures_are_those_of_the_run(found: Results, ladder: Path) -> None:
    for line in map(json.loads, as_json(found, ladder)):
        for name, benchmark in line["benchmarks"].items():
            evaluation = next(c for c in found.evaluations if c.model == line["model"] and c.benchmark == name)
            assert benchmark["simulated"] is True
            assert len(benchmark["estimates"]) == len(evaluation.estimates)
            first = benchmark["estimates"][0]
            assert set(first) >= FIGURE
            whole = evaluation.overall()
            assert whole is not None
            assert (first["metric"], first["group"], first["value"]) == ("accuracy", {}, whole.value)
            assert (benchmark["asked"], benchmark["graded"]) == (whole.asked, whole.graded)


def test_what_is_missing_is_null_and_says_why(held: Held) -> None:
    run = held("ladder/judge", models=("simulated/typical:failure=1",), limit=9)
    benchmark = json.loads(as_json(read_results([run]), run)[0])["benchmarks"]["ladder/judge"]
    assert benchmark["graded"] == 0
    (count,) = benchmark["ungraded"].values()
    assert benchmark["ungraded"] == {"simulated failure": count}
    assert count >= 2 * 9  # two scenes a norm, and those at its boundary
    for figure in benchmark["estimates"]:
        assert figure["value"] is figure["low"] is figure["high"] is None
        assert figure["why"]


def test_a_missing_interval_says_why_too(found: Results, ladder: Path) -> None:
    lines = [json.loads(line) for line in as_json(found, ladder)]
    figures = [e for line in lines for b in line["benchmarks"].values() for e in b["estimates"]]
    assert all(e["why"] for e in figures if e["low"] is None)
