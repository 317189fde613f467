"""A key and a header leave for whom they are meant: told by servers that write down what they are sent."""

import json
from pathlib import Path

import pytest

from tests.models.listener import Heard, Listener, Say, completion, listening
from tests.runs.conduct import Done, Typed, everything, manifest

KEY = "sk-Zq7vLw0pXx93-key-of-nobody"
GATE = "gw-5fT0aB8dK2-key-of-a-gateway"


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("GATEWAY_KEY", GATE)
    monkeypatch.delenv("MORES_API_KEY", raising=False)


def study(folder: Path, cultural: Path, more: str = "", end: str = "") -> Path:
    text = f"""
benchmarks = ["culturalbench/easy"]
models = ["openai/gpt-5"]
limit = 2
data = "{cultural}"
{more}
[conditions]
attempts = 1
{end}
"""
    path = folder / "STUDY.toml"
    path.write_text(text)
    return path


def heard_of(listener: Listener) -> str:
    return str([heard.headers for heard in listener.heard])


def refused(done: Done, listener: Listener) -> str:
    """The one line that refuses; nothing reached the listener."""
    assert done.returncode == 2, done.stderr
    assert listener.heard == []
    assert KEY not in done.stdout + done.stderr
    assert GATE not in done.stdout + done.stderr
    (line,) = done.stderr.splitlines()
    return line


def nowhere(folder: Path, *secrets: str) -> bool:
    return not [path for path, data in everything(folder) for secret in secrets if secret.encode() in data]


def made_by_somebody(typed: Typed, cultural: Path, url: str) -> None:
    """A run of somebody else's, which names an address of theirs; it was cut short by a budget."""
    words = ("--data", cultural, "--limit", 4, "--base-url", url, "--max-calls", 3, "--out", "theirs")
    assert typed("run", "culturalbench/easy", "-m", "openai/gpt-5", *words).returncode == 1


def test_a_key_goes_to_no_address_that_stands_in_a_study(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    with listening() as listener:
        study(tmp_path, cultural, f'base_url = "{listener.url}"')
        line = refused(typed("run", "STUDY.toml", "--out", "run"), listener)
        assert f"the key in OPENAI_API_KEY would go to {listener.url.split('/')[2]}, which a file names" in line
        assert f"add --base-url {listener.url}" in line
        assert not (tmp_path / "run").exists()
        typed("run", "STUDY.toml", "--base-url", listener.url, "--out", "run")
        assert f"Bearer {KEY}" in heard_of(listener)


def test_a_key_goes_to_no_judge_whose_address_stands_in_a_study(tmp_path: Path, typed: Typed) -> None:
    with listening() as listener:
        roles = f'[roles]\njudge = "openai/gpt-5"\n[role_urls]\njudge = "{listener.url}"'
        (tmp_path / "STUDY.toml").write_text(f'benchmarks = ["ladder/explain"]\nlimit = 2\n{roles}')
        line = refused(typed("run", "STUDY.toml", "--out", "run"), listener)
        assert f"add --base-url judge={listener.url}" in line


def test_a_key_of_ones_own_goes_where_a_study_says(
    tmp_path: Path, cultural: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MORES_API_KEY", "own-0123456789-key")
    with listening() as listener:
        study(tmp_path, cultural, f'base_url = "{listener.url}"')
        typed("run", "STUDY.toml", "--out", "run")
        assert "Bearer own-0123456789-key" in heard_of(listener)
        assert KEY not in heard_of(listener)


def test_a_key_goes_to_no_address_of_a_run_that_somebody_else_made(
    tmp_path: Path, cultural: Path, typed: Typed
) -> None:
    with listening() as listener:
        made_by_somebody(typed, cultural, listener.url)
        listener.heard.clear()
        for words in (["resume", "theirs"], ["run", "theirs/manifest.json", "--out", "again"]):
            assert "the key in OPENAI_API_KEY would go to" in refused(typed(*words), listener)
        assert typed("resume", "theirs", "--base-url", listener.url).returncode == 0
        assert f"Bearer {KEY}" in heard_of(listener)


def test_a_key_goes_to_no_address_of_a_run_that_is_judged_again(tmp_path: Path, typed: Typed) -> None:
    with listening() as listener:
        words = ("--judge", "vllm/m", "--base-url", listener.url, "--limit", 2, "--out", "theirs")
        assert typed("run", "ladder/explain", "-m", "simulated/typical", *words).returncode in {0, 1}
        listener.heard.clear()
        line = refused(typed("judge", "theirs", "--judge", "openai/gpt-5", "--out", "mine"), listener)
        assert "the key in OPENAI_API_KEY would go to" in line


def test_a_run_goes_on_at_its_own_address_alone(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    with listening() as listener:
        made_by_somebody(typed, cultural, listener.url)
        listener.heard.clear()
        line = refused(typed("resume", "theirs", "--base-url", "http://127.0.0.2:9/v1"), listener)
        assert f"was asked at {listener.url}; expected that address" in line


def test_a_key_does_not_follow_to_where_an_endpoint_points(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    with listening() as other:
        with listening(lambda _: Say(b"", 307, f"{other.url}/chat/completions")) as listener:
            words = ("--data", cultural, "--base-url", listener.url, "--header", "x-key=$GATEWAY_KEY")
            assert typed("run", "culturalbench/easy", "-m", "openai/gpt-5", *words).returncode == 2
            assert KEY in heard_of(listener)
            assert GATE in heard_of(listener)
        assert other.heard == []


def test_a_dry_run_says_where_calls_would_go(tmp_path: Path, typed: Typed) -> None:
    words = ("ladder/explain", "-m", "vllm/m", "--judge", "openai/gpt-5", "--limit", 2, "--dry")
    addresses = ("--base-url", "judge=https://gate.example.org/v1")
    done = typed("run", *words, *addresses)
    assert "Calls to the subject would go to http://localhost:8000/v1." in done.stdout
    assert "Calls to the judge would go to https://gate.example.org/v1." in done.stdout
    (cell,) = json.loads(typed("run", *words, *addresses, "--json").stdout)["cells"]
    assert cell["addresses"] == {"subject": "http://localhost:8000/v1", "judge": "https://gate.example.org/v1"}


def test_a_header_is_sent_with_each_call_and_left_nowhere(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    literal = "lit-9xY2-typed-in-full"

    def indiscreet(heard: Heard) -> Say:
        return Say(completion(f"A. You sent {heard.headers['x-gate']} and {heard.headers['x-other']}"))

    with listening(indiscreet) as listener:
        words = ("--data", cultural, "--base-url", listener.url, "--limit", 2, "--out", "run")
        headers = ("--header", "x-gate=Bearer $GATEWAY_KEY", "--header", f"x-other={literal}")
        done = typed("run", "culturalbench/easy", "-m", "vllm/m", *words, *headers)
        assert done.returncode == 0, done.stderr
        assert {heard.headers["x-gate"] for heard in listener.heard} == {f"Bearer {GATE}"}
        assert {heard.headers["x-other"] for heard in listener.heard} == {literal}
    assert nowhere(tmp_path, GATE, literal)
    assert GATE not in done.stdout + done.stderr
    assert manifest(tmp_path / "run")["conditions"]["headers"] == {"x-gate": "Bearer $GATEWAY_KEY", "x-other": "***"}
    assert b"You sent ***" in (tmp_path / "run" / "transcripts.jsonl").read_bytes()


@pytest.mark.parametrize("status", [400, 401, 404, 429])
def test_a_header_that_an_error_says_back_is_not_printed(
    tmp_path: Path, cultural: Path, typed: Typed, status: int
) -> None:
    with listening(lambda heard: Say(str(heard.headers).encode(), status)) as listener:
        study(tmp_path, cultural)
        words = ("--base-url", listener.url, "--header", "api-key=$GATEWAY_KEY", "--out", "run")
        done = typed("run", "STUDY.toml", *words)
        assert GATE in heard_of(listener)
    assert done.returncode in {1, 2}
    assert GATE not in done.stdout + done.stderr
    assert nowhere(tmp_path, GATE, KEY)


def test_a_header_that_is_the_key_replaces_it(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    with listening() as listener:
        words = (
            "--data",
            cultural,
            "--base-url",
            f"{listener.url}?api-version=2024-10-21",
            "--limit",
            2,
            "--out",
            "run",
        )
        done = typed("run", "culturalbench/easy", "-m", "openai/m", *words, "--header", "api-key=$GATEWAY_KEY")
        assert done.returncode == 0, done.stderr
        assert all("Authorization" not in heard.headers for heard in listener.heard)
        assert {heard.headers["api-key"] for heard in listener.heard} == {GATE}
        assert {heard.target for heard in listener.heard} == {"/v1/chat/completions?api-version=2024-10-21"}


def test_a_study_has_headers_whose_variables_go_where_was_typed(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    with listening() as listener:
        path = study(tmp_path, cultural, f'base_url = "{listener.url}"', 'headers = { api-key = "$GATEWAY_KEY" }')
        line = refused(typed("run", "STUDY.toml", "--out", "run"), listener)
        assert "the header api-key would go to" in line
        assert typed("run", "STUDY.toml", "--base-url", listener.url, "--out", "run").returncode == 0
        assert {heard.headers["api-key"] for heard in listener.heard} == {GATE}
        path.write_text(path.read_text().replace("$GATEWAY_KEY", "of-the-study"))
        listener.heard.clear()
        assert typed("run", "STUDY.toml", "--out", "other").returncode == 0
        assert {heard.headers["api-key"] for heard in listener.heard} == {"of-the-study"}


def test_a_run_that_goes_on_wants_its_header_again(tmp_path: Path, cultural: Path, typed: Typed) -> None:
    with listening() as listener:
        words = ("--data", cultural, "--limit", 4, "--base-url", listener.url, "--max-calls", 3, "--out", "run")
        header = ("--header", "api-key=typed-in-full-0123")
        assert typed("run", "culturalbench/easy", "-m", "vllm/m", *words, *header).returncode == 1
        listener.heard.clear()
        line = refused(typed("resume", "run"), listener)
        assert (
            "asked with the header api-key, whose value no run keeps; type it again: --header api-key='$VARIABLE'"
            in line
        )
        assert typed("resume", "run", "--base-url", listener.url, *header).returncode == 0
        assert {heard.headers["api-key"] for heard in listener.heard} == {"typed-in-full-0123"}
    assert nowhere(tmp_path, "typed-in-full-0123")


def test_a_judge_at_the_same_gateway_wants_the_header_again(tmp_path: Path, typed: Typed) -> None:
    with listening() as listener:
        words = ("--judge", "vllm/m", "--base-url", listener.url, "--limit", 2, "--out", "run")
        typed("run", "ladder/explain", "-m", "simulated/typical", *words, "--header", "api-key=$GATEWAY_KEY")
        listener.heard.clear()
        line = refused(typed("judge", "run", "--judge", "vllm/other", "--out", "mine"), listener)
        assert "type it again: --header api-key=" in line
        again = ("--base-url", listener.url, "--header", "api-key=$GATEWAY_KEY")
        typed("judge", "run", "--judge", "vllm/other", *again, "--out", "mine")
        assert {heard.headers["api-key"] for heard in listener.heard} == {GATE}


def test_a_header_of_all_is_refused_where_calls_go_to_several_hosts(tmp_path: Path, typed: Typed) -> None:
    with listening() as one, listening() as other:
        urls = ("--base-url", one.url, "--base-url", f"judge={other.url}")
        words = ("ladder/explain", "-m", "vllm/m", "--judge", "vllm/judge", *urls, "--limit", 2, "--out", "run")
        line = refused(typed("run", *words, "--header", "x-key=$GATEWAY_KEY"), one)
        assert "say whose it is, such as --header subject:x-key='$VARIABLE'" in line
        typed("run", *words, "--header", "subject:x-key=$GATEWAY_KEY")
        assert GATE in heard_of(one)
        assert other.heard
        assert GATE not in heard_of(other)


@pytest.mark.parametrize("tail", ["/chat/completions", "/completions/", "/responses", "/"])
def test_an_address_is_taken_as_people_copy_it(tmp_path: Path, cultural: Path, typed: Typed, tail: str) -> None:
    with listening() as listener:
        words = ("--data", cultural, "--limit", 2, "--base-url", f"{listener.url}{tail}", "--out", "run")
        assert typed("run", "culturalbench/easy", "-m", "vllm/m", *words).returncode == 0
        assert {heard.target for heard in listener.heard} == {"/v1/chat/completions"}


def test_a_bare_host_that_has_no_such_path_brings_the_one_that_may_be_meant(
    tmp_path: Path, cultural: Path, typed: Typed
) -> None:
    def strict(heard: Heard) -> Say:
        return Say(completion("A")) if heard.target.startswith("/v1/") else Say(b'{"detail":"Not Found"}', 404)

    with listening(strict) as listener:
        bare = listener.url.removesuffix("/v1")
        words = ("--data", cultural, "--limit", 2, "--base-url", bare, "--out", "run")
        done = typed("run", "culturalbench/easy", "-m", "vllm/m", *words)
    assert done.returncode == 2
    assert f"; did you mean {bare}/v1." in done.stderr
