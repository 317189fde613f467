"""The command ends as it should: 0 done, 1 unfinished, 2 the caller's slip, 130 interrupted."""

import json
import signal
from pathlib import Path

import pytest

from mores.runs.spec import Spec
from tests.endpoint import Endpoint
from tests.models.listener import Say, completion, listening
from tests.runs.conduct import Typed, begin, estimates, hold, left, manifest, mores, until


def line_of(cultural: Path, endpoint: Endpoint, *more: object) -> list[object]:
    return ["run", "culturalbench/hard", "--model", "vllm/test", "--base-url", endpoint.url, "--data", cultural,
            "--concurrency", 4, "--out", "run", *more]  # fmt: skip


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_a_run_to_resume(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, sign: signal.Signals
) -> None:
    endpoint.set(latency_ms=30)
    process = begin(*line_of(cultural, endpoint), cwd=tmp_path)
    until(lambda: endpoint.counts().answered > 12)
    process.send_signal(sign)
    printed, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert printed == ""
    assert "mores resume run" in errors
    assert "Traceback" not in errors
    assert manifest(tmp_path / "run")["state"] == "unfinished"
    answered = endpoint.counts().answered
    endpoint.set(latency_ms=0)
    endpoint.reset()
    assert mores("resume", "run", cwd=tmp_path).returncode == 0
    assert endpoint.counts().requests == 96 - (answered - 1) + 1  # all that was answered was written down
    spec = Spec(benchmarks=("culturalbench/hard",), models=("vllm/test",), data=str(cultural), base_url=endpoint.url)
    assert hold(tmp_path / "calm", spec)
    assert left(tmp_path / "run") == left(tmp_path / "calm")


def test_a_second_interrupt_stops_at_once(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    process = begin(*line_of(cultural, endpoint), cwd=tmp_path)
    endpoint.set(latency_ms=5)
    until(lambda: endpoint.counts().answered > 5)
    endpoint.set(faults={"stall": 1.0}, persistent=True)
    until(lambda: endpoint.counts().in_flight >= 3)
    process.send_signal(signal.SIGINT)
    until(lambda: "Ctrl-C again" in process.told_so_far())  # two signals at once would be one
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=10)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    endpoint.set(faults={})
    assert mores("resume", "run", cwd=tmp_path).returncode == 0


def test_one_json_object_and_nothing_else_is_printed(tmp_path: Path, cultural: Path, endpoint: Endpoint) -> None:
    done = mores(*line_of(cultural, endpoint, "--json"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    said = json.loads(line)
    assert (said["run"], said["model"]) == ("run", "vllm/test")
    hard = said["benchmarks"]["culturalbench/hard"]
    assert len(hard["estimates"]) == len(estimates(tmp_path / "run"))
    headline = next(e for e in hard["estimates"] if e["metric"] == "accuracy" and e["group"] == {})
    assert headline["asked"] == headline["graded"] == 24


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (["run", "culturalbench/hrad"], "Did you mean 'culturalbench/hard'"),
        (["run", "culturalbench/hard"], "needs its data: --data DIR_OR_FILE"),
        (["run", "culturalbench/hard", "--data", "none"], "none: no such file or folder; expected a folder with"),
        (["run", "--limit", "0"], "--limit 0: expected a positive number"),
        (["run", "--limit", "many"], "--limit"),
        (["run", "--samples", "0"], "--samples 0"),
        (["run", "--concurrency", "0"], "--concurrency 0"),
        (["run", "--places", "Japn"], "Did you mean 'Japan'"),
        (["run", "--model", "gpt"], "no model; expected KIND/NAME"),
        (["run", "--model", "simulated/typcal"], "Did you mean 'typical'"),
        (["run", "--role", "judge"], "--role judge: expected NAME=VALUE."),
        (["run", "--fact", "famly=x"], "No fact is called 'famly'"),
        (["run", "--reuse", "none"], "--reuse none: no run"),
        (["run", "NONE.toml"], "NONE.toml: cannot be read"),
        (["run", "--no-such-option"], "--no-such-option"),
        (["resume", "none"], "none: no run; expected a folder with manifest.json"),
        (["ruun"], "ruun"),
    ],
)
def test_a_slip_is_one_clear_line_and_leaves_nothing(tmp_path: Path, line: list[str], why: str, typed: Typed) -> None:
    done = typed(*line, *(["--out", "run"] if line[0] == "run" else []))
    assert done.returncode == 2, done.stderr
    assert why in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "run" / "estimates.json").exists()


def test_a_dry_run_asks_and_leaves_nothing(tmp_path: Path, cultural: Path, endpoint: Endpoint, typed: Typed) -> None:
    done = typed(*line_of(cultural, endpoint, "--dry", "--samples", 2))
    assert done.returncode == 0, done.stderr
    assert "192 calls to the subject." in done.stdout
    assert done.stdout.splitlines()[3].split()[1:3] == ["96", "192"]
    assert "--limit 20" in done.stdout
    assert endpoint.counts().requests == 0
    assert list(tmp_path.iterdir()) == []


def test_an_endpoint_that_is_not_there_ends_with_one_line(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    words = ["--model", "vllm/test", "--base-url", "http://127.0.0.1:9/v1", "--data", cultural, "--out", "run"]
    done = typed("run", "culturalbench/easy", *words)
    assert done.returncode == 1
    assert "nobody answers at http://127.0.0.1:9/v1" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_an_endpoint_said_to_a_call_that_it_refused_stands_under_the_table(
    tmp_path: Path, cultural: Path, typed: Typed
) -> None:
    said = '{"error":{"code":400,"message":"request (5019 tokens) exceeds the available context size (4096 tokens)"}}'
    with listening(lambda heard: Say(said.encode(), 400) if b"feast 7?" in heard.body else Say(completion("A"))) as one:
        words = ["--model", "llamacpp/test", "--base-url", one.url, "--data", cultural, "--out", "run"]
        done = typed("run", "culturalbench/easy", *words)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert "Ungraded: context overflow (1)." in told
    assert "context overflow; the endpoint said: request (5019 tokens) exceeds the available context size" in told
