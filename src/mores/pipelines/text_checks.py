"""Checks of the words of a build, whoever wrote them: blank, too long, uneven, or those of what is asked for.

Each gives what is wrong in words for who wrote it; empty where nothing is.
"""

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

LONGER = 1.5
"""Largest ratio of the longest choice to the shortest."""
LONGEST = 120
"""Words of the longest text; the longest situation of SocialCC's own has 74."""


SHARED = 6
"""Words in a row that a norm and a question may not share."""
_TEXTS_KEPT = 4096


@lru_cache(maxsize=_TEXTS_KEPT)
def normalised(text: str) -> str:
    """Words without case, accents, punctuation and needless space.

    >>> normalised("Café – NEVER  pour your own drink!")
    'cafe never pour your own drink'
    """
    plain = unicodedata.normalize("NFKD", text).casefold()
    kept = (" " if not sign.isalnum() else sign for sign in plain if not unicodedata.combining(sign))
    return " ".join("".join(kept).split())


def shared_run(text: str, other: str, length: int = SHARED) -> str:
    """The first words in a row, so many, that some words have of others; empty where they share none.

    Of others that have fewer words all must stand there.

    >>> shared_run("Never pour your own drink here", "One does not pour your own", 3)
    'pour your own'
    >>> shared_run("She thinks: bow when greeting, and does.", "Bow when greeting.")
    'bow when greeting'
    """
    whole, other_words = normalised(text).split(), normalised(other).split()
    length = min(length, len(other_words))
    runs = {tuple(whole[at : at + length]) for at in range(len(whole) - length + 1)}
    found = (tuple(other_words[at : at + length]) for at in range(len(other_words) - length + 1))
    return " ".join(next((run for run in found if run in runs), ()))


def wrong_with_length(texts: Iterable[str]) -> str:
    """A text without words, or with too many."""
    for text in texts:
        count = len(text.split())
        if not count:
            return "a text has no words."
        if count > LONGEST:
            return f"a text has {count} words; expected {LONGEST} at most."
    return ""


def revealing_words(texts: Iterable[str], rules: Mapping[str, str]) -> str:
    """Words of a rule that a text gives away; `rules` are those that nothing may give away, by name.

    >>> revealing_words(["She takes off her shoes, as one does."], {"the norm": "One takes off her shoes, as one does"})
    'the words "takes off her shoes as one" give the norm away; nothing may.'
    """
    for text in texts:
        for name, rule in rules.items():
            if shared := shared_run(text, rule):
                return f'the words "{shared}" give {name} away; nothing may.'
    return ""


def wrong_with_choices(choices: Sequence[str], *, one: str, many: str, size: Callable[[str], int]) -> str:
    """A choice without words, two that say the same, or some much longer than others, as `size` measures it."""
    normal = [normalised(each) for each in choices]
    if not all(normal):
        return f"{one} has no words."
    if len(set(normal)) < len(normal):
        return f"two {many} say the same."
    sizes = [size(each) for each in choices]
    if max(sizes) > LONGER * min(sizes):
        found = ", ".join(map(str, sizes))
        return f"the {many} differ too much in length ({found}); make them about as long as each other."
    return ""


def contains(quote: str, *texts: str) -> bool:
    """True if some words stand in one of some texts; no words stand nowhere."""
    words = normalised(quote)
    return bool(words) and any(words in normalised(text) for text in texts)
