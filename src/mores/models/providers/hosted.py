"""Providers whose models are asked by OpenAI's chat completions, over the net, each with a key.

What they call thinking is from their own documentation, as of November 2026.
"""

from functools import partial

from mores.models.credentials import Home
from mores.models.extra_body import LEVELS, N, efforts
from mores.models.provider import Fields, Provider
from mores.models.registry import open_chat

_ENABLED: Fields = {"thinking": {"type": "enabled"}}
_DISABLED: Fields = {"thinking": {"type": "disabled"}}


def _thinking_config(budget: int | str) -> Fields:
    return {"extra_body": {"google": {"thinking_config": {"thinking_budget": budget}}}}


_chat = partial(Provider, open=open_chat, elsewhere=True)

PROVIDERS = (
    _chat(
        name="openai",
        home=Home("https://api.openai.com/v1", "OPENAI_API_KEY"),
        thinking={**efforts(off="none"), **LEVELS},
        batches="openai",
    ),
    _chat(
        name="openrouter",
        home=Home("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        thinking={
            "off": {"reasoning": {"effort": "none"}},
            "on": {"reasoning": {"enabled": True}},
            **{word: {"reasoning": {"effort": word}} for word in LEVELS},
            N: {"reasoning": {"max_tokens": N}},
        },
        counts_budget=True,
    ),
    _chat(
        name="together",
        home=Home("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
        thinking={"off": {"reasoning": {"enabled": False}}, "on": {"reasoning": {"enabled": True}}, **LEVELS},
        batches="openai",
    ),
    _chat(
        name="groq",
        home=Home("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
        thinking={**efforts(off="none", on="default"), **LEVELS},
        batches="openai",
    ),
    _chat(
        name="deepseek",
        home=Home("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
        thinking={
            "off": _DISABLED,
            "on": _ENABLED,
            **{word: {**_ENABLED, **LEVELS[word]} for word in ("low", "high")},
        },
    ),
    _chat(
        name="mistral",
        home=Home("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
        thinking=efforts("high", off="none"),
    ),
    _chat(
        name="google",
        home=Home("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
        thinking={**efforts(off="none"), **LEVELS, "on": _thinking_config(-1), N: _thinking_config(N)},
        batches="gemini",
    ),
    _chat(
        name="anthropic",
        home=Home("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"),
        thinking={
            "off": _DISABLED,
            "on": {"thinking": {"type": "adaptive"}},
            N: {"thinking": {"type": "enabled", "budget_tokens": N}},
        },
        least_budget=1_024,
        counts_budget=True,
        batches="anthropic",
    ),
    _chat(
        name="dashscope",
        home=Home("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"),
        thinking={
            "off": {"enable_thinking": False},
            "on": {"enable_thinking": True},
            N: {"enable_thinking": True, "thinking_budget": N},
        },
    ),
)
