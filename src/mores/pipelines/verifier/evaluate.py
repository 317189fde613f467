"""A trained verifier on pairs that it did not learn from: its calibration, and its figures beside other raters.

The temperature and the figures go beside its weights, where whoever judges with it finds them. The sets are the
held-out pairs, by who labelled them; of each fold the responses of its left-out model, as the verifier says that learnt
nothing from it; and, where it is given, a file of other pairs.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from mores.benchmarks.data_tables import hash_table
from mores.calibration.agreement import to_dict
from mores.calibration.temperature import WeighedPairs, calibrated
from mores.core.arrays import Floats
from mores.core.codec import encode
from mores.core.errors import InputError
from mores.core.estimate import pools
from mores.core.files import write_own
from mores.core.seeds import Seed
from mores.models.similarity import Embedder
from mores.models.verifier_facts import STANDS, LabelledBy, VerifierCalibration, write_trained
from mores.pipelines.unit_context import check_counts
from mores.pipelines.verifier.figures import VERIFIER, PairSetMetrics, card, figures_of
from mores.pipelines.verifier.pairs import ResponseNormPair, codes_of, read_pairs, together
from mores.pipelines.verifier.predictions import (
    LoadedVerifier,
    by_embedding,
    by_response,
    codes,
    majority,
    read_judged,
    untuned,
)
from mores.pipelines.verifier.train import StoredVerifier
from mores.stats.recalibration import Recalibration

_ORDER: tuple[LabelledBy, ...] = ("synthetic", "file", "people")
"""Origins of labels, the weakest evidence first: a mixture is called by the weakest in it."""


class VerifierCalibrationRun(msgspec.Struct, frozen=True, kw_only=True):
    """A calibration, and the number of pairs not in it: not scored, or of questions that were learnt from."""

    calibration: VerifierCalibration
    unscored: int
    learnt_from: int


def calibrate(stored: StoredVerifier, other: Path | None = None) -> VerifierCalibrationRun:
    """The calibration of a verifier, which is put into its folder.

    Args:
        stored: The verifier, whose held-out pairs are taken where no other file is named.
        other: A file of labelled pairs; those of questions that the verifier learnt from are left out.

    Raises:
        InputError: the pairs cannot be used or are too few, or the verifier cannot be loaded.
        StorageError: the disk is full, read-only or gone.
    """
    given = stored.pairs["held out"] if other is None else _labelled(other)
    pairs = given if other is None else _unseen(given, stored.pairs["train"])
    if not pairs:
        raise InputError(f"{other or stored.folder}: no labelled pair is of a question that nothing was learnt from.")
    predictions = LoadedVerifier(str(stored.folder)).predict(pairs)
    kept = [(pair, each.shares) for pair, each in zip(pairs, predictions, strict=True) if each.shares]
    if not kept:
        raise InputError(
            f"{stored.folder}: it gave probabilities for none of {len(pairs)} pairs: {predictions[0].cause}."
        )
    scored = [pair for pair, _ in kept]
    groups, origins = together(scored), {pair.labels for pair in scored}
    pool = pools(groups.values())
    # What it says at a temperature, raised to that, is what it says without one.
    without = Recalibration(stored.trained.temperature or 1.0, np.zeros(len(STANDS)))
    found = calibrated(
        WeighedPairs(
            probabilities=without.probabilities([shares for _, shares in kept]),
            truth=np.array(codes_of(scored), dtype=np.int64),
            clusters=np.array([pool[groups[pair.cluster]] for pair in scored]),
        ),
        labels=next(each for each in _ORDER if each in origins),
        measured_on=stored.trained.trained_on if other is None else hash_table(other),
        seed=Seed(f"mores-{stored.trained.seed}").child("calibration"),
    )
    write_trained(stored.folder, replace(stored.trained, temperature=found.temperature, calibration=found))
    return VerifierCalibrationRun(
        calibration=found, unscored=len(pairs) - len(kept), learnt_from=len(given) - len(pairs)
    )


def _labelled(path: Path) -> tuple[ResponseNormPair, ...]:
    return tuple(pair for pair in read_pairs(path) if pair.label is not None)


def _unseen(pairs: tuple[ResponseNormPair, ...], train: tuple[ResponseNormPair, ...]) -> tuple[ResponseNormPair, ...]:
    """Those that share neither a question nor their own words with what was learnt from."""
    groups = together([*train, *pairs])
    asked = {groups[pair.cluster] for pair in train}
    words = {(pair.response, pair.norm) for pair in train}
    return tuple(
        pair for pair in pairs if groups[pair.cluster] not in asked and (pair.response, pair.norm) not in words
    )


CARD, FIGURES = "README.md", "figures.json"
HELD_OUT = "held out"


class EvaluationSet(NamedTuple):
    """Labelled pairs by name, and the verifier that has learnt nothing from them."""

    name: str
    pairs: tuple[ResponseNormPair, ...]
    stored: StoredVerifier


class ReferenceRaters(msgspec.Struct, frozen=True, kw_only=True):
    """Raters beside a verifier: its base, baselines of embeddings, and judges whose words lie in a folder."""

    base: bool = True
    embedder: Embedder | None = None
    judged: Path | None = None


def sets_of(stored: StoredVerifier, other: Path | None = None) -> tuple[EvaluationSet, ...]:
    """The sets that a verifier is tested on, with at least one pair each.

    Raises:
        InputError: the file of other pairs cannot be used, or has no labels.
    """
    found = [EvaluationSet(HELD_OUT, stored.pairs["held out"], stored)]
    found += [EvaluationSet(f"responses of {fold.leave_out}", fold.pairs["left out"], fold) for fold in stored.folds]
    if other is not None:
        pairs = _labelled(other)
        if not pairs:
            raise InputError(f"{other}: no pair has a label; expected labels to hold the verifier against.")
        found.append(EvaluationSet(other.name, pairs, stored))
    return tuple(part for each in found for part in _by_origin(each))


def _by_origin(whole: EvaluationSet) -> Iterator[EvaluationSet]:
    """Parts of a set by the origin of its labels."""
    for origin in dict.fromkeys(pair.labels for pair in whole.pairs):
        pairs = tuple(pair for pair in whole.pairs if pair.labels == origin)
        name = (
            whole.name
            if origin == "synthetic"
            else f"{whole.name}, labelled by {'people' if origin == 'people' else 'a file'}"
        )
        yield whole._replace(name=name, pairs=pairs)


_DRAWN = Seed("verifier/judged")
"""The same for every verifier, so that a judge need not be asked about other pairs after another training."""


def pairs_of(sets: Sequence[EvaluationSet], most: int | None = None) -> tuple[ResponseNormPair, ...]:
    """The pairs of some sets, each once: all of them, or so many of each set, drawn by their ids.

    Raises:
        InputError: the number is under one.
    """
    check_counts(limit=most)

    def drawn(pairs: Sequence[ResponseNormPair]) -> Sequence[ResponseNormPair]:
        return sorted(pairs, key=lambda pair: _DRAWN.child(pair.id).uniform())[:most] if most else pairs

    return tuple({pair.id: pair for each in sets for pair in drawn(each.pairs)}.values())


def evaluate(
    stored: StoredVerifier, sets: Sequence[EvaluationSet], others: ReferenceRaters
) -> tuple[PairSetMetrics, ...]:
    """The figures of all sets; they are put into the verifier's folder, and into its card.

    Raises:
        InputError: a library is missing, or a model cannot be loaded.
        StorageError: the disk is full, read-only or gone.
    """
    seed = Seed(f"mores-{stored.trained.seed}").child("figures")
    found = tuple(_figures(each, others, seed) for each in sets)
    trained = replace(stored.trained, figures={each.name: each.estimates for each in found})
    write_trained(stored.folder, trained)
    write_own(stored.folder / FIGURES, encode([to_dict(each) for each in found]) + b"\n")
    write_own(stored.folder / CARD, card(stored, found).encode())
    return found


def _figures(each: EvaluationSet, others: ReferenceRaters, seed: Seed) -> PairSetMetrics:
    labels = _predictions(each, others)
    judged = {} if others.judged is None else read_judged(others.judged, each.pairs)
    asked = {judge: found.asked for judge, found in judged.items()}
    labels |= {judge: found.codes for judge, found in judged.items()}
    return figures_of(each.name, each.pairs, labels, seed=seed, asked=asked)


def _predictions(each: EvaluationSet, others: ReferenceRaters) -> dict[str, Floats]:
    """Labels by each rater but judges; baselines that learn do so from what the set's verifier learnt from."""
    learnt, pairs = each.stored.pairs["train"], each.pairs
    labels = {
        VERIFIER: codes(LoadedVerifier(str(each.stored.folder)).predict(pairs)),
        "majority class": majority(learnt, pairs),
    }
    if others.embedder is not None:
        labels["embeddings"] = by_embedding(learnt, pairs, others.embedder)
        labels["embeddings, no norm"] = by_response(learnt, pairs, others.embedder)
    if others.base:
        labels["its base, untuned"] = untuned(each.stored.start, pairs)
    return labels
