"""`mores report` and `mores compare` as they are typed."""

import json
from pathlib import Path
from typing import Any

import pytest

from mores.analysis.judging import JUDGING_ANALYSIS
from mores.cli.app import app
from mores.cli.report import CompareArgs, ReportArgs, compare, report
from mores.core.errors import InputError
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
    report(ReportArgs(runs=[good]))
    assert f"{good / 'report.html'}" in "".join(capsys.readouterr().out.split("\n  "))
    assert (good / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_several_runs_need_a_file(good: Path, bad: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--out FILE"):
        report(ReportArgs(runs=[good, bad]))
    report(ReportArgs(runs=[good, bad], out=tmp_path / "pages" / "both.html"))
    page = (tmp_path / "pages" / "both.html").read_text(encoding="utf-8")
    assert "simulated/expert:person=1,judge=.4" in page


def test_a_folder_is_no_page(good: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="file name"):
        report(ReportArgs(runs=[good], out=tmp_path))


def gated(a: Path, b: Path, capsys: Screen, *typed: str) -> tuple[int, dict[str, Any], str]:
    """How the gate exits, what it tells programs, and what it tells people."""
    code = app(["compare", str(a), str(b), "--json", *typed], standalone_mode=False) or 0
    said = capsys.readouterr()
    return code, json.loads(said.out)["analyses"]["gate"], said.err


def test_the_gate_exits_with_three_and_says_where(good: Path, bad: Path, capsys: Screen) -> None:
    code, gate, said = gated(good, bad, capsys, "--fail-if-worse")
    assert (code, gate["gate_verdict"][0]["verdict"]) == (3, "worse")
    assert [(row["benchmark"], row["verdict"], row["simulated"]) for row in gate["gate"]] == [
        ("ladder/judge", "worse", True)
    ]
    assert "ladder/judge is worse: B − A is" in said
    assert gated(good, bad, capsys, "--fail-if-worse", "--margin", "5")[0] == 3  # the loss is larger than that too


def test_the_gate_lets_equals_pass_where_the_margin_is_wide_enough_for_so_few(good: Path, capsys: Screen) -> None:
    code, gate, said = gated(good, good, capsys, "--fail-if-worse", "--margin", "20")
    assert (code, gate["gate_verdict"]) == (0, [{"verdict": "passed", "margin_percent": 20, "untested": []}])
    assert gate["gate"][0]["margin"] == 0.2
    assert "Passed: on ladder/judge B is no worse than A by 20 points." in said


def test_the_gate_lets_who_is_better_pass(good: Path, bad: Path, capsys: Screen) -> None:
    assert gated(bad, good, capsys, "--fail-if-worse")[0] == 0


def test_too_few_units_are_undecided_and_it_says_how_many_would_do(held: Held, capsys: Screen) -> None:
    few = held("ladder/judge", models=("simulated/expert:person=1",), limit=9, name="few")
    code, gate, said = gated(few, few, capsys, "--fail-if-worse", "--margin", "3")
    (row,) = gate["gate"]
    assert (code, row["verdict"], gate["gate_verdict"][0]["verdict"]) == (4, "undecided", "undecided")
    needed = row["units_needed"]
    assert needed >= 99  # .97 to the power of 98 is above .05
    assert f"about {needed:,} would decide this margin" in said


def test_a_verdict_without_the_gate_never_fails(good: Path, bad: Path, capsys: Screen) -> None:
    code, gate, _ = gated(good, bad, capsys, "--margin", "3")
    assert (code, gate["gate_verdict"][0]["verdict"]) == (0, "worse")


@pytest.mark.parametrize("margin", ["0", "-3", "100"])
def test_a_margin_is_points_of_a_share(good: Path, margin: str) -> None:
    with pytest.raises(InputError, match=r"--margin .*: expected points of a share, above 0 and below 100"):
        compare(CompareArgs(run_a=good, run_b=good, fail_if_worse=True, margin=float(margin)))


def test_without_the_gate_worse_is_only_told(good: Path, bad: Path, capsys: Screen) -> None:
    compare(CompareArgs(run_a=good, run_b=bad))
    assert "B − A" in capsys.readouterr().out


def test_both_verbs_can_be_typed(good: Path, bad: Path, tmp_path: Path, capsys: Screen) -> None:
    app(["report", str(good), str(bad), "--out", str(tmp_path / "both.html")], standalone_mode=False)
    app(["compare", str(good), str(bad), "--json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["a"]["run"] == str(good)
    assert app(["compare", str(good), str(bad), "--fail-if-worse"], standalone_mode=False) == 3


def test_all_figures_of_a_page_are_one_object(good: Path, bad: Path, tmp_path: Path, capsys: Screen) -> None:
    report(ReportArgs(runs=[good, bad], json=True))
    told = json.loads(capsys.readouterr().out)
    assert [run["run"] for run in told["runs"]] == [str(good), str(bad)]
    assert all(run["benchmarks"]["ladder/judge"]["asked"] == 2 * counted(SOME) for run in told["runs"])
    assert isinstance(told["analyses"], dict)
    report(ReportArgs(runs=[good, bad], out=tmp_path / "both.html", json=True))
    said = capsys.readouterr()
    assert json.loads(said.out) == told
    assert said.err == f"{tmp_path / 'both.html'}\n"
    assert (tmp_path / "both.html").is_file()


def test_what_models_show_together_stands_in_that_object(
    held: Held, capsys: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mores.reports.sections_list.ANALYSES", (JUDGING_ANALYSIS,))
    app(["report", str(held("ladder/explain", limit=9)), "--json"], standalone_mode=False)
    told = json.loads(capsys.readouterr().out)
    assert list(told["analyses"]) == ["leaderboard", "judging", "thick"]
    assert told["analyses"]["thick"]["thick"][0]["rubric"] == "coverage"
