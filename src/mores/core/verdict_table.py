"""Verdicts in columns: what scores are made of, a few bytes a verdict however many there are."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from operator import ne
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from msgspec import UNSET, Struct, field

from mores.core.arrays import Codes, Floats
from mores.core.estimate import CategoricalColumn, RowKeys
from mores.core.sequences import LazySequence, StringColumn, alike
from mores.core.transcript import ItemMetadata
from mores.core.verdict import NO_WORDS, Cut, Fault, Graded, Ungraded, Verdict, VerdictRecord, VoteSummary
from mores.core.verdict_lines import VerdictReader, batches


class VerdictKeyTable(LazySequence[ItemMetadata]):
    """Each thing that verdicts are about, made anew for whoever asks for it."""

    def __init__(self) -> None:
        self._item, self._part, self._unit = StringColumn(known=0), StringColumn(), StringColumn()
        self._place = StringColumn()
        self._cluster = self._unit  # one column as long as each unit is a cluster of its own name
        self._groups = array("i")
        self._kinds: list[dict[str, str]] = []
        self._codes: dict[tuple[tuple[str, str], ...], int] = {}
        self._last: ItemMetadata | None = None
        self._at = self._first = 0
        self._parts: dict[str, list[int]] = {}

    def place_of(self, about: ItemMetadata) -> int:
        """The number of a thing, which is added if it is new; the verdicts on one item stand together.

        Samples share it unless their groups differ, as those of days do by where they were spent.
        """
        last = self._last
        if about is last:
            return self._at
        if last is None or last.item != about.item:
            self._first = found = self.add(about)
            self._parts.clear()
        elif last.part == about.part and last.groups == about.groups:
            return self._at
        else:
            found = self._among_parts(about)
        self._last, self._at = about, found
        return found

    def _among_parts(self, about: ItemMetadata) -> int:
        """The place of a thing among those of the last item."""
        if not self._parts:
            self._parts[self._part[self._first] or ""] = [self._first]
        alike = self._parts.setdefault(about.part, [])
        for found in alike:
            if self._kinds[self._groups[found]] == about.groups:
                return found
        alike.append(self.add(about))
        return alike[-1]

    def add(self, about: ItemMetadata) -> int:
        """The number of one more thing, whether or not there is one like it."""
        self._item.add(about.item)
        self._part.add(about.part)
        if self._cluster is self._unit and about.cluster != about.unit:
            self._cluster = deepcopy(self._unit)
        if self._cluster is not self._unit:
            self._cluster.add(about.cluster)
        self._unit.add(about.unit)
        self._place.add(about.place)
        self._groups.append(self._kind(about.groups))
        return len(self) - 1

    def _kind(self, groups: dict[str, str]) -> int:
        """The code of some groups."""
        if self._groups and self._kinds[self._groups[-1]] == groups:
            return self._groups[-1]
        key = tuple(groups.items())
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = len(self._kinds)
            self._kinds.append(groups)
        return code

    def places_of(self, metadata: Sequence[ItemMetadata]) -> Iterable[int]:
        """The numbers of some things that follow each other."""
        items = [about.item for about in metadata]
        last = None if self._last is None else self._last.item
        if not metadata or not all(map(ne, items, (last, *items))):
            return [self.place_of(about) for about in metadata]
        begin = len(self)
        self._item.extend(items)
        self._part.extend([about.part for about in metadata])
        units, clusters = [about.unit for about in metadata], [about.cluster for about in metadata]
        if self._cluster is self._unit and units != clusters:
            self._cluster = deepcopy(self._unit)
        if self._cluster is not self._unit:
            self._cluster.extend(clusters)
        self._unit.extend(units)
        self._place.extend([about.place for about in metadata])
        for about in metadata:
            self._groups.append(self._kind(about.groups))
        self._parts.clear()
        self._last, self._at = metadata[-1], len(self) - 1
        self._first = self._at
        return range(begin, len(self))

    def __len__(self) -> int:
        return len(self._groups)

    def at(self, place: int) -> ItemMetadata:
        """Metadata of one unit."""
        return _thing(
            self._item[place], self._part[place], self._unit[place], self._cluster[place], self._place[place],
            self._kinds[self._groups[place]],
        )  # fmt: skip

    def __iter__(self) -> Iterator[ItemMetadata]:
        groups = map(self._kinds.__getitem__, self._groups)
        return map(_thing, self._item, self._part, self._unit, self._cluster, self._place, groups)

    def keys(self) -> RowKeys:
        """The same columns, with a code for each name."""
        unit = self._unit.column()
        groups = np.array(self._groups, dtype=np.int64)
        kinds = dict.fromkeys(kind for each in self._kinds for kind in each)
        of_kind = {kind: CategoricalColumn.of(each.get(kind) for each in self._kinds) for kind in kinds}
        return RowKeys(
            item=unit if self._item.like(self._unit) else self._item.column(),
            part=self._part.column(),
            unit=unit,
            cluster=unit if self._cluster is self._unit else self._cluster.column().pooled(),
            place=self._place.column().in_order(),
            sample=alike(0, len(self)),
            groups={kind: CategoricalColumn(column.codes[groups], column.names) for kind, column in of_kind.items()},
        )


def _thing(
    item: str | None, part: str | None, unit: str | None, cluster: str | None, place: str | None, groups: dict[str, str]
) -> ItemMetadata:
    return ItemMetadata(
        item=item or "", unit=unit or "", cluster=cluster or "", place=place, groups=groups, part=part or ""
    )  # fmt: skip


class VerdictColumns(NamedTuple):
    """The verdicts of one task: parallel arrays, a row a verdict; `points` is NaN where ungraded.

    `cut` is 1 where the answer ended at a limit, `empty` where a format error had no words at all.
    """

    item: Codes
    sample: Codes
    points: Floats
    label: Codes
    gold: Codes
    fault: Codes
    cut: Codes
    empty: Codes

    def take(self, rows: npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_]) -> VerdictColumns:
        """Some of the verdicts."""
        item, sample, points, label, gold, fault, cut, empty = self
        return VerdictColumns(
            item[rows], sample[rows], points[rows], label[rows], gold[rows], fault[rows], cut[rows], empty[rows]
        )  # fmt: skip


class _Way(NamedTuple):
    """Outcome of verdicts but for their points: each stands once, however many verdicts have it."""

    sample: int
    label: int
    gold: int
    fault: int
    cut: int = 0
    empty: int = 0


class _Columns(Struct):
    item: array[int] = field(default_factory=lambda: array("i"))
    way: array[int] = field(default_factory=lambda: array("i"))
    points: array[float] = field(default_factory=lambda: array("d"))
    ballots: dict[int, VoteSummary] = field(default_factory=dict)


class _Row(NamedTuple):
    """A verdict as it goes into the columns of its task; `cause` of one that is ungraded."""

    task: _Columns
    way: int
    points: float
    ballot: VoteSummary | None
    cause: str | None


class VerdictTable:
    """All verdicts of a run; labels, golds and faults are codes into `words`, -1 where there is none."""

    def __init__(self, verdicts: Iterable[Verdict] = ()) -> None:
        self.item_metadata = VerdictKeyTable()
        self.words: list[str] = []
        self.causes: dict[str, int] = {}
        self._codes: dict[str | None, int] = {None: -1}
        self._ways: list[_Way] = []
        self._code_of_way: dict[_Way, int] = {}
        self._tasks: dict[str, _Columns] = {}
        self._keys: RowKeys | None = None
        for verdict in verdicts:
            self.add(verdict)

    @classmethod
    def read(cls, lines: Iterable[bytes], *, where: str) -> VerdictTable:
        """The verdicts of a JSON Lines file.

        Raises:
            InputError: a line is no verdict; the message names the line.
        """
        table = cls()
        findings = VerdictReader(table._row, where, varied=lambda row: row.ballot is not None)
        thing = -1
        for metadata, begins, rows in batches(lines, findings):
            if len(rows) == 1:
                thing = table.item_metadata.place_of(metadata[0]) if metadata else thing
                table._put(thing, rows[0])
                continue
            places = np.array([thing, *table.item_metadata.places_of(metadata)], dtype=np.int32)
            thing = int(places[-1])
            table._put_many(places[np.cumsum(begins)], rows)
        return table

    def add(self, verdict: Verdict) -> None:
        """One more verdict."""
        self._put(self.item_metadata.place_of(verdict.about), self._row(verdict))

    def extend(self, verdicts: Sequence[Verdict]) -> None:
        """Some more verdicts: by columns, in two thirds of what they take one by one, unless one has a ballot."""
        if not verdicts or any(verdict.verdict == "graded" and verdict.ballot is not None for verdict in verdicts):
            for verdict in verdicts:
                self.add(verdict)
            return
        kinds, metadata, begins = dict[tuple[object, ...], _Row](), list[ItemMetadata](), list[bool]()
        rows = list[_Row]()
        for verdict in verdicts:
            kind = _kind_of(verdict)
            row = kinds.get(kind)
            if row is None:
                row = kinds[kind] = self._row(verdict)
            rows.append(row)
            begins.append(not metadata or verdict.about is not metadata[-1])
            if begins[-1]:
                metadata.append(verdict.about)
        places = np.array([*self.item_metadata.places_of(metadata)], dtype=np.int32)
        self._put_many(places[np.cumsum(begins) - 1], rows)

    def _row(self, verdict: Verdict | VerdictRecord) -> _Row:
        task = self._tasks.get(verdict.task)
        if task is None:
            task = self._tasks[verdict.task] = _Columns()
        gold = self._code(verdict.gold)
        if verdict.verdict != "graded":
            way = _Way(verdict.sample, -1, gold, -1, bool(verdict.cut))
            return _Row(task, self._way(way), float("nan"), None, verdict.cause)  # type: ignore[arg-type]
        # A line that is graded has points, one that is not a cause: whoever read it has seen to it.
        empty = verdict.fault is not None and verdict.reason in NO_WORDS
        way = _Way(
            verdict.sample, self._code(verdict.label), gold, self._code(verdict.fault), bool(verdict.cut), empty
        )  # fmt: skip
        return _Row(task, self._way(way), cast(float, verdict.points), verdict.ballot, None)

    def _way(self, way: _Way) -> int:
        code = self._code_of_way.setdefault(way, len(self._ways))
        if code == len(self._ways):
            self._ways.append(way)
        return code

    def _put(self, thing: int, row: _Row) -> None:
        task, way, points, ballot, cause = row
        if ballot is not None:
            task.ballots[len(task.item)] = ballot
        if cause is not None:
            self.causes[cause] = self.causes.get(cause, 0) + 1
        task.item.append(thing)
        task.way.append(way)
        task.points.append(points)

    def _put_many(self, things: Codes, rows: list[_Row]) -> None:
        """Verdicts of few kinds that follow each other, none of them with a ballot."""
        # Rows of one kind are one object here, so that identity does for their six fields.
        kinds = {id(row): row for row in rows}
        codes = {name: code for code, name in enumerate(kinds)}
        of = np.fromiter(map(codes.__getitem__, map(id, rows)), dtype=np.int64, count=len(rows))
        for row, count in zip(kinds.values(), np.bincount(of).tolist(), strict=True):
            if row.cause is not None:
                self.causes[row.cause] = self.causes.get(row.cause, 0) + count
        for task in {id(row.task): row.task for row in kinds.values()}.values():
            own = np.array([row.task is task for row in kinds.values()])[of]
            kept = of[own]
            task.item.frombytes(things[own].astype(np.int32).tobytes())
            task.way.frombytes(np.array([row.way for row in kinds.values()], dtype=np.int32)[kept].tobytes())
            task.points.frombytes(np.array([row.points for row in kinds.values()], dtype=np.float64)[kept].tobytes())

    @property
    def keys(self) -> RowKeys:
        """Of each thing that verdicts are about, made once."""
        if self._keys is None or len(self._keys) != len(self.item_metadata):
            self._keys = self.item_metadata.keys()
        return self._keys

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that verdicts are of, in their order."""
        return tuple(self._tasks)

    def count(self, task: str) -> int:
        """Number of verdicts of one task."""
        return len(self._tasks[task].item) if task in self._tasks else 0

    def frame(self, task: str) -> VerdictColumns:
        """The verdicts of one task as arrays; empty where the task has none."""
        columns = self._tasks.get(task, _Columns())
        item, points = np.array(columns.item, dtype=np.int32), np.array(columns.points, dtype=np.float64)
        ways, own = np.array(self._ways, dtype=np.int32).reshape(-1, len(_Way._fields)), np.array(columns.way)
        sample, label, gold, fault, cut, empty = (of_way[own] for of_way in ways.T)
        return VerdictColumns(item, sample, points, label, gold, fault, cut, empty)

    def verdict(self, task: str, row: int) -> Verdict:
        """One verdict of a task's frame, without its words, its reason and its cause."""
        columns = self._tasks[task]
        about, points, way = self.item_metadata[columns.item[row]], columns.points[row], self._ways[columns.way[row]]
        sample, gold, cut = way.sample, self._word(way.gold), _cut(way)
        if points != points:  # noqa: PLR0124 - NaN alone is unlike itself
            return Ungraded(about=about, sample=sample, task=task, cause="", gold=gold, cut=cut)
        label, fault = self._word(way.label), cast(Fault | None, self._word(way.fault))
        return Graded(
            about=about, sample=sample, task=task, points=points, label=label, gold=gold, fault=fault,
            ballot=columns.ballots.get(int(row)), cut=cut,
        )  # fmt: skip

    def _word(self, code: int) -> str | None:
        return None if code < 0 else self.words[code]

    def ballots(self, task: str) -> list[VoteSummary | None]:
        """Basis of each grade of a task, in the order of its columns; None where no judge was asked."""
        columns = self._tasks.get(task, _Columns())
        return [columns.ballots.get(row) for row in range(len(columns.points))]

    def words_judged(self) -> Codes:
        """Number of words that each verdict of a judge is on, of the first task that has any; empty where none has."""
        held = next((columns.ballots for columns in self._tasks.values() if columns.ballots), {})
        return np.fromiter((ballot.words for ballot in held.values()), dtype=np.int64, count=len(held))

    def code(self, word: str) -> int:
        """The code of a label, gold or fault; -2 where no verdict has it."""
        return self._codes.get(word, -2)

    def _code(self, word: str | None) -> int:
        code = self._codes.get(word)
        if code is None:
            code = self._codes[word] = len(self.words)
            self.words.append(str(word))
        return code


def _cut(way: _Way) -> Cut:
    return True if way.cut else UNSET


def _kind_of(verdict: Verdict) -> tuple[object, ...]:
    """All of a verdict without a ballot that goes into columns, but what it is about."""
    if isinstance(verdict, Graded):
        empty = verdict.fault is not None and verdict.reason in NO_WORDS
        return (
            verdict.task, verdict.sample, verdict.points, verdict.label, verdict.gold, verdict.fault, verdict.cut, empty
        )  # fmt: skip
    return verdict.task, verdict.sample, verdict.cause, verdict.gold, verdict.cut
