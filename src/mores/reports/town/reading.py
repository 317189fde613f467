"""What runs say of days in town: the cells that have them, what they were played under, and what each day got.

cells ─▶ fields of cells that only their subject tells apart ─▶ days by unit, read once from verdicts where two cells
are held against each other.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mores.benchmarks.ledger import Ledger
from mores.benchmarks.liveculture.figures import READINGS
from mores.benchmarks.shapes.days.figures import day_points
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
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
        """Settings that are not the card's."""
        known = {option.name: option.default for option in self.cell.card.options} if self.cell.card else {}
        return {name: value for name, value in self.settings.items() if value != known.get(name)}

    def conditions(self, apart_from: str = "") -> tuple[object, ...]:
        """All but the subject that decides figures, and but for one setting where one is named."""
        made = self.cell.provenance
        others = sorted((role, spec) for role, spec in made.roles.items() if role != "subject")
        settings = sorted((name, value) for name, value in self.settings.items() if name != apart_from)
        version = made.card.version.partition("-")[0]
        return (self.cell.benchmark, version, tuple(others), tuple(settings), tuple(sorted(made.data.values())))


def lived_in_town(findings: Findings) -> tuple[Lived, ...]:
    """The cells of days in town."""
    return tuple(
        Lived(cell=cell) for cell in findings.cells if all(cell.whole(metric) is not None for metric in OF_DAYS)
    )


def figure_of(cell: Finding, metric: str) -> Estimate:
    """A figure over all days, or one that says that there is none."""
    return cell.whole(metric) or Estimate(metric=metric, value=None, asked=0, graded=0, why="not in this run")


def alike(lived: Iterable[Lived], apart_from: str = "") -> tuple[tuple[Lived, ...], ...]:
    """Cells that were played under the same conditions, together, in the order of the runs."""
    found: dict[tuple[object, ...], list[Lived]] = {}
    for each in lived:
        found.setdefault(each.conditions(apart_from), []).append(each)
    return tuple(tuple(group) for group in found.values())


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
    settings = [f"{name} {value}" for name, value in sorted(first.unusual.items())]
    others = [f"{role} {spec}" for role, spec in sorted(first.cell.provenance.roles.items()) if role != "subject"]
    return "; ".join((", ".join(settings) or "settings as published", ", ".join(others)))
