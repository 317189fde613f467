"""How a provider is told to think, not to think, or how much: one word or number in, the fields of a call out.

The fields are those of the providers' own documentation, as of November 2026. What a provider has no words for is
refused before anything is asked: a server would pass over words of others in silence.
"""

from collections.abc import Mapping
from typing import TypeAlias

from mores.core.card import Sampling
from mores.core.errors import InputError
from mores.models.request import Reply

Fields: TypeAlias = dict[str, object]
WORDS = ("off", "on", "low", "medium", "high")
_ENDS = 16
"""Tokens that may stand round an answer and are no words of it: marks of a template and of the end."""
N = "N"
"""Stands in a table for the number of tokens that was asked for."""
LEAST_BUDGET = {"anthropic": 1_024}
WITHIN_LIMIT = ("anthropic", "openrouter", "bedrock")
"""Providers that count a budget for thinking against the limit of a call, and refuse a limit that is no larger."""
IDLE = "told to think, and it does not"
AT_TIMES = "told to think, it thinks in some answers alone; these are asked for again with room for it"


def _efforts(*words: str, **others: str) -> dict[str, Fields]:
    return {word: {"reasoning_effort": effort} for word, effort in {**{w: w for w in words}, **others}.items()}


def _template(told: Fields) -> Fields:
    return {"chat_template_kwargs": told}


_LEVELS = _efforts("low", "medium", "high")
_ON: Fields = {"enable_thinking": True, "thinking": True}
"""Some templates know the one name, some the other, and none minds a name that it does not know."""
_WHETHER = {"off": _template({"enable_thinking": False, "thinking": False}), "on": _template(_ON)}
_ENABLED: Fields = {"thinking": {"type": "enabled"}}
_DISABLED: Fields = {"thinking": {"type": "disabled"}}

_THROUGH_INSPECT = {**_efforts(off="none"), **_LEVELS}
_WITH_BUDGETS = ("anthropic", "bedrock", "google", "grok", "openrouter")

SAID: dict[str, Mapping[str, Fields]] = {
    "openai": {**_efforts(off="none"), **_LEVELS},
    "openrouter": {
        "off": {"reasoning": {"effort": "none"}},
        "on": {"reasoning": {"enabled": True}},
        **{word: {"reasoning": {"effort": word}} for word in _LEVELS},
        N: {"reasoning": {"max_tokens": N}},
    },
    "together": {"off": {"reasoning": {"enabled": False}}, "on": {"reasoning": {"enabled": True}}, **_LEVELS},
    "groq": {**_efforts(off="none", on="default"), **_LEVELS},
    "deepseek": {
        "off": _DISABLED,
        "on": _ENABLED,
        **{word: {**_ENABLED, **_LEVELS[word]} for word in ("low", "high")},
    },
    "mistral": _efforts("high", off="none"),
    "google": {
        **_efforts(off="none"),
        **_LEVELS,
        "on": {"extra_body": {"google": {"thinking_config": {"thinking_budget": -1}}}},
        N: {"extra_body": {"google": {"thinking_config": {"thinking_budget": N}}}},
    },
    "anthropic": {
        "off": _DISABLED,
        "on": {"thinking": {"type": "adaptive"}},
        N: {"thinking": {"type": "enabled", "budget_tokens": N}},
    },
    "dashscope": {
        "off": {"enable_thinking": False},
        "on": {"enable_thinking": True},
        N: {"enable_thinking": True, "thinking_budget": N},
    },
    "vllm": {**_WHETHER, **_LEVELS, N: {**_WHETHER["on"], "thinking_token_budget": N}},
    "sglang": {**_WHETHER, **_LEVELS, N: _template({**_ON, "thinking_budget": N})},
    "ollama": {**_efforts(off="none"), **_LEVELS},
    "llamacpp": {
        **_WHETHER,
        **{word: _template({**_ON, **effort}) for word, effort in _LEVELS.items()},
        N: {**_WHETHER["on"], "thinking_budget_tokens": N},
    },
    "inspect": _THROUGH_INSPECT,
    **{f"inspect/{name}": {**_THROUGH_INSPECT, N: {"reasoning_tokens": N}} for name in _WITH_BUDGETS},
}
"""By the kind of a model, what each word is in its provider's terms."""


def check_thinking(asked: str | int | None) -> None:
    """Refuse what says nothing about thinking.

    Raises:
        InputError: it is no word for it and no number of tokens.
    """
    if not (asked is None or asked in WORDS or (isinstance(asked, int) and asked > 0)):
        raise InputError(f"--thinking {asked}: expected off, on, low, medium, high, or a number of tokens.")


def thinking_fields(spec: str, asked: str | int) -> Fields:
    """The fields of a call that tell the provider of a model how much to think.

    Raises:
        InputError: it has no words for that; the line says which it has.
    """
    kind, _, model = spec.partition("/")
    said = SAID.get(f"{kind}/{model.partition('/')[0]}") or SAID.get(kind, {})
    number = isinstance(asked, int)
    if (N if number else asked) not in said:
        known = ", ".join("a number of tokens" if word == N else word for word in said)
        raise InputError(
            f"--thinking {asked}: {kind} cannot be told so; it takes {known}, or its own words: --extra-body JSON."
        )
    if isinstance(asked, int) and asked < LEAST_BUDGET.get(kind, 0):
        raise InputError(f"--thinking {asked}: {kind} takes {LEAST_BUDGET[kind]:,} tokens or more.")
    return {name: _filled(value, asked) for name, value in said[N if number else str(asked)].items()}


def shows_thinking(reply: Reply) -> bool:
    """True where a reply has thinking beside its answer, or more tokens than its words can have."""
    used = reply.usage
    unseen = not used.estimated and used.output > len(reply.text.encode()) + _ENDS
    return bool(reply.reasoning) or used.reasoning > 0 or unseen or is_starved(reply)


def is_starved(reply: Reply) -> bool:
    """True where a reply ended at its limit before an answer began."""
    return not reply.text and reply.finish == "length"


def is_idle(reply: Reply, sampling: Sampling, spec: str) -> bool:
    """True where a model was told to think and a first reply shows none, so that its calls get no room for it.

    A provider that counts a budget against the limit gets the room all the same, as it would refuse less.
    """
    counted = isinstance(sampling.told.thinking, int) and any(name in WITHIN_LIMIT for name in spec.split("/")[:2])
    return sampling.thinking_room > 0 and not counted and not shows_thinking(reply)


def broke_off_thinking(reply: Reply) -> bool:
    """True where a reply of a model that got no room for thinking ended at its limit while it thought, or after."""
    return reply.finish == "length" and (not reply.text or bool(reply.reasoning) or reply.usage.reasoning > 0)


def _filled(value: object, number: str | int) -> object:
    if isinstance(value, dict):
        return {name: _filled(inner, number) for name, inner in value.items()}
    return number if value == N else value
