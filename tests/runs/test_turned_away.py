"""An endpoint that refuses every call from some moment on stops the run; one that refuses single calls does not."""

import json
from collections import Counter
from pathlib import Path
from threading import Event, Lock

import pytest

from mores.core.errors import MoresError
from mores.core.verdict import Ungraded
from mores.runs.progress import StopSignal
from mores.runs.spec import Spec
from tests.endpoint import Endpoint
from tests.models.listener import Heard, Say, completion, listening
from tests.runs.conduct import Typed, hold, left, manifest, verdicts, whole

ANSWERED = 21
"""Twenty calls and the probe."""
WAIT_SHARE = 60.0
"""Seconds until a call that waits for an event says that it never came; no order hangs on them."""


def words(cultural: Path, endpoint: Endpoint) -> list[object]:
    return ["run", "culturalbench/hard", "--model", "openai/test", "--base-url", endpoint.url, "--data", cultural,
            "--out", "run", "--concurrency", 8]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "says", "told"),
    [
        (401, "Incorrect API key provided.", "takes no call with this key any more; see to it and to OPENAI_API_KEY"),
        (403, "Your organization has been disabled.", "takes no call with this key any more"),
        (402, "Insufficient Balance", "the credit or quota is used up"),
        (429, "You exceeded your current quota (insufficient_quota).", "the credit or quota is used up"),
        (404, "The model `test` does not exist.", "the model, or its address, is gone"),
        (400, "Your credit balance is too low to access the API.", "refuses every call by now"),
        (400, "Something is not as it should be.", "refuses every call by now"),
    ],
)
def test_what_can_pass_for_no_call_stops_the_run_with_one_line(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, typed: Typed, status: int, says: str, told: str
) -> None:
    endpoint.set(turn=status, turn_after=ANSWERED, turn_says=says)
    stopped = typed(*words(cultural, endpoint))
    assert stopped.returncode == 1
    assert stopped.stdout == ""
    assert stopped.stderr.startswith("mores: openai/test: ")
    assert told in stopped.stderr
    assert says in stopped.stderr
    assert "Continue with: mores resume run" in stopped.stderr
    assert stopped.stderr.count("\n") == 1
    assert endpoint.counts().requests <= ANSWERED + 8 * 4
    assert manifest(tmp_path / "run")["state"] == "unfinished"
    assert not (tmp_path / "run" / "estimates.json").exists()


def test_a_resume_asks_what_was_turned_away_and_nothing_else(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, typed: Typed
) -> None:
    endpoint.set(turn=401, turn_after=ANSWERED)
    assert typed(*words(cultural, endpoint)).returncode == 1
    endpoint.set(turn=0)
    endpoint.reset()
    assert typed("resume", "run").returncode == 0
    assert endpoint.counts().requests == 96 - (ANSWERED - 1) + 1
    spec = Spec(benchmarks=("culturalbench/hard",), models=("openai/test",), data=str(cultural), base_url=endpoint.url)
    assert hold(tmp_path / "calm", spec)
    assert left(tmp_path / "run") == left(tmp_path / "calm")


def test_a_judge_that_is_turned_away_stops_the_run_as_well(endpoint: Endpoint, typed: Typed) -> None:
    endpoint.set(turn=401, turn_after=16, turn_says="Key revoked.", only='"judge"')  # the subject is asked 13 times
    run = ["run", "ladder/explain", "--model", "vllm/subject", "--judge", "vllm/judge", "--base-url", endpoint.url,
           "--limit", 12, "--out", "run", "--concurrency", 4]  # fmt: skip
    stopped = typed(*run)
    assert stopped.returncode == 1
    assert (
        "vllm/judge: the endpoint takes no call with this key any more; see to it and to MORES_API_KEY"
        in stopped.stderr
    )
    endpoint.set(turn=0)
    assert typed("resume", "run").returncode == 0


class TwoModels:
    """Answers of two models on one endpoint, in an order that events decide.

    The first three calls of *slow* after its probe are held until the run stops; *refused* is answered
    once they are, and turned away from its ninth call on, until it is `mended`.
    """

    def __init__(self) -> None:
        self.asked = Counter[str]()
        self.stopped, self.mended = Event(), False
        self._held, self._lock = Event(), Lock()

    def __call__(self, heard: Heard) -> Say:
        model = json.loads(heard.body)["model"]
        with self._lock:
            self.asked[model] += 1
            number = self.asked[model]
        if model == "refused":
            assert self._held.wait(WAIT_SHARE), "the calls that are to be in flight never came"
            return Say(b"No such key.", 401) if number > 8 and not self.mended else Say(completion("True"))
        if 1 < number <= 4:  # the first is the probe
            if number == 4:
                self._held.set()
            assert self.stopped.wait(WAIT_SHARE), "the run never stopped"
        return Say(completion("True"))


def test_a_model_that_is_turned_away_costs_another_none_of_its_calls(
    tmp_path: Path, cultural: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three calls of the other are in flight when the run stops: they are waited for, and asked no second time."""
    models, pull = TwoModels(), StopSignal.stop

    def pulled(stop_signal: StopSignal, reason: MoresError | None = None) -> None:
        pull(stop_signal, reason)
        models.stopped.set()

    monkeypatch.setattr(StopSignal, "stop", pulled)
    with listening(models) as listener:
        begun = typed("run", "culturalbench/hard", "--model", "vllm/slow", "--model", "vllm/refused", "--base-url",
                      listener.url, "--data", cultural, "--out", "run", "--concurrency", "8")  # fmt: skip
        assert begun.returncode == 1
        assert "vllm/refused: the endpoint takes no call with this key any more" in begun.stderr
        assert 4 <= models.asked["slow"] < 96 + 1
        models.mended = True
        assert typed("resume", "run").returncode == 0
    assert models.asked["slow"] == 96 + 2  # and a probe in each sitting


@pytest.mark.parametrize("status", [401, 402, 403, 404])
def test_a_refusal_of_single_calls_is_theirs_alone(tmp_path: Path, cultural: Path, status: int) -> None:
    def answer(heard: Heard) -> Say:
        return Say(b"these words were flagged", status) if b"feast 7" in heard.body else Say(completion("True"))

    with listening(answer) as listener:
        spec = Spec(
            benchmarks=("culturalbench/hard",), models=("vllm/test",), data=str(cultural), base_url=listener.url
        )
        assert hold(tmp_path, spec)
        assert len(listener.heard) <= 1 + 96 + 4
    assert {v.cause for v in verdicts(tmp_path) if isinstance(v, Ungraded)} == {f"http {status}"}
    assert whole(tmp_path, "item_accuracy")["graded"] == 92


def test_a_run_of_which_less_than_half_was_graded_says_so_first_and_is_no_success(
    tmp_path: Path, cultural: Path, typed: Typed
) -> None:
    def answer(heard: Heard) -> Say:
        calm = any(f"feast {number}?".encode() in heard.body for number in range(5)) or b"ready" in heard.body
        return Say(completion("True")) if calm else Say(b"these words are not taken", 422)

    with listening(answer) as listener:
        done = typed("run", "culturalbench/hard", "--model", "vllm/test", "--base-url", listener.url,
                     "--data", cultural, "--out", "run")  # fmt: skip
    told = "Less than half could be graded: 5 of 24 for culturalbench/hard by vllm/test (http 422 76)."
    assert done.returncode == 1
    assert done.stdout.startswith(told[:70])
    assert "less than half could be graded for the headline of culturalbench/hard by vllm/test" in done.stderr
    page = (tmp_path / "run" / "report.html").read_text()
    assert told in page
    assert page.index(told) < page.index("<main")
