"""How fast a run goes against a real server, beside a bare client that sends the same bodies to it.

The bodies are those that the run itself sends, as a listener hears them. Both ask with one window, in turns, and each
goes first in every second round; the first round, in which the server reads its prompts for the first time, is not
counted. The server has all cores but one, and who asks has that one: a client that takes its server's time away would
be measured by how much it takes, and servers of models are asked from other machines.
"""

import asyncio
import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import aiohttp

from benchmarks.servers.plays import Play, mores
from benchmarks.servers.serving import WORK, Running
from benchmarks.speed.measure import job
from tests.models.listener import listening

CALLS, WINDOW, ROUNDS = 2_000, 32, 6
MOST = 1.10
"""How long a run may take over the bare client."""


class Throughput(NamedTuple):
    """Calls of a round, and the seconds that each round took, of mores and of the bare client."""

    calls: int
    ours: tuple[float, ...]
    bare: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """Our seconds over those of the bare client, each of its quickest round: what else a machine does only adds."""
        return min(self.ours) / min(self.bare)


def throughput(found: Running) -> Throughput:
    """Both clients in turns."""
    ours, bare = [], []
    with _apart(found.group):
        bodies = _bodies(found)
        for number in range(ROUNDS + 1):
            if number % 2:
                bare.append(asyncio.run(_bare(found.url, bodies)))
            ours.append(_ours(found))
            if not number % 2:
                bare.append(asyncio.run(_bare(found.url, bodies)))
    return Throughput(len(bodies), tuple(ours[1:]), tuple(bare[1:]))


@contextmanager
def _apart(group: int) -> Iterator[None]:
    """The processes of a server on all cores but the last, and all that is started here on that; none with one core."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        yield
        return
    _pin(group, set(cores[:-1]))
    os.sched_setaffinity(0, {cores[-1]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, set(cores))
        _pin(group, set(cores))


def _pin(group: int, cores: set[int]) -> None:
    """Every thread of a group's processes; one that has just ended is passed over."""
    for folder in Path("/proc").glob("[0-9]*/task/[0-9]*"):
        with suppress(OSError):
            if os.getpgid(int(folder.parts[2])) == group:
                os.sched_setaffinity(int(folder.name), cores)


def _bodies(found: Running) -> list[bytes]:
    """What a run asks, without its probe; closed questions do not hang on answers."""
    with listening() as listener:
        _run(found._replace(url=listener.url))
        return [heard.body for heard in listener.heard[1:]]


def _ours(found: Running) -> float:
    """Seconds of a run's plays, from its probe to the last verdict in its file."""
    return float(_run(found)["took"]["seconds"])


def _run(found: Running) -> dict[str, dict[str, float]]:
    folder, data = WORK / "runs" / "throughput", job(found.url, CALLS, WINDOW).csv
    shutil.rmtree(folder, ignore_errors=True)
    options = ("--data", str(data), "--concurrency", str(WINDOW))
    ended = mores(found, Play("closed", "culturalbench/hard", CALLS, options), folder)
    if ended.returncode:
        raise RuntimeError(f"mores run ended with {ended.returncode}: {ended.stderr}")
    said: dict[str, dict[str, float]] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return said


async def _bare(url: str, bodies: Sequence[bytes]) -> float:
    """Seconds of a loop that posts each body and parses what comes."""
    waiting = iter(bodies)
    headers = {"Content-Type": "application/json"}
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def line() -> None:
            for body in waiting:
                async with session.post(f"{url}/chat/completions", data=body, headers=headers) as answer:
                    json.loads(await answer.read())["choices"][0]["message"]["content"]

        began = time.perf_counter()
        await asyncio.gather(*(line() for _ in range(WINDOW)))
        return time.perf_counter() - began
