"""Judges of a run: their models, settings, failures and disagreement.

A judge that is the subject itself is named, as models tend to prefer their own answers. Figures are as good as the
judge; whether people would agree, only people's labels can say.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import sqrt
from pathlib import Path
from statistics import fmean

from msgspec import Struct, field

from mores.analysis.results import Result, Results
from mores.core.card import Metric
from mores.core.estimate import Estimate, Missing
from mores.core.verdict import DISAGREEMENT, Graded, Ungraded, Verdict
from mores.tables import Analysis, AnalysisResult, Column, Row, Show, Table, View, blocks_of
from mores.tables import formatting as words
from mores.tables.blocks import Cell, Finding, Inline, Paragraph, Span, Stack, Words
from mores.tables.columns import SUBJECT
from mores.tables.missing_texts import format_missing

POINTS, CHOICES, PROBABILITIES, HARD = "points", "labels", "probabilities", "hard labels"


class TaskJudged(Struct, kw_only=True):
    """Work of judges on one task: verdicts by kind, and what is missing.

    `asked` counts answers (or their parts), of which `judged` have a grade that a judge gave and `unusable` left
    nothing to judge; `causes` counts those without a grade. `short` grades rest on fewer votes than were asked for.
    `spreads` are the variances of points over grades with two votes or more.
    """

    evaluation: Result
    task: str
    asked: int = 0
    judged: int = 0
    unusable: int = 0
    short: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)
    spreads: list[float] = field(default_factory=list)

    def add(self, verdict: Verdict) -> None:
        """Count one verdict more."""
        self.asked += 1
        if isinstance(verdict, Ungraded):
            self.causes[verdict.cause] += 1
        elif verdict.ballot is not None:
            self.judged += 1
            self.kinds[_kind(verdict)] += 1
            self.short += verdict.ballot.votes < verdict.ballot.asked
            if verdict.ballot.spread is not None:
                self.spreads.append(verdict.ballot.spread)
        elif verdict.fault is not None:
            self.unusable += 1

    @property
    def kind(self) -> str | None:
        """In which kind most verdicts were given; None where no judge gave one."""
        return self.kinds.most_common(1)[0][0] if self.kinds else None

    @property
    def figure(self) -> Estimate | None:
        """The run's own figure of the task, with its bounds."""
        return self.evaluation.overall(self.task) or self.evaluation.overall()

    @property
    def disagreement(self) -> Estimate | None:
        """The run's own figure where it is of this task, with its interval; else the plain mean, which has none.

        None where no grade has two votes.
        """
        if not self.spreads:
            return None
        # the run has one such figure, which is of the rubric
        own = self.evaluation.overall(DISAGREEMENT) if self.task == self.evaluation.rubric else None
        if own is not None and own.value is not None:
            return own
        return Estimate(metric=DISAGREEMENT, value=fmean(self.spreads), asked=self.judged, graded=len(self.spreads),
                        missing=Missing(code="no_such_figure"))  # fmt: skip

    @property
    def rms_disagreement(self) -> float | None:
        """The root of the disagreement: how far votes typically lie from their mean, in points."""
        found = self.disagreement
        return None if found is None or found.value is None else sqrt(found.value)


def _kind(verdict: Graded) -> str:
    if verdict.ballot is not None and verdict.ballot.label_probs is not None:
        return HARD if verdict.ballot.hard else PROBABILITIES
    return POINTS if verdict.label is None else CHOICES


class JudgedResult(Struct, frozen=True, kw_only=True):
    """One model on one benchmark, with its judges.

    `repaired` counts replies of judges whose JSON had a harmless slip that was put right; simulated ones have none.
    """

    evaluation: Result
    tasks: tuple[TaskJudged, ...]
    repaired: int

    @property
    def judges(self) -> tuple[str, ...]:
        """Specs of the judges in the order of their roles."""
        return tuple(dict.fromkeys(self.evaluation.judges.values()))

    @property
    def weighed(self) -> bool:
        """True where labels' probabilities were read off, for which a judge is asked once and draws no words."""
        return bool(self.tasks) and all(task.kind == PROBABILITIES for task in self.tasks)

    @property
    def runs(self) -> int:
        """Number of judgements of one thing by each judge."""
        judging = self.evaluation.provenance.protocol.judging
        return judging.runs if judging and not self.weighed else 1

    @property
    def temperature(self) -> float | None:
        """Of the judges; None where it was left to the provider."""
        judging = self.evaluation.provenance.protocol.judging
        return judging.sampling.temperature if judging else None

    @property
    def scale(self) -> str | None:
        """Range of points, where the benchmark leaves that to the run."""
        return self.evaluation.provenance.protocol.settings.get("scale")

    @property
    def settings_text(self) -> str:
        """Settings of the judges, in words."""
        if self.weighed:
            return "once, the labels' probabilities read off"
        heat = "left to the provider" if self.temperature is None else f"{self.temperature:g}"
        often = "once" if self.runs == 1 else f"{self.runs} times each"
        given = self.evaluation.provenance.protocol.judge_weights
        counts = ", ".join(f"{role} {weight:g}" for role, weight in sorted(given.items()))
        scale, weights = self.scale and f"scale {self.scale}", counts and f"weights {counts}"
        return ", ".join(filter(None, (often, f"temperature {heat}", scale, weights)))


def judging(results: Results) -> tuple[JudgedResult, ...]:
    """Judges of some runs; empty where there were none."""
    return tuple(
        JudgedResult(evaluation=each, tasks=_tasks(each), repaired=_repaired(each))
        for each in results.evaluations
        if each.judges
    )


def _repaired(evaluation: Result) -> int:
    # simulated judges make no slips, and their votes are many: they are not read for it
    return 0 if evaluation.simulated else sum(bool(vote.mended) for vote in evaluation.stored.votes())


def _tasks(evaluation: Result) -> tuple[TaskJudged, ...]:
    """The tasks that a judge had a part in, or was to have; a label that was read out of the answer is none of them."""
    every: dict[str, TaskJudged] = {}
    for verdict in evaluation.every_verdict():
        if verdict.task not in every:
            every[verdict.task] = TaskJudged(evaluation=evaluation, task=verdict.task)
        every[verdict.task].add(verdict)
    # a rubric that no judge could grade is listed too, so that its absence is seen
    return tuple(each for each in every.values() if each.judged or each.task == evaluation.rubric or len(every) == 1)


TASK = Column("task", "text", "what was judged")
VARIANCE = Metric(name=DISAGREEMENT, unit="answer", says="", high=2.0)
JUDGING = Table.of(
    "judging",
    "Judges",
    SUBJECT,
    TASK,
    Column("judges", "names", "specs of the judges, in the order of their roles"),
    Column("own_judges", "names", "those that are the subject itself", title="Judges itself"),
    Column("how", "text", "how judges were asked, in words", title="How asked"),
    Column("runs", "count", "times that each judge was asked", title="Asked of one thing"),
    Column("temperature", "number", "that of judges; missing: its provider's"),
    Column("scale", "text", "what points could be, where a run says so"),
    Column("judged_again_from", "text", "the run whose answers were judged", title="Stored plays"),
    Column("remarks", "names", "what the run remarks"),
    Column("mended", "count", "replies with a slip in their JSON, of all tasks"),
    Column("verdicts", "text", "in which kind most verdicts were given"),
    Column("judged", "ratio", "answers, or parts of them, with a judge's grade"),
    Column("unusable", "count", "answers that left nothing to judge", title="Nothing to judge"),
    Column("fewer_votes", "count", "grades of fewer votes than were asked for"),
    Column("ungraded", "count", "answers without a grade, for any cause"),
    Column("metric", "metric", "what the figure is of"),
    Column("figure", "estimate", "the run's figure of the task", main=True),
    Column("disagreement", "estimate", "mean variance of the votes on an answer", metric=VARIANCE),
    Column("apart", "number", "its root: how far votes lie from their mean, points"),
)
"""A row a task of a model on a benchmark."""
UNGRADED = Table.of(
    "judging_ungraded",
    "Answers without a grade",
    SUBJECT,
    TASK,
    Column("cause", "text", title="Cause"),
    Column("count", "count", "answers without a grade for this cause", title="Answers"),
)
SEATS = Table.of(
    "judging_judges",
    "Judges by role",
    SUBJECT,
    Column("role", "text", "the judge's role in the run"),
    Column("judge", "text", "its spec"),
    Column("weight", "number", "that of its votes, where a run gives weights"),
    Column("itself", "flag", "true where it is the subject itself", title="Judges itself"),
)


def _row(each: JudgedResult, task: TaskJudged) -> Row:
    own, figure = each.evaluation, task.figure
    protocol = (each.settings_text, each.runs, each.temperature, each.scale)
    about = (own.provenance.judged or None, tuple(own.provenance.remarks), each.repaired, task.kind)
    counts = ((task.judged, task.asked), task.unusable, task.short, sum(task.causes.values()))
    metric = figure and (own.listed(figure.metric))
    found = (metric, figure, task.disagreement, task.rms_disagreement)
    return own, task.task, each.judges, own.own_judges, *protocol, *about, *counts, *found


def _causes(found: Sequence[JudgedResult]) -> Iterator[Row]:
    for each in found:
        for task in each.tasks:
            yield from ((each.evaluation, task.task, *counts) for counts in task.causes.most_common())


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
    """Judges of some runs; None where there were none."""
    found = judging(results)
    if not found:
        return None
    every = {(each.evaluation.folder, task.task): (each, task) for each in found for task in each.tasks}
    filled = JUDGING.filled(_row(*of) for of in every.values())
    selves = _selves(found)
    own = f"{len(selves)} of {len(found)} judged by the subject itself:"
    flattered: Words = (Span(own, "strong"), " models tend to prefer their own answers, so figures may be too high.")
    return AnalysisResult(
        tables=(
            filled,
            UNGRADED.filled(_causes(found)),
            SEATS.filled(_seats(found)),
        ),
        blocks=(
            Paragraph(ABOUT, "explanation"),
            *((Paragraph(flattered),) if selves else ()),
            *blocks_of(filled, View(title="Judges", rows=filled.rows, shown=tuple(_shown(every)))),
            Paragraph(_next(found)),
        ),
        findings=tuple(_findings(found)),
    )


def _shown(every: Mapping[tuple[Path, str], tuple[JudgedResult, TaskJudged]]) -> Iterator[Show]:
    """The columns that people see: several counts, and what they are of, stand in one cell."""

    def written(write: JudgeCellWriter, row: Row) -> Cell:
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
        yield Show(key, lead="model", write=None if write is None else partial(written, write))


def _judges(each: JudgedResult, _: TaskJudged) -> Cell:
    evaluation = each.evaluation
    itself: tuple[Inline, ...] = (" ", Span("judges itself", "warning")) if evaluation.own_judges else ()
    judged = evaluation.provenance.judged
    repaired = (
        f"; {words.plural(each.repaired, 'reply', 'replies')} with a slip in its JSON, repaired"
        if each.repaired
        else ""
    )
    again: tuple[Inline, ...] = (Span("; stored plays of ", "soft"), Span(judged, "code")) if judged else ()
    specs = words.joined(Span(spec, "model") for spec in each.judges)
    return Stack(((*specs, *itself), (Span(f"{each.settings_text}{repaired}", "soft"), *again)))


def _counts(_: JudgedResult, task: TaskJudged) -> Cell:
    few = {"had nothing to judge": task.unusable, "with fewer votes than requested": task.short}
    texts = (Span(f"{count:,} {what}", "soft") for what, count in few.items() if count)
    return Stack((f"{task.judged:,} of {task.asked:,}", *texts))


def _ungraded(each: JudgedResult, task: TaskJudged) -> Cell:
    text, figure = words.format_causes(dict(task.causes.most_common())) or "none", task.figure
    ends = figure and words.format_bounds(figure, each.evaluation.metric(figure.metric))
    if not task.causes or not figure or not ends:
        return text
    bounds = f"{figure.metric} {ends[0]} if all were worst, {ends[1]} if all were best"
    return Stack((text, Span(bounds, "soft")))


def _disagreement(_: JudgedResult, task: TaskJudged) -> Cell:
    found = task.disagreement
    if found is None or found.value is None or task.rms_disagreement is None:
        return Span(words.DASH, "missing", title="unknown: one vote per answer")
    known = found.low is not None and found.high is not None
    ends = f"[{found.low:.3f}, {found.high:.3f}]" if known else "no interval"
    variance = (f"mean variance {found.value:.3f} ", Span(ends, "interval", title=format_missing(found.missing)), " ")
    distance = Span(f"mean distance of votes {task.rms_disagreement:.2f} points", "soft")
    return Stack(((*variance, Span(f"n {found.graded:,}", "soft")), distance))


def _selves(found: Sequence[JudgedResult]) -> list[JudgedResult]:
    """Those in which the subject sat on its own jury, and it was asked."""
    return [each for each in found if each.evaluation.own_judges and any(task.judged for task in each.tasks)]


def _next(found: Sequence[JudgedResult]) -> str:
    """The next step to learn whether people would agree."""
    runs = dict.fromkeys(str(each.evaluation.run) for each in found)
    run = next(iter(runs)) if len(runs) == 1 else "RUN"
    return (
        f"To check the judge against people's labels: mores judge sample {run} --n 200 --out DIR draws what they "
        f"label, and mores report {run} --labels FILE --sample DIR compares the judge with it."
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
