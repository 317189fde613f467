"""Scores of dialogues: what judges decided, and what the dialogues show, each over its own place and kind.

A task's verdicts count where that task says: awareness at the place of the custom, the value at the place of the value.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.aggregate import describe_dialogues, mean
from mores.benchmarks.scoring import Measure
from mores.benchmarks.shapes.scoring import Source
from mores.core.arrays import Floats, Mask, np
from mores.core.item import ItemMetadata
from mores.core.scores import Column, Keys, Rows
from mores.core.verdict_table import Frame, VerdictTable

SCENE = "scene"
"""Kind of group that tells which dialogues are on one scene, under several levels of pressure."""
Points = Callable[[VerdictTable, Frame], Floats]
"""A figure's points of each verdict of a task, within 0 and the figure's top; NaN where ungraded."""


class Figure(Struct, frozen=True, kw_only=True):
    """One metric: the task whose verdicts it counts, what each is worth, and the most that one can be worth.

    `low` is the least; `of` is another way to attribute a verdict, such as the paper's. Where `among` is set, only the
    verdicts count whose fellow on that task, of the same dialogue, is worth 0 by its own points. `plain` figures
    describe the dialogues that were held and have no interval; `derived` ones are another view of a figure beside them.
    `only` says which dialogues count, where not all do: without any there is no figure.
    """

    task: str
    points: Points | None = None
    low: float = 0.0
    top: float = 1.0
    of: Callable[[ItemMetadata], ItemMetadata] | None = None
    among: str | None = None
    plain: bool = False
    derived: bool = False
    only: Callable[[ItemMetadata], bool] | None = None

    @property
    def measure(self) -> Measure[Source]:
        """How it is counted."""
        own = not self.derived and self.of is None and self.among is None
        return Measure(
            partial(_rows, self),
            describe_dialogues if self.plain else mean,
            is_mean=not self.plain,
            compared=own,
            tasks=(self.task,),
            by_value=self.points is not None,
        )


def labelled(*labels: str) -> Points:
    """1 where the verdict has one of the labels, 0 where it has another."""

    def points(table: VerdictTable, frame: Frame) -> Floats:
        codes = [table.code(label) for label in labels]
        return np.where(np.isfinite(frame.points), np.isin(frame.label, codes).astype(float), np.nan)

    return points


def worth(values: dict[str, float]) -> Points:
    """What each label is worth."""

    def points(table: VerdictTable, frame: Frame) -> Floats:
        found = np.full(len(frame.points), np.nan)
        for label, value in values.items():
            found[np.isfinite(frame.points) & (frame.label == table.code(label))] = value
        return found

    return points


def flagged(flag: str) -> Points:
    """1 where a flag is among those of the verdict's label."""

    def points(table: VerdictTable, frame: Frame) -> Floats:
        codes = [code for code, word in enumerate(table.words) if flag in word.split("|")]
        return np.where(np.isfinite(frame.points), np.isin(frame.label, codes).astype(float), np.nan)

    return points


def _rows(figure: Figure, source: Source) -> Rows | None:
    """A row a dialogue."""
    frame = source.table.frame(figure.task)
    if figure.only is not None:
        counts = np.array([figure.only(about) for about in source.table.abouts], dtype=np.bool_)
        frame = frame.take(counts[frame.item])
        if not len(frame.item):
            return None
    points = frame.points if figure.points is None else figure.points(source.table, frame)
    if figure.among is not None:
        kept = _among(source.table, figure.among, frame)
        frame, points = frame.take(kept), points[kept]
    things, of_row = np.unique(frame.item, return_inverse=True)
    keys = source.table.keys.only(things)
    if figure.of is not None:
        keys = Keys.of([figure.of(source.table.abouts[index]) for index in things])
    rows = _each_dialogue(keys).take(of_row, frame.sample.astype(np.int64))
    return Rows.within(figure.low, figure.top, keys=rows, value=points, task=figure.task)


def _each_dialogue(keys: Keys) -> Keys:
    """The same keys, each of the dialogues on one scene a unit of its own; which scene it is of stays known."""
    if len(keys.unit.names) == len(keys.item.names):
        return keys
    names = [f"{unit}@{item}" for unit, item in zip(keys.unit.texts(), keys.item.texts(), strict=True)]
    return replace(keys, unit=Column.of(names), groups={**keys.groups, SCENE: keys.unit})


def _among(table: VerdictTable, task: str, frame: Frame) -> Mask:
    """Which verdicts are of dialogues whose verdict on another task is worth nothing."""
    other, item = table.frame(task), table.keys.item.codes
    samples = 1 + max(int(each.sample.max(initial=0)) for each in (frame, other))
    lost, dialogue = (item[each.item] * samples + each.sample for each in (other.take(other.points == 0), frame))
    return np.isin(dialogue, lost)


FIGURES: dict[str, Figure] = {
    "behaviour": Figure(task="behaviour", top=3.0),
    "awareness": Figure(task="awareness"),
    "commonsense": Figure(task="commonsense"),
    "goal": Figure(task="goal"),
    "respected": Figure(task="respected"),
    "aware_unknowing": Figure(task="awareness", among="commonsense"),
    "rounds": Figure(task="rounds", top=20.0, plain=True),
    "closed": Figure(task="rounds", points=labelled("closing words"), derived=True),
    "flagged": Figure(task="flagged"),
    "format_error": Figure(task="flagged", points=flagged("empty")),
    "refusal": Figure(task="flagged", points=flagged("refusal")),
    "antagonist_flagged": Figure(task="antagonist_flagged"),
}
"""What every benchmark of dialogues may count."""
