"""Answers that an endpoint cut at their limit: what their verdicts say, over real HTTP."""

import json
from pathlib import Path

import pytest

from mores.api.notebook import run
from mores.api.runs import Runs
from mores.exports.every_eval_ever import every_eval_ever
from mores.exports.inspect_log import inspect_logs
from mores.reports.terminal import print_report
from mores.runs.loading import read_results
from tests.endpoint import Endpoint

SAID = "False, as the people there would see it otherwise"


def asked(endpoint: Endpoint, out: Path, benchmark: str, **options: object) -> Runs:
    return run(benchmark, model="vllm/test", base_url=endpoint.url, out=out, limit=12, **options)


def verdicts(out: Path) -> list[dict[str, object]]:
    (path,) = out.rglob("verdicts.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_cut_label_says_so_in_its_verdict_its_reason_and_every_export(
    endpoint: Endpoint, cultural: Path, tmp_path: Path
) -> None:
    endpoint.answers({"": SAID})
    endpoint.set(cut=13)
    out = tmp_path / "run"
    asked(endpoint, out, "culturalbench/hard", data=cultural)
    strict = [each for each in verdicts(out) if each["task"] == "strict"]
    assert {(each["cut"], each["label"], each["fault"]) for each in strict} == {(True, None, "format_error")}
    assert all(str(each["reason"]).startswith("more than the label alone (strict); cut at ") for each in strict)
    lenient = [each for each in verdicts(out) if each["task"] == "lenient"]
    assert {(each["cut"], each["label"]) for each in lenient} == {(True, "false")}
    results = read_results([out])
    counts = results.evaluations[0].quality.whole
    assert counts.answers == counts.cut == counts.unreadable == counts.read_leniently == len(strict)
    told = f"{len(strict)} of {len(strict)} answers could not be read".encode()
    assert any(told in content for content in every_eval_ever(results).files.values())
    assert len(inspect_logs(results).files) == 1


def test_whole_answers_leave_the_files_as_they_were(endpoint: Endpoint, cultural: Path, tmp_path: Path) -> None:
    endpoint.answers({"": "False"})
    asked(endpoint, tmp_path / "run", "culturalbench/hard", data=cultural)
    assert not any("cut" in each for each in verdicts(tmp_path / "run"))


def test_a_talk_in_which_a_turn_was_cut_is_counted_once(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.answers({"": "I would rather keep to what people here do, and so"})
    endpoint.set(cut=20)
    out = tmp_path / "run"
    asked(endpoint, out, "ladder/converse", judge="vllm/judge", role="antagonist=vllm/other")
    assert all(each["cut"] for each in verdicts(out))
    counts = read_results([out]).evaluations[0].quality.whole
    assert counts.cut == counts.answers


def test_judges_that_run_on_are_cut_at_the_tokens_they_are_given_and_the_screen_says_what_to_try(
    endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    endpoint.answers({"": "I would rather keep to what people here do. " * 20})
    endpoint.set(cut=60)
    asked(endpoint, out, "ladder/explain", judge="vllm/judge", judge_tokens=40)
    found = [each for each in verdicts(out) if "cause" in each]
    assert {each["cause"] for each in found} == {"judge: cut short"}
    capsys.readouterr()
    results = read_results([out])
    print_report(results)
    (departure,) = (d for d in results.evaluations[0].provenance.departures if d.setting == "judge's tokens")
    assert departure.plain == "40 (published: 400)"
    told = " ".join(capsys.readouterr().out.split())
    assert "Judgements were cut at 40 tokens. Try --judge-tokens 80." in told
