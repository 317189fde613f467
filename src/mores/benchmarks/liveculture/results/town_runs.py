"""What runs say of days in town: the evaluations that have them, what they were played under, and what each day got.

results ─▶ groups of results that only the subject tells apart, as `mores compare` says ─▶ days by unit, read once from
verdicts where two evaluations are held against each other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan

import numpy as np
from msgspec import structs

from mores.analysis.compatibility import DRAWN, Mismatch, unlike
from mores.analysis.results import Result
from mores.analysis.units import units_of
from mores.benchmarks.liveculture.metrics import FIGURES
from mores.core.estimate import Estimate, Missing
from mores.core.seeds import Seed

DICE = Seed("report").child("town")
GOAL, ADHERENCE, MEAN, APPLICABLE, ABSENT = (
    "goal", "adherence_step", "adherence_mean", "adherence_applicable", "not_applicable",
)  # fmt: skip
ON_TIME, FAITHFULNESS, CONTEXT, COHERENCE = "on_time", "faithfulness", "context", "coherence"
PAIRED = (ADHERENCE, GOAL)
READINGS = (ADHERENCE, MEAN, APPLICABLE, ABSENT)
"""The three readings of adherence, and the share that tells the second from the third."""


@dataclass(frozen=True, kw_only=True)
class TownRun:
    """One evaluation with its days; verdicts are read when they are first asked for, and once."""

    evaluation: Result

    @cached_property
    def days(self) -> dict[str, dict[str, float]]:
        """What each day got, by metric and unit."""
        return {metric: self._points(metric) for metric in PAIRED}

    @cached_property
    def asked(self) -> frozenset[str]:
        """Whose days were lived, by unit, judged or not."""
        table = self.evaluation.verdict_table
        things = np.concatenate([table.frame(FIGURES[metric].task).item for metric in PAIRED])
        return frozenset(table.abouts[thing].unit for thing in np.unique(things).tolist())

    def _points(self, metric: str) -> dict[str, float]:
        """What each day got on one metric; one without a graded step is left out."""
        units = units_of(self.evaluation.scores[metric])
        named = zip(units.keys.unit.texts(), units.value.tolist(), strict=True)
        return {name: value for name, value in named if not isnan(value)}

    @property
    def settings(self) -> dict[str, str]:
        """What the run left as it is or set otherwise."""
        return self.evaluation.provenance.protocol.settings

    @property
    def unusual(self) -> dict[str, str]:
        """In what the run departs from its card, judging included, by the name of each setting."""
        return {gone.setting: gone.used for gone in self.evaluation.provenance.departures}

    @property
    def rejudged(self) -> bool:
        """True where the days are those of an earlier run, and were judged again."""
        return self.evaluation.provenance.judged is not None

    def mismatch_with(self, other: "TownRun", setting: str = "") -> Mismatch | None:
        """In what besides their subject two results differ, as `mores compare` says, one setting left out; or None."""
        if self.evaluation.benchmark != other.evaluation.benchmark:
            return Mismatch("benchmark", self.evaluation, other.evaluation, {}, {})
        one, two = (_without(each.evaluation, setting) for each in (self, other))
        return unlike(one, two, allow_other_data=False)


def _without(evaluation: Result, setting: str) -> Result:
    """An evaluation as if it had one setting as published; itself where none is named."""
    made = evaluation.provenance
    left = tuple(gone for gone in made.departures if gone.setting != setting)
    return (
        structs.replace(evaluation, provenance=structs.replace(made, departures=left))
        if left != made.departures
        else evaluation
    )


def figure_of(evaluation: Result, metric: str) -> Estimate:
    """A figure over all days, or one that says that there is none."""
    return evaluation.whole(metric) or Estimate(
        metric=metric, value=None, asked=0, graded=0, missing=Missing(code="not_in_this_run")
    )


def alike(lived: Iterable[TownRun], apart_from: str = "") -> tuple[tuple[TownRun, ...], ...]:
    """Cells that may be held against each other, together, in the order of the runs; one setting may differ."""
    found: list[list[TownRun]] = []
    for each in lived:
        own = next((group for group in found if group[0].mismatch_with(each, apart_from) is None), None)
        if own is None:
            found.append([each])
        else:
            own.append(each)
    return tuple(tuple(group) for group in found)


def mismatches(lived: Iterable[TownRun]) -> tuple[Mismatch, ...]:
    """Why models do not stand in one picture: one for each group, against the first before it of another model."""
    found, before = [], list[tuple[TownRun, ...]]()
    for group in alike(lived):
        other = next((first for first in before if _several((*first, *group))), None)
        found.append(other[0].mismatch_with(group[0]) if other is not None else None)
        before.append(group)
    return tuple(why for why in found if why is not None)


def rivals_of(lived: Iterable[TownRun]) -> tuple[tuple[TownRun, ...], ...]:
    """Several models that lived the same days under the same conditions, together; who has no rival is left out."""
    found: list[tuple[TownRun, ...]] = []
    for group in filter(_several, alike(lived)):
        by_days: dict[frozenset[str], list[TownRun]] = {}
        for each in group:
            by_days.setdefault(each.asked, []).append(each)
        found += [tuple(together) for together in by_days.values() if _several(together)]
    return tuple(found)


def _several(group: Sequence[TownRun]) -> bool:
    return len({each.evaluation.model for each in group}) > 1


def describe_conditions(group: Sequence[TownRun]) -> str:
    """What evaluations that are alike were played under, in words: settings of their own, and who else took part."""
    first = group[0]
    settings = [f"{name} {value}" for name, value in sorted(first.unusual.items()) if name != DRAWN]
    others = [f"{role} {spec}" for role, spec in sorted(first.evaluation.provenance.roles.items()) if role != "subject"]
    return "; ".join((", ".join(settings) or "settings as published", ", ".join(others)))
