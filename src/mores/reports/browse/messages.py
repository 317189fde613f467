"""Messages of one item, each once, in the order in which they were said, and its title in a list.

The title is the first line of its question that is not the benchmark's frame.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain, islice, takewhile
from operator import or_
from typing import Any, NamedTuple

import msgspec
from msgspec.msgpack import Decoder, encode

from mores.core.codec import UNREADABLE
from mores.core.errors import InputError
from mores.core.sequences import CompressedList
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
    # Events that are not shown are named all the same, since msgspec refuses a tag that it does not know.
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
    received: dict[str, list[Message]] = defaultdict(list)
    for event in events:
        match event:
            case _Asked(role=role, messages=messages, prompt=prompt):
                same = takewhile(lambda pair: pair[0] == pair[1], zip(received[role], messages, strict=False))
                for message in messages[len(list(same)) :]:
                    part = "" if message.role == "user" else f", as {message.role}"
                    yield BrowserMessage(f"put to the {role}{part}", message.content, prompt)
                received[role] = list(messages)
            case _Answered(role=role, text=text, reasoning=reasoning, finish=finish):
                if reasoning:
                    yield BrowserMessage(f"the {role} thought", reasoning)
                ended = f" (finish: {ENDED[finish]})" if finish in ENDED else ""
                yield BrowserMessage(f"the {role} answered{ended}", text)
                received[role].append(Message(role="assistant", content=text))
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


LONGEST, FIRST = 100, 60
"""Characters of a title, and of its first line where a second one tells items apart."""
FEWEST = 3
"""Words of a line that a title may begin with."""
OWN = 0.4
"""Share of a line's words that have to be the item's own."""
COMMON = 0.3
"""Share of all items above which a word is one of the frame."""
FEW, HELD = 64, 16_384
"""Questions whose lines may be those of the frame, and lines that are kept at hand."""
OPENED = 8_000
"""Questions up to which they are all read once, and not each time that one is looked at."""
_WORD = re.compile(r"\w+")
_PLAIN = bytes(ord(chr(code).lower()) if _WORD.match(chr(code)) else ord(" ") for code in range(128)) + bytes(128)
"""Of ASCII, in a third of the time: letters made small, and a space for each sign that is of no word."""


def titles_of(questions: Collection[str]) -> list[str]:
    r"""A title for each question of one benchmark; the first line where all lines are alike, empty without words.

    Items with the same first line get their next one too, as the statements of one question do.

    >>> titles_of(["In Japan:\nDo people bow?", "In Peru:\nWhen is lunch?", "In Chad:\nWho pours tea?"])
    ['Do people bow?', 'When is lunch?', 'Who pours tea?']
    """
    few = len(questions) <= OPENED
    questions = tuple(questions) if few else questions
    own = _OwnLines(questions)
    found: list[list[str]] | CompressedList[list[str]] = (
        [] if few else CompressedList(encode, Decoder(list[list[str]]).decode)
    )
    found.extend(own.kept(question.splitlines()) for question in questions)
    # Hashes take less room than lines, and two that collide only give a title its second line.
    count = Counter(hash(lines[0]) for lines in found)
    return [
        _cut(lines[0], LONGEST) if count[hash(lines[0])] == 1 else _both(lines[0], "".join(lines[1:]))
        for lines in found
    ]


class _Own(NamedTuple):
    """Part of a line that is the item's own, if any, and true if a title may begin with it."""

    kept: str
    begins: bool


class _OwnLines(dict[str, _Own]):
    """The lines of questions as they are looked at, without the words of the frame that many questions have."""

    def __init__(self, questions: Collection[str]) -> None:
        super().__init__()
        often = max(1, COMMON * len(questions))
        # Lines that many questions have are known by the first ones, for speed alone: all others are counted by words.
        first = frozenset(line for question in islice(questions, FEW) for line in question.splitlines())
        times = Counter(chain.from_iterable(first.intersection(question.splitlines()) for question in questions))
        common = {line for line, count in times.items() if count > often}
        rare = (frozenset(question.splitlines()) - common for question in questions)
        seen = Counter(chain.from_iterable(set(_words("\n".join(lines))) for lines in rare))
        self._frame = {word for word, count in seen.items() if count > often}.union(*map(_words, common))
        self._common = common

    def __missing__(self, line: str) -> _Own:
        if len(self) == HELD:
            self.clear()
        kept, follows = _after_frame(line.strip(), _words(line), self._frame)
        own = _is_own(follows, self._frame)
        found = self[line] = _Own(kept if own else "", begins=own and len(follows) >= FEWEST)
        return found

    def kept(self, lines: Sequence[str]) -> list[str]:
        """Two lines that are the item's own, from the one that a title begins with.

        Where all words are those of many items, it is the first line that not many have; else the first of all.
        """
        own = [self[line] for line in lines]
        begin = next((number for number, each in enumerate(own) if each.begins), 0)
        found = [each.kept for each in own[begin:] if each.kept]
        return found[:2] or [self._first_rare(lines)]

    def _first_rare(self, lines: Sequence[str]) -> str:
        worded = [line.strip() for line in lines if line.strip()]
        rare = (_after_frame(line.strip(), _words(line), self._frame)[0] for line in lines if line not in self._common)
        return next(filter(None, rare), worded[0] if worded else "")


def _after_frame(line: str, words: Sequence[str], frame: set[str]) -> tuple[str, Sequence[str]]:
    """A line and its words, without a beginning that is the frame's."""
    head, _, rest = line.partition(": ")
    if not rest:
        return line, words
    begun = len(_words(head))
    return (line, words) if _is_own(words[:begun], frame) else (rest, words[begun:])


def _is_own(words: Sequence[str], frame: set[str]) -> bool:
    return bool(words) and len(words) - sum(map(frame.__contains__, words)) >= OWN * len(words)


def _both(first: str, second: str) -> str:
    return _cut(" · ".join((_cut(first, FIRST), *filter(None, (second,)))), LONGEST)


def _cut(line: str, longest: int) -> str:
    return line if len(line) <= longest else f"{line[:longest].rsplit(' ', 1)[0]} …"


def _words(text: str) -> list[str]:
    if text.isascii():
        return text.encode().translate(_PLAIN).decode().split()
    return _WORD.findall(text.casefold())
