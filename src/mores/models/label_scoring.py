"""Log-probabilities of labels from a chat endpoint: by the most faithful way that it serves, learnt once.

labelled request → one completion or one for each label → a log-probability for each label. Servers differ. vLLM goes
on from a beginning of the answer and weighs the prompt's own tokens, which is exact. llama.cpp and SGLang go on
from a beginning too, others do not; these show the likeliest tokens, and the first token of each label is weighed.
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache, partial
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from mores.core.card import Sampling
from mores.core.prompt import Prompt
from mores.core.transcript import Message
from mores.models.completion import CompletionTokens, Token
from mores.models.label_logprobs import NO_LOGPROBS, Cost, begins_label, pieces_of, scored, sum_first, sum_prompts
from mores.models.request import CallFailed, Reply, ReplyPending, Request, Tag, Usage
from mores.models.single_flight import SingleFlight

REFUSALS = frozenset({"http 400", "http 404", "http 405", "http 422", "http 501"})
"""Causes of an endpoint's refusal of a call that asks for what it does not know."""
TRIES = 3  # of one way that brings a server error, which some servers make of a setting that they cannot serve

RequestSettings = tuple[tuple[str, object], ...]
_GO_ON: RequestSettings = (("continue_final_message", True), ("add_generation_prompt", False))


class ScoringMethod(Struct, frozen=True, kw_only=True):
    """One way to have labels weighed: what is sent, and how many tokens the endpoint may draw.

    Where it `goes_on`, the last message is a beginning of the answer that the endpoint is to go on from; else the
    beginning is asked for in words.
    """

    reads: Literal["prompt", "first token"]
    settings: RequestSettings
    tokens: int
    goes_on: bool
    says: str


def _first_token(top: int, *, goes_on: bool) -> ScoringMethod:
    how = "given and gone on from" if goes_on else "asked for in words"
    return ScoringMethod(
        reads="first token",
        settings=(*(_GO_ON if goes_on else ()), ("logprobs", True), ("top_logprobs", top)),
        tokens=4 if goes_on else 24,
        goes_on=goes_on,
        says=f"labels are scored by their first token among the {top} likeliest, after a beginning that is {how}",
    )


WAYS = (
    ScoringMethod(
        reads="prompt",
        settings=(*_GO_ON, ("prompt_logprobs", 0)),
        tokens=1,
        goes_on=True,
        says="labels are scored exactly, by all their tokens",
    ),
    _first_token(20, goes_on=True),
    _first_token(20, goes_on=False),
    _first_token(5, goes_on=False),
)
"""The most faithful first."""
BOUND_NOTE = "labels that were not among the likeliest tokens have the probability of the last one listed, a bound"

_PROBE = Request(
    messages=(
        Message(role="user", content='Is snow white? Answer with {"Answer": "yes"} or {"Answer": "no"} and no more.'),
        Message(role="assistant", content='{"Answer": "'),
    ),
    sampling=Sampling(temperature=0.0),
    tag=Tag(item="probe", role="probe"),
    labels=("yes", "no"),
)

Messages = tuple[Message, ...]
Draw = Callable[[Request, ScoringMethod], Awaitable[tuple[CompletionTokens, float]]]
"""Puts a request to the endpoint; brings the tokens, and the seconds that it took."""


@cache
def _begin() -> Prompt:
    return Prompt.read(Path(__file__).with_name("begin.prompt.md"))


class Scorer:
    """Asks one endpoint for the log-probabilities of labels.

    Args:
        draw: Puts a call to the endpoint.
        note: Is told, in words, which way was learnt and what is a bound.
        overhead: Takes the usage of calls beyond one for each request.

    `way` is the one that was learnt, None before.
    """

    def __init__(self, draw: Draw, note: Callable[[str], None], overhead: list[Usage]) -> None:
        self._draw, self._note, self._overhead = draw, note, overhead
        self._learning = SingleFlight[ScoringMethod | None](lambda failure: failure is None)
        self._why = ""
        self.way: ScoringMethod | None = None

    async def score(self, request: Request) -> Reply:
        """The reply to a labelled request; the first one learns which way the endpoint serves.

        Raises:
            CallFailed: no log-probabilities are to be had, or the call failed.
        """
        way = self.way or await self._learnt(request.sampling)
        reply = await self._by(way, request)
        if way.reads == "prompt":
            # A call was made for each label, of which the door counts one.
            self._overhead.extend(Usage() for _ in request.labels[1:])
        if reply.finish == "bound":
            self._note(BOUND_NOTE)
        return reply

    async def _learnt(self, sampling: Sampling) -> ScoringMethod:
        self.way = await self._learning.outcome(partial(self._learn, sampling))
        if self.way is None:
            raise CallFailed(NO_LOGPROBS, f"the endpoint gives none of labels ({self._why})")
        return self.way

    async def _learn(self, sampling: Sampling) -> ScoringMethod | None:
        """The first way that brings what it should for a question of our own; None where none does."""
        probe = replace(_PROBE, sampling=sampling)
        for way in WAYS:
            fault = await self._fault(way, probe)
            if fault is None:
                self._note(way.says)
                return way
            self._why = str(fault)
        return None

    async def _fault(self, way: ScoringMethod, probe: Request) -> CallFailed | None:
        """Reason that the endpoint does not serve a method; None where it does.

        Raises:
            CallFailed: what says nothing of the way: a limit, a time-out, a refused key.
        """
        fault = None
        for attempt in range(TRIES):
            await asyncio.sleep(0.1 * attempt)
            try:
                reply = await self._by(way, probe, proving=True)
            except CallFailed as failure:
                self._overhead.append(Usage())
                fault = failure
                if failure.cause in REFUSALS or failure.cause == NO_LOGPROBS:
                    break
                if failure.cause != "http 500":
                    raise
            else:
                self._overhead.append(reply.usage)
                return None
        return fault

    async def _by(self, way: ScoringMethod, request: Request, *, proving: bool = False) -> Reply:
        labels, beginning = request.labels, request.messages[-1]
        if way.reads == "prompt":
            return await self._by_prompts(way, request)
        messages = request.messages if way.goes_on else _in_words(request.messages)
        drawn, seconds = await self._draw(replace(request, messages=messages), way)
        tokens = _listed(drawn)
        if proving and way.goes_on and not begins_label(tokens[0], labels):
            raise CallFailed(NO_LOGPROBS, "the endpoint does not go on from a beginning of the answer")
        sums = sum_first(tokens, labels, None if way.goes_on else beginning.content)
        return scored(labels, sums, Cost(drawn.usage, drawn.model, seconds))

    async def _by_prompts(self, way: ScoringMethod, request: Request) -> Reply:
        """A call for each label, put behind the beginning; one after another, as the door holds one place for all.

        Raises:
            CallFailed: as for `score`.
            ReplyPending: the calls of some labels, all of them named, are not answered yet.
        """
        prompts, usages, took, model = [], [], 0.0, ""
        later: list[ReplyPending] = []
        for label in request.labels:
            try:
                drawn, seconds = await self._draw(with_label(request, label), way)
            except ReplyPending as one:
                later.append(one)
                continue
            if drawn.prompt is None:
                raise CallFailed(NO_LOGPROBS, "the endpoint sends none of the prompt's tokens")
            prompts.append(pieces_of(drawn.prompt))
            usages.append(drawn.usage)
            took, model = took + seconds, drawn.model
        if later:
            raise ReplyPending.of_all(later)
        return scored(request.labels, sum_prompts(prompts, request.labels), Cost(_total(usages), model, took))


def _listed(drawn: CompletionTokens) -> list[Token]:
    if drawn.tokens is None or not drawn.tokens[0].top_logprobs:
        raise CallFailed(NO_LOGPROBS, "the endpoint sends no likeliest tokens")
    return drawn.tokens


def with_label(request: Request, label: str) -> Request:
    """The request that ends in one of its labels, put behind the beginning of the answer."""
    *before, beginning = request.messages
    return replace(request, messages=(*before, replace(beginning, content=beginning.content + label)))


def _in_words(messages: Messages) -> Messages:
    """The messages without the answer's beginning, which the last of them asks for instead."""
    *before, last, beginning = messages
    asked = _begin().render(beginning=beginning.content)
    return (*before, replace(last, content=f"{last.content}\n\n{asked}"))


def _total(usages: list[Usage]) -> Usage:
    return Usage(
        input=sum(usage.input for usage in usages),
        output=sum(usage.output for usage in usages),
        cached=sum(usage.cached for usage in usages),
        estimated=any(usage.estimated for usage in usages),
    )
