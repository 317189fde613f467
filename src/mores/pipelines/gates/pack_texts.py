"""Texts of a pack as its gates compare them: content words, denials, and words that go with a label."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import sqrt

from mores.norms.places import names_of, place, spelling
from mores.norms.remove_place import HIDDEN, PlaceMask

_PLAIN = frozenset(re.findall(r"\w+", """
    a about above after again all also although always am among an and another any anybody anyone anything are
    around as ask at away be became because become been before being best better between big both bring but by call
    came can come common commonly custom day do does done down during each either else end even every everybody
    everyone expect expected few first for from get give given go goes good group had has have he her here hers
    herself him himself his how however i if in into is it its itself just keep kind know known last later least let
    like little long look made make many may me mean meet member men might more most mother much must my need new
    next now of off often old on once one only onto open or other others our out over own part people perhaps person
    place put same say see seem seen several she should show so some somebody someone something sometimes soon still
    such suggest take taken than that the their them themselves then there these they thing think this those though
    through time to together too told toward towards two under until up upon us use used usual usually very want was
    way we well were what when where whether which while who whom whose why will with within woman women word words
    would yet you young your
"""))  # fmt: skip
"""Words that stand in a norm whatever it is about."""
_ENDINGS = ("ings", "ing", "edly", "ed", "ies", "es", "ly", "s", "y")
_DENIAL = re.compile(
    r"\b(?:no|not|never|nobody|none|nothing|neither|nor|without|instead of|rather than|skip\w*|omit\w*|avoid\w*"
    r"|forgo\w*|spar(?:e|ing)|drop(?:ping)? the|leav\w+ (?:[\w']+ ){0,5}out|do away with)\b|n't\b",
    re.IGNORECASE,
)
_SILENT = re.compile(
    r"\b(?:without (?:a|any|further) (?:word|talk|chat)|(?:no|not a) words?|say(?:s|ing)? nothing|in silence"
    r"|silently)\b",
    re.IGNORECASE,
)
_SPOKEN = re.compile(r"\b(?:say|greet|call|answer|wish|ask|speak|thank|introduce|tell|pray)\w*|\s'\w", re.IGNORECASE)
OFTEN, FAR, NAMED = 5, 3.0, 8
"""Least texts of a discriminative word, least difference in standard errors, and words named of a label."""
NEAR = 6
"""Words after a denial within which what it denies stands."""


def stems(text: str) -> frozenset[str]:
    """Stems of a text's content words, without words that could stand in any norm.

    >>> sorted(stems("Many people take off their shoes when they enter a home"))
    ['enter', 'hom', 'sho']
    """
    found = (word for word in re.findall(r"[^\W\d_]+", spelling(text)) if word not in _PLAIN and len(word) > 2)
    return frozenset(map(_stem, found))


def about(statement: str, place: str) -> frozenset[str]:
    """Stems of a norm's statement, without the names of its place."""
    return stems(statement) - stems(" ".join(names_of(place)))


def denies(text: str, statement: str, place: str) -> bool:
    """True if a text denies the content of a norm of a place, or is silent where the norm is about speech.

    >>> denies("Suggest to walk in without taking off the shoes.", "Many take off their shoes.", "JP")
    True
    >>> denies("Suggest to walk in on socks, without delay.", "Many take off their shoes.", "JP")
    False
    """
    if _SILENT.search(text) and _SPOKEN.search(statement):
        return True
    subject = about(statement, place)
    ends = ((found, text[found.end() :].split()[:NEAR]) for found in _DENIAL.finditer(text))
    return any(subject & stems(f"{found[0]} {' '.join(rest)}") for found, rest in ends)


def discriminative_words(texts: Sequence[str], labels: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Words and pairs of words that go most with each label, by the difference of shares in standard errors."""
    held = [_words_and_pairs(text) for text in texts]
    often = Counter(word for words in held for word in words)
    found = {}
    for label, count in sorted(Counter(labels).items()):
        here = Counter(word for words, own in zip(held, labels, strict=True) if own == label for word in words)
        far = sorted(
            (-_difference(here[word], count, often[word], len(texts)), word) for word in here if often[word] >= OFTEN
        )
        found[label] = tuple(word for size, word in far[:NAMED] if size <= -FAR)
    return {label: words for label, words in found.items() if words}


def _difference(here: int, count: int, often: int, texts: int) -> float:
    """Difference of a word's share in the texts of a label and in the others, in standard errors."""
    share, rest = often / texts, texts - count
    if share == 1 or rest == 0:
        return 0.0
    # The share is pooled, as both would have the same one if the word said nothing of the label.
    return (here / count - (often - here) / rest) / sqrt(share * (1 - share) * (1 / count + 1 / rest))


def _words_and_pairs(text: str) -> frozenset[str]:
    words = spelling(text).split()
    return frozenset((*words, *(f"{one} {other}" for one, other in pairwise(words))))


def _stem(word: str) -> str:
    """The word without an ending, a silent e or a doubled last letter.

    >>> {_stem("skipping"), _stem("skips"), _stem("skipped")}
    {'skip'}
    """
    word = "child" if word == "children" else word
    bare = next((word.removesuffix(end) for end in _ENDINGS if word.endswith(end) and len(word) - len(end) > 2), word)
    bare = bare.removesuffix("e") if len(bare) > 3 else bare
    return bare[:-1] if len(bare) > 3 and bare[-1] == bare[-2] else bare


def masked(text: str, by: Mapping[str, str], place_id: str) -> str:
    """Words of an item without their place, as the control of the ladder puts them."""
    return PlaceMask({place(place_id).name: HIDDEN, **by})(text)
