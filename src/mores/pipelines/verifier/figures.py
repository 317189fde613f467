"""Figures of a verifier on labelled pairs, beside those of other raters on the same pairs.

labelled pairs and what each rater says ─▶ agreement with the labels, over clusters ─▶ differences, paired by pair.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.models.verifier_facts import STANDS, LabelledBy
from mores.pipelines.verifier.pairs import ResponseNormPair, codes_of
from mores.stats.checks import FloatArray
from mores.stats.cluster_sums import Design, MeasuredFigure, share
from mores.stats.confusion import PairAgreement, pair_agreement
from mores.stats.paired import Paired, compare_paired

VERIFIER = "verifier"
SATISFY = STANDS.index("satisfy")


class RaterMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """One rater on one set: its agreement with the labels of the pairs it graded, and the verifier's lead over it.

    `sensitivity` and `specificity` are of saying that a norm is satisfied. `lead` is the verifier's accuracy less its
    own, over the pairs that both graded; None for the verifier itself.
    """

    rater: str
    graded: int
    agreement: PairAgreement
    sensitivity: MeasuredFigure
    specificity: MeasuredFigure
    lead: Paired | None

    def estimates(self, asked: int, labels: LabelledBy) -> Iterator[Estimate]:
        """The figures one by one, each with who labelled as its group, and the class where it is of one."""
        found = self.agreement
        whole = {"accuracy": found.accuracy, "f1_macro": found.f1_macro, "balanced_accuracy": found.balanced_accuracy,
                 "sensitivity": self.sensitivity, "specificity": self.specificity}  # fmt: skip
        for metric, measured in whole.items():
            yield _estimate(metric, measured, {"labels": labels}, asked, self.graded)
        for each in found.classes:
            group = {"labels": labels, "class": each.name}
            for metric in ("precision", "recall", "f1"):
                yield _estimate(metric, getattr(each, metric), group, asked, self.graded)


class PairSetMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """All raters on one set of pairs, the verifier first; `labels` says what its labels are worth as a truth."""

    name: str
    labels: LabelledBy
    pairs: int
    clusters: int
    raters: tuple[RaterMetrics, ...]

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The verifier's own."""
        return tuple(self.raters[0].estimates(self.pairs, self.labels))


def figures_of(
    name: str, pairs: Sequence[ResponseNormPair], labels: Mapping[str, FloatArray], *, seed: Seed
) -> PairSetMetrics:
    """The figures of one set.

    Args:
        name: What the set is called.
        pairs: Labelled pairs whose labels are worth the same.
        labels: A code for each pair by rater, NaN where it said nothing; `VERIFIER` is among them.
        seed: The root of the resamples.

    Raises:
        InputError: labels are of several worths, or the verifier graded nothing.
    """
    origins = {pair.labels for pair in pairs}
    if len(origins) != 1 or not np.isfinite(labels[VERIFIER]).any():
        raise InputError(
            f"{name}: labels are {', '.join(sorted(origins)) or 'none'}, and at least one pair must be graded."
        )
    gold = np.array(codes_of(pairs), dtype=np.float64)
    clusters = np.array([pair.cluster for pair in pairs])
    names = [VERIFIER, *(rater for rater in labels if rater != VERIFIER and np.isfinite(labels[rater]).any())]
    return PairSetMetrics(
        name=name,
        labels=next(iter(origins)),
        pairs=len(pairs),
        clusters=len(set(clusters.tolist())),
        raters=tuple(_rater_metrics(rater, gold, labels, clusters, seed.child(name, rater)) for rater in names),
    )


def _rater_metrics(
    rater: str,
    gold: FloatArray,
    labels: Mapping[str, FloatArray],
    clusters: npt.NDArray[np.str_],
    seed: Seed,
) -> RaterMetrics:
    own = labels[rater]
    graded = np.isfinite(own)
    design = Design(clusters=clusters[graded], seed=seed)
    kept, claimed = gold[graded] == SATISFY, own[graded] == SATISFY
    both = graded & np.isfinite(labels[VERIFIER])
    lead = None
    if rater != VERIFIER:
        right, other = ((each[both] == gold[both]).astype(np.float64) for each in (labels[VERIFIER], own))
        lead = compare_paired(right, other, clusters[both], seed=seed.child("lead"))
    return RaterMetrics(
        rater=rater,
        graded=int(graded.sum()),
        agreement=pair_agreement(gold[graded].astype(int), own[graded].astype(int), STANDS, design),
        sensitivity=share(claimed[kept], design.part(kept, "sensitivity"), "sensitivity"),
        specificity=share(~claimed[~kept], design.part(~kept, "specificity"), "specificity"),
        lead=lead,
    )


def _estimate(metric: str, found: MeasuredFigure, group: dict[str, str], asked: int, graded: int) -> Estimate:
    missing = found.missing or found.interval.missing
    return Estimate(
        metric=metric, group=group, value=None if np.isnan(found.value) else found.value, low=found.interval.low,
        high=found.interval.high, asked=asked, graded=graded, method=found.interval.method, missing=missing,
    )  # fmt: skip
