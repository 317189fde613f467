"""Adherence and goal by where a resident comes from, by how many cultures it met, and by kind of place.

A group of fewer than eight days stands apart from the others and in no picture: no claim rests on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mores.core.estimate import Estimate
from mores.reports import wording
from mores.reports.findings import Finding
from mores.reports.town.front import Spot
from mores.reports.town.reading import ADHERENCE, GOAL, Lived
from mores.stats.intervals import FEWEST

NATIONALITY, CULTURES, LOCATION = "nationality", "cultures", "location"
_TITLES = {
    NATIONALITY: "By nationality of the resident",
    CULTURES: "By number of cultures met",
    LOCATION: "By kind of place",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One group with the figures of each cell, by metric; None where a cell has no such group."""

    kind: str
    value: str
    figures: tuple[dict[str, Estimate], ...]

    @property
    def name(self) -> str:
        """Its name; a nationality's in English."""
        return wording.group_name("place", self.value) if self.kind == NATIONALITY else self.value

    @property
    def enough(self) -> bool:
        """True where a cell has enough days for adherence or, where nothing is known of that, for what was done."""
        return any(enough(each.get(metric)) for each in self.figures for metric in (ADHERENCE, GOAL))


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """All groups of one kind, those with enough days first."""

    kind: str
    cells: tuple[Finding, ...]
    groups: tuple[Group, ...]

    @property
    def title(self) -> str:
        """Its heading."""
        return _TITLES[self.kind]

    @property
    def enough(self) -> tuple[Group, ...]:
        """Groups of which some cell has enough days."""
        return tuple(group for group in self.groups if group.enough)

    @property
    def few(self) -> tuple[Group, ...]:
        """Groups of too few days."""
        return tuple(group for group in self.groups if not group.enough)

    @property
    def has_goal(self) -> bool:
        """True where what was done is known by group; it is of a day, and not of one of its places."""
        return self.kind != LOCATION


def tables_of(lived: Sequence[Lived]) -> tuple[Table, ...]:
    """A table for each kind of group that the runs have."""
    cells = tuple(each.cell for each in lived)
    made = (Table(kind=kind, cells=cells, groups=_groups(cells, kind)) for kind in _TITLES)
    return tuple(table for table in made if table.groups)


def _groups(cells: Sequence[Finding], kind: str) -> tuple[Group, ...]:
    values = dict.fromkeys(value for cell in cells for metric in (ADHERENCE, GOAL) for value in cell.by(kind, metric))
    found = [
        Group(
            kind=kind,
            value=value,
            figures=tuple(
                {name: e for name in cell.metrics if (e := cell.by(kind, name).get(value)) is not None}
                for cell in cells
            ),
        )
        for value in values
    ]
    return tuple(sorted(found, key=lambda group: (group.name.casefold(), group.value)))


def enough(figure: Estimate | None) -> bool:
    """True where a figure rests on enough days; each is a cluster."""
    return figure is not None and figure.graded >= FEWEST


def spots_of(cell: Finding, table: Table) -> tuple[tuple[Spot, str], ...]:
    """The nationalities of one cell that have enough days for both figures, each with its code."""
    place = table.cells.index(cell)
    found = []
    for group in table.groups:
        goal, kept = (group.figures[place].get(metric) for metric in (GOAL, ADHERENCE))
        if goal is not None and kept is not None and enough(goal) and enough(kept):
            found.append((Spot(name=group.name, goal=goal, adherence=kept), group.value))
    return tuple(found)
