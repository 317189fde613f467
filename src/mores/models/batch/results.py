"""One row of a batch's results, whoever's it is: the completion in it, or why there is none.

Anthropic's messages and Gemini's responses become completions as OpenAI-compatible endpoints send them, so that one
reader serves all.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from mores.models.logs.logged_reply import shaped
from mores.models.outcomes import GRPC, Trouble, error_in, read_error, status_of
from mores.models.request import CallFailed

OPENAI, ANTHROPIC, GEMINI = "OpenAI's batch results", "Anthropic's batch results", "Gemini's batch results"

Completion = dict[str, Any]
ResultRow = Mapping[str, object]


class BatchResult(NamedTuple):
    """Result of one request: a completion with a choice for each draw, or a failure."""

    name: str
    completion: Completion | None = None
    failure: CallFailed | None = None


class _Problem(msgspec.Struct):
    code: str | int | None = None
    type: str | None = None
    message: str | None = None
    error: "_Problem | None" = None

    @property
    def inner(self) -> "_Problem":
        """The error itself, out of what it is wrapped in."""
        return self if self.error is None else self.error.inner

    def came_to(self, name: str, status: int = 0) -> "BatchResult":
        """Result of a request, by the status of its error where it has one."""
        problem = self.inner
        code = str(problem.code or problem.type or "error")
        if not status:
            return BatchResult(name, failure=CallFailed(code, problem.message or "", passing=True))
        description = ": ".join(part for part in (code, problem.message) if part)
        return _of_trouble(name, read_error(status, description))


class _Response(msgspec.Struct):
    status_code: int = 200
    body: dict[str, Any] | None = None


class _OpenAI(msgspec.Struct):
    custom_id: str
    response: _Response | None = None
    error: _Problem | None = None


class _Block(msgspec.Struct):
    type: str
    text: str | None = None
    thinking: str | None = None


class _Spent(msgspec.Struct):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _AnthropicMessage(msgspec.Struct):
    content: list[_Block]
    model: str = ""
    stop_reason: str | None = None
    usage: _Spent | None = None


class _AnthropicResult(msgspec.Struct):
    type: str
    message: _AnthropicMessage | None = None
    error: _Problem | None = None


class _Anthropic(msgspec.Struct):
    custom_id: str
    result: _AnthropicResult


class _Piece(msgspec.Struct):
    text: str | None = None
    thought: bool = False


class _Content(msgspec.Struct):
    parts: list[_Piece] = []


class _Likely(msgspec.Struct, rename="camel"):
    token: str = ""
    log_probability: float = 0.0

    def written(self) -> dict[str, object]:
        return {"token": self.token, "logprob": self.log_probability}


class _Place(msgspec.Struct):
    candidates: list[_Likely] = []


class _Weighed(msgspec.Struct, rename="camel"):
    chosen_candidates: list[_Likely] = []
    top_candidates: list[_Place] = []


class _Candidate(msgspec.Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: str | None = None
    logprobs_result: _Weighed | None = None


class _Feedback(msgspec.Struct, rename="camel"):
    block_reason: str | None = None


class _Counted(msgspec.Struct, rename="camel"):
    prompt_token_count: int = 0
    candidates_token_count: int = 0
    thoughts_token_count: int = 0
    cached_content_token_count: int = 0


class _Generated(msgspec.Struct, rename="camel"):
    candidates: list[_Candidate] = []
    prompt_feedback: _Feedback | None = None
    model_version: str = ""
    usage_metadata: _Counted | None = None


class _Gemini(msgspec.Struct):
    key: str
    response: _Generated | None = None
    error: _Problem | None = None


def _of_trouble(name: str, found: Trouble) -> BatchResult:
    """Result of a request with an error: of a filter's a refusal, else a failure.

    What is not the request's own fault may pass: key, quota or model may be another one in the next batch.
    """
    if found.kind == "refusal":
        return BatchResult(name, {"choices": [_choice("", "", "content_filter")]})
    return BatchResult(name, failure=CallFailed(found.cause, found.words[:400], passing=found.kind != "failure"))


def read_openai(row: ResultRow, where: str) -> BatchResult:
    """Result of one request, also of vLLM's.

    Raises:
        InputError: the row lacks what is read of it.
    """
    result = shaped(row, _OpenAI, where=where, what=f"a row of {OPENAI}")
    status = result.response.status_code if result.response else 0
    body = (result.response.body if result.response else None) or {}
    if result.error is None and result.response is not None and status < 400:
        found = error_in(body)
        return BatchResult(result.custom_id, body) if found is None else _of_trouble(result.custom_id, found)
    problem = result.error or shaped(body, _Problem, where=where, what=f"a row of {OPENAI}")
    return problem.came_to(result.custom_id, status if status >= 400 else 0)


def read_anthropic(row: ResultRow, where: str) -> BatchResult:
    """Result of one request.

    Raises:
        InputError: the row lacks what is read of it.
    """
    line = shaped(row, _Anthropic, where=where, what=f"a row of {ANTHROPIC}")
    message, problem = line.result.message, line.result.error
    if message is None:
        problem = problem or _Problem(type=line.result.type)
        return problem.came_to(line.custom_id, status_of(problem.inner.type))
    choice = _choice(
        "".join(block.text or "" for block in message.content),
        "".join(block.thinking or "" for block in message.content),
        message.stop_reason,
    )
    usage = None if message.usage is None else _usage_of_anthropic(message.usage)
    return BatchResult(line.custom_id, {"model": message.model, "choices": [choice], "usage": usage})


def read_gemini(row: ResultRow, where: str) -> BatchResult:
    """Result of one request; a prompt that was blocked is a refusal.

    Raises:
        InputError: the row lacks what is read of it.
    """
    line = shaped(row, _Gemini, where=where, what=f"a row of {GEMINI}")
    response = line.response
    if response is None:
        problem = line.error or _Problem(type="no response")
        code = problem.inner.code
        status = GRPC.get(code, code) if isinstance(code, int) else 0
        return problem.came_to(line.key, status if status >= 400 else 0)
    blocked = response.prompt_feedback.block_reason if response.prompt_feedback else None
    candidates = response.candidates or ([_Candidate(finish_reason="SAFETY")] if blocked else [])
    usage = None if response.usage_metadata is None else _usage_of_gemini(response.usage_metadata)
    choices = [_choice_of_gemini(each) for each in candidates]
    return BatchResult(line.key, {"model": response.model_version, "choices": choices, "usage": usage})


READERS: tuple[tuple[str, Callable[[ResultRow], bool], Callable[[ResultRow, str], BatchResult]], ...] = (
    (OPENAI, lambda row: {"custom_id", "response"} <= row.keys(), read_openai),
    (ANTHROPIC, lambda row: {"custom_id", "result"} <= row.keys(), read_anthropic),
    (GEMINI, lambda row: "key" in row and ("response" in row or "error" in row), read_gemini),
)
"""The name of each layout, how a row of it is told, and what says what came of its request or refuses the row."""


def _choice(text: str, thought: str, finish: str | None) -> dict[str, Any]:
    return {"message": {"content": text, "reasoning_content": thought}, "finish_reason": finish or "stop"}


def _choice_of_gemini(candidate: _Candidate) -> dict[str, Any]:
    parts, weighed = candidate.content.parts if candidate.content else [], candidate.logprobs_result
    choice = _choice(
        "".join(part.text or "" for part in parts if not part.thought),
        "".join(part.text or "" for part in parts if part.thought),
        candidate.finish_reason,
    )
    if weighed is None:
        return choice
    tops = [[each.written() for each in place.candidates] for place in weighed.top_candidates]
    tokens = [
        each.written() | ({"top_logprobs": tops[number]} if number < len(tops) else {})
        for number, each in enumerate(weighed.chosen_candidates)
    ]
    return choice | {"logprobs": {"content": tokens}}


def _usage_of_anthropic(spent: _Spent) -> dict[str, Any]:
    # Anthropic counts what goes into its cache or comes out of it besides the input.
    cached = spent.cache_read_input_tokens or 0
    return {
        "prompt_tokens": spent.input_tokens + cached + (spent.cache_creation_input_tokens or 0),
        "completion_tokens": spent.output_tokens,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _usage_of_gemini(counted: _Counted) -> dict[str, Any]:
    return {
        "prompt_tokens": counted.prompt_token_count,
        # Gemini counts thinking besides the answer
        "completion_tokens": counted.candidates_token_count + counted.thoughts_token_count,
        "prompt_tokens_details": {"cached_tokens": counted.cached_content_token_count},
        "completion_tokens_details": {"reasoning_tokens": counted.thoughts_token_count},
    }
