"""This tree beside an older one, all promises of speed in one series: `python -m benchmarks.speed.turns --before TREE`.

Each row is measured in turns of the two trees, in fresh processes; rows of the loop beside the bare aiohttp loop too.
Medians of the passes are shown, with --record in docs/speed.md; --rows names some alone.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.speed.__main__ import Plan, grid
from benchmarks.speed.contender import ROOT, contenders
from benchmarks.speed.days import FEW, MANY, SLOTS, live, town
from benchmarks.speed.items import items, write_csv
from benchmarks.speed.journal import whole
from benchmarks.speed.measure import SEED, Cell, measure, surroundings, wait
from benchmarks.speed.report import NARROW, WIDE, combined, measured_on, record
from benchmarks.speed.start import ENDPOINT, bare_call
from benchmarks.speed.start import start as started
from tests.endpoint import running

MARKS = "<!-- turns: measured, begin -->", "<!-- turns: measured, end -->"
MANY_ITEMS = 500_000
SCALE = 0.27e-3
"""CPU seconds of a bare call on the machine for which the target of the start is set."""
HEAD = ["| what | before | now | now over before | target |", "|---|--:|--:|--:|--:|"]


class Row(NamedTuple):
    """A thing measured on both trees, less being better, and its target in words."""

    what: str
    before: float
    now: float
    target: str
    form: str = "{:.2f}"

    def told(self) -> str:
        """The row of the table."""
        shown = [self.form.format(one) for one in (self.before, self.now)]
        return f"| {self.what} | {shown[0]} | {shown[1]} | {self.now / self.before:.2f} | {self.target} |"


class Trees(NamedTuple):
    """The older tree and this one, and how often each is measured."""

    before: Path
    now: Path
    passes: int


def main() -> int:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.turns", description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, required=True, metavar="TREE", help="the older tree of the repository")
    parser.add_argument("--passes", type=int, default=3, help="turns of each tree; medians are shown")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), help="measure these alone")
    parser.add_argument("--record", action="store_true", help="write the table into docs/speed.md")
    options = parser.parse_args()
    trees = Trees(options.before.resolve(), ROOT, options.passes)
    lines = []
    for name in options.rows:
        for line in ROWS[name](trees):
            print(line, flush=True)
            lines.append(line)
    if options.record:
        said = f"{measured_on()} `python -m benchmarks.speed.turns --before TREE --passes {options.passes}`."
        record(ROOT / "docs" / "speed.md", "\n".join([MARKS[0], said, "", *HEAD, *lines, MARKS[1]]), MARKS)
    return 0


def loops(trees: Trees) -> Iterator[str]:
    """CPU a call over the bare loop's, of the loop and of the whole run; calls a second at 4,096 in flight."""
    who = [one for one in contenders(trees.before) if one.name in {"bare", "before", "ours"}]
    with running() as endpoint:
        results, notes = grid(Plan([*sorted(NARROW), WIDE], 5000, trees.passes), who, endpoint)
    if notes:
        raise SystemExit("\n".join(notes))
    best = combined(results)
    for title, figure, target in (
        ("loop CPU over bare aiohttp", "loop_cpu_ms", "≤ .7 of bare"),
        ("whole run, 5,000 calls, over bare aiohttp", "whole_cpu_ms", "≤ 1.3 of bare"),
    ):
        for cell in sorted(NARROW):
            old, new, bare = (getattr(best[name, cell], figure) for name in ("before", "ours", "bare"))
            yield Row(f"{title}, {cell.window} in flight, {cell.latency_ms} ms", old / bare, new / bare, target).told()
    old, new = (best[name, WIDE] for name in ("before", "ours"))
    waits = [1000 * one.loop_seconds / one.calls for one in (old, new)]
    yield Row("ms of the clock a call at 4,096 in flight", *waits, "≤ .33 of before", "{:.3f}").told()
    spent = [one.loop_cpu_ms for one in (old, new)]
    yield Row("the same: CPU a call, ms", *spent, "", "{:.3f}").told()


def ladder(trees: Trees) -> Iterator[str]:
    """`mores run` as a new user types it: CPU and seconds of the whole process."""

    def one(tree: Path, folder: Path) -> tuple[float, float]:
        command = [sys.executable, "-m", "mores", "run", "--out", str(folder / "run")]
        before = os.times().elapsed
        with subprocess.Popen(command, env=surroundings(tree / "src"), stdout=subprocess.DEVNULL) as process:
            code, used = wait(process)
        if code:
            raise SystemExit(f"mores run: exit {code}")
        return used.ru_utime + used.ru_stime, os.times().elapsed - before

    old, new = in_turns(trees, one)
    yield Row("`mores run` (the ladder, simulated), CPU s", old[0], new[0], "≤ .45 of before", "{:.1f}").told()
    yield Row("the same: seconds by the clock", old[1], new[1], "", "{:.1f}").told()


def starts(trees: Trees) -> Iterator[str]:
    """What is spent before the first call to an endpoint, as it would be where a bare call costs .27 ms."""

    def one(tree: Path, folder: Path) -> tuple[float, float]:
        return started(ENDPOINT, tree, folder).cpu, bare_call()

    old, new = in_turns(trees, one)
    call = min(old[1], new[1])
    scaled = [one[0] / call * SCALE for one in (old, new)]
    yield Row("CPU s before the first call, where a bare call costs .27 ms", *scaled, "≤ .5").told()
    yield Row(f"the same here, where it costs {1000 * call:.2f} ms", old[0], new[0], "").told()


def days(trees: Trees) -> Iterator[str]:
    """CPU a call of 300 short days at once."""
    bare = next(one for one in contenders() if one.name == "bare")
    with running() as endpoint:
        folder, calls = town(), []

        def one(tree: Path, _: Path) -> tuple[float]:
            calls.append(measure(bare, Cell(SLOTS, 200), 5000, endpoint).loop_cpu_ms)
            run = live(endpoint, folder, MANY, latency_ms=200, concurrency=SLOTS, settings=FEW, tree=tree)
            return (1000 * run.took.cpu_seconds / run.calls,)

        (old,), (new,) = in_turns(trees, one)
    words = f"simulated town, CPU a call, ms (a bare call: {median(calls):.2f})"
    yield Row(words, old, new, "≤ .3", "{:.3f}").told()


def many(trees: Trees) -> Iterator[str]:
    """A run of 500,000 items, and its resume when it is done; once for each tree."""
    with TemporaryDirectory(prefix="mores-speed-") as made:
        data = Path(made, "hard.csv")
        write_csv(data, items(MANY_ITEMS, SEED))
        found = {}
        for verb in ("run", "resume"):
            for number, tree in enumerate((trees.before, trees.now)):
                found[verb, number] = whole(tree, verb, data, Path(made, str(number)))
    peaks = [found["run", number]["peak, MiB"] for number in (0, 1)]
    yield Row("500,000 items: peak memory, MiB", *peaks, "≤ 300", "{:.0f}").told()
    spent = [found["run", number]["CPU, s"] for number in (0, 1)]
    yield Row("the same: CPU s", *spent, "", "{:.0f}").told()
    again = [found["resume", number]["CPU, s"] for number in (0, 1)]
    yield Row("resume of a finished run of 500,000, CPU s", *again, "≤ 4", "{:.1f}").told()


ROWS: dict[str, Callable[[Trees], Iterator[str]]] = {
    "loops": loops,
    "ladder": ladder,
    "starts": starts,
    "days": days,
    "many": many,
}


def in_turns(trees: Trees, one: Callable[[Path, Path], tuple[float, ...]]) -> tuple[list[float], list[float]]:
    """The medians of what is measured on the older tree and on this one."""
    found: dict[Path, list[tuple[float, ...]]] = {trees.before: [], trees.now: []}
    for _ in range(trees.passes):
        for tree, tries in found.items():
            with TemporaryDirectory(prefix="mores-speed-") as made:
                tries.append(one(tree, Path(made)))
                shutil.rmtree(Path(made, "run"), ignore_errors=True)
    old, new = ([median(values) for values in zip(*tries, strict=True)] for tries in found.values())
    return old, new


if __name__ == "__main__":
    raise SystemExit(main())
