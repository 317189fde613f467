"""Models without a chat template: messages written as one text to go on with, and its continuation read as an answer.

messages ─▶ a text by a template ─▶ /completions ─▶ the body of a chat completion, which is read as any other

A question stands as it is, before "Answer:"; a talk is a transcript with a name before each turn.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from mores.core.card import Sampling
from mores.core.prompt import Prompt
from mores.core.transcript import Message

QUESTION, TALK = "completion.question", "completion.talk"
"""The templates, by the names of their files."""
NAMES = {"assistant": "You", "user": "They"}
"""Who speaks in a transcript, as the template of a talk calls them."""
LABEL = 32
"""Tokens up to which an answer is one line: a label, and no sentences."""
_NO_CHAT = re.compile(r"chat[ _]?template|not a chat model|(?:not|n't) support chat", re.IGNORECASE)
"""Words of servers that know no way to write messages for a model."""
_NEXT = ("\nQuestion:", "\nAnswer:", "\nThey:", "\nYou:")
"""What begins another turn, where an answer is over."""


@cache
def _template(name: str) -> Prompt:
    return Prompt.read(Path(__file__).with_name(f"{name}.prompt.md"))


def templates() -> dict[str, str]:
    """The templates by name, with their hashes."""
    return {prompt.header.name: prompt.sha for prompt in map(_template, (QUESTION, TALK))}


@cache
def form() -> str:
    """How messages are written, in a word that changes with any of the templates."""
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
    told = "\n\n".join(message.content for message in messages if message.role == "system")
    turns = (f"{NAMES[message.role]}: {message.content}" for message in messages if message.role in NAMES)
    return _template(TALK).render(told=told, turns="\n".join(turns)).lstrip("\n")


def text_settings(settings: Mapping[str, object], sampling: Sampling) -> dict[str, object]:
    """The settings of a chat as a text's: log-probabilities by their number, and where an answer ends."""
    kept: dict[str, object] = {name: value for name, value in settings.items() if name != "logprobs"}
    short = sampling.max_tokens is not None and sampling.max_tokens <= LABEL
    logprobs = {"logprobs": 1} if settings.get("logprobs") else {}
    return {**kept, **logprobs, "stop": ["\n"] if short else list(_NEXT)}


def as_chat(body: bytes) -> bytes:
    """The body of a text completion as that of a chat; any other as it is."""
    try:
        said = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body
    choices = said.get("choices") if isinstance(said, dict) else None
    if not isinstance(choices, list) or not all(isinstance(each, dict) and "text" in each for each in choices):
        return body
    return msgspec.json.encode({**said, "choices": [_as_choice(each) for each in choices]})


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
