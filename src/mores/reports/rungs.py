"""The norm ladder's rungs side by side, each corrected for what guessing would get; figures only, no claims.

A drop between rungs is a claim about norms, paired and corrected for their number; it is not made here.
"""

from dataclasses import dataclass, replace

from mores.core.estimate import Estimate
from mores.reports.findings import Finding, Findings

FAMILY = "ladder/"
ORDER = ("know", "judge", "explain", "apply", "converse", "live")
KINDS = ("domain", "place")
FEWEST = 8
"""Norms below which a group's figures stand without an interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One rung as it was run: its name, the share that guessing gets, and its cell."""

    name: str
    chance: float
    cell: Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One group of norms on each rung, in the order of the rungs; None where a rung has no figure of it.

    `kind` is empty for all norms together.
    """

    kind: str
    value: str
    figures: tuple[Estimate | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """One model on the rungs that were run, from the ground up, corrected for chance."""

    label: str
    rungs: tuple[Rung, ...]
    steps: tuple[Step, ...]


def ladders(findings: Findings) -> tuple[Ladder, ...]:
    """A ladder for each model that stood on at least two rungs."""
    found = []
    for label in findings.labels:
        rungs = _rungs(findings.of(label))
        if len(rungs) > 1:
            found.append(Ladder(label=label, rungs=rungs, steps=_steps(rungs)))
    return tuple(found)


def corrected(estimate: Estimate, chance: float) -> Estimate:
    """The figure as (s - g)/(1 - g): 0 for guessing, 1 for all right, below 0 for worse than guessing.

    Fewer than 8 norms: without an interval.
    """
    value, low, high = (_above(part, chance) for part in (estimate.value, estimate.low, estimate.high))
    if estimate.graded < FEWEST:
        why = f"too few norms: {estimate.graded}, at least {FEWEST} are needed"
        return replace(estimate, value=value, low=None, high=None, why=why)
    return replace(estimate, value=value, low=low, high=high)


def _above(share: float | None, chance: float) -> float | None:
    return None if share is None else (share - chance) / (1 - chance)


def _rungs(cells: tuple[Finding, ...]) -> tuple[Rung, ...]:
    by_name = {cell.benchmark.removeprefix(FAMILY): cell for cell in cells if cell.benchmark.startswith(FAMILY)}
    return tuple(
        Rung(name=name, chance=by_name[name].chance or 0.0, cell=by_name[name]) for name in ORDER if name in by_name
    )


def _steps(rungs: tuple[Rung, ...]) -> tuple[Step, ...]:
    steps = [Step(kind="", value="", figures=tuple(_corrected(rung, "", "") for rung in rungs))]
    for kind in KINDS:
        members = dict.fromkeys(value for rung in rungs for value in rung.cell.by(kind))
        steps += [
            Step(kind=kind, value=value, figures=tuple(_corrected(rung, kind, value) for rung in rungs))
            for value in members
        ]
    return tuple(steps)


def _corrected(rung: Rung, kind: str, value: str) -> Estimate | None:
    found = rung.cell.by(kind).get(value) if kind else rung.cell.whole()
    return None if found is None else corrected(found, rung.chance)
