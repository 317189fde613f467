"""Input of calibration: all draws of a judge in the order drawn, quality and similarity, labels, thresholds.

All K draws of every item are kept, so that any thresholds can be replayed without asking the judge again. Any rule of
quality or similarity is valid, a poor one costs draws; the same must be used at calibration and at use, and quality may
look at the draw and those before it alone.

Similarity is ROUGE-L for any script: texts ─▶ tokens ─▶ longest common subsequences, over all pairs of the draws of
each item ─▶ similarities in [0, 1], symmetric.
"""

import unicodedata
from collections.abc import Callable, Hashable, Sequence
from functools import cache, lru_cache
from itertools import chain
from math import inf
from typing import NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cdist

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.extras import needed
from mores.core.seeds import Seed
from mores.stats.checks import ranks, same_length
from mores.stats.rng import generator

BoolArray: TypeAlias = npt.NDArray[np.bool_]
UNREADABLE = -1  # code of a decision that did not parse
_ROUNDING = 1e-9
MOST_DRAWS = 64  # which draws are kept is remembered in the bits of one word


class Thresholds(NamedTuple):
    """Most similarity of a kept draw to those kept before, its least quality, and the set score at which to stop."""

    similarity: float = inf
    quality: float = -inf
    stop: float = inf


class Draws(Struct, frozen=True, kw_only=True):
    """Draws of a judge: decision, quality and likeness, one row an item; make them by `Draws.of`.

    `decisions` holds codes into `options`, -1 for a draw that did not parse. `similarity` is symmetric, or None
    where no thresholds on it are wanted.
    """

    options: tuple[Hashable, ...]
    decisions: Integers
    quality: Floats
    similarity: Floats | None

    @classmethod
    def of(
        cls, decisions: Sequence[Sequence[Hashable]], quality: npt.ArrayLike, similarity: npt.ArrayLike | None = None
    ) -> Self:
        """Draws of n items, K each.

        Args:
            decisions: Of each draw, in the order drawn; None where the draw did not parse. Never leave such a draw
                out: it counts as not admissible.
            quality: Score of each draw, shape (n, K), by the same rule at calibration and at use.
            similarity: Likeness of draws, shape (n, K, K); made symmetric by the larger of the two.

        Raises:
            InputError: shapes do not go together, a score is not finite, or there are more than 64 draws.
        """
        scores = np.asarray(quality, dtype=np.float64)
        shape = _checked_shape(scores, decisions)
        seen: dict[Hashable, int] = {}
        codes = [[UNREADABLE if one is None else seen.setdefault(one, len(seen)) for one in row] for row in decisions]
        return cls(
            options=tuple(seen),
            decisions=np.array(codes, dtype=np.int64).reshape(shape),
            quality=scores,
            similarity=None if similarity is None else _symmetric(similarity, shape),
        )

    @property
    def count(self) -> int:
        """Number of items."""
        return len(self.quality)

    @property
    def each(self) -> int:
        """Draws of each item."""
        return int(self.quality.shape[1])

    def at(self, rows: Integers) -> Self:
        """The draws of some items."""
        similarity = None if self.similarity is None else self.similarity[rows]
        return replace(self, decisions=self.decisions[rows], quality=self.quality[rows], similarity=similarity)


def _checked_shape(scores: Floats, decisions: Sequence[Sequence[Hashable]]) -> tuple[int, int]:
    if scores.ndim != 2 or scores.size == 0:
        raise InputError(f"quality has shape {scores.shape}; expected items in rows and at least one draw of each.")
    if not np.isfinite(scores).all():
        bad = int((~np.isfinite(scores)).sum())
        raise InputError(f"quality has {bad} of {scores.size} scores not finite; a missing one is the least there is.")
    n, each = scores.shape
    if each > MOST_DRAWS:
        raise InputError(f"There are {each} draws an item; expected at most {MOST_DRAWS}. Leave the later ones out.")
    if [len(row) for row in decisions] != [each] * n:
        raise InputError(f"decisions and quality differ; expected {n} items with {each} decisions each.")
    return n, each


def _symmetric(similarity: npt.ArrayLike, shape: tuple[int, int]) -> Floats:
    given = np.asarray(similarity, dtype=np.float64)
    expected = (*shape, shape[1])
    if given.shape != expected or np.isnan(given).any():
        raise InputError(f"similarity has shape {given.shape} or a NaN; expected {expected} and none.")
    return np.maximum(given, given.transpose(0, 2, 1))


class LabelledDraws(Struct, frozen=True, kw_only=True):
    """Draws with what people decided: which draws are admissible, and which cluster each item is of (codes from 0)."""

    draws: Draws
    admissible: BoolArray
    cluster: Integers

    @classmethod
    def of(cls, draws: Draws, labels: Sequence[Hashable], clusters: npt.ArrayLike | None = None) -> Self:
        """Draws held against one label an item; a draw that did not parse agrees with no label.

        Args:
            draws: Of the labelled items.
            labels: What people decided.
            clusters: What items share, such as their episode; None says that the items are independent. Items that
                share a cluster are never tested as if they were independent.

        Raises:
            InputError: a label is missing, or lengths differ.
        """
        if len(labels) != draws.count or any(label is None for label in labels):
            raise InputError(f"{draws.count} items have {len(labels)} labels, or one is missing; expected one an item.")
        codes = {option: code for code, option in enumerate(draws.options)}
        wanted = np.array([codes.get(label, UNREADABLE) for label in labels])[:, None]
        of_item = np.arange(draws.count) if clusters is None else np.asarray(clusters)
        same_length(of_item, wanted[:, 0], "clusters and items")
        return cls(
            draws=draws,
            admissible=(draws.decisions == wanted) & (wanted != UNREADABLE),
            cluster=ranks(of_item),
        )

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        return int(self.cluster.max()) + 1

    @property
    def independent(self) -> bool:
        """True if each item is a cluster of its own."""
        return self.clusters == self.draws.count

    def at(self, rows: Integers) -> Self:
        """Some of the items, with their clusters numbered anew."""
        return replace(
            self, draws=self.draws.at(rows), admissible=self.admissible[rows], cluster=ranks(self.cluster[rows])
        )


def one_each(clusters: npt.ArrayLike, seed: Seed) -> Integers:
    """Rows of one item drawn at random from each cluster, in their order: what makes clustered items independent.

    Of two hundred episodes with ten items each, two hundred items so drawn allow more than all two thousand do.
    """
    of_item = ranks(clusters)
    shuffled = generator(seed).permutation(of_item.size)
    # the first of each cluster in a random order is one of it at random
    return np.sort(shuffled[np.unique(of_item[shuffled], return_index=True)[1]])


def keep_by_weight(worth: npt.ArrayLike, most: float, lots: npt.ArrayLike) -> BoolArray:
    """Mask of units kept, each with the chance worth / most, so that those kept are as drawn by what they stand for.

    One thing was labelled of each episode, and a promise is wanted of things: an episode of three things of at most
    thirty is kept with a chance of a tenth. Those kept are independent things, for which every test here is exact.

    Args:
        worth: How many things each unit stands for.
        most: The most that any unit could have stood for, also of those that were not drawn.
        lots: A lot from [0, 1) for each unit, that knows nothing of its loss.
    """
    # the unit that stands for the most is kept for sure, whatever rounding does to its chance
    return np.asarray(np.asarray(lots) < np.asarray(worth) / most * (1 + _ROUNDING))


def prefix_consistency(decisions: npt.ArrayLike) -> Floats:
    """Share of the draws so far that decide as this one does, drawn towards a half: (c + 1) / (k + 2) for draw k.

    Uses the past alone, so that sampling can stop early. Without the one and the two it would be 1 at the first draw
    of every item and tell them apart no more. A draw that did not parse agrees with none: 1 / (k + 2).

    Args:
        decisions: Codes as in `Draws.decisions`, shape (items, draws), -1 where a draw did not parse.

    >>> prefix_consistency([[0, 0, 1]]).round(3).tolist()
    [[0.667, 0.75, 0.4]]
    """
    codes: Integers = np.asarray(decisions, dtype=np.int64)
    same = np.tril(codes[:, :, None] == codes[:, None, :])
    agree = np.where(codes == UNREADABLE, 0, same.sum(axis=2))
    share: Floats = (agree + 1) / np.arange(3, codes.shape[1] + 3)
    return share


def verbalised(stated: Sequence[Sequence[float | None]]) -> Floats:
    """Confidences that the judge stated, from 0 to 1; 0 where it stated none.

    Raises:
        InputError: a confidence is outside 0 to 1, as percentages are.
    """
    given = np.array([[0.0 if one is None else one for one in row] for row in stated], dtype=np.float64)
    if not np.all((given >= 0) & (given <= 1)):
        raise InputError("A stated confidence lies outside 0 to 1; divide percentages by 100, and give None for none.")
    return given


def constant_quality(items: int, draws: int) -> Floats:
    """One for every draw: the set score then counts or knows nothing; always valid, the safe default."""
    return np.ones((items, draws))


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
    """Replacement of each character before the text is split at spaces; filled as characters come up."""

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
) -> Floats:
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


def _codes(decisions: Sequence[Sequence[Hashable]]) -> Integers:
    seen: dict[Hashable, int] = {}
    return np.array([[seen.setdefault(one, len(seen)) for one in item] for item in decisions], dtype=np.int64)


def _words(text: str, *, stemmed: bool) -> list[str]:
    words = tokens(text)
    return [_porter()(word) if len(word) > _SHORT and word.isascii() else word for word in words] if stemmed else words


@cache
def _porter() -> Callable[[str], str]:
    """Porter's stem of a word, each found once."""
    return lru_cache(maxsize=1 << 16)(needed("snowballstemmer").stemmer("porter").stemWord)


def _all_pairs(listed: Sequence[list[str]]) -> Floats:
    names = _names(listed)
    words = ["".join([names[token] for token in item]) for item in listed]
    common = cdist(words, words, scorer=LCSseq.similarity, dtype=np.int32)
    lengths = np.array([len(word) for word in words])
    # 2PR/(P + R) as one division of whole numbers, so that equal shares are equal floats when held against a threshold
    shares: Floats = 2.0 * common / np.maximum(lengths[:, None] + lengths[None, :], 1)
    return shares


def _names(listed: Sequence[Sequence[str]]) -> dict[str, str]:
    """One character for each distinct token: common subsequences of strings are the quickest to find."""
    distinct = dict.fromkeys(chain.from_iterable(listed))
    return {
        token: chr(code if code < _SURROGATES.start else code + len(_SURROGATES)) for code, token in enumerate(distinct)
    }
