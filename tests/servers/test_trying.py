"""What is said of servers that were tried: what did not run did not pass, and what failed is told with its reason."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.servers import serving
from benchmarks.servers.__main__ import tried
from benchmarks.servers.plays import Outcome
from benchmarks.servers.prefixes import Cached
from benchmarks.servers.report import Record, section, summary
from benchmarks.servers.serving import SERVERS
from benchmarks.servers.strains import Borne
from benchmarks.servers.throughput import Throughput

LLAMA, VLLM, *_ = SERVERS
FINE = Outcome(play="closed", benchmark="ladder/know", calls=9, failed_attempts={}, ungraded={})


def test_a_server_that_cannot_be_installed_is_told_as_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "ENVIRONMENTS", tmp_path)
    monkeypatch.setattr(serving, "ROOT", tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    kept = tried(replace(LLAMA, packages=("mores-has-no-such-package==1.0",)))
    assert kept.not_run.startswith("not installed: ERROR: No matching distribution")
    assert summary([kept]) == [f"llama.cpp's server: not run: {kept.not_run}"]
    assert section(kept) == f"**Not run**: {kept.not_run}"


def test_a_play_that_failed_is_told_with_its_reason() -> None:
    broken = replace(FINE, play="day", fault="18 ungraded: http 500")
    kept = Record(server=LLAMA, outcomes=[FINE, broken])
    assert kept.faults() == ["llama.cpp's server: day: 18 ungraded: http 500"]
    assert summary([kept]) == ["llama.cpp's server: 1 of 2 plays passed"]


def test_too_few_cached_tokens_too_slow_a_run_and_a_strange_end_do_not_pass() -> None:
    kept = Record(
        server=VLLM,
        strains=[Borne("no words at all", "http 418", (), "no words at all: http 418")],
        cached=[Cached("day", 1000, 799), Cached("dialogue", 1000, 500)],
        throughput=Throughput(540, (9.0, 1.2, 1.3), (1.1, 1.0, 9.0)),
    )
    assert kept.faults() == [
        "vLLM on a CPU: no words at all: http 418",
        "vLLM on a CPU: day: 79.9% of its tokens were cached, expected at least 80%",
        "vLLM on a CPU: a run takes 1.20 times as long as a bare client, at most 1.10",
    ]
