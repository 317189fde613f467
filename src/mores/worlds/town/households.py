"""Households of the published forms, filled with people whose ages allow it.

how many of each form ─▶ children and their parents, couples, siblings, groups ─▶ whoever is left lives alone. Each
step takes its people out of those still free, so everybody lives in one household. What cannot be filled, as in a
tiny town where nobody is old enough, is not made. Nothing here loops over people.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from msgspec import Struct, field

from mores.core.arrays import Integers, Mask
from mores.core.seeds import Seed
from mores.stats.rng import generator
from mores.worlds.town.census import CategorySampler, Census
from mores.worlds.town.people import ROLES, HouseholdRole, PersonPairs, together

ADULT = 18
"""Nobody younger is a parent or a spouse, and whoever is younger lives with parents first of all."""
PARENT_GAP = (16, 45)
"""Years that a parent is older than a child, at least and at most."""
SPOUSE_GAP = 12
SIBLING_GAP = 20
"""Years between two of a household, at most."""
_OLDEST_CHILD = 60
_LEAVING = 6.0
"""Years in which a grown child's chance to live with parents falls to 1/e."""
_SHARING = 12.0
"""Years in which an adult's chance to live in a group falls to 1/e."""
_MIXING = 4.0
"""Years by which siblings' ages are mixed, so that not all are twins in a large town."""


FREE, RESERVED, NOBODY = -1, -2, -1


class AgeRanges(NamedTuple):
    """Lowest and highest age of those who are looked for; a window that ends before it begins fits nobody."""

    low: Integers
    high: Integers

    def only(self, which: Mask) -> Self:
        """The same windows, of which only these fit anybody."""
        return self._replace(high=np.where(which, self.high, -1))

    def near(self, age: Integers, years: int) -> Self:
        """The same windows, cut to so many years around an age each."""
        return self._replace(low=np.maximum(self.low, age - years), high=np.minimum(self.high, age + years))


class HouseholdAssignment(NamedTuple):
    """Household and role (an index into ROLES) of each person, and the pairs that live together."""

    household: Integers
    role: Integers
    pairs: tuple[PersonPairs, ...]


class _Registry(Struct, kw_only=True):
    """Households of people so far: no household yet is FREE, and RESERVED if one is being made."""

    age: Integers
    household: Integers
    role: Integers
    households: int = 0
    pairs: list[PersonPairs] = field(default_factory=list)

    def free(self, among: Mask) -> Integers:
        """Those of some people who have no household, nor one in the making."""
        return np.flatnonzero(among & (self.household == FREE))

    def find(self, windows: AgeRanges, among: Mask, rng: np.random.Generator) -> Integers:
        """Somebody free for each window of ages, reserved from now on; NOBODY where none is left.

        Each waits for somebody near the middle of those of fitting age; of several who want the same person one is
        served, and the others look again among those who are left.
        """
        pool = rng.permutation(self.free(among))
        pool = pool[np.argsort(self.age[pool], kind="stable")]
        found = np.full(len(windows.low), NOBODY, dtype=np.int64)
        waiting = np.arange(len(found))
        while len(waiting):
            ages = self.age[pool]
            first = np.searchsorted(ages, windows.low[waiting], side="left")
            fitting = np.searchsorted(ages, windows.high[waiting], side="right") - first
            waiting, first, fitting = waiting[fitting > 0], first[fitting > 0], fitting[fitting > 0]
            # The mean of two even draws leans to the middle.
            middle = (rng.random(len(waiting)) + rng.random(len(waiting))) / 2
            wanted, served = np.unique(first + (middle * fitting).astype(np.int64), return_index=True)
            found[waiting[served]] = pool[wanted]
            waiting, pool = np.delete(waiting, served), np.delete(pool, wanted)
        self.household[found[found >= 0]] = RESERVED
        return found

    def settle(self, *who: tuple[Integers, Integers, HouseholdRole]) -> None:
        """Give new households to people: who, the number among the new ones of each, and their role."""
        begun = self.households
        for members, number, role in who:
            self.household[members] = begun + number
            self.role[members] = ROLES.index(role)
            self.households = max(self.households, begun + 1 + int(number.max(initial=-1)))


def form_households(age: Integers, gender: Integers, census: Census, seed: Seed) -> HouseholdAssignment:
    """A household for everybody.

    Args:
        age: Years of each person.
        gender: Index into the census's genders of each.
        census: Shares of the forms and sizes.
        seed: Dice.
    """
    sizes = _plan(len(age), census, seed.child("plan"))
    nowhere = np.full(len(age), FREE, dtype=np.int64)
    registry = _Registry(age=age, household=nowhere, role=np.zeros(len(age), dtype=np.int64))
    women = (gender == census.gender.words.index("female")) & (age >= ADULT)
    men = (gender == census.gender.words.index("male")) & (age >= ADULT)
    _families(
        registry, women, men, (sizes["couple with children"] - 2, sizes["one parent"] - 1), seed.child("families")
    )
    _couples(registry, women, men, len(sizes["couple"]), seed.child("couples"))
    _siblings(registry, women | men, sizes["siblings"], seed.child("siblings"))
    _groups(registry, sizes["group"], seed.child("groups"))
    alone = registry.free(age >= 0)
    registry.settle((alone, np.arange(len(alone)), "lone"))
    return HouseholdAssignment(registry.household, registry.role, tuple(registry.pairs))


def _plan(people: int, census: Census, seed: Seed) -> dict[str, Integers]:
    """Sizes of the households of each form, drawn one after the other until the next has too few people left."""
    draws = CategorySampler(seed)
    forms = draws.of(census.forms.parts, people, "forms")
    sizes = np.zeros(people, dtype=np.int64)
    for code, form in enumerate(census.forms.words):
        numbers, parts = census.sizes[form]
        here = forms == code
        drawn = draws.of(parts, int(here.sum()), form)
        sizes[here] = np.array(numbers, dtype=np.int64)[drawn]
    begun = np.cumsum(sizes) <= people
    return {form: sizes[begun & (forms == code)] for code, form in enumerate(census.forms.words)}


def _families(registry: _Registry, women: Mask, men: Mask, children_of: tuple[Integers, Integers], seed: Seed) -> None:
    """Children with a mother and a father of fitting ages, or with one parent.

    Args:
        registry: Where they are entered.
        women: Who may be a mother.
        men: Who may be a father.
        children_of: How many children each couple has, and each single parent.
        seed: Dice.
    """
    rng = generator(seed)
    mixed = rng.permutation(len(children_of[0]) + len(children_of[1]))
    children, family = _children(registry, np.concatenate(children_of)[mixed], rng)
    paired = mixed[: 1 + int(family.max(initial=-1))] < len(children_of[0])
    youngest, oldest = _ages(registry.age[children], family)
    windows = AgeRanges(oldest + PARENT_GAP[0], youngest + PARENT_GAP[1]).only(oldest - youngest <= SIBLING_GAP)
    mothers = registry.find(windows.only(paired), women, rng)
    with_one = windows.only(mothers >= 0).near(registry.age[mothers], SPOUSE_GAP)
    fathers = registry.find(with_one, men, rng)
    singles = registry.find(windows.only(~paired), women | men, rng)
    _enter_families(registry, (children, family), np.where(paired, mothers, singles), fathers)


def _children(registry: _Registry, sizes: Integers, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """Reserved children, the younger the likelier, and the number of the family of each; siblings are of like ages."""
    age = registry.age
    order = _eager(age, _LEAVING, rng)
    order = order[age[order] <= _OLDEST_CHILD]
    sizes = _filled(sizes, len(order))
    chosen = order[: sizes.sum()]
    registry.household[chosen] = RESERVED
    mixed = age[chosen] + rng.uniform(-_MIXING, _MIXING, len(chosen))
    return chosen[np.argsort(mixed)], np.repeat(np.arange(len(sizes)), sizes)


def _ages(ages: Integers, group: Integers) -> AgeRanges:
    """The youngest and the oldest of each group of people who stand in the order of their groups."""
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    if not len(starts):
        return AgeRanges(ages, ages)
    return AgeRanges(np.minimum.reduceat(ages, starts), np.maximum.reduceat(ages, starts))


def _enter_families(
    registry: _Registry, of_family: tuple[Integers, Integers], first: Integers, second: Integers
) -> None:
    """Enter the families that found a parent, with the second where there is one; children of others are free again."""
    has, both = first >= 0, second >= 0
    number = np.cumsum(has) - 1
    children, family = of_family
    registry.household[children[~has[family]]] = FREE
    children, family = children[has[family]], family[has[family]]
    registry.settle(
        (first[has], number[has], "parent"),
        (second[both], number[both], "parent"),
        (children, number[family], "child"),
    )
    with_both = both[family]
    registry.pairs += [
        PersonPairs(children, first[family], "parent"),
        PersonPairs(children[with_both], second[family][with_both], "parent"),
        PersonPairs(first[both], second[both], "spouse"),
        together(children, family, "sibling", int(np.bincount(family, minlength=1).max()) - 1),
    ]


def _couples(registry: _Registry, women: Mask, men: Mask, count: int, seed: Seed) -> None:
    """Couples without children at home."""
    rng = generator(seed)
    wives = rng.permutation(registry.free(women))[:count]
    windows = AgeRanges(registry.age[wives] - SPOUSE_GAP, registry.age[wives] + SPOUSE_GAP)
    husbands = registry.find(windows, men, rng)
    wives, husbands = wives[husbands >= 0], husbands[husbands >= 0]
    registry.settle((wives, np.arange(len(wives)), "spouse"), (husbands, np.arange(len(wives)), "spouse"))
    registry.pairs.append(PersonPairs(wives, husbands, "spouse"))


def _siblings(registry: _Registry, adults: Mask, sizes: Integers, seed: Seed) -> None:
    """Siblings of like ages who live together without parents."""
    rng = generator(seed)
    able = rng.permutation(registry.free(adults))
    sizes = _filled(sizes, len(able))
    chosen = able[: sizes.sum()]
    members = chosen[np.argsort(registry.age[chosen] + rng.uniform(-_MIXING, _MIXING, len(chosen)))]
    group = np.repeat(np.arange(len(sizes)), sizes)
    youngest, oldest = _ages(registry.age[members], group)
    close = oldest - youngest <= SIBLING_GAP
    members, group = members[close[group]], (np.cumsum(close) - 1)[group[close[group]]]
    registry.settle((members, group, "sibling"))
    registry.pairs.append(together(members, group, "sibling", int(sizes.max(initial=1)) - 1))


def _groups(registry: _Registry, sizes: Integers, seed: Seed) -> None:
    """People who share a home and are no relatives, the younger the likelier."""
    rng = generator(seed)
    able = _eager(registry.age, _SHARING, rng)
    able = able[registry.household[able] == FREE]
    sizes = _filled(sizes, len(able))
    members, group = rng.permutation(able[: sizes.sum()]), np.repeat(np.arange(len(sizes)), sizes)
    registry.settle((members, group, "housemate"))
    registry.pairs.append(together(members, group, "housemate", int(sizes.max(initial=1)) - 1))


def _eager(age: Integers, years: float, rng: np.random.Generator) -> Integers:
    """Everybody in a random order in which those who are no adults come first, and the older an adult the later.

    An adult's chance to come next falls to 1/e with so many years.
    """
    waits = rng.standard_exponential(len(age)) * np.exp((age - ADULT) / years)
    return np.argsort(np.where(age < ADULT, -waits, waits))


def _filled(sizes: Integers, people: int) -> Integers:
    """As many of the first sizes as there are people for."""
    return sizes[np.cumsum(sizes) <= people]
