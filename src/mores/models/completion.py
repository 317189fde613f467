"""Reading what a chat endpoint sends: the reply, its thinking apart, or a failure with its cause."""

import re
from typing import NamedTuple

import msgspec

from mores.models.request import CallFailed, Reply, Usage

_THINKING = re.compile(r"\A\s*<think(?:ing)?>(.*?)(?:</think(?:ing)?>|\Z)", re.DOTALL)
_CLOSED_ONLY = re.compile(r"\A(.*?)</think(?:ing)?>", re.DOTALL)


class _Details(msgspec.Struct):
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    completion_tokens_details: _Details | None = None
    prompt_tokens_details: _Details | None = None


class _Part(msgspec.Struct):
    text: str | None = None
    thinking: object = None


class _Message(msgspec.Struct):
    content: str | list[_Part] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None


class Token(msgspec.Struct):
    """A drawn token, and the likeliest that could have stood in its place where they were asked for."""

    token: str
    logprob: float
    top_logprobs: "list[Token] | None" = None


class _Logprobs(msgspec.Struct):
    content: list[Token] | None = None


class PromptToken(msgspec.Struct):
    """A token that may stand at one place of the prompt: `rank` 1 is the likeliest there."""

    logprob: float
    rank: int | None = None
    decoded_token: str | None = None


PromptPlaces = list[dict[str, PromptToken] | None]
"""For each place of a prompt the token that stands there by its id, and perhaps likelier ones; None at the first."""


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None
    prompt_logprobs: PromptPlaces | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = ""
    usage: _Usage | None = None
    prompt_logprobs: PromptPlaces | None = None


class _Uncounted(msgspec.Struct):
    """A completion whose counts of tokens may be anything."""

    choices: list[_Choice]
    model: str | None = ""
    usage: msgspec.Raw = msgspec.Raw(b"null")
    prompt_logprobs: PromptPlaces | None = None


_decoder = msgspec.json.Decoder(_Completion)
_uncounted = msgspec.json.Decoder(_Uncounted)
_usages = msgspec.json.Decoder(_Usage | None)
NONSENSE = -1
"""Stands for a count of tokens that is no number."""


def _decode(body: bytes) -> _Completion:
    if not body.strip():
        raise CallFailed("empty body", passing=True)
    try:
        completion = _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        completion = _decode_uncounted(body)
    if not completion.choices:
        raise CallFailed("no choice in the body", passing=True)
    return completion


def _decode_uncounted(body: bytes) -> _Completion:
    """The same where the counts of tokens, or more, are not as they should be."""
    try:
        read = _uncounted.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CallFailed("unreadable body", str(error), passing=True) from error
    try:
        usage = _usages.decode(read.usage)
    except msgspec.DecodeError:
        usage = _Usage(prompt_tokens=NONSENSE, completion_tokens=NONSENSE)
    return _Completion(read.choices, read.model, usage, read.prompt_logprobs)


def read_reply(body: bytes, seconds: float) -> Reply:
    """The reply in an endpoint's body.

    Raises:
        CallFailed: the body is empty, cut, not a completion, or has no choice; all of these may pass.
    """
    completion = _decode(body)
    choice = completion.choices[0]
    message = choice.message
    said = message.content if isinstance(message.content, str) else _plain(message.content)
    text, thought = apart(said) if "think" in said else (said, "")
    refused = bool(message.refusal) or choice.finish_reason == "content_filter"
    return Reply(
        text=text or (message.refusal or ""),
        reasoning=message.reasoning_content or message.reasoning or thought,
        finish=choice.finish_reason or "stop",
        refusal=refused,
        usage=_usage(completion.usage),
        logprobs=None if choice.logprobs is None else _tokens(choice.logprobs),
        model=completion.model or "",
        seconds=round(seconds, 6),
    )


def _plain(content: str | list[_Part] | None) -> str:
    if isinstance(content, list):
        return "".join(part.text or "" for part in content)
    return content or ""


def apart(text: str) -> tuple[str, str]:
    """Answer and thinking of a text; a think block that was never closed is all thinking."""
    if "think" not in text:
        return text, ""
    block = _THINKING.match(text) or (_CLOSED_ONLY.match(text) if "<think" not in text else None)
    if block is None:
        return text, ""
    return text[block.end() :].lstrip("\n"), block[1].strip()


def _usage(usage: _Usage | None) -> Usage:
    if usage is None or usage.prompt_tokens is None:
        return Usage(estimated=True)
    spent, read = usage.completion_tokens_details, usage.prompt_tokens_details
    return Usage(
        input=usage.prompt_tokens,
        output=usage.completion_tokens or 0,
        cached=(read.cached_tokens or 0) if read else 0,
        reasoning=(spent.reasoning_tokens or 0) if spent else 0,
    )


class Drawn(NamedTuple):
    """The tokens of a completion and of its prompt, each None where the endpoint sent none, and what they cost."""

    tokens: list[Token] | None
    prompt: PromptPlaces | None
    usage: Usage
    model: str


def read_tokens(body: bytes) -> Drawn:
    """The tokens in an endpoint's body with their log-probabilities.

    Raises:
        CallFailed: as for `read_reply`.
    """
    completion = _decode(body)
    choice = completion.choices[0]
    drawn = choice.logprobs.content if choice.logprobs is not None else None
    prompt = completion.prompt_logprobs or choice.prompt_logprobs
    return Drawn(drawn or None, prompt or None, _usage(completion.usage), completion.model or "")


def _tokens(logprobs: _Logprobs) -> tuple[tuple[str, float], ...] | None:
    if logprobs.content is None:
        return None
    return tuple((token.token, token.logprob) for token in logprobs.content)
