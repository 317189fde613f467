"""A server that is killed at any moment: what it acknowledged is stored, nothing is over its quota or served twice."""

import asyncio
import random
import sys
import threading
import time

import pytest

from benchmarks.load.crowd import Tally, crowd
from benchmarks.load.studio import SLUG, check, fill
from mores.studio.config import StudioConfig
from tests.studio.conftest import BOTH
from tests.studio.served import Served, started

pytestmark = BOTH


def test_nothing_acknowledged_is_lost_when_the_server_is_killed(studio: StudioConfig) -> None:
    _kill(studio, times=3, people=10, answers=12)


@pytest.mark.soak
@pytest.mark.parametrize("part", range(20))
def test_nothing_acknowledged_is_lost_over_a_hundred_kills(studio: StudioConfig, part: int) -> None:
    _kill(studio, times=5, people=60, answers=1_400, seed=part)


def _kill(studio: StudioConfig, *, times: int, people: int, answers: int, seed: int = 7) -> None:
    """Start a server, let people work, kill it after some answers; so many times over."""
    rng = random.Random(seed)
    sessions = fill(items=times * answers // 2 + people, people=people)
    acknowledged: set[str] = set()
    for _ in range(times):
        server, tally = started(studio), Tally()
        enough = rng.randint(answers // 2, answers)
        death = threading.Thread(target=_kill_after, args=(server, tally, enough))
        death.start()
        asyncio.run(crowd(server.url, SLUG, sessions, tally, pause=0.0, over=server.ended))
        death.join()
        acknowledged |= tally.acknowledged
    found = check(acknowledged)
    sys.stdout.write(
        f"{studio.vendor}, seed {seed}: {times} kills, {len(acknowledged)} answers acknowledged; {found}\n"
    )
    assert found.sound, found
    assert len(acknowledged) >= times * (answers // 2)


def _kill_after(server: Served, tally: Tally, answers: int) -> None:
    while len(tally.acknowledged) < answers and not tally.failed:
        time.sleep(0.005)
    server.kill()
