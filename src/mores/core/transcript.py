"""Transcripts: append-only lists of typed events; a one-turn answer is a short transcript.

Nothing in it depends on the clock or on the order in which calls came back, so equal seeds and replies give
equal bytes.
"""

from typing import Literal, Protocol, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType, structs

from mores.core.errors import InputError

ActionKind = Literal["go", "talk", "do", "call", "text", "wait"]
"""The families of actions: walk to a neighbouring place, talk to people here, do what the place offers, phone, wait."""


class Subtask(Struct, frozen=True, kw_only=True):
    """One thing to get done on a day: in words, the kind of place it needs, and the window in which it is preferred.

    `action` is what of a place's menu does it, where the plan knows one.
    """

    id: int
    words: str
    kind: str
    start: int
    end: int
    action: str = ""


class DayStartEvent(Struct, frozen=True, kw_only=True):
    """A target wakes up with a goal; `brief` is what its model was told, from the prompt with this hash."""

    target: int
    name: str
    nationality: str
    goal: str
    subtasks: tuple[Subtask, ...]
    where: int
    minute: int
    brief: str
    prompt: str
    event: Literal["day began"] = "day began"


class StepStartEvent(Struct, frozen=True, kw_only=True):
    """A step of the day as the target finds it: the time, its place, who is here that it can perceive, and its task.

    `active` is the subtask that is pursued, None once all are done. `seen` is what its model was told of the step.
    """

    step: int
    minute: int
    where: int
    present: tuple[int, ...]
    active: int | None
    seen: str
    event: Literal["step"] = "step"


class ActionEvent(Struct, frozen=True, kw_only=True):
    """Somebody did something: which action, with what, to whom, and how in their own words.

    `where` is where they were when they did it, `to` the people concerned, or the place walked to where the deed is
    `go`. `refused` says why an impossible or unreadable action became a wait; `raw` is then what was said.
    `cut` says that the words of the target ended at a limit.
    """

    step: int
    minute: int
    who: int
    deed: ActionKind
    where: int
    action: str = ""
    argument: str = ""
    to: tuple[int, ...] = ()
    how: str = ""
    refused: str = ""
    raw: str = ""
    reasoning: str = ""
    planted: str | None = None
    cut: Literal[True] | UnsetType = UNSET
    event: Literal["did"] = "did"


class SpeechEvent(Struct, frozen=True, kw_only=True):
    """Somebody said something in a conversation of the target, here or on the phone; `flags` name what was wrong.

    `text` is empty where nothing was said: flags then tell an empty reply, a refusal, or why nobody could be asked.
    """

    step: int
    minute: int
    who: int
    to: tuple[int, ...]
    where: int
    text: str
    phone: bool = False
    flags: tuple[str, ...] = ()
    reasoning: str = ""
    planted: str | None = None
    event: Literal["said"] = "said"


class SubtaskCheckEvent(Struct, frozen=True, kw_only=True):
    """The verifier's word, in the course of the day, on whether a subtask is done; None where it gave none."""

    step: int
    minute: int
    subtask: int
    done: bool | None
    reason: str = ""
    cause: str = ""
    event: Literal["checked"] = "checked"


class DayEndEvent(Struct, frozen=True, kw_only=True):
    """The day ended: all was done, it was night, the steps were used up, or the target could not be asked."""

    step: int
    minute: int
    why: Literal["all done", "night", "steps"]
    event: Literal["day ended"] = "day ended"


DayEvent = DayStartEvent | StepStartEvent | ActionEvent | SpeechEvent | SubtaskCheckEvent | DayEndEvent


CUT_SHORT: Literal["cut short"] = "cut short"
"""The flag of what somebody said in a talk where it ended at a limit."""


class Message(Struct, frozen=True, kw_only=True):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


class RequestEvent(Struct, frozen=True, kw_only=True):
    """A role was asked these words, made from the prompt with this hash.

    `language` is the tag of the language that the prompt is in; a file says nothing of English.
    """

    role: str
    messages: tuple[Message, ...]
    prompt: str
    language: str | UnsetType = UNSET
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


def read_event(payload: dict[str, object]) -> TranscriptEvent:
    """The event of one object of a file.

    Raises:
        InputError: it is no event, or one that is damaged.
    """
    kind = EVENTS.get(str(payload.get("event")))
    if kind is None:
        raise InputError(f"no event is called '{payload.get('event')}'; known are {', '.join(EVENTS)}.")
    try:
        return msgspec.convert(payload, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"event '{payload['event']}' is damaged ({error}).") from error


class Transcript(Struct, frozen=True, kw_only=True):
    """All events of one item in one sample."""

    item: str
    sample: int
    events: tuple[TranscriptEvent, ...]

    @property
    def question(self) -> str:
        """First message to the subject by a user, else the first words; empty without words."""
        asked = (m for e in self.events if isinstance(e, RequestEvent) for m in e.messages if e.role == "subject")
        put = (message.content for message in asked if message.role == "user")
        words = (e.words if isinstance(e, BriefingEvent) else "" for e in self.events)
        return next(put, None) or next(filter(None, words), "")


class ItemMetadata(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Metadata of an item: all that it counts towards; each verdict carries it, so that verdicts can be read alone.

    `unit` is the headline unit (the question, where its statements are items), `cluster` what is drawn
    together (intervals respect it), `groups` the ways to break figures down besides place. Where one item gets
    verdicts on several units (the norms of an open question), `part` tells them apart.
    """

    item: str
    unit: str
    cluster: str
    place: str | None = None
    groups: dict[str, str] = {}
    part: str = ""


class Item(Protocol):
    """One thing to put to a model; the family defines its further fields."""

    @property
    def about(self) -> ItemMetadata:
        """Metadata of the item: all that it counts towards."""
        ...
