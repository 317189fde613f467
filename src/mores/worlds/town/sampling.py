"""Sampling the people of a town.

shares of a census ─▶ what each person is ─▶ who lives with whom ─▶ who knows whom ─▶ Population. Age, gender,
nationality and occupation are drawn apart from one another, as in LiveCultureBench (appendix A.1), within a household
too. Time and memory grow with the number of people and no faster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from msgspec import Struct

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.checks import FloatArray, IntArray
from mores.stats.rng import generator
from mores.worlds.town.category_sampling import SAMPLERS, CategorySampler, Sampler
from mores.worlds.town.census import Census, census
from mores.worlds.town.households import form_households
from mores.worlds.town.jobs import NONE, find_jobs, job_ties
from mores.worlds.town.people import ROLES, STATUSES, Population, PopulationOrigin, WordColumn
from mores.worlds.town.streets import KINDS, Town
from mores.worlds.town.tie_rules import FRIENDS, STRANGERS, by_chance, next_door, ties_of

MOST = 10_000_000
"""The most people of one town, which still fit into a machine's memory."""
LEARNING = (15, 24)
RETIRED = 65


class SamplingSettings(Struct, frozen=True, kw_only=True):
    """What of the sampling one may choose, as shares from 0 to 1.

    Attributes:
        employment: How many are employed of those who are below 65 and no students.
        study: How many of those aged 15 to 24 are students.
    """

    employment: float = 0.65
    study: float = 0.45

    def __post_init__(self) -> None:
        """Both are shares.

        Raises:
            InputError: one is not.
        """
        for name, share in (("employment", self.employment), ("study", self.study)):
            if not 0 <= share <= 1:
                raise InputError(f"{name} is {share}; expected a share from 0 to 1.")


class _Traits(NamedTuple):
    """Who each person is, as numbers of the census's words; names are numbered through all places."""

    age: IntArray
    gender: IntArray
    nationality: IntArray
    name: IntArray
    status: IntArray


def sample_population(
    size: int, seed: Seed, *, town: Town, sampler: Sampler = "iid", settings: SamplingSettings | None = None
) -> Population:
    """So many people of a town, with homes, households, work and ties; the same for the same arguments.

    Args:
        size: How many.
        seed: Dice.
        town: Where they live; it has at least one location of each kind.
        sampler: `iid` draws the age bin, gender, nationality and occupation of each person on its own; `quota` has
            exactly as many of each as its share asks for, to the nearest whole person.
        settings: Shares that the census does not give; None: the usual ones.

    Raises:
        InputError: the size, the sampler or the town cannot be used.
    """
    _check(size, sampler, town)
    tables, settings, draws = census(), settings or SamplingSettings(), CategorySampler(seed, sampler)
    traits = _traits(size, tables, settings, draws)
    jobs = find_jobs(traits.age, traits.status, tables, town, draws)
    homes = form_households(traits.age, traits.gender, tables, seed.child("households"))
    home = _addresses(homes.household, town, seed.child("addresses"))
    acquaintances = [
        by_chance(size, "friend", FRIENDS, seed.child("friends")),
        next_door(home, seed.child("neighbours")),
        by_chance(size, "stranger", STRANGERS, seed.child("strangers")),
    ]
    return Population(
        town=town,
        origin=PopulationOrigin(sampler=sampler, seed=seed.path, employment=settings.employment, study=settings.study),
        age=traits.age.astype(np.int32),
        household=homes.household.astype(np.int32),
        home=home.astype(np.int32),
        work=jobs.work.astype(np.int32),
        name=WordColumn.of([name for place in tables.names for names in place for name in names], traits.name),
        gender=WordColumn.of(tables.gender.words, traits.gender),
        nationality=WordColumn.of(tables.nationality.words, traits.nationality),
        status=WordColumn.of(STATUSES, traits.status),
        occupation=WordColumn.of(["", *tables.occupation.words], jobs.occupation - NONE),
        title=WordColumn.of(["", *(title.words for title in tables.titles)], jobs.title - NONE),
        role=WordColumn.of(ROLES, homes.role),
        ties=ties_of([*homes.pairs, *job_ties(jobs, tables.titles, seed.child("jobs")), *acquaintances]),
    )


def _check(size: int, sampler: str, town: Town) -> None:
    if not 1 <= size <= MOST:
        raise InputError(f"size is {size}; expected a number of people from 1 to {MOST}.")
    if sampler not in SAMPLERS:
        raise InputError(f"sampler is '{sampler}'; expected {' or '.join(SAMPLERS)}.")
    missing = [kind for kind in KINDS if not town.of_kind(kind)]
    if missing:
        raise InputError(f"The town has no {', '.join(missing)}; expected at least one location of each kind.")


def _traits(size: int, tables: Census, settings: SamplingSettings, draws: CategorySampler) -> _Traits:
    ends = tables.ages[draws.of(tables.age.parts, size, "age bin")]
    age = ends[:, 0] + draws.below(ends[:, 1] - ends[:, 0] + 1, "age")
    gender = draws.of(tables.gender.parts, size, "gender")
    nationality = draws.of(tables.nationality.parts, size, "nationality")
    count = np.array([[len(names) for names in of_place] for of_place in tables.names], dtype=np.int64)
    first = (np.cumsum(count.ravel()) - count.ravel()).reshape(count.shape)
    name = first[nationality, gender] + draws.below(count[nationality, gender], "name")
    return _Traits(age, gender, nationality, name, _status(age, settings, draws))


def _status(age: IntArray, settings: SamplingSettings, draws: CategorySampler) -> IntArray:
    """Whether each person studies, works, does neither, or has retired."""
    status = np.full(len(age), STATUSES.index("retired"), dtype=np.int64)
    young = np.flatnonzero((age >= LEARNING[0]) & (age <= LEARNING[1]))
    learns = draws.of(_odds(settings.study), len(young), "study") == 0
    status[young[learns]] = STATUSES.index("student")
    able = np.flatnonzero((age < RETIRED) & (status != STATUSES.index("student")))
    works = draws.of(_odds(settings.employment), len(able), "employment") == 0
    status[able] = np.where(works, STATUSES.index("employed"), STATUSES.index("not working"))
    return status


def _odds(share: float) -> FloatArray:
    return np.array([share, 1 - share])


def _addresses(household: IntArray, town: Town, seed: Seed) -> IntArray:
    """The apartment house of each person's household; the houses have equally many, give or take one."""
    houses = np.array(town.of_kind("apartment"), dtype=np.int64)
    households = int(household.max(initial=-1)) + 1
    return houses[generator(seed).permutation(households) % len(houses)][household]
