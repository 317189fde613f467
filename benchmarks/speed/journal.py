"""The journal at many rows, and a run of many items: `python -m benchmarks.speed.journal [--before PATH]`.

CPU a row written in group commits of 16 writers, what a row takes in the file, opening it again and looking up replies,
each with its peak of memory; then a run of made-up questions by `baseline/random`, and its resume when it is done.
With --before an older checkout takes turns.
"""

import argparse
import asyncio
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.speed.contender import ROOT
from benchmarks.speed.items import items, write_csv
from benchmarks.speed.measure import surroundings, wait
from mores.core.card import Sampling
from mores.core.seeds import Seed
from mores.core.transcript import Message
from mores.models.journal import Journal, request_key
from mores.models.request import Reply, Request, Tag, Usage

WRITERS, WORDS, LOOKED_UP = 16, 60, 20_000
SETTINGS = Sampling(temperature=0.0, max_tokens=64)


class Asked:
    """Who is asked; only its names go into a key."""

    spec, identity, reads_key, by_item = "openai/stand-in", "http://localhost/v1", False, False


def main() -> None:
    """Measure each tree in turn and print a line for each thing."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.journal", description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="replies to write; 0 leaves the journal out")
    parser.add_argument("--items", type=int, default=500_000, help="items of a run; 0 leaves the run out")
    parser.add_argument("--before", type=Path, help="an older checkout, measured in turns")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(CHILDREN[options.child[0]](Path(options.child[1]), options.rows)))
        return
    trees = {"before": options.before, "now": ROOT} if options.before else {"now": ROOT}
    with TemporaryDirectory(prefix="mores-speed-") as folder:
        for what in CHILDREN if options.rows else ():
            for name, tree in trees.items():
                told("journal", name, child(tree, what, Path(folder, f"{name}.sqlite"), options.rows))
        data = Path(folder, "hard.csv")
        if options.items:
            write_csv(data, items(options.items, Seed("speed")))
        for verb in ("run", "resume") if options.items else ():
            for name, tree in trees.items():
                told(verb, name, whole(tree, verb, data, Path(folder, name)))


def told(what: str, name: str, found: dict[str, float]) -> None:
    """Print what was found, one line."""
    print(f"{what:8} {name:7}", ", ".join(f"{key} {value:,.1f}" for key, value in found.items()), flush=True)


def child(tree: Path, what: str, path: Path, rows: int) -> dict[str, float]:
    """What a process of a tree found at the journal."""
    command = [sys.executable, "-m", "benchmarks.speed.journal", "--rows", str(rows), "--child", what, str(path)]
    done = subprocess.run(command, cwd=ROOT, env=surroundings(tree / "src"), capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def whole(tree: Path, verb: str, data: Path, run: Path) -> dict[str, float]:
    """CPU seconds and peak memory of a run, or of its resume."""
    asked = ["culturalbench/hard", "--data", str(data), "--model", "baseline/random", "--out", str(run)]
    command = [sys.executable, "-m", "mores", verb, *(asked if verb == "run" else [str(run)]), "--json"]
    with subprocess.Popen(
        command, env=surroundings(tree / "src"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        code, used = wait(process, limit=3_600)
    if code:
        raise SystemExit(f"{' '.join(command)}: exit {code}")
    return {"CPU, s": used.ru_utime + used.ru_stime, "peak, MiB": used.ru_maxrss / 1024}


def written(path: Path, rows: int) -> dict[str, float]:
    """Rows written by several plays at once, their keys made and looked for first, as a model's door does."""
    asyncio.run(_write(path, rows))
    return {"CPU a row, µs": 1e6 * time.process_time() / rows, "bytes a row": path.stat().st_size / rows, **_peak()}


async def _write(path: Path, rows: int) -> None:
    rng, numbers = random.Random(1), iter(range(rows))
    said = [" ".join(f"{rng.getrandbits(24):x}" for _ in range(WORDS)) for _ in range(500)]
    with closing(Journal(path)) as journal:

        async def writer() -> None:
            for number in numbers:
                request = asked(number)
                key = request_key(Asked, request)  # type: ignore[arg-type]
                if journal.find(key) is None:
                    await journal.write(key, request, Reply(text=said[number % 500], usage=Usage(input=90, output=60)))

        await asyncio.gather(*(writer() for _ in range(WRITERS)))


def looked_up(path: Path, rows: int) -> dict[str, float]:
    """The journal opened again, and some of its replies found by key."""
    began = time.process_time()
    with closing(Journal(path)) as journal:
        opened = time.process_time()
        for number in random.Random(2).sample(range(rows), min(rows, LOOKED_UP)):
            assert journal.find(request_key(Asked, asked(number))) is not None  # type: ignore[arg-type]
        each = 1e6 * (time.process_time() - opened) / min(rows, LOOKED_UP)
    return {"open, CPU s": opened - began, "look-up, CPU µs": each, **_peak()}


def asked(number: int) -> Request:
    """One made-up question."""
    words = f"In Japan, at a wedding (case {number}), what do guests bring? Reply with one word, True or False."
    tag = Tag(item=f"hard-{number}", role="subject", step=0, sample=0)
    return Request(messages=(Message(role="user", content=words),), sampling=SETTINGS, tag=tag)


def _peak() -> dict[str, float]:
    return {"peak, MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


CHILDREN: dict[str, Callable[[Path, int], dict[str, float]]] = {"written": written, "looked-up": looked_up}

if __name__ == "__main__":
    main()
