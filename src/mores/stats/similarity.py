"""How alike completions are: ROUGE-L for any script, over all pairs of the draws of each item.

texts ─▶ tokens ─▶ longest common subsequences ─▶ similarities in [0, 1], symmetric.

The reference package of ROUGE keeps a-z and 0-9 alone, so that two equal texts in Georgian or Chinese are 0 alike.
Here a token is a run of letters, marks and digits of any script, and a single character where a script writes no
spaces between words. On ASCII text the figures are the reference package's, without its stemmer or, where stems are
wanted, with it: Porter's, on words of more than three letters. Words of other scripts are their own stems.
"""

import unicodedata
from collections.abc import Callable, Hashable, Sequence
from functools import cache, lru_cache
from itertools import chain

import numpy as np
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cdist

from mores.core.errors import InputError
from mores.core.extras import needed
from mores.stats.checks import FloatArray, IntArray

_UNSPACED = (
    "CJK",
    "IDEOGRAPHIC",
    "HIRAGANA",
    "KATAKANA",
    "BOPOMOFO",
    "THAI",
    "LAO",
    "KHMER",
    "MYANMAR",
    "JAVANESE",
    "BALINESE",
    "TAI",
    "NEW TAI LUE",
    "YI",
    "NUSHU",
    "TANGUT",
)
_SHORT = 3
"""Letters up to which a word is its own stem, as in the reference package."""
_SURROGATES = range(0xD800, 0xE000)  # no characters, so no names for tokens


class _Breaks(dict[int, str]):
    """What each character becomes before the text is split at spaces; filled as characters come up."""

    def __missing__(self, code: int) -> str:
        self[code] = _spaced(chr(code))
        return self[code]


def _spaced(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cf" and character != "\u200b":
        return ""  # joiners within a word; the zero-width space is a break
    if category[0] not in "LMN":
        return " "
    alone = category != "Nd" and unicodedata.name(character, "").startswith(_UNSPACED)
    return f" {character} " if alone else character


_BREAKS = _Breaks()


def tokens(text: str) -> list[str]:
    """Words of a text in any script, case folded; characters where the script has no spaces between words.

    Args:
        text: Any text; forms that look alike (full-width letters, joined or split accents) count as one.

    >>> tokens("Shoes off, 靴を脱ぐ!")
    ['shoes', 'off', '靴', 'を', '脱', 'ぐ']
    """
    return unicodedata.normalize("NFKC", text).casefold().translate(_BREAKS).split()


def similarities(
    texts: Sequence[Sequence[str]],
    decisions: Sequence[Sequence[Hashable]] | None,
    *,
    decision_aware: bool = True,
    stemmed: bool = False,
) -> FloatArray:
    """ROUGE-L of all pairs of draws of each item; shape (items, draws, draws).

    Two rationales with the same words and opposite decisions are .9 alike, so a filter of look-alikes would throw
    out the very disagreement that one wants to see. So draws of different decisions are 0 alike, unless
    `decision_aware` is False, as in the paper. Unreadable decisions (None) count as one decision; a text without
    tokens is 0 alike to any.

    Args:
        texts: The same number of draws for each item, in the order drawn.
        decisions: Of each draw, as texts; None where not `decision_aware`.
        decision_aware: Whether draws of different decisions are not alike at all.
        stemmed: Whether words of one stem are one word, as in the paper's code.

    Raises:
        InputError: items differ in their number of draws, decisions do not go with the texts, or the stemmer is not
            installed.

    Source:
        Lin (2004), ROUGE: a package for automatic evaluation of summaries, sec. 3; Porter (1980), Program 14, on stems.
    """
    draws = len(texts[0]) if texts else 0
    if any(len(item) != draws for item in texts):
        raise InputError(f"texts has items with other than {draws} draws; expected as many draws for each item.")
    alike = np.array([_all_pairs([_words(text, stemmed=stemmed) for text in item]) for item in texts]).reshape(
        len(texts), draws, draws
    )
    if not decision_aware:
        return alike
    if decisions is None or [len(item) for item in decisions] != [draws] * len(texts):
        raise InputError(f"decisions do not go with texts; expected {len(texts)} items with {draws} decisions each.")
    codes = _codes(decisions).reshape(len(texts), draws)
    return np.where(codes[:, :, None] == codes[:, None, :], alike, 0.0)


def _codes(decisions: Sequence[Sequence[Hashable]]) -> IntArray:
    seen: dict[Hashable, int] = {}
    return np.array([[seen.setdefault(one, len(seen)) for one in item] for item in decisions], dtype=np.int64)


def _words(text: str, *, stemmed: bool) -> list[str]:
    words = tokens(text)
    return [_porter()(word) if len(word) > _SHORT and word.isascii() else word for word in words] if stemmed else words


@cache
def _porter() -> Callable[[str], str]:
    """Porter's stem of a word, each found once."""
    return lru_cache(maxsize=1 << 16)(needed("snowballstemmer").stemmer("porter").stemWord)


def _all_pairs(listed: Sequence[list[str]]) -> FloatArray:
    names = _names(listed)
    words = ["".join([names[token] for token in item]) for item in listed]
    common = cdist(words, words, scorer=LCSseq.similarity, dtype=np.int32)
    lengths = np.array([len(word) for word in words])
    # 2PR/(P + R) as one division of whole numbers, so that equal shares are equal floats when held against a threshold
    shares: FloatArray = 2.0 * common / np.maximum(lengths[:, None] + lengths[None, :], 1)
    return shares


def _names(listed: Sequence[Sequence[str]]) -> dict[str, str]:
    """One character for each distinct token: common subsequences of strings are the quickest to find."""
    distinct = dict.fromkeys(chain.from_iterable(listed))
    return {
        token: chr(code if code < _SURROGATES.start else code + len(_SURROGATES)) for code, token in enumerate(distinct)
    }
