"""One benchmark on a page or a terminal: what it measures, its groups, all metrics, and how they were made."""

from collections.abc import Iterator, Sequence

from mores.analysis.breakdown_shown import blocks_on
from mores.analysis.links import slug_of
from mores.analysis.metrics import METRICS, metrics_on
from mores.analysis.results import Result, Results
from mores.benchmarks.shapes import option_similarity
from mores.reports.sections.provenance import made_details
from mores.reports.sections.summary import describe_always, title_of
from mores.reports.wording import describe_recording
from mores.tables import formatting as words
from mores.tables.blocks import Block, BulletList, Details, Paragraph, Section, Span


def benchmark_section(results: Results, name: str) -> Section:
    """The section of one benchmark."""
    evaluations, slug = results.on(name), slug_of(name)
    first = evaluations[0]
    measures = () if first.card is None else (
        Span("Measures ", "strong"), first.card.measures, Span(" Does not measure ", "strong"), first.card.not_measured
    )  # fmt: skip
    return Section(
        id=slug,
        title=(f"{title_of(first)} ", Span(name, "code")),
        order=0,
        blocks=(
            *((Paragraph(measures, "explanation"),) if measures else ()),
            *_guessing(first),
            BulletList(tuple(_notes(evaluations)), on="terminal"),
            *blocks_on(results, name),
            Details(summary=METRICS.title, blocks=metrics_on(results, name).blocks, id=f"{slug}-metrics"),
            made_details(evaluations, slug),
        ),
    )


def _guessing(first: Result) -> Iterator[Block]:
    """Shares that guessing and one label for all get."""
    if first.chance is not None:
        guessed = f"Guessing scores {words.format_number(first.chance)}."
        yield Paragraph(f"{guessed}{describe_always(first)}", on="page")


def _notes(evaluations: Sequence[Result]) -> Iterator[str]:
    """Notes of a terminal on how figures were made; the page says all of it under the figures."""
    for remark in dict.fromkeys(remark for evaluation in evaluations for remark in evaluation.provenance.remarks):
        those = [evaluation.label for evaluation in evaluations if remark in evaluation.provenance.remarks]
        yield remark if len(those) == len(evaluations) else f"{', '.join(those)}: {remark}"
    for evaluation in evaluations:
        yield from (f"{evaluation.label}{told}." for told in _notes_on(evaluation))
        for model, usage in evaluation.provenance.models.items():
            yield from (f"{model}: {note}." for note in (*usage.altered, *usage.odd))
            if usage.recording is not None:
                yield f"{model}: {describe_recording(usage.recording)}."


def _notes_on(evaluation: Result) -> Iterator[str]:
    causes = evaluation.causes()
    if causes:
        ends = words.format_bounds(evaluation.whole(), evaluation.metric(evaluation.headline))
        bounds = f"; {ends[0]} if all were wrong, {ends[1]} if all were right" if ends else ""
        yield f": {sum(causes.values()):,} ungraded ({words.format_causes(causes)}){bounds}"
        for cause, body in evaluation.refused_with().items():
            yield f": {cause}; the endpoint said: {words.format_server_message(body)}"
    similarity = option_similarity.describe_tests(evaluation.estimates)
    if similarity:
        yield f": {similarity}"
    for gone in evaluation.provenance.departures:
        yield f" departs from the protocol: {gone.setting} {gone.used} (published: {gone.published})"
    if evaluation.own_judges:
        yield f" judges itself ({', '.join(evaluation.own_judges)}): models tend to prefer their own answers"
