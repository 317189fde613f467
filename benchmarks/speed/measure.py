"""One contender in one cell of the grid: start its process, wait for it, and read off what it cost.

CPU and peak memory are the kernel's figures for the child, so nothing is sampled. Slots held are the endpoint's:
the mean in flight from the moment the window is full until the last item is sent, over the window.
"""

import os
import resource
import shutil
import subprocess
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import IO, NamedTuple

from benchmarks.speed.contender import BUILD, ROOT, Contender, Job, Spent
from benchmarks.speed.items import items, write_csv, write_jsonl
from mores.core.seeds import Seed
from tests.endpoint import Endpoint

LIMIT_SECONDS = 240
SEED = Seed("speed")
FOLDER = BUILD / "speed"
# The caller's key, proxy and caches are none of a contender's business, and a look at a hub would be measured as
# work; so would compiling, which an installed package has behind it.
ENVIRONMENT = {
    "PYTHONDONTWRITEBYTECODE": "",
    "PYTHONPYCACHEPREFIX": str(BUILD / "pycache"),
    "OPENAI_API_KEY": "none",
    "NO_PROXY": "127.0.0.1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_OFFLINE": "1",
    "HF_HOME": str(FOLDER / "hub"),
    "XDG_CACHE_HOME": str(FOLDER / "cache"),
    "XDG_DATA_HOME": str(FOLDER / "data"),
}


def surroundings(*sources: Path) -> dict[str, str]:
    """This environment as whatever is measured has it, with packages from these folders."""
    return os.environ | ENVIRONMENT | ({"PYTHONPATH": os.pathsep.join(map(str, sources))} if sources else {})


class Cell(NamedTuple):
    """A place in the grid."""

    window: int
    latency_ms: int


class Cost(NamedTuple):
    """What one process used, and what its loop used by its own meter."""

    cpu_seconds: float
    seconds: float
    peak_mib: float
    loop: Spent


class Failed(Exception):
    """A contender did not do its work; the text says how."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One measurement. CPU is user and system, in ms a call: of the loop alone, and of the whole process.

    `held` is the share of the window that was in flight in steady state; None without latency, or where there are
    too few calls for one.
    """

    contender: str
    window: int
    latency_ms: int
    calls: int
    loop_cpu_ms: float
    whole_cpu_ms: float
    loop_seconds: float
    whole_seconds: float
    held: float | None
    peak_mib: float
    endpoint_cpu_ms: float


def measure(contender: Contender, cell: Cell, calls: int, endpoint: Endpoint) -> Result:
    """What a contender costs in a cell.

    Raises:
        Failed: its process failed, took too long, or left calls unanswered.
    """
    endpoint.set(latency_ms=cell.latency_ms)
    endpoint.reset()
    before = endpoint.counts().cpu_seconds
    cost = run(contender, job(endpoint.url, calls, cell.window))
    counts = endpoint.counts()
    if counts.answered < calls:
        raise Failed(f"{counts.answered} of {calls} calls were answered")
    return Result(
        contender=contender.name,
        window=cell.window,
        latency_ms=cell.latency_ms,
        calls=calls,
        loop_cpu_ms=1000 * cost.loop.cpu_seconds / calls,
        whole_cpu_ms=1000 * cost.cpu_seconds / calls,
        loop_seconds=cost.loop.seconds,
        whole_seconds=cost.seconds,
        held=held(endpoint, cell, counts.requests),
        peak_mib=cost.peak_mib,
        endpoint_cpu_ms=1000 * (counts.cpu_seconds - before) / calls,
    )


def held(endpoint: Endpoint, cell: Cell, requests: int) -> float | None:
    """Share of the window in flight between the window's filling and the last item's start."""
    if not cell.latency_ms or requests < 2 * cell.window:
        return None
    return endpoint.held(cell.window + 1, requests) / cell.window


def job(url: str, calls: int, window: int) -> Job:
    """A job, its files of items written."""
    jsonl, csv = _files(calls)
    return Job(url, calls, window, jsonl, csv)


@cache
def _files(calls: int) -> tuple[Path, Path]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    jsonl, csv = FOLDER / f"items-{calls}.jsonl", FOLDER / f"hard-{calls}.csv"
    made = items(calls, SEED)
    write_jsonl(jsonl, made)
    write_csv(csv, made)
    return jsonl, csv


def run(contender: Contender, given: Job) -> Cost:
    """Run its process to the end.

    Raises:
        Failed: it exits with other than 0, or is stopped after `LIMIT_SECONDS`.
    """
    environment = surroundings(contender.source, ROOT)
    shutil.rmtree(FOLDER / "run", ignore_errors=True)
    with TemporaryFile() as said, TemporaryFile() as complaint:
        began = time.perf_counter()
        command = contender.command(given)
        with subprocess.Popen(command, stdout=said, stderr=complaint, cwd=ROOT, env=environment) as process:
            code, used = wait(process)
        seconds = time.perf_counter() - began
        if code:
            raise Failed(f"exit {code} after {seconds:.0f} s: {_last_line(complaint) or _last_line(said)}")
        loop = contender.meter(_last_line(said))
    return Cost(used.ru_utime + used.ru_stime, seconds, used.ru_maxrss / 1024, loop)


class Ended(NamedTuple):
    """Exit status, and what the kernel says of the process."""

    code: int
    used: resource.struct_rusage


def wait(process: subprocess.Popen[bytes], limit: float = LIMIT_SECONDS) -> Ended:
    """How a process ended and what it used; it is killed after so many seconds."""
    timer = Timer(limit, process.kill)
    timer.start()
    try:
        # wait4 and not wait: only it tells what this one child used, its own children with it
        _, status, used = os.wait4(process.pid, 0)
    finally:
        timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return Ended(process.returncode, used)


def _last_line(file: IO[bytes]) -> str:
    file.seek(0)
    lines = file.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""
