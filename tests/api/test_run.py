"""Running, loading and comparing from Python."""

import ast
import asyncio
import json
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import mores
from mores.api.runs import Runs
from mores.cli.args_run import JudgingArgs, ResumingArgs, RunArgs
from mores.core.errors import BudgetReached, InputError, RunError, UnknownName
from mores.runs.loading import read_results
from mores.runs.options import RunOptions
from mores.tables.formatting import SIMULATED


def test_a_run_gives_what_the_command_line_gives(tmp_path: Path) -> None:
    """The same bytes in every file of the folder; only times differ in the manifest, and pages show them."""
    found = mores.run("ladder/explain", model="simulated/typical", limit=9, places="JP,NG", out=tmp_path / "a")
    typed = ("-m", "mores", "run", "ladder/explain", "--limit", "9", "--places", "JP,NG", "--out", str(tmp_path / "b"))
    subprocess.run([sys.executable, *typed], check=True, capture_output=True)
    assert found.folders == (tmp_path / "a",)
    left = [sorted(path.name for path in (tmp_path / name).iterdir()) for name in "ab"]
    assert left[0] == left[1]
    for name in set(left[0]) - {"manifest.json", "report.html", "journal.sqlite", ".lock"}:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    one, other = (json.loads((tmp_path / name / "manifest.json").read_text()) for name in "ab")
    assert {name for name in one if one[name] != other[name]} <= {"written", "took", "files", "seal"}
    assert one.keys() == other.keys()
    assert {each for each in one["files"] if one["files"][each] != other["files"][each]} <= {"journal.sqlite"}


def test_it_runs_where_a_loop_is_running(tmp_path: Path) -> None:
    async def both() -> tuple[Runs, Runs]:
        awaited = await mores.run_async("ladder/judge", limit=6, out=tmp_path / "a")
        return awaited, mores.run("ladder/judge", limit=6, out=tmp_path / "b")

    awaited, called = asyncio.run(both())
    assert [*awaited.estimates["value"]] == [*called.estimates["value"]]


def test_parts_asked_apart_are_merged_and_a_missing_one_is_named(tmp_path: Path) -> None:
    whole = mores.run("ladder/judge", limit=12, out=tmp_path / "whole")
    first = mores.run("ladder/judge", shard="1/2", limit=12, out=tmp_path / "a").folders[0]
    with pytest.raises(RunError, match=r"part 2/2 is missing.*mores resume"):
        mores.merge(first, out=tmp_path / "both")
    second = mores.run("ladder/judge", shard="2/2", limit=12, out=tmp_path / "b").folders[0]
    both = mores.merge([second, first], out=tmp_path / "both")
    assert [*both.estimates["value"]] == [*whole.estimates["value"]]
    for name in ("estimates.json", "verdicts.jsonl", "transcripts.jsonl"):
        assert (both.folders[0] / name).read_bytes() == (whole.folders[0] / name).read_bytes()


def test_type_checkers_know_all_that_a_notebook_can_call() -> None:
    stub = ast.parse(Path(mores.__file__).with_suffix(".pyi").read_text())
    imported = {name.asname for each in stub.body if isinstance(each, ast.ImportFrom) for name in each.names}
    assert imported | {"__version__"} == set(mores.__all__)


def test_an_unknown_option_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="'limit'"):
        mores.run(limits=3)


@pytest.mark.parametrize("wrong", [{"limit": "some"}, {"samples": 0}, {"samples": "many"}, {"reading": "loose"}])
def test_a_value_that_cannot_be_used_is_refused_in_one_line(wrong: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        mores.run("ladder/judge", out=tmp_path / "run", **wrong)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "run").exists()


def test_values_by_name_may_be_a_mapping_or_entries(tmp_path: Path) -> None:
    told = [
        mores.run("ladder/explain", limit=3, role=role, judge="simulated/judge", out=tmp_path / str(number))
        for number, role in enumerate([{"labeller": "simulated/typical"}, ["labeller=simulated/typical"]])
    ]
    hashes = {each.results.evaluations[0].provenance.spec_hash for each in told}
    assert len(hashes) == 1


def test_a_budget_that_is_spent_stops_the_run_and_resume_goes_on(tmp_path: Path) -> None:
    with pytest.raises(BudgetReached, match="mores resume"):
        mores.run("ladder/judge", limit=9, max_calls=4, out=tmp_path / "run")
    cut = mores.load(tmp_path / "run")
    assert cut.partial
    assert "Not finished" in repr(cut)
    assert 0 < len(cut.calls) <= 4
    assert len(cut.estimates) == len(cut.scores) == len(cut.verdicts) == len(cut.transcripts) == 0
    whole = mores.resume(tmp_path / "run")
    assert not whole.partial
    assert len(whole.verdicts) > 0
    with pytest.raises(UnknownName):
        mores.resume(tmp_path / "run", model="baseline/random")


def test_a_run_is_judged_again(tmp_path: Path) -> None:
    first = mores.run("ladder/explain", limit=4, out=tmp_path / "first")
    again = mores.judge(first.folders[0], "simulated/judge", samples=2, out=tmp_path / "again")
    assert {each.provenance.judged for each in again.results.evaluations} == {str(first.folders[0].resolve())}


def test_what_is_loaded_is_what_was_found(runs: Runs, folder: Path) -> None:
    loaded = mores.load(str(folder))
    assert not loaded.partial
    assert loaded.simulated
    assert loaded.models == runs.models
    assert loaded.results.evaluations[0].estimates == read_results([folder]).evaluations[0].estimates
    assert mores.load([folder, folder]).folders == (folder,)


def test_a_table_of_headlines_stands_in_a_notebook_with_n_and_interval_and_says_simulated(runs: Runs) -> None:
    for shown in (repr(runs), runs._repr_html_()):
        assert SIMULATED in shown
        for each in runs.results.evaluations:
            whole = each.overall()
            assert whole is not None
            assert whole.value is not None
            assert each.benchmark in shown
            assert each.model in shown
            assert f"{100 * whole.value:.1f}%" in shown
    assert repr(runs).count("[") == len(runs.results.evaluations)


def test_a_notebook_takes_a_models_name_for_words_alone(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "run")
    for path in copy.glob("*/manifest.json"):
        path.write_text(path.read_text().replace("baseline/random", "<b>baseline/random"))
    shown = mores.load(copy)._repr_html_()
    assert "<b>" not in shown
    assert "changed after the run wrote" in shown


def test_two_runs_are_compared_as_the_command_line_does(tmp_path: Path) -> None:
    for model, name in (("simulated/typical", "a"), ("baseline/random", "b")):
        mores.run("ladder/judge", model=model, limit=30, out=tmp_path / name)
    found = mores.compare(tmp_path / "a", mores.load(tmp_path / "b"))
    whole = found.found.compared[0].whole
    first = next(iter(found.tables["headlines"]))
    assert (first["difference"], first["low"], first["p"]) == (whole.difference, whole.low, whole.p)
    assert first["units"] == whole.units > 30
    for shown in (repr(found), found._repr_html_()):
        assert SIMULATED in shown
        assert "ladder/judge" in shown


def test_what_was_changed_is_not_compared(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "run")
    next(copy.glob("*/verdicts.jsonl")).write_bytes(b"")
    with pytest.raises(InputError, match="changed"):
        mores.compare(folder, copy)


def test_every_option_of_a_run_is_one_of_the_command_line_and_the_other_way_round() -> None:
    own = {each.name for each in fields(RunOptions)}
    assert {each.name for each in fields(RunArgs)} - own == {"dry", "full", "json"}
    asked = subprocess.run(
        [sys.executable, "-m", "mores", "run", "--help"],
        check=True, capture_output=True, text=True, env={"PATH": "", "COLUMNS": "200"},
    ).stdout  # fmt: skip
    for each in fields(RunArgs):
        flags = each.metadata["flags"]
        assert (each.name if flags is None else flags[0] if flags else f"--{each.name.replace('_', '-')}") in asked
    for typed in (JudgingArgs, ResumingArgs):
        assert all(each.metadata["says"] for each in fields(typed))


def test_importing_mores_reads_nothing_but_itself() -> None:
    code = "import sys, mores; print(sorted(n for n in sys.modules if n.split('.')[0] in {'mores', 'numpy', 'typer'}))"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert told.strip() == "['mores']"
    assert set(mores.__all__) <= set(dir(mores))
    with pytest.raises(AttributeError, match="no attribute 'runn'"):
        mores.runn  # type: ignore[attr-defined]  # noqa: B018
