"""Models asked through Inspect AI, whose own providers stand behind `inspect/` (extra `inspect`).

Inspect writes the calls and reads the answers; retries, limits and the journal stay ours. What a provider passes over
of a call's settings, Inspect passes over too.
"""

import asyncio
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from time import perf_counter
from typing import Any

from mores.core.card import THINKING_ROOM, EndpointOptions, Sampling
from mores.core.errors import InputError
from mores.core.extras import needed
from mores.core.seeds import Seed
from mores.core.transcript import Message
from mores.models.capabilities import NO_SCHEMA
from mores.models.completion import MARKED, Note, ended, filtered
from mores.models.credentials import Access, check_inspected
from mores.models.error_messages import OVERFLOW, ContextLengthRefusal, read_length
from mores.models.extra_body import (
    AT_TIMES,
    IDLE,
    LEVELS,
    N,
    broke_off_thinking,
    efforts,
    extra_fields,
    is_idle,
    is_starved,
)
from mores.models.label_logprobs import NO_LOGPROBS
from mores.models.marks import ThinkTags, spoken
from mores.models.model import ModelDefaults
from mores.models.outcomes import FILTERED, read_error, speaks_of_key
from mores.models.provider import Provider, provider_of
from mores.models.redaction import EchoedRequest, Redaction, without_echo
from mores.models.registry import Connection
from mores.models.request import CallFailed, Reply, Request, Usage, first_question
from mores.models.retries import EndpointHealth
from mores.models.single_flight import SingleFlight, is_valid

LIBRARY = "inspect_ai"
_SECRETS = ("_API_KEY", "_SECRET_ACCESS_KEY", "_TOKEN")
"""Suffixes of variables that hold what no reply and no error may show."""
_MARKUP = re.compile(r"\[/?(?:bold|blue)\]")
"""Marks of colour in Inspect's errors."""


def check_installed(spec: str) -> None:
    """Refuse a model that nothing here could ask, or that names no provider.

    Raises:
        InputError: Inspect is not installed, or a part of the name is missing.
    """
    if spec.count("/") < 2 or not all(spec.split("/")):
        raise InputError(f"--model '{spec}': expected inspect/PROVIDER/MODEL, such as inspect/bedrock/MODEL.")
    if find_spec(LIBRARY) is None:
        needed(LIBRARY)


class InspectModel(ModelDefaults):
    """A model behind Inspect AI."""

    by_item = False

    def __init__(
        self,
        spec: str,
        *,
        access: Access,
        window: int,
        timeout: float,
        seed: Seed | None,
        think_tags: ThinkTags | None = None,
    ) -> None:
        check_installed(spec)
        check_inspected(spec, access)
        self.spec, self.identity = spec, provider_of(spec).identity(access.base_url)
        self.remarks: Counter[str] = Counter()  # answers that were odd and are kept, by what is odd
        self._tags = think_tags
        self.overhead: list[Usage] = []
        self.altered: tuple[str, ...] = ()
        self.thinks = False
        self._idle: set[EndpointOptions] = set()  # ways of being told to think after which it showed no thinking
        self._window, self._timeout, self._seed = window, timeout, seed
        self._inspect: Any = needed(f"{LIBRARY}.model")
        self._redactions = [Redaction(value) for name, value in os.environ.items() if name.endswith(_SECRETS)]
        self._model = self._opened(access.base_url)
        self._probed = defaultdict[EndpointOptions, SingleFlight[None]](lambda: SingleFlight(is_valid))
        self._question = first_question(Sampling())
        self._health = EndpointHealth(spec, "the provider's key", self._ask_again)

    def _opened(self, base_url: str | None) -> Any:
        """Inspect's own model.

        Raises:
            InputError: Inspect knows no such provider, or the provider's library or key is missing.
        """
        try:
            return self._inspect.get_model(self.spec.partition("/")[2], base_url=base_url, memoize=False)
        except Exception as error:
            reason = self._redacted(_plain(_MARKUP.sub("", str(getattr(error, "message", error)))))
            raise InputError(f"{self.spec}: Inspect cannot open it ({reason}).") from error

    @property
    def doubts(self) -> Mapping[str, int]:
        """None: Inspect counts for itself."""
        return {}

    def about(self, benchmark: str) -> Mapping[str, object]:  # noqa: ARG002 - the same on any
        """Settings that were altered, and what was odd."""
        return {"altered": self.altered, "remarks": dict(self.remarks)}

    def most_output(self, limit: int, sampling: Sampling) -> int:
        """Tokens that a reply may take where its answer is limited so: thinking too, where the model thinks."""
        if sampling.told in self._idle:
            return limit
        return limit + (sampling.thinking_room or (THINKING_ROOM if self.thinks else 0))

    async def prepare(self, sampling: Sampling, *, schema: bool = False) -> None:  # noqa: ARG002 - Inspect knows
        """Return once the model answered a first call, which is made once for each way that it is told to think.

        Raises:
            InputError: every call is refused.
            CallFailed: it failed in a way that may pass; it is made again when next asked for.
        """
        await self._probed[sampling.told].outcome(partial(self._probe, sampling))

    async def _probe(self, sampling: Sampling) -> None:
        self._question = first_question(sampling)
        try:
            reply = await self._call(self._question)
        except CallFailed as failure:
            self.overhead.append(Usage())
            if failure.passing:
                raise
            todo = "; see to the provider's key" if speaks_of_key(failure.detail) else ""
            raise InputError(f"{self.spec}: the provider refuses every call ({failure}){todo}.") from failure
        self.overhead.append(reply.usage)
        if (reply.reasoning or reply.usage.reasoning or is_starved(reply)) and not sampling.thinking_room:
            self.thinks = True
            self._note(f"{THINKING_ROOM} tokens of room for thinking beside the answer's own limit")
        if is_idle(reply, sampling, self.spec):
            self._idle.add(sampling.told)
            self._note(IDLE)

    async def _ask_again(self) -> None:
        self.overhead.append(Usage())
        await self._call(self._question)

    async def reply(self, request: Request) -> Reply:
        """The model's reply.

        Raises:
            CallFailed: no usable reply came.
            NotServed: the provider refuses every call by now.
        """
        if request.labels:
            raise CallFailed(NO_LOGPROBS, "Inspect has no way to weigh labels")
        if request.schema is not None:
            self._note(NO_SCHEMA)
        try:
            reply = await self._call(request)
            if request.sampling.told in self._idle and request.sampling.max_tokens and broke_off_thinking(reply):
                self.overhead.append(reply.usage)
                self._note(AT_TIMES)
                reply = await self._call(request, request.sampling.thinking_room)
        except CallFailed as failure:
            await self._health.check(failure)
            raise
        self._health.record_success()
        return reply

    async def close(self) -> None:
        """Close the connections of the provider's library."""
        await self._model.api.aclose()

    def _remark(self, says: str) -> None:
        self.remarks[says] += 1
        if says == MARKED:
            self._note(MARKED)

    def _note(self, says: str) -> None:
        self.altered = tuple(dict.fromkeys((*self.altered, says)))

    async def _call(self, request: Request, room: int = 0) -> Reply:
        """The reply to a call, with so much more room for thinking than is known to be wanted."""
        started = perf_counter()
        words, config = [self._message(message) for message in request.messages], self._config(request, room)
        try:
            async with asyncio.timeout(self._timeout):
                # A task of its own: Inspect keeps what was said with the task that asked, for as long as that lives.
                found = await asyncio.create_task(self._model.generate(words, config=config))
        except TimeoutError as error:
            raise CallFailed("time-out", f"no answer in {self._timeout:g} s", passing=True) from error
        except Exception as error:  # each provider's library has errors of its own
            failure = self._failed(error, config.max_tokens, request)
            if failure.cause != FILTERED:
                raise failure from error
            return filtered()
        reply = read_output(found, perf_counter() - started, self._tags, self._remark)
        for redaction in self._redactions:
            reply = redaction.reply(reply)
        return reply

    def _message(self, message: Message) -> Any:
        kinds = {"system": "ChatMessageSystem", "assistant": "ChatMessageAssistant", "user": "ChatMessageUser"}
        return getattr(self._inspect, kinds[message.role])(content=message.content)

    def _config(self, request: Request, room: int) -> Any:
        sampling, tag = request.sampling, request.tag
        cuts = sampling.cuts
        if "min_p" in cuts:
            self._note("min_p left out, since Inspect has no such setting")
        limit = None if sampling.max_tokens is None else self.most_output(sampling.max_tokens, sampling) + room
        seed = self._seed.child("wire", tag.item, tag.sample).below(2**31) if self._seed and sampling.seeded else None
        return self._inspect.GenerateConfig(
            # The client tries again by itself, and two who do so multiply.
            max_retries=0,
            max_connections=self._window,
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            top_k=cuts.get("top_k"),
            max_tokens=limit,
            seed=seed,
            logprobs=sampling.logprobs or None,
            **extra_fields(self.spec, sampling),
        )

    def _failed(self, error: Exception, limit: int | None, request: Request) -> CallFailed:
        """Failure by our names of causes; the end of Inspect's own retries says only what it came of."""
        if type(error).__name__ == "RetryError" and isinstance(error.__cause__, Exception):
            error = error.__cause__
        text = without_echo(str(error), EchoedRequest(tuple(message.content for message in request.messages)))
        detail = self._redacted(_plain(text))
        status = next(filter(None, map(_status, _chain(error))), 0)
        if status:
            if isinstance(read_length(detail, limit), ContextLengthRefusal):
                return CallFailed(OVERFLOW, detail)
            found = read_error(status, detail)
            return CallFailed(found.cause, detail, passing=found.passing, of_day=found.day)
        name = type(error).__name__
        passing = bool(self._model.api.should_retry(error))
        if "Timeout" in name:
            return CallFailed("time-out", detail, passing=True)
        if "Connect" in name:
            return CallFailed("no connection", detail, passing=True)
        return CallFailed(f"inspect: {name}", detail, passing=passing)

    def _redacted(self, text: str) -> str:
        for redaction in self._redactions:
            text = redaction.words(text)
        return text[:400]


def _plain(text: str) -> str:
    return " ".join(text.split())


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those that it came of."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _status(error: BaseException) -> int:
    """The HTTP status that a library's error has; 0 for none."""
    answer = getattr(error, "response", None)
    inside = answer.get("ResponseMetadata", {}).get("HTTPStatusCode") if isinstance(answer, Mapping) else None
    named = (getattr(each, name, None) for each in (error, answer) for name in ("status_code", "code", "status"))
    return next((n for n in (inside, *named) if isinstance(n, int) and 400 <= n < 600), 0)


def read_output(found: Any, seconds: float, tags: ThinkTags | None, note: Note) -> Reply:
    """The reply in Inspect's output.

    Raises:
        CallFailed: it has none.
    """
    if not found.choices:
        raise CallFailed("no choice in the body", str(found.error or ""), passing=True)
    choice = found.choices[0]
    text = spoken(choice.message.text, tags)
    if choice.stop_reason == "model_length" and not text.text:
        raise CallFailed(OVERFLOW, "the prompt leaves no room for an answer")
    finish, refused = ended(choice.stop_reason, note)
    if text.marked:
        note(MARKED)
    parts = choice.message.content if isinstance(choice.message.content, list) else ()
    thoughts = (part.reasoning or part.summary or "" for part in parts if part.type == "reasoning")
    drawn = choice.logprobs.content if choice.logprobs else None
    return Reply(
        text=text.text,
        reasoning="\n".join(filter(None, thoughts)) or text.thinking,
        finish=finish,
        refusal=refused,
        usage=_usage(found.usage),
        logprobs=None if drawn is None else tuple((token.token, token.logprob) for token in drawn),
        model=found.model or "",
        seconds=round(seconds, 6),
    )


def _usage(counted: Any) -> Usage:
    """Tokens as endpoints count them: what was cached is part of what was read."""
    if counted is None:
        return Usage(estimated=True)
    cached = counted.input_tokens_cache_read or 0
    return Usage(
        input=counted.input_tokens + cached + (counted.input_tokens_cache_write or 0),
        output=counted.output_tokens,
        cached=cached,
        reasoning=counted.reasoning_tokens or 0,
    )


_EFFORTS = {**efforts(off="none"), **LEVELS}


def _open(spec: str, seed: Seed, connection: Connection) -> InspectModel:
    tags, wait = connection.think_tags, connection.timeout
    return InspectModel(spec, access=connection, window=connection.window, timeout=wait, seed=seed, think_tags=tags)


_inspect = partial(Provider, open=_open, check=check_installed, elsewhere=True)
_with_budget = partial(_inspect, thinking={**_EFFORTS, N: {"reasoning_tokens": N}})
"""A provider of Inspect's that takes a number of tokens for thinking."""

PROVIDERS = (
    _inspect(
        name="inspect",
        examples={
            "inspect/PROVIDER/MODEL": "asks through Inspect AI, where there is no compatible endpoint: mores[inspect]"
        },
        thinking=_EFFORTS,
    ),
    _inspect(name="inspect/azureai", thinking=_EFFORTS, priced_as="azure"),
    _with_budget(name="inspect/anthropic", counts_budget=True),
    _with_budget(name="inspect/bedrock", counts_budget=True, priced_as="aws"),
    _with_budget(name="inspect/google"),
    _with_budget(name="inspect/grok", priced_as="x-ai"),
    _with_budget(name="inspect/openrouter", counts_budget=True),
)
