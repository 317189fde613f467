"""The model card of a verifier: what it is for, what it learnt from, how good it is, and what it cannot tell."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from mores import __version__
from mores.core.estimate import Estimate
from mores.models.verifier_facts import STANDS, VerifierCalibration
from mores.pipelines.verifier.figures import PairSetMetrics, RaterMetrics
from mores.pipelines.verifier.train import StoredVerifier
from mores.tables.formatting import format_difference, format_interval, format_number, format_p

_WORTH = {
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
    yield f"- On these pairs: {rates}. {_WORTH[found.labels]}"


def _set(found: PairSetMetrics) -> Iterator[str]:
    verifier = found.raters[0]
    yield ""
    yield f"## {found.name[:1].upper()}{found.name[1:]}"
    yield ""
    yield (
        f"{found.pairs:,} pairs of {found.clusters:,} questions. {_WORTH[found.labels]} Intervals are of 95 % over "
        "questions; a lead is the verifier's accuracy less the other's, on pairs that both graded."
    )
    yield ""
    yield "| | accuracy | macro F1 | the verifier's lead | graded |"
    yield "|---|---|---|---|---|"
    for each in found.raters:
        figures = {one.metric: one for one in each.estimates(found.pairs, found.labels) if "class" not in one.group}
        lead = "" if each.lead is None else f"{format_difference(each.lead)}, {format_p(each.lead.p)}"
        yield (
            f"| {each.rater} | {_cell(figures['accuracy'])} | {_cell(figures['f1_macro'])} | {lead} | "
            f"{each.graded:,} of {found.pairs:,} |"
        )
    yield ""
    yield from _classes(verifier, found)


def _classes(verifier: RaterMetrics, found: PairSetMetrics) -> Iterator[str]:
    """The verifier class by class, with what it says where people or the data say another."""
    figures = {
        (one.group["class"], one.metric): one
        for one in verifier.estimates(found.pairs, found.labels)
        if "class" in one.group
    }
    yield f"| label | precision | recall | F1 | {' | '.join(f'said {name}' for name in STANDS)} |"
    yield f"|---|---|---|---|{'---|' * len(STANDS)}"
    for name, said in zip(STANDS, verifier.agreement.table.tolist(), strict=True):
        cells = " | ".join(_cell(figures[name, metric]) for metric in ("precision", "recall", "f1"))
        yield f"| {name} | {cells} | {' | '.join(f'{count:,}' for count in said)} |"


def _foot(stored: StoredVerifier) -> Iterator[str]:
    yield ""
    yield "## Limits"
    yield ""
    yield _LIMITS.read_text(encoding="utf-8").rstrip()
    if not stored.folds:
        yield "- No model was left out of its training, so nothing is known of models that it has not seen."


def _cell(figure: Estimate) -> str:
    return f"{format_number(figure.value)} {format_interval(figure)}".strip()
