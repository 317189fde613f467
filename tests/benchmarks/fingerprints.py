"""The fingerprint of a benchmark: all words it asks, its protocol and labels, and how it scores fixed replies.

Two versions of a benchmark with one fingerprint ask and score alike. What an interval looks like is no part of it.
"""

from collections.abc import Iterable
from itertools import count
from typing import Any

from msgspec.structs import replace

from mores.benchmarks.benchmark import Benchmark, Setting, summarise
from mores.core.codec import digest, parse_json
from mores.core.transcript import BriefingEvent, DayStartEvent, RequestEvent, StepStartEvent, TranscriptEvent
from mores.core.verdict import Graded, Verdict
from mores.core.verdict_table import VerdictTable
from mores.models.request import Request
from tests.benchmarks.plays import Say, Script, perform, tiny

REPLIES = (
    "True", "False.", "yes", "**No**", "neutral", "A", "b)", "C. Because.", "The answer is true", "It is not true",
    "I'm sorry, I can't say.", "It depends.", "", "no, no", "Yes and no", None, "D", "(A)",
)  # fmt: skip


OPINIONS = tuple(
    f'{{"reason":"Because.",{verdict}}}'
    for verdict in (
        '"score":0.7', '"score":0.2', '"choice":"yes"', '"choice":"no"', '"choice":"neither"', '"choice":"satisfied"',
        '"choice":"violated"', '"choice":"neutral"', '"choice":"correct"', '"choice":"wrong"', '"score":2',
    )
)  # fmt: skip
"""What judges say: each is right for some rubric and a fault for the others, which are then asked again."""


def fixed(step: int = 1) -> Say:
    """Each call gets the next of the fixed replies, whatever it asks; None is a failure. Judges have their own."""
    turn, judged = count(0, step), count(0, step)

    def say(request: Request) -> str | None:
        if request.tag.role.startswith("judge"):
            return _fitting(request.schema or "", next(judged))
        return REPLIES[next(turn) % len(REPLIES)]

    return say


def _fitting(schema: str, turn: int) -> str:
    """An opinion that the schema allows, or every fifth time one that it need not; a list for the ids that it names."""
    fitting = [each for each in OPINIONS if turn % 5 == 0 or _allowed(each, schema)] or list(OPINIONS)
    said = fitting[turn % len(fitting)]
    if '"answers"' not in schema:
        return said
    ids = parse_json(schema, where="schema")["properties"]["answers"]["items"]["properties"]["id"]["enum"]
    return '{"answers":[' + ",".join(f'{{"id":"{name}",{said[1:]}' for name in ids) + "]}"


def _allowed(opinion: str, schema: str) -> bool:
    value = opinion.rsplit(":", maxsplit=1)[-1].rstrip("}")
    return value in schema if '"choice"' in opinion else '"score"' in schema and float(value) <= 1


def fingerprint(name: str) -> str:
    """Twelve hex digits that change with any word asked, setting of the protocol, label or score."""
    benchmark, setting, items = tiny(name, samples=2)
    setting = replace(setting, roles=dict.fromkeys(benchmark.roles(setting.protocol), "openai/fixed"))
    rounds = [_scored(benchmark, setting, items, step) for step in (1, 5, 7)]
    published = benchmark.card.protocol
    return digest({
        "prompts": sorted((p.header.name, p.sha) for p in benchmark.prompts_of(setting)),
        "protocol": {
            "sampling": published.sampling, "answer_tokens": published.answer_tokens, "samples": published.samples,
            "reading": published.reading, "roles": published.roles, "shuffle": published.shuffle,
            **({"judging": published.judging, "settings": published.settings} if published.judging else {}),
        },
        "tasks": benchmark.tasks,
        "rounds": rounds,
    })  # fmt: skip


def _scored(benchmark: Benchmark, setting: Setting, items: Iterable[Any], step: int) -> dict[str, object]:
    """Words asked, labels read and figures found in one round of fixed replies."""
    done = perform(benchmark, setting, items, Script(fixed(step)))
    verdicts = [verdict for _, given in done for verdict in given]
    figures = summarise(benchmark, VerdictTable(verdicts), setting)
    return {
        "asked": [words for t, _ in done for e in t.events if (words := words_of(e))],
        "verdicts": [_of(verdict) for verdict in verdicts],
        "figures": [[e.metric, sorted(e.group.items()), e.value, e.worst, e.best, e.asked, e.graded] for e in figures],
    }


def words_of(event: TranscriptEvent) -> list[str]:
    """What somebody was told or asked in an event; nothing where nobody was."""
    match event:
        case RequestEvent():
            return [message.content for message in event.messages]
        case BriefingEvent():
            return [event.words]
        case DayStartEvent():
            return [event.brief]
        case StepStartEvent():
            return [event.seen]
        case _:
            return []


def _of(verdict: Verdict) -> list[object]:
    about = verdict.about
    where = [about.item, about.unit, about.cluster, about.place, verdict.sample, verdict.task, verdict.gold]
    return [*where, verdict.points, verdict.label, verdict.fault] if isinstance(verdict, Graded) else [*where, None]
