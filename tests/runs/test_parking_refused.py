"""What cannot be parked or taken is refused in one line; what would be parked is told before."""

import json
from pathlib import Path

import pytest

from tests.endpoint import Endpoint
from tests.runs.batches import JUDGED, KNOW, asked
from tests.runs.conduct import Typed


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--model", "simulated/typical", "--batch", "park"], "no model of this run is an endpoint's"),
        (
            ["--model", "mistral/m", "--base-url", "http://127.0.0.1:9", "--batch", "park"],
            "name it: --batch-format openai",
        ),
        (["--model", "vllm/m", "--batch", "."], "it holds files; expected a new folder"),
        (["--model", "vllm/m", "--batch-format", "vllm"], "expected --batch DIR beside it"),
    ],
)
def test_what_cannot_be_parked_is_refused_before_anything_is_asked(
    tmp_path: Path, typed: Typed, words: list[str], why: str
) -> None:
    (tmp_path / "mine.txt").write_text("")
    done = typed("run", *KNOW, "--out", "run", *words)
    assert (done.returncode, why in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "cannot be read"),
        ("", "it is empty"),
        ('{"custom_id": "a", "body": {}}\n', "a request, and no answer to one"),
        ("not JSON\n", "not JSON"),
        ('{"a": 1}\n', "no answer of a batch"),
    ],
)
def test_a_file_without_answers_is_refused_in_one_line(
    tmp_path: Path, typed: Typed, endpoint: Endpoint, content: str | None, why: str
) -> None:
    typed(*asked(endpoint, "--out", "run", "--batch", "park"))
    if content is not None:
        (tmp_path / "x.jsonl").write_text(content)
    done = typed("collect", "run", "x.jsonl")
    assert (done.returncode, why in done.stderr) == (2, True), done.stderr


def test_a_dry_run_counts_waves_and_halves_the_price(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    words = ["run", *JUDGED, "--model", "openai/gpt-4o", "--judge", "openai/gpt-4o", "--dry", "--json"]
    live, parked = (json.loads(typed(*words, *more).stdout)["cells"] for more in ((), ("--batch", "park")))
    assert [each["waves"] for each in parked] == [1, 2]
    assert [each["waves"] for each in live] == [None, None]
    assert [each["cost"] for each in parked] == pytest.approx([each["cost"] / 2 for each in live])
