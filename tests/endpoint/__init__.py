"""A stand-in for an OpenAI-compatible chat endpoint, in a process of its own, with every way to go wrong.

`python -m tests.endpoint --port 0 --latency-ms 50` prints its base URL as the first line; `running(latency_ms=50)`
starts one, yields an `Endpoint` to look at and to steer it by, and stops it. What it answers and how it fails
depends on the words asked, the attempt and the seed alone, so two equal runs meet the same luck.

It speaks just enough HTTP/1.1 to be cheap (no pipelining, no chunked requests): it must never be what a speed
test measures.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from mores.core.codec import encode, parse_json
from mores.core.errors import InputError
from tests.endpoint.tally import Counts, Mark, body_hash

__all__ = ["Counts", "Endpoint", "Mark", "body_hash", "running"]

_direct = build_opener(ProxyHandler({}))  # a proxy that a test sets is for the program under test


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A running stand-in: its base URL, and control over HTTP."""

    url: str
    process: subprocess.Popen[str]

    def counts(self) -> Counts:
        """Totals, faults met, the answer's statuses, and the headers of the last request (names in lower case)."""
        return Counts(**self._ask("counts"))

    def answered(self) -> dict[str, int]:
        """How often each body (by `body_hash`) was answered with a whole 200 that was handed to the network.

        A client killed before it read its answer is counted as well.
        """
        return dict(self._ask("answered"))

    def paid(self, longer: int = 200) -> int:
        """How many answers were handed out to bodies with more words than so many signs, as no probe has."""
        signs = self._ask("signs")
        return sum(count for body, count in self.answered().items() if signs[body] > longer)

    def set(self, **rules: object) -> None:
        """Change some of the `Rules`; the others stay."""
        self._ask("rules", rules)

    def answers(self, texts: dict[str, str]) -> None:
        """Say these texts to the prompts that equal, or else contain, their keys; `{}` goes back to the rule."""
        self._ask("answers", texts)

    def reset(self) -> None:
        """Forget counts and attempts; rules and answers stay."""
        self._ask("reset", {})

    def mark(self) -> Mark:
        """Now, for `Mark.mean_until`."""
        return Mark(*self._ask("mark"))

    def held(self, first: int, last: int) -> float:
        """Time-weighted mean in flight between the arrivals of the `first` and the `last` request, from 1."""
        marks = [Mark(*mark) for mark in self._ask("arrivals", [first, last])]
        return marks[0].mean_until(marks[1])

    def _ask(self, verb: str, body: object = None) -> Any:
        data = None if body is None else encode(body)
        try:
            with _direct.open(Request(f"{self.url.removesuffix('/v1')}/control/{verb}", data), timeout=10) as answer:
                return parse_json(answer.read(), where=verb)
        except HTTPError as error:
            with error:
                raise InputError(error.read().decode()) from error


@contextmanager
def running(**rules: object) -> Iterator[Endpoint]:
    """An endpoint of these `Rules` for as long as the block lasts; it dies with its parent too."""
    command = [sys.executable, "-m", "tests.endpoint", "--leash", "--rules", encode(rules).decode()]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        try:
            url = process.stdout.readline().strip()
            if not url:
                raise InputError(f"endpoint did not start with {rules!r}; its reason is on standard error.")
            yield Endpoint(url, process)
        finally:
            process.terminate()
