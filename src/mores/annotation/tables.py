"""People's labels beside judges' words, task by task: the one table that every figure about judges is made from.

label rows ─▶ the things they are about, by work list or by name ─▶ a table for each task, a row for each thing judged,
labelled or not; labels that are about nothing, or outside the scale, are refused with their line.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct, structs

from mores.annotation.chances import Chances
from mores.annotation.judged import Evaluation, Judged, judged_evaluations, judged_things, of_tasks
from mores.annotation.sample import Drawn, Sample
from mores.benchmarks.label_rows import LabelRow, points_of, read_label_rows
from mores.core.errors import InputError
from mores.core.vote import JudgedUnit

Floats = npt.NDArray[np.float64]
Names = npt.NDArray[np.str_]
Mask = npt.NDArray[np.bool_]
_Kind = TypeVar("_Kind", bound=np.generic)


def some(
    column: npt.NDArray[_Kind] | None, rows: npt.NDArray[np.bool_] | npt.NDArray[np.int64]
) -> npt.NDArray[_Kind] | None:
    """A column at some rows; None where there is no such column."""
    return None if column is None else column[rows]


def together(said: Floats, options: tuple[str, ...]) -> Floats:
    """What several come to on each row: the majority of words, NaN at a tie; the mean of points; NaN for none."""
    if not options:
        given = np.isfinite(said)
        total, count = np.where(given, said, 0.0).sum(1), given.sum(1)
        return np.asarray(np.divide(total, count, out=np.full(len(said), np.nan), where=count > 0))
    votes = np.stack([(said == code).sum(1) for code in range(len(options))], axis=1)
    most = votes.max(1, initial=0)
    tied = (votes == most[:, None]).sum(1) > 1
    return np.where((most > 0) & ~tied, votes.argmax(1), np.nan)


@dataclass(frozen=True, kw_only=True)
class TaskTable:
    """One task of one benchmark over some evaluations: all that was judged, and who of the people said what of it.

    `labels` holds people's labels, a row a thing and a column a person, NaN for none: codes into `options`, or points
    where there are no options. Of the frozen `sample`, `splits` names the part that a row is in and `ids` its row on
    the work list, "" for none. `chances` are those by which rows of the sample were drawn, NaN for other rows; None
    where no chances are known. `among` is how many things each was drawn among, as one of them, and `likely` how likely
    each was to be drawn, up to a factor, also those that were not; None without a sample.
    """

    benchmark: str
    task: str
    options: tuple[str, ...]
    rows: tuple[Judged, ...]
    people: tuple[str, ...]
    labels: Floats
    splits: Names
    ids: Names
    sample: Sample | None = None
    chances: Floats | None = None
    among: Floats | None = None
    likely: Floats | None = None

    @property
    def name(self) -> str:
        """Benchmark and task."""
        return f"{self.benchmark} {self.task}"

    @property
    def simulated(self) -> bool:
        """True where a judge, a judged answer or a person was made up."""
        return any(row.evaluation.simulated for row in self.rows) or any(
            p.startswith("simulated/") for p in self.people
        )

    @property
    def ordered(self) -> bool:
        """True for words that are numbers, such as 0 to 3: how far two of them lie apart then counts."""
        return len(self.options) > 2 and all(option.isdecimal() for option in self.options)

    @cached_property
    def labelled(self) -> Mask:
        """Rows that anybody labelled."""
        return np.asarray(np.isfinite(self.labels).sum(1) > 0)

    @cached_property
    def stand_for(self) -> Floats | None:
        """How many things each labelled row stands for, 1 on average, by the chance that it had to be drawn.

        None where all stand for as many, or where the chance of a label is not known.
        """
        if self.chances is None or not self.labelled.any() or np.isnan(self.chances[self.labelled]).any():
            return None
        each = 1 / np.where(np.isnan(self.chances), np.nanmax(self.chances), self.chances)
        own = each[self.labelled]
        return None if np.ptp(own) <= 1e-9 * own.max() else np.asarray(each / own.mean())

    @cached_property
    def said(self) -> Floats:
        """What the judges say together of each row: a code or points, NaN where there is nothing, or a tie."""
        return np.array([self._value(row.label, row.points) for row in self.rows], dtype=np.float64)

    @cached_property
    def truth(self) -> Floats:
        """What people say of each row: the majority of words, NaN at a tie; the mean of points; NaN for none."""
        return together(self.labels, self.options)

    @cached_property
    def compared(self) -> Mask:
        """Rows with a word of the judges and one of people."""
        return np.isfinite(self.said) & np.isfinite(self.truth)

    @cached_property
    def clusters(self) -> Names:
        """What each row is drawn together with: the same scene or day, whichever model it was put to."""
        return np.array([row.cluster for row in self.rows], dtype=np.str_)

    @cached_property
    def places(self) -> Names:
        """The place of each row, "" for none."""
        return np.array([row.place for row in self.rows], dtype=np.str_)

    @cached_property
    def models(self) -> Names:
        """The subject of each row."""
        return np.array([row.evaluation.model for row in self.rows], dtype=np.str_)

    @property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """The evaluations that its rows are of, in their order."""
        return tuple({row.evaluation.folder: row.evaluation for row in self.rows}.values())

    @property
    def specs(self) -> Mapping[str, str]:
        """Who judged the first of them, by role."""
        return self.rows[0].evaluation.judges

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """The roles that judged any of it."""
        return tuple(sorted({judge for row in self.rows for judge in row.votes}))

    def by(self, judge: str) -> Floats:
        """The first word of one judge on each row, as `said`."""
        first = (next(iter(row.said(judge)), None) for row in self.rows)
        return np.array([np.nan if one is None else self._value(one.label, one.points) for one in first])

    def draws(self, judge: str) -> Floats:
        """Every word of one judge on each row, in the order of its draws; NaN for what is unreadable or not there."""
        words = [[self._value(said.label, said.points) for said in row.said(judge)] for row in self.rows]
        widest = max((len(line) for line in words), default=0)
        return np.array([[*line, *[np.nan] * (widest - len(line))] for line in words], dtype=np.float64)

    def at(self, mask: Mask) -> "TaskTable":
        """Some of the rows; what was worked out row by row is not worked out again."""
        kept = np.flatnonzero(mask)
        part = replace(
            self,
            rows=tuple(self.rows[row] for row in kept.tolist()),
            labels=self.labels[kept],
            splits=self.splits[kept],
            ids=self.ids[kept],
            chances=some(self.chances, kept),
            among=some(self.among, kept),
            likely=some(self.likely, kept),
        )
        known = vars(self)
        vars(part).update({name: known[name][kept] for name in _BY_ROW if name in known})
        return part

    def only(self, judge: str) -> "TaskTable":
        """The task as if one judge had judged alone."""
        return replace(
            self, rows=tuple(structs.replace(row, votes={judge: row.votes.get(judge, ())}) for row in self.rows)
        )

    def _value(self, label: str | None, points: float | None) -> float:
        if self.options:
            return float(self.options.index(label)) if label in self.options else np.nan
        return np.nan if points is None else points


_BY_ROW = ("labelled", "said", "truth", "compared", "clusters", "places", "models")


def read_tables(
    runs: Sequence[Path], labels: Sequence[Path] = (), sample: Sample | None = None, *, tasks: Sequence[str] = ()
) -> tuple[TaskTable, ...]:
    """The tables of all tasks of some runs, or of the tasks that labels are about where labels are given.

    Raises:
        InputError: a run, a file or a label cannot be used; the message names the line.
    """
    given = [row for path in labels for row in read_label_rows(path)]
    cells = judged_evaluations(runs)
    things = [each for cell in cells for each in judged_things(cell)]
    wanted = of_tasks(things, tasks)
    register = _Register.of(cells, things, sample)
    placed = [(register.row_of(row), row) for row in given]
    _refuse_twice(placed, things)
    if not tasks:
        wanted = of_tasks(things, [things[place].thing.task for place, _ in placed])
    names = dict.fromkeys((each.evaluation.benchmark, each.thing.task) for each in wanted)
    return tuple(_table(name, things, placed, register) for name in names)


class _Register(Struct, frozen=True):
    """Which thing a label is about: by the id of a work list, or by the names of item, task, step and norm."""

    things: list[Judged]
    by_id: dict[str, int]
    by_thing: dict[JudgedUnit, list[int]]
    drawn: dict[int, Drawn]
    sample: Sample | None

    @classmethod
    def of(cls, cells: Sequence[Evaluation], things: list[Judged], sample: Sample | None) -> "_Register":
        by_thing: dict[JudgedUnit, list[int]] = {}
        for place, each in enumerate(things):
            by_thing.setdefault(each.thing, []).append(place)
        drawn = _drawn(cells, things, sample) if sample is not None else {}
        return cls(things, {row.id: place for place, row in drawn.items()}, by_thing, drawn, sample)

    def row_of(self, row: LabelRow) -> int:
        """The number of the thing.

        Raises:
            InputError: it is not known, or the label could be about several models' answers.
        """
        if row.id:
            return self._by_id(row)
        thing = row.thing
        found = self.by_thing.get(thing, []) if thing is not None else []
        if len(found) == 1:
            return found[0]
        told = str(thing) if thing is not None else ""
        if found:
            raise InputError(f"{row.where}: {told} {self._several(found)}")
        raise InputError(f"{row.where}: {told} was not judged in these runs; {self._nearest(thing)}")

    def _several(self, found: Sequence[int]) -> str:
        """Why a name does not say which of several it is."""
        cells = [self.things[place].evaluation for place in found]
        models = sorted({cell.model for cell in cells})
        if len(models) < len(found):
            runs = ", ".join(dict.fromkeys(str(cell.run) for cell in cells))
            return f"was judged {len(found)} times ({runs}); name one of these runs."
        return (
            f"was answered {len(found)} times ({', '.join(models)}); label by the ids of a work list (mores agreement "
            "sample), or name one run."
        )

    def _by_id(self, row: LabelRow) -> int:
        if self.sample is None:
            raise InputError(f"{row.where}: the id '{row.id}' is of a work list; name its folder: --sample DIR.")
        if row.id in self.by_id:
            place = self.by_id[row.id]
            self._refuse_sorted_apart(row, self.drawn[place], self.sample)
            return place
        if any(row.id == drawn.id for drawn in self.sample.rows):
            raise InputError(
                f"{row.where}: '{row.id}' is about an answer that is not in these runs; name the runs of the sample."
            )
        raise InputError(f"{row.where}: the sample has no id '{row.id}'; expected one of its {len(self.sample.rows)}.")

    @staticmethod
    def _refuse_sorted_apart(row: LabelRow, drawn: Drawn, sample: Sample) -> None:
        """Refuse a row of a sheet whose id has come to stand beside another row's task or place."""
        for name, here, known in (
            ("task", row.task, {each.task for each in sample.rows}),
            ("place", row.place, {each.place for each in sample.rows}),
        ):
            was = getattr(drawn, name)
            if here in known - {"", was}:
                raise InputError(
                    f"{row.where}: {name} is '{here}', but '{row.id}' was drawn with '{was}'; "
                    "were the sheet's columns sorted apart?"
                )

    def _nearest(self, thing: JudgedUnit | None) -> str:
        tasks = sorted({each.thing.task for each in self.things})
        if thing is None or thing.task not in tasks:
            return f"tasks are {', '.join(tasks)}."
        items = [each.thing for each in self.things if each.thing.task == thing.task]
        alike = [each for each in items if each.item == thing.item]
        return f"of this {'item' if alike else 'task'} there is, for example, {(alike or items)[0]}."


def _drawn(cells: Sequence[Evaluation], things: Sequence[Judged], sample: Sample) -> dict[int, Drawn]:
    """The sample's rows by the number of the thing."""
    rows = {cell.folder: sample.rows_of(cell) for cell in cells}
    found = ((place, rows[each.evaluation.folder].get(each.thing)) for place, each in enumerate(things))
    return {place: row for place, row in found if row is not None}


def _refuse_twice(placed: Sequence[tuple[int, LabelRow]], things: Sequence[Judged]) -> None:
    """Refuse a second label of one thing by one person, from whatever file."""
    seen: dict[tuple[int, str], str] = {}
    for place, row in placed:
        before = seen.setdefault((place, row.annotator), row.where)
        if before != row.where:
            told = str(things[place].thing)
            raise InputError(
                f"{row.where}: a second label of {told} by '{row.annotator}' (first {before}); expected one."
            )


def _table(
    name: tuple[str, str], things: Sequence[Judged], placed: Iterable[tuple[int, LabelRow]], register: _Register
) -> TaskTable:
    places = [p for p, each in enumerate(things) if (each.evaluation.benchmark, each.thing.task) == name]
    number = {place: row for row, place in enumerate(places)}
    own = [(number[place], row) for place, row in placed if place in number]
    people = tuple(sorted({row.annotator for _, row in own}))
    options = tuple(dict.fromkeys(option for place in places for option in things[place].options))
    labels = np.full((len(places), len(people)), np.nan)
    for line, row in own:
        labels[line, people.index(row.annotator)] = _code(row, options)
    drawn = [register.drawn.get(place) for place in places]
    rows = tuple(things[place] for place in places)
    chances = None if register.sample is None else Chances.of(rows, drawn, register.sample)
    return TaskTable(
        benchmark=name[0],
        task=name[1],
        options=options,
        rows=rows,
        people=people,
        labels=labels,
        splits=np.array(["" if row is None else row.split for row in drawn], dtype=np.str_),
        ids=np.array(["" if row is None else row.id for row in drawn], dtype=np.str_),
        sample=register.sample,
        chances=None if chances is None else chances.drawn,
        among=None if chances is None else chances.among,
        likely=None if chances is None else chances.likely,
    )


def _code(row: LabelRow, options: tuple[str, ...]) -> float:
    if not options:
        return points_of(row)
    folded = {option.casefold(): code for code, option in enumerate(options)}
    if row.label.casefold() not in folded:
        raise InputError(f"{row.where}: label is '{row.label}'; expected one of {', '.join(options)}.")
    return float(folded[row.label.casefold()])


def refuse_mixed(table: TaskTable) -> None:
    """Nothing, if all rows were judged by the same judges in the same words, and no answer stands twice.

    Raises:
        InputError: a figure over them would be about no one judge.
    """
    first, *others = table.evaluations
    for other in others:
        if other.judges != first.judges:
            raise InputError(
                f"{table.name}: judged by {_told(first)} in {first.run} and by {_told(other)} in {other.run}; figures "
                "are of one judge: give runs that were judged alike, or one after another."
            )
    ways = _ways(table)
    if ways > 1 or len({bool(row.options) for row in table.rows}) > 1:
        runs = ", ".join(dict.fromkeys(str(each.run) for each in table.evaluations))
        raise InputError(
            f"{table.name}: judges were asked in {ways} different ways in {runs}; expected "
            "runs of one version and one scale, or one after another."
        )
    seen: dict[tuple[object, ...], Evaluation] = {}
    for row in table.rows:
        before = seen.setdefault((row.evaluation.model, row.thing), row.evaluation)
        if before is not row.evaluation:
            raise InputError(
                f"{row.thing} of {row.evaluation.model} stands in {before.run} and in {row.evaluation.run}; "
                "give one of them."
            )


def _ways(table: TaskTable) -> int:
    """In how many ways judges were asked; in one where no evaluation has words besides those of the fullest.

    One evaluation may ask by several prompts, as talks of two kinds are judged by two.
    """
    asked: dict[Path, set[str]] = {}
    for row in table.rows:
        asked.setdefault(row.evaluation.folder, set()).add(row.prompt)
    every: set[str] = set().union(*asked.values())
    return 1 if every in asked.values() else len(every)


def _told(evaluation: Evaluation) -> str:
    return ", ".join(evaluation.judges.values())
