"""Who judged as blocks: a table of judges, and what can be done to know whether people would agree."""

from collections.abc import Iterator, Sequence

from mores.analysis.results import Results
from mores.blocks import Cell, Finding, Inline, Section, Span, Stack, Table, Text, Words
from mores.blocks import formatting as words
from mores.blocks.reasons import format_missing
from mores.reports.judging import CHOICES, HARD, POINTS, PROBABILITIES, JudgedResult, TaskJudged, judging

MEANS = {
    POINTS: "points on a scale",
    CHOICES: "a label in words",
    PROBABILITIES: "a probability of each label",
    HARD: "hard labels: counted from words, not comparable with probabilities",
}
ABOUT = (
    "Judged figures are only as good as their judge; only people’s labels show whether people would agree. A judge "
    "that failed gave no grade: such answers are left out of the figure, and the two bounds show where it could lie "
    "with them. Where each answer has one vote, the disagreement of votes is unknown."
)


def judging_section(results: Results) -> Section | None:
    """Who judged in some runs; None where nobody did."""
    found = judging(results)
    if not found:
        return None
    simulated, selves = any(each.evaluation.simulated for each in found), _selves(found)
    heads = ("Model", "Judges", "Task", "Verdicts", "Judged", "Ungraded", "Disagreement")
    rows = (_cells(each, task) for each in found for task in each.tasks)
    own = f"{len(selves)} of {len(found)} judged by the subject itself:"
    flattered: Words = (Span(own, "strong"), " models tend to prefer their own answers, so figures may be too high.")
    return Section(
        id="judging",
        title="Judges",
        order=15,
        blocks=(
            Text(words=ABOUT, role="explanation"),
            *((Text(words=flattered),) if selves else ()),
            Table.of("Judges", heads, rows),
            Text(words=_next(found, simulated=simulated)),
        ),
        data={"simulated": simulated, "cells": [each.to_dict() for each in found]},
        findings=tuple(_findings(found)),
    )


def _selves(found: Sequence[JudgedResult]) -> list[JudgedResult]:
    """Those in which the subject sat on its own jury, and it was asked."""
    return [each for each in found if each.evaluation.own_judges and any(task.judged for task in each.tasks)]


def _findings(found: Sequence[JudgedResult]) -> Iterator[Finding]:
    """That nobody has held the judges against people, and who judges itself."""
    if selves := _selves(found):
        who = words.joined(dict.fromkeys(Span(each.evaluation.label, "model") for each in selves))
        told = (*who, f" judged {'its' if len(who) == 1 else 'their'} own answers.")
        yield Finding(words=told, sure="Models tend to prefer their own answers.", weight="caveat")
    judges = dict.fromkeys(spec for each in found for spec in each.judges)
    told = (
        *words.joined(Span(spec, "model") for spec in judges),
        f" {'has' if len(judges) == 1 else 'have'} not been checked against people's labels.",
    )
    yield Finding(words=told, sure="Judged figures are only as good as their judge.", weight="caveat", unless="trust")


def _cells(each: JudgedResult, task: TaskJudged) -> tuple[Cell, ...]:
    evaluation = each.evaluation
    itself: tuple[Inline, ...] = (" ", Span("judges itself", "warning")) if evaluation.own_judges else ()
    who = (*words.subject(evaluation.label, simulated=evaluation.simulated), *itself)
    judged = evaluation.provenance.judged
    mended = f"; {words.plural(each.mended, 'reply', 'replies')} with a slip in its JSON, mended" if each.mended else ""
    again: tuple[Inline, ...] = (Span("; stored plays of ", "soft"), Span(judged, "code")) if judged else ()
    return (
        Stack((who, Span(evaluation.benchmark, "code"))),
        Stack(
            (words.joined(Span(spec, "model") for spec in each.judges), (Span(f"{each.asked}{mended}", "soft"), *again))
        ),
        task.task,
        MEANS[task.kind] if task.kind else "no verdict of a judge",
        Stack(_counts(task)),
        Stack(_ungraded(each, task)),
        Stack(_disagreement(task)),
    )


def _counts(task: TaskJudged) -> tuple[Words, ...]:
    few = {"had nothing to judge": task.unusable, "with fewer votes than requested": task.short}
    told = (Span(f"{count:,} {what}", "soft") for what, count in few.items() if count)
    return (f"{task.judged:,} of {task.asked:,}", *told)


def _ungraded(each: JudgedResult, task: TaskJudged) -> tuple[Words, ...]:
    told, figure = words.format_causes(dict(task.causes.most_common())) or "none", task.figure
    ends = figure and words.format_bounds(figure, each.evaluation.metric(figure.metric))
    if not task.causes or not figure or not ends:
        return (told,)
    return (told, Span(f"{figure.metric} {ends[0]} if all were worst, {ends[1]} if all were best", "soft"))


def _disagreement(task: TaskJudged) -> tuple[Words, ...]:
    found = task.disagreement
    if found is None or found.value is None or task.apart is None:
        return (Span(words.DASH, "missing", title="unknown: one vote per answer"),)
    known = found.low is not None and found.high is not None
    ends = f"[{found.low:.3f}, {found.high:.3f}]" if known else "no interval"
    variance = (f"mean variance {found.value:.3f} ", Span(ends, "interval", title=format_missing(found.missing)), " ")
    apart = Span(f"mean distance of votes {task.apart:.2f} points", "soft")
    return ((*variance, Span(f"n {found.graded:,}", "soft")), apart)


def _next(found: Sequence[JudgedResult], *, simulated: bool) -> str:
    """What can be done to know whether people would agree."""
    runs = dict.fromkeys(str(each.evaluation.run) for each in found)
    run = next(iter(runs)) if len(runs) == 1 else "RUN"
    made_up = " (for simulated people: mores agreement simulate)" if simulated else ""
    return (
        f"To check the judge against people's labels: mores agreement sample {run} --n 200 --out DIR draws what they "
        f"label{made_up}, and mores report {run} --labels FILE --sample DIR holds the judge against it."
    )
