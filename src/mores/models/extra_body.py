"""Fields that whoever runs a benchmark adds to each call to the subject, in its provider's own words."""

import re
from collections.abc import Iterator, Mapping

from mores.core.card import Sampling
from mores.core.codec import parse_json
from mores.core.errors import InputError
from mores.models.provider import Fields
from mores.models.thinking import thinking_fields

OURS = {
    "model": "--model", "messages": "", "stream": "", "stream_options": "", "n": "--samples",
    "temperature": "--temperature", "top_p": "--top-p", "top_k": "the field top_k", "min_p": "the field min_p",
    "seed": "seed_endpoint in STUDY.toml", "max_tokens": "--answer-tokens", "max_completion_tokens": "--answer-tokens",
    "logprobs": "", "top_logprobs": "", "prompt_logprobs": "", "response_format": "", "tools": "",
}  # fmt: skip
"""Fields of a call that are mores' own, each with the flag that sets it, where there is one."""
THROUGH = "inspect/"
"""How specs begin of models whose calls another program writes, which takes further fields apart."""
_SECRET = re.compile(r"api.?key|authori[sz]ation|secret|password|credential", re.IGNORECASE)


def check_extra_body(added: Mapping[str, object]) -> None:
    """Refuse fields that mores sets itself, and those in which a secret would be written down.

    Raises:
        InputError: there is one; the line names it, and not what it holds.
    """
    for name in added:
        if name in OURS:
            instead = f"; use {OURS[name]}" if OURS[name] else ""
            raise InputError(f"--extra-body: mores sets {name} itself{instead}.")
    for name in _names(added):
        if _SECRET.search(name):
            raise InputError(f"--extra-body: {name} may be a secret, and a run writes down what it sent; {_KEYS}")


_KEYS = "a key goes into the environment, under the name that mores list models gives."


def extra_fields(spec: str, sampling: Sampling) -> Fields:
    """What a call to a model has beside its words and its sampling: how much it is to think, and what was added.

    Raises:
        InputError: the model's provider cannot be told how much to think, or two ways say otherwise.
    """
    told = sampling.told
    thinking = {} if told.thinking is None else thinking_fields(spec, told.thinking)
    added = parse_json(told.extra_body, where="--extra-body") if told.extra_body else {}
    through = {"extra_body": added} if added and spec.startswith(THROUGH) else added
    return merged(thinking, through)


def merged(fields: Fields, added: Fields) -> Fields:
    """Fields with others added, also within those that both have.

    Raises:
        InputError: both set one.
    """
    found = dict(fields)
    for name, value in added.items():
        before = found.get(name)
        if isinstance(before, dict) and isinstance(value, dict):
            found[name] = merged(before, value)
        elif name in found and before != value:
            raise InputError(f"--extra-body: --thinking sets {name} too; expected one of them.")
        else:
            found[name] = value
    return found


def _names(value: object) -> Iterator[str]:
    """Names of fields, at any depth."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            yield from _names(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _names(inner)
