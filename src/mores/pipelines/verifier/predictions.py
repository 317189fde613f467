"""Raters of how responses stand to norms: a verifier, its base before training, shortcut baselines, and judges.

pairs ─▶ a code into `STANDS` for each, NaN where nothing was said. Baselines that learn do so from the pairs that the
verifier learnt from. Judges are asked through one journal: a verifier or a simulated judge for probabilities, any other
judge for one verdict in words. A judge that failed has said nothing of a pair.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import nan
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from mores.benchmarks.shapes.question import effort_of
from mores.core.arrays import Floats
from mores.core.card import Sampling
from mores.core.codec import decode_lines, digest, encode, encode_lines
from mores.core.errors import InputError
from mores.core.extras import needed
from mores.core.files import refuse_taken, write_new
from mores.core.prompt import Prompt
from mores.core.seeds import Seed
from mores.core.table import sheet
from mores.judges.judge import Unjudged
from mores.judges.jury import Jury
from mores.judges.verifier import LABELS, AnswerNormPair, NormPrompts, score_by_labels, score_by_votes, softmax
from mores.models.cast import Cast
from mores.models.checkpoint import find_checkpoint
from mores.models.local_scoring import LocalLabelScorer, PairClassifier
from mores.models.registry import is_simulated
from mores.models.request import CallFailed, Tag
from mores.models.similarity import Embedder
from mores.models.verifier_facts import STANDS, ResponseStand, VerifierFacts, read_trained
from mores.pipelines.duplicates import vectors_of
from mores.pipelines.funnel import Kept
from mores.pipelines.pipeline import Pipeline, Release
from mores.pipelines.verifier.classifier import NormClassifier, Start, question_of
from mores.pipelines.verifier.pairs import ResponseNormPair, codes_of, read_pairs

_BATCH = 32


class RaterPrediction(NamedTuple):
    """Prediction for one pair: a probability for each of `STANDS`, or the cause for which there is none."""

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
    """A verifier in memory: a folder that training left, or any causal model that scores labels.

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
        """Predictions for each response and norm, in the order of the pairs."""
        found = self._weigher.weigh([question_of(pair, self._prompt) for pair in pairs])
        return [
            RaterPrediction(cause=str(each)) if isinstance(each, CallFailed)
            else RaterPrediction(tuple(softmax({stand: value / self._temperature for stand, value
                                     in zip(STANDS, each.sums, strict=True)}).values()))
            for each in found
        ]  # fmt: skip


def untuned(start: Start, pairs: Sequence[ResponseNormPair]) -> Floats:
    """Predictions of a verifier's base before it has learnt anything; an encoder by a head that the seed drew."""
    learner = NormClassifier(start)
    if learner.kind == "causal":
        # Let go before the same weights are loaded a second time.
        del learner
        return codes(LoadedVerifier(start.base).predict(pairs))
    found = np.full(len(pairs), nan)
    learner.model.eval()
    kept = [(number, row) for number, pair in enumerate(pairs) for row in learner.rows([pair])[0]]
    # Rows of like length in one batch, so that little is padded.
    kept.sort(key=lambda each: len(each[1].ids))
    with learner.torch.inference_mode():
        for at in range(0, len(kept), _BATCH):
            numbers, rows = zip(*kept[at : at + _BATCH], strict=True)
            found[list(numbers)] = learner.logits(rows, packed=False).argmax(-1).tolist()
    return found


def codes(predictions: Sequence[RaterPrediction]) -> Floats:
    """The likeliest label of each pair, as a code."""
    return np.array([each.code for each in predictions], dtype=np.float64)


def majority(train: Sequence[ResponseNormPair], pairs: Sequence[ResponseNormPair]) -> Floats:
    """The label that most pairs of the training have, for every pair."""
    return np.full(len(pairs), float(Counter(codes_of(train)).most_common(1)[0][0]))


def by_embedding(train: Sequence[ResponseNormPair], pairs: Sequence[ResponseNormPair], embedder: Embedder) -> Floats:
    """A logistic regression on how near response and norm lie as a model of embeddings has them.

    It is given the cosine and its square, so that a middle label can be nearest in the middle.

    Raises:
        InputError: scikit-learn is not installed.
    """
    return _logistic(_nearness(train, embedder), train, _nearness(pairs, embedder))


def by_response(train: Sequence[ResponseNormPair], pairs: Sequence[ResponseNormPair], embedder: Embedder) -> Floats:
    """A logistic regression on the response's embedding alone: what can be told without reading the norm.

    Raises:
        InputError: scikit-learn is not installed.
    """
    learnt, asked = (vectors_of([pair.response for pair in each], embedder) for each in (train, pairs))
    return _logistic(learnt, train, asked)


def _logistic(learnt: Floats, train: Sequence[ResponseNormPair], asked: Floats) -> Floats:
    model = needed("sklearn.linear_model").LogisticRegression(max_iter=1_000)
    model.fit(learnt, codes_of(train))
    return np.asarray(model.predict(asked), dtype=np.float64)


def _nearness(pairs: Sequence[ResponseNormPair], embedder: Embedder) -> Floats:
    rows = vectors_of([text for pair in pairs for text in (pair.response, pair.norm)], embedder)
    cosines = np.array([response @ norm for response, norm in zip(rows[::2], rows[1::2], strict=True)])
    return np.column_stack([cosines, cosines**2])


COLUMNS = ("id", *STANDS, "label", "cause")
DIGITS = 6


def predict(verifier: str, source: Path, out: Path) -> tuple[RaterPrediction, ...]:
    """Predictions of a verifier for each pair, in their order, written as CSV or, for `.jsonl`, as JSON Lines.

    Raises:
        InputError: a file cannot be used, there is no such verifier, or a file is there already.
        StorageError: the disk is full, read-only or gone.
    """
    if out.suffix not in {".csv", ".jsonl"}:
        raise InputError(f"--out {out}: expected a new file that ends in .csv or .jsonl.")
    refuse_taken(out)
    pairs = read_pairs(source, with_labels=False)
    predictions = tuple(LoadedVerifier(verifier).predict(pairs))
    rows = list(_rows(pairs, predictions))
    lines = b"".join(encode(dict(zip(COLUMNS, row, strict=True))) + b"\n" for row in rows)
    write_new(out, lines if out.suffix == ".jsonl" else sheet(COLUMNS, rows, encoding="utf-8"))
    return predictions


def _rows(
    pairs: Sequence[ResponseNormPair], predictions: Sequence[RaterPrediction]
) -> Iterator[tuple[str | float | None, ...]]:
    for pair, each in zip(pairs, predictions, strict=True):
        shares = (round(share, DIGITS) for share in each.shares) if each.shares else (None for _ in STANDS)
        yield pair.id, *shares, each.label, each.cause


JUDGED = "judged.jsonl"
STAGE = "judge"
_SAYING = Sampling(temperature=0.0)
_SEED = Seed("verifier/judges")


class JudgedPair(msgspec.Struct, frozen=True, kw_only=True):
    """Judges' labels of one pair: by judge the code of a label into `STANDS`, None for one that failed."""

    pair: str
    labels: dict[str, int | None]


def judging_pipeline(
    pairs: Sequence[ResponseNormPair], judges: Sequence[str]
) -> Pipeline[ResponseNormPair, JudgedPair]:
    """All pairs put to all judges.

    Args:
        pairs: Labelled pairs, each once.
        judges: Specs of models.

    Raises:
        InputError: a judge is named twice.
    """
    if len(set(judges)) < len(judges):
        raise InputError(f"--judge {', '.join(judges)}: a judge is named twice; name each once.")
    prompts = NormPrompts.read(Prompt.read)
    words = "".join(prompt.body for prompt in prompts.all)
    roles = {f"judge{number}": spec for number, spec in enumerate(judges, start=1)}
    return Pipeline[ResponseNormPair, JudgedPair](
        name="verifier judges",
        stages=(STAGE,),
        units=pairs,
        make=lambda pair, cast: _judged(pair, cast, roles, prompts),
        estimate=lambda pair: {role: [effort_of(words + pair.response + pair.norm, _SAYING)] for role in roles},
        release=lambda found: Release(files={JUDGED: encode_lines(found)}, facts={"pairs": len(found)}),
        roles=roles,
        prompts=prompts.all,
        made_from={"pairs": digest([[pair.id, pair.response, pair.norm, pair.label] for pair in pairs], length=64)},
    )


class JudgedCodes(NamedTuple):
    """A judge's codes of some pairs, NaN where it gave none, and how many of the pairs were put to it."""

    codes: Floats
    asked: int


def read_judged(folder: Path, pairs: Sequence[ResponseNormPair]) -> dict[str, JudgedCodes]:
    """Labels of some pairs by each judge, in their order; a pair that was not put to the judges has none.

    Raises:
        InputError: the file is damaged.
    """
    path = folder / JUDGED
    with path.open("rb") as lines:
        found = list(decode_lines(msgspec.json.Decoder(JudgedPair), lines, where=str(path), what="judged pair"))
    labels = {each.pair: each.labels for each in found}
    names = list(found[0].labels) if found else []
    asked = sum(pair.id in labels for pair in pairs)
    return {
        name: JudgedCodes(np.array([labels.get(pair.id, {}).get(name) for pair in pairs], dtype=np.float64), asked)
        for name in names
    }


async def _judged(
    pair: ResponseNormPair, cast: Cast, roles: Mapping[str, str], prompts: NormPrompts
) -> Kept[JudgedPair]:
    labels = await asyncio.gather(*(_judged_code(pair, role, spec, cast, prompts) for role, spec in roles.items()))
    return Kept(JudgedPair(pair=pair.id, labels=dict(zip(roles.values(), labels, strict=True))))


async def _judged_code(pair: ResponseNormPair, role: str, spec: str, cast: Cast, prompts: NormPrompts) -> int | None:
    asked = AnswerNormPair(
        place=pair.place_name,
        where=pair.place or None,
        question=pair.question,
        norm=pair.norm,
        answer=pair.response,
        tag=Tag(item=pair.id, role=role),
        unit=pair.id,
        prompts=prompts,
        planted=None if pair.label is None else LABELS[STANDS.index(pair.label)],
    )
    jury = Jury(roles=(role,))
    if spec.startswith("verifier/") or is_simulated(spec):
        scored = await score_by_labels(asked, jury=jury, cast=cast, seed=_SEED)
    else:
        scored = await score_by_votes(asked, jury=jury, cast=cast, sampling=_SAYING, seed=_SEED)
    if isinstance(scored, Unjudged):
        return None
    return LABELS.index(max(LABELS, key=lambda label: scored.shares[label]))
