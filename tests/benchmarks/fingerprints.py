"""The fingerprint of a benchmark: all words it asks, its protocol and labels, and how it scores fixed replies.

Two versions of a benchmark with one fingerprint ask and score alike. What an interval looks like is no part of it.
"""

from collections.abc import Iterable
from itertools import count
from typing import Any

from mores.benchmarks.benchmark import Benchmark, Setting
from mores.benchmarks.ledger import Ledger
from mores.core.codec import digest
from mores.core.verdict import Graded, Verdict
from tests.benchmarks.plays import Say, Script, perform, tiny

REPLIES = (
    "True", "False.", "yes", "**No**", "neutral", "A", "b)", "C. Because.", "The answer is true", "It is not true",
    "I'm sorry, I can't say.", "It depends.", "", "no, no", "Yes and no", None, "D", "(A)",
)  # fmt: skip


def fixed(step: int = 1) -> Say:
    """Each call gets the next of the fixed replies, whatever it asks; None is a failure."""
    turn = count(0, step)
    return lambda _: REPLIES[next(turn) % len(REPLIES)]


def fingerprint(name: str) -> str:
    """Twelve hex digits that change with any word asked, setting of the protocol, label or score."""
    benchmark, setting, items = tiny(name, samples=2)
    rounds = [_scored(benchmark, setting, items, step) for step in (1, 5, 7)]
    published = benchmark.card.protocol
    return digest({
        "prompts": sorted((p.header.name, p.sha) for p in benchmark.prompts),
        "protocol": {
            "sampling": published.sampling, "answer_tokens": published.answer_tokens, "samples": published.samples,
            "reading": published.reading, "roles": published.roles, "shuffle": published.shuffle,
        },
        "tasks": benchmark.tasks,
        "rounds": rounds,
    })  # fmt: skip


def _scored(benchmark: Benchmark, setting: Setting, items: Iterable[Any], step: int) -> dict[str, object]:
    """Words asked, labels read and figures found in one round of fixed replies."""
    done = perform(benchmark, setting, items, Script(fixed(step)))
    verdicts = [verdict for _, given in done for verdict in given]
    figures = benchmark.summarise(Ledger(verdicts), setting)
    return {
        "asked": [[m.content for m in e.messages] for t, _ in done for e in t.events if e.event == "asked"],
        "verdicts": [_of(verdict) for verdict in verdicts],
        "figures": [[e.metric, sorted(e.group.items()), e.value, e.worst, e.best, e.asked, e.graded] for e in figures],
    }


def _of(verdict: Verdict) -> list[object]:
    about = verdict.about
    where = [about.item, about.unit, about.cluster, about.place, verdict.sample, verdict.task, verdict.gold]
    return [*where, verdict.points, verdict.label, verdict.fault] if isinstance(verdict, Graded) else [*where, None]
