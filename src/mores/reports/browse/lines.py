"""What was said of one item, each message once, in the order in which it was said."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from mores.analysis.results import Result
from mores.core.transcript import Answered, Asked, Briefed, Ended, Event, Failed, Message, Spoke
from mores.runs.stored import StoredPlays

QUESTION = "put to the subject"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One stretch of words; `speaker` says who, such as `the subject answered`, `prompt` is the hash of the prompt."""

    speaker: str
    text: str
    role: str = ""
    prompt: str = ""


def lines_of(events: Iterable[Event]) -> Iterator[Line]:
    """What was said, each message once: a later call to the same role repeats the talk so far.

    What happens in a town is no talk, and is not told here.
    """
    heard: dict[str, list[Message]] = defaultdict(list)
    for event in events:
        match event:
            case Asked(role=role, messages=messages, prompt=prompt):
                for message in _fresh(messages, heard[role]):
                    yield Line(speaker=_put(message, role), text=message.content, role=role, prompt=prompt)
                heard[role] = list(messages)
            case Answered(role=role, text=text, reasoning=reasoning):
                if reasoning:
                    yield Line(speaker=f"the {role} thought", text=reasoning, role=role)
                yield Line(speaker=f"the {role} answered", text=text, role=role)
                heard[role].append(Message(role="assistant", content=text))
            case Failed(role=role, cause=cause, detail=detail):
                told = f"{cause}: {detail}" if detail else cause
                yield Line(speaker=f"the {role} gave no answer", text=told, role=role)
            case Briefed() | Spoke() | Ended():
                yield from _talk(event)


def _talk(event: Briefed | Spoke | Ended) -> Iterator[Line]:
    """What was said in a talk, in full where only a part of it was heard."""
    match event:
        case Briefed(role=role, words=words, prompt=prompt):
            yield Line(speaker=f"told to the {role} before the talk", text=words, role=role, prompt=prompt)
        case Spoke(role=role, round=number, flags=flags):
            if event.reasoning:
                yield Line(speaker=f"the {role} thought", text=event.reasoning, role=role)
            marked = f" ({', '.join(flags)})" if flags else ""
            yield Line(speaker=f"the {role} in round {number}{marked}", text=event.raw or event.text, role=role)
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


def first_put(lines: Sequence[Line]) -> str:
    """What a user's message put to the subject first; the first words where there is none; empty without words."""
    found = next((line.text for line in lines if line.speaker == QUESTION), None)
    return found if found is not None else lines[0].text if lines else ""


def questions_of(evaluation: Result, items: Collection[str]) -> dict[str, str]:
    """What a result's subject was first asked or told about some items, in words; items without words are left out."""
    with closing(StoredPlays(evaluation.folder)) as plays:
        said = {item: tuple(lines_of(plays[item, 0].events)) for item in items if (item, 0) in plays}
    return {item: first_put(lines) for item, lines in said.items() if lines}
