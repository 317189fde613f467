"""English words cut to their stems, by Porter's rules with the later amendments that ROUGE is computed with.

The amendments are those of NLTK's default form (short words in -ies and -ied, y after a consonant, -fulli, -logi, a
handful of irregular words), since the reference package of ROUGE stems with it. For English alone.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

_IRREGULAR: Final[Mapping[str, str]] = {
    word: stem
    for stem, words in {
        "sky": "sky skies",
        "die": "dying",
        "lie": "lying",
        "tie": "tying",
        "news": "news",
        "inning": "inning innings",
        "outing": "outing outings",
        "canning": "canning cannings",
        "howe": "howe",
        "proceed": "proceed",
        "exceed": "exceed",
        "succeed": "succeed",
    }.items()
    for word in words.split()
}
_DERIVED: Final = (
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize "
    "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble fulli:ful"
)
_LONGER: Final = "icate:ic ative: alize:al iciti:ic ical:ic ful: ness:"
_BARE: Final = "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:"
_Rules = tuple[tuple[str, str], ...]


def _rules(pairs: str) -> _Rules:
    return tuple((suffix, instead) for suffix, _, instead in (pair.partition(":") for pair in pairs.split()))


_STEP_2, _STEP_3, _STEP_4 = _rules(_DERIVED), _rules(_LONGER), _rules(_BARE)


@lru_cache(maxsize=65_536)
def porter_stem(word: str) -> str:
    """Stem of an English word in lower case; words of one or two letters stay as they are.

    Source:
        Porter (1980), Program 14(3); the amendments in the Natural Language Toolkit, nltk.stem.porter.

    >>> porter_stem("conditionally"), porter_stem("flies"), porter_stem("tables")
    ('condit', 'fli', 'tabl')
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _y_to_i(_past(_plural(word)))
    word = _replaced(_derived(word), _STEP_3, more_than=0)
    return _double_l(_final_e(_replaced(word, _STEP_4, more_than=1)))


def _shape(word: str) -> str:
    """Each letter as c (consonant) or v (vowel); y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Whether it ends as in hop, not in w, x or y, or is a vowel and a consonant, as in us."""
    shape = _shape(word)
    return (shape[-3:] == "cvc" and word[-1] not in "wxy") or shape == "vc"


def _plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        stem = word.removesuffix(suffix)
        if stem != word and "v" in _shape(stem):
            return _mended(stem)
    return word


def _mended(stem: str) -> str:
    """What is left after -ed or -ing, with its e back or its doubled letter single."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if stem[-1:] == stem[-2:-1] and _shape(stem)[-1] == "c":
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_short(stem) else stem


def _y_to_i(word: str) -> str:
    after_consonant = len(word) > 2 and _shape(word[:-1])[-1] == "c"
    return word[:-1] + "i" if word.endswith("y") and after_consonant else word


def _derived(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _derived(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replaced(word, _STEP_2, more_than=0)


def _replaced(word: str, rules: _Rules, *, more_than: int) -> str:
    """The word by the first rule whose suffix it has, where enough stands before that suffix."""
    for suffix, instead in rules:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            fits = _measure(stem) > more_than and (suffix != "ion" or stem[-1] in "st")
            return stem + instead if fits else word
    return word


def _final_e(word: str) -> str:
    stem = word.removesuffix("e")
    measure = _measure(stem)
    return stem if measure > 1 or (measure == 1 and not _ends_short(stem)) else word


def _double_l(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
