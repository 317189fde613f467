"""Scores of dialogues: what judges decided, and what the dialogues show, each over its own place and kind.

A task's verdicts count where that task says: awareness at the place of the custom, the value at the place of the value.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec.structs import replace

from mores.analysis.aggregate import describe_dialogues
from mores.benchmarks.shapes.verdict_metrics import Points, VerdictMetric, labelled
from mores.core.arrays import Codes, Floats, Mask
from mores.core.estimate import CategoricalColumn, RowKeys
from mores.core.transcript import ItemMetadata
from mores.core.verdict_table import VerdictColumns, VerdictTable

SCENE = "scene"
"""Kind of group that tells which dialogues are on one scene, under several levels of pressure."""


class DialogueFigure(VerdictMetric, frozen=True, kw_only=True):
    """A figure of which each dialogue is a unit, also where several are on one scene.

    `of` is another way to attribute a verdict, such as the paper's. Where `among` is set, only the verdicts count whose
    fellow on that task, of the same dialogue, is worth 0 by its own points.
    """

    of: Callable[[ItemMetadata], ItemMetadata] | None = None
    among: str | None = None

    def counted(self, table: VerdictTable) -> VerdictColumns:
        """The verdicts that count."""
        frame = super().counted(table)
        return frame if self.among is None else frame.take(_among(table, self.among, frame))

    def keys(self, table: VerdictTable, things: Codes) -> RowKeys:
        """The keys of some dialogues; which scene each is of stays known."""
        if self.of is not None:
            keys = RowKeys.of([self.of(table.abouts[index]) for index in things])
        else:
            keys = table.keys.only(things)
        if len(keys.unit.names) == len(keys.item.names):
            return keys
        names = [f"{unit}@{item}" for unit, item in zip(keys.unit.texts(), keys.item.texts(), strict=True)]
        return replace(keys, unit=CategoricalColumn.of(names), groups={**keys.groups, SCENE: keys.unit})


def label_values(values: dict[str, float]) -> Points:
    """What each label is worth."""

    def points(table: VerdictTable, frame: VerdictColumns) -> Floats:
        found = np.full(len(frame.points), np.nan)
        for label, value in values.items():
            found[np.isfinite(frame.points) & (frame.label == table.code(label))] = value
        return found

    return points


def flagged(flag: str) -> Points:
    """1 where a flag is among those of the verdict's label."""

    def points(table: VerdictTable, frame: VerdictColumns) -> Floats:
        codes = [code for code, word in enumerate(table.words) if flag in word.split("|")]
        return np.where(np.isfinite(frame.points), np.isin(frame.label, codes).astype(float), np.nan)

    return points


def _among(table: VerdictTable, task: str, frame: VerdictColumns) -> Mask:
    """Which verdicts are of dialogues whose verdict on another task is worth nothing."""
    other, item = table.frame(task), table.keys.item.codes
    samples = 1 + max(int(each.sample.max(initial=0)) for each in (frame, other))
    lost, dialogue = (item[each.item] * samples + each.sample for each in (other.take(other.points == 0), frame))
    return np.isin(dialogue, lost)


FIGURES: dict[str, VerdictMetric] = {
    "behaviour": DialogueFigure(task="behaviour", top=3.0),
    "aware_unknowing": DialogueFigure(task="awareness", among="commonsense", derived=True),
    "rounds": DialogueFigure(task="rounds", top=20.0, aggregate=describe_dialogues),
    "closed": DialogueFigure(task="rounds", points=labelled("closing words"), derived=True),
    "flagged": DialogueFigure(task="flagged"),
    "format_error": DialogueFigure(task="flagged", points=flagged("empty")),
    "refusal": DialogueFigure(task="flagged", points=flagged("refusal")),
    "antagonist_flagged": DialogueFigure(task="antagonist_flagged"),
}
"""What every benchmark of dialogues may count beside what its judges decide."""
