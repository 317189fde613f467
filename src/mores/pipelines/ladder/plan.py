"""Labels, tone and harm of each norm's items, by a table, so that nothing about one item tells another.

The table is the one by which the bundled pack is written (docs/norms.md): over its ten rows no rung's label goes with
that of another rung, nor with how kind the actor seems.
"""

from typing import Literal

import msgspec

from mores.core.codec import digest
from mores.norms.items import SceneLabel

Tone = Literal["warm", "plain"]


class ScenePlan(msgspec.Struct, frozen=True, kw_only=True):
    """Plan of a scene: the label of the act in it, and the tone of whoever acts."""

    label: SceneLabel
    tone: Tone


class ItemPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Plan of a norm's items: two scenes to judge, one to explain, and a proposal that is harmless or not."""

    judge: tuple[ScenePlan, ScenePlan]
    explain: ScenePlan
    harmless: bool

    @property
    def scenes(self) -> tuple[ScenePlan, ScenePlan, ScenePlan]:
        """All three scenes."""
        return (*self.judge, self.explain)


def _row(row: str) -> ItemPlan:
    """A row as it is written: labels and tones of three scenes, and ! where the proposal is harmless."""
    labels: dict[str, SceneLabel] = {"y": "yes", "n": "no", "0": "neutral"}
    one, two, three = (
        ScenePlan(label=labels[mark[0]], tone="warm" if mark[1] == "w" else "plain") for mark in row.rstrip("!").split()
    )
    return ItemPlan(judge=(one, two), explain=three, harmless=row.endswith("!"))


ROWS = tuple(map(_row, (
    "yw np nw", "nw 0p yp!", "0w yw np", "np yp yw", "yp 0p yw!", "0w nw np", "yw nw np", "np yp nw!", "nw 0p yp",
    "yw 0w yp!",
)))  # fmt: skip


def plan_of(norm: str) -> ItemPlan:
    """The plan of a norm, by its id, so that it never hangs on which other norms there are."""
    return ROWS[int(digest(norm, length=8), 16) % len(ROWS)]
