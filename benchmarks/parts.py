"""Time and memory of joining the parts of a run and of its report, as the run grows: `python -m benchmarks.parts`.

Everything is simulated: parts are asked of simulated models that fail now and then and whose answers are said to take
seconds that were drawn; no network is used. Questions stay the same, and are asked more and more often.

    python -m benchmarks.parts --parts 100 --calls 30000 100000 300000
"""

import argparse
import asyncio
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from msgspec.structs import replace

from mores.core.seeds import Seed
from mores.models.request import Reply, Request
from mores.models.simulated import Simulated
from mores.runs.run_study import run_study
from mores.runs.spec import ExecutionSpec, Spec
from mores.runs.study import Study

QUESTIONS = 5_000
CARD = """title = "Simulated questions"
measures = "Nothing: time and memory are measured on it."
not_measured = "Norms."
source = "own"
licence = "CC-BY-4.0"
labels = ["yes", "no"]
"""
PLACES = ("JP", "DE", "NG", "BR", "IN", "GE", "EG", "US")
MODEL = "simulated/typical:failure=.02"


class Cost(NamedTuple):
    """What one process took: seconds of a clock and of a core, and most memory in MiB."""

    seconds: float
    cpu: float
    memory: float


def benchmark(folder: Path) -> Path:
    """A benchmark of closed questions in a folder."""
    folder.mkdir()
    (folder / "card.toml").write_text(CARD)
    (folder / "prompt.md").write_text("In [[place]], somebody does [[act]]. Is it polite? Reply with yes or no.\n")
    rows = (f"{n},{PLACES[n % 8]},{('yes', 'no')[n % 3 % 2]},act {n}" for n in range(QUESTIONS))
    (folder / "items.csv").write_text("\n".join(("id,place,gold,act", *rows)) + "\n")
    return folder


def plant_latencies() -> None:
    """Have each simulated answer say that it took from a tenth of a second to ten seconds."""
    kind = Simulated
    plain, seed = kind.reply, Seed("latency")

    async def reply(self: Simulated, request: Request) -> Reply:
        found = await plain(self, request)
        drawn = seed.child(request.tag.item, request.tag.sample).uniform()
        return replace(found, seconds=round(0.1 * 100**drawn, 3))

    kind.reply = reply  # type: ignore[method-assign]


def ask(data: Path, home: Path, parts: int, samples: int) -> float:
    """Ask all parts here, one after another; seconds."""
    began = perf_counter()
    for number in range(1, parts + 1):
        spec = Spec(benchmarks=(str(data),), models=(MODEL,), samples=samples, shard=f"{number}/{parts}")
        study = Study(spec=spec, conditions=ExecutionSpec(attempts=1), folder=home / f"part-{number}-of-{parts}")
        asyncio.run(run_study(study))
    return perf_counter() - began


WATCHED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, code)
"""


def measured(*words: object) -> Cost:
    """Cost of `mores` with these words, which a small process starts: a child's peak is at least its parent's."""
    command, began = [sys.executable, "-m", "mores", *map(str, words)], perf_counter()
    done = subprocess.run([sys.executable, "-c", WATCHED, *command], stdout=subprocess.PIPE, text=True, check=True)
    cpu, memory, code = map(float, done.stdout.split())
    assert code in {0, 1}, words  # 1: many calls were planted to fail
    return Cost(perf_counter() - began, cpu, memory)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--parts", type=int, default=100)
    parser.add_argument("--calls", type=int, nargs="+", default=[30_000, 100_000, 300_000])
    typed = parser.parse_args()
    plant_latencies()
    print("All runs are simulated.")
    print(f"{'calls':>10} {'parts':>6} {'asked s':>8}  {'merge s':>8} {'cpu s':>7} {'MiB':>6} {'µs a call':>9}  "
          f"{'report s':>8} {'cpu s':>7} {'MiB':>6} {'µs a call':>9}")  # fmt: skip
    for calls in typed.calls:
        with tempfile.TemporaryDirectory(prefix="mores-parts-") as scratch:
            place, samples = Path(scratch), max(1, calls // QUESTIONS)
            asked = ask(benchmark(place / "questions"), place / "all", typed.parts, samples)
            merge = measured("merge", place / "all", "--out", place / "whole")
            shutil.rmtree(place / "all")
            report = measured("report", place / "whole", "--out", place / "page.html")
            made = samples * QUESTIONS
            print(f"{made:>10,} {typed.parts:>6} {asked:>8.1f}", *(
                f" {cost.seconds:>8.1f} {cost.cpu:>7.1f} {cost.memory:>6,.0f} {1e6 * cost.cpu / made:>9.0f}"
                for cost in (merge, report)
            ), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
