"""A key in the environment is found nowhere in what a run leaves or prints."""

import re
import socket
from pathlib import Path

import pytest

from tests.models.listener import Answer, Heard, Say, completion, listening
from tests.runs.conduct import Done, begin, everything, mores, until

SECRET = "sk-Zq7vLw0pXx93-key-of-nobody"
STUDY = """
benchmarks = ["culturalbench/hard"]
models = ["openai/test"]
data = "{data}"
base_url = "{url}"
[conditions]
concurrency = 4
attempts = 2
first_wait = 0.01
timeout = 5.0
"""
FEAST = re.compile(rb"feast (\d+)\?")


def indiscreet(heard: Heard) -> Say:
    """Says the key back in each kind of error, and now and then a true answer."""
    found = FEAST.search(heard.body)
    status = {1: 400, 2: 422, 3: 429, 4: 500, 5: 503, 6: 418}.get(int(found[1]) % 8 if found else 0, 200)
    if status == 200:
        return Say(completion("True"))
    return Say(f'{{"error": {{"message": "Bad: {heard.headers.get("Authorization")}"}}}}'.encode(), status)


def found_in(folder: Path) -> list[str]:
    return [str(path) for path, data in everything(folder) if SECRET.encode() in data or SECRET[3:20].encode() in data]


def run(tmp_path: Path, cultural: Path, answer: Answer) -> Done:
    with listening(answer) as listener:
        (tmp_path / "STUDY.toml").write_text(STUDY.format(data=cultural, url=listener.url))
        done = mores("run", "STUDY.toml", "--out", "run", "--json", cwd=tmp_path, OPENAI_API_KEY=SECRET)
        assert not listener.heard or any(SECRET in str(heard.headers) for heard in listener.heard)
    return done


def test_a_key_is_sent_and_left_nowhere(tmp_path: Path, cultural: Path) -> None:
    done = run(tmp_path, cultural, indiscreet)
    assert done.returncode == 0, done.stderr
    assert len(list(everything(tmp_path / "run"))) >= 6
    assert b"Bad: " in (tmp_path / "run" / "verdicts.jsonl").read_bytes()
    assert found_in(tmp_path) == []
    assert SECRET not in done.stdout + done.stderr


def test_a_key_is_not_in_what_a_killed_run_leaves(tmp_path: Path, cultural: Path) -> None:
    with listening(indiscreet) as listener:
        (tmp_path / "STUDY.toml").write_text(STUDY.format(data=cultural, url=listener.url))
        process = begin("run", "STUDY.toml", "--out", "run", cwd=tmp_path, OPENAI_API_KEY=SECRET)
        until(lambda: len(listener.heard) > 60 or process.poll() is not None)
        process.kill()
        printed = "".join(process.communicate())
    assert {path.name for path, _ in everything(tmp_path / "run")} >= {"journal.sqlite", "manifest.json"}
    assert found_in(tmp_path) == []
    assert SECRET not in printed


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_key_that_is_refused_is_not_printed(tmp_path: Path, cultural: Path, status: int) -> None:
    done = run(tmp_path, cultural, lambda heard: Say(str(heard.headers).encode(), status))
    assert done.returncode == 2
    assert found_in(tmp_path) == []
    assert SECRET not in done.stdout + done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_key_that_the_model_says_back_is_not_kept(tmp_path: Path, cultural: Path) -> None:
    done = run(tmp_path, cultural, lambda heard: Say(completion(f"You sent {heard.headers['Authorization']}")))
    assert done.returncode == 0
    assert found_in(tmp_path) == []


@pytest.mark.parametrize("place", ["--base-url", "STUDY.toml"])
def test_a_secret_in_an_address_is_refused_and_left_nowhere(tmp_path: Path, cultural: Path, place: str) -> None:
    address = f"http://me:{SECRET}@127.0.0.1:9/v1"
    words = ["--base-url", address]
    (tmp_path / "study").mkdir()
    if place == "STUDY.toml":
        words = []
        (tmp_path / "study" / "STUDY.toml").write_text(STUDY.format(data=cultural, url=address))
    benchmark = ["study/STUDY.toml"] if place == "STUDY.toml" else ["culturalbench/hard", "--model", "vllm/test"]
    more = [] if place == "STUDY.toml" else ["--data", cultural]
    done = mores("run", *benchmark, *more, *words, "--out", "run", cwd=tmp_path, OPENAI_API_KEY="k")
    assert done.returncode == 2
    assert SECRET not in done.stdout + done.stderr
    assert not (tmp_path / "run").exists() or found_in(tmp_path / "run") == []


def test_a_proxys_password_is_not_printed(tmp_path: Path, cultural: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    words = ["--data", cultural, "--base-url", "http://models.example.org/v1", "--out", "run"]
    proxy = f"http://me:{SECRET}@127.0.0.1:{port}"
    done = mores("run", "culturalbench/easy", "--model", "vllm/test", *words, cwd=tmp_path, HTTP_PROXY=proxy)
    assert done.returncode == 1
    assert SECRET not in done.stdout + done.stderr
    assert found_in(tmp_path) == []
