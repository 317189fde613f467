"""What comes before the first call: `python -m benchmarks.speed.start [--before TREE] [--modules]`.

Processes are started in turns, of this tree and of an older one where it is named, and each is watched from outside
until it asks its first call: of an endpoint that listens here, or of a simulated model. CPU is the kernel's figure for
the process. The least of some tries counts, beside what a call of the bare aiohttp loop costs in the same minutes, so
that the figure carries over to another machine.
"""

import argparse
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.speed.contender import ROOT, contenders
from benchmarks.speed.items import items, write_csv
from benchmarks.speed.measure import SEED, Cell, measure, surroundings
from tests.endpoint import running

CALLS, WINDOW = 3000, 64
QUESTIONS = 400
IMPORT, HELP, ENDPOINT, LADDER = "import mores", "mores --help", "mores run, an endpoint", "mores run, the ladder"
WHAT = (IMPORT, HELP, ENDPOINT, LADDER)
# A simulated model is asked in the process itself: there its first call ends the process, and says what it imported.
UNTIL_ASKED = """
import os, sys
from importlib.machinery import PathFinder

class First:
    @staticmethod
    def find_spec(name, path, target=None):
        if name != "mores.models.simulated":
            return None
        spec = PathFinder.find_spec(name, path)
        run = spec.loader.exec_module
        def exec_module(module):
            run(module)
            module.Simulated.reply = asked
        spec.loader.exec_module = exec_module
        return spec

async def asked(*_):
    os.write(1, " ".join(sorted(sys.modules)).encode())
    os._exit(0)

sys.meta_path.insert(0, First)
sys.argv[1:] = ["run", *sys.argv[1:]]
import runpy
runpy.run_module("mores", run_name="__main__", alter_sys=True)
"""


class Start(NamedTuple):
    """What one start took, in CPU and in wall seconds."""

    cpu: float
    seconds: float


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.start", description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, metavar="TREE", help="compare with this tree of the repository")
    parser.add_argument("--repeats", type=int, default=7, help="starts of each; the least counts")
    parser.add_argument("--modules", action="store_true", help="list what the ladder has imported by its first call")
    options = parser.parse_args()
    if options.modules:
        with TemporaryDirectory() as folder:
            print("\n".join(modules("--out", f"{folder}/run")))
        return 0
    print("\n".join(told(measured(options.repeats, options.before))))
    return 0


class Measured(NamedTuple):
    """The least start of each kind, now and before where that was measured, and a bare call's CPU seconds."""

    now: dict[str, Start]
    before: dict[str, Start]
    call: float


def measured(repeats: int, before: Path | None = None) -> Measured:
    """All kinds of start, in turns."""
    trees = [ROOT] if before is None else [ROOT, before.resolve()]
    found: dict[tuple[Path, str], list[Start]] = {}
    calls = []
    with TemporaryDirectory() as folder:
        for number in range(repeats + 1):  # the first compiles modules
            calls.append(bare_call())
            for what in WHAT:
                for tree in trees:
                    took = start(what, tree, Path(folder) / f"{number}-{trees.index(tree)}")
                    if number:
                        found.setdefault((tree, what), []).append(took)
    least = {key: Start(*map(min, zip(*tries, strict=True))) for key, tries in found.items()}
    now, old = ({what: start for (tree, what), start in least.items() if tree == each} for each in (ROOT, before))
    return Measured(now, old or {w: s for (t, w), s in least.items() if t != ROOT}, min(calls))


def bare_call() -> float:
    """CPU seconds of a call in the bare aiohttp loop."""
    bare = next(contender for contender in contenders() if contender.name == "bare")
    with running() as endpoint:
        return measure(bare, Cell(WINDOW, 0), CALLS, endpoint).loop_cpu_ms / 1000


def start(what: str, tree: Path, out: Path) -> Start:
    """One start of a kind, of the code in a tree."""
    if what == ENDPOINT:
        return until_called(tree, out)
    words = {
        IMPORT: ["-c", "import mores"],
        HELP: ["-m", "mores", "--help"],
        LADDER: ["-c", UNTIL_ASKED, "--out", str(out / "ladder")],
    }
    began, used = time.perf_counter(), _children()
    with process(words[what], tree) as child:
        child.communicate()
    if child.returncode:
        raise RuntimeError(f"{what}: exit {child.returncode}")
    return Start(_children() - used, time.perf_counter() - began)


def until_called(tree: Path, out: Path) -> Start:
    """A run over an endpoint, up to the first bytes that it sends."""
    out.mkdir(parents=True, exist_ok=True)
    write_csv(out / "hard.csv", items(QUESTIONS, SEED))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        asked = ["--data", str(out / "hard.csv"), "--model", "openai/stand-in", "--base-url", url]
        began = time.perf_counter()
        with process(["-m", "mores", "run", "culturalbench/hard", *asked, "--out", str(out / "run")], tree) as child:
            listening.settimeout(60)
            connection, _ = listening.accept()
            connection.recv(1)
            seconds, cpu = time.perf_counter() - began, _used(child.pid)
            child.kill()
            child.communicate()
            connection.close()
    return Start(cpu, seconds)


def modules(*words: str) -> list[str]:
    """The modules that a run of simulated models has imported when it asks its first call."""
    with process(["-c", UNTIL_ASKED, *words], ROOT) as child:
        said, _ = child.communicate()
    return said.decode().split()


@contextmanager
def process(words: list[str], tree: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A Python that imports from a tree."""
    environment = surroundings(tree / "src")
    with subprocess.Popen(
        [sys.executable, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        yield child


def told(found: Measured) -> list[str]:
    """The table, a line for each kind of start."""
    lines = [f"A call of the bare aiohttp loop: {1000 * found.call:.3f} ms of CPU."]
    for what, now in found.now.items():
        old = found.before.get(what)
        over = "" if old is None else f", {now.cpu / old.cpu:.2f} of {1000 * old.cpu:.0f} ms before"
        lines.append(
            f"{what:24} {1000 * now.cpu:5.0f} ms of CPU ({now.cpu / found.call:,.0f} bare calls{over}), "
            f"{1000 * now.seconds:.0f} ms in all"
        )
    return lines


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _used(pid: int) -> float:
    """CPU seconds of a process that goes on, all its threads together."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


if __name__ == "__main__":
    raise SystemExit(main())
