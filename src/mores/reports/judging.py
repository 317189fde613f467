"""Who judged: which judges sat, how they were asked, how often they failed, and how far they disagreed.

A judge that is the subject itself is named, as models tend to like their own words. Figures are as good as the judge;
whether people would agree, only people's labels can say.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import sqrt
from statistics import fmean
from typing import ClassVar

from mores.benchmarks.shapes.explained_figures import DISAGREEMENT
from mores.core.estimate import Estimate
from mores.core.verdict import Graded, Ungraded, Verdict
from mores.reports import wording
from mores.reports.findings import Finding, Findings

POINTS, CHOICES, PROBABILITIES, HARD = "points", "labels", "probabilities", "hard labels"
_MEANS = {
    POINTS: "points on a scale",
    CHOICES: "a label in words",
    PROBABILITIES: "a probability of each label",
    HARD: "hard labels: counted from words, not comparable with probabilities",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskJudged:
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
    def means(self) -> str:
        """The kind of verdict, in words."""
        return _MEANS[self.kind] if self.kind else "no verdict of a judge"

    @property
    def ungraded(self) -> int:
        """Answers without a grade."""
        return sum(self.causes.values())

    @property
    def told_causes(self) -> str:
        """Causes with their counts, or none."""
        return wording.told_causes(self.causes) or "none"

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


@dataclass(frozen=True, slots=True, kw_only=True)
class CellJudged:
    """One model on one benchmark, with its judges."""

    cell: Finding
    tasks: tuple[TaskJudged, ...]

    @property
    def judges(self) -> tuple[str, ...]:
        """Specs of the judges in the order of their roles."""
        return tuple(dict.fromkeys(self.cell.judges.values()))

    @property
    def weighed(self) -> bool:
        """True where labels' probabilities were read off, for which a judge is asked once and draws no words."""
        return bool(self.tasks) and all(task.kind == PROBABILITIES for task in self.tasks)

    @property
    def runs(self) -> int:
        """How often each judge was asked of one thing."""
        judging = self.cell.provenance.protocol.judging
        return judging.runs if judging and not self.weighed else 1

    @property
    def temperature(self) -> float | None:
        """Of the judges; None where it was left to the provider."""
        judging = self.cell.provenance.protocol.judging
        return judging.sampling.temperature if judging else None

    @property
    def scale(self) -> str | None:
        """What points could be, where the benchmark leaves that to the run."""
        return self.cell.provenance.protocol.settings.get("scale")

    @property
    def how(self) -> str:
        """Who judged and how they were asked, in words."""
        return ", ".join((*self.judges, self.asked, *(("simulated",) if self.cell.simulated else ())))

    @property
    def asked(self) -> str:
        """How judges were asked, in words."""
        if self.weighed:
            return "once, the labels' probabilities read off"
        heat = "left to the provider" if self.temperature is None else f"{self.temperature:g}"
        often = "once" if self.runs == 1 else f"{self.runs} times each"
        return f"{often}, temperature {heat}" + (f", scale {self.scale}" if self.scale else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """All judged cells of some runs."""

    id: ClassVar[str] = "judging"
    title: ClassVar[str] = "Who judged"
    template: ClassVar[str] = "judging.html.jinja"
    cells: tuple[CellJudged, ...]

    @property
    def simulated(self) -> bool:
        """True where a judge or a judged answer was made up."""
        return any(each.cell.simulated for each in self.cells)

    @property
    def selves(self) -> tuple[CellJudged, ...]:
        """Cells in which the subject sat on its own jury."""
        return tuple(each for each in self.cells if each.cell.own_judges)

    def lines(self) -> Iterator[str]:
        """Who judged each benchmark and how, and of each model what went wrong in it."""
        alike: dict[tuple[str, str], list[CellJudged]] = {}
        for each in self.cells:
            alike.setdefault((each.cell.benchmark, each.how), []).append(each)
        for (benchmark, how), cells in alike.items():
            models = cells[0].cell.label if len(cells) == 1 else f"{len(cells)} models"
            kinds = dict.fromkeys(f"{task.task} as {task.kind or 'nothing'}" for each in cells for task in each.tasks)
            yield f"{benchmark}, {models}: {how}; {', '.join(kinds) or 'nothing came to be judged'}."
            yield from (line for each in cells for line in _remarkable(each))
        yield self.next

    @property
    def next(self) -> str:
        """What can be done to know whether people would agree."""
        runs = dict.fromkeys(str(each.cell.run) for each in self.cells)
        run = next(iter(runs)) if len(runs) == 1 else "RUN"
        made_up = " (simulated people: mores agreement simulate)" if self.simulated else ""
        return (
            f"Whether people would agree: mores agreement sample {run} --n 200 --out DIR draws what they label{made_up}"
            f", and mores report {run} --labels FILE --sample DIR holds the judge against it."
        )

    def plain(self) -> dict[str, object]:
        """All cells with all their numbers."""
        return {"simulated": self.simulated, "cells": [_plain(each) for each in self.cells]}


def judging(findings: Findings) -> Judging | None:
    """Who judged in some runs; None where nobody did."""
    cells = tuple(CellJudged(cell=cell, tasks=_tasks(cell)) for cell in findings.cells if cell.judges)
    return Judging(cells=cells) if cells else None


@dataclass(slots=True)
class _Tally:
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
    if verdict.ballot is not None and verdict.ballot.shares is not None:
        return HARD if verdict.ballot.hard else PROBABILITIES
    return POINTS if verdict.label is None else CHOICES


def _tasks(cell: Finding) -> tuple[TaskJudged, ...]:
    """The tasks that a judge had a part in, or was to have; a label that was read out of the answer is none of them."""
    tallies: dict[str, _Tally] = {}
    for verdict in cell.every_verdict():
        tallies.setdefault(verdict.task, _Tally()).add(verdict)
    rubric = cell.rubric
    asked = {task: tally for task, tally in tallies.items() if tally.judged or task == rubric or len(tallies) == 1}
    return tuple(_task(cell, task, tally) for task, tally in asked.items())


def _task(cell: Finding, task: str, tally: _Tally) -> TaskJudged:
    return TaskJudged(
        task=task,
        kind=tally.kinds.most_common(1)[0][0] if tally.kinds else None,
        asked=tally.asked,
        judged=tally.judged,
        unusable=tally.unusable,
        short=tally.short,
        causes=dict(tally.causes.most_common()),
        disagreement=_disagreement(cell, task, tally),
        figure=cell.whole(task) or cell.whole(),
    )


def _disagreement(cell: Finding, task: str, tally: _Tally) -> Estimate | None:
    """The run's own figure where it is of this task, with its interval; else the plain mean, which has none."""
    if not tally.spreads:
        return None
    own = cell.whole(DISAGREEMENT) if task == cell.rubric else None
    if own is not None and own.value is not None:
        return own
    mean = fmean(tally.spreads)
    why = "the run has no such figure"
    return Estimate(metric=DISAGREEMENT, value=mean, asked=tally.judged, graded=len(tally.spreads), why=why)


def _remarkable(each: CellJudged) -> Iterator[str]:
    if each.cell.own_judges:
        yield f"{each.cell.label} judges itself ({', '.join(each.cell.own_judges)})."
    for task in each.tasks:
        told = []
        if task.unusable:
            told.append(f"{task.unusable:,} left nothing to judge")
        if task.causes:
            told.append(f"{task.ungraded:,} ungraded ({task.told_causes})")
        if task.short:
            told.append(f"{task.short:,} by fewer votes than asked for")
        if task.disagreement is not None and task.disagreement.value is not None:
            told.append(f"mean variance between votes {task.disagreement.value:.3f} over {task.disagreement.graded:,}")
        if told:
            yield f"{each.cell.label}, {task.task}, {task.judged:,} of {task.asked:,} judged: {'; '.join(told)}."


def _plain(each: CellJudged) -> dict[str, object]:
    return {
        "model": each.cell.model,
        "label": each.cell.label,
        "run": str(each.cell.run),
        "benchmark": each.cell.benchmark,
        "simulated": each.cell.simulated,
        "judges": each.cell.judges,
        "own_judges": each.cell.own_judges,
        "judged_again_from": each.cell.provenance.judged,
        "runs": each.runs,
        "temperature": each.temperature,
        "scale": each.scale,
        "remarks": each.cell.provenance.remarks,
        "tasks": {task.task: _plain_task(task) for task in each.tasks},
    }


def _plain_task(task: TaskJudged) -> dict[str, object]:
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
