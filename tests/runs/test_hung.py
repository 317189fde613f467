"""Nobody answers, or never to the end: one Ctrl-C is enough, and what is wrong is told soon."""

import asyncio
import resource
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from mores.api import conductor
from mores.cli import progress
from mores.core.errors import RunError
from mores.models import openai
from mores.models.http import HttpClient
from mores.models.journal_reader import read_entries
from mores.runs.run_study import run_study
from mores.runs.study import Study
from tests.endpoint import Endpoint
from tests.runs.conduct import Typed, begin, hold, mores, until
from tests.runs.test_faults import spec_of


def words(cultural: Path, url: str) -> list[object]:
    return ["run", "culturalbench/hard", "--model", "vllm/test", "--base-url", url, "--data", cultural, "--out", "run",
            "--concurrency", 16]  # fmt: skip


@pytest.mark.parametrize("kind", ["stall", "drip"])
def test_one_interrupt_ends_a_run_whose_endpoint_hangs(
    tmp_path: Path, cultural: Path, endpoint: Endpoint, kind: str, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "GRACE", 0.3)
    endpoint.set(faults={kind: 1.0}, persistent=True, only="feast 1")  # 11 of 24 questions
    interrupt_once_it_hangs(monkeypatch, endpoint)
    with patience():
        done = typed(*words(cultural, endpoint.url))
    assert done.returncode == 130
    assert "Unfinished" in done.stderr
    assert "Traceback" not in done.stderr
    kept = len(list(read_entries(tmp_path / "run" / "journal.sqlite")))
    assert kept == endpoint.counts().answered - 1  # the probe is not journalled


def interrupt_once_it_hangs(monkeypatch: pytest.MonkeyPatch, endpoint: Endpoint) -> None:
    """Have the run interrupted once, when nothing more is answered."""

    async def interrupted(study: Study) -> bool:
        async def interrupt() -> None:
            answered = -1
            while endpoint.counts().answered != answered or answered < 10:
                answered = endpoint.counts().answered
                await asyncio.sleep(0.15)
            signal.raise_signal(signal.SIGINT)

        task = asyncio.create_task(interrupt())
        try:
            return await run_study(study)
        finally:
            task.cancel()

    monkeypatch.setattr(conductor, "run_study", interrupted)


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["stall", "drip"])
def test_it_is_over_within_the_grace(tmp_path: Path, cultural: Path, endpoint: Endpoint, kind: str) -> None:
    endpoint.set(faults={kind: 1.0}, persistent=True, only="feast")
    process = begin(*words(cultural, endpoint.url), cwd=tmp_path)
    until(lambda: endpoint.counts().in_flight == 16)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert progress.GRACE < 5


def few_files() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))


def test_a_shell_that_allows_few_open_files_is_told_and_the_run_ends(
    tmp_path: Path, cultural: Path, endpoint: Endpoint
) -> None:
    endpoint.set(latency_ms=5)
    done = mores(*words(cultural, endpoint.url), "--concurrency", 256, cwd=tmp_path,
                 before=few_files)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "at most 24 calls at the same time, not 256 (ulimit -n 296 allows them)" in done.stderr
    assert 16 < endpoint.counts().most_in_flight <= 24


def test_a_shell_that_allows_too_few_is_refused_before_anything_is_asked(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (32, 32))
    done = typed("run", "ladder/know", "--out", "run")
    assert done.returncode == 2
    assert "ulimit -n 32: a run of 1 models needs 41 open files at least; try ulimit -n 1024." in done.stderr
    assert not (tmp_path / "run").exists()


@contextmanager
def patience(seconds: int = 60) -> Iterator[None]:
    """Against a hang alone: what waits for a time-out of five minutes fails here."""

    def give_up(*_: object) -> None:
        raise AssertionError(f"it hangs: not over after {seconds} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def unroutable() -> Iterator[str]:
    """An address at which nobody ever takes a call: its queue is full."""
    with ExitStack() as held:
        server = held.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(4):
            waiting = held.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(server.getsockname())
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


@contextmanager
def deaf() -> Iterator[str]:
    """An address that was somebody's a moment ago."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
    yield f"http://127.0.0.1:{port}/v1"


@contextmanager
def nameless() -> Iterator[str]:
    """A name that no address belongs to, at a name server that does not say so."""
    looking, asked_for = socket.getaddrinfo, Event()

    def silent(host: str, *where: Any, **how: Any) -> Any:
        if not host.endswith(".invalid"):
            return looking(host, *where, **how)
        asked_for.wait(90)
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", silent)
        yield "http://no-such-host.invalid/v1"
        asked_for.set()


@contextmanager
def wordless() -> Iterator[str]:
    """An address where calls are taken and no word of TLS is said."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield f"https://127.0.0.1:{server.getsockname()[1]}/v1"


def told(address: str, cultural: Path, folder: Path, **conditions: float) -> None:
    """A run over a dead endpoint ends with one line that says where."""
    with pytest.raises(RunError) as said:
        hold(folder / "run", spec_of(cultural, address), **conditions)
    assert address in str(said.value)
    assert "\n" not in str(said.value)


@pytest.mark.parametrize("dead", [unroutable, deaf, nameless, wordless])
def test_what_never_answers_is_told(
    dead: Callable[[], AbstractContextManager[str]], cultural: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai, "HttpClient", partial(HttpClient, connect_timeout=0.2))
    with dead() as address:
        told(address, cultural, tmp_path, timeout=300.0)


@pytest.mark.soak
@pytest.mark.parametrize("dead", [unroutable, deaf, nameless, wordless])
def test_what_never_answers_is_told_after_few_tries(
    dead: Callable[[], AbstractContextManager[str]], cultural: Path, tmp_path: Path
) -> None:
    with dead() as address:
        told(address, cultural, tmp_path, first_wait=0.25, attempts=8, timeout=300.0)
