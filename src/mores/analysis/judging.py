"""Judges of a run: their models, settings, failures and disagreement.

A judge that is the subject itself is named, as models tend to prefer their own answers. Figures are as good as the
judge; whether people would agree, only people's labels can say.
"""

from collections import Counter
from math import sqrt
from statistics import fmean

from msgspec import Struct, field

from mores.analysis.results import Result, Results
from mores.core.estimate import Estimate, Missing
from mores.core.verdict import DISAGREEMENT, Graded, Ungraded, Verdict

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
        return self.evaluation.whole(self.task) or self.evaluation.whole()

    @property
    def disagreement(self) -> Estimate | None:
        """The run's own figure where it is of this task, with its interval; else the plain mean, which has none.

        None where no grade has two votes.
        """
        if not self.spreads:
            return None
        own = self.evaluation.whole(DISAGREEMENT) if self.task == self.evaluation.rubric else None
        if own is not None and own.value is not None:
            return own
        return Estimate(metric=DISAGREEMENT, value=fmean(self.spreads), asked=self.judged, graded=len(self.spreads),
                        missing=Missing(code="no_such_figure"))  # fmt: skip

    @property
    def apart(self) -> float | None:
        """The root of the disagreement: how far votes typically lie from their mean, in points."""
        found = self.disagreement
        return None if found is None or found.value is None else sqrt(found.value)


def _kind(verdict: Graded) -> str:
    if verdict.ballot is not None and verdict.ballot.label_probs is not None:
        return HARD if verdict.ballot.hard else PROBABILITIES
    return POINTS if verdict.label is None else CHOICES


class JudgedResult(Struct, frozen=True, kw_only=True):
    """One model on one benchmark, with its judges.

    `mended` counts replies of judges whose JSON had a harmless slip that was put right; simulated ones have none.
    """

    evaluation: Result
    tasks: tuple[TaskJudged, ...]
    mended: int

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
    def asked(self) -> str:
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
        JudgedResult(evaluation=each, tasks=_tasks(each), mended=_mended(each))
        for each in results.evaluations
        if each.judges
    )


def _mended(evaluation: Result) -> int:
    return 0 if evaluation.simulated else sum(bool(vote.mended) for vote in evaluation.stored.votes())


def _tasks(evaluation: Result) -> tuple[TaskJudged, ...]:
    """The tasks that a judge had a part in, or was to have; a label that was read out of the answer is none of them."""
    every: dict[str, TaskJudged] = {}
    for verdict in evaluation.every_verdict():
        if verdict.task not in every:
            every[verdict.task] = TaskJudged(evaluation=evaluation, task=verdict.task)
        every[verdict.task].add(verdict)
    return tuple(each for each in every.values() if each.judged or each.task == evaluation.rubric or len(every) == 1)
