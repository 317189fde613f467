"""Requests to models and their replies.

The sealed key travels with a request for simulated and baseline models alone; no provider sends it and the
journal of a real model never sees it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType, field

from mores.core.card import Control, Sampling
from mores.core.errors import MoresError
from mores.core.transcript import Message


class Tag(Struct, frozen=True, kw_only=True):
    """Role, item and step of a request; never part of the words sent or of the journal's key."""

    item: str
    role: str = "subject"
    step: int = 0
    sample: int = 0


PART_SEPARATOR = " | "
"""Stands between the planted outcomes of an answer in several parts."""
OVER = "over"
"""Finish of a reply that is none: the dialogue from which replies are played back went no further."""


class AnswerKey(Struct, frozen=True, kw_only=True):
    """The truth about an item and a way to say each possible outcome, so that models know no formats.

    `ways` keeps the order in which options were put; `unit` is what is known or not known as one (a question
    with four statements, a norm over its rungs); `affirmative` is the outcome that says yes, where there is one.
    An answer that says something of several units has `parts`, one key each: their words are joined by a space and
    their outcomes are planted with `PART_SEPARATOR` between them; the whole's own truth and ways are then unused.
    `pressure` is how hard the subject is pushed, from 0 to 1.
    Where outcomes are options with texts of their own, `options` has these, and `place_name` the place as the data
    name it. `wording` is the hash of the prompt that it was put in. `control` says how its place was masked or
    swapped, or that its norm was told; unset elsewhere, so that journals made before there were controls keep their
    keys. `courteous` are the outcomes that are open to somebody polite who knows nothing of the place; unset for all.
    `language` is the tag of the language that it is asked in, where it is asked in several; unset elsewhere.
    """

    unit: str
    truth: str
    ways: dict[str, str]
    place: str | None = None
    rung: str = "know"
    affirmative: str | None = None
    parts: "tuple[AnswerKey, ...]" = ()
    pressure: float = 0.0
    options: dict[str, str] = field(default_factory=dict)
    place_name: str = ""
    wording: str = ""
    control: Control | UnsetType = UNSET
    courteous: tuple[str, ...] | UnsetType = UNSET
    language: str | UnsetType = UNSET


BESIDES = "[besides]"
"""Stands in the ways of a `MisfitKey` where the words of what goes wrong besides belong."""


class MisfitKey(AnswerKey, frozen=True, kw_only=True):
    """The truth about a deed in which other things can go wrong besides, each by itself, with the words for each.

    What went wrong stands after the outcome, with `PART_SEPARATOR` between them. It is a kind of its own so that
    requests with other keys keep theirs in journals made before.
    """

    misfits: dict[str, str]


class AlarmKey(AnswerKey, frozen=True, kw_only=True):
    """The key of a turn in which nothing has to be objected to, and somebody may object all the same.

    `alarmed` has for each outcome the one that it becomes by an objection. It is a kind of its own so that requests
    with other keys keep theirs in journals made before.
    """

    alarmed: dict[str, str]


class BundleKey(AnswerKey, frozen=True, kw_only=True):
    """The key of a question that rests on several norms, those that are not told with it by their names.

    Each may be asked about by itself, by the unit of that name. It is a kind of its own so that requests of other
    benchmarks keep their keys in journals made before.
    """

    norms: tuple[str, ...]


class TextPair(NamedTuple):
    """A response and the norm that it is held against."""

    response: str
    norm: str


class Request(Struct, frozen=True, kw_only=True):
    """One call: the words, how to draw, the schema of the answer, and what it is about.

    With `labels` no words are drawn: the messages end in the beginning of the assistant's answer, and what is asked
    for is the log-probability of each label as what comes next (the sum over its tokens), in `Reply.logprobs`. `pair`
    is for models that read a response beside a norm and no words around; the messages hold both, so that the journal's
    key needs no more.
    """

    messages: tuple[Message, ...]
    sampling: Sampling
    tag: Tag
    schema: str | None = None
    key: AnswerKey | None = None
    labels: tuple[str, ...] = ()
    pair: TextPair | None = None


class Usage(Struct, frozen=True, kw_only=True):
    """Tokens of one call; `estimated` where the endpoint gave none and they were guessed from the words.

    Those of a call that was answered in a `batch` cost half.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0
    estimated: bool = False
    batch: bool = False


class Reply(Struct, frozen=True, kw_only=True):
    """Reply of a model, its thinking kept separate from its answer.

    `logprobs` are those of the tokens drawn, or of the labels asked for, by name; `text` is then the likeliest label,
    and `finish` says how labels were weighed: exact, first token or bound.
    `planted` is what a simulated model was meant to do. `seconds` is the time the answer took, the one
    field that differs between equal runs.
    """

    text: str
    reasoning: str = ""
    finish: str = "stop"
    refusal: bool = False
    usage: Usage = field(default_factory=Usage)
    logprobs: tuple[tuple[str, float], ...] | None = None
    model: str = ""
    seconds: float = 0.0
    planted: str | None = None


def first_question(sampling: Sampling) -> Request:
    """Question that a model is asked before anything else, to learn what it takes."""
    words = Message(role="user", content="Answer with the one word: ready")
    return Request(messages=(words,), sampling=sampling, tag=Tag(item="probe", role="probe"))


class CallFailed(Exception):
    """One call that brought no reply; `cause` is a short name that estimates and reports show.

    `passing` failures (429, 5xx, time-outs, broken connections, unreadable bodies) are tried again. `wait` is how long
    the endpoint asked to be left alone; with `of_day` a quota of the day, or of longer, is used up.
    """

    def __init__(
        self, cause: str, detail: str = "", *, passing: bool = False, wait: float | None = None, of_day: bool = False
    ) -> None:
        super().__init__(f"{cause}: {detail}" if detail else cause)
        self.cause, self.detail, self.passing, self.wait, self.of_day = cause, detail, passing, wait, of_day


class BatchedCall(NamedTuple):
    """A call that is not made: the name of its request, and the body that would have been sent."""

    id: str
    body: bytes


class ReplyPending(MoresError):
    """A request whose answer is not there yet: no failure of its play, which is played again once it is.

    `calls` are to be put into a batch for it; `failures` are what came of them in an earlier one.
    """

    def __init__(self, says: str, calls: tuple[BatchedCall, ...] = (), failures: tuple[CallFailed, ...] = ()) -> None:
        super().__init__(says)
        self.calls, self.failures = calls, failures

    @classmethod
    def of_all(cls, each: "Sequence[ReplyPending]") -> "ReplyPending":
        """Joint error of one request that takes several calls."""
        calls = tuple(call for one in each for call in one.calls)
        return cls(str(each[0]), calls, tuple(failure for one in each for failure in one.failures))
