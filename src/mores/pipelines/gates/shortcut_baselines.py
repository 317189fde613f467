"""Readers that know no norm: they choose an option by its length, its place, its words of reason, or its wording alone.

A reader that is right more often than a guess shows that a question gives itself away. The one that learns from
wordings is a ridge regression on counts of words and of runs of letters, tested on norms, or on places, that it has not
seen; whether it beats a guess is asked of a thousand deals of the right answers within each question.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotrf, dpotri

from mores.core.arrays import Floats
from mores.core.seeds import Seed
from mores.pipelines.gates.gate import GateItem
from mores.stats.rng import generator

ShortcutBaseline = Callable[[GateItem], Sequence[float]]
"""How much a reader likes each option of a question."""
FOLDS, RIDGE, PERMUTATIONS = 5, 1.0, 1_000
MOST = 4_000
"""Options that the learning reader is given; of more, whole questions are drawn."""
_REASONS = re.compile(
    r"\b(?:because|since|so that|so as to|in order to|out of respect|to show|to avoid|as a sign|therefore)\b",
    re.IGNORECASE,
)


def longest(item: GateItem) -> Sequence[float]:
    """Likes the option with most letters."""
    return [float(len(option)) for option in item.options]


def shortest(item: GateItem) -> Sequence[float]:
    """Likes the option with fewest letters."""
    return [-float(len(option)) for option in item.options]


def reasoned(item: GateItem) -> Sequence[float]:
    """Likes the option with most words of reason."""
    return [float(len(_REASONS.findall(option))) for option in item.options]


def at(place: int) -> ShortcutBaseline:
    """Likes the option at one place."""
    return lambda item: [float(number == place) for number in range(len(item.options))]


def right_share(item: GateItem, liked: Sequence[float]) -> float:
    """How often a reader is right that takes one of the options that it likes most, each as likely."""
    top = np.flatnonzero(np.isclose(liked, max(liked)))
    return float(np.isin(top, item.right).mean())


def guessing(item: GateItem) -> float:
    """How often a guess is right."""
    return len(item.right) / len(item.options)


def learnt(items: Sequence[GateItem], unseen: Callable[[GateItem], str], seed: Seed) -> tuple[Floats, Floats]:
    """Whether the learning reader is right on each question, and its mean in each deal of right answers.

    Args:
        items: Questions with options.
        unseen: What is never in both what it learns from and what it is tested on, such as the norm.
        seed: Dice of folds and deals.
    """
    owner = np.repeat(np.arange(len(items)), [len(item.options) for item in items])
    wanted = np.concatenate([np.isin(np.arange(len(item.options)), item.right) for item in items]).astype(float)
    groups = np.unique([unseen(item) for item in items], return_inverse=True)[1][owner]
    brought = brought_by([option for item in items for option in item.options], groups, seed)
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    found = _right(brought @ _centred(wanted, owner), wanted, first)
    rng = generator(seed.child("deals"))
    dealt = np.array([_deal(wanted, first, rng) for _ in range(PERMUTATIONS)])
    liked = brought @ np.array([_centred(each, owner) for each in dealt]).T
    null = np.array([_right(liked[:, number], dealt[number], first).mean() for number in range(PERMUTATIONS)])
    return found, null


def brought_by(texts: Sequence[str], groups: npt.NDArray[np.int64], seed: Seed) -> Floats:
    """What each text's being right adds to how much each other is liked: ridge regression, in folds of whole groups.

    With M the inverse of how alike all texts are, RIDGE added to each with itself, a fold that the others are learnt
    for is liked by -(M of the fold)^-1 (M of the fold and the others), the other texts' own inverse being in M.
    """
    inverse = unlike(tuple(texts))
    fold_of = generator(seed.child("folds")).permutation(groups.max() + 1) % min(FOLDS, groups.max() + 1)
    fold = fold_of[groups]
    brought = np.zeros_like(inverse)
    for number in range(int(fold.max()) + 1):
        test, train = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        factor = cho_factor(inverse[np.ix_(test, test)], lower=True, overwrite_a=True, check_finite=False)
        brought[np.ix_(test, train)] = -cho_solve(factor, inverse[np.ix_(test, train)], check_finite=False)
    return brought


@lru_cache(maxsize=1)
def unlike(texts: tuple[str, ...]) -> Floats:
    """The inverse of how alike texts are, RIDGE added to each with itself; kept for other folds of the same texts."""
    extraction = import_module("sklearn.feature_extraction.text")
    sparse = import_module("scipy.sparse")
    words = extraction.TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True).fit_transform(texts)
    letters = extraction.TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True).fit_transform(texts)
    counts = sparse.hstack([words, letters]).tocsr()
    alike = np.asarray((counts @ counts.T).todense())
    alike[np.diag_indices_from(alike)] += RIDGE
    factor, _ = dpotrf(alike.T, lower=True, overwrite_a=True)
    inverse, _ = dpotri(factor, lower=True, overwrite_c=True)
    return np.asarray(np.tril(inverse) + np.tril(inverse, -1).T)


def _centred(wanted: Floats, owner: npt.NDArray[np.int64]) -> Floats:
    """Right answers less their mean in each question, so that only differences within it are learnt."""
    return wanted - (np.bincount(owner, wanted) / np.bincount(owner))[owner]


def _right(liked: Floats, wanted: Floats, first: npt.NDArray[np.int64]) -> Floats:
    """How often the option that is liked most is right, a question a number."""
    best = np.maximum.reduceat(liked, first)
    size = np.diff(np.append(first, liked.size))
    top = np.isclose(liked, np.repeat(best, size), rtol=0, atol=1e-12)
    return np.asarray(np.add.reduceat(top * wanted, first) / np.add.reduceat(top.astype(float), first))


def _deal(wanted: Floats, first: npt.NDArray[np.int64], rng: np.random.Generator) -> Floats:
    """The right answers of each question in another order."""
    size = np.diff(np.append(first, wanted.size))
    order = np.lexsort((rng.random(wanted.size), np.repeat(np.arange(first.size), size)))
    return wanted[order]
