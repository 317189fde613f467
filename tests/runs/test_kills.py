"""Killed at any moment and resumed, a run gives what it would have given, and asks nothing journalled again."""

import random
import sqlite3
import subprocess
from contextlib import closing, suppress
from pathlib import Path

import pytest

from mores.models.journal import ENOUGH
from mores.runs.spec import Spec
from tests.conftest import write_cultural
from tests.endpoint import Endpoint
from tests.runs.conduct import begin, cold, hold, kill_after, left, manifest, mores, until

ITEMS, AT_ONCE = 600, 16
LOST = 2 * AT_ONCE + ENOUGH
"""Answers that a kill can take: those of all slots and of the probe; and, as who waits for company to be committed with
has given its slot to the next call, one fewer than are company enough, and those of all slots that came with the last.
"""


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """150 questions: 600 statements."""
    folder = tmp_path_factory.mktemp("many")
    write_cultural(folder, ITEMS // 4)
    return folder


def words(many: Path, endpoint: Endpoint, out: Path, *more: object) -> list[object]:
    return ["run", "culturalbench/hard", "--model", "vllm/test", "--base-url", endpoint.url, "--data", many,
            "--concurrency", AT_ONCE, "--out", out, *more]  # fmt: skip


def journalled(run: Path) -> int:
    """Replies in a run's journal."""
    path = run / "journal.sqlite"
    if not path.is_file() or not path.stat().st_size:
        return 0
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE name = 'replies'")]
        return int(connection.execute("SELECT count(*) FROM replies").fetchone()[0]) if tables else 0


def killed_and_resumed(many: Path, endpoint: Endpoint, tmp_path: Path, moments: list[float]) -> None:
    """Kill at these shares of the work, resume to the end, and compare with an undisturbed run."""
    run, calm = tmp_path / "killed", tmp_path / "calm"
    assert hold(calm, Spec(benchmarks=("culturalbench/hard",), models=("vllm/test",), data=str(many),
                           base_url=endpoint.url))  # fmt: skip
    endpoint.set(latency_ms=8)
    for moment in moments:
        had = journalled(run)
        endpoint.reset()
        process = begin(*words(many, endpoint, run), cwd=tmp_path)
        kill_after(process, endpoint, had + 1 + int(moment * (ITEMS - had)) - had)
        until(lambda: endpoint.counts().in_flight == 0)
        answered, has = endpoint.answered(), journalled(run)
        assert max(answered.values(), default=1) == 1
        assert 0 <= sum(answered.values()) - (has - had) <= LOST
    had = journalled(run)
    assert 0 < had <= ITEMS
    endpoint.reset()
    done = mores(*words(many, endpoint, run), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    if had < ITEMS:
        assert endpoint.counts().requests == ITEMS - had + 1
    assert left(run) == left(calm)
    assert manifest(run)["state"] == "finished"


def test_four_kills_change_nothing(many: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    rng = random.Random(4)
    killed_and_resumed(many, endpoint, tmp_path, [0.0, *(rng.uniform(0.05, 0.6) for _ in range(3))])


@pytest.mark.soak
@pytest.mark.parametrize("number", range(50))
def test_fifty_kills_change_nothing(many: Path, endpoint: Endpoint, tmp_path: Path, number: int) -> None:
    rng = random.Random(number)
    killed_and_resumed(many, endpoint, tmp_path, [rng.random() for _ in range(rng.randint(1, 3))])


@pytest.mark.parametrize("seconds", [0.2, 0.45])
def test_a_kill_while_it_starts_leaves_a_folder_that_can_be_run(tmp_path: Path, cultural: Path, seconds: float) -> None:
    spec = ["run", "culturalbench/easy", "--data", cultural, "--out", tmp_path / "run"]
    process = cold(*spec, cwd=tmp_path)
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=seconds)
    process.kill()
    process.communicate()
    done = mores(*spec, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_kill_while_the_first_manifest_is_written_leaves_a_folder_that_can_be_run(
    tmp_path: Path, cultural: Path
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / ".lock").touch()
    (run / ".manifest.json.part").write_bytes(b'{"format')
    done = mores("run", "culturalbench/easy", "--data", cultural, "--out", run, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [".transcripts.jsonl.part", ".verdicts.jsonl.part", ".estimates.json.part"])
def test_parts_that_a_kill_left_are_written_anew(tmp_path: Path, cultural: Path, name: str) -> None:
    spec = Spec(benchmarks=("culturalbench/easy",), data=str(cultural))
    assert hold(tmp_path / "calm", spec)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / name).write_bytes(b"half a line" * 10_000)
    assert hold(tmp_path / "run", spec)
    assert left(tmp_path / "run") == left(tmp_path / "calm")
