"""A trained verifier on pairs that it has not learnt from, beside its base, simple readers and judges.

The sets are the held-out pairs, apart by who labelled them; of each fold the responses of its left-out model, as the
verifier says that learnt nothing from it; and, where it is given, a file of other pairs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from mores.calibration.agreement import to_dict
from mores.core.codec import encode
from mores.core.errors import InputError
from mores.core.files import write_own
from mores.core.seeds import Seed
from mores.models.similarity import Embedder
from mores.models.verifier_facts import write_trained
from mores.pipelines.verifier.card import card
from mores.pipelines.verifier.figures import VERIFIER, PairSetMetrics, figures_of
from mores.pipelines.verifier.judge_baselines import read_judged
from mores.pipelines.verifier.pairs import ResponseNormPair, read_pairs
from mores.pipelines.verifier.predictions import LoadedVerifier, by_embedding, codes, majority, untuned
from mores.pipelines.verifier.train import StoredVerifier
from mores.stats.checks import FloatArray

CARD, FIGURES = "README.md", "figures.json"
HELD_OUT = "held out"


class EvaluationSet(NamedTuple):
    """Labelled pairs by name, and the verifier that has learnt nothing from them."""

    name: str
    pairs: tuple[ResponseNormPair, ...]
    stored: StoredVerifier


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceRaters:
    """Who is set beside a verifier: its base, a reader of embeddings, and judges whose words lie in a folder."""

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
        pairs = tuple(pair for pair in read_pairs(other) if pair.label is not None)
        if not pairs:
            raise InputError(f"{other}: no pair has a label; expected labels to hold the verifier against.")
        found.append(EvaluationSet(other.name, pairs, stored))
    return tuple(part for each in found for part in _by_worth(each))


def _by_worth(whole: EvaluationSet) -> Iterator[EvaluationSet]:
    """A set apart by what its labels are worth as a truth."""
    for worth in dict.fromkeys(pair.labels for pair in whole.pairs):
        pairs = tuple(pair for pair in whole.pairs if pair.labels == worth)
        name = (
            whole.name
            if worth == "synthetic"
            else f"{whole.name}, labelled by {'people' if worth == 'people' else 'a file'}"
        )
        yield whole._replace(name=name, pairs=pairs)


def pairs_of(sets: Sequence[EvaluationSet]) -> tuple[ResponseNormPair, ...]:
    """All pairs of some sets, each once."""
    return tuple({pair.id: pair for each in sets for pair in each.pairs}.values())


def evaluate(
    stored: StoredVerifier, sets: Sequence[EvaluationSet], others: ReferenceRaters
) -> tuple[PairSetMetrics, ...]:
    """The figures of all sets; they are put into the verifier's folder, and into its card.

    Raises:
        InputError: a library is missing, or a model cannot be loaded.
        StorageError: the disk is full, read-only or gone.
    """
    seed = Seed(f"mores-{stored.trained.seed}").child("figures")
    found = tuple(figures_of(each.name, each.pairs, _predictions(each, others), seed=seed) for each in sets)
    trained = replace(stored.trained, figures={each.name: each.estimates for each in found})
    write_trained(stored.folder, trained)
    write_own(stored.folder / FIGURES, encode([to_dict(each) for each in found]) + b"\n")
    write_own(stored.folder / CARD, card(stored, found).encode())
    return found


def _predictions(each: EvaluationSet, others: ReferenceRaters) -> dict[str, FloatArray]:
    """What everybody says of a set; readers that learn do so from what the set's verifier learnt from."""
    learnt, pairs = each.stored.pairs["train"], each.pairs
    said = {
        VERIFIER: codes(LoadedVerifier(str(each.stored.folder)).predict(pairs)),
        "majority class": majority(learnt, pairs),
    }
    if others.embedder is not None:
        said["embeddings"] = by_embedding(learnt, pairs, others.embedder)
    if others.base:
        said["its base, untuned"] = untuned(each.stored.start, pairs)
    if others.judged is not None:
        said |= read_judged(others.judged, pairs)
    return said
