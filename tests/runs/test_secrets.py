"""A key in the environment is found nowhere in what a run leaves or prints."""

import json
import re
import socket
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.models.redaction import Redaction
from mores.models.request import Reply
from mores.runs.spec import Spec
from tests.models.listener import Answer, Heard, Say, completion, listening
from tests.runs.conduct import Done, Typed, begin, everything, hold, manifest, mores, until

SECRET = "sk-Zq7vLw0pXx93-key-of-nobody"
STUDY = """
benchmarks = ["culturalbench/hard"]
models = ["openai/test"]
data = "{data}"
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
        (tmp_path / "STUDY.toml").write_text(STUDY.format(data=cultural))
        words = ("run", "STUDY.toml", "--base-url", listener.url, "--out", "run", "--json")
        done = mores(*words, cwd=tmp_path, OPENAI_API_KEY=SECRET)
        assert not listener.heard or any(SECRET in str(heard.headers) for heard in listener.heard)
    return done


def test_a_key_is_sent_and_left_nowhere(tmp_path: Path, cultural: Path) -> None:
    done = run(tmp_path, cultural, indiscreet)
    assert done.returncode == 1, done.stderr  # less than half could be graded
    assert len(list(everything(tmp_path / "run"))) >= 6
    assert b"Bad: " in (tmp_path / "run" / "verdicts.jsonl").read_bytes()
    assert found_in(tmp_path) == []
    assert SECRET not in done.stdout + done.stderr


def test_a_key_is_not_in_what_a_killed_run_leaves(tmp_path: Path, cultural: Path) -> None:
    with listening(indiscreet) as listener:
        (tmp_path / "STUDY.toml").write_text(STUDY.format(data=cultural))
        words = ("run", "STUDY.toml", "--base-url", listener.url, "--out", "run")
        process = begin(*words, cwd=tmp_path, OPENAI_API_KEY=SECRET)
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


HIDING = (
    f"http://me:{SECRET}@127.0.0.1:9/v1",
    f"http://{SECRET}@127.0.0.1:9/v1",
    f"http://127.0.0.1:9/v1?api_key={SECRET}",
    f"http://127.0.0.1:9/v1#{SECRET}",
    f"http://127.0.0.1:9/v1;key={SECRET}",
    f"http://127.0.0.1:9/v1%3Fkey%3D{SECRET}",
    f"http://me:{SECRET}/x@127.0.0.1:9/v1",
    f"http://me:{SECRET}",
    f"//me:{SECRET}@127.0.0.1",
    f"me:{SECRET}@127.0.0.1:9/v1",
    f"ftp://127.0.0.1/{SECRET}",
    f"http://127.0.0.1:9/v1 {SECRET}",
    f"http://[{SECRET}",
)


DOORS = (
    ["run", "culturalbench/easy", "--model", "vllm/test", "--base-url", "{}"],
    ["run", "culturalbench/easy", "--model", "baseline/first", "--base-url", "{}"],
    ["run", "culturalbench/easy", "--model", "vllm/test", "--base-url", "judge={}"],
    ["run", "culturalbench/easy", "--base-url", "http://localhost:1/v1", "--base-url", "{}"],
    ["judge", "run", "--judge", "vllm/test", "--base-url", "{}"],
    ["judge", "attack", "vllm/test", "--base-url", "{}"],
    ["run", "study.toml"], ["run", "roles.toml"], ["run", "listed.toml"], ["run", "{}"], ["run", "--model", "{}"],
)  # fmt: skip
PLACED = [*((door, HIDING[0]) for door in DOORS), *((DOORS[0], each) for each in HIDING[1:])]


@pytest.mark.parametrize(("words", "address"), PLACED)
def test_a_secret_in_an_address_is_refused_and_left_nowhere(
    tmp_path: Path, typed: Typed, words: list[str], address: str
) -> None:
    if words[0] == "judge":
        (tmp_path / "run").mkdir()
        told = {"format": 1, "kind": "cell", "spec": {"benchmarks": ["ladder/judge"]}, "benchmark": "ladder/judge"}
        (tmp_path / "run" / "manifest.json").write_text(json.dumps({**told, "model": "simulated/typical"}))
    if words[-1].endswith(".toml"):
        study = {"study": f"base_url = '{address}'", "roles": f"[role_urls]\njudge = '{address}'"}
        (tmp_path / words[-1]).write_text(study.get(words[-1][:5], f"base_url = ['{address}']"))
    done = typed(*[word.format(address) for word in words], "--out", "new") if words[0] == "run" else typed(
        *[word.format(address) for word in words])  # fmt: skip
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    hidden = words[-1] != "{}" or words[-2] == "--base-url" or ("//" in address and ("@" in address or "?" in address))
    assert not hidden or SECRET not in done.stdout + done.stderr
    (tmp_path / words[-1]).unlink(missing_ok=True)
    assert found_in(tmp_path) == []
    assert not (tmp_path / "new").exists()


def spelled(key: str) -> dict[str, str]:
    """Ways to say a key back that whoever reads it can undo."""
    return {
        "plain": key,
        "json": "".join(f"\\u{ord(c):04x}" for c in key),
        "json once": f"\\u00{ord(key[0]):02X}{key[1:]}",
        "json twice": "".join(f"\\\\u{ord(c):04x}" for c in key),
        "slashed": "\\/".join(key.split("/")) if "/" in key else key,
        "url": "".join(f"%{ord(c):02X}" for c in key),
        "url once": key.replace("-", "%2d", 1),
        "html": "".join(f"&#{ord(c)};" for c in key),
        "html hex": "".join(f"&#x{ord(c):x};" for c in key),
        "bytes": "".join(f"\\x{ord(c):02x}" for c in key),
        "base64": b64encode(key.encode()).decode(),
        "base64 of the header": b64encode(f"Bearer {key}".encode()).decode(),
        "base64 of a pair": b64encode(f"user:{key}\n".encode()).decode(),
        "base64 for addresses": urlsafe_b64encode(f"a{key}".encode()).decode(),
        "hex": key.encode().hex(),
    }


KEYS = (SECRET, "sk/Zq7+vLw0=pX.x93~?!", 16 * "0123456789")


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("way", spelled(SECRET))
def test_a_key_said_back_in_another_spelling_is_taken_out(key: str, way: str) -> None:
    said = f"before {spelled(key)[way]} after"
    left = Redaction(key).words(said)
    assert left.startswith("before ")
    assert left.endswith(" after")
    assert "***" in left
    assert not [each for each in spelled(key).values() if each in left]


@given(st.text(), st.sampled_from(["token", "EMPTY", "none", "prompt", "a", ""]))
def test_a_short_key_takes_nothing_out(said: str, key: str) -> None:
    reply = Reply(text=said + key, reasoning=key, model=key, logprobs=((key, -0.1),))
    assert Redaction(key).words(said + key) == said + key
    assert Redaction(key).reply(reply) == reply


@given(st.text())
def test_words_without_the_key_are_left_as_they_are(said: str) -> None:
    assert Redaction(SECRET).words(said) == said


def test_a_key_in_a_replys_every_field_is_taken_out() -> None:
    halves = ((SECRET[:9], -0.1), (SECRET[9:], -0.2))
    said = Reply(text=SECRET, reasoning=SECRET, finish=SECRET, model=SECRET, logprobs=halves)
    left = Redaction(SECRET).reply(said)
    assert (left.text, left.reasoning, left.finish, left.model, left.logprobs) == (*4 * ("***",), None)


def held(tmp_path: Path, cultural: Path, answer: Answer, key: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with listening(answer) as listener:
        spec = Spec(benchmarks=("culturalbench/easy",), models=("openai/t",), base_url=listener.url, data=str(cultural))
        assert hold(tmp_path / "run", spec)
    return tmp_path / "run"


def test_a_key_escaped_in_a_body_is_left_nowhere(
    tmp_path: Path, cultural: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The body's own escapes are undone before a reply is kept, those of an error stand in its words."""
    escaped = "".join(f"\\u{ord(c):04x}" for c in SECRET).encode()

    def answer(heard: Heard) -> Say:
        found = FEAST.search(heard.body)
        good = not found or int(found[1]) % 2
        return Say(completion("KEY").replace(b"KEY", b"You sent " + escaped)) if good else Say(escaped, 400)

    run = held(tmp_path, cultural, answer, SECRET, monkeypatch)
    assert found_in(tmp_path) == []
    assert b"You sent ***" in (run / "transcripts.jsonl").read_bytes()
    assert not [path for path, data in everything(run) if escaped in data or escaped[2:20] in data]


def test_a_dummy_key_leaves_bodies_as_they_are(tmp_path: Path, cultural: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = held(tmp_path, cultural, lambda _: Say(completion("True, by token of custom")), "token", monkeypatch)
    assert b"True, by token of custom" in (run / "transcripts.jsonl").read_bytes()
    assert manifest(run)["models"]["openai/t"]["usage_estimated_calls"] == 0


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
