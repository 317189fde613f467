"""Runs of models without a chat template, which are asked by texts to go on with."""

import json
from pathlib import Path

import pytest

from mores.core.verdict import Graded
from mores.models.request_body import form, templates
from tests.models.listener import listening
from tests.models.test_text_completion import base
from tests.runs.conduct import Typed, manifest, transcripts, verdicts


def test_a_base_model_does_a_closed_benchmark(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    with listening(base) as listener:
        words = ("culturalbench/easy", "--data", cultural, "--limit", 6, "-m", "vllm/base", "--base-url", listener.url)
        assert typed("run", *words, "--out", "chat").returncode == 2
        done = typed("run", *words, "--completions", "--reading", "lenient", "--out", "text")
    assert done.returncode == 0, done.stderr
    found = manifest(tmp_path / "text")
    assert templates().items() <= found["prompts"].items()
    departure = next(each for each in found["departures"] if each["setting"] == "completions")
    assert (departure["published"], departure["used"]) == ("a chat", form())
    assert all(isinstance(verdict, Graded) for verdict in verdicts(tmp_path / "text"))
    assert all(event["text"] == " A" for play in transcripts(tmp_path / "text") for event in play["events"][1:])


def test_a_base_model_holds_a_talk_and_is_judged_by_chat(tmp_path: Path, typed: Typed) -> None:
    with listening(base) as listener:
        words = ("ladder/explain", "-m", "vllm/base", "--judge", "vllm/judge", "--limit", 1, "--completions")
        typed("run", *words, "--base-url", listener.url, "--out", "run")
        targets = {json.loads(heard.body)["model"]: heard.target for heard in listener.heard}
    assert targets == {"base": "/v1/completions", "judge": "/v1/chat/completions"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("-m", "simulated/typical"), "--completions: simulated/typical is asked by no endpoint here"),
        (("-m", "vllm/m", "--thinking", "high"), "--completions and --thinking high"),
        (("-m", "vllm/m", "--batch", "batches"), "--completions and --batch"),
    ],
)
def test_a_text_is_refused_where_nobody_could_ask_so(typed: Typed, words: tuple[str, ...], why: str) -> None:
    done = typed("run", "ladder/know", *words, "--completions", "--out", "run")
    assert done.returncode == 2
    assert why in done.stderr
