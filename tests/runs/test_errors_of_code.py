"""An error of code costs what it is in (an item, a figure, a section); all else comes out, and a person is told."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from mores.benchmarks import catalogue
from mores.core.errors import InputError
from mores.core.verdict import Ungraded
from mores.reports import sections_list
from mores.reports.plugins import name_of
from mores.reports.sections_list import ANALYSES
from mores.runs.spec import Spec
from mores.tables import Analysis
from tests.benchmarks.plays import TINY
from tests.runs.conduct import hold, manifest, verdicts
from tests.runs.planted import FILES, Type, Typed, kind_of, plant, raising, typing_in, words_for

LUCK = "no such luck"
ERRORS: dict[str, Exception] = {
    "ValueError": ValueError(LUCK),
    "KeyError": KeyError(LUCK),
    "InputError": InputError(LUCK),
}


@pytest.fixture
def type_(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Type:
    return typing_in(monkeypatch, capsys)


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that is finished, to be reported."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    data = str(TINY / "culturalbench")
    assert hold(folder, Spec(benchmarks=("culturalbench/easy",), models=("simulated/typical",), data=data, limit=3))
    return folder


@pytest.mark.parametrize("name", catalogue.names())
def test_an_item_fails_and_the_run_goes_on_in_every_benchmark(
    name: str, tmp_path: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = ("ValueError", "KeyError", "InputError")[len(name) % 3]
    plant(monkeypatch, kind_of(name), "play", ERRORS[kind], on=lambda call: call == 1)
    plant(monkeypatch, kind_of(name), "judge", AssertionError(LUCK), on=lambda call: call == 1)
    done = type_(*words_for(name, tmp_path / "run"), "--json")
    assert done.status == 1
    assert all((tmp_path / "run" / file).is_file() for file in (*FILES, "report.html"))
    lost = [v for v in verdicts(tmp_path / "run") if isinstance(v, Ungraded) and v.cause == "error in mores"]
    assert len({(v.about.item, v.sample) for v in lost}) == 2
    assert {v.raw for v in lost} == {
        f"error in mores: {kind}: {ERRORS[kind]}", f"error in mores: AssertionError: {LUCK}"
    }  # fmt: skip
    assert f"{name} by simulated/typical: " in done.err
    assert lost[0].about.item in done.err
    assert LUCK in done.err
    assert "Please report it." in done.err
    whole = json.loads(done.out)["benchmarks"][name]
    assert whole["ungraded"]["error in mores"] >= 1


STAGES = {
    "scoring": "mores.benchmarks.shapes.closed_question.ClosedBenchmark.scoring",
    "source": "mores.benchmarks.shapes.closed_question.VerdictSource",
    "score": "mores.benchmarks.scoring.Scoring.score",
    "one metric": "mores.benchmarks.shapes.scoring.each_answer",
    "estimates": "mores.benchmarks.scoring.Scoring.estimates",
    "f1": "mores.analysis.f1.macro_f1",
    "intervals": "mores.analysis.aggregate.mean_intervals",
    "leaderboard": "mores.reports.sections_list.leaderboard",
    "rankings": "mores.analysis.leaderboard.rankings",
    "front": "mores.reports.sections_list.front_section",
    "places": "mores.reports.sections_list.places_section",
    "provenance": "mores.reports.sections_list.provenance_section",
    "benchmark": "mores.reports.sections_list.benchmark_section",
    "html": "mores.reports.page.html.Html.section",
    "browser": "mores.reports.page.write.browser",
    "items": "mores.reports.page.write.items_html",
    "title": "mores.reports.page.write.page_title",
    "banners": "mores.reports.page.write.cautions",
    "table": "mores.reports.terminal.front_table",
    "effort": "mores.reports.terminal.describe_effort",
    "findings": "mores.reports.terminal.findings_of",
    "next step": "mores.reports.terminal.next_step",
}
"""Every stage after the last call, by what makes it."""


def ended_with_all_but(done: Typed, folder: Path, *lost: str) -> None:
    """The command says what failed and asks for a report, and every file is there."""
    assert done.status == 1, done.err
    assert [name for name in (*FILES, "report.html") if not (folder / name).is_file()] == list(lost)
    assert "could not be made (error in mores: ZeroDivisionError: no such luck). Please report it." in done.err
    assert "expected" not in done.err


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_that_fails_after_the_last_call_leaves_all_else(
    stage: str, tmp_path: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = words_for("culturalbench/easy", tmp_path / "run")
    with monkeypatch.context() as patch:
        patch.setattr(STAGES[stage], raising(ZeroDivisionError(LUCK)))
        done = type_(*words)
        ended_with_all_but(done, tmp_path / "run")
        assert "Next: " in done.out or "on the screen could not be made" in done.out
    assert type_("resume", tmp_path / "run").status == 0  # what failed is made anew once the code is mended
    assert type_("report", tmp_path / "run").status == 0
    assert LUCK not in (tmp_path / "run" / "report.html").read_text()


@pytest.mark.parametrize("number", range(len(ANALYSES)))
def test_a_section_that_fails_leaves_a_sentence_in_its_place_on_page_screen_and_in_json(
    number: int, finished_run: Path, type_: Type, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def raises(_: object) -> None:
        raise ZeroDivisionError(LUCK)

    make, page = ANALYSES[number], tmp_path / "page.html"
    name = raises.__name__ = name_of(make)
    failing = replace(make, analyse=raises) if isinstance(make, Analysis) else raises
    monkeypatch.setattr(sections_list, "ANALYSES", (*ANALYSES[:number], failing, *ANALYSES[number + 1 :]))
    told = f"The section '{name}' could not be made (error in mores: ZeroDivisionError: {LUCK}). Please report it."
    done = type_("report", finished_run, "--out", page)
    assert done.status == 1
    assert told in done.err
    assert told.partition("' ")[2] in page.read_text()
    assert "Next: " in done.out
    found = type_("report", finished_run, "--json")
    assert found.status == 1
    assert json.loads(found.out)["analyses"][f"failed-{name}"] == {"failed": told}


def test_remarks_that_fail_stand_as_a_sentence_in_the_manifest(
    tmp_path: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mores.benchmarks.shapes.base.BaseShape.remarks", raising(ZeroDivisionError(LUCK)))
    done = type_(*words_for("culturalbench/easy", tmp_path / "run"))
    ended_with_all_but(done, tmp_path / "run")
    assert LUCK in manifest(tmp_path / "run")["remarks"][0]


def test_a_model_that_cannot_be_closed_costs_nothing_and_is_told(
    tmp_path: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mores.models.model.LocalModel.close", raising(ZeroDivisionError(LUCK)))
    done = type_(*words_for("culturalbench/easy", tmp_path / "run"))
    ended_with_all_but(done, tmp_path / "run")
    assert "The closing of simulated/typical could not be made" in done.err


def test_a_page_that_cannot_be_rendered_costs_the_page_alone(
    tmp_path: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mores.reports.page.write.render", raising(ZeroDivisionError(LUCK)))
    done = type_(*words_for("culturalbench/easy", tmp_path / "run"))
    ended_with_all_but(done, tmp_path / "run", "report.html")
    assert "Next: " in done.out


@pytest.mark.parametrize("stage", ["analyse", "orders_of"])
def test_what_programs_read_comes_out_whole_where_an_analysis_fails(
    stage: str, finished_run: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"mores.reports.json_output.{stage}", raising(ZeroDivisionError(LUCK)))
    done = type_("report", finished_run, "--json")
    assert done.status == 1
    assert json.loads(done.out)["runs"][0]["benchmarks"]["culturalbench/easy"]["estimates"]


@pytest.mark.parametrize(
    "stage",
    ["analysis.two_runs._view", "analysis.two_runs.difference_blocks", "reports.terminal_compare._table",
     "reports.terminal_compare.findings", "reports.page.write.comparison_title"],
)  # fmt: skip
def test_a_part_of_a_comparison_that_fails_costs_that_part(
    stage: str, finished_run: Path, type_: Type, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(f"mores.{stage}", raising(ZeroDivisionError(LUCK)))
    done = type_("compare", finished_run, finished_run, "--out", tmp_path / "page.html")
    assert done.status == 1
    assert "Please report it." in done.err
    assert (tmp_path / "page.html").is_file()


def test_what_could_not_be_compared_does_not_pass_a_gate(
    finished_run: Path, type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mores.analysis.comparison.compare_results", raising(ZeroDivisionError(LUCK)))
    done = type_("compare", finished_run, finished_run, "--fail-if-worse")
    assert done.status == 1
    assert "nothing could be compared" in done.err


def test_an_error_that_nothing_stands_for_is_one_line_with_its_place(
    type_: Type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mores.benchmarks.catalogue.names", raising(ZeroDivisionError("half\nof it \x1b[31m")))
    done = type_("list", "benchmarks")
    assert done.status == 1
    assert done.err.startswith(
        "mores: error in mores: ZeroDivisionError: half of it \\u001b[31m (tests.runs.planted, line "
    )
    assert done.err.count("\n") == 1
