"""Servers of one's own that speak OpenAI's chat completions: no key unless the server wants one.

They draw by what a model's files or they themselves think best where a request leaves a setting out; `neutral` turns
that off, in each server's own names.
"""

from functools import partial

from mores.models.credentials import Home
from mores.models.extra_body import LEVELS, N, efforts
from mores.models.provider import Fields, Provider
from mores.models.registry import open_chat


def _template(arguments: Fields) -> Fields:
    return {"chat_template_kwargs": arguments}


_ON: Fields = {"enable_thinking": True, "thinking": True}
"""Some templates know the one name, some the other, and none minds a name that it does not know."""
_WHETHER = {"off": _template({"enable_thinking": False, "thinking": False}), "on": _template(_ON)}

_chat = partial(Provider, open=open_chat, elsewhere=True)

PROVIDERS = (
    _chat(
        name="vllm",
        home=Home("http://localhost:8000/v1", None),
        thinking={**_WHETHER, **LEVELS, N: {**_WHETHER["on"], "thinking_token_budget": N}},
        neutral={"top_p": 1.0, "top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0},
        batches="vllm",
    ),
    _chat(
        name="sglang",
        home=Home("http://localhost:30000/v1", None),
        thinking={**_WHETHER, **LEVELS, N: _template({**_ON, "thinking_budget": N})},
        neutral={"top_p": 1.0, "top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0},
    ),
    _chat(
        name="ollama",
        home=Home("http://localhost:11434/v1", None),
        thinking={**efforts(off="none"), **LEVELS},
        neutral={"top_p": 1.0},  # it passes over the others
    ),
    _chat(
        name="llamacpp",
        home=Home("http://localhost:8080/v1", None),
        thinking={
            **_WHETHER,
            **{word: _template({**_ON, **effort}) for word, effort in LEVELS.items()},
            N: {**_WHETHER["on"], "thinking_budget_tokens": N},
        },
        neutral={"top_p": 1.0, "top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0},
    ),
)
