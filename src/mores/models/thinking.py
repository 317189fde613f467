"""How a provider is told to think, not to think, or how much: one word or number in, the fields of a call out.

The fields are those that each provider says (`provider.Provider.thinking`). What a provider has no words for is
refused before anything is asked: a server would pass over words of others in silence.
"""

from mores.core.card import Sampling
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
    said = provider.thinking
    number = isinstance(asked, int)
    if (N if number else asked) not in said:
        known = ", ".join("a number of tokens" if word == N else word for word in said)
        raise InputError(
            f"--thinking {asked}: {kind} cannot be told so; it takes {known}, or its own words: --extra-body JSON."
        )
    if isinstance(asked, int) and asked < provider.least_budget:
        raise InputError(f"--thinking {asked}: {kind} takes {provider.least_budget:,} tokens or more.")
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
    counted = isinstance(sampling.told.thinking, int) and provider_of(spec).counts_budget
    return sampling.thinking_room > 0 and not counted and not shows_thinking(reply)


def broke_off_thinking(reply: Reply) -> bool:
    """True where a reply of a model that got no room for thinking ended at its limit while it thought, or after."""
    return reply.finish == "length" and (not reply.text or bool(reply.reasoning) or reply.usage.reasoning > 0)


def _filled(value: object, number: str | int) -> object:
    if isinstance(value, dict):
        return {name: _filled(inner, number) for name, inner in value.items()}
    return number if value == N else value
