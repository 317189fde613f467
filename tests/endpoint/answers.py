"""What goes back over the wire: completions, refusals, failures."""

import sys
import time
from dataclasses import dataclass
from typing import Any

import msgspec

from mores.core.codec import encode
from mores.core.seeds import Seed
from tests.endpoint.rules import Rules

REASONS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    402: "Payment Required",
    404: "Not Found",
    429: "Too Many Requests",
}


class Message(msgspec.Struct):
    """A message of a chat; content is a text or a list of parts."""

    role: str
    content: str | list[dict[str, Any]] | None = None

    @property
    def text(self) -> str:
        """Its words."""
        if isinstance(self.content, list):
            return "".join(part.get("text", "") for part in self.content)
        return self.content or ""


class Asked(msgspec.Struct):
    """What of a chat completion's body matters here."""

    model: str
    messages: list[Message]
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    response_format: dict[str, Any] | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None
    prompt_logprobs: int | None = None
    continue_final_message: bool | None = None
    add_generation_prompt: bool | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back: `fault` names what goes wrong on the wire, `whole` says that it is a true answer."""

    body: bytes
    status: int = 200
    headers: str = ""
    fault: str = ""
    whole: bool = False

    def wire(self) -> bytes:
        """Bytes to send."""
        body = b"" if self.fault == "empty" else self.body[: len(self.body) // 2] if self.fault == "half" else self.body
        head = (
            f"HTTP/1.1 {self.status} {REASONS.get(self.status, 'Error')}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\n{self.headers}\r\n"
        ).encode()
        return head + (body[: len(body) // 2] if self.fault == "cut" else body)


def refusal(
    status: int, message: str, kind: str, *, wait: str = "", code: str | None = None, param: str = ""
) -> Answer:
    """An error in OpenAI's form; `wait` is sent as Retry-After."""
    error = {"message": message, "type": kind, "param": param or None, "code": code}
    return Answer(encode({"error": error}), status, f"retry-after: {wait}\r\n" if wait else "")


def failure(fault: str, rules: Rules) -> Answer:
    """The 429, 500 or 503 of a fault."""
    status, _, after = fault.partition("-")
    wait = rules.retry_after if after else ""
    kind, words = (
        ("requests", "Rate limit reached.") if status == "429" else ("server_error", "The server had an error.")
    )
    return refusal(int(status), words, kind, wait=wait)


def reject(names: tuple[str, ...], body: bytes) -> Answer | None:
    """A 400 for the first of these parameters that the body has, in the words of OpenAI's endpoint."""
    sent = msgspec.json.decode(body)
    for name in names:
        if name == "temperature" and sent.get(name, 1) != 1:
            words = f"Unsupported value: '{name}' does not support {sent[name]} with this model. "
            words += "Only the default (1) value is supported."
            return refusal(400, words, "invalid_request_error", code="unsupported_value", param=name)
        if name != "temperature" and name in sent:
            words = f"Unsupported parameter: '{name}' is not supported with this model."
            words += " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
            return refusal(400, words, "invalid_request_error", code="unsupported_parameter", param=name)
    return None


def spell(text: str) -> list[dict[str, object]]:
    """Tokens of at most three signs; the longer a token, the likelier it was."""
    parts = [text[start : start + 3] for start in range(0, len(text), 3)]
    return [{"token": part, "logprob": -0.3 / len(part), "bytes": list(part.encode())} for part in parts]


def completion(rules: Rules, chat: Asked, text: str, asked: str, fault: str) -> Answer:
    """A chat completion that says `text`, unless the rules have it refuse, filter or think too long."""
    message: dict[str, object] = {"role": "assistant", "content": text, "refusal": None}
    finish, thought, spent = "stop", "", 0
    if rules.cut and len(text) > rules.cut:
        finish, message["content"] = "length", text[: rules.cut]
    if rules.refusals or rules.filtered:
        luck = Seed(rules.seed).child("refusal", asked).uniform()
        if luck < rules.refusals:
            message |= {"content": None, "refusal": "I'm sorry, but I can't help with that."}
        elif luck < rules.refusals + rules.filtered:
            finish, message["content"] = "content_filter", ""
    if rules.reasoning:
        limit = chat.max_completion_tokens or chat.max_tokens or sys.maxsize
        spent, thought = min(limit, rules.reasoning_tokens), "Let me think about this."
        if limit < rules.reasoning_tokens:
            finish, message["content"] = "length", ""
        if rules.reasoning == "field":
            message["reasoning_content"] = thought
        else:  # a block that the limit cut off is never closed
            message["content"] = f"<think>{thought}" + (
                "" if finish == "length" else f"</think>\n\n{message['content']}"
            )
    usage = {"prompt_tokens": 1 + len(chat.messages[-1].text) // 4, "completion_tokens": spent + 1 + len(text) // 4}
    spelled = spell(str(message["content"]))[rules.unspelled :]
    weighed = {"logprobs": {"content": spelled}} if rules.spelled and chat.logprobs else {}
    choice = {"index": 0, "message": message, "finish_reason": finish, **weighed}
    choices = [] if fault == "no-choices" else [choice]
    said = {"id": f"chatcmpl-{asked}", "object": "chat.completion", "created": int(time.time())}
    said |= {"model": rules.answers_as or chat.model, "choices": choices}
    if rules.usage:
        total = usage["prompt_tokens"] + usage["completion_tokens"]
        details = {"completion_tokens_details": {"reasoning_tokens": spent}} if spent else {}
        said["usage"] = {**usage, "total_tokens": total, **details} if rules.counted is None else rules.counted
    if fault == "stream":
        piece = {**said, "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]}
        return Answer(b"data: " + encode(piece) + b"\n\ndata: [DONE]\n\n", fault=fault)
    if fault == "error":
        return Answer(encode({"error": {"message": "The upstream model had an error.", "code": None}}), fault=fault)
    return Answer(encode(said), fault=fault, whole=fault in {"", "stall"})
