"""One question to the subject and its answer: what closed and open questions have in common."""

from collections.abc import Mapping
from functools import cache
from typing import Protocol as Interface

from msgspec import UNSET, Struct, UnsetType, structs

from mores.benchmarks.benchmark import CallEstimate, Grading
from mores.core.card import Control, Protocol, Sampling
from mores.core.prompt import Prompt, preceded
from mores.core.transcript import (
    CUT_SHORT,
    FailureEvent,
    Item,
    ItemMetadata,
    Message,
    ReplyEvent,
    Transcript,
    TurnEvent,
)
from mores.models.budget import DEFAULT_ANSWER_TOKENS
from mores.models.cast import Cast, call_role
from mores.models.request import AnswerKey, Request, Tag

SUBJECT = "subject"
TYPICAL = 1_000
"""Tokens at most that a judge is taken to read of an answer: a limit may hold thinking too, which no judge sees."""


class Question(Item, Interface):
    """A question put to the subject."""

    @property
    def prompt(self) -> Prompt:
        """Prompt that its words were made from."""
        ...

    def render(self) -> str:
        """The words."""
        ...

    def key(self) -> AnswerKey:
        """Answer key for simulated and baseline models alone."""
        ...


class OpenQuestion(Struct, frozen=True, kw_only=True):
    """A question that is answered in free words; `words` fill the slots of its prompt.

    `line` is where it stands in its file, `control` says how its place was masked, and `preface` is what the
    subject is told before.
    """

    about: ItemMetadata
    prompt: Prompt
    words: Mapping[str, str]
    line: int = 0
    control: Control | UnsetType = UNSET
    preface: str = ""

    def render(self) -> str:
        """The words put to the subject."""
        return preceded(self.prompt.render(**self.words), self.preface)


def limited(protocol: Protocol) -> Sampling:
    """The protocol's sampling, with the limit on the answer as its limit."""
    return _limited(protocol.sampling, protocol.answer_tokens or protocol.sampling.max_tokens)


@cache
def _limited(sampling: Sampling, limit: int | None) -> Sampling:
    """One value for all calls of a run, so that whoever keeps something of one knows it for the next at a glance."""
    return sampling if limit == sampling.max_tokens else structs.replace(sampling, max_tokens=limit)


def of_subject(protocol: Protocol) -> Sampling:
    """Sampling of the subject: the protocol's with its limit, and what the run asks of the subject beside."""
    sampling = limited(protocol)
    return sampling if protocol.subject is None else protocol.subject.over(sampling)


def effort_of(words: str, sampling: Sampling, calls: int = 1) -> CallEstimate:
    """Calls with these words: a token for four letters, the limit on the answer, and what it may think beside."""
    tokens = -(-len(words) // 4) + 4
    answer = (sampling.max_tokens or DEFAULT_ANSWER_TOKENS) + sampling.thinking_room
    return CallEstimate(calls, calls * tokens, calls * answer)


def answer_placeholder(sampling: Sampling) -> str:
    """As many letters as a judge is taken to read of an answer, for outlines."""
    return "w" * 4 * min(sampling.max_tokens or TYPICAL, TYPICAL)


async def ask_question(question: Question, sample: int, cast: Cast, sampling: Sampling) -> Transcript:
    """The question and the answer, or the failure to ask."""
    messages = (Message(role="user", content=question.render()),)
    tag = Tag(item=question.about.item, sample=sample)
    key = None if SUBJECT in cast.blind else structs.replace(question.key(), wording=question.prompt.sha)
    request = Request(messages=messages, sampling=sampling, tag=tag, key=key)
    turn, language = await call_role(cast, request, question.prompt.sha), question.prompt.header.language
    asked = turn.asked if language == "en" else structs.replace(turn.asked, language=language)
    return Transcript(item=tag.item, sample=sample, events=(asked, turn.result))


def with_cut(grading: Grading, transcript: Transcript) -> Grading:
    """The same verdicts, marked where the answer that they are on, or a turn of it, ended at a limit."""
    if not _was_cut(transcript):
        return grading
    return grading._replace(verdicts=tuple(structs.replace(verdict, cut=True) for verdict in grading.verdicts))


def _was_cut(transcript: Transcript) -> bool:
    for event in transcript.events:
        if isinstance(event, ReplyEvent) and event.role == SUBJECT and event.finish == "length":
            return True
        if isinstance(event, TurnEvent) and event.role == SUBJECT and CUT_SHORT in event.flags:
            return True
    return False


def answer_of(transcript: Transcript) -> ReplyEvent | FailureEvent:
    """The subject's last word in a transcript, or the failure that stands for it; judges may have spoken after it."""
    for event in reversed(transcript.events):
        if isinstance(event, ReplyEvent) and event.role == SUBJECT:
            return event
        if isinstance(event, FailureEvent) and not event.role.startswith("judge"):
            return event
    return FailureEvent(role=SUBJECT, cause="not asked")
