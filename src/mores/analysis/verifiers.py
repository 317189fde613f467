"""Trained verifiers: how sure they say they are beside how often they are right, and how often they err."""

from collections.abc import Iterator, Mapping

from mores.analysis.results import Results
from mores.core.card import Metric
from mores.core.estimate import Estimate
from mores.models.verifier_facts import CalibrationSummary, LabelledBy, VerifierCalibration, VerifierFacts
from mores.tables import Analysis, AnalysisResult, Column, Row, Show, Table, View, blocks_of
from mores.tables.blocks import (
    Axis,
    Block,
    Cell,
    CellValue,
    Chart,
    ChartPoint,
    Paragraph,
    Series,
    SideBySide,
    Span,
    Words,
)
from mores.tables.formatting import plural

VERIFIER = Column("verifier", "model", "the judge's spec")
VERIFIERS = Table.of(
    "verifiers",
    "Trained verifiers",
    VERIFIER,
    Column("kind", "text", "`encoder` or `causal`"),
    Column("base", "text", "the model that was trained"),
    Column("labels", "names", "what it tells apart"),
    Column("max_tokens", "count", "of a pair, or a prompt with its label", title="Most tokens"),
    Column("seed", "count", "seed of its training"),
    Column("prompt_sha", "text", "hash of the prompt it was trained with, if any", title="Prompt"),
    Column("as_trained", "flag", "true where it was asked with that prompt"),
    Column("temperature", "number", "what its logits are divided by"),
    Column("labelled_by", "text", "who labelled the pairs of its calibration"),
    Column("fitted", "count", "pairs that the temperature was fitted on", title="Fitted on"),
    Column("error_before", "estimate", "calibration error as it was trained"),
    Column("error_after", "estimate", "the same at that temperature"),
    Column("sensitivity", "estimate", "share of satisfied norms it calls so"),
    Column("specificity", "estimate", "share of the others it does not"),
    Column("sensitivity_worth", "number", "independent pairs that it rests on", title="Worth"),
    Column("specificity_worth", "number", "independent pairs that it rests on", title="Worth"),
)
BINS = Table.of(
    "verifiers_reliability",
    "Stated and true shares",
    VERIFIER,
    Column("probabilities", "text", "`as trained` or `calibrated`"),
    Column("stated", "share", "mean probability of the likeliest label in a bin"),
    Column("right", "estimate", "share of them that was right", main=True),
)
"""A row a bin of pairs, by the probability of the likeliest label."""
FIGURES = Table.of(
    "verifiers_figures",
    "Figures of verifiers",
    VERIFIER,
    Column("pairs", "text", "the set of pairs it was measured on"),
    Column("labelled_by", "text", "who labelled them"),
    Column("class", "text", "the label that it is of; missing for all"),
    Column("metric", "metric", "what was measured"),
    Column("value", "estimate", title="Value", main=True),
)
SOURCES = Table.of(
    "verifiers_sources",
    "Pairs of verifiers",
    VERIFIER,
    Column("use", "text", "`training` or `calibration`"),
    Column("source", "text", "name of the pairs"),
    Column("sha", "text", "hash of them", title="Hash"),
)


def _row(spec: str, trained: VerifierFacts, prompts: set[str]) -> Row:
    sha, of = trained.prompt_sha, trained.calibration
    own = (spec, trained.kind, trained.base, trained.labels, trained.max_tokens, trained.seed)
    asked = (sha, None if sha is None else sha in prompts, trained.temperature if of is None else of.temperature)
    if of is None:
        return (*own, *asked, *(None,) * 8)
    return (
        *own, *asked, of.labels, of.fitted, of.before.error, of.after.error, of.sensitivity, of.specificity, *of.worth
    )  # fmt: skip


def bins_of(spec: str, found: VerifierCalibration | None) -> tuple[Row, ...]:
    """The rows of what calibrating a verifier found, before and after; none of one that is not calibrated."""
    parts = {} if found is None else {BEFORE: found.before, AFTER: found.after}
    return tuple((spec, name, *bin_) for name, of in parts.items() for bin_ in zip(of.stated, of.right, strict=True))


def _figures(spec: str, trained: VerifierFacts) -> Iterator[Row]:
    for pairs, figures in trained.figures.items():
        for each in figures:
            metric = Metric(name=each.metric, unit="pair", says="")
            yield spec, pairs, each.group.get("labels"), each.group.get("class"), metric, each


def _sources(spec: str, trained: VerifierFacts) -> Iterator[Row]:
    measured = {} if trained.calibration is None else trained.calibration.measured_on
    for use, sources in (("training", trained.trained_on), ("calibration", measured)):
        yield from ((spec, use, name, sha) for name, sha in sources.items())


# The same for people.

BEFORE, AFTER = "as trained", "calibrated"
ABOUT = (
    "Pairs of a response and a norm, in bins by the probability of the likeliest label; on the diagonal a verifier is "
    "right as often as it says. The calibration error is the distance from there, on average. Sensitivity is "
    "the share of satisfied norms that it calls so, specificity the share of the others that it does not."
)
WHOSE: dict[LabelledBy, str] = {
    "people": "people’s labels",
    "synthetic": "synthetic labels, which were made with the pairs: no person has confirmed them",
    "file": "labels of a file that does not say who labelled",
}


def analyse(results: Results) -> AnalysisResult | None:
    """The verifiers that judged, of those that mores trained; None where there was none."""
    found, prompts = _judging(results)
    if not found:
        return None
    bins = {spec: bins_of(spec, trained.calibration) for spec, trained in found.items()}
    rows = {
        VERIFIERS: (_row(spec, trained, prompts[spec]) for spec, trained in found.items()),
        BINS: (row for own in bins.values() for row in own),
        FIGURES: (row for of in found.items() for row in _figures(*of)),
        SOURCES: (row for of in found.items() for row in _sources(*of)),
    }
    blocks = (block for spec, of in found.items() for block in _blocks(spec, of, prompts[spec], bins[spec]))
    tables = tuple(table.filled(own) for table, own in rows.items())
    return AnalysisResult(tables=tables, blocks=tuple(blocks))


def _judging(results: Results) -> tuple[Mapping[str, VerifierFacts], Mapping[str, set[str]]]:
    """The facts of each verifier that judged, and the hashes of the prompts of those runs."""
    found: dict[str, VerifierFacts] = {}
    prompts: dict[str, set[str]] = {}
    for evaluation in results.evaluations:
        for spec in evaluation.judges.values():
            usage = evaluation.provenance.models.get(spec)
            if usage is not None and usage.trained is not None:
                found[spec] = usage.trained
                prompts.setdefault(spec, set()).update(evaluation.provenance.prompts.values())
    return found, prompts


def _blocks(spec: str, trained: VerifierFacts, prompts: set[str], bins: tuple[Row, ...]) -> Iterator[Block]:
    yield Paragraph(Span(spec, "model"), "subheading")
    if trained.prompt_sha is not None and trained.prompt_sha not in prompts:
        yield Paragraph("It was trained on other words than it was asked in here.", "warning")
    if trained.calibration is None:
        yield Paragraph("Its probabilities are not calibrated; mores judge verifier calibrate FOLDER does so.")
    else:
        yield from calibration_blocks(trained.calibration, bins)


def calibration_blocks(found: VerifierCalibration, bins: tuple[Row, ...]) -> Iterator[Block]:
    """All that calibrating a verifier found, with its rows of `BINS`."""
    shown = (Show("probabilities", write=_keyed), "stated", "right")
    table = blocks_of(BINS.filled(bins), View(title=BINS.title, rows=bins, shown=shown))
    yield Paragraph(ABOUT, "explanation")
    yield from (Paragraph(line) for line in _sentences(found))
    yield SideBySide(blocks=(reliability_chart(found), *table))


def _keyed(row: Row) -> Cell:
    """Name of the probabilities, in their colour of the chart."""
    name: str = row[1]
    return Chart.key(f"r{(BEFORE, AFTER).index(name)}"), f" {name}"


def _sentences(found: VerifierCalibration) -> Iterator[Words]:
    fitted, shown = plural(found.fitted, "pair"), plural(found.after.error.graded, "other")
    fit = f"Temperature {found.temperature:.3g}, fitted on {fitted}. Calibration error on {shown}: "
    yield fit, CellValue(found.before.error), f" {BEFORE}, ", CellValue(found.after.error), f" {AFTER}."
    rates = ("Sensitivity ", CellValue(found.sensitivity), ", specificity ", CellValue(found.specificity))
    yield *rates, f", by {WHOSE[found.labels]}."


def reliability_chart(found: VerifierCalibration) -> Chart:
    """The reliability diagram: how often the likeliest label is right against its probability, before and after."""
    parts = {BEFORE: found.before, AFTER: found.after}
    made_up = ", synthetic labels" if found.labels == "synthetic" else ""
    return Chart(
        kind="reliability",
        title=f"Reliability (n {found.after.error.graded:,}{made_up})",
        series=tuple(Series(name=name, points=_points(part)) for name, part in parts.items()),
        axes=(Axis(title="probability stated"), Axis(title="share that was right")),
    )


def _points(part: CalibrationSummary) -> tuple[ChartPoint, ...]:
    return tuple(
        ChartPoint(x=Estimate(metric="stated", value=stated, asked=0, graded=0), y=right)
        for stated, right in zip(part.stated, part.right, strict=True)
    )


VERIFIERS_ANALYSIS = Analysis(
    id="verifiers",
    title="Trained verifiers",
    tables=(VERIFIERS, BINS, FIGURES, SOURCES),
    analyse=analyse,
    order=16,
)
