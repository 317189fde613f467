"""What every contender shares: its task, and the report of what its loop cost."""

import argparse
import json
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

MODEL = "stand-in"


class Task(NamedTuple):
    """Where to ask, what (rows of `prompt` and `target`), and how many at a time."""

    url: str
    rows: list[dict[str, str]]
    window: int
    path: Path


def task() -> Task:
    """The task of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--items", type=Path, required=True)
    parser.add_argument("--calls", type=int, required=True)
    parser.add_argument("--window", type=int, required=True)
    options = parser.parse_args()
    lines = options.items.read_text(encoding="utf-8").splitlines()[: options.calls]
    return Task(options.url, [json.loads(line) for line in lines], options.window, options.items)


def body(prompt: str) -> dict[str, Any]:
    """The request that the bare loop and the official client send."""
    messages = [{"role": "user", "content": prompt}]
    return {"model": MODEL, "messages": messages, "temperature": 0.0, "max_tokens": 16}


@contextmanager
def metered() -> Iterator[None]:
    """Print what the block cost in CPU and time, as the last line of standard output."""
    cpu, start = used(), time.perf_counter()
    yield
    seconds = time.perf_counter() - start
    print(json.dumps({"loop_cpu_seconds": used() - cpu, "loop_seconds": seconds}), flush=True)


def used() -> float:
    """CPU seconds of this process so far, user and system."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
