"""Replies that another program has got, graded as those of a run, and figures by plain names.

Reply ─▶ transcript of the one question ─▶ lines of verdicts ─▶ figures

A program that asks every question by itself takes only benchmarks in which the subject is asked once.
"""

import asyncio
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

from msgspec import Struct

from mores.core.errors import InputError
from mores.hosted import SUBJECT, Hosted, hosted, to_text, verdicts_of
from mores.models.cast import Caller
from mores.models.logs.logged_reply import Logged
from mores.models.request import CallFailed, Reply, Request

NO_REPLY = "no reply"


class _Answered(Struct, frozen=True):
    """A caller of a model that has answered already."""

    given: Logged

    async def ask(self, request: Request) -> Reply:
        """The reply, whatever is asked.

        Raises:
            CallFailed: there is none, or the question is not the only one.
        """
        if self.given.reply is None or request.tag.step:
            raise CallFailed(NO_REPLY, self.given.failed)
        return self.given.reply


@lru_cache(maxsize=16)
def opened(name: str, **options: Any) -> Hosted:
    """A benchmark with options of `mores.hosted` that are single values, made once.

    Raises:
        InputError: an option cannot be used, data are missing, or the subject is asked more than once an item.
    """
    bench = hosted(name, **options)
    if not all(hasattr(item, "render") for item in bench.items.values()):
        raise InputError(f"{name}: its items are no single questions; run it with Inspect or mores run.")
    return bench


def words_of(bench: Hosted, item: str) -> str:
    """The words that are put to the subject."""
    words: str = bench.items[item].render()  # type: ignore[attr-defined] # `opened` has seen to it
    return words


def gold_of(bench: Hosted, item: str) -> str:
    """The right label of an item; empty where it has none."""
    due = bench.evaluation.benchmark.due(bench.items[item])
    return next((each.gold for each in due if each.gold), "")


def grade(bench: Hosted, given: Iterable[Logged], judges: Mapping[str, Caller] | None = None) -> list[list[str]]:
    """The verdicts on each reply, as lines of JSON.

    Args:
        bench: From `opened`.
        given: The replies, or why there is none, by item and sample.
        judges: What asks each judge, where the benchmark has any.

    Raises:
        InputError: a judge has no caller, or there is no such item.
    """
    # In a thread of its own, as the caller's may have a loop that runs: a notebook's has.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, _graded(bench, given, judges or {})).result()


async def _graded(bench: Hosted, given: Iterable[Logged], judges: Mapping[str, Caller]) -> list[list[str]]:
    found = []
    for each in given:
        callers = {**judges, SUBJECT: _Answered(each)}
        transcript = await bench.play(each.item, each.sample, callers)
        found.append([to_text(verdict) for verdict in (await bench.judge(transcript, callers)).verdicts])
    return found


def figures_by_name(bench: Hosted, lines: Iterable[str]) -> dict[str, float]:
    """All figures of lines of verdicts that have a value.

    Of the headline, such as `accuracy`, there are its interval and counts (`accuracy_low`, `accuracy_high`,
    `accuracy_asked`, `accuracy_graded`) and its groups (`accuracy_place_JP`); of other metrics the whole.
    """
    headline = bench.evaluation.benchmark.card.headline
    found: dict[str, float] = {}
    for each in bench.figures(verdicts_of(lines)):
        if each.value is None or (each.group and each.metric != headline):
            continue
        name = "_".join((each.metric, *(part for group in each.group.items() for part in group)))
        found[name] = each.value
        if name == headline:
            more = {"low": each.low, "high": each.high, "asked": each.asked, "graded": each.graded}
            found |= {f"{name}_{part}": float(value) for part, value in more.items() if value is not None}
    return found
