"""From how many places the others come: the census as it is, one culture for all, or so many.

A resident who already comes from one of the places keeps origin and name; the others get one of the places, with a
first name that residents from there have.
"""

from dataclasses import replace

import numpy as np

from mores.core.seeds import Seed
from mores.stats.rng import generator
from mores.worlds.town.people import Population, WordColumn


def from_places(population: Population, origin: str, count: int, seed: Seed) -> Population:
    """The same people from so many places: the origin, and others of the town that the seed chooses.

    Args:
        population: Its own places are those that can be chosen; all of them, where it has no more than `count`.
        origin: Always one of them.
        count: How many, the origin among them.
        seed: Dice.
    """
    others = [place for place in population.nationality.words if place != origin]
    ranked = sorted(others, key=lambda place: seed.child("place", place).uniform())
    places = (origin, *ranked[: count - 1])
    given = generator(seed.child("origins")).integers(0, len(places), len(population))
    kept = population.nationality.are(*places)
    nationality = [population.nationality[p] if kept[p] else places[given[p]] for p in range(len(population))]
    pools = _pools(population)
    draws = generator(seed.child("names")).random(len(population)).tolist()
    name = list(map(population.name.__getitem__, range(len(population))))
    for p in np.flatnonzero(~kept).tolist():
        pool = pools.get((nationality[p], population.gender[p])) or pools[nationality[p], ""]
        name[p] = pool[int(draws[p] * len(pool))]
    return replace(population, nationality=WordColumn.column(nationality), name=WordColumn.column(name))


def _pools(population: Population) -> dict[tuple[str, str], list[str]]:
    """First names by origin and gender, each as often as residents have it, and by origin alone."""
    found: dict[tuple[str, str], list[str]] = {}
    for person in range(len(population)):
        where, name = population.nationality[person], population.name[person]
        found.setdefault((where, population.gender[person]), []).append(name)
        found.setdefault((where, ""), []).append(name)
    return found
