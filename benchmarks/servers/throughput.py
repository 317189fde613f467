"""How fast a run goes against a real server, beside a bare client that sends the same bodies to it.

The bodies are those that the run itself sends, as a listener hears them. Both ask with one window, in turns, and each
goes first in every second round; the first round, in which the server reads its prompts for the first time, is not
counted.
"""

import asyncio
import json
import shutil
import time
from collections.abc import Sequence
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
    bodies = _bodies(found)
    ours, bare = [], []
    for number in range(ROUNDS + 1):
        if number % 2:
            bare.append(asyncio.run(_bare(found.url, bodies)))
        ours.append(_ours(found))
        if not number % 2:
            bare.append(asyncio.run(_bare(found.url, bodies)))
    return Throughput(len(bodies), tuple(ours[1:]), tuple(bare[1:]))


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
