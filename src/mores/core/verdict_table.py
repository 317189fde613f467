"""Verdicts in columns: what scores are made of, a few bytes a verdict however many there are."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any, NamedTuple, cast

from msgspec import Struct, field

from mores.core.arrays import Codes, Floats, np, npt
from mores.core.item import ItemMetadata
from mores.core.scores import Keys
from mores.core.verdict import Ballot, Fault, Graded, Ungraded, Verdict, VerdictLine, read_lines


class Frame(NamedTuple):
    """The verdicts of one task: parallel arrays, a row a verdict; `points` is NaN where ungraded."""

    item: Codes
    sample: Codes
    points: Floats
    label: Codes
    gold: Codes
    fault: Codes

    def take(self, rows: npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_]) -> Frame:
        """Some of the verdicts."""
        return Frame(
            self.item[rows], self.sample[rows], self.points[rows], self.label[rows], self.gold[rows], self.fault[rows]
        )


class _Columns(Struct):
    item: array[int] = field(default_factory=lambda: array("i"))
    sample: array[int] = field(default_factory=lambda: array("i"))
    points: array[float] = field(default_factory=lambda: array("d"))
    label: array[int] = field(default_factory=lambda: array("i"))
    gold: array[int] = field(default_factory=lambda: array("i"))
    fault: array[int] = field(default_factory=lambda: array("i"))
    ballots: list[Ballot | None] = field(default_factory=list)


class VerdictTable:
    """All verdicts of a run; labels, golds and faults are codes into `words`, -1 where there is none."""

    def __init__(self, verdicts: Iterable[Verdict] = ()) -> None:
        self.abouts: list[ItemMetadata] = []
        self.words: list[str] = []
        self.causes: dict[str, int] = {}
        self._codes: dict[str | None, int] = {None: -1}
        self._tasks: dict[str, _Columns] = {}
        self._parts: dict[str, list[int]] = {}
        self._keys: Keys | None = None
        for verdict in verdicts:
            self.add(verdict)

    @classmethod
    def read(cls, lines: Iterable[bytes], *, where: str) -> VerdictTable:
        """The verdicts of a JSON Lines file.

        Raises:
            InputError: a line is no verdict; the message names the line.
        """
        table = cls()
        for about, line in read_lines(lines, where=where):
            table._add(line, about)
        return table

    def add(self, verdict: Verdict) -> None:
        """One more verdict."""
        self._add(verdict, verdict.about)

    def _add(self, verdict: Verdict | VerdictLine, about: ItemMetadata) -> None:
        task = self._tasks.get(verdict.task)
        if task is None:
            task = self._tasks[verdict.task] = _Columns()
        task.item.append(self._item(about))
        task.sample.append(verdict.sample)
        task.gold.append(self._code(verdict.gold))
        if verdict.verdict == "graded":
            # A line that is graded has points, one that is not a cause: read_lines has seen to it.
            task.points.append(verdict.points)  # type: ignore[arg-type]
            task.label.append(self._code(verdict.label))
            task.fault.append(self._code(verdict.fault))
            task.ballots.append(verdict.ballot)
        else:
            task.points.append(float("nan"))
            task.label.append(-1)
            task.fault.append(-1)
            task.ballots.append(None)
            self.causes[verdict.cause] = self.causes.get(verdict.cause, 0) + 1  # type: ignore[index, arg-type]

    @property
    def keys(self) -> Keys:
        """Of each thing that verdicts are about, made once."""
        if self._keys is None or len(self._keys) != len(self.abouts):
            self._keys = Keys.of(self.abouts)
        return self._keys

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that verdicts are of, in their order."""
        return tuple(self._tasks)

    def frame(self, task: str) -> Frame:
        """The verdicts of one task as arrays; empty where the task has none."""
        columns = self._tasks.get(task, _Columns())
        integers = (columns.item, columns.sample, columns.label, columns.gold, columns.fault)
        item, sample, label, gold, fault = (np.array(column, dtype=np.int32) for column in integers)
        return Frame(item, sample, np.array(columns.points, dtype=np.float64), label, gold, fault)

    def verdict(self, task: str, row: int) -> Verdict:
        """One verdict of a task's frame, without its words, its reason and its cause."""
        columns = self._tasks[task]
        about, sample = self.abouts[columns.item[row]], columns.sample[row]
        points, gold = columns.points[row], self._word(columns.gold[row])
        if points != points:  # noqa: PLR0124 - NaN alone is unlike itself
            return Ungraded(about=about, sample=sample, task=task, cause="", gold=gold)
        label, fault = self._word(columns.label[row]), cast(Fault | None, self._word(columns.fault[row]))
        return Graded(
            about=about, sample=sample, task=task, points=points, label=label, gold=gold, fault=fault,
            ballot=columns.ballots[row],
        )  # fmt: skip

    def _word(self, code: int) -> str | None:
        return None if code < 0 else self.words[code]

    def ballots(self, task: str) -> list[Ballot | None]:
        """What each grade of a task rests on, in the order of its frame; None where no judge was asked."""
        return self._tasks.get(task, _Columns()).ballots

    def code(self, word: str) -> int:
        """The code of a label, gold or fault; -2 where no verdict has it."""
        return self._codes.get(word, -2)

    def _item(self, about: ItemMetadata) -> int:
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
