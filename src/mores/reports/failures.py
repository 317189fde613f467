"""Answers that went wrong, with the exact words asked and answered: a seeded sample that a page can hold.

verdicts ─▶ which went wrong, and how ─▶ a sample, rare kinds first ─▶ transcripts ─▶ words, and what judges found
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappush, heappushpop
from typing import Literal, NamedTuple, get_args

from mores.benchmarks.shapes.explained_figures import GOOD_FROM
from mores.core.codec import parse_json
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.transcript import Answered, Asked, Briefed, Ended, Event, Failed, Message, Spoke, read_event
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.reports.findings import Finding
from mores.reports.units import BY_LABEL, ByLabel
from mores.runs.results import TRANSCRIPTS
from mores.runs.stored import JUDGES

Kind = Literal["wrong", "wrong reason", "format error", "refusal", "ungraded"]
"""A label that is wrong; a right one whose reasons are not good; an answer that cannot be used; no grade."""
KINDS: tuple[Kind, ...] = get_args(Kind)
DICE = Seed("report")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One stretch of words in the order they were said; `speaker` says who, such as `the subject answered`.

    Of judges only what they found stands here, at the end; what they were asked is in the transcripts.
    """

    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One answer that was not right: how, what was wanted and read, and all that was said.

    `part` is the norm that an open answer was held against, where it was.
    """

    kind: Kind
    item: str
    part: str
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
    dice, described = DICE.child(cell.benchmark, cell.model), cell.metric(cell.headline)
    full = described.high if described and cell.headline in cell.tasks else 1.0
    by = BY_LABEL[cell.headline] if cell.label_task is not None else None
    for index, answer in enumerate(cell.answers()):
        kind = kind_of(*answer, full=full) if by is None else _kind_by_label(answer[0], by)
        if kind is not None:
            counts[kind] += 1
            lot = -_lot(dice, answer[0])
            put = heappushpop if len(drawn[kind]) >= most else heappush
            put(drawn[kind], _Drawn(lot, index, kind, answer))
    chosen = _shared_out(drawn, most)
    said = _said(cell, {_play(each) for each in chosen})
    return Sample(shown=tuple(_failure(each, said.get(_play(each), ())) for each in chosen), counts=dict(counts))


def kind_of(verdict: Verdict, reasons: Verdict | None = None, *, full: float = 1.0) -> Kind | None:
    """How an answer went wrong, by the verdict on it or its label, and that on its reasons; None where it did not.

    `full` are the points of an answer that is all right.
    """
    if not isinstance(verdict, Graded):
        return "ungraded"
    if verdict.fault is not None:
        return "refusal" if verdict.fault == "refusal" else "format error"
    if _wrong(verdict, full):
        return "wrong"
    if isinstance(reasons, Graded):
        return "wrong reason" if reasons.points < GOOD_FROM else None
    return None if reasons is None else "ungraded"


def _kind_by_label(verdict: Verdict, by: ByLabel) -> Kind | None:
    """The same where the headline counts labels, whatever the points."""
    if isinstance(verdict, Graded) and verdict.fault is not None:
        return kind_of(verdict)
    said = by.says(verdict)
    return "ungraded" if said is None else None if said else "wrong"


def _wrong(verdict: Graded, full: float) -> bool:
    """Whether a label is wrong; points that a rubric gave are no label, and a probability is below 1 for right ones."""
    if verdict.ballot is not None and verdict.ballot.shares:
        return verdict.label != wanted_of(verdict)
    judged_by_points = verdict.ballot is not None and verdict.label is None
    return not judged_by_points and verdict.points < full


def wanted_of(verdict: Verdict) -> str | None:
    """The label that was wanted: the gold one, or the first of those that a judge could choose from."""
    shares = verdict.ballot.shares if isinstance(verdict, Graded) and verdict.ballot else None
    return next(iter(shares), None) if shares and verdict.gold is None else verdict.gold


def _lot(dice: Seed, verdict: Verdict) -> float:
    about = verdict.about
    own = (about.item, about.part) if about.part else (about.item,)
    return dice.child(*own, verdict.sample).uniform()


class _Drawn(NamedTuple):
    """A failure with its lot (of the smallest lots, the heap's first is the largest) and its place in the data."""

    lot: float
    number: int
    kind: Kind
    answer: tuple[Verdict, ...]


def _play(drawn: _Drawn) -> tuple[str, int]:
    return drawn.answer[0].about.item, drawn.answer[0].sample


def _shared_out(drawn: dict[Kind, list[_Drawn]], most: int) -> list[_Drawn]:
    """Each kind gets an equal part of the room; what a rare kind leaves goes to the others."""
    kept: list[_Drawn] = []
    for left, members in zip(range(len(drawn), 0, -1), sorted(drawn.values(), key=len), strict=True):
        room = -(-(most - len(kept)) // left)
        kept += sorted(members, reverse=True)[:room]
    return sorted(kept, key=lambda each: each.number)


def questions_of(cell: Finding, items: Collection[str]) -> dict[str, str]:
    """What a cell's subject was first asked or told about some items, in words; items without words are left out."""
    said = _said(cell, {(item, 0) for item in items})
    return {item: lines[_first_put(lines)].text for (item, _), lines in said.items() if lines}


def _first_put(lines: Sequence[Line]) -> int:
    """The number of the first line that was put to the subject by a user; the first line where there is none."""
    return next((number for number, line in enumerate(lines) if line.speaker == "put to the subject"), 0)


def _said(cell: Finding, wanted: set[tuple[str, int]]) -> dict[tuple[str, int], tuple[Line, ...]]:
    path = cell.folder / TRANSCRIPTS
    found = {}
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            where = f"{path}:{number}"
            row = parse_json(line, where=where)
            if (row.get("item"), row.get("sample")) in wanted:
                events = [_event(said, where) for said in row["events"]]
                found[row["item"], row["sample"]] = tuple(_lines(event for event in events if not _of_judge(event)))
    return found


def _event(said: dict[str, object], where: str) -> Event:
    try:
        return read_event(said)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _of_judge(event: Event) -> bool:
    return isinstance(event, Asked | Answered | Failed) and event.role.startswith(JUDGES)


def _lines(events: Iterable[Event]) -> Iterator[Line]:
    """What was said, each message once: a later call to the same role repeats the talk so far.

    What happens in a town is no talk, and is not told here.
    """
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
            case Briefed() | Spoke() | Ended():
                yield from _talk(event)


def _talk(event: Briefed | Spoke | Ended) -> Iterator[Line]:
    """What was said in a talk, in full where only a part of it was heard."""
    match event:
        case Briefed(role=role, words=words):
            yield Line(speaker=f"told to the {role} before the talk", text=words)
        case Spoke(role=role, round=number, flags=flags):
            if event.reasoning:
                yield Line(speaker=f"the {role} thought", text=event.reasoning)
            marked = f" ({', '.join(flags)})" if flags else ""
            yield Line(speaker=f"the {role} in round {number}{marked}", text=event.raw or event.text)
        case Ended(why=why, rounds=rounds):
            yield Line(speaker=f"the talk ended in round {rounds}", text=why)


def _put(message: Message, role: str) -> str:
    return f"put to the {role}" if message.role == "user" else f"put to the {role}, as {message.role}"


def _fresh(messages: Sequence[Message], heard: Sequence[Message]) -> Sequence[Message]:
    same = 0
    for old, new in zip(heard, messages, strict=False):
        if old != new:
            break
        same += 1
    return messages[same:]


def _failure(drawn: _Drawn, lines: tuple[Line, ...]) -> Failure:
    verdict = drawn.answer[0]
    label, reason = (verdict.label, verdict.reason) if isinstance(verdict, Graded) else (None, verdict.cause)
    return Failure(
        kind=drawn.kind,
        item=verdict.about.item,
        part=verdict.about.part,
        sample=verdict.sample,
        place=verdict.about.place,
        gold=wanted_of(verdict),
        label=label,
        reason=reason,
        lines=(*lines, *(line for each in drawn.answer for line in _found(each))),
    )


def _found(verdict: Verdict) -> Iterator[Line]:
    """What judges found: the grade and its reason, or the last words of those that gave none."""
    if isinstance(verdict, Ungraded):
        if verdict.cause.startswith(JUDGES):
            yield Line(speaker=f"no grade for the {verdict.task}: {verdict.cause}", text=verdict.raw)
    elif verdict.ballot is not None:
        yield Line(speaker=f"judged, {verdict.task}: {_grade(verdict)}", text=verdict.reason)


def _grade(verdict: Graded) -> str:
    shares = verdict.ballot.shares if verdict.ballot else None
    if shares:
        return ", ".join(f"{label} {100 * share:.0f}%" for label, share in shares.items())
    return verdict.label if verdict.label is not None else f"{verdict.points:.2f} points"
