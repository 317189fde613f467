"""Who judged, how often judges failed, how far they disagreed, and whether a model judged itself."""

from pathlib import Path
from typing import Any

import pytest

from mores.analysis.judging import JUDGING_ANALYSIS, JudgedResult, analyse, judging
from mores.core.estimate import Estimate
from mores.core.verdict import Graded, VoteSummary
from mores.models.registry import same_model
from mores.reports.page.write import render
from mores.reports.terminal import print_full
from mores.runs.loading import read_results
from mores.tables import section_of as made_section
from mores.tables.blocks import Section
from tests.reports.conftest import Held
from tests.reports.made import Made, about, explained, label, reasons, run_of, thin
from tests.reports.shown import data, printed

ASKED = {"runs": 3, "sampling": {"temperature": 0.7}}


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mores.reports.sections_list.ANALYSES", (JUDGING_ANALYSIS,))


def evaluation(model: str = "openai/a", judge: str = "openai/judge", **more: Any) -> Made:
    given: dict[str, Any] = {
        "verdicts": explained([(1, 0.9), (1, 0.4), (0, None)]),
        "figures": {"accuracy": 0.5, "coverage": 0.65},
        "roles": {"judge": judge},
        **more,
    }
    return Made(model=model, benchmark="cure/normad_thick", **given)


def found_in(*runs: Path) -> tuple[JudgedResult, ...]:
    return judging(read_results(runs))


def section_of(run: Path) -> Section:
    results = read_results([run])
    found = analyse(results)
    assert found is not None
    return made_section(JUDGING_ANALYSIS, found)


def lines_of(run: Path) -> list[str]:
    return printed(section_of(run))


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("openai/gpt-4o", "openai/gpt-4o", True),
        ("openai/gpt-4o", "openrouter/openai/gpt-4o", True),
        ("together/meta-llama/Llama-3-70B", "vllm/llama-3-70b", True),
        ("ollama/llama3", "ollama/llama3:latest", True),
        ("openai/gpt-4o", "openai/gpt-4o-mini", False),
        ("ollama/llama3:8b", "ollama/llama3:70b", False),
        ("recorded/gpt-4o", "openai/gpt-4o", False),
        ("simulated/typical", "simulated/typical", True),
        ("simulated/typical", "simulated/judge", False),
    ],
)
def test_one_model_is_known_by_its_name_at_any_provider(one: str, other: str, same: bool) -> None:
    assert same_model(one, other) is same_model(other, one) is same


def test_where_nobody_judged_there_is_no_section(tmp_path: Path) -> None:
    made = Made(model="openai/a", benchmark="cure/normad_thin", verdicts=thin([1, 0]), figures={"accuracy": 0.5})
    assert analyse(read_results([run_of(tmp_path / "run", made)])) is None


def test_judges_stand_with_how_they_were_asked(tmp_path: Path) -> None:
    made = evaluation(
        roles={"judge": "openai/one", "judge2": "openai/two"}, judging=ASKED, settings={"scale": "binary"}
    )
    (judged,) = found_in(run_of(tmp_path / "run", made))
    assert judged.judges == ("openai/one", "openai/two")
    assert judged.settings_text == "3 times each, temperature 0.7, scale binary"
    (task,) = judged.tasks
    assert (task.task, task.kind, task.asked, task.judged) == ("coverage", "points", 3, 2)


def test_what_a_judge_left_ungraded_stands_with_both_bounds(tmp_path: Path, listed: None) -> None:
    coverage = Estimate(metric="coverage", value=0.65, asked=3, graded=2, worst=0.433, best=0.767)
    run = run_of(tmp_path / "run", evaluation(figures={"accuracy": 0.5, "coverage": coverage}))
    (task,) = found_in(run)[0].tasks
    assert task.causes == {"judge: cut short": 1}
    page = render(read_results([run]))
    assert "coverage 43.3% if all were worst, 76.7% if all were best" in page
    assert any("judge: cut short 1" in line for line in lines_of(run))


def test_disagreement_is_the_mean_variance_where_several_voted(tmp_path: Path) -> None:
    ballots = [VoteSummary(votes=2, asked=3, words=5, spread=0.02), VoteSummary(votes=3, asked=3, words=5, spread=0.06)]
    verdicts = [v for n, b in enumerate(ballots) for v in (label(f"i{n}", 1), reasons(f"i{n}", 0.5, ballot=b))]
    verdicts += [label("i2", 1), reasons("i2", 0.5, ballot=VoteSummary(votes=1, asked=3, words=5))]
    (task,) = found_in(run_of(tmp_path / "run", evaluation(verdicts=verdicts)))[0].tasks
    assert task.disagreement is not None
    # (.02 + .06) / 2 over the two with several votes; the root is how far a vote lies from the mean.
    assert [task.disagreement.value, task.disagreement.graded] == pytest.approx([0.04, 2])
    assert task.rms_disagreement == pytest.approx(0.2)
    assert task.disagreement.low is None
    assert task.disagreement.missing
    assert task.short == 2


def test_the_runs_own_figure_of_disagreement_goes_before_ours(tmp_path: Path) -> None:
    own = Estimate(metric="disagreement", value=0.04, low=0.01, high=0.09, asked=9, graded=9)
    ballot = VoteSummary(votes=3, asked=3, words=5, spread=0.04)
    verdicts = [label("i0", 1), reasons("i0", 0.5, ballot=ballot)]
    made = evaluation(verdicts=verdicts, figures={"accuracy": 1.0, "coverage": 0.5, "disagreement": own})
    assert found_in(run_of(tmp_path / "run", made))[0].tasks[0].disagreement == own


def weighed(*, hard: bool, fault: bool = False) -> Made:
    """An open answer held against one norm, five times by words or once by probabilities."""
    ballot = VoteSummary(
        votes=1, asked=1, words=5, label_probs={"satisfied": 0.7, "neutral": 0.2, "violated": 0.1}, hard=hard
    )
    held = about("i0", part="n1")
    verdicts = [Graded(about=held, sample=0, task="norm", points=0.7, label="satisfied", ballot=ballot)]
    if fault:
        verdicts += [Graded(about=held, sample=1, task="norm", points=0.0, label="neutral", fault="format_error")]
    return Made(model="openai/a", benchmark="odd/open", verdicts=verdicts, figures={"accuracy": 0.7},
                roles={"judge": "openai/j"}, judging={"runs": 5, "sampling": {"temperature": 0.0}})  # fmt: skip


@pytest.mark.parametrize(("hard", "kind"), [(True, "hard labels"), (False, "probabilities")])
def test_hard_labels_are_told_from_probabilities(tmp_path: Path, listed: None, hard: bool, kind: str) -> None:
    run = run_of(tmp_path / "run", weighed(hard=hard))
    assert found_in(run)[0].tasks[0].kind == kind
    assert ("not comparable with probabilities" in render(read_results([run]))) is hard


@pytest.mark.parametrize(
    ("hard", "runs", "asked"),
    [(True, 5, "5 times each, temperature 0"), (False, 1, "once, the labels' probabilities read off")],
)
def test_a_judge_whose_probabilities_are_read_off_was_asked_once(
    tmp_path: Path, hard: bool, runs: int, asked: str
) -> None:
    (judged,) = found_in(run_of(tmp_path / "run", weighed(hard=hard)))
    assert (judged.runs, judged.settings_text) == (runs, asked)


def test_what_left_nothing_to_judge_is_not_called_a_zero_where_it_leaves_a_norm_open(
    tmp_path: Path, listed: None
) -> None:
    run = run_of(tmp_path / "run", weighed(hard=False, fault=True))
    assert any("1 of 2; 1 had nothing to judge" in line for line in lines_of(run))
    page = render(read_results([run]))
    assert "1 had nothing to judge" in page
    assert "graded zero" not in page


def test_an_answer_that_left_nothing_to_judge_is_no_failure_of_a_judge(tmp_path: Path) -> None:
    zero: dict[str, Any] = {"fault": "format_error", "ballot": None, "reason": "an empty reply"}
    verdicts = [label("i0", 0, fault="format_error"), reasons("i0", 0.0, **zero)]
    (task,) = found_in(run_of(tmp_path / "run", evaluation(verdicts=verdicts)))[0].tasks
    assert (task.judged, task.unusable, task.causes, task.kind) == (0, 1, {}, None)


def test_a_model_that_judges_itself_is_flagged_wherever_its_figures_stand(
    tmp_path: Path, listed: None, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(
        tmp_path / "run", evaluation(judge="openrouter/openai/a"), evaluation(model="openai/b", judge="openai/a")
    )
    page = render(read_results([run]))
    summary = page.partition('<section id="summary"')[2].partition("</section>")[0]
    who = page.partition('<section id="judging"')[2].partition("</section>")[0]
    assert summary.count("judges itself") == who.count("judges itself") == 1
    assert "1 of 2 judged by the subject itself" in who
    print_full(read_results([run]), run / "report.html")
    assert "openai/a judges itself (openrouter/openai/a)" in flat(capsys.readouterr().out)


def test_a_terminal_prints_the_lines_of_each_section_in_eighty_columns(
    tmp_path: Path, listed: None, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(tmp_path / "run", evaluation(model="openai/" + "long-name-" * 12))
    print_full(read_results([run]), run / "report.html")
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "\n".join(printed(section_of(run), width=80)) in out


def test_nobody_is_said_to_judge_itself_who_does_not(held: Held, listed: None) -> None:
    run = held("ladder/explain", models=("simulated/typical",), limit=9)
    assert "judges itself" not in render(read_results([run]))
    assert not any(each.evaluation.own_judges for each in found_in(run))


def test_remarks_of_a_run_are_shown_beside_its_departures(
    tmp_path: Path, listed: None, capsys: pytest.CaptureFixture[str]
) -> None:
    remark = "Held against <b>rules of thumb</b>."
    run = run_of(tmp_path / "run", evaluation(also={"remarks": [remark], "judged": "/runs/earlier"}))
    page = render(read_results([run]))
    made = page.partition('-made"><summary>')[2].partition("</details>")[0]
    assert "Held against &lt;b&gt;rules of thumb&lt;/b&gt;." in made
    assert "<b>rules" not in page
    assert "/runs/earlier" in made
    print_full(read_results([run]), run / "report.html")
    assert remark in flat(capsys.readouterr().out)


def test_a_remark_on_one_of_two_runs_names_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, both = "Rows were skipped.", "Held against rules of thumb."
    evaluations = (evaluation(also={"remarks": [both, one]}), evaluation(model="openai/b", also={"remarks": [both]}))
    run = run_of(tmp_path / "run", *evaluations)
    print_full(read_results([run]), run / "report.html")
    out = flat(capsys.readouterr().out)
    assert out.count(both) == 1
    assert f"openai/a: {one}" in out


def test_programs_get_all_of_it(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", evaluation(judge="openai/a", judging=ASKED, also={"remarks": ["Hard-label."]}))
    told = data(section_of(run))
    (task,) = told["judging"]
    assert (task["judges"], task["own_judges"]) == (["openai/a"], ["openai/a"])
    assert (task["runs"], task["temperature"], task["remarks"]) == (3, 0.7, ["Hard-label."])
    assert (task["judged_of"], task["judged"], task["metric"]) == (3, 2, "coverage")
    (cause,) = told["judging_ungraded"]
    assert (cause["task"], cause["cause"], cause["count"]) == ("coverage", "judge: cut short", 1)
    (judge,) = told["judging_judges"]
    assert (judge["role"], judge["judge"], judge["itself"]) == ("judge", "openai/a", True)


def test_what_is_simulated_is_said_to_be(held: Held) -> None:
    found = section_of(held("ladder/explain", models=("simulated/typical",), limit=9))
    assert data(found)["judging"][0]["simulated"]
    assert any("(simulated)" in line for line in printed(found))
