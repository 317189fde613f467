"""The rungs that a model stood on, from the ground up, and its figures there, corrected for what guessing would get."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mores.core.estimate import Estimate
from mores.reports.findings import Finding, Findings
from mores.stats.intervals import FEWEST

FAMILY = "ladder/"
ORDER = ("know", "judge", "explain", "apply", "converse", "live")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One rung as it was run: its name, the share that guessing gets, and its cell."""

    name: str
    chance: float
    cell: Finding

    @property
    def judged(self) -> bool:
        """True where a judge had a part in its figures."""
        return bool(self.cell.judges)

    def above(self, share: float) -> float:
        """A share as (s - g)/(1 - g): 0 for guessing, 1 for all right, below 0 for worse than guessing."""
        return (share - self.chance) / (1 - self.chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Climb:
    """One model with its rungs from the ground up; `label` is its name, with its run where it did a rung twice."""

    label: str
    rungs: tuple[Rung, ...]

    @property
    def simulated(self) -> bool:
        """True where answers or judges were made up."""
        return any(rung.cell.simulated for rung in self.rungs)

    def skipped(self, before: str, after: str) -> tuple[str, ...]:
        """Rungs between two that were not run."""
        return ORDER[ORDER.index(before) + 1 : ORDER.index(after)]


def climbs(findings: Findings) -> tuple[Climb, ...]:
    """Each model that stood on at least two rungs, in one run or in several of which each brings other rungs."""
    ours = [cell for cell in findings.cells if cell.benchmark in {FAMILY + name for name in ORDER}]
    found = []
    for model in dict.fromkeys(cell.model for cell in ours):
        mine = [cell for cell in ours if cell.model == model]
        if len({cell.benchmark for cell in mine}) == len(mine):
            found.append(Climb(label=model, rungs=_rungs(mine)))
        else:
            labels = dict.fromkeys(cell.label for cell in mine)
            found += [Climb(label=each, rungs=_rungs([c for c in mine if c.label == each])) for each in labels]
    return tuple(climb for climb in found if len(climb.rungs) > 1)


def corrected(estimate: Estimate, rung: Rung) -> Estimate:
    """A figure of a rung above what guessing gets there; fewer than 8 norms: without an interval."""
    ends = (estimate.value, estimate.low, estimate.high)
    value, low, high = (None if end is None else rung.above(end) for end in ends)
    if estimate.graded < FEWEST:
        return replace(estimate, value=value, low=None, high=None, why=too_few_norms(estimate.graded))
    return replace(estimate, value=value, low=low, high=high)


def above_guessing(figure: Estimate | None) -> bool:
    """True where a corrected figure lies above 0, its interval too; without a figure nothing speaks against it."""
    if figure is None or figure.value is None:
        return True
    return (figure.value if figure.low is None else figure.low) > 0


def too_few_norms(norms: int) -> str:
    """Why so few norms have no interval and bear no claim."""
    return f"too few norms: {norms}, at least {FEWEST} are needed"


def _rungs(cells: Sequence[Finding]) -> tuple[Rung, ...]:
    by_name = {cell.benchmark.removeprefix(FAMILY): cell for cell in cells}
    return tuple(Rung(name=name, chance=cell.chance or 0.0, cell=cell) for name in ORDER if (cell := by_name.get(name)))
