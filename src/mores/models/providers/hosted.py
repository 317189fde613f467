"""Providers whose models are asked by OpenAI's chat completions, over the net, each with a key.

What they call thinking is from their own documentation, as of November 2026.
"""

from mores.models.credentials import Home
from mores.models.provider import Fields, Provider
from mores.models.specs import open_chat
from mores.models.thinking import LEVELS, N, efforts

_ENABLED: Fields = {"thinking": {"type": "enabled"}}
_DISABLED: Fields = {"thinking": {"type": "disabled"}}


def _thinking_config(budget: int | str) -> Fields:
    return {"extra_body": {"google": {"thinking_config": {"thinking_budget": budget}}}}


PROVIDERS = (
    Provider(
        name="openai",
        open=open_chat,
        elsewhere=True,
        home=Home("https://api.openai.com/v1", "OPENAI_API_KEY"),
        thinking={**efforts(off="none"), **LEVELS},
        batches="openai",
    ),
    Provider(
        name="openrouter",
        open=open_chat,
        elsewhere=True,
        home=Home("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
        thinking={
            "off": {"reasoning": {"effort": "none"}},
            "on": {"reasoning": {"enabled": True}},
            **{word: {"reasoning": {"effort": word}} for word in LEVELS},
            N: {"reasoning": {"max_tokens": N}},
        },
        counts_budget=True,
    ),
    Provider(
        name="together",
        open=open_chat,
        elsewhere=True,
        home=Home("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
        thinking={"off": {"reasoning": {"enabled": False}}, "on": {"reasoning": {"enabled": True}}, **LEVELS},
        batches="openai",
    ),
    Provider(
        name="groq",
        open=open_chat,
        elsewhere=True,
        home=Home("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
        thinking={**efforts(off="none", on="default"), **LEVELS},
        batches="openai",
    ),
    Provider(
        name="deepseek",
        open=open_chat,
        elsewhere=True,
        home=Home("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
        thinking={
            "off": _DISABLED,
            "on": _ENABLED,
            **{word: {**_ENABLED, **LEVELS[word]} for word in ("low", "high")},
        },
    ),
    Provider(
        name="mistral",
        open=open_chat,
        elsewhere=True,
        home=Home("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
        thinking=efforts("high", off="none"),
    ),
    Provider(
        name="google",
        open=open_chat,
        elsewhere=True,
        home=Home("https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
        thinking={**efforts(off="none"), **LEVELS, "on": _thinking_config(-1), N: _thinking_config(N)},
        batches="gemini",
    ),
    Provider(
        name="anthropic",
        open=open_chat,
        elsewhere=True,
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
    Provider(
        name="dashscope",
        open=open_chat,
        elsewhere=True,
        home=Home("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"),
        thinking={
            "off": {"enable_thinking": False},
            "on": {"enable_thinking": True},
            N: {"enable_thinking": True, "thinking_budget": N},
        },
    ),
)
