"""Adherence and goal by where a resident comes from, by how many cultures it met, and by kind of place.

A group of fewer than eight days stands apart from the others and in no picture: no claim rests on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mores.analysis.results import Result
from mores.benchmarks.liveculture.results.pareto import FrontPoint
from mores.benchmarks.liveculture.results.town_runs import ADHERENCE, GOAL, TownRun
from mores.core.estimate import Estimate
from mores.stats.intervals import MIN_CLUSTERS
from mores.tables.formatting import group_name

NATIONALITY, CULTURES, LOCATION = "nationality", "cultures", "location"
KINDS = (NATIONALITY, CULTURES, LOCATION)


def name_of(kind: str, value: str) -> str:
    """A group's name; a nationality's in English."""
    return group_name("place", value) if kind == NATIONALITY else value


@dataclass(frozen=True, slots=True, kw_only=True)
class TownGroup:
    """One group with the figures of each evaluation, by metric; None where an evaluation has no such group."""

    kind: str
    value: str
    figures: tuple[dict[str, Estimate], ...]

    @property
    def name(self) -> str:
        """Its name; a nationality's in English."""
        return name_of(self.kind, self.value)

    @property
    def enough(self) -> bool:
        """True where a result has enough days for adherence or, where nothing is known of that, for what was done."""
        return any(enough(each.get(metric)) for each in self.figures for metric in (ADHERENCE, GOAL))


@dataclass(frozen=True, slots=True, kw_only=True)
class TownGroupTable:
    """All groups of one kind, those with enough days first."""

    kind: str
    evaluations: tuple[Result, ...]
    groups: tuple[TownGroup, ...]

    @property
    def enough(self) -> tuple[TownGroup, ...]:
        """Groups of which some evaluation has enough days."""
        return tuple(group for group in self.groups if group.enough)

    @property
    def few(self) -> tuple[TownGroup, ...]:
        """Groups of too few days."""
        return tuple(group for group in self.groups if not group.enough)

    @property
    def has_goal(self) -> bool:
        """True where what was done is known by group; it is of a day, and not of one of its places."""
        return self.kind != LOCATION


def tables_of(lived: Sequence[TownRun]) -> tuple[TownGroupTable, ...]:
    """A table for each kind of group that the runs have."""
    evaluations = tuple(each.evaluation for each in lived)
    made = (TownGroupTable(kind=kind, evaluations=evaluations, groups=_groups(evaluations, kind)) for kind in KINDS)
    return tuple(table for table in made if table.groups)


def _groups(evaluations: Sequence[Result], kind: str) -> tuple[TownGroup, ...]:
    values = dict.fromkeys(
        value for evaluation in evaluations for metric in (ADHERENCE, GOAL) for value in evaluation.by(kind, metric)
    )
    found = [
        TownGroup(
            kind=kind,
            value=value,
            figures=tuple(
                {name: e for name in evaluation.metrics if (e := evaluation.by(kind, name).get(value)) is not None}
                for evaluation in evaluations
            ),
        )
        for value in values
    ]
    return tuple(sorted(found, key=lambda group: (group.name.casefold(), group.value)))


def enough(figure: Estimate | None) -> bool:
    """True where a figure rests on enough days; each is a cluster."""
    return figure is not None and figure.graded >= MIN_CLUSTERS


def spots_of(evaluation: Result, table: TownGroupTable) -> tuple[tuple[FrontPoint, str], ...]:
    """The nationalities of one evaluation that have enough days for both figures, each with its code."""
    place = table.evaluations.index(evaluation)
    found = []
    for group in table.groups:
        goal, kept = (group.figures[place].get(metric) for metric in (GOAL, ADHERENCE))
        if goal is not None and kept is not None and enough(goal) and enough(kept):
            found.append((FrontPoint(name=group.name, goal=goal, adherence=kept), group.value))
    return tuple(found)
