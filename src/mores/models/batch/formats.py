"""Formats of the requests of a batch: OpenAI's and vLLM's lines, Anthropic's one object, Gemini's lines.

the body of a call, as it would have been sent ─▶ a line under the name of its request ─▶ files within the limits

The bodies are those of OpenAI-compatible endpoints. What Anthropic's passes over in silence (a schema, a seed,
log-probabilities) is left out here, so that a batch asks what a call would have.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from mores.core.errors import InputError
from mores.models.provider import home_of, provider_of
from mores.models.request import BatchedCall

LayoutName: TypeAlias = Literal["openai", "anthropic", "gemini", "vllm"]
NO_LIMIT = 4_096
"""Tokens of an answer that Anthropic is told of where a run limits none: it takes no request without a limit."""
PASSED_OVER = frozenset({"response_format", "logprobs", "top_logprobs", "seed", "n"})
EFFORTS = {"none": 0, "minimal": 1_024, "low": 1_024, "medium": 8_192, "high": 24_576}
"""Tokens for thinking that Gemini's compatible endpoint makes of each word."""
_BODY: dict[str, str] = {
    "temperature": "temperature", "top_p": "top_p", "top_k": "top_k", "seed": "seed", "stop": "stop_sequences",
    "max_tokens": "max_output_tokens", "max_completion_tokens": "max_output_tokens",
    "logprobs": "response_logprobs", "top_logprobs": "logprobs",
}  # fmt: skip
"""Settings of a call, by the names that Gemini has for them."""
_ELSEWHERE = frozenset({"model", "messages", "response_format", "reasoning_effort", "extra_body"})


class BatchFormat(Struct, frozen=True, kw_only=True):
    """A provider's layout; how many requests and bytes a file may have, each None for as many as one likes."""

    line: Callable[[BatchedCall], bytes]
    requests: int | None = None
    size: int | None = None
    begins: bytes = b""
    between: bytes = b"\n"
    ends: bytes = b"\n"
    suffix: str = ".jsonl"

    def files(self, calls: Iterable[BatchedCall]) -> Iterator[tuple[bytes, tuple[str, ...]]]:
        """The bytes of each file and the names of its requests; calls that begin alike stand together."""
        lines: list[bytes] = []
        names: list[str] = []
        size = len(self.begins) + len(self.ends)
        for call in sorted(calls, key=lambda each: (each.body, each.id)):
            line = self.line(call)
            more = len(line) + len(self.between)
            if lines and (len(lines) == self.requests or (self.size is not None and size + more > self.size)):
                yield self._whole(lines), tuple(names)
                lines, names, size = [], [], len(self.begins) + len(self.ends)
            lines.append(line)
            names.append(call.id)
            size += more
        if lines:
            yield self._whole(lines), tuple(names)

    def _whole(self, lines: list[bytes]) -> bytes:
        return self.begins + self.between.join(lines) + self.ends


def layout_of(spec: str, base_url: str | None, given: LayoutName | None) -> LayoutName:
    """The layout that a model's provider takes batches in: as given, else told by its preset.

    Raises:
        InputError: it cannot be told.
    """
    if given is not None:
        return given
    provider = provider_of(spec)
    own = base_url is not None and base_url.rstrip("/") != home_of(provider).base_url
    found = next((name for name in LAYOUTS if name == provider.batches), None)
    if own and home_of(provider).key_variable is not None:
        found = None  # what stands at another address may take another layout
    if found is None:
        at = f" at {base_url}" if own else ""
        raise InputError(
            f"--batch: {spec}{at}: its batches' layout cannot be told; name it: --batch-format {', '.join(LAYOUTS)}."
        )
    return found


def _openai(call: BatchedCall) -> bytes:
    head = b'{"custom_id":"%s","method":"POST","url":"/v1/chat/completions","body":' % call.id.encode()
    return head + call.body + b"}"


def _anthropic(call: BatchedCall) -> bytes:
    body = msgspec.json.decode(call.body)
    messages, limit = body.pop("messages"), body.pop("max_completion_tokens", NO_LIMIT)
    system = [each["content"] for each in messages if each["role"] == "system"]
    params = {
        "model": body.pop("model"),
        "max_tokens": body.pop("max_tokens", limit),
        **({"system": "\n".join(system)} if system else {}),
        "messages": [each for each in messages if each["role"] != "system"],
        **{name: value for name, value in body.items() if name not in PASSED_OVER},
    }
    if "temperature" in params:
        params["temperature"] = min(params["temperature"], 1.0)  # as its compatible endpoint does
    return msgspec.json.encode({"custom_id": call.id, "params": params})


def _gemini(call: BatchedCall) -> bytes:
    body = msgspec.json.decode(call.body)
    system = [{"text": each["content"]} for each in body["messages"] if each["role"] == "system"]
    turns = [each for each in body["messages"] if each["role"] != "system"]
    request = {
        "contents": [
            {"role": "model" if each["role"] == "assistant" else "user", "parts": [{"text": each["content"]}]}
            for each in turns
        ],
        **({"system_instruction": {"parts": system}} if system else {}),
        "generation_config": _generation(body),
    }
    return msgspec.json.encode({"key": call.id, "request": request})


def _generation(body: dict[str, Any]) -> dict[str, Any]:
    """The settings of a call, as Gemini has them.

    Raises:
        InputError: one of them has no place there.
    """
    strange = sorted(body.keys() - _BODY.keys() - _ELSEWHERE)
    if strange:
        raise InputError(f"--batch: Gemini's batches have no place for {', '.join(strange)}; leave it out.")
    config = {_BODY[name]: value for name, value in body.items() if name in _BODY}
    asked = body.get("response_format")
    if asked is not None:
        schema = asked["json_schema"]["schema"]
        config |= {"response_mime_type": "application/json", "response_json_schema": schema}
    thinking = body.get("extra_body", {}).get("google", {}).get("thinking_config")
    if thinking is None and body.get("reasoning_effort") in EFFORTS:
        thinking = {"thinking_budget": EFFORTS[body["reasoning_effort"]]}
    return config | ({"thinking_config": thinking} if thinking is not None else {})


LAYOUTS: dict[LayoutName, BatchFormat] = {
    "openai": BatchFormat(line=_openai, requests=50_000, size=200_000_000),
    "anthropic": BatchFormat(
        line=_anthropic, requests=100_000, size=256_000_000,
        begins=b'{"requests":[\n', between=b",\n", ends=b"\n]}\n", suffix=".json",
    ),
    "gemini": BatchFormat(line=_gemini, size=2_000_000_000),
    "vllm": BatchFormat(line=_openai),
}  # fmt: skip
