"""The body of a call as an endpoint takes it: settings, messages, and how much may be drawn.

Messages are written as JSON; what many calls begin with is written once. For a model without a chat template they are
one text to go on with, whose continuation is read as an answer:

messages ─▶ a text by a template ─▶ /completions ─▶ the body of a chat completion, which is read as any other

A question stands as it is, before "Answer:"; a dialogue is a transcript with a name before each turn.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mores.core.card import Sampling
from mores.core.prompt import Prompt
from mores.core.seeds import Seed
from mores.core.transcript import Message
from mores.models.capabilities import Capabilities, response_format, shaped
from mores.models.extra_body import extra_fields
from mores.models.label_scoring import ScoringMethod
from mores.models.provider import provider_of
from mores.models.request import Request

QUESTION, TALK = "completion.question", "completion.talk"
"""The templates, by the names of their files."""
NAMES = {"assistant": "You", "user": "They"}
"""Speakers in a transcript, as the template of a dialogue calls them."""
LABEL = 32
"""Tokens up to which an answer is one line: a label, and no sentences."""
_NO_CHAT = re.compile(r"chat[ _]?template|not a chat model|(?:not|n't) support chat", re.IGNORECASE)
"""Words of servers that know no way to write messages for a model."""
_NEXT = ("\nQuestion:", "\nAnswer:", "\nThey:", "\nYou:")
"""Beginnings of another turn, where an answer is over."""


@cache
def _template(name: str) -> Prompt:
    return Prompt.read(Path(__file__).with_name(f"{name}.prompt.md"))


def templates() -> dict[str, str]:
    """The templates by name, with their hashes."""
    return {prompt.header.name: prompt.sha for prompt in map(_template, (QUESTION, TALK))}


@cache
def form() -> str:
    """Hash of the form in which messages are written, which changes with any of the templates."""
    return f"completion {sha256(repr(sorted(templates().items())).encode()).hexdigest()[:12]}"


def knows_no_chat(detail: str) -> bool:
    """True where a refusal says that messages cannot be written for a model."""
    return _NO_CHAT.search(detail) is not None


def as_text(messages: Sequence[Message]) -> str:
    r"""The text that a model is to go on with.

    >>> as_text([Message(role="user", content="Is snow white?")])
    'Is snow white?\n\nAnswer:'
    """
    if len(messages) == 1 and messages[0].role == "user":
        return _template(QUESTION).render(words=messages[0].content.rstrip())
    system = "\n\n".join(message.content for message in messages if message.role == "system")
    turns = (f"{NAMES[message.role]}: {message.content}" for message in messages if message.role in NAMES)
    return _template(TALK).render(told=system, turns="\n".join(turns)).lstrip("\n")


def text_settings(settings: Mapping[str, object], sampling: Sampling) -> dict[str, object]:
    """The settings of a chat as a text's: log-probabilities by their number, and where an answer ends."""
    kept: dict[str, object] = {name: value for name, value in settings.items() if name != "logprobs"}
    short = sampling.max_tokens is not None and sampling.max_tokens <= LABEL
    logprobs = {"logprobs": 1} if settings.get("logprobs") else {}
    return {**kept, **logprobs, "stop": ["\n"] if short else list(_NEXT)}


def as_chat(body: bytes) -> bytes:
    """The body of a text completion as that of a chat; any other as it is."""
    try:
        completion = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body
    choices = completion.get("choices") if isinstance(completion, dict) else None
    if not isinstance(choices, list) or not all(isinstance(each, dict) and "text" in each for each in choices):
        return body
    return msgspec.json.encode({**completion, "choices": [_as_choice(each) for each in choices]})


def _as_choice(choice: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in choice.items() if name not in {"text", "logprobs"}}
    message = {"role": "assistant", "content": choice["text"]}
    return {**rest, "message": message, "logprobs": _as_tokens(choice.get("logprobs"))}


def _as_tokens(weighed: object) -> dict[str, Any] | None:
    """The tokens with their log-probabilities; None where lists are missing or of unequal length."""
    if not isinstance(weighed, dict):
        return None
    tokens, values = weighed.get("tokens"), weighed.get("token_logprobs")
    if not isinstance(tokens, list) or not isinstance(values, list) or len(tokens) != len(values):
        return None
    return {"content": [{"token": t, "logprob": v} for t, v in zip(tokens, values, strict=True) if v is not None]}


LONG = 1024
KEPT = 512
"""Beginnings that are kept, the latest: norms, for each place and each kind of location, are a few hundred."""
_encoder = msgspec.json.Encoder()


def common(messages: tuple[Message, ...]) -> Message | None:
    """The long message with which a chat begins that has more: rules, norms, a profile, which come again and again."""
    return messages[0] if len(messages) > 1 and len(messages[0].content) >= LONG else None


def written(messages: tuple[Message, ...]) -> bytes:
    """JSON list of the messages."""
    first = common(messages)
    if first is None:
        return _encoder.encode(messages)
    return b"".join((b"[", _written(first), b",", _encoder.encode(messages[1:])[1:]))


@lru_cache(maxsize=KEPT)
def _written(message: Message) -> bytes:
    return _encoder.encode(message)


HEADS_KEPT = 1_024


class Call(NamedTuple):
    """Call as it is sent: the body, the limit of its output, names of settings that may be refused, its shape."""

    body: bytes
    limit: int | None
    names: tuple[str, ...]
    by_schema: bool
    shape: frozenset[str] = frozenset()


class _HeadKey(NamedTuple):
    """Key of the text round the messages."""

    capabilities: Capabilities
    sampling: Sampling
    schema: str | None
    way: ScoringMethod | None


class _Head(NamedTuple):
    """Text before the messages, and the names of the settings in it; the text after them, if always the same."""

    words: bytes
    names: tuple[str, ...]
    tail: "_Tail | None" = None


class _Tail(NamedTuple):
    """Text after the messages: the limit of output, and with it the names of all settings."""

    words: bytes
    limit: int | None
    names: tuple[str, ...]


class _Latest(NamedTuple):
    """The words of the latest call."""

    of: _HeadKey
    head: _Head


class Writer:
    """Writes the calls to one model; what stands round the messages is kept, as it is mostly the same.

    `neutral` are the settings that turn off a server's own sampling. The server that takes these takes a seed too.
    """

    def __init__(self, spec: str, seed: Seed | None) -> None:
        self.neutral = provider_of(spec).neutral
        self._spec, self._model, self._seed = spec, spec.partition("/")[2], seed
        self._heads: dict[_HeadKey, _Head] = {}
        self._latest = _Latest(_HeadKey(Capabilities(), Sampling(), None, None), _Head(b"", ()))

    def write(self, capabilities: Capabilities, request: Request, way: ScoringMethod | None, most: int | None) -> Call:
        """The call that puts a request, by a way to weigh labels where there is one.

        `most` is how much may be drawn at most, where that is known of this very call.
        """
        as_one, shape = request.sampling.as_text, capabilities.shape
        messages = shaped(request.messages, shape) if shape and not as_one else request.messages
        words = msgspec.json.encode(as_text(messages)) if as_one else written(messages)
        schema = request.schema if capabilities.schemas and not as_one else None
        head = self._head(capabilities, request.sampling, schema, way)
        tail = head.tail
        if tail is None or most is not None:
            limit = _limit(capabilities, request.sampling, way, len(words), most)
            tail = _tail(capabilities.limit_name, limit, self._seed_setting(capabilities, request), head.names)
        return Call(b"".join((head.words, words, tail.words)), tail.limit, tail.names, schema is not None, shape)

    def _head(
        self, capabilities: Capabilities, sampling: Sampling, schema: str | None, way: ScoringMethod | None
    ) -> _Head:
        """Text round the messages; mostly that of the call before, which is seen without a hash of it all."""
        latest = self._latest
        of = latest.of
        if of.capabilities is capabilities and of.sampling is sampling and of.schema is schema and of.way is way:
            return latest.head
        of = _HeadKey(capabilities, sampling, schema, way)
        self._latest = _Latest(of, self._kept(of))
        return self._latest.head

    def _kept(self, of: _HeadKey) -> _Head:
        head = self._heads.get(of)
        if head is None:
            if len(self._heads) >= HEADS_KEPT:  # a schema may be a case's own, and cases are many
                self._heads.clear()
            head = self._heads[of] = self._built(of)
        return head

    def _built(self, of: _HeadKey) -> _Head:
        settings = of.capabilities.settings(of.sampling, self.neutral)
        names = (*settings, "seed") if self._is_drawn(of.capabilities, of.sampling) else tuple(settings)
        if of.schema is not None:
            settings["response_format"] = response_format(of.schema, of.capabilities.schema_lacks)
        if of.way is not None:
            settings.update(of.way.settings)
            names = tuple(name for name in names if name not in dict(of.way.settings))
        extra = extra_fields(self._spec, of.sampling)
        settings.update(extra)
        names = tuple(name for name in names if name not in extra)  # what was asked for is never left out
        if of.sampling.as_text:
            settings = text_settings(settings, of.sampling)
        begins = b',"prompt":' if of.sampling.as_text else b',"messages":'
        words = msgspec.json.encode({"model": self._model, **settings})[:-1] + begins
        if of.capabilities.window is not None or self._is_drawn(of.capabilities, of.sampling):
            return _Head(words, names)
        limit = _limit(of.capabilities, of.sampling, of.way, 0, None)
        return _Head(words, names, _tail(of.capabilities.limit_name, limit, "", names))

    def _seed_setting(self, capabilities: Capabilities, request: Request) -> str:
        """The seed of a call whose words are drawn: the same for what is asked once."""
        if self._seed is None or not self._is_drawn(capabilities, request.sampling):
            return ""
        # The word "wire" stays: another one would give each call another seed.
        return f',"seed":{self._seed.child("wire", request.tag.item, request.tag.sample).below(2**31)}'

    def _is_drawn(self, capabilities: Capabilities, sampling: Sampling) -> bool:
        """True if a seed is sent: where it was asked for, or to a server that is known to take one."""
        wanted = sampling.seeded or (bool(self.neutral) and sampling.random)
        return wanted and self._seed is not None and "seed" not in capabilities.leave_out


def _tail(limit_name: str, limit: int | None, seed: str, names: tuple[str, ...]) -> _Tail:
    if limit is None:
        return _Tail(f"{seed}}}".encode(), None, names)
    return _Tail(f',"{limit_name}":{limit}{seed}}}'.encode(), limit, (*names, limit_name))


def _limit(
    capabilities: Capabilities, sampling: Sampling, way: ScoringMethod | None, prompt_bytes: int, most: int | None
) -> int | None:
    """Limit of output: as asked for, with room for thinking, within what is known of the endpoint."""
    if capabilities.limit_name in capabilities.leave_out:
        return None
    if way is not None:
        return way.tokens
    limit = sampling.max_tokens
    if limit is None:
        return None
    return most or capabilities.limit(capabilities.with_room(limit, sampling), prompt_bytes)
