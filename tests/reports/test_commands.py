"""`mores report` and `mores compare` as they are typed."""

import json
from pathlib import Path

import pytest
import typer

from mores.cli.app import app
from mores.cli.reporting import compare, report
from mores.cli.typed_again import TypedCompare, TypedReport
from mores.core.errors import InputError
from mores.reports.sections.judging import judging_section
from tests.bundled import SOME, counted
from tests.reports.conftest import Held

Screen = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def good(held: Held) -> Path:
    return held("ladder/judge", places=SOME, models=("simulated/expert:person=1",), name="good")


@pytest.fixture(scope="module")
def bad(held: Held) -> Path:
    return held("ladder/judge", places=SOME, models=("simulated/expert:person=1,judge=.4",), name="bad")


def test_one_run_gets_its_page_beside_it(good: Path, capsys: Screen) -> None:
    report(TypedReport(runs=[good]))
    assert f"{good / 'report.html'}" in "".join(capsys.readouterr().out.split("\n  "))
    assert (good / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_several_runs_need_a_file(good: Path, bad: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--out FILE"):
        report(TypedReport(runs=[good, bad]))
    report(TypedReport(runs=[good, bad], out=tmp_path / "pages" / "both.html"))
    page = (tmp_path / "pages" / "both.html").read_text(encoding="utf-8")
    assert "simulated/expert:person=1,judge=.4" in page


def test_a_folder_is_no_page(good: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="file name"):
        report(TypedReport(runs=[good], out=tmp_path))


def test_the_gate_exits_with_three_and_says_where(good: Path, bad: Path, capsys: Screen) -> None:
    with pytest.raises(typer.Exit) as left:
        compare(TypedCompare(run_a=good, run_b=bad, json=True, fail_if_worse=True))
    assert left.value.exit_code == 3
    said = capsys.readouterr()
    assert "ladder/judge" in said.err
    assert list(json.loads(said.out)["worse"]) == ["ladder/judge"]


def test_the_gate_lets_equals_and_betters_pass(good: Path, bad: Path) -> None:
    compare(TypedCompare(run_a=good, run_b=good, json=True, fail_if_worse=True))
    compare(TypedCompare(run_a=bad, run_b=good, json=True, fail_if_worse=True))


def test_without_the_gate_worse_is_only_told(good: Path, bad: Path, capsys: Screen) -> None:
    compare(TypedCompare(run_a=good, run_b=bad))
    assert "B − A" in capsys.readouterr().out


def test_both_verbs_can_be_typed(good: Path, bad: Path, tmp_path: Path, capsys: Screen) -> None:
    app(["report", str(good), str(bad), "--out", str(tmp_path / "both.html")], standalone_mode=False)
    app(["compare", str(good), str(bad), "--json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["a"]["run"] == str(good)
    assert app(["compare", str(good), str(bad), "--fail-if-worse"], standalone_mode=False) == 3


def test_all_figures_of_a_page_are_one_object(good: Path, bad: Path, tmp_path: Path, capsys: Screen) -> None:
    report(TypedReport(runs=[good, bad], json=True))
    told = json.loads(capsys.readouterr().out)
    assert [run["run"] for run in told["runs"]] == [str(good), str(bad)]
    assert all(run["benchmarks"]["ladder/judge"]["asked"] == 2 * counted(SOME) for run in told["runs"])
    assert isinstance(told["analyses"], dict)
    report(TypedReport(runs=[good, bad], out=tmp_path / "both.html", json=True))
    said = capsys.readouterr()
    assert json.loads(said.out) == told
    assert said.err == f"{tmp_path / 'both.html'}\n"
    assert (tmp_path / "both.html").is_file()


def test_what_models_show_together_stands_in_that_object(
    held: Held, capsys: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mores.reports.analysis.ANALYSES", (judging_section,))
    app(["report", str(held("ladder/explain", limit=9)), "--json"], standalone_mode=False)
    told = json.loads(capsys.readouterr().out)
    assert list(told["analyses"]) == ["judging", "thick"]
    assert told["analyses"]["thick"]["cells"][0]["rubric"] == "coverage"
