"""Log-probabilities: those of the prompt's own tokens, and of the tokens that could be said.

The stand-in's model is small: a label's first token has three fifths of the label's log-probability, its other tokens
share the rest, and any other token of a prompt has half a nat. It begins an answer as the last line of the prompt asks.
"""

import hashlib
import re
from typing import Any

from mores.core.codec import encode
from tests.endpoint.answers import Answer, Asked, refusal
from tests.endpoint.rules import Rules

OTHER = -0.5
FIRST = 0.6
POLAR = {"yes": -0.1, "no": -2.5}
JUNK = 30  # tokens that mean nothing, from -8.0 downwards


def weigh(rules: Rules, chat: Asked) -> Answer | None:
    """What is answered to a call that asks for log-probabilities; None where it asks for none, or none are served."""
    if not (chat.logprobs or chat.prompt_logprobs is not None) or not rules.scoring:
        return None
    strange = [name for name in ("add_generation_prompt", "continue_final_message") if getattr(chat, name) is not None]
    if rules.scoring == "fresh" and strange:
        return refusal(400, f"Unrecognized request arguments supplied: {', '.join(strange)}", "invalid_request_error")
    if rules.scoring == "refuse":
        return refusal(400, "This model does not support logprobs.", "invalid_request_error", param="logprobs")
    if (chat.top_logprobs or 0) > rules.top_most:
        words = f"Invalid value for 'top_logprobs': must be less than or equal to {rules.top_most}."
        return refusal(400, words, "invalid_request_error", param="top_logprobs")
    if chat.prompt_logprobs is not None and rules.scoring == "prompt":
        return _completion(chat, "", prompt_logprobs=_prompt(rules, chat))
    if not chat.logprobs:
        return None
    text, tokens = _say(rules, chat)
    return _completion(chat, text, tokens=tokens[: chat.max_tokens or len(tokens)])


def pieces(rules: Rules, text: str) -> list[str]:
    """Tokens of a text: at most three letters, or one other sign, unless they are merged."""
    whole = "|".join(re.escape(merge) for merge in rules.merges)
    return re.findall(rf"{whole}{'|' if whole else ''}[A-Za-z]{{1,3}}|[^A-Za-z]", text)


def share(rules: Rules, label: str, place: int) -> float:
    """Log-probability of one of a label's tokens."""
    total, count = ({**POLAR, **rules.labels}).get(label, -1.0), len(pieces(rules, label))
    if count == 1:
        return total
    return total * (FIRST if place == 0 else (1 - FIRST) / (count - 1))


def _prompt(rules: Rules, chat: Asked) -> list[dict[str, Any] | None]:
    """Each token of the prompt, whose end is a label behind the beginning of the answer."""
    last = chat.messages[-1].text
    label = next((name for name in {**POLAR, **rules.labels} if last.endswith(name)), "")
    tokens = pieces(rules, "".join(f"<{message.role}>{message.text}" for message in chat.messages))
    own = len(pieces(rules, label))
    masses = [OTHER] * (len(tokens) - own) + [share(rules, label, place) for place in range(own)]
    if own and not tokens[-own].startswith(label[0]):  # merged with what stands before it
        masses[-own] += OTHER
    rows = [_place(token, mass, chat.prompt_logprobs or 0) for token, mass in zip(tokens, masses, strict=True)]
    return [None, *rows[1:]]


def _place(token: str, mass: float, likelier: int) -> dict[str, Any]:
    own = {_id(token): {"logprob": mass, "rank": 7, "decoded_token": token}}
    beside = {_id(f"likelier {n}"): {"logprob": -0.01, "rank": n + 1, "decoded_token": "the"} for n in range(likelier)}
    return {**own, **beside}


def _say(rules: Rules, chat: Asked) -> tuple[str, list[dict[str, Any]]]:
    prompt = "\n".join(message.text for message in chat.messages if message.role == "user")
    goes_on = chat.continue_final_message and rules.scoring in {"prompt", "continue"}
    beginning = "" if goes_on else prompt.rpartition("\n")[2] if chat.messages[-1].role == "user" else '{"Answer": "'
    offered = {word: mass for word, mass in POLAR.items() if f'"{word}"' in prompt} or rules.labels
    label = max(offered, key=lambda word: offered[word])
    before = [_token(text, OTHER, []) for text in pieces(rules, beginning)]
    listed = {pieces(rules, word)[0]: share(rules, word, 0) for word in offered}
    listed |= {f"~{n}": -8.0 - n / 10 for n in range(JUNK)}
    top = sorted(listed.items(), key=lambda entry: -entry[1])[: chat.top_logprobs or 0]
    said = pieces(rules, label)
    after = [_token(text, share(rules, label, place), []) for place, text in enumerate(said)][1:]
    return f'{beginning}{label}"}}', [
        *before,
        _token(said[0], share(rules, label, 0), top),
        *after,
        _token('"}', OTHER, []),
    ]


def _token(text: str, mass: float, top: list[tuple[str, float]]) -> dict[str, Any]:
    beside = [{"token": name, "logprob": logprob, "bytes": None} for name, logprob in top or [(text, mass)]]
    return {"token": text, "logprob": mass, "bytes": list(text.encode()), "top_logprobs": beside}


def _id(token: str) -> str:
    return str(int.from_bytes(hashlib.blake2b(token.encode(), digest_size=3).digest(), "big"))


def _completion(chat: Asked, text: str, *, tokens: list[dict[str, Any]] | None = None, **whole: Any) -> Answer:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "length"}
    choice["logprobs"] = None if tokens is None else {"content": tokens}
    usage = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11}
    said = {"object": "chat.completion", "model": chat.model, "choices": [choice], "usage": usage, **whole}
    return Answer(encode(said), whole=True)


def obey(schema: dict[str, Any], prompt: str) -> Any:
    """A value that a JSON schema allows; which one of several, the prompt decides."""
    if "enum" in schema:
        return schema["enum"][hashlib.blake2b(prompt.encode(), digest_size=1).digest()[0] % len(schema["enum"])]
    match schema.get("type"):
        case "object":
            return {name: obey(field, prompt) for name, field in schema["properties"].items()}
        case "array":
            fields = schema["items"].get("properties", {})
            ids = fields.get("id", {}).get("enum")
            each = obey(schema["items"], prompt)
            return [each] if ids is None else [{**each, "id": name} for name in ids]
        case "number" | "integer":
            return schema.get("minimum", 0)
        case "boolean":
            return True
        case _:
            return "So it seems."
