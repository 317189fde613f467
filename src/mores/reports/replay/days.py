"""What a replay is made of: one town and target, and one day or several, each lived by another model.

All days of a replay share people, places and where everybody is by the schedule; what differs is the target's own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from mores.core.day import Checked, DayBegan, DayEnded, Did, Said, StepBegan
from mores.core.errors import InputError
from mores.core.transcript import Event, Failed
from mores.core.verdict import Verdict
from mores.norms.places import place as known_place
from mores.worlds.town.day import STEP, TALK
from mores.worlds.town.people import Population, Resident
from mores.worlds.town.streets import Location

MOST_PEOPLE = 3000
"""Residents that a map draws; of larger towns it draws those whom the target could meet, and others evenly."""

_Kind = TypeVar("_Kind", Checked, DayBegan, DayEnded, Did, Said, StepBegan, Failed)


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What all days of a replay share: the people, where each is at each half hour, and whose day it is."""

    population: Population
    whereabouts: npt.NDArray[np.int16]
    target: int

    @cached_property
    def person(self) -> Resident:
        """The target."""
        return self.population.resident(self.target)

    @cached_property
    def ties(self) -> Mapping[int, str]:
        """What people are to the target."""
        return {tie.to: tie.kind for tie in self.person.ties}

    def name(self, person: int) -> str:
        """Somebody's name; that of a number which nobody has, too, as models name such."""
        return self.population.name[person] if 0 <= person < len(self.population) else f"nobody ({person})"

    def location(self, number: int) -> Location:
        """A place by its number."""
        return self.population.town.locations[number]


@dataclass(frozen=True, kw_only=True)
class Played:
    """One day as a run holds it: who lived it, its log, and the verdicts on it.

    `roles` says who played whom and who judged, `norms` are those of the target's origin by kind of place, statements
    by id. `rejudged` is True where verdicts come from another verifier than the one that was asked during the day.
    """

    label: str
    benchmark: str
    simulated: bool
    item: str
    sample: int
    events: tuple[Event, ...]
    verdicts: tuple[Verdict, ...]
    norms: Mapping[str, Mapping[str, str]]
    roles: Mapping[str, str] = field(default_factory=dict)
    rejudged: bool = False

    def each(self, kind: type[_Kind]) -> tuple[_Kind, ...]:
        """The events of one kind, in order."""
        return tuple(event for event in self.events if isinstance(event, kind))

    @cached_property
    def began(self) -> DayBegan:
        """How the day began.

        Raises:
            InputError: the log is no day's.
        """
        found = self.each(DayBegan)
        if not found:
            raise InputError(f"{self.item} of {self.label}: the log has no beginning of a day; expected a day in town.")
        return found[0]

    @cached_property
    def until(self) -> int:
        """The minute at which the log ends: that of the day's end, else of the last step's."""
        ended, steps = self.each(DayEnded), self.each(StepBegan)
        if ended:
            return ended[0].minute
        if not steps:
            return self.began.minute
        talked = any(said.step == steps[-1].step for said in self.each(Said))
        return steps[-1].minute + (TALK if talked else STEP)


@dataclass(frozen=True, kw_only=True)
class Replay:
    """One or several days of one target in one town.

    Raises:
        InputError: there is no day, or one is another person's.
    """

    scene: Scene
    days: tuple[Played, ...]

    def __post_init__(self) -> None:
        """Look the days over."""
        if not self.days:
            raise InputError("A replay of no day; expected at least one.")
        for day in self.days:
            if day.began.target != self.scene.target:
                raise InputError(
                    f"{day.item} of {day.label}: the day of resident {day.began.target}; expected one of "
                    f"{self.scene.target}, as all days of a replay are one person's."
                )

    @property
    def simulated(self) -> bool:
        """True where any reply was made up."""
        return any(day.simulated for day in self.days)

    @cached_property
    def drawn(self) -> tuple[int, ...]:
        """The residents that the map draws, by number: all, or in a large town those near the target and some more."""
        size = len(self.scene.population)
        if size <= MOST_PEOPLE:
            return tuple(range(size))
        near = {self.scene.target, *self.scene.ties}
        for day in self.days:
            near |= {person for step in day.each(StepBegan) for person in step.present}
            near |= {said.who for said in day.each(Said)}
        rest = np.linspace(0, size - 1, MOST_PEOPLE, dtype=np.int64).tolist()
        kept = dict.fromkeys([*sorted(p for p in near if 0 <= p < size), *rest])
        return tuple(sorted(list(kept)[:MOST_PEOPLE]))


def origin_of(nationality: str) -> str:
    """Where somebody is from, in words."""
    return known_place(nationality).name
