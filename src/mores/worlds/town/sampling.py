"""Sampling the people of a town.

shares of a census ─▶ what each person is ─▶ who lives with whom ─▶ who knows whom ─▶ Population. Age, gender,
nationality and occupation are drawn apart from one another, as in LiveCultureBench (appendix A.1), within a household
too. Time and memory grow with the number of people and no faster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from msgspec import Struct

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.rng import generator
from mores.worlds.town.census import SAMPLERS, CategorySampler, Census, JobTitle, Sampler, census
from mores.worlds.town.households import form_households
from mores.worlds.town.people import (
    FRIENDS,
    NOWHERE,
    ROLES,
    STATUSES,
    STRANGERS,
    PersonPairs,
    Population,
    PopulationOrigin,
    WordColumn,
    by_chance,
    by_location,
    next_door,
    team_ties,
    ties_of,
    together,
)
from mores.worlds.town.streets import KINDS, Town

NONE = -1
_AGES = 1_000
"""More than any age in years; keeps occupations, kinds and ages apart in one number."""


class Jobs(NamedTuple):
    """Occupation and title of each person, NONE for those without, and where they work or learn, or NOWHERE."""

    occupation: Integers
    title: Integers
    work: Integers


def find_jobs(age: Integers, status: Integers, tables: Census, town: Town, draws: CategorySampler) -> Jobs:
    """A job for each of the employed, and a school for each student.

    Args:
        age: Years of each person.
        status: Index into STATUSES of each.
        tables: Occupations, where they work, and titles.
        town: Its locations.
        draws: Dice.
    """
    jobs = Jobs(*(np.full(len(age), nothing, dtype=np.int64) for nothing in (NONE, NONE, NOWHERE)))
    workers = np.flatnonzero(status == STATUSES.index("employed"))
    post = _posts(age[workers], tables, draws)
    jobs.occupation[workers] = post // len(KINDS)
    jobs.title[workers] = _titles(post, age[workers], tables.titles, draws)
    jobs.work[workers] = _locations(post % len(KINDS), town, draws)
    students = np.flatnonzero(status == STATUSES.index("student"))
    schools = np.array(town.of_kind("school"), dtype=np.int64)
    jobs.work[students] = schools[draws.below(np.full(len(students), len(schools)), "schools")]
    return jobs


def _posts(age: Integers, tables: Census, draws: CategorySampler) -> Integers:
    """Occupation and kind of location of each worker in one number, such that most are old enough for a title."""
    occupation = draws.of(tables.occupation.parts, len(age), "occupation")
    kind = np.zeros(len(age), dtype=np.int64)
    for code in range(len(tables.workplaces)):
        here = occupation == code
        kind[here] = draws.of(tables.workplaces[code], int(here.sum()), "workplace", code)
    post = occupation * len(KINDS) + kind
    youngest = np.zeros(tables.workplaces.size, dtype=np.int64)
    # From the last: what stays of a post is its first title, the one that is open earliest.
    for title in reversed(tables.titles):
        youngest[title.occupation * len(KINDS) + title.kind] = title.from_age
    too_young = np.flatnonzero(age < youngest[post])
    able = np.flatnonzero((age >= youngest.max()) & (youngest[post] <= tables.ages.min()))
    able = generator(draws.seed.child("exchange")).permutation(able)[: len(too_young)]
    too_young = too_young[: len(able)]
    # Exchanged, not drawn again, so that each occupation keeps its share.
    post[too_young], post[able] = post[able], post[too_young]
    return post


def _titles(post: Integers, age: Integers, titles: tuple[JobTitle, ...], draws: CategorySampler) -> Integers:
    """One of the titles of a post that are open at an age; the first of them where none is."""
    steps = np.array([(t.occupation * len(KINDS) + t.kind) * _AGES + t.from_age for t in titles], dtype=np.int64)
    first = np.searchsorted(steps, post * _AGES, side="left")
    open_ = np.searchsorted(steps, post * _AGES + age, side="right") - first
    return np.asarray(first + draws.below(np.maximum(open_, 1), "title"), dtype=np.int64)


def _locations(kind: Integers, town: Town, draws: CategorySampler) -> Integers:
    """A location of each kind asked for."""
    ids = [town.of_kind(name) for name in KINDS]
    count = np.array([len(some) for some in ids], dtype=np.int64)
    flat = np.array([location for some in ids for location in some], dtype=np.int64)
    first = np.cumsum(count) - count
    found: Integers = flat[first[kind] + draws.below(count[kind], "location")]
    return found


def job_ties(jobs: Jobs, titles: tuple[JobTitle, ...], seed: Seed) -> list[PersonPairs]:
    """Ties from work and from school, a few for each person.

    Colleagues are of one team, which has a manager if its location has enough of them; managers of a location are
    colleagues in a chain. Students of one class are classmates, and a class has a teacher in the same way.
    """
    duty = np.array([title.duty for title in titles] + [""])[jobs.title]
    leads, teaches, works = duty == "leads", duty == "teaches", jobs.occupation != NONE
    managers, teachers, staff = np.flatnonzero(leads), np.flatnonzero(teaches), np.flatnonzero(works & ~leads)
    students = np.flatnonzero(~works & (jobs.work != NOWHERE))
    peers = by_location(managers, jobs.work, seed.child("peers"))
    return [
        *team_ties(staff, managers, jobs.work, ("colleague", "manager"), seed.child("staff")),
        together(peers, jobs.work[peers], "colleague", 1),
        *team_ties(students, teachers, jobs.work, ("classmate", "teacher"), seed.child("classes")),
    ]


MOST = 10_000_000
"""The most people of one town, which still fit into a machine's memory."""
LEARNING = (15, 24)
RETIRED = 65


class SamplingSettings(Struct, frozen=True, kw_only=True):
    """Settings of the sampling, as shares from 0 to 1.

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
    """Traits of each person, as numbers of the census's words; names are numbered through all places."""

    age: Integers
    gender: Integers
    nationality: Integers
    name: Integers
    status: Integers


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
        # NONE is -1: less it, whoever has no occupation or title gets the empty word that comes first.
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


def _status(age: Integers, settings: SamplingSettings, draws: CategorySampler) -> Integers:
    """Status of each person: studies, works, does neither, or has retired."""
    status = np.full(len(age), STATUSES.index("retired"), dtype=np.int64)
    young = np.flatnonzero((age >= LEARNING[0]) & (age <= LEARNING[1]))
    learns = draws.of(_odds(settings.study), len(young), "study") == 0
    status[young[learns]] = STATUSES.index("student")
    able = np.flatnonzero((age < RETIRED) & (status != STATUSES.index("student")))
    works = draws.of(_odds(settings.employment), len(able), "employment") == 0
    status[able] = np.where(works, STATUSES.index("employed"), STATUSES.index("not working"))
    return status


def _odds(share: float) -> Floats:
    return np.array([share, 1 - share])


def _addresses(household: Integers, town: Town, seed: Seed) -> Integers:
    """The apartment house of each person's household; the houses have equally many, give or take one."""
    houses = np.array(town.of_kind("apartment"), dtype=np.int64)
    households = int(household.max(initial=-1)) + 1
    return houses[generator(seed).permutation(households) % len(houses)][household]
