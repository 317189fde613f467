"""Configuration of a day: its people and places, who is watched, what that person is after, and its limits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from mores.core.errors import InputError
from mores.worlds.town.actions import PlaceRole
from mores.worlds.town.people import Population, Resident
from mores.worlds.town.plans import DayPlan
from mores.worlds.town.streets import Location, Town


class Limits(Struct, frozen=True, kw_only=True):
    """Limits of a day: its steps, and how much a target perceives and says."""

    steps: int = 30
    nearby: int = 9
    utterances: int = 8
    contacts: int = 12

    def __post_init__(self) -> None:
        """All are at least 1.

        Raises:
            InputError: they are not.
        """
        if min(self.steps, self.nearby, self.utterances, self.contacts) < 1:
            raise InputError(f"{self}: expected at least 1 of each.")


class DayConfig(Struct, frozen=True, kw_only=True, dict=True, eq=False):
    """All that is fixed in a day: the people and where they are when nobody watches, the target, and its plan."""

    population: Population
    whereabouts: npt.NDArray[np.int16]
    target: int
    plan: DayPlan
    limits: Limits = field(default_factory=Limits)
    looked_up: dict[int, Resident] = field(default_factory=dict)

    @property
    def town(self) -> Town:
        """Its places and streets."""
        return self.population.town

    @cached_property
    def person(self) -> Resident:
        """The target."""
        return self.resident(self.target)

    def resident(self, person: int) -> Resident:
        """Somebody, looked up once in a day."""
        if person not in self.looked_up:
            self.looked_up[person] = self.population.resident(person)
        return self.looked_up[person]

    @cached_property
    def contacts(self) -> tuple[int, ...]:
        """People whom the target can phone, those it knows best first."""
        return tuple(tie.to for tie in self.person.phonebook)[: self.limits.contacts]

    @cached_property
    def known(self) -> Mapping[int, str]:
        """Kind of tie that people have to the target."""
        return {tie.to: tie.kind for tie in self.person.ties}

    def location(self, number: int) -> Location:
        """A place by its number."""
        return self.population.town.locations[number]


def place_role_of(person: Resident, place: Location) -> PlaceRole:
    """Role of somebody at a place."""
    if place.id == person.home:
        return "resident"
    if place.id == person.work:
        if person.status == "student":
            return "student"
        kitchen = place.kind == "restaurant" and any(word in (person.title or "").casefold() for word in _KITCHEN)
        return "cook" if kitchen else "staff"
    return "patient" if place.kind == "hospital" else "visitor"


_KITCHEN = ("chef", "cook", "dishwasher", "kitchen")
"""Words in the titles of those who work in a restaurant and serve nobody at the table."""
