"""People's labels beside judges' words, task by task: the one table that every figure about judges is made from.

label rows ─▶ the things they are about, by work list or by name ─▶ a table for each task, a row for each thing judged,
labelled or not; labels that are about nothing, or outside the scale, are refused with their line.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct, structs
from msgspec.structs import replace

from mores.annotation.judged_items import JudgedEvaluation, JudgedItem, judged_evaluations, judged_things, of_tasks
from mores.annotation.register import InclusionProbabilities, Register
from mores.annotation.sample import Sample
from mores.benchmarks.label_columns import AS_NAMED, LabelColumns
from mores.benchmarks.label_rows import LabelRow, format_counts, points_of, read_labels
from mores.core.arrays import Floats, Mask, Strings
from mores.core.errors import InputError
from mores.core.estimate import pools

_Kind = TypeVar("_Kind", bound=np.generic)


def some(
    column: npt.NDArray[_Kind] | None, rows: npt.NDArray[np.bool_] | npt.NDArray[np.int64]
) -> npt.NDArray[_Kind] | None:
    """A column at some rows; None where there is no such column."""
    return None if column is None else column[rows]


def combined_judges(answers: Floats, options: tuple[str, ...]) -> Floats:
    """Combined label of several on each row: the majority of words, NaN at a tie; the mean of points; NaN for none."""
    if not options:
        given = np.isfinite(answers)
        total, count = np.where(given, answers, 0.0).sum(1), given.sum(1)
        return np.asarray(np.divide(total, count, out=np.full(len(answers), np.nan), where=count > 0))
    votes = np.stack([(answers == code).sum(1) for code in range(len(options))], axis=1)
    most = votes.max(1, initial=0)
    tied = (votes == most[:, None]).sum(1) > 1
    return np.where((most > 0) & ~tied, votes.argmax(1), np.nan)


class TaskTable(Struct, frozen=True, kw_only=True, dict=True):
    """One task of one benchmark over some evaluations: all that was judged, and who of the people said what of it.

    `labels` holds people's labels, a row a thing and a column a person, NaN for none: codes into `options`, or points
    where there are no options. Of the frozen `sample`, `splits` names the part that a row is in and `ids` its row on
    the work list, "" for none. `chances` are those by which rows of the sample were drawn, NaN for other rows; None
    without a sample. `among` is how many things each was drawn among, as one of them, and `likely` how likely
    each was to be drawn, up to a factor, also those that were not; None without a sample.
    """

    benchmark: str
    task: str
    options: tuple[str, ...]
    rows: tuple[JudgedItem, ...]
    people: tuple[str, ...]
    labels: Floats
    splits: Strings
    ids: Strings
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
    def sampling_weights(self) -> Floats | None:
        """Number of things each labelled row stands for, 1 on average, by the chance that it had to be drawn.

        None where all stand for as many, or where the chance of a label is not known.
        """
        if self.chances is None or not self.labelled.any() or np.isnan(self.chances[self.labelled]).any():
            return None
        # Rows that were not drawn have no chance; with the largest they stand for fewest, and no figure meets a NaN.
        each = 1 / np.where(np.isnan(self.chances), np.nanmax(self.chances), self.chances)
        own = each[self.labelled]
        # Weights that differ by rounding alone are equal, and figures are then unweighted to the last digit.
        return None if np.ptp(own) <= 1e-9 * own.max() else np.asarray(each / own.mean())

    @cached_property
    def judged(self) -> Floats:
        """Combined answer of the judges on each row: a code or points, NaN where there is nothing, or a tie."""
        return np.array([self._value(row.label, row.points) for row in self.rows], dtype=np.float64)

    @cached_property
    def truth(self) -> Floats:
        """Label of people on each row: the majority of words, NaN at a tie; the mean of points; NaN for none."""
        return combined_judges(self.labels, self.options)

    @cached_property
    def compared(self) -> Mask:
        """Rows with a word of the judges and one of people."""
        return np.isfinite(self.judged) & np.isfinite(self.truth)

    @cached_property
    def clusters(self) -> Strings:
        """Cluster of each row: the same scene, day or pool of norms, whichever model it was put to."""
        pool = pools(row.cluster for row in self.rows)
        return np.array([pool[row.cluster] for row in self.rows], dtype=np.str_)

    @cached_property
    def places(self) -> Strings:
        """The place of each row, "" for none."""
        return np.array([row.place for row in self.rows], dtype=np.str_)

    @cached_property
    def languages(self) -> Strings:
        """The language that each row was asked in."""
        return np.array([row.language for row in self.rows], dtype=np.str_)

    @cached_property
    def models(self) -> Strings:
        """The subject of each row."""
        return np.array([row.evaluation.model for row in self.rows], dtype=np.str_)

    @property
    def evaluations(self) -> tuple[JudgedEvaluation, ...]:
        """The evaluations that its rows are of, in their order."""
        return tuple({row.evaluation.folder: row.evaluation for row in self.rows}.values())

    @property
    def specs(self) -> Mapping[str, str]:
        """Judges of the first of them, by role."""
        return self.rows[0].evaluation.judges

    @cached_property
    def judges(self) -> tuple[str, ...]:
        """The roles that judged any of it."""
        return tuple(sorted({judge for row in self.rows for judge in row.votes}))

    def by(self, judge: str) -> Floats:
        """The first word of one judge on each row, as `judged`."""
        first = (next(iter(row.answers(judge)), None) for row in self.rows)
        return np.array([np.nan if one is None else self._value(one.label, one.points) for one in first])

    def draws(self, judge: str) -> Floats:
        """Every word of one judge on each row, in the order of its draws; NaN for what is unreadable or not there."""
        words = [[self._value(judged.label, judged.points) for judged in row.answers(judge)] for row in self.rows]
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
        # Cached properties are kept in the instance, from which they are taken over at the same rows.
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


_BY_ROW = ("labelled", "judged", "truth", "compared", "clusters", "places", "languages", "models")


def read_tables(
    runs: Sequence[Path], labels: Sequence[Path] = (), sample: Sample | None = None, *, tasks: Sequence[str] = (),
    columns: LabelColumns = AS_NAMED, noting: Callable[[str], None] | None = None,
) -> tuple[TaskTable, ...]:  # fmt: skip
    """The tables of all tasks of some runs, or of the tasks that labels are about where labels are given.

    `noting` is told, in one line, which labels were left out and which were matched though their codes had changed.

    Raises:
        InputError: a run, a file or a label cannot be used; the message names the line.
    """
    files = [read_labels(path, columns) for path in labels]
    cells = judged_evaluations(runs)
    things = [each for cell in cells for each in judged_things(cell)]
    wanted = of_tasks(things, tasks)
    register = Register.of(cells, things, sample)
    found = [(register.row_of(row), row) for file in files for row in file.rows]
    placed = [(place, row) for place, row in found if place is not None]
    _note(sum((file.left_out for file in files), Counter[str]()) + register.left_out, register.repaired, noting)
    _refuse_twice(placed, things)
    if not tasks:
        wanted = of_tasks(things, [things[place].thing.task for place, _ in placed])
    names = dict.fromkeys((each.evaluation.benchmark, each.thing.task) for each in wanted)
    return tuple(_table(name, things, placed, register) for name in names)


def _note(left_out: Counter[str], repaired: Counter[str], noting: Callable[[str], None] | None) -> None:
    text = [f"left out: {format_counts(left_out)}"] if left_out else []
    text += [f"matched: {format_counts(repaired)}"] if repaired else []
    if text and noting is not None:
        noting(f"Labels {'; '.join(text)}.")


def _refuse_twice(placed: Sequence[tuple[int, LabelRow]], things: Sequence[JudgedItem]) -> None:
    """Refuse a second label of one thing by one person, from whatever file."""
    seen: dict[tuple[int, str], str] = {}
    for place, row in placed:
        before = seen.setdefault((place, row.annotator), row.where)
        if before != row.where:
            text = str(things[place].thing)
            raise InputError(
                f"{row.where}: a second label of {text} by '{row.annotator}' (first {before}); expected one."
            )


def _table(
    name: tuple[str, str], things: Sequence[JudgedItem], placed: Iterable[tuple[int, LabelRow]], register: Register
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
    chances = None if register.sample is None else InclusionProbabilities.of(rows, drawn, register.sample)
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
                f"{table.name}: judged by {_describe_evaluation(first)} in {first.run} and by "
                f"{_describe_evaluation(other)} in {other.run}; figures are of one "
                "judge: give runs that were judged alike, or one after another."
            )
    ways = _ways(table)
    if ways > 1 or len({bool(row.options) for row in table.rows}) > 1:
        runs = ", ".join(dict.fromkeys(str(each.run) for each in table.evaluations))
        raise InputError(
            f"{table.name}: judges were asked in {ways} different ways in {runs}; expected "
            "runs of one version and one scale, or one after another."
        )
    seen: dict[tuple[object, ...], JudgedEvaluation] = {}
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


def _describe_evaluation(evaluation: JudgedEvaluation) -> str:
    return ", ".join(evaluation.judges.values())
