"""One benchmark on a page or a terminal: what it measures, its groups, all metrics, and how they were made."""

from collections.abc import Iterator, Mapping, Sequence

from mores.analysis.benchmark_figures import METRICS, blocks_on, dots, metrics_on
from mores.analysis.leaderboard import BASELINE, LeaderboardRow
from mores.analysis.outcomes import slug_of
from mores.analysis.results import Result, Results
from mores.benchmarks.shapes import option_similarity
from mores.core.estimate import Estimate
from mores.reports.sections.provenance import describe_faithful, describe_recording, made_details
from mores.tables import formatting as words
from mores.tables.blocks import (
    Block,
    BlockColumn,
    BulletList,
    Cell,
    CellValue,
    Chart,
    Details,
    Inline,
    Paragraph,
    Section,
    Span,
    Stack,
    TableBlock,
)

HOW = (
    "Brackets after a share hold its 95% sampling interval; n is the number graded (of the number asked, where some "
    "could not be graded). In the pictures the dot is the figure, the whiskers are its interval, and the dashed line "
    "is the score of guessing."
)


def summary_section(results: Results) -> Section:
    """Every model's headline on every benchmark, with what could not be used and what could not be graded."""
    blocks = [block for name in results.benchmarks for block in _blocks(results.on(name))]
    bands = words.describe_judge_bands(each.overall() for each in results.evaluations)
    how = Paragraph(f"{HOW} {bands} {words.PALE_LINE}" if bands else HOW, "explanation")
    return Section(id="summary", title="Summary", order=-100, blocks=(how, *blocks))


def title_of(evaluation: Result) -> str:
    """Title of a benchmark by its card; its name where no card is known."""
    return evaluation.card.title if evaluation.card else evaluation.benchmark


def _blocks(evaluations: Sequence[Result]) -> Iterator[Block]:
    first = evaluations[0]
    name, metric = first.benchmark, first.metric(first.headline)
    link = Span(title_of(first), "link", target=f"#{slug_of(name)}")
    version = Span(f"version {first.provenance.card.version}", "soft")
    yield Paragraph((link, " ", Span(name, "code"), " ", version), "heading")
    says = f"{first.headline}: {metric.says}." if metric else f"{first.headline}."
    chance = "" if first.chance is None else f" Guessing scores {words.format_number(first.chance)}."
    yield Paragraph(f"{says}{chance}{describe_always(first)}")
    ends = ("0", "50", "100%") if words.is_share(metric) else ()
    headline = BlockColumn(title=first.headline, metric=metric)
    columns = ("Model", headline, Chart.scale(*ends), "Cut", "Format errors", "Refusals", "Ungraded")
    yield TableBlock.of(f"Summary of {name}", columns, map(_cells, evaluations))


def describe_always(first: Result) -> str:
    """Share that one label for all gets where guessing is known, in a sentence; empty where labels are not read."""
    always = None if first.partial or first.chance is None else first.quality.always
    if always is None:
        return ""
    return f" Always “{always.name}” scores {words.format_number(always.share)}."


def _cells(evaluation: Result) -> tuple[Cell, ...]:
    whole = evaluation.overall()
    errors, refusals = (_share(evaluation.overall(name)) for name in ("format_error", "refusal"))
    made = f"#{slug_of(evaluation.benchmark)}-made"
    chosen = [gone for gone in evaluation.provenance.departures if not gone.by_default]
    warnings = {"deviates from the protocol": (chosen, made),
                "judges itself": (evaluation.own_judges, made)}  # fmt: skip
    picture = dots(evaluation, whole)
    return (
        marked(evaluation, warnings),
        whole,
        picture,
        _cut(evaluation),
        errors,
        refusals,
        _ungraded(evaluation, whole),
    )


def _cut(evaluation: Result) -> Cell:
    """Answers that ended at a limit; nothing where none did."""
    if evaluation.partial or not evaluation.quality.whole.cut:
        return ""
    counts = evaluation.quality.whole
    return (CellValue(counts.cut / counts.answers), " ", Span(f"of {counts.answers:,}", "soft"))


def marked(of: Result | LeaderboardRow, warnings: Mapping[str, tuple[object, str]]) -> tuple[Inline, ...]:
    """A model with what has to be known of its figures: warnings by their words, if they hold, and where they lead."""
    parts: list[Inline] = [*words.subject_of(of)]
    if of.model.startswith(BASELINE) and not of.simulated:
        parts += [" ", Span("baseline", "tag")]
    for warning, (holds, target) in warnings.items():
        parts += [" ", Span(warning, "warning", target=target)] if holds else []
    return tuple(parts)


def _share(figure: Estimate | None) -> Cell:
    return figure and (CellValue(figure.value), " ", Span(f"of {figure.graded:,}", "soft"))


def _ungraded(evaluation: Result, whole: Estimate | None) -> Cell:
    causes = evaluation.causes()
    if not causes:
        return "none"
    text = words.format_causes(causes)
    ends = words.format_bounds(whole, evaluation.metric(evaluation.headline))
    return Stack((text, Span(f"{ends[0]} if all were wrong, {ends[1]} if all were right", "soft"))) if ends else text


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
        yield from (f"{evaluation.label}{note}." for note in _notes_on(evaluation))
        for model, usage in evaluation.provenance.models.items():
            yield from (f"{model}: {note}." for note in (*usage.altered, *usage.odd))
            if usage.recording is not None:
                yield f"{model}: {describe_recording(usage.recording)}."


def _notes_on(evaluation: Result) -> Iterator[str]:
    causes = evaluation.causes()
    if causes:
        ends = words.format_bounds(evaluation.overall(), evaluation.metric(evaluation.headline))
        bounds = f"; {ends[0]} if all were wrong, {ends[1]} if all were right" if ends else ""
        yield f": {sum(causes.values()):,} ungraded ({words.format_causes(causes)}){bounds}"
        for cause, body in evaluation.refused_with().items():
            yield f": {cause}; the endpoint said: {words.format_server_message(body)}"
    similarity = option_similarity.describe_tests(evaluation.estimates)
    if similarity:
        yield f": {similarity}"
    for gone in evaluation.provenance.departures:
        yield f" deviates from the protocol: {words.setting_name(gone.setting)} {gone.plain}"
    if evaluation.provenance.protocol.faithful:
        yield f" is put in words as published: {describe_faithful(evaluation)}"
    if evaluation.own_judges:
        yield f" judges itself ({', '.join(evaluation.own_judges)}): models tend to prefer their own answers"
