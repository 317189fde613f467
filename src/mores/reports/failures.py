"""Answers that went wrong, with the exact words asked and answered: a seeded sample that a page can hold.

verdicts ─▶ which went wrong, and how ─▶ a sample, rare kinds first ─▶ transcripts ─▶ words
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappush, heappushpop
from typing import Literal, NamedTuple, get_args

from mores.core.codec import build, parse_json
from mores.core.seeds import Seed
from mores.core.transcript import Answered, Asked, Event, Failed, Message
from mores.core.verdict import Graded, Verdict
from mores.reports.findings import Finding
from mores.runs.results import TRANSCRIPTS

Kind = Literal["wrong", "format error", "refusal", "ungraded"]
KINDS: tuple[Kind, ...] = get_args(Kind)
DICE = Seed("report")
_EVENTS: dict[str, type[Event]] = {"asked": Asked, "answered": Answered, "failed": Failed}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One stretch of words in the order they were said; `speaker` says who, such as `the subject answered`."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One answer that was not right: how, what was wanted and read, and all that was said."""

    kind: Kind
    item: str
    sample: int
    place: str | None
    gold: str | None
    label: str | None
    reason: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Some of a cell's failures in the order of the data, and how many of each kind there are in all."""

    shown: tuple[Failure, ...]
    counts: dict[Kind, int]

    @property
    def total(self) -> int:
        """All failures, shown or not."""
        return sum(self.counts.values())


def sampled_failures(cell: Finding, most: int) -> Sample:
    """A sample of at most `most` failures; kinds that are rare are shown in full first, dice are the cell's own."""
    counts: Counter[Kind] = Counter()
    drawn: dict[Kind, list[_Drawn]] = defaultdict(list)
    dice = DICE.child(cell.benchmark, cell.model)
    for index, verdict in enumerate(cell.verdicts()):
        kind = kind_of(verdict)
        if kind is not None:
            counts[kind] += 1
            lot = -dice.child(verdict.about.item, verdict.sample).uniform()
            put = heappushpop if len(drawn[kind]) >= most else heappush
            put(drawn[kind], _Drawn(lot, index, verdict))
    chosen = _shared_out(drawn, most)
    said = _said(cell, {(v.about.item, v.sample) for v in chosen})
    shown = tuple(_failure(v, said.get((v.about.item, v.sample), ())) for v in chosen)
    return Sample(shown=shown, counts=dict(counts))


def kind_of(verdict: Verdict) -> Kind | None:
    """How an answer went wrong; None where it has full points."""
    if not isinstance(verdict, Graded):
        return "ungraded"
    if verdict.fault is not None:
        return "refusal" if verdict.fault == "refusal" else "format error"
    return "wrong" if verdict.points < 1.0 else None


class _Drawn(NamedTuple):
    """A failure with its lot (of the smallest lots, the heap's first is the largest) and its place in the data."""

    lot: float
    number: int
    verdict: Verdict


def _shared_out(drawn: dict[Kind, list[_Drawn]], most: int) -> list[Verdict]:
    """Each kind gets an equal part of the room; what a rare kind leaves goes to the others."""
    kept: list[_Drawn] = []
    for left, members in zip(range(len(drawn), 0, -1), sorted(drawn.values(), key=len), strict=True):
        room = -(-(most - len(kept)) // left)
        kept += sorted(members, reverse=True)[:room]
    return [each.verdict for each in sorted(kept, key=lambda each: each.number)]


def _said(cell: Finding, wanted: set[tuple[str, int]]) -> dict[tuple[str, int], tuple[Line, ...]]:
    path = cell.folder / TRANSCRIPTS
    found = {}
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            where = f"{path}:{number}"
            row = parse_json(line, where=where)
            if (row.get("item"), row.get("sample")) in wanted:
                events = [build(_EVENTS[event["event"]], event, where=where) for event in row["events"]]
                found[row["item"], row["sample"]] = tuple(_lines(events))
    return found


def _lines(events: Iterable[Event]) -> Iterator[Line]:
    """What was said, each message once: a later call to the same role repeats the talk so far."""
    heard: dict[str, list[Message]] = defaultdict(list)
    for event in events:
        match event:
            case Asked(role=role, messages=messages):
                for message in _fresh(messages, heard[role]):
                    yield Line(speaker=_put(message, role), text=message.content)
                heard[role] = list(messages)
            case Answered(role=role, text=text, reasoning=reasoning):
                if reasoning:
                    yield Line(speaker=f"the {role} thought", text=reasoning)
                yield Line(speaker=f"the {role} answered", text=text)
                heard[role].append(Message(role="assistant", content=text))
            case Failed(role=role, cause=cause, detail=detail):
                yield Line(speaker=f"the {role} gave no answer", text=f"{cause}: {detail}" if detail else cause)


def _put(message: Message, role: str) -> str:
    return f"put to the {role}" if message.role == "user" else f"put to the {role}, as {message.role}"


def _fresh(messages: Sequence[Message], heard: Sequence[Message]) -> Sequence[Message]:
    same = 0
    for old, new in zip(heard, messages, strict=False):
        if old != new:
            break
        same += 1
    return messages[same:]


def _failure(verdict: Verdict, lines: tuple[Line, ...]) -> Failure:
    label, reason = (verdict.label, verdict.reason) if isinstance(verdict, Graded) else (None, verdict.cause)
    return Failure(
        kind=kind_of(verdict) or "wrong",
        item=verdict.about.item,
        sample=verdict.sample,
        place=verdict.about.place,
        gold=verdict.gold,
        label=label,
        reason=reason,
        lines=lines,
    )
