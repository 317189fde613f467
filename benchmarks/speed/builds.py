"""How busy builds keep an endpoint's slots: `python -m benchmarks.speed.builds [--slots 64] [VERB…]`.

Each build asks a local endpoint that answers after 200 ms what simulated models said. *Held* is the share of the slots
in flight from their filling to three quarters of the calls, before the last units run out. Nothing else should run
beside: on two cores that others use, the share is that of the cores that are left.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.endpoint import Endpoint, running
from tests.pipelines.verbs import VERBS, said_in, words, write_data
from tests.runs.conduct import cold

LATENCY_MS = 200
STATEMENTS = 600
LIMITS = {"questions": ("--limit", 200), "dialogues": ("--per-place", 100, "--limit", 300)}
"""By default dialogues are 20 a place, fewer than would fill the slots."""


def main() -> None:
    """Measure and print, a line a verb."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.builds", description=__doc__.splitlines()[0])
    parser.add_argument("--slots", type=int, default=64)
    parser.add_argument("verbs", nargs="*", default=list(VERBS))
    options = parser.parse_args()
    with TemporaryDirectory() as folder, running(latency_ms=LATENCY_MS) as endpoint:
        data = write_data(Path(folder) / "base", STATEMENTS)
        for name in options.verbs:
            calls, held = measure(name, data, Path(folder), endpoint, options.slots)
            print(f"{name}: {calls:,} calls, {held:.1%} of {options.slots} slots held")


def measure(name: str, data: Path, folder: Path, endpoint: Endpoint, slots: int) -> tuple[int, float]:
    """How many calls a build made, and which share of the slots they held."""
    more: list[object] = ["--concurrency", slots, *LIMITS.get(name, ())]
    build(words(name, data, folder / f"simulated-{name}", "", *more), folder)
    endpoint.answers(said_in(folder / f"simulated-{name}"))
    endpoint.reset()
    build(words(name, data, folder / name, endpoint.url, *more), folder)
    calls = endpoint.counts().requests
    return calls, endpoint.held(2 * slots, calls * 3 // 4) / slots


def build(typed: list[object], folder: Path) -> None:
    """Carry out a build to its end."""
    process = cold(*typed, cwd=folder)
    _, errors = process.communicate()
    if process.returncode:
        raise SystemExit(errors)


if __name__ == "__main__":
    main()
