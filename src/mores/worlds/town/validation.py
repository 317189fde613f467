"""What must hold of any population, sampled or written by hand, looked over when it comes in by the door."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple, get_args

import numpy as np

from mores.core.arrays import Mask
from mores.norms.places import places
from mores.stats.checks import IntArray
from mores.worlds.town.people import MIRROR, NOWHERE, ROLES, STATUSES, TIE_KINDS, Gender, Population, Ties, WordColumn
from mores.worlds.town.streets import KINDS

OLDEST = 120


class PopulationFault(NamedTuple):
    """The first resident of whom something cannot be, and what that is."""

    resident: int
    why: str


def fault_of(population: Population) -> PopulationFault | None:
    """What is wrong with a population; None: nothing is."""
    for wrong, why in chain(_persons(population), _places(population), _ties(population)):
        if wrong.any():
            return PopulationFault(int(wrong.argmax()), why)
    return None


def _persons(population: Population) -> Iterator[tuple[Mask, str]]:
    known: dict[str, tuple[WordColumn, tuple[str, ...]]] = {
        "gender": (population.gender, get_args(Gender)),
        "status": (population.status, STATUSES),
        "role": (population.role, ROLES),
        "nationality": (population.nationality, tuple(place.id for place in places())),
    }
    for name, (column, words) in known.items():
        yield ~column.are(*words), f"{name} is none that is known, such as '{words[0]}'"
    yield population.name.are(""), "name is empty"
    for name, column in (("name", population.name), ("title", population.title)):
        broken = (word for word in column.words if not word.isprintable())
        yield column.are(*broken), f"{name} has a line break or another sign that cannot be read"
    yield (population.age < 0) | (population.age > OLDEST), f"age is not from 0 to {OLDEST}"
    works = population.status.are("employed")
    for name, column in (("occupation", population.occupation), ("title", population.title)):
        yield works & column.are(""), f"{name} is missing; the employed have one"
        yield ~works & ~column.are(""), f"{name} is given; only the employed have one"


def _places(population: Population) -> Iterator[tuple[Mask, str]]:
    """Homes and workplaces; each rule may rely on those before it."""
    town, home, work = population.town, population.home, population.work
    kinds = np.array([KINDS.index(location.kind) for location in town.locations], dtype=np.int64)
    yield (home < 0) | (home >= len(kinds)), "home is no location of the town"
    yield kinds[home] != KINDS.index("apartment"), "home is no apartment"
    household = population.household
    yield (household < 0) | (household >= len(household)), f"household is not from 0 to {len(household) - 1}"
    _, first, which = np.unique(household, return_index=True, return_inverse=True)
    yield home != home[first[which]], "home is not that of the household's others"
    yield (work < NOWHERE) | (work >= len(kinds)), "work is no location of the town"
    goes = population.status.are("employed", "student")
    yield goes & (work == NOWHERE), "work is missing; the employed and students have a place to go to"
    yield ~goes & (work != NOWHERE), "work is given; only the employed and students have a place to go to"
    learns = population.status.are("student")
    yield learns & (kinds[work] != KINDS.index("school")), "work is no school; students go to one"


def _ties(population: Population) -> Iterator[tuple[Mask, str]]:
    """Ties that lead to others and back; each rule may rely on those before it."""
    ties, people = population.ties, len(population)

    def of_people(edges: Mask) -> Mask:
        return np.bincount(np.clip(ties.source[edges], 0, people - 1), minlength=people) > 0

    source, target = ties.source.astype(np.int64), ties.target.astype(np.int64)
    astray = (target < 0) | (target >= people) | (source < 0) | (source >= people)
    yield of_people(astray), f"a tie leads to nobody; ids are from 0 to {people - 1}"
    yield of_people(source == target), "a tie leads to themselves"
    yield of_people(~ties.kind.are(*TIE_KINDS)), f"a tie is of no known kind, such as '{TIE_KINDS[0]}'"
    ends = source * people + target
    again = np.zeros(len(ends), dtype=np.bool_)
    np.less_equal(ends[1:], ends[:-1], out=again[1:])
    yield of_people(again), "ties to one person are two, or not in the order of ids"
    yield of_people(_one_sided(ties, ends, target * people + source)), "a tie is not returned as what it is from there"


def _one_sided(ties: Ties, there: IntArray, back: IntArray) -> Mask:
    """Of each tie, whether its mirror is missing."""
    codes = {kind: code for code, kind in enumerate(TIE_KINDS)}
    kinds = sorted(kind for kind in TIE_KINDS if kind in ties.kind.words)
    forth = np.array([codes[kind] for kind in kinds], dtype=np.int64)[ties.kind.codes]
    mirrored = np.array([codes[MIRROR[kind]] for kind in kinds], dtype=np.int64)[ties.kind.codes]
    edges, returned = there * len(codes) + forth, np.sort(back * len(codes) + mirrored)
    if np.array_equal(edges, returned):
        return np.zeros(len(edges), dtype=np.bool_)
    nearest = np.minimum(np.searchsorted(returned, edges), len(returned) - 1)
    return np.asarray(returned[nearest] != edges, dtype=np.bool_)
