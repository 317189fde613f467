"""What runs say of days in town: the cells that have them, what they were played under, and what each day got.

cells ─▶ groups of cells that only their subject tells apart, as `mores compare` has it ─▶ days by unit, read once from
verdicts where two cells are held against each other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mores.benchmarks.ledger import Ledger
from mores.benchmarks.liveculture.figures import READINGS
from mores.benchmarks.shapes.days.figures import day_points
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.reports.comparable import DRAWN, unlike
from mores.reports.findings import Finding, Findings

DICE = Seed("report").child("town")
GOAL, ADHERENCE, MEAN, APPLICABLE, ABSENT = (
    "goal", "adherence_step", "adherence_mean", "adherence_applicable", "not_applicable",
)  # fmt: skip
ON_TIME, FAITHFULNESS, CONTEXT, COHERENCE = "on_time", "faithfulness", "context", "coherence"
OF_DAYS = (GOAL, ADHERENCE, MEAN, APPLICABLE)
"""Metrics by which days in town are known."""
PAIRED = (ADHERENCE, GOAL)


@dataclass(frozen=True, kw_only=True)
class Lived:
    """One cell with its days; verdicts are read when they are first asked for, and once."""

    cell: Finding

    @cached_property
    def days(self) -> dict[str, dict[str, float]]:
        """What each day got, by metric and unit."""
        return {metric: day_points(self._ledger, READINGS[metric]) for metric in PAIRED}

    @cached_property
    def asked(self) -> frozenset[str]:
        """Whose days were lived, by unit, judged or not."""
        return frozenset(about.unit for about in self._ledger.abouts)

    @cached_property
    def _ledger(self) -> Ledger:
        tasks = {READINGS[metric].task for metric in PAIRED}
        return Ledger(verdict for verdict in self.cell.every_verdict() if verdict.task in tasks)

    @property
    def settings(self) -> dict[str, str]:
        """What the run left as it is or set otherwise."""
        return self.cell.provenance.protocol.settings

    @property
    def unusual(self) -> dict[str, str]:
        """In what the run departs from its card, judging included, by the name of each setting."""
        return {gone.setting: gone.used for gone in self.cell.provenance.departures}

    @property
    def rejudged(self) -> bool:
        """True where the days are those of an earlier run, and were judged again."""
        return self.cell.provenance.judged is not None

    def apart_from(self, other: "Lived", setting: str = "") -> str | None:
        """In what besides their subject two cells differ, as `mores compare` has it, one setting left out; or None."""
        if self.cell.benchmark != other.cell.benchmark:
            return f"{self.cell.run} has {self.cell.benchmark}, {other.cell.run} has {other.cell.benchmark}."
        one, two = (_without(each.cell, setting) for each in (self, other))
        return unlike(one, two, allow_other_data=False)


def _without(cell: Finding, setting: str) -> Finding:
    """A cell as if it had one setting as published; itself where none is named."""
    made = cell.provenance
    left = tuple(gone for gone in made.departures if gone.setting != setting)
    return replace(cell, provenance=replace(made, departures=left)) if left != made.departures else cell


def lived_in_town(findings: Findings) -> tuple[Lived, ...]:
    """The cells of days in town."""
    return tuple(
        Lived(cell=cell) for cell in findings.cells if all(cell.whole(metric) is not None for metric in OF_DAYS)
    )


def figure_of(cell: Finding, metric: str) -> Estimate:
    """A figure over all days, or one that says that there is none."""
    return cell.whole(metric) or Estimate(metric=metric, value=None, asked=0, graded=0, why="not in this run")


def alike(lived: Iterable[Lived], apart_from: str = "") -> tuple[tuple[Lived, ...], ...]:
    """Cells that may be held against each other, together, in the order of the runs; one setting may differ."""
    found: list[list[Lived]] = []
    for each in lived:
        own = next((group for group in found if group[0].apart_from(each, apart_from) is None), None)
        if own is None:
            found.append([each])
        else:
            own.append(each)
    return tuple(tuple(group) for group in found)


def why_apart(lived: Iterable[Lived]) -> tuple[str, ...]:
    """Why models do not stand in one picture: a line for each group, against the first before it of another model."""
    found, before = [], list[tuple[Lived, ...]]()
    for group in alike(lived):
        other = next((first for first in before if _several((*first, *group))), None)
        found.append(other[0].apart_from(group[0]) if other is not None else None)
        before.append(group)
    return tuple(why for why in found if why is not None)


def rivals_of(lived: Iterable[Lived]) -> tuple[tuple[Lived, ...], ...]:
    """Several models that lived the same days under the same conditions, together; who has no rival is left out."""
    found: list[tuple[Lived, ...]] = []
    for group in filter(_several, alike(lived)):
        by_days: dict[frozenset[str], list[Lived]] = {}
        for each in group:
            by_days.setdefault(each.asked, []).append(each)
        found += [tuple(together) for together in by_days.values() if _several(together)]
    return tuple(found)


def _several(group: Sequence[Lived]) -> bool:
    return len({each.cell.model for each in group}) > 1


def told_conditions(group: Sequence[Lived]) -> str:
    """What cells that are alike were played under, in words: settings of their own, and who else took part."""
    first = group[0]
    settings = [f"{name} {value}" for name, value in sorted(first.unusual.items()) if name != DRAWN]
    others = [f"{role} {spec}" for role, spec in sorted(first.cell.provenance.roles.items()) if role != "subject"]
    return "; ".join((", ".join(settings) or "settings as published", ", ".join(others)))
