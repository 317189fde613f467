"""Which question ends a prompt: examples stand before the question asked, and after it nothing but what is wanted."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mores.models.logs.order import even

MOST_WORDS, MOST_ASKING = 40, 12
"""Words after a question that may tell how to answer it, and where one of them asks, such as "Yes or no?"."""
_REACH = 24
"""Letters of a mark or a word between the question and an option, or two options."""


class PromptEnding(NamedTuple):
    """Where the parts of a question stand last in a prompt, the longest part first, and what follows all of them."""

    places: tuple[int, ...]
    rest: str


def match_ending(words: str, parts: Sequence[str]) -> PromptEnding | None:
    """Where a question stands last in words asked; None where a part of it stands nowhere.

    >>> match_ending("Q: Old? A: x Q: New? A:", ("New?",))
    Ending(places=(16,), rest=' A:')
    """
    ordered = sorted({even(part) for part in parts}, key=lambda part: (-len(part), part))
    places = tuple(words.rfind(part) for part in ordered)
    if not places or min(places) < 0:
        return None
    return PromptEnding(places, _after(words[places[0] + len(ordered[0]) :], ordered[1:]))


def _after(rest: str, parts: Sequence[str]) -> str:
    """What follows the longest part, without the other parts; those right after it go with the marks before them.

    So the same template has the same ending, whichever of the question and an option is longer.

    >>> _after(" Answer: rice True or false?", ("rice",))
    ' True or false?'
    """
    left = list(parts)
    while near := [(at, part) for part in left if (at := rest.find(part, 0, len(part) + _REACH)) >= 0]:
        at, part = min(near, key=lambda found: (found[0], -len(found[1])))
        rest = rest[at + len(part) :]
        left.remove(part)
    for part in left:  # such as the place
        rest = rest.replace(part, "", 1)
    return rest


def ends_alike(ending: PromptEnding, usual: Mapping[str, int]) -> bool:
    """Whether a question is the one asked: what follows it follows most others too, or puts no further question."""
    most = sum(usual.values())
    if usual.get(ending.rest, 0) > max(1, most / 2):
        return True
    return len(ending.rest.split()) <= (MOST_ASKING if "?" in ending.rest else MOST_WORDS)
