"""A trained verifier on pairs that it did not learn from: how sure it may be, and how often it errs.

The temperature and the figures go beside its weights, where whoever judges with it finds them.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from mores.benchmarks.data_tables import hash_table
from mores.calibration.temperature import WeighedPairs, calibrated
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.models.verifier_facts import STANDS, LabelledBy, VerifierCalibration, write_trained
from mores.pipelines.verifier.pairs import ResponseNormPair, codes_of, read_pairs
from mores.pipelines.verifier.predictions import LoadedVerifier
from mores.pipelines.verifier.split import together
from mores.pipelines.verifier.train import StoredVerifier
from mores.stats.recalibration import Recalibration

_WORTH: tuple[LabelledBy, ...] = ("synthetic", "file", "people")
"""Whose labels they are, those that say least of the truth first: all are called by the least among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierCalibrationRun:
    """A calibration, and how many pairs are not in it: not weighed, or of questions that were learnt from."""

    calibration: VerifierCalibration
    unweighed: int
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
    said = LoadedVerifier(str(stored.folder)).say(pairs)
    kept = [(pair, each.shares) for pair, each in zip(pairs, said, strict=True) if each.shares]
    if not kept:
        raise InputError(f"{stored.folder}: it could weigh none of {len(pairs)} pairs: {said[0].cause}.")
    weighed = [pair for pair, _ in kept]
    groups, worth = together(weighed), {pair.labels for pair in weighed}
    # What it says at a temperature, raised to that, is what it says without one.
    without = Recalibration(stored.trained.temperature or 1.0, np.zeros(len(STANDS)))
    found = calibrated(
        WeighedPairs(
            probabilities=without.probabilities([shares for _, shares in kept]),
            truth=np.array(codes_of(weighed), dtype=np.int64),
            clusters=np.array([groups[pair.cluster] for pair in weighed]),
        ),
        labels=next(each for each in _WORTH if each in worth),
        measured_on=stored.trained.trained_on if other is None else hash_table(other),
        seed=Seed(f"mores-{stored.trained.seed}").child("calibration"),
    )
    write_trained(stored.folder, replace(stored.trained, temperature=found.temperature, calibration=found))
    return VerifierCalibrationRun(
        calibration=found, unweighed=len(pairs) - len(kept), learnt_from=len(given) - len(pairs)
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
