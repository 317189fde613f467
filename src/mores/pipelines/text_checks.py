"""Checks of the words of a build, whoever wrote them: blank, too long, uneven, or those of what is asked for.

Each gives what is wrong in words for who wrote it; empty where nothing is.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from mores.pipelines.duplicates import normalised, shared_run

LONGER = 1.5
"""How many times as long as the shortest the longest choice may be."""
LONGEST = 120
"""Words of the longest text; the longest situation of SocialCC's own has 74."""


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
    """Words of a rule that a text tells; `rules` are what nothing may tell, by what they are called.

    >>> telling(["She takes off her shoes, as one does."], {"the norm": "One takes off her shoes, as one does."})
    'the words "takes off her shoes as one" tell the norm; nothing may tell it.'
    """
    for text in texts:
        for name, rule in rules.items():
            if shared := shared_run(text, rule):
                return f'the words "{shared}" tell {name}; nothing may tell it.'
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
        return f"the {many} are too unlike in length ({found}); make them about as long as each other."
    return ""


def contains(quote: str, *texts: str) -> bool:
    """True if some words stand in one of some texts; no words stand nowhere."""
    words = normalised(quote)
    return bool(words) and any(words in normalised(text) for text in texts)
