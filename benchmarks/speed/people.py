"""What a town's people cost, and the page that replays a day: `python -m benchmarks.speed.people`.

A thousand people are sampled in this process, the best of some passes; a million with their file, and the page of a
day of 30 steps among a thousand residents, by processes of their own. The page is opened in a browser, if there is one.
"""

import asyncio
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import NamedTuple

from benchmarks.speed.contender import ROOT
from benchmarks.speed.days import town
from benchmarks.speed.measure import FOLDER, Failed, surroundings, wait
from benchmarks.speed.report import promise
from mores.core.seeds import Seed
from mores.worlds.town.sampling import sample_population
from mores.worlds.town.streets import build_town
from tests.reports.browser import browser, opened

PASSES = 20
OPENING = "performance.getEntriesByType('navigation')[0].duration"
DRAWING = """
(() => { const begun = performance.now();
  for (let n = 0; n < 150; n++) town.draw(450 + 5 * n, state.at);
  return (performance.now() - begun) / 150; })()
"""
"""Milliseconds that a frame takes, over the whole day."""


class Took(NamedTuple):
    """Seconds by the clock and peak memory of a process."""

    seconds: float
    gigabytes: float


def main() -> int:
    """Measure, and print what was found."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    print("\n".join([*thousand(), *million(), *page()]))
    return 0


def thousand() -> list[str]:
    """A thousand people with their ties."""
    root = Seed("speed")
    streets = build_town(root.child("streets"))
    took = []
    for number in range(PASSES):
        began = time.perf_counter()
        sample_population(1000, root.child("people", number), town=streets)
        took.append(1000 * (time.perf_counter() - began))
    return [promise("1,000 people with their ties under 50 ms", f"{min(took):.1f} ms", kept=min(took) < 50)]


def million() -> list[str]:
    """A million people with their file, of either kind."""
    lines = []
    for suffix in ("npz", "jsonl"):
        with TemporaryDirectory(dir=FOLDER) as folder:
            out = Path(folder, f"town.{suffix}")
            took = mores("town", "population", "--size", "1000000", "--seed", "0", "--out", str(out))
            said = f"{took.seconds:.1f} s, {took.gigabytes:.2f} GB, a file of {out.stat().st_size / 1e6:.0f} MB"
        kept = took.seconds < 15 and took.gigabytes < 2
        lines.append(promise(f"1,000,000 people in a .{suffix} under 15 s and 2 GB", said, kept=kept))
    return lines


def page() -> list[str]:
    """The page of one day: its size, how long it takes to open, and to draw a frame."""
    run, data = FOLDER / "replay", town()
    shutil.rmtree(run, ignore_errors=True)
    minds = ("--model", "simulated/typical", "--role", "supporter=simulated/tempter", "--judge", "simulated/judge")
    mores("run", "liveculture/town", *minds, "--data", str(data), "--limit", "1", "--out", str(run))
    written = run / "page.html"
    mores("town", "replay", str(run), "--out", str(written))
    size = written.stat().st_size / 1e6
    lines = [promise("the page of a day of 1,000 residents under 5 MB", f"{size:.2f} MB", kept=size < 5)]
    if browser() is None:
        return [*lines, "no browser here: the page was not opened"]
    opening, drawing = asyncio.run(looked_at(written))
    return [
        *lines,
        promise("it opens under 2 s", f"{opening / 1000:.2f} s", kept=opening < 2000),
        promise("a frame is drawn in a sixtieth of a second", f"{drawing:.1f} ms", kept=drawing < 1000 / 60),
    ]


async def looked_at(written: Path) -> tuple[float, float]:
    """Milliseconds until the page stood, and for a frame of it."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        async with opened(written, Path(profile)) as tab:
            return float(await tab.run(OPENING)), float(await tab.run(DRAWING))


def mores(*words: str) -> Took:
    """What a command took.

    Raises:
        Failed: it exits with other than 0.
    """
    command, began = [sys.executable, "-m", "mores", *words], time.perf_counter()
    with TemporaryFile() as said:
        with subprocess.Popen(command, stdout=said, stderr=said, cwd=ROOT, env=surroundings()) as process:
            code, used = wait(process)
        if code:
            said.seek(0)
            raise Failed(f"exit {code}: {said.read().decode(errors='replace').strip()[-300:]}")
    return Took(time.perf_counter() - began, used.ru_maxrss / 2**20)


if __name__ == "__main__":
    sys.exit(main())
