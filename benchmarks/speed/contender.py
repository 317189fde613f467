"""Who is measured: for each, the command to start it with and what it needs to be there."""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
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
    """One way to ask. `most_calls` and `most_at_once` bound what is too slow for the full grid.

    `packages` are named with its figures; `meter` finds what its loop cost, given the last line of its output; `source`
    is the folder that mores is imported from.
    """

    name: str
    title: str
    python: Path
    command: Callable[[Job], list[str]]
    packages: tuple[str, ...]
    most_calls: int = 20_000
    most_at_once: int = 256
    meter: Callable[[str], Spent] = told
    source: Path = ROOT / "src"

    def missing(self) -> str:
        """Why it cannot run here; empty where it can."""
        if not self.python.exists():
            return f"no {self.python.relative_to(ROOT)}; make it with benchmarks/speed/peers.sh"
        if not self.source.is_dir():
            return f"no {self.source}"
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


def contenders(before: Path | None = None) -> list[Contender]:
    """All of them, what any of them could cost at least first; with an older checkout of mores, that beside ours."""
    here = Path(sys.executable)
    return [*_loops(here), *_ours(here, before), *_peers()]


def _loops(here: Path) -> list[Contender]:
    """Loops that ask and do nothing else."""
    names = {"floor": ("sockets alone", ()), "curl": ("bare libcurl loop", ("pycurl",))}
    names["bare"] = ("bare aiohttp loop", ("aiohttp",))
    return [
        Contender(name=name, title=title, python=here, command=script(here, name), packages=packages, most_at_once=4096)
        for name, (title, packages) in names.items()
    ]


def _ours(here: Path, before: Path | None) -> list[Contender]:
    ours_now = Contender(
        name="ours",
        title="mores",
        python=here,
        command=ours,
        packages=("mores", "pycurl"),
        most_at_once=4096,
        meter=of_manifest,
    )
    if before is None:
        return [ours_now]
    older = replace(ours_now, name="before", title="mores before", packages=("mores",), source=before.resolve() / "src")
    return [older, ours_now]


def _peers() -> list[Contender]:
    official, inspect, lm_eval = (BUILD / f".venv-{name}/bin/python" for name in ("openai", "inspect", "lmeval"))
    return [
        Contender(
            name="openai-aiohttp",
            title="openai, aiohttp transport",
            python=official,
            command=script(official, "official", "aiohttp"),
            packages=("openai", "aiohttp"),
            most_calls=5000,
        ),
        Contender(
            name="openai-default",
            title="openai, default transport",
            python=official,
            command=script(official, "official", "default"),
            packages=("openai", "httpx2"),
            most_calls=5000,
        ),
        Contender(
            name="lm-eval",
            title="lm-evaluation-harness",
            python=lm_eval,
            command=script(lm_eval, "lm_eval_run"),
            packages=("lm-eval", "aiohttp"),
            most_calls=5000,
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
