"""How much a stand-in thinks where it heeds what one kind of provider says of it: written from their documents."""

from typing import Any

import msgspec

from tests.endpoint.rules import Rules

EFFORT = {"none": 0, "low": 10, "medium": 20, "high": 40, "default": 30}
WILLING = 30
"""Tokens that it thinks where it is told to, and not how much."""


def heeded(rules: Rules, body: bytes) -> Rules:
    """The rules with as much thinking as the call asks for; as they are where it says nothing."""
    sent = msgspec.json.decode(body)
    tokens = _tokens(rules.heeds, sent)
    if tokens is None:
        return rules
    return msgspec.structs.replace(rules, reasoning=rules.reasoning if tokens else "", reasoning_tokens=tokens)


def _tokens(kind: str, sent: dict[str, Any]) -> int | None:
    effort = EFFORT.get(sent.get("reasoning_effort", ""))
    match kind:
        case "openrouter" | "together":
            return _of_reasoning(sent.get("reasoning") or {}, effort)
        case "anthropic" | "deepseek":
            return _of_thinking(sent.get("thinking") or {}, effort if kind == "deepseek" else None)
        case "google":
            budget = sent.get("extra_body", {}).get("google", {}).get("thinking_config", {}).get("thinking_budget")
            return effort if budget is None else WILLING if budget < 0 else budget
        case "dashscope":
            return _switched(sent, sent.get("thinking_budget"))
        case "vllm" | "sglang" | "llamacpp":
            told = sent.get("chat_template_kwargs") or {}
            own = told.get("thinking_budget")
            own = sent.get({"vllm": "thinking_token_budget", "llamacpp": "thinking_budget_tokens"}.get(kind, ""), own)
            if kind == "llamacpp":
                return _switched(told, own or EFFORT.get(told.get("reasoning_effort", "")))
            return effort if effort is not None else _switched(told, own)
    return effort


def _of_reasoning(told: dict[str, Any], effort: int | None) -> int | None:
    if "enabled" in told:
        return WILLING if told["enabled"] else 0
    return told.get("max_tokens", EFFORT.get(told.get("effort", ""), effort))


def _of_thinking(told: dict[str, Any], effort: int | None) -> int | None:
    match told.get("type"):
        case "disabled":
            return 0
        case "enabled":
            return int(told.get("budget_tokens", WILLING if effort is None else effort))
        case "adaptive":
            return WILLING
    return None


def _switched(told: dict[str, Any], budget: int | None) -> int | None:
    if "enable_thinking" not in told:
        return None
    return (WILLING if budget is None else budget) if told["enable_thinking"] else 0
