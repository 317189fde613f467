"""Who says how responses stand to norms: a verifier, its base before training, and simple readers set beside it.

pairs ─▶ a code into `STANDS` for each, NaN where nothing was said. Readers that learn do so from the pairs that the
verifier learnt from.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import nan
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mores.core.codec import encode
from mores.core.errors import InputError
from mores.core.extras import needed
from mores.core.files import refuse_taken, write_new
from mores.core.prompt import Prompt
from mores.core.table import sheet
from mores.judges.verifier import NormPrompts, softmax
from mores.models.checkpoint import find_checkpoint
from mores.models.local_classifier import PairClassifier
from mores.models.local_scoring import LocalLabelScorer
from mores.models.request import CallFailed
from mores.models.similarity import Embedder
from mores.models.verifier_facts import STANDS, ResponseStand, VerifierFacts, read_trained
from mores.pipelines.duplicates import vectors_of
from mores.pipelines.verifier.classifier import NormClassifier, Start, question_of
from mores.pipelines.verifier.pairs import ResponseNormPair, codes_of, read_pairs
from mores.stats.checks import FloatArray

_BATCH = 32


class RaterPrediction(NamedTuple):
    """What is said of one pair: a probability for each of `STANDS`, or the cause for which there is none."""

    shares: tuple[float, ...] = ()
    cause: str = ""

    @property
    def code(self) -> float:
        """The place of the likeliest, NaN for none."""
        return float(np.argmax(self.shares)) if self.shares else nan

    @property
    def label(self) -> ResponseStand | None:
        """The likeliest, None for none."""
        return STANDS[int(self.code)] if self.shares else None


class LoadedVerifier:
    """A verifier in memory: a folder that training left, or any causal model that weighs labels.

    Raises:
        InputError: there is no such model, or a library is missing.
    """

    def __init__(self, name: str) -> None:
        spec = f"verifier/{name}"
        folder = find_checkpoint(name, spec)
        self.trained: VerifierFacts | None = read_trained(folder)
        self._prompt = NormPrompts.read(Prompt.read).weighed
        self._temperature = (self.trained.temperature if self.trained else None) or 1.0
        self._weigher = (
            PairClassifier(folder, spec, self.trained)
            if self.trained is not None and self.trained.kind == "encoder"
            else LocalLabelScorer(folder, spec)
        )

    def predict(self, pairs: Sequence[ResponseNormPair]) -> list[RaterPrediction]:
        """How each response stands to its norm, in the order of the pairs."""
        found = self._weigher.weigh([question_of(pair, self._prompt) for pair in pairs])
        return [
            RaterPrediction(cause=str(each)) if isinstance(each, CallFailed)
            else RaterPrediction(tuple(softmax({stand: value / self._temperature for stand, value
                                     in zip(STANDS, each.sums, strict=True)}).values()))
            for each in found
        ]  # fmt: skip


def untuned(start: Start, pairs: Sequence[ResponseNormPair]) -> FloatArray:
    """What a verifier's base says before it has learnt anything; an encoder by a head that the seed drew."""
    learner = NormClassifier(start)
    if learner.kind == "causal":
        del learner
        return codes(LoadedVerifier(start.base).predict(pairs))
    found = np.full(len(pairs), nan)
    learner.model.eval()
    kept = [(number, row) for number, pair in enumerate(pairs) for row in learner.rows([pair])[0]]
    kept.sort(key=lambda each: len(each[1].ids))
    with learner.torch.inference_mode():
        for at in range(0, len(kept), _BATCH):
            numbers, rows = zip(*kept[at : at + _BATCH], strict=True)
            found[list(numbers)] = learner.logits(rows, packed=False).argmax(-1).tolist()
    return found


def codes(said: Sequence[RaterPrediction]) -> FloatArray:
    """The likeliest label of each pair, as a code."""
    return np.array([each.code for each in said], dtype=np.float64)


def majority(train: Sequence[ResponseNormPair], pairs: Sequence[ResponseNormPair]) -> FloatArray:
    """The label that most pairs of the training have, for every pair."""
    return np.full(len(pairs), float(Counter(codes_of(train)).most_common(1)[0][0]))


def by_embedding(
    train: Sequence[ResponseNormPair], pairs: Sequence[ResponseNormPair], embedder: Embedder
) -> FloatArray:
    """A logistic regression on how near response and norm lie as a model of embeddings has them.

    It is given the cosine and its square, so that a middle label can be nearest in the middle.

    Raises:
        InputError: scikit-learn is not installed.
    """
    model = needed("sklearn.linear_model").LogisticRegression(max_iter=1_000)
    model.fit(_nearness(train, embedder), codes_of(train))
    return np.asarray(model.predict(_nearness(pairs, embedder)), dtype=np.float64)


def _nearness(pairs: Sequence[ResponseNormPair], embedder: Embedder) -> FloatArray:
    rows = vectors_of([text for pair in pairs for text in (pair.response, pair.norm)], embedder)
    cosines = np.array([response @ norm for response, norm in zip(rows[::2], rows[1::2], strict=True)])
    return np.column_stack([cosines, cosines**2])


COLUMNS = ("id", *STANDS, "label", "cause")
DIGITS = 6


def predict(verifier: str, source: Path, out: Path) -> tuple[RaterPrediction, ...]:
    """What the verifier says of each pair, in their order, written as CSV or, for `.jsonl`, as JSON Lines.

    Raises:
        InputError: a file cannot be used, there is no such verifier, or a file is there already.
        StorageError: the disk is full, read-only or gone.
    """
    if out.suffix not in {".csv", ".jsonl"}:
        raise InputError(f"--out {out}: expected a new file that ends in .csv or .jsonl.")
    refuse_taken(out)
    pairs = read_pairs(source, with_labels=False)
    said = tuple(LoadedVerifier(verifier).predict(pairs))
    rows = list(_rows(pairs, said))
    lines = b"".join(encode(dict(zip(COLUMNS, row, strict=True))) + b"\n" for row in rows)
    write_new(out, lines if out.suffix == ".jsonl" else sheet(COLUMNS, rows, encoding="utf-8"))
    return said


def _rows(
    pairs: Sequence[ResponseNormPair], said: Sequence[RaterPrediction]
) -> Iterator[tuple[str | float | None, ...]]:
    for pair, each in zip(pairs, said, strict=True):
        shares = (round(share, DIGITS) for share in each.shares) if each.shares else (None for _ in STANDS)
        yield pair.id, *shares, each.label, each.cause
