"""Sampling the people of a town.

shares of a census ─▶ what each person is ─▶ who lives with whom ─▶ who knows whom ─▶ Population. Age, gender,
nationality and occupation are drawn apart from one another, as in LiveCultureBench (appendix A.1); what cannot be, such
as a surgeon of sixteen, is mended by exchanging places, which leaves all shares as they were drawn.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.arrays import FloatArray, IntArray
from mores.stats.dice import generator
from mores.worlds.town.census import GENDERS, Census, Title, census
from mores.worlds.town.draws import SAMPLERS, Sampler, draw
from mores.worlds.town.households import Homes, form_households
from mores.worlds.town.people import NOWHERE, ROLES, STATUSES, Origin, Population, Status, Words
from mores.worlds.town.streets import KINDS, Town
from mores.worlds.town.ties import (
    FRIENDS,
    STRANGERS,
    Pairs,
    by_chance,
    by_location,
    next_door,
    team_ties,
    ties_of,
    together,
)

MOST = 10_000_000
"""The most people of one town; more do not fit a machine's memory."""
_STUDYING = (15, 24)
_RETIRED = 65
NONE = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What of the sampling one may choose, as shares from 0 to 1.

    Attributes:
        employment: How many of those of working age who do not study are employed.
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


DEFAULTS = Settings()


class _Traits(NamedTuple):
    """Who each person is, as numbers of the census's words."""

    age: IntArray
    gender: IntArray
    nationality: IntArray
    name: IntArray
    status: IntArray


class _Jobs(NamedTuple):
    """What each person does: occupation and title, NONE for those without, and the location, or NOWHERE."""

    occupation: IntArray
    title: IntArray
    work: IntArray


class _Dice(NamedTuple):
    """Where draws come from, and how."""

    seed: Seed
    sampler: Sampler

    def draw(self, parts: FloatArray, count: int, *use: str | int) -> IntArray:
        """Categories by their shares; each use has its own stream."""
        return draw(parts, count, generator(self.seed.child(*use)), self.sampler)

    def below(self, counts: IntArray, *use: str | int) -> IntArray:
        """For each count one of 0 … count - 1."""
        return (generator(self.seed.child(*use)).random(len(counts)) * counts).astype(np.int64)


def sample_population(
    size: int, seed: Seed, *, town: Town, sampler: Sampler = "iid", settings: Settings = DEFAULTS
) -> Population:
    """So many people of a town, with homes, households, work and ties; the same for the same arguments.

    Args:
        size: How many.
        seed: Dice.
        town: Where they live; it has at least one location of each kind.
        sampler: `iid` draws each person's age bin, gender, nationality, status and occupation on its own; `quota` has
            exactly as many of each as its share asks for, to the nearest whole person.
        settings: Shares that the census does not give.

    Raises:
        InputError: the size, the sampler or the town cannot be used.
    """
    _check(size, sampler, town)
    tables, dice = census(), _Dice(seed, sampler)
    traits = _traits(size, tables, settings, dice)
    jobs = _jobs(traits, tables, town, dice)
    homes = form_households(traits.age, traits.gender, tables, seed.child("households"))
    home = _addresses(homes.household, town, seed.child("addresses"))
    pairs = [*homes.pairs, *_work_ties(jobs, tables.titles, seed), *_school_ties(traits, jobs, tables.titles, seed)]
    pairs += [
        by_chance(size, "friend", FRIENDS, seed.child("friends")),
        next_door(home, homes.household, seed.child("neighbours")),
        by_chance(size, "stranger", STRANGERS, seed.child("strangers")),
    ]
    origin = Origin(sampler=sampler, seed=seed.path, employment=settings.employment, study=settings.study)
    return Population(
        town=town,
        origin=origin,
        age=traits.age.astype(np.int32),
        household=homes.household.astype(np.int32),
        home=home.astype(np.int32),
        work=jobs.work.astype(np.int32),
        name=Words.of(_all_names(tables), traits.name),
        gender=Words.of(GENDERS, traits.gender),
        nationality=Words.of(tables.nationality.words, traits.nationality),
        status=Words.of(STATUSES, traits.status),
        occupation=Words.of(("", *tables.occupation.words), jobs.occupation + 1),
        title=Words.of(("", *(title.words for title in tables.titles)), jobs.title + 1),
        role=Words.of(ROLES, homes.role),
        ties=ties_of(pairs),
    )


def _check(size: int, sampler: str, town: Town) -> None:
    if not 1 <= size <= MOST:
        raise InputError(f"size is {size}; expected a number of people from 1 to {MOST:,}.")
    if sampler not in SAMPLERS:
        raise InputError(f"sampler is '{sampler}'; expected {' or '.join(SAMPLERS)}.")
    missing = [kind for kind in KINDS if not town.of_kind(kind)]
    if missing:
        raise InputError(f"The town has no {', '.join(missing)}; expected at least one location of each kind.")
