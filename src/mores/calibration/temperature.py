"""A verifier put right by one temperature, and how often it errs, on labelled pairs that it did not learn from.

probabilities and labels of pairs ─▶ the temperature, of one half of the questions ─▶ how reliable the other half is,
as it was and put right ─▶ sensitivity and specificity of the likeliest label, over both
"""

from collections.abc import Mapping
from math import isnan

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.calibration.agreement import estimate_of
from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.models.verifier_facts import STANDS, CalibrationSummary, LabelledBy, VerifierCalibration
from mores.stats.cluster_sums import Design, share
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.labelled_units import JudgedUnits, LabelledUnits
from mores.stats.recalibration import reliability, rescale
from mores.stats.rogan_gladen import rogan_gladen

SATISFY = STANDS.index("satisfy")


class WeighedPairs(Struct, frozen=True, kw_only=True):
    """Labelled pairs as a verifier weighs them, without any temperature: a row a pair, a column a label.

    `truth` has the place of each label among `STANDS`, `clusters` what was drawn together, such as a question.
    """

    probabilities: Floats
    truth: Integers
    clusters: npt.NDArray[np.str_]

    def at(self, mask: npt.NDArray[np.bool_]) -> "WeighedPairs":
        """Some of them."""
        return WeighedPairs(
            probabilities=self.probabilities[mask], truth=self.truth[mask], clusters=self.clusters[mask]
        )


def calibrated(
    pairs: WeighedPairs, *, labels: LabelledBy, measured_on: Mapping[str, str], seed: Seed
) -> VerifierCalibration:
    """The calibration of a verifier; hashes of the questions decide which half of them is which.

    Raises:
        InputError: a half has fewer than 8 questions, only one label is there, or the probabilities tell nothing.
    """
    # by hash of its name, so that a question stays in its half when others are added
    names = sorted(set(pairs.clusters.tolist()), key=lambda name: seed.child("half", name).uniform())
    first = set(names[: len(names) // 2])
    if len(first) < MIN_CLUSTERS:
        raise InputError(
            f"{len(names)} questions; expected at least {2 * MIN_CLUSTERS}: half to fit a temperature on, half "
            "to show it on."
        )
    fitting = np.array([name in first for name in pairs.clusters.tolist()], dtype=np.bool_)
    fit = rescale(pairs.probabilities[fitting], pairs.truth[fitting])
    if fit.scale <= 0:
        raise InputError("The probabilities tell nothing of the labels, so no temperature puts them right.")
    judged = (pairs.probabilities.argmax(axis=1) == SATISFY).astype(np.float64)
    truth = (pairs.truth == SATISFY).astype(np.float64)
    rates = rogan_gladen(
        JudgedUnits(values=judged, clusters=pairs.clusters),
        LabelledUnits(values=judged, labels=truth, clusters=pairs.clusters),
    )
    if isnan(rates.sensitivity) or isnan(rates.specificity):
        raise InputError("All pairs are labelled satisfy, or none is; expected both.")
    shown = pairs.at(~fitting)
    return VerifierCalibration(
        labels=labels,
        measured_on=dict(measured_on),
        temperature=1 / fit.scale,
        fitted=int(fitting.sum()),
        before=_reliability(shown.probabilities, shown, seed),
        after=_reliability(fit.probabilities(shown.probabilities), shown, seed),
        sensitivity=_rate("sensitivity", judged, truth == 1, pairs, seed),
        specificity=_rate("specificity", 1 - judged, truth == 0, pairs, seed),
        worth=(rates.yes, rates.no),
    )


def _reliability(probabilities: Floats, pairs: WeighedPairs, seed: Seed) -> CalibrationSummary:
    right = probabilities.argmax(axis=1) == pairs.truth
    found = reliability(probabilities.max(axis=1), right, _design(pairs, seed.child("reliability")))
    return CalibrationSummary(
        stated=tuple(each.stated for each in found.bins),
        right=tuple(estimate_of(each.right, "right", each.units) for each in found.bins),
        error=estimate_of(found.error, "calibration_error", len(right)),
    )


def _rate(name: str, hits: Floats, among: npt.NDArray[np.bool_], pairs: WeighedPairs, seed: Seed) -> Estimate:
    part = hits[among]
    return estimate_of(share(part, _design(pairs.at(among), seed), name), name, part.size)


def _design(pairs: WeighedPairs, seed: Seed) -> Design:
    return Design(clusters=pairs.clusters, seed=seed)
