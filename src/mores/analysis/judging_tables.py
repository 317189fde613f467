"""Who judged as tables and findings: each task with its judges, and what shows whether people would agree."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from mores.analysis.judging import CHOICES, HARD, POINTS, PROBABILITIES, JudgedResult, TaskJudged, judging
from mores.analysis.results import Results
from mores.blocks import Cell, Finding, Inline, Paragraph, Span, Stack, Words
from mores.blocks import formatting as words
from mores.blocks.reasons import format_missing
from mores.core.card import Metric
from mores.core.verdict import DISAGREEMENT
from mores.tables import Analysis, AnalysisResult, Column, FilledTable, Row, Show, Table, View, blocks_of
from mores.tables.columns import SUBJECT

TASK = Column(key="task", title="Task", kind="text", says="what was judged")
VARIANCE = Metric(name=DISAGREEMENT, unit="answer", says="", high=2.0)
JUDGING = Table(
    id="judging",
    title="Judges",
    columns=(
        SUBJECT,
        TASK,
        Column(key="judges", title="Judges", kind="names", says="specs of the judges, in the order of their roles"),
        Column(key="own_judges", title="Judges itself", kind="names", says="those that are the subject itself"),
        Column(key="how", title="How asked", kind="text", says="how judges were asked, in words"),
        Column(key="runs", title="Asked of one thing", kind="count", says="times that each judge was asked"),
        Column(key="temperature", title="Temperature", kind="number", says="that of judges; missing: its provider's"),
        Column(key="scale", title="Scale", kind="text", says="what points could be, where a run says so"),
        Column(key="judged_again_from", title="Stored plays", kind="text", says="the run whose answers were judged"),
        Column(key="remarks", title="Remarks", kind="names", says="what the run remarks"),
        Column(key="mended", title="Mended", kind="count", says="replies with a slip in their JSON, of all tasks"),
        Column(key="verdicts", title="Verdicts", kind="text", says="in which kind most verdicts were given"),
        Column(key="judged", title="Judged", kind="ratio", says="answers, or parts of them, with a judge's grade"),
        Column(key="unusable", title="Nothing to judge", kind="count", says="answers that left nothing to judge"),
        Column(key="fewer_votes", title="Fewer votes", kind="count", says="grades of fewer votes than were asked for"),
        Column(key="ungraded", title="Ungraded", kind="count", says="answers without a grade, for any cause"),
        Column(key="metric", title="Metric", kind="metric", says="what the figure is of"),
        Column(key="figure", title="Figure", kind="estimate", main=True, says="the run's figure of the task"),
        Column(
            key="disagreement",
            title="Disagreement",
            kind="estimate",
            metric=VARIANCE,
            says="mean variance of the votes on an answer",
        ),
        Column(key="apart", title="Apart", kind="number", says="its root: how far votes lie from their mean, points"),
    ),
)
"""A row a task of a model on a benchmark."""
UNGRADED = Table(
    id="judging_ungraded",
    title="Answers without a grade",
    columns=(
        SUBJECT,
        TASK,
        Column(key="cause", title="Cause", kind="text"),
        Column(key="count", title="Answers", kind="count", says="answers without a grade for this cause"),
    ),
)
SEATS = Table(
    id="judging_judges",
    title="Judges by role",
    columns=(
        SUBJECT,
        Column(key="role", title="Role", kind="text", says="the judge's role in the run"),
        Column(key="judge", title="Judge", kind="text", says="its spec"),
        Column(key="weight", title="Weight", kind="number", says="that of its votes, where a run gives weights"),
        Column(key="itself", title="Judges itself", kind="flag", says="true where it is the subject itself"),
    ),
)


def _row(each: JudgedResult, task: TaskJudged) -> Row:
    own, figure = each.evaluation, task.figure
    protocol = (each.asked, each.runs, each.temperature, each.scale)
    told = (own.provenance.judged or None, tuple(own.provenance.remarks), each.mended, task.kind)
    counts = ((task.judged, task.asked), task.unusable, task.short, sum(task.causes.values()))
    metric = figure and (own.listed(figure.metric))
    found = (metric, figure, task.disagreement, task.apart)
    return own, task.task, each.judges, own.own_judges, *protocol, *told, *counts, *found


def _causes(found: Sequence[JudgedResult]) -> Iterator[Row]:
    for each in found:
        for task in each.tasks:
            yield from ((each.evaluation, task.task, *told) for told in task.causes.most_common())


def _seats(found: Sequence[JudgedResult]) -> Iterator[Row]:
    for each in found:
        own = each.evaluation
        weights = own.provenance.protocol.judge_weights
        yield from ((own, role, spec, weights.get(role), spec in own.own_judges) for role, spec in own.judges.items())


# The same for people.

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
JudgeCellWriter = Callable[[JudgedResult, TaskJudged], Cell]


def analyse(results: Results) -> AnalysisResult | None:
    """Who judged in some runs; None where nobody did."""
    found = judging(results)
    if not found:
        return None
    every = {(each.evaluation.folder, task.task): (each, task) for each in found for task in each.tasks}
    filled = FilledTable(table=JUDGING, rows=tuple(_row(*of) for of in every.values()))
    selves = _selves(found)
    own = f"{len(selves)} of {len(found)} judged by the subject itself:"
    flattered: Words = (Span(own, "strong"), " models tend to prefer their own answers, so figures may be too high.")
    return AnalysisResult(
        tables=(
            filled,
            FilledTable(table=UNGRADED, rows=tuple(_causes(found))),
            FilledTable(table=SEATS, rows=tuple(_seats(found))),
        ),
        blocks=(
            Paragraph(words=ABOUT, role="explanation"),
            *((Paragraph(words=flattered),) if selves else ()),
            *blocks_of(filled, View(title="Judges", rows=filled.rows, shown=tuple(_shown(every)))),
            Paragraph(words=_next(found)),
        ),
        findings=tuple(_findings(found)),
    )


def _shown(every: Mapping[tuple[Path, str], tuple[JudgedResult, TaskJudged]]) -> Iterator[Show]:
    """The columns that people see: several counts, and what they are of, stand in one cell."""

    def told(write: JudgeCellWriter, row: Row) -> Cell:
        return write(*every[row[0].folder, row[1]])

    cells: dict[str, JudgeCellWriter | None] = {
        "evaluation": None,
        "judges": _judges,
        "task": None,
        "verdicts": lambda _, task: MEANS[task.kind] if task.kind else "no verdict of a judge",
        "judged": _counts,
        "ungraded": _ungraded,
        "disagreement": _disagreement,
    }
    for key, write in cells.items():
        yield Show(key=key, lead="model", write=None if write is None else partial(told, write))


def _judges(each: JudgedResult, _: TaskJudged) -> Cell:
    evaluation = each.evaluation
    itself: tuple[Inline, ...] = (" ", Span("judges itself", "warning")) if evaluation.own_judges else ()
    judged = evaluation.provenance.judged
    mended = f"; {words.plural(each.mended, 'reply', 'replies')} with a slip in its JSON, mended" if each.mended else ""
    again: tuple[Inline, ...] = (Span("; stored plays of ", "soft"), Span(judged, "code")) if judged else ()
    specs = words.joined(Span(spec, "model") for spec in each.judges)
    return Stack(((*specs, *itself), (Span(f"{each.asked}{mended}", "soft"), *again)))


def _counts(_: JudgedResult, task: TaskJudged) -> Cell:
    few = {"had nothing to judge": task.unusable, "with fewer votes than requested": task.short}
    told = (Span(f"{count:,} {what}", "soft") for what, count in few.items() if count)
    return Stack((f"{task.judged:,} of {task.asked:,}", *told))


def _ungraded(each: JudgedResult, task: TaskJudged) -> Cell:
    told, figure = words.format_causes(dict(task.causes.most_common())) or "none", task.figure
    ends = figure and words.format_bounds(figure, each.evaluation.metric(figure.metric))
    if not task.causes or not figure or not ends:
        return told
    bounds = f"{figure.metric} {ends[0]} if all were worst, {ends[1]} if all were best"
    return Stack((told, Span(bounds, "soft")))


def _disagreement(_: JudgedResult, task: TaskJudged) -> Cell:
    found = task.disagreement
    if found is None or found.value is None or task.apart is None:
        return Span(words.DASH, "missing", title="unknown: one vote per answer")
    known = found.low is not None and found.high is not None
    ends = f"[{found.low:.3f}, {found.high:.3f}]" if known else "no interval"
    variance = (f"mean variance {found.value:.3f} ", Span(ends, "interval", title=format_missing(found.missing)), " ")
    apart = Span(f"mean distance of votes {task.apart:.2f} points", "soft")
    return Stack(((*variance, Span(f"n {found.graded:,}", "soft")), apart))


def _selves(found: Sequence[JudgedResult]) -> list[JudgedResult]:
    """Those in which the subject sat on its own jury, and it was asked."""
    return [each for each in found if each.evaluation.own_judges and any(task.judged for task in each.tasks)]


def _next(found: Sequence[JudgedResult]) -> str:
    """What can be done to know whether people would agree."""
    runs = dict.fromkeys(str(each.evaluation.run) for each in found)
    run = next(iter(runs)) if len(runs) == 1 else "RUN"
    return (
        f"To check the judge against people's labels: mores agreement sample {run} --n 200 --out DIR draws what they "
        f"label, and mores report {run} --labels FILE --sample DIR holds the judge against it."
    )


def _findings(found: Sequence[JudgedResult]) -> Iterator[Finding]:
    """That nobody has held the judges against people, and who judges itself."""
    if selves := _selves(found):
        who = words.joined(dict.fromkeys(Span(each.evaluation.label, "model") for each in selves))
        yield Finding(
            id="judging.itself",
            words=(*who, f" judged {'its' if len(who) == 1 else 'their'} own answers."),
            sure="Models tend to prefer their own answers.",
            weight="doubtful",
        )
    judges = dict.fromkeys(spec for each in found for spec in each.judges)
    specs = words.joined(Span(spec, "model") for spec in judges)
    yield Finding(
        id="judging.unchecked",
        words=(*specs, f" {'has' if len(judges) == 1 else 'have'} not been checked against people's labels."),
        sure="Judged figures are only as good as their judge.",
        weight="doubtful",
        unless="trust",
    )


JUDGING_ANALYSIS = Analysis(id="judging", title="Judges", tables=(JUDGING, UNGRADED, SEATS), analyse=analyse, order=15)
