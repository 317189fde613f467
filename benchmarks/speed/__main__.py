"""The speed benchmark: `python -m benchmarks.speed [--quick] [--record]`.

It measures all contenders over a grid of windows and latencies, one after the other within each cell, and prints
ratios; the figures go to build/speed.jsonl, and with --record into docs/speed.md. Talks are measured last, ours alone,
and our own sums and starts beside a yardstick; it exits with 1 where one of these takes longer than it may.
"""

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from benchmarks.speed.contender import BUILD, ROOT, Contender, contenders
from benchmarks.speed.measure import Cell, Failed, Result, measure
from benchmarks.speed.report import figures, promises, ratios, record, section
from benchmarks.speed.sums import Ratio
from benchmarks.speed.sums import measured as in_yardsticks
from benchmarks.speed.talks import measured, told
from tests.endpoint import Endpoint, running


class Plan(NamedTuple):
    """What to measure: cells, calls in each, and how often."""

    cells: list[Cell]
    calls: int
    repeats: int


FULL = [*(Cell(window, latency) for latency in (0, 50, 200) for window in (64, 256)), Cell(4096, 0)]
QUICK = [Cell(256, 0), Cell(256, 200)]
AT_ONCE = 4
"""Calls for each that is in flight, at least: with fewer, a cell would show how connections are made."""
TALKS, SUMS = "talks", "sums"


class Results(NamedTuple):
    """What came out: measurements, and notes on what could not be measured as planned."""

    results: list[Result]
    notes: list[str]


def main() -> int:
    """Measure, print, keep."""
    options = arguments()
    plan = Plan(QUICK, 1500, 1) if options.quick else Plan(FULL, 5000, options.repeats)
    known = {contender.name: contender for contender in contenders(options.before)}
    if unknown := sorted(set(options.only) - {*known, TALKS, SUMS}):
        print(
            f"--only: no contender is called {unknown}; known are {', '.join((*known, TALKS, SUMS))}.", file=sys.stderr
        )
        return 2
    who = [contender for name, contender in known.items() if name in (options.only or known)]
    began = time.perf_counter()
    with running() as endpoint:
        results, notes = grid(plan, who, endpoint)
        if not options.only or TALKS in options.only:
            notes += talks(endpoint)
    slow = not all(one.kept for one in own(options.only, notes))
    if not results:
        print("\n".join(notes))
        return int(slow)
    keep(results)
    print(
        "\n".join(
            [
                "",
                figures(results, who),
                "",
                ratios(results, who),
                "",
                *promises(results),
                *notes,
            ]
        )
    )
    print(f"{time.perf_counter() - began:.0f} s in all")
    if options.record:
        record(ROOT / "docs" / "speed.md", section(results, who, notes))
    return int(slow)


def arguments() -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two cells, fewer calls, under a minute")
    parser.add_argument("--record", action="store_true", help="write the tables into docs/speed.md")
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="an older checkout, measured beside this one")
    parser.add_argument("--only", nargs="+", default=[], metavar="CONTENDER", help="measure these alone")
    parser.add_argument("--repeats", type=int, default=1, help="passes over the grid; medians are shown")
    return parser.parse_args()


def grid(plan: Plan, who: list[Contender], endpoint: Endpoint) -> Results:
    """All measurements, contenders taking turns in each cell; one that fails is not asked again."""
    results = Results([], [])
    able = ready(who, results.notes)
    for _ in range(plan.repeats):
        for cell in plan.cells:
            for contender in who:
                if contender.name in able and cell.window <= contender.most_at_once:
                    turn(contender, cell, plan, endpoint, able, results)
    return results


def ready(who: list[Contender], notes: list[str]) -> set[str]:
    """The contenders that can run here."""
    for contender in who:
        if why := contender.missing():
            note(notes, f"{contender.title}: skipped, {why}")
    return {contender.name for contender in who if not contender.missing()}


def turn(contender: Contender, cell: Cell, plan: Plan, endpoint: Endpoint, able: set[str], found: Results) -> None:
    """One contender's turn in a cell."""
    planned = max(plan.calls, AT_ONCE * cell.window)
    calls = min(planned, contender.most_calls)
    if calls < plan.calls:
        note(
            found.notes,
            f"{contender.title}: {calls:,} calls a cell, not {plan.calls:,}, for time; its fixed cost weighs more",
        )
    try:
        result = measure(contender, cell, calls, endpoint)
    except Failed as failure:
        note(
            found.notes, f"{contender.title}: left out from {cell.window} in flight at {cell.latency_ms} ms: {failure}"
        )
        able.discard(contender.name)
        return
    found.results.append(result)
    print(
        f"{cell.window:4} in flight, {cell.latency_ms:3} ms, {contender.title:28} {result.loop_cpu_ms:8.3f} ms a call"
    )


def talks(endpoint: Endpoint) -> list[str]:
    """What talks took, in words."""
    try:
        return told(measured(endpoint))
    except Failed as failure:
        return [f"talks: left out: {failure}"]


def own(only: list[str], notes: list[str]) -> list[Ratio]:
    """What our own sums and starts took, in yardsticks; none where others are asked for."""
    found = in_yardsticks() if not only or SUMS in only else []
    notes += [one.told() for one in found]
    return found


def note(notes: list[str], line: str) -> None:
    """Print a line once, and keep it for the record."""
    if line not in notes:
        notes.append(line)
        print(line)


def keep(results: list[Result]) -> None:
    """Write build/speed.jsonl, a line for each measurement."""
    BUILD.mkdir(exist_ok=True)
    lines = (json.dumps(asdict(result)) for result in results)
    Path(BUILD, "speed.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
