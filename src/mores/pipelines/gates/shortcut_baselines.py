"""Shortcut baselines, which know no norm: they choose an option by length, position, words of reason, or wording alone.

A baseline that is right more often than a guess shows that a question gives itself away. The one that learns from
wordings is a ridge regression on counts of words and of runs of letters, tested on norms, or on places, that it has not
seen, and compared with a thousand permutations of the right answers within each question.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace
from scipy.linalg import cho_factor, cho_solve
from scipy.linalg.lapack import dpotrf, dpotri

from mores.core.arrays import Floats
from mores.core.extras import how_to_install
from mores.core.seeds import Seed
from mores.pipelines.gates.gate import LEVEL, Gate, GateItem, codes_of, ids_where, interval_of
from mores.stats.ranks import holm, sign_flip
from mores.stats.rng import generator

ShortcutBaseline = Callable[[GateItem], Sequence[float]]
"""A score for each option of a question; the highest is its choice."""
FOLDS, RIDGE, PERMUTATIONS = 5, 1.0, 1_000
NO_SKLEARN = f"scikit-learn is not installed; {how_to_install('build')} brings it"
MOST = 4_000
"""Options that the learning baseline is given; of more, whole questions are sampled."""
_REASONS = re.compile(
    r"\b(?:because|since|so that|so as to|in order to|out of respect|to show|to avoid|as a sign|therefore)\b",
    re.IGNORECASE,
)


def baseline_gates(items: Sequence[GateItem], seed: Seed) -> list[Gate]:
    """Gates on all shortcut baselines over questions with options, corrected by Holm's method over the baselines."""
    if not items:
        return [Gate(name="options", says="baselines on options alone", why="no options to choose from")]
    simple: list[tuple[str, str, ShortcutBaseline]] = [
        ("longest option", "takes the longest option", lambda item: [len(option) for option in item.options]),
        ("shortest option", "takes the shortest option", lambda item: [-len(option) for option in item.options]),
        ("words of reason", "takes the option with most words of reason",
         lambda item: [len(_REASONS.findall(option)) for option in item.options]),
        *(
            (f"option {number + 1}", f"takes option {number + 1} of each question", _option_at(number))
            for number in range(max(len(item.options) for item in items))
        ),
    ]  # fmt: skip
    sample = _some(items, seed)
    return _corrected([
        *(_simple(name, says, baseline, items) for name, says, baseline in simple),
        learning_baseline("norm", sample, lambda item: item.norm, seed.child("norm")),
        learning_baseline("place", sample, lambda item: item.place, seed.child("place")),
    ])  # fmt: skip


def _option_at(position: int) -> ShortcutBaseline:
    return lambda item: [number == position for number in range(len(item.options))]


def _simple(name: str, says: str, baseline: ShortcutBaseline, items: Sequence[GateItem]) -> Gate:
    chosen = [item for item in items if len(set(baseline(item))) > 1]
    if not chosen:
        return Gate(name=name, says=says, why="it scores all options alike")
    right = np.array([_right_share(item, baseline(item)) for item in chosen])
    chance = np.array([len(item.right) / len(item.options) for item in chosen])
    test = sign_flip(np.bincount(codes_of([item.norm for item in chosen]), right - chance).astype(np.float64))
    return Gate(
        name=name, says=says, value=float(right.mean()), chance=float(chance.mean()), n=len(chosen), p=test.p,
        interval=interval_of(right.tolist(), chosen, name), threshold={"p_below": LEVEL},
        items=ids_where(chosen, right == 1),
    )  # fmt: skip


def _right_share(item: GateItem, scores: Sequence[float]) -> float:
    """Share of right answers of a baseline that takes one of its highest-scored options, each as likely."""
    top = np.flatnonzero(np.isclose(scores, max(scores)))
    return float(np.isin(top, item.right).mean())


def learning_baseline(kind: str, items: Sequence[GateItem], unseen: Callable[[GateItem], str], seed: Seed) -> Gate:
    """Share of right choices of a baseline on the wording of options, on norms or places it has not seen."""
    name = f"wording alone, by {kind}"
    says = f"learns from the wording of options and is tested on {kind}s it has not seen"
    if len({unseen(item) for item in items}) < 3:
        return Gate(name=name, says=says, why=f"fewer than three {kind}s")
    if find_spec("sklearn") is None:
        return Gate(name=name, says=says, why=NO_SKLEARN)
    right, null = _learnt(items, unseen, seed)
    return Gate(
        name=name, says=says, value=float(right.mean()), chance=float(null.mean()), n=len(items),
        # The data count as one of the permutations, so that p is never 0; 1e-12 is for sums in another order.
        p=float((1 + np.sum(null >= right.mean() - 1e-12)) / (1 + null.size)),
        interval=interval_of(right.tolist(), items, name), threshold={"p_below": LEVEL},
        items=ids_where(items, right == 1),
    )  # fmt: skip


def _some(items: Sequence[GateItem], seed: Seed) -> list[GateItem]:
    """As many questions as the learning baseline can take, sampled where there are more."""
    order = generator(seed.child("some")).permutation(len(items))
    kept, options = [], 0
    for number in order.tolist():
        options += len(items[number].options)
        # Whole questions alone, as right answers are permuted within each.
        if options > MOST:
            break
        kept.append(number)
    return [items[number] for number in sorted(kept)]


def _corrected(gates: list[Gate]) -> list[Gate]:
    """Baselines pass unless they are better than chance after correction; items are named where they are."""
    p = holm([np.nan if gate.p is None else gate.p for gate in gates])
    found = []
    for gate, each in zip(gates, p.tolist(), strict=True):
        if gate.p is None or gate.value is None or gate.chance is None:
            found.append(gate)
            continue
        failed = each < LEVEL and gate.value > gate.chance
        found.append(replace(gate, p=each, passed=not failed, items=gate.items if failed else ()))
    return found


def _learnt(items: Sequence[GateItem], unseen: Callable[[GateItem], str], seed: Seed) -> tuple[Floats, Floats]:
    """Score of the learning baseline on each question, and its mean under each permutation of right answers.

    Args:
        items: Questions with options.
        unseen: Group of an item, such as its norm, all of which is learnt from or all tested.
        seed: Seed of folds and permutations.
    """
    owner = np.repeat(np.arange(len(items)), [len(item.options) for item in items])
    truth = np.concatenate([np.isin(np.arange(len(item.options)), item.right) for item in items]).astype(float)
    groups = np.unique([unseen(item) for item in items], return_inverse=True)[1][owner]
    weights = label_weights([option for item in items for option in item.options], groups, seed)
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    found = _right(weights @ _centred(truth, owner), truth, first)
    rng = generator(seed.child("deals"))
    permuted = np.array([_permuted(truth, first, rng) for _ in range(PERMUTATIONS)])
    scores = weights @ np.array([_centred(each, owner) for each in permuted]).T
    null = np.array([_right(scores[:, number], permuted[number], first).mean() for number in range(PERMUTATIONS)])
    return found, null


def label_weights(texts: Sequence[str], groups: npt.NDArray[np.int64], seed: Seed) -> Floats:
    """Weight of each text's label in the score of each other: ridge regression, in folds of whole groups.

    With M the inverse of the similarities of all texts, RIDGE added to each with itself, the scores of a fold are
    -(M of the fold)^-1 (M of the fold and the others) times the labels of the others, whose own inverse is in M.
    """
    inverse = inverse_similarity(tuple(texts))
    fold_of = generator(seed.child("folds")).permutation(groups.max() + 1) % min(FOLDS, groups.max() + 1)
    fold = fold_of[groups]
    weights = np.zeros_like(inverse)
    for number in range(int(fold.max()) + 1):
        test, train = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        factor = cho_factor(inverse[np.ix_(test, test)], lower=True, overwrite_a=True, check_finite=False)
        weights[np.ix_(test, train)] = -cho_solve(factor, inverse[np.ix_(test, train)], check_finite=False)
    return weights


@lru_cache(maxsize=1)
def inverse_similarity(texts: tuple[str, ...]) -> Floats:
    """The inverse of the similarities of texts, RIDGE added to each with itself; kept for other folds of the texts."""
    extraction = import_module("sklearn.feature_extraction.text")
    sparse = import_module("scipy.sparse")
    words = extraction.TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True).fit_transform(texts)
    letters = extraction.TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True).fit_transform(texts)
    counts = sparse.hstack([words, letters]).tocsr()
    similarity = np.asarray((counts @ counts.T).todense())
    similarity[np.diag_indices_from(similarity)] += RIDGE
    # LAPACK works in columns: transposed, a symmetric matrix is the same and need not be copied.
    factor, _ = dpotrf(similarity.T, lower=True, overwrite_a=True)
    inverse, _ = dpotri(factor, lower=True, overwrite_c=True)
    # What lies above the diagonal is 0 in both.
    whole: Floats = inverse + inverse.T
    whole[np.diag_indices_from(whole)] /= 2
    return whole


def _centred(truth: Floats, owner: npt.NDArray[np.int64]) -> Floats:
    """Right answers less their mean in each question, so that only differences within it are learnt."""
    return truth - (np.bincount(owner, truth) / np.bincount(owner))[owner]


def _right(scores: Floats, truth: Floats, first: npt.NDArray[np.int64]) -> Floats:
    """Share of right options among the highest-scored, a number a question."""
    best = np.maximum.reduceat(scores, first)
    size = np.diff(np.append(first, scores.size))
    top = np.isclose(scores, np.repeat(best, size), rtol=0, atol=1e-12)
    return np.asarray(np.add.reduceat(top * truth, first) / np.add.reduceat(top.astype(float), first))


def _permuted(truth: Floats, first: npt.NDArray[np.int64], rng: np.random.Generator) -> Floats:
    """The right answers of each question in another order."""
    size = np.diff(np.append(first, truth.size))
    order = np.lexsort((rng.random(truth.size), np.repeat(np.arange(first.size), size)))
    return truth[order]
