"""Benchmarks played in memory: scripted words or a model, no run folder."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, cast

from msgspec import structs

from mores.benchmarks import catalogue
from mores.benchmarks.benchmark import Benchmark, Setting, summarise
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.core.transcript import Transcript
from mores.core.verdict import Verdict
from mores.core.verdict_table import VerdictTable
from mores.models.cast import Cast
from mores.models.client import ModelClient
from mores.models.registry import Connection, open_model
from mores.models.request import CallFailed, Reply, Request

TINY = Path(__file__).parent / "tiny"
Say = Callable[[Request], str | None]


class Script:
    """A door that says what a function of the request says, and breaks where that is None."""

    def __init__(self, say: Say) -> None:
        self.say = say

    async def ask(self, request: Request) -> Reply:
        words = self.say(request)
        if words is None:
            raise CallFailed("no connection", "scripted")
        return Reply(text=words, model="script")


class Open:
    """A door straight to a model."""

    def __init__(self, spec: str, seed: str = "tests") -> None:
        self.model = open_model(spec, Seed(seed), Connection())

    async def ask(self, request: Request) -> Reply:
        return await self.model.reply(request)


def setting_of(benchmark: Benchmark, data: Path | None, **changes: Any) -> Setting:
    """The card's protocol with changes, on some data."""
    return Setting(data=data, protocol=structs.replace(benchmark.card.protocol, **changes), seed=Seed("tests"))


def tiny(name: str, **changes: Any) -> tuple[Benchmark, Setting, Sequence[Any]]:
    """A benchmark with a small data set of our own in its layout."""
    benchmark = catalogue.load(name)
    setting = setting_of(benchmark, TINY / name.partition("/")[0], **changes)
    return benchmark, setting, benchmark.items(setting)


def perform(
    benchmark: Benchmark, setting: Setting, items: Iterable[Any], door: Script | Open
) -> list[tuple[Transcript, tuple[Verdict, ...]]]:
    """Every play and its verdicts, in the order of the items, one after another."""
    plays = Cast(dict.fromkeys(benchmark.roles(setting.protocol), cast(ModelClient, door)))

    async def all_of_them() -> list[tuple[Transcript, tuple[Verdict, ...]]]:
        done = []
        for item in items:
            for sample in range(setting.protocol.samples):
                transcript = await benchmark.play(item, sample, plays, setting)
                grading = await benchmark.judge(item, transcript, plays, setting)
                done.append(
                    (structs.replace(transcript, events=(*transcript.events, *grading.events)), grading.verdicts)
                )
        return done

    return asyncio.run(all_of_them())


def verdicts_of(benchmark: Benchmark, setting: Setting, items: Iterable[Any], door: Script | Open) -> list[Verdict]:
    """The verdicts alone."""
    return [verdict for _, verdicts in perform(benchmark, setting, items, door) for verdict in verdicts]


def figures_of(
    benchmark: Benchmark, setting: Setting, items: Iterable[Any], door: Script | Open
) -> tuple[Estimate, ...]:
    """What `summarise` makes of all of it."""
    return summarise(benchmark, VerdictTable(verdicts_of(benchmark, setting, items, door)), setting)


def figure(estimates: Iterable[Estimate], metric: str, **group: str) -> Estimate:
    """The one estimate of a metric in a group."""
    (found,) = (e for e in estimates if e.metric == metric and e.group == group)
    return found
