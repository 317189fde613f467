"""What the tests of CURE's thick half share: data made by code, and casts whose judges say what a test wants."""

import asyncio
import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from msgspec import structs

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Benchmark, Setting, summarise
from mores.core.codec import encode
from mores.core.estimate import Estimate
from mores.core.transcript import Transcript
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.core.verdict_table import VerdictTable
from mores.models.cast import Cast
from mores.models.client import ModelClient
from mores.models.request import CallFailed, Reply, Request
from tests.benchmarks.plays import Open, figure, setting_of

THICK = ("cure/normad_thick", "cure/specnorm_thick", "cure/casa_thick", "cure/culturebank_thick")
EXTRACTED, JUDGED = THICK[:2], THICK[2:]
PLACES = ("Japan", "Germany", "Nigeria", "Brazil")
Said = str | Reply | CallFailed


class Voice:
    """A door that says what a function of the request says; it keeps what it was asked."""

    def __init__(self, say: Callable[[Request], Said] | Said) -> None:
        self.say = say
        self.asked: list[Request] = []

    async def ask(self, request: Request) -> Reply:
        self.asked.append(request)
        said = self.say(request) if callable(self.say) else self.say
        if isinstance(said, CallFailed):
            raise said
        return said if isinstance(said, Reply) else Reply(text=said, model="voice")


Doors = Mapping[str, Voice | Open]


class Played(NamedTuple):
    """Transcripts, verdicts and figures of some items."""

    transcripts: tuple[Transcript, ...]
    verdicts: tuple[Verdict, ...]
    figures: tuple[Estimate, ...]

    def of(self, task: str) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.task == task]

    def graded(self, task: str) -> list[Graded]:
        return [verdict for verdict in self.of(task) if isinstance(verdict, Graded)]

    def ungraded(self, task: str) -> list[Ungraded]:
        return [verdict for verdict in self.of(task) if isinstance(verdict, Ungraded)]

    def figure(self, metric: str, **group: str) -> Estimate:
        return figure(self.figures, metric, **group)


def play(benchmark: Benchmark, setting: Setting, items: Iterable[Any], clients: Doors) -> Played:
    """Items played and judged one after another, each role through its own door."""
    cast_ = Cast(cast("Mapping[str, ModelClient]", clients))

    async def all_of_them() -> list[tuple[Transcript, tuple[Verdict, ...]]]:
        done = []
        for item in items:
            for sample in range(setting.protocol.samples):
                transcript = await benchmark.play(item, sample, cast_, setting)
                grading = await benchmark.judge(item, transcript, cast_, setting)
                done.append(
                    (structs.replace(transcript, events=(*transcript.events, *grading.events)), grading.verdicts)
                )
        return done

    done = asyncio.run(all_of_them())
    verdicts = tuple(verdict for _, given in done for verdict in given)
    return Played(tuple(t for t, _ in done), verdicts, summarise(benchmark, VerdictTable(verdicts), setting))


def room(
    name: str, data: Path, *, runs: int = 1, samples: int = 1, **settings: str
) -> tuple[Any, Setting, Sequence[Any]]:
    """A benchmark with some of its options set, on some data."""
    benchmark = catalogue.load(name)
    protocol = benchmark.card.protocol
    assert protocol.judging is not None
    setting = setting_of(
        benchmark,
        data,
        samples=samples,
        judging=structs.replace(protocol.judging, runs=runs),
        settings={**protocol.settings, **settings},
    )
    return benchmark, setting, benchmark.items(setting)


def score(points: object, reason: str = "So it is.") -> str:
    return encode({"reason": reason, "score": points}).decode()


def choice(word: str, reason: str = "So it is.") -> str:
    return encode({"reason": reason, "choice": word}).decode()


def verdict(label: str, points: float) -> Callable[[Request], str]:
    """A judge that finds this label and gives these points, in whatever form it is asked for."""
    return lambda request: choice(label) if request.schema and '"enum"' in request.schema else score(points)


def write_table(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return path


def normad(path: Path, count: int, **columns: Callable[[int], object]) -> Path:
    """So many scenes with labels in turn, each with a rule of its own."""
    labels = ("yes", "no", "neutral")
    rows = [
        {"id": n, "Country": PLACES[n % len(PLACES)], "Story": f"Ana meets guest {n}. Is that fine?",
         "Rule-of-Thumb": f"Guest {n} is greeted first.", "Gold Label": labels[n % 3],
         **{name: made(n) for name, made in columns.items()}}
        for n in range(count)
    ]  # fmt: skip
    return write_table(path, rows)


def casa(path: Path, count: int) -> Path:
    """So many requests, each a pair of its own, with labels in turn."""
    rows = [
        {"subset": "online_shopping", "index": f"q{n}", "country": PLACES[n % len(PLACES)],
         "user_query": f"Please order gift {n}.", "agreement": ("yes", "no")[n % 2],
         "symbol_desc": f"Gift {n} stands for farewell.", "violated_norm": f"Nobody gives gift {n}."}
        for n in range(count)
    ]  # fmt: skip
    return write_table(path, rows)
