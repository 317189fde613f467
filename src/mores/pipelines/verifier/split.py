"""Split of pairs: verifiers do not learn from some questions, nor in each fold from all responses of one model.

A question is on one side alone, with all questions that say the same in the same normalised words, or nearly so by a
model of embeddings. Which are held out, a hash of the question decides, so that adding questions moves no other.
"""

from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.similarity import Embedder
from mores.pipelines.duplicates import NEAR, normalised, vectors_of
from mores.pipelines.verifier.pairs import ResponseNormPair

_BLOCK = 512


class TrainTestSplit(msgspec.Struct, frozen=True, kw_only=True):
    """Pairs to learn from, pairs of questions that are held out, and those of `left_out` models that are neither."""

    train: tuple[ResponseNormPair, ...]
    held_out: tuple[ResponseNormPair, ...]
    left_out: tuple[ResponseNormPair, ...] = ()


def split_pairs(
    pairs: Sequence[ResponseNormPair],
    share: float,
    *,
    seed: Seed,
    leave_out: str = "",
    embedder: Embedder | None = None,
) -> TrainTestSplit:
    """The pairs in their parts.

    Args:
        pairs: All of them.
        share: Part of the questions to hold out, in (0, 1).
        seed: Names the hash.
        leave_out: A model whose responses nothing is learnt from; they are tested whatever their question.
        embedder: Finds questions that nearly say the same; without it only equal words are the same.

    Raises:
        InputError: the share is out of its range, nobody of that name responded, or a part has no pairs.
    """
    if not 0 < share < 1:
        raise InputError(f"--held-out {share}: expected a share between 0 and 1.")
    groups = together(pairs, embedder)
    left = tuple(pair for pair in pairs if leave_out and pair.model == leave_out)
    rest = [pair for pair in pairs if not leave_out or pair.model != leave_out]
    held = {name for name in set(groups.values()) if seed.child("held out", name).uniform() < share}
    split = TrainTestSplit(
        train=tuple(pair for pair in rest if groups[pair.cluster] not in held),
        held_out=tuple(pair for pair in rest if groups[pair.cluster] in held),
        left_out=left,
    )
    for part, what in ((split.train, "to learn from"), (split.held_out, "held out")):
        if not part:
            raise InputError(
                f"--held-out {share}: no pair is {what} of {len(set(groups.values()))} questions that differ."
            )
    return split


def models_of(pairs: Sequence[ResponseNormPair]) -> tuple[str, ...]:
    """Names of the models that responded."""
    return tuple(sorted({pair.model for pair in pairs} - {""}))


def together(pairs: Sequence[ResponseNormPair], embedder: Embedder | None = None) -> dict[str, str]:
    """The group of each cluster: the first by name of those whose questions say the same."""
    leader: dict[str, str] = {pair.cluster: pair.cluster for pair in pairs}

    def first(name: str) -> str:
        while leader[name] != name:
            name = leader[name]
        return name

    for one, other in (*_same(pairs), *(_near(pairs, embedder) if embedder is not None else ())):
        low, high = sorted((first(one), first(other)))
        leader[high] = low
    return {name: first(name) for name in leader}


def _same(pairs: Sequence[ResponseNormPair]) -> Iterator[tuple[str, str]]:
    seen: dict[str, str] = {}
    for pair in pairs:
        if pair.question:
            yield seen.setdefault(normalised(pair.question), pair.cluster), pair.cluster


def _near(pairs: Sequence[ResponseNormPair], embedder: Embedder) -> Iterator[tuple[str, str]]:
    asked = {pair.question: pair.cluster for pair in pairs if pair.question}
    texts = sorted(asked)
    rows = vectors_of(texts, embedder)
    for start in range(0, len(texts), _BLOCK):
        block = rows[start : start + _BLOCK] @ rows.T
        for one, other in zip(*np.nonzero(block >= NEAR), strict=True):
            yield asked[texts[start + int(one)]], asked[texts[int(other)]]
