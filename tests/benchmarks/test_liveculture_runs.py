"""Runs of days: the same bytes at any concurrency, after kills, and when the same verifier judges again."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from mores.core.transcript import ActionEvent, DayEndEvent, ReplyEvent, SpeechEvent, read_event
from mores.models.journal_reader import read_entries
from mores.runs.spec import Spec
from tests.benchmarks.plays import TINY
from tests.endpoint import Endpoint, running
from tests.runs.conduct import begin, hold, kill_after, left, manifest, mores, until

DATA = TINY / "liveculture"
ROLES = {"supporter": "vllm/test", "judge": "vllm/test"}
SETTINGS = {"steps": "6", "nearby": "3", "utterances": "3"}
STEP_TASK = '{"deed": "do", "action": "visit a neighbour", "to": [], "how": "in passing"}'
SAY = '{"say": "Good morning.", "leave": false}'


@pytest.fixture(scope="module")
def town() -> Iterator[Endpoint]:
    """Minds that visit neighbours and speak, and a verifier that obeys its schema by a hash of the words."""
    with running() as endpoint:
        endpoint.answers({"What do you do?": STEP_TASK, "What do you say?": SAY})
        yield endpoint


def spec(endpoint: Endpoint, **changes: object) -> Spec:
    found = {
        "benchmarks": ("liveculture/town",), "models": ("vllm/test",), "roles": ROLES, "data": str(DATA),
        "base_url": endpoint.url, "limit": 4, "settings": SETTINGS, **changes,
    }  # fmt: skip
    return Spec(**found)  # type: ignore[arg-type]


def events_of(run: Path) -> list[object]:
    lines = (run / "transcripts.jsonl").read_bytes().splitlines()
    return [read_event(event) for line in lines for event in json.loads(line)["events"]]


def test_a_real_endpoint_lives_days_with_talk_and_all_of_them_end(town: Endpoint, tmp_path: Path) -> None:
    assert hold(tmp_path / "run", spec(town))
    events = events_of(tmp_path / "run")
    assert sum(isinstance(event, DayEndEvent) for event in events) == 4
    assert any(isinstance(event, SpeechEvent) for event in events)
    assert not any(isinstance(event, ActionEvent) and event.refused.startswith("unreadable") for event in events)
    assert not any(isinstance(event, ReplyEvent) for event in events)


def test_the_same_replies_give_the_same_bytes_at_any_concurrency(town: Endpoint, tmp_path: Path) -> None:
    for concurrency in (1, 3, 64):
        assert hold(tmp_path / str(concurrency), spec(town), concurrency=concurrency)
    assert left(tmp_path / "1") == left(tmp_path / "3") == left(tmp_path / "64")


def words(endpoint: Endpoint, out: Path) -> list[object]:
    settings = [word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}")]
    return ["run", "liveculture/town", "--model", "vllm/test", "--role", "supporter=vllm/test", "--judge", "vllm/test",
            "--base-url", endpoint.url, "--data", DATA, "--limit", 4, "--concurrency", 8, "--out", out,
            *settings]  # fmt: skip


def killed_and_resumed(town: Endpoint, tmp_path: Path, moments: list[float]) -> None:
    """Kill at these shares of the calls, each time going on where the last one ended; then end, and compare."""
    run, calm = tmp_path / "killed", tmp_path / "calm"
    assert hold(calm, spec(town))
    calls = sum(1 for _ in read_entries(calm / "journal.sqlite"))
    town.set(latency_ms=4)
    for moment in moments:
        town.reset()
        kill_after(begin(*words(town, run), cwd=tmp_path), town, 1 + int(moment * calls))
        until(lambda: town.counts().in_flight == 0)
        assert max(town.answered().values(), default=1) == 1
    town.set(latency_ms=0)
    town.reset()
    done = mores(*words(town, run), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert town.counts().requests <= calls + 1
    assert left(run) == left(calm)
    assert manifest(run)["state"] == "finished"


def test_three_kills_change_nothing(town: Endpoint, tmp_path: Path) -> None:
    rng = random.Random(5)
    killed_and_resumed(town, tmp_path, [0.0, *(rng.uniform(0.05, 0.5) for _ in range(2))])


@pytest.mark.soak
@pytest.mark.parametrize("number", range(20))
def test_twenty_kills_change_nothing(town: Endpoint, tmp_path: Path, number: int) -> None:
    rng = random.Random(number)
    moments = [rng.random() * 0.6 for _ in range(rng.randint(1, 3))]
    killed_and_resumed(town, tmp_path, moments)


def test_the_same_verifier_judges_again_without_a_call_and_says_the_same(town: Endpoint, tmp_path: Path) -> None:
    run, again = tmp_path / "run", tmp_path / "again"
    assert hold(run, spec(town))
    town.reset()
    assert hold(again, spec(town, judged=str(run)))
    assert town.counts().requests <= 1  # the probe
    assert (again / "verdicts.jsonl").read_bytes() == (run / "verdicts.jsonl").read_bytes()


def test_another_verifier_is_asked_about_the_stored_days_and_nobody_else_is(town: Endpoint, tmp_path: Path) -> None:
    run, again = tmp_path / "run", tmp_path / "again"
    assert hold(run, spec(town))
    assert hold(again, spec(town, judged=str(run), roles={**ROLES, "judge": "vllm/other"}))
    asked = [entry.tag.role for entry in read_entries(again / "journal.sqlite")]
    assert asked
    assert set(asked) == {"judge"}
    stored = [entry.tag.role for entry in read_entries(run / "journal.sqlite")]
    assert len(asked) == stored.count("judge")
    assert (again / "transcripts.jsonl").read_bytes() == (run / "transcripts.jsonl").read_bytes()


def test_the_beginnings_of_what_is_asked_are_shared(town: Endpoint, tmp_path: Path) -> None:
    """Four in five characters stand at the beginning of an earlier call of the same day too."""
    assert hold(tmp_path / "run", spec(town, settings={**SETTINGS, "steps": "30"}, limit=1))
    entries = list(read_entries(tmp_path / "run" / "journal.sqlite"))
    shared, whole = shared_prefix([(e.tag.role, "\x1e".join(m.content for m in e.messages)) for e in entries])
    assert shared / whole >= 0.8


def shared_prefix(asked: list[tuple[str, str]]) -> tuple[int, int]:
    """Characters that stand at the beginning of an earlier call of the same role, and all of them."""
    shared = whole = 0
    earlier: dict[str, list[str]] = {}
    for role, words_ in asked:
        shared += max((_common(words_, other) for other in earlier.get(role, ())), default=0)
        whole += len(words_)
        earlier.setdefault(role, []).append(words_)
    return shared, whole


def _common(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
