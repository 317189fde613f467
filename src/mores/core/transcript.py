"""What happened, as an append-only list of typed events; a one-turn answer is a short transcript.

Nothing in it depends on the clock or on the order in which calls came back, so equal seeds and replies give
equal bytes.
"""

from typing import Literal, get_args

import msgspec
from msgspec import Struct, structs

from mores.core.day_events import DayEvent
from mores.core.errors import InputError

CUT_SHORT: Literal["cut short"] = "cut short"
"""The flag of what somebody said in a talk where it ended at a limit."""


class Message(Struct, frozen=True, kw_only=True):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


class RequestEvent(Struct, frozen=True, kw_only=True):
    """A role was asked these words, made from the prompt with this hash."""

    role: str
    messages: tuple[Message, ...]
    prompt: str
    event: Literal["asked"] = "asked"


class ReplyEvent(Struct, frozen=True, kw_only=True):
    """A role answered; `planted` is what a simulated model was meant to do, sealed from every real judge.

    `logprobs` are those of labels, where these were asked for instead of words.
    """

    role: str
    text: str
    reasoning: str = ""
    finish: str = "stop"
    refusal: bool = False
    planted: str | None = None
    logprobs: tuple[tuple[str, float], ...] | None = None
    event: Literal["answered"] = "answered"


class FailureEvent(Struct, frozen=True, kw_only=True):
    """A role could not be asked: the network, the endpoint or a missing recording, not the role's answer."""

    role: str
    cause: str
    detail: str = ""
    event: Literal["failed"] = "failed"


class BriefingEvent(Struct, frozen=True, kw_only=True):
    """A mind was told this before a talk began, in the words of the prompt with this hash."""

    role: str
    name: str
    words: str
    prompt: str
    event: Literal["briefed"] = "briefed"


class TurnEvent(Struct, frozen=True, kw_only=True):
    """A mind said something in a round of a talk, counted from 1; `flags` name what was wrong with it.

    `text` is what the other heard; `raw` is what the model said, where that was more.
    """

    role: str
    name: str
    round: int
    text: str
    raw: str | None = None
    reasoning: str = ""
    flags: tuple[str, ...] = ()
    planted: str | None = None
    event: Literal["spoke"] = "spoke"


class DialogueEndEvent(Struct, frozen=True, kw_only=True):
    """A talk ended: why, by whose words if by anybody's, and after how many rounds, a round begun counting as one.

    `recording`: what was said elsewhere went no further.
    """

    why: Literal["closing words", "limit", "silence", "recording"]
    by: str | None
    rounds: int
    event: Literal["ended"] = "ended"


TranscriptEvent = RequestEvent | ReplyEvent | FailureEvent | BriefingEvent | TurnEvent | DialogueEndEvent | DayEvent


def _name(kind: type[TranscriptEvent]) -> str:
    return str(next(f.default for f in structs.fields(kind) if f.name == "event"))


EVENTS: dict[str, type[TranscriptEvent]] = {_name(kind): kind for kind in get_args(TranscriptEvent)}
"""Each kind of event by the name that it bears in a file."""


def read_event(said: dict[str, object]) -> TranscriptEvent:
    """The event of one object of a file.

    Raises:
        InputError: it is no event, or one that is damaged.
    """
    kind = EVENTS.get(str(said.get("event")))
    if kind is None:
        raise InputError(f"no event is called '{said.get('event')}'; known are {', '.join(EVENTS)}.")
    try:
        return msgspec.convert(said, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"event '{said['event']}' is damaged ({error}).") from error


class Transcript(Struct, frozen=True, kw_only=True):
    """All events of one item in one sample."""

    item: str
    sample: int
    events: tuple[TranscriptEvent, ...]

    @property
    def question(self) -> str:
        """What a user's message put to the subject first; the first words where there is none; empty without words."""
        asked = (m for e in self.events if isinstance(e, RequestEvent) for m in e.messages if e.role == "subject")
        put = (message.content for message in asked if message.role == "user")
        words = (e.words if isinstance(e, BriefingEvent) else "" for e in self.events)
        return next(put, None) or next(filter(None, words), "")
