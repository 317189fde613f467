"""Verdicts in columns: what `summarise` reads, a few bytes a verdict however many there are."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from mores.core.item import About
from mores.core.verdict import Ballot, Graded, Verdict

Floats: TypeAlias = npt.NDArray[np.float64]
Codes: TypeAlias = npt.NDArray[np.integer[Any]]


class Frame(NamedTuple):
    """The verdicts of one task: parallel arrays, a row a verdict; `points` is NaN where ungraded."""

    item: Codes
    sample: Codes
    points: Floats
    label: Codes
    gold: Codes
    fault: Codes


@dataclass(slots=True)
class _Columns:
    item: "array[int]" = field(default_factory=lambda: array("i"))
    sample: "array[int]" = field(default_factory=lambda: array("i"))
    points: "array[float]" = field(default_factory=lambda: array("d"))
    label: "array[int]" = field(default_factory=lambda: array("i"))
    gold: "array[int]" = field(default_factory=lambda: array("i"))
    fault: "array[int]" = field(default_factory=lambda: array("i"))
    ballots: "list[Ballot | None]" = field(default_factory=list)


class Ledger:
    """All verdicts of a run; labels, golds and faults are codes into `words`, -1 where there is none."""

    def __init__(self, verdicts: Iterable[Verdict] = ()) -> None:
        self.abouts: list[About] = []
        self.words: list[str] = []
        self.causes: dict[str, int] = {}
        self._codes: dict[str | None, int] = {None: -1}
        self._tasks: dict[str, _Columns] = {}
        self._parts: dict[str, list[int]] = {}
        for verdict in verdicts:
            self.add(verdict)

    def add(self, verdict: Verdict) -> None:
        """One more verdict."""
        task = self._tasks.get(verdict.task)
        if task is None:
            task = self._tasks[verdict.task] = _Columns()
        task.item.append(self._item(verdict.about))
        task.sample.append(verdict.sample)
        task.gold.append(self._code(verdict.gold))
        task.ballots.append(verdict.ballot if isinstance(verdict, Graded) else None)
        if isinstance(verdict, Graded):
            task.points.append(verdict.points)
            task.label.append(self._code(verdict.label))
            task.fault.append(self._code(verdict.fault))
        else:
            task.points.append(float("nan"))
            task.label.append(-1)
            task.fault.append(-1)
            self.causes[verdict.cause] = self.causes.get(verdict.cause, 0) + 1

    def frame(self, task: str) -> Frame:
        """The verdicts of one task as arrays; empty where the task has none."""
        columns = self._tasks.get(task, _Columns())
        integers = (columns.item, columns.sample, columns.label, columns.gold, columns.fault)
        item, sample, label, gold, fault = (np.array(column, dtype=np.int32) for column in integers)
        return Frame(item, sample, np.array(columns.points, dtype=np.float64), label, gold, fault)

    def ballots(self, task: str) -> list[Ballot | None]:
        """What each grade of a task rests on, in the order of its frame; None where no judge was asked."""
        return self._tasks.get(task, _Columns()).ballots

    def code(self, word: str) -> int:
        """The code of a label, gold or fault; -2 where no verdict has it."""
        return self._codes.get(word, -2)

    def _item(self, about: About) -> int:
        """Index of what the verdict is about; the verdicts of one item, its parts and samples, stand together.

        Samples share it unless their groups differ, as those of days do by where they were spent.
        """
        last = self.abouts[-1] if self.abouts else None
        if last is None or last.item != about.item:
            self._parts.clear()
        elif last is about or (last.part == about.part and last.groups == about.groups):
            return len(self.abouts) - 1
        alike = self._parts.setdefault(about.part, [])
        for index in alike:
            if self.abouts[index].groups == about.groups:
                return index
        alike.append(len(self.abouts))
        self.abouts.append(about)
        return alike[-1]

    def _code(self, word: str | None) -> int:
        code = self._codes.get(word)
        if code is None:
            code = self._codes[word] = len(self.words)
            self.words.append(str(word))
        return code
