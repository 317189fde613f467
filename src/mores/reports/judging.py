"""Who judged: which judges sat, how they were asked, how often they failed, and how far they disagreed.

A judge that is the subject itself is named, as models tend to prefer their own answers. Figures are as good as the
judge; whether people would agree, only people's labels can say.
"""

from collections import Counter
from math import sqrt
from statistics import fmean

from msgspec import Struct, field

from mores.analysis.results import Result, Results
from mores.benchmarks.shapes.reasons.measures import DISAGREEMENT
from mores.core.estimate import Estimate, Missing
from mores.core.verdict import Graded, Ungraded, Verdict

POINTS, CHOICES, PROBABILITIES, HARD = "points", "labels", "probabilities", "hard labels"


class TaskJudged(Struct, frozen=True, kw_only=True):
    """What judges did for one task: verdicts they gave, in which kind, and what is missing.

    `asked` counts answers (or their parts), of which `judged` have a grade that a judge gave and `unusable` left
    nothing to judge; `causes` counts those without a grade. `short` grades rest on fewer votes than were asked for.
    `disagreement` is the mean variance of points over grades with two votes or more, None where there are none.
    `figure` is the run's own figure of the task, with its bounds.
    """

    task: str
    kind: str | None
    asked: int
    judged: int
    unusable: int
    short: int
    causes: dict[str, int]
    disagreement: Estimate | None
    figure: Estimate | None

    @property
    def ungraded(self) -> int:
        """Answers without a grade."""
        return sum(self.causes.values())

    @property
    def apart(self) -> float | None:
        """The root of the disagreement: how far votes typically lie from their mean, in points."""
        found = self.disagreement
        return None if found is None or found.value is None else sqrt(found.value)

    @property
    def is_open(self) -> bool:
        """True where ungraded answers leave the figure open."""
        figure = self.figure
        return figure is not None and None not in {figure.worst, figure.best} and figure.worst != figure.best


class JudgedResult(Struct, frozen=True, kw_only=True):
    """One model on one benchmark, with its judges."""

    evaluation: Result
    tasks: tuple[TaskJudged, ...]

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
        """How often each judge was asked of one thing."""
        judging = self.evaluation.provenance.protocol.judging
        return judging.runs if judging and not self.weighed else 1

    @property
    def temperature(self) -> float | None:
        """Of the judges; None where it was left to the provider."""
        judging = self.evaluation.provenance.protocol.judging
        return judging.sampling.temperature if judging else None

    @property
    def scale(self) -> str | None:
        """What points could be, where the benchmark leaves that to the run."""
        return self.evaluation.provenance.protocol.settings.get("scale")

    @property
    def asked(self) -> str:
        """How judges were asked, in words."""
        if self.weighed:
            return "once, the labels' probabilities read off"
        heat = "left to the provider" if self.temperature is None else f"{self.temperature:g}"
        often = "once" if self.runs == 1 else f"{self.runs} times each"
        given = self.evaluation.provenance.protocol.judge_weights
        counts = ", ".join(f"{role} {weight:g}" for role, weight in sorted(given.items()))
        scale, weights = self.scale and f"scale {self.scale}", counts and f"weights {counts}"
        return ", ".join(filter(None, (often, f"temperature {heat}", scale, weights)))


class Judging(Struct, frozen=True, kw_only=True):
    """All judged evaluations of some runs."""

    evaluations: tuple[JudgedResult, ...]

    @property
    def simulated(self) -> bool:
        """True where a judge or a judged answer was made up."""
        return any(each.evaluation.simulated for each in self.evaluations)

    @property
    def selves(self) -> tuple[JudgedResult, ...]:
        """Cells in which the subject sat on its own jury."""
        return tuple(each for each in self.evaluations if each.evaluation.own_judges)

    def to_dict(self) -> dict[str, object]:
        """All evaluations with all their numbers."""
        return {"simulated": self.simulated, "cells": [_dict_of(each) for each in self.evaluations]}


def judging(results: Results) -> Judging | None:
    """Who judged in some runs; None where nobody did."""
    evaluations = tuple(
        JudgedResult(evaluation=evaluation, tasks=_tasks(evaluation))
        for evaluation in results.evaluations
        if evaluation.judges
    )
    return Judging(evaluations=evaluations) if evaluations else None


class _Tally(Struct):
    asked: int = 0
    judged: int = 0
    unusable: int = 0
    short: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    causes: Counter[str] = field(default_factory=Counter)
    spreads: list[float] = field(default_factory=list)

    def add(self, verdict: Verdict) -> None:
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


def _kind(verdict: Graded) -> str:
    if verdict.ballot is not None and verdict.ballot.label_probs is not None:
        return HARD if verdict.ballot.hard else PROBABILITIES
    return POINTS if verdict.label is None else CHOICES


def _tasks(evaluation: Result) -> tuple[TaskJudged, ...]:
    """The tasks that a judge had a part in, or was to have; a label that was read out of the answer is none of them."""
    tallies: dict[str, _Tally] = {}
    for verdict in evaluation.every_verdict():
        tallies.setdefault(verdict.task, _Tally()).add(verdict)
    rubric = evaluation.rubric
    asked = {task: tally for task, tally in tallies.items() if tally.judged or task == rubric or len(tallies) == 1}
    return tuple(_task(evaluation, task, tally) for task, tally in asked.items())


def _task(evaluation: Result, task: str, tally: _Tally) -> TaskJudged:
    return TaskJudged(
        task=task,
        kind=tally.kinds.most_common(1)[0][0] if tally.kinds else None,
        asked=tally.asked,
        judged=tally.judged,
        unusable=tally.unusable,
        short=tally.short,
        causes=dict(tally.causes.most_common()),
        disagreement=_disagreement(evaluation, task, tally),
        figure=evaluation.whole(task) or evaluation.whole(),
    )


def _disagreement(evaluation: Result, task: str, tally: _Tally) -> Estimate | None:
    """The run's own figure where it is of this task, with its interval; else the plain mean, which has none."""
    if not tally.spreads:
        return None
    own = evaluation.whole(DISAGREEMENT) if task == evaluation.rubric else None
    if own is not None and own.value is not None:
        return own
    mean = fmean(tally.spreads)
    no_figure = Missing(code="no_such_figure")
    return Estimate(metric=DISAGREEMENT, value=mean, asked=tally.judged, graded=len(tally.spreads), missing=no_figure)


def _dict_of(each: JudgedResult) -> dict[str, object]:
    return {
        "model": each.evaluation.model,
        "label": each.evaluation.label,
        "run": str(each.evaluation.run),
        "benchmark": each.evaluation.benchmark,
        "simulated": each.evaluation.simulated,
        "judges": each.evaluation.judges,
        "own_judges": each.evaluation.own_judges,
        "judged_again_from": each.evaluation.provenance.judged,
        "runs": each.runs,
        "temperature": each.temperature,
        "scale": each.scale,
        "remarks": each.evaluation.provenance.remarks,
        "tasks": {task.task: _dict_of_task(task) for task in each.tasks},
    }


def _dict_of_task(task: TaskJudged) -> dict[str, object]:
    figure = task.figure
    return {
        "kind": task.kind,
        "asked": task.asked,
        "judged": task.judged,
        "unusable": task.unusable,
        "ungraded": task.causes,
        "fewer_votes": task.short,
        "disagreement": task.disagreement,
        "metric": figure.metric if figure else None,
        "value": figure.value if figure else None,
        "worst": figure.worst if figure else None,
        "best": figure.best if figure else None,
    }
