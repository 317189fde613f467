"""Figures of a verifier on labelled pairs, beside those of other raters on the same pairs, and its model card.

labelled pairs and what each rater says ─▶ agreement with the labels, over clusters ─▶ differences, paired by pair ─▶
a card of what the verifier is for, what it learnt from, how good it is, and what it cannot tell
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from mores import __version__
from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.estimate import Estimate, pools
from mores.core.seeds import Seed
from mores.models.verifier_facts import STANDS, LabelledBy, VerifierCalibration
from mores.pipelines.verifier.pairs import ResponseNormPair, codes_of
from mores.pipelines.verifier.train import StoredVerifier
from mores.stats.cluster_sums import Design, MeasuredFigure, share
from mores.stats.confusion import PairAgreement, pair_agreement
from mores.stats.paired import Paired, compare_paired
from mores.tables.formatting import format_difference, format_interval, format_number, format_p

VERIFIER = "verifier"
SATISFY = STANDS.index("satisfy")


class RaterMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """One rater on one set: its agreement with the labels of the pairs it graded, and the verifier's lead over it.

    `asked` is how many pairs were put to it, which for a judge may be a part of the set.
    `sensitivity` and `specificity` are of saying that a norm is satisfied. `lead` is the verifier's accuracy less its
    own, over the pairs that both graded; None for the verifier itself.
    """

    rater: str
    asked: int
    graded: int
    agreement: PairAgreement
    sensitivity: MeasuredFigure
    specificity: MeasuredFigure
    lead: Paired | None

    def estimates(self, labels: LabelledBy) -> Iterator[Estimate]:
        """The figures one by one, each with who labelled as its group, and the class where it is of one."""
        found = self.agreement
        whole = {"accuracy": found.accuracy, "f1_macro": found.f1_macro, "balanced_accuracy": found.balanced_accuracy,
                 "sensitivity": self.sensitivity, "specificity": self.specificity}  # fmt: skip
        for metric, measured in whole.items():
            yield _estimate(metric, measured, {"labels": labels}, self.asked, self.graded)
        for each in found.classes:
            group = {"labels": labels, "class": each.name}
            for metric in ("precision", "recall", "f1"):
                yield _estimate(metric, getattr(each, metric), group, self.asked, self.graded)


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
        return tuple(self.raters[0].estimates(self.labels))


def figures_of(
    name: str,
    pairs: Sequence[ResponseNormPair],
    labels: Mapping[str, Floats],
    *,
    seed: Seed,
    asked: Mapping[str, int] | None = None,
) -> PairSetMetrics:
    """The figures of one set.

    Args:
        name: What the set is called.
        pairs: Labelled pairs whose labels are worth the same.
        labels: A code for each pair by rater, NaN where it said nothing; `VERIFIER` is among them.
        seed: The root of the resamples.
        asked: How many pairs were put to a rater, where that is not all of them.

    Raises:
        InputError: labels are of several worths, or the verifier graded nothing.
    """
    origins = {pair.labels for pair in pairs}
    if len(origins) != 1 or not np.isfinite(labels[VERIFIER]).any():
        raise InputError(
            f"{name}: labels are {', '.join(sorted(origins)) or 'none'}, and at least one pair must be graded."
        )
    gold = np.array(codes_of(pairs), dtype=np.float64)
    pool = pools(pair.cluster for pair in pairs)
    clusters = np.array([pool[pair.cluster] for pair in pairs])
    names = [VERIFIER, *(rater for rater in labels if rater != VERIFIER and np.isfinite(labels[rater]).any())]
    return PairSetMetrics(
        name=name,
        labels=next(iter(origins)),
        pairs=len(pairs),
        clusters=len(set(clusters.tolist())),
        raters=tuple(
            replace(found, asked=asked[found.rater]) if asked and found.rater in asked else found
            for found in (_rater_metrics(rater, gold, labels, clusters, seed.child(name, rater)) for rater in names)
        ),
    )


def _rater_metrics(
    rater: str, gold: Floats, labels: Mapping[str, Floats], clusters: npt.NDArray[np.str_], seed: Seed
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
        asked=len(gold),
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


_LABELS = {
    "synthetic": "The labels are synthetic: no person gave them.",
    "people": "The labels are people's.",
    "file": "The labels are a file's, which does not say who gave them.",
}
_LIMITS = Path(__file__).with_name("limits.md")


def card(stored: StoredVerifier, found: Sequence[PairSetMetrics]) -> str:
    """The card in Markdown."""
    return "\n".join([*_head(stored), *(line for each in found for line in _set(each)), *_foot(stored)]) + "\n"


def _head(stored: StoredVerifier) -> Iterator[str]:
    trained, manifest = stored.trained, stored.manifest
    spec, counts = manifest["spec"], manifest["pairs"]
    start, schedule = spec["start"], spec["schedule"]
    whole = f"LoRA of rank {start['lora']}" if start["lora"] else "all weights"
    yield f"# A verifier of norms on {trained.base}"
    yield ""
    yield (
        "Says of a response and a norm whether the response satisfies it, is neutral to it or violates it, with a "
        "probability for each. The task is that of CultureForest's C-Verifier (2026)."
    )
    yield ""
    yield f"- Base: {trained.base} ({start['base']}), {trained.kind}; {whole}."
    yield f"- Seed {trained.seed}, mores {__version__}."
    rate = "the usual rate" if schedule["rate"] is None else f"a rate of {schedule['rate']:g}"
    yield f"- {schedule['epochs']} epochs in batches of {schedule['batch']} pairs at {rate}."
    yield f"- Pairs of {trained.max_tokens:,} tokens at most; longer ones were left out, none was cut."
    for name, value in trained.trained_on.items():
        yield f"- Learnt from {name} (SHA-256 {value}), licence: {manifest['licences'][name]}."
    yield f"- Pairs: {', '.join(f'{count:,} {part}' for part, count in counts.items() if count)}."
    yield f"- Labels: {', '.join(f'{count:,} {name}' for name, count in manifest['labels'].items())}."
    if trained.calibration is not None:
        yield from _calibration(trained.calibration)
    yield ""
    yield f"In a run: `mores run cultureforest/hard --judge verifier/{stored.folder}`."


def _calibration(found: VerifierCalibration) -> Iterator[str]:
    shown, before, after = found.after.error.graded, _cell(found.before.error), _cell(found.after.error)
    yield (
        f"- Temperature {found.temperature:.3f}, fitted on {found.fitted:,} pairs; on {shown:,} others the calibration "
        f"error is {before} without it and {after} with it (reliability.svg)."
    )
    rates = f"sensitivity {_cell(found.sensitivity)}, specificity {_cell(found.specificity)}"
    yield f"- On these pairs: {rates}. {_LABELS[found.labels]}"


def _set(found: PairSetMetrics) -> Iterator[str]:
    verifier = found.raters[0]
    yield ""
    yield f"## {found.name[:1].upper()}{found.name[1:]}"
    yield ""
    yield (
        f"{found.pairs:,} pairs of {found.clusters:,} questions. {_LABELS[found.labels]} Intervals are of 95 % over "
        "questions; a lead is the verifier's accuracy less the other's, on pairs that both graded."
    )
    yield ""
    yield "| | accuracy | macro F1 | the verifier's lead | graded |"
    yield "|---|---|---|---|---|"
    for each in found.raters:
        figures = {one.metric: one for one in each.estimates(found.labels) if "class" not in one.group}
        lead = "" if each.lead is None else f"{format_difference(each.lead)}, {format_p(each.lead.p)}"
        yield (
            f"| {each.rater} | {_cell(figures['accuracy'])} | {_cell(figures['f1_macro'])} | {lead} | "
            f"{each.graded:,} of {each.asked:,} |"
        )
    yield ""
    yield from _classes(verifier, found)


def _classes(verifier: RaterMetrics, found: PairSetMetrics) -> Iterator[str]:
    """The verifier class by class, with what it says where people or the data say another."""
    figures = {
        (one.group["class"], one.metric): one for one in verifier.estimates(found.labels) if "class" in one.group
    }
    yield f"| label | precision | recall | F1 | {' | '.join(f'said {name}' for name in STANDS)} |"
    yield f"|---|---|---|---|{'---|' * len(STANDS)}"
    for name, counts in zip(STANDS, verifier.agreement.table.tolist(), strict=True):
        cells = " | ".join(_cell(figures[name, metric]) for metric in ("precision", "recall", "f1"))
        yield f"| {name} | {cells} | {' | '.join(f'{count:,}' for count in counts)} |"


def _foot(stored: StoredVerifier) -> Iterator[str]:
    yield ""
    yield "## Limits"
    yield ""
    yield _LIMITS.read_text(encoding="utf-8").rstrip()
    if not stored.folds:
        yield "- No model was left out of its training, so nothing is known of models that it has not seen."


def _cell(figure: Estimate) -> str:
    return f"{format_number(figure.value)} {format_interval(figure)}".strip()
