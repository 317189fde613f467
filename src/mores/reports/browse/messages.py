"""Messages of one item, each once, in the order in which they were said."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import takewhile
from operator import or_
from typing import Any

import msgspec

from mores.core.codec import UNREADABLE
from mores.core.errors import InputError
from mores.core.transcript import EVENTS, Message
from mores.runs.stored_plays import NOT_PLAYED, StoredPlays

QUESTION = "put to the subject"
ENDED = {"length": "length, cut at a limit", "content_filter": "content filter"}
"""End of an answer that did not end by itself, in words."""


class BrowserMessage(msgspec.Struct, frozen=True, gc=False):
    """One stretch of words; `speaker` says who, such as `the subject answered`, `prompt` is the hash of the prompt."""

    speaker: str
    text: str
    prompt: str = ""


class BrowserEvent(msgspec.Struct, tag_field="event", gc=False):
    """An event of a transcript as far as it is told on a page, so that what is not told need not be read."""


class _Asked(BrowserEvent, tag="asked"):
    role: str
    messages: tuple[Message, ...]
    prompt: str


class _Answered(BrowserEvent, tag="answered"):
    role: str
    text: str
    reasoning: str = ""
    finish: str = "stop"


class _Failed(BrowserEvent, tag="failed"):
    role: str
    cause: str
    detail: str = ""


class _Briefed(BrowserEvent, tag="briefed"):
    role: str
    words: str
    prompt: str


class _Spoke(BrowserEvent, tag="spoke"):
    role: str
    round: int
    text: str
    raw: str | None = None
    reasoning: str = ""
    flags: tuple[str, ...] = ()


class _Ended(BrowserEvent, tag="ended"):
    why: str
    rounds: int


class DayStart(BrowserEvent, tag="day began"):
    """A day in town, and what it is for."""

    goal: str


def _decoder() -> msgspec.json.Decoder[Any]:
    kinds = {str(kind.__struct_config__.tag): kind for kind in BrowserEvent.__subclasses__()}
    silent = (msgspec.defstruct("Silent", [], bases=(BrowserEvent,), tag=name) for name in EVENTS if name not in kinds)
    event: Any = reduce(or_, (*kinds.values(), *silent))
    return msgspec.json.Decoder(msgspec.defstruct("Play", [("events", list[event])]))


_play = _decoder()


def events_of(stored: StoredPlays, play: tuple[str, int]) -> list[BrowserEvent]:
    """The events of a stored play, judges' too; a missing one failed, as not played.

    Raises:
        InputError: its line is damaged.
    """
    line = stored.line(play)
    if line is None:
        return [_Failed(role="subject", cause=NOT_PLAYED, detail=f"{stored.path} has no such play")]
    try:
        events: list[BrowserEvent] = _play.decode(line).events
    except UNREADABLE as error:
        raise InputError(f"{stored.path}: no transcript, or one that is cut ({error}).") from error
    return events


def lines_of(events: Iterable[BrowserEvent]) -> Iterator[BrowserMessage]:
    """Messages, each once: a later call to the same role repeats the talk so far.

    What happens in a town is no talk, and is not told here.
    """
    heard: dict[str, list[Message]] = defaultdict(list)
    for event in events:
        match event:
            case _Asked(role=role, messages=messages, prompt=prompt):
                same = takewhile(lambda pair: pair[0] == pair[1], zip(heard[role], messages, strict=False))
                for message in messages[len(list(same)) :]:
                    part = "" if message.role == "user" else f", as {message.role}"
                    yield BrowserMessage(f"put to the {role}{part}", message.content, prompt)
                heard[role] = list(messages)
            case _Answered(role=role, text=text, reasoning=reasoning, finish=finish):
                if reasoning:
                    yield BrowserMessage(f"the {role} thought", reasoning)
                ended = f" (finish: {ENDED[finish]})" if finish in ENDED else ""
                yield BrowserMessage(f"the {role} answered{ended}", text)
                heard[role].append(Message(role="assistant", content=text))
            case _Failed(role=role, cause=cause, detail=detail):
                yield BrowserMessage(f"the {role} gave no answer", f"{cause}: {detail}" if detail else cause)
            case _Briefed() | _Spoke() | _Ended():
                yield from _talk(event)


def _talk(event: _Briefed | _Spoke | _Ended) -> Iterator[BrowserMessage]:
    """Words of a talk, in full where only a part of it was heard."""
    match event:
        case _Briefed(role=role, words=words, prompt=prompt):
            yield BrowserMessage(f"told to the {role} before the talk", words, prompt)
        case _Spoke(role=role, round=number, flags=flags):
            if event.reasoning:
                yield BrowserMessage(f"the {role} thought", event.reasoning)
            marked = f" ({', '.join(flags)})" if flags else ""
            yield BrowserMessage(f"the {role} in round {number}{marked}", event.raw or event.text)
        case _Ended(why=why, rounds=rounds):
            yield BrowserMessage(f"the talk ended in round {rounds}", why)


def first_user_message(lines: Sequence[BrowserMessage]) -> str:
    """First user message to the subject; the first words where there is none; empty without words."""
    found = next((line.text for line in lines if line.speaker == QUESTION), None)
    return found if found is not None else lines[0].text if lines else ""
