"""Fields added to a call in its provider's own words: those that a user names, and those that turn thinking on or off.

The fields of thinking are those that each provider says (`provider.Provider.thinking`). What a provider has no words
for is refused before anything is asked: a server would pass over words of others in silence.
"""

import re
from collections.abc import Iterator, Mapping

from mores.core.card import Sampling
from mores.core.codec import parse_json
from mores.core.errors import InputError
from mores.models.provider import Fields, provider_of
from mores.models.request import Reply

WORDS = ("off", "on", "low", "medium", "high")
_ENDS = 16
"""Tokens that may stand round an answer and are no words of it: marks of a template and of the end."""
N = "N"
"""Stands in a table for the number of tokens that was asked for."""
IDLE = "told to think, and it does not"
AT_TIMES = "told to think, it thinks in some answers alone; these are asked for again with room for it"


def efforts(*words: str, **others: str) -> dict[str, Fields]:
    """Words as OpenAI's `reasoning_effort`: those alike under their own names, `others` by what a provider has."""
    return {word: {"reasoning_effort": effort} for word, effort in {**{w: w for w in words}, **others}.items()}


LEVELS = efforts("low", "medium", "high")


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
    kind, provider = spec.partition("/")[0], provider_of(spec)
    settings = provider.thinking
    number = isinstance(asked, int)
    if (N if number else asked) not in settings:
        known = ", ".join("a number of tokens" if word == N else word for word in settings)
        raise InputError(
            f"--thinking {asked}: {kind} cannot be told so; it takes {known}, or its own words: --extra-body JSON."
        )
    if isinstance(asked, int) and asked < provider.least_budget:
        raise InputError(f"--thinking {asked}: {kind} takes {provider.least_budget:,} tokens or more.")
    return {name: _filled(value, asked) for name, value in settings[N if number else str(asked)].items()}


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
    counted = isinstance(sampling.told.thinking, int) and provider_of(spec).counts_budget
    return sampling.thinking_room > 0 and not counted and not shows_thinking(reply)


def broke_off_thinking(reply: Reply) -> bool:
    """True where a reply of a model that got no room for thinking ended at its limit while it thought, or after."""
    return reply.finish == "length" and (not reply.text or bool(reply.reasoning) or reply.usage.reasoning > 0)


def _filled(value: object, number: str | int) -> object:
    if isinstance(value, dict):
        return {name: _filled(inner, number) for name, inner in value.items()}
    return number if value == N else value


OURS = {
    "model": "--model", "messages": "", "stream": "", "stream_options": "", "n": "--samples",
    "temperature": "--temperature", "top_p": "--top-p", "top_k": "the field top_k", "min_p": "the field min_p",
    "seed": "seed_endpoint in STUDY.toml", "max_tokens": "--answer-tokens", "max_completion_tokens": "--answer-tokens",
    "logprobs": "", "top_logprobs": "", "prompt_logprobs": "", "response_format": "", "tools": "",
}  # fmt: skip
"""Fields of a call that are mores' own, each with the flag that sets it, where there is one."""
THROUGH = "inspect/"
"""Beginnings of specs of models whose calls another program writes, which takes further fields by themselves."""
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
    """Extra fields of a call to a model: those of thinking, and those that a user adds.

    Raises:
        InputError: the model's provider cannot be told how much to think, or two ways say otherwise.
    """
    options = sampling.told
    thinking = {} if options.thinking is None else thinking_fields(spec, options.thinking)
    added = parse_json(options.extra_body, where="--extra-body") if options.extra_body else {}
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
