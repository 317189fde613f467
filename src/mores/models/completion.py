"""Reading what a chat endpoint sends: the reply, its thinking apart, or a failure with its cause."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from mores.models.marks import ThinkTags, may_be_marked, spoken
from mores.models.outcomes import BOM, BROKEN_OFF, STOPPED, read_finish
from mores.models.request import CallFailed, Reply, Usage

MARKED = "marks of the chat template taken off answers"
REPAIRED = "a byte-order mark, or half of a letter that is now U+FFFD, in the body of an answer"
_HALF = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""A half of a surrogate pair as JSON escapes it, and what is none: an escaped backslash, a whole pair."""


class _Details(msgspec.Struct):
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    completion_tokens_details: _Details | None = None
    prompt_tokens_details: _Details | None = None


class _Message(msgspec.Struct):
    content: str | list[object] | dict[str, object] | None = None
    refusal: object = None
    reasoning_content: object = None  # DeepSeek, vLLM, SGLang, Qwen
    reasoning: object = None  # OpenRouter, Groq, vLLM
    reasoning_details: object = None  # OpenRouter, MiniMax
    thinking: object = None  # Ollama
    thinking_blocks: object = None  # LiteLLM

    @property
    def may_think(self) -> bool:
        """False where no field can hold thinking, as in most answers."""
        thinking = self.reasoning_content or self.reasoning or self.thinking or self.reasoning_details
        return bool(thinking or self.thinking_blocks or isinstance(self.content, list | dict))


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
    message: _Message | None = None
    finish_reason: object = None
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


def _pass_over(remark: str) -> None:
    """Keep no note."""


Note = Callable[[str], None]
"""Is told of what is odd in an answer and kept all the same."""


def _decode(body: bytes, note: Note = _pass_over) -> _Completion:
    if not body.strip():
        raise CallFailed("empty body", passing=True)
    try:
        completion = _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        corrected = _corrected(body)
        completion = _decode_uncounted(corrected)
        if corrected != body:
            note(REPAIRED)
    if not completion.choices:
        raise CallFailed("no choice in the body", passing=True)
    return completion


def _corrected(body: bytes) -> bytes:
    """The body without a byte-order mark, halves of letters replaced; what is wrong with it else stays so."""
    plain = body.removeprefix(BOM)
    if not plain.isascii():
        try:
            whole = plain.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return body
        # By way of UTF-16, in which two halves that belong together become one letter.
        plain = whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
    return _HALF.sub(lambda found: b"\\ufffd" if found["half"] else found[0], plain) if b"\\u" in plain else plain


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


def read_reply(body: bytes, seconds: float, tags: ThinkTags | None = None, note: Note = _pass_over) -> Reply:
    """The reply in an endpoint's body.

    Args:
        body: As it came.
        seconds: How long it took.
        tags: Marks round the model's thinking beside those that are known.
        note: Is told of what is odd in it and kept all the same: an unknown word for its end, marks of a template.

    Raises:
        CallFailed: the body is empty, cut, not a completion, has no choice, or its answer broke off on the provider's
            side; all of these may pass.
    """
    completion = _decode(body, note)
    choice = completion.choices[0]
    message, finish, refused = choice.message, STOPPED, False
    if choice.finish_reason != STOPPED:
        finish, refused = ended(choice.finish_reason, note)
    if message is None:
        if not refused:
            raise CallFailed("unreadable body", "its choice has no message", passing=True)
        message = _Message()
    content = message.content
    text = content if isinstance(content, str) else _text_of(content)
    thought = _thought(message) if message.may_think else ""
    if may_be_marked(text) or tags is not None:
        found = spoken(text, tags)
        text, thought = found.text, thought or found.thinking
        if found.marked:
            note(MARKED)
    declined = _declined(message) if message.refusal or isinstance(content, list | dict) else ""
    return Reply(
        text=text or declined,
        reasoning=thought,
        finish=finish,
        refusal=refused or bool(declined) or bool(message.refusal),
        usage=_usage(completion.usage),
        logprobs=None if choice.logprobs is None else _tokens(choice.logprobs),
        model=completion.model or "",
        seconds=round(seconds, 6),
    )


_TAKEN_FOR = {
    "answer": "the answer stands", "cut": "taken for a limit", "refusal": "taken for a refusal",
    "passing": "taken for a failure that passes",
}  # fmt: skip


def ended(word: object, note: Note) -> tuple[str, bool]:
    """In which word of ours an answer ended, and whether in a refusal.

    Raises:
        CallFailed: the provider's side broke it off.
    """
    finish = read_finish(word)
    if not finish.known:
        note(f"an unknown word for the end of an answer, '{str(word)[:40]}'; {_TAKEN_FOR[finish.kind]}")
    if finish.kind == "passing":
        raise CallFailed(BROKEN_OFF, f"the answer ended with '{finish.word}'", passing=True)
    return finish.word, finish.kind == "refusal"


_THINKING_PARTS = frozenset({"thinking", "thought", "reasoning", "reasoning_text", "summary_text", "redacted_thinking"})
"""Types of parts that are thinking: Mistral, Anthropic, Responses."""
_SPOKEN_PARTS = frozenset({"", "text", "output_text"})
_WORDS = ("text", "thinking", "reasoning", "summary", "content")
"""Fields in which a part of thinking has its words, or parts of its own."""
_DEEPEST = 8


def _text_of(content: object) -> str:
    """The words of a content in parts that are no thinking; parts of other kinds are passed over."""
    return "".join(part if isinstance(part, str) else _text(part) for part in _parts(content))


def _text(part: object) -> str:
    if not isinstance(part, Mapping) or part.get("thought") or str(part.get("type") or "") not in _SPOKEN_PARTS:
        return ""
    text = part.get("text")
    if isinstance(text, Mapping):  # with notes on its words, as in OpenAI's threads
        text = text.get("value")
    return text if isinstance(text, str) else ""


def _thought(message: _Message) -> str:
    """The thinking that stands in fields of a message or in parts of its content, from the first place that has any."""
    if isinstance(message.content, list | dict):
        thinking = (part for part in _parts(message.content) if isinstance(part, Mapping) and _is_thinking(part))
        if (found := "\n".join(filter(None, map(_words, thinking)))) != "":
            return found
    fields = (message.reasoning_content, message.reasoning, message.thinking)
    return next(filter(None, map(_words, (*fields, message.reasoning_details, message.thinking_blocks))), "")


def _is_thinking(part: Mapping[str, object]) -> bool:
    return bool(part.get("thought")) or str(part.get("type") or "").partition(".")[0] in _THINKING_PARTS


def _words(part: object, depth: int = 0) -> str:
    """All words of thinking in a text, a part or a list of parts, nested as they may be."""
    if part is None or isinstance(part, str):
        return part or ""
    if depth > _DEEPEST:
        return ""
    if isinstance(part, list):
        return "".join(_words(part, depth + 1) for part in part)
    if isinstance(part, Mapping):
        return next(filter(None, (_words(part.get(name), depth + 1) for name in _WORDS)), "")
    return ""


def _parts(content: object) -> Iterator[object]:
    """The parts of a content, which may be one alone."""
    yield from content if isinstance(content, list) else [content] if isinstance(content, dict) else ()


def _declined(message: _Message) -> str:
    """The words in which a model declined, in a field of their own or in parts."""
    if isinstance(message.refusal, str):
        return message.refusal
    refusals = (part.get("refusal") for part in _parts(message.content) if isinstance(part, Mapping))
    return "".join(each for each in refusals if isinstance(each, str))


def filtered() -> Reply:
    """Reply to a call that a filter of the provider's stopped: a refusal without words."""
    return Reply(text="", finish="content_filter", refusal=True, usage=Usage(estimated=True))


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


class CompletionTokens(NamedTuple):
    """The tokens of a completion and of its prompt, each None where the endpoint sent none, and what they cost."""

    tokens: list[Token] | None
    prompt: PromptPlaces | None
    usage: Usage
    model: str


def read_tokens(body: bytes) -> CompletionTokens:
    """The tokens in an endpoint's body with their log-probabilities.

    Raises:
        CallFailed: as for `read_reply`.
    """
    completion = _decode(body)
    choice = completion.choices[0]
    drawn = choice.logprobs.content if choice.logprobs is not None else None
    prompt = completion.prompt_logprobs or choice.prompt_logprobs
    return CompletionTokens(drawn or None, prompt or None, _usage(completion.usage), completion.model or "")


def _tokens(logprobs: _Logprobs) -> tuple[tuple[str, float], ...] | None:
    if logprobs.content is None:
        return None
    return tuple((token.token, token.logprob) for token in logprobs.content)
