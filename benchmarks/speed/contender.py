"""Who is measured: for each, the command to start it with and what it needs to be there."""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build"
RUN = BUILD / "speed" / "run"


class Job(NamedTuple):
    """What one process has to do: so many calls to this URL, so many at a time, over these files of items."""

    url: str
    calls: int
    window: int
    jsonl: Path
    csv: Path


class Spent(NamedTuple):
    """CPU and wall seconds of a loop, from its first call to its last answer in place."""

    cpu_seconds: float
    seconds: float


def told(last_line: str) -> Spent:
    """What a program of ours says of its loop in its last line."""
    said = json.loads(last_line)
    return Spent(said["loop_cpu_seconds"], said["loop_seconds"])


def of_manifest(_: str) -> Spent:
    """What a run of mores says of its plays: asking, journal, retries, parsing, verdicts and their files."""
    took = json.loads((RUN / "manifest.json").read_text(encoding="utf-8"))["took"]
    return Spent(took["cpu_seconds"], took["seconds"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One way to ask. `most_calls` bounds what is too slow for the full grid; `packages` are named with its figures.

    `meter` finds what its loop cost, given the last line of its output.
    """

    name: str
    title: str
    python: Path
    command: Callable[[Job], list[str]]
    packages: tuple[str, ...]
    most_calls: int = 5000
    meter: Callable[[str], Spent] = told

    def missing(self) -> str:
        """Why it cannot run here; empty where it can."""
        if not self.python.exists():
            return f"no {self.python.relative_to(ROOT)}; make it with benchmarks/speed/peers.sh"
        if self.name == "ours" and not importlib.util.find_spec("mores.__main__"):
            return "mores has no command line yet"
        return ""

    def versions(self) -> dict[str, str]:
        """Versions of its packages and of its Python, as its own environment tells them."""
        tell = "import sys, platform, importlib.metadata as m\nprint('Python', platform.python_version())\n"
        tell += "for name in sys.argv[1:]: print(name, m.version(name))"
        told = subprocess.run([self.python, "-c", tell, *self.packages], capture_output=True, text=True, check=True)
        return dict(line.split(" ", 1) for line in told.stdout.splitlines())


def script(python: Path, module: str, *extra: str) -> Callable[[Job], list[str]]:
    """The command of a contender that is a program of ours in an environment of its own."""

    def command(job: Job) -> list[str]:
        given = ["--url", job.url, "--items", str(job.jsonl), "--calls", str(job.calls), "--window", str(job.window)]
        return [str(python), "-m", f"benchmarks.speed.contenders.{module}", *extra, *given]

    return command


def ours(job: Job) -> list[str]:
    """The command that a user would type."""
    given = ["--data", str(job.csv), "--model", "openai/stand-in", "--base-url", job.url]
    how = ["--concurrency", str(job.window), "--out", str(RUN), "--json"]
    return [sys.executable, "-m", "mores", "run", "culturalbench/hard", *given, *how]


def contenders() -> list[Contender]:
    """All of them, the yardstick first."""
    here = Path(sys.executable)
    official, inspect, lm_eval = (BUILD / f".venv-{name}/bin/python" for name in ("openai", "inspect", "lmeval"))
    return [
        Contender(
            name="bare",
            title="bare aiohttp loop",
            python=here,
            command=script(here, "bare"),
            packages=("aiohttp",),
        ),
        Contender(
            name="ours",
            title="mores",
            python=here,
            command=ours,
            packages=("mores", "aiohttp"),
            meter=of_manifest,
        ),
        Contender(
            name="openai-aiohttp",
            title="openai, aiohttp transport",
            python=official,
            command=script(official, "official", "aiohttp"),
            packages=("openai", "aiohttp"),
        ),
        Contender(
            name="openai-default",
            title="openai, default transport",
            python=official,
            command=script(official, "official", "default"),
            packages=("openai", "httpx2"),
        ),
        Contender(
            name="lm-eval",
            title="lm-evaluation-harness",
            python=lm_eval,
            command=script(lm_eval, "lm_eval_run"),
            packages=("lm-eval", "aiohttp"),
        ),
        Contender(
            name="inspect",
            title="Inspect AI",
            python=inspect,
            command=script(inspect, "inspect_eval"),
            packages=("inspect-ai", "openai"),
            most_calls=1000,
        ),
    ]
