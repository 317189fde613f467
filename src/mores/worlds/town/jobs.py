"""What people do all day: who works as what and where, who learns at which school, and whom they know from it.

occupation ─▶ kind of location ─▶ job title that the age allows ─▶ location. Whoever is too young for any title of
their occupation there changes places with somebody who is not, so that no share changes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mores.core.seeds import Seed
from mores.stats.checks import IntArray
from mores.stats.rng import generator
from mores.worlds.town.category_sampling import CategorySampler
from mores.worlds.town.census import Census, JobTitle
from mores.worlds.town.people import NOWHERE, STATUSES
from mores.worlds.town.streets import KINDS, Town
from mores.worlds.town.tie_rules import PersonPairs, by_location, team_ties, together

NONE = -1
_AGES = 1_000
"""More than any age in years; keeps occupations, kinds and ages apart in one number."""


class Jobs(NamedTuple):
    """Occupation and title of each person, NONE for those without, and where they work or learn, or NOWHERE."""

    occupation: IntArray
    title: IntArray
    work: IntArray


def find_jobs(age: IntArray, status: IntArray, tables: Census, town: Town, draws: CategorySampler) -> Jobs:
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


def _posts(age: IntArray, tables: Census, draws: CategorySampler) -> IntArray:
    """Occupation and kind of location of each worker in one number, such that most are old enough for a title."""
    occupation = draws.of(tables.occupation.parts, len(age), "occupation")
    kind = np.zeros(len(age), dtype=np.int64)
    for code in range(len(tables.workplaces)):
        here = occupation == code
        kind[here] = draws.of(tables.workplaces[code], int(here.sum()), "workplace", code)
    post = occupation * len(KINDS) + kind
    youngest = np.zeros(tables.workplaces.size, dtype=np.int64)
    for title in reversed(tables.titles):
        youngest[title.occupation * len(KINDS) + title.kind] = title.from_age
    too_young = np.flatnonzero(age < youngest[post])
    able = np.flatnonzero((age >= youngest.max()) & (youngest[post] <= tables.ages.min()))
    able = generator(draws.seed.child("exchange")).permutation(able)[: len(too_young)]
    too_young = too_young[: len(able)]
    post[too_young], post[able] = post[able], post[too_young]
    return post


def _titles(post: IntArray, age: IntArray, titles: tuple[JobTitle, ...], draws: CategorySampler) -> IntArray:
    """One of the titles of a post that are open at an age; the first of them where none is."""
    steps = np.array([(t.occupation * len(KINDS) + t.kind) * _AGES + t.from_age for t in titles], dtype=np.int64)
    first = np.searchsorted(steps, post * _AGES, side="left")
    open_ = np.searchsorted(steps, post * _AGES + age, side="right") - first
    return np.asarray(first + draws.below(np.maximum(open_, 1), "title"), dtype=np.int64)


def _locations(kind: IntArray, town: Town, draws: CategorySampler) -> IntArray:
    """A location of each kind asked for."""
    ids = [town.of_kind(name) for name in KINDS]
    count = np.array([len(some) for some in ids], dtype=np.int64)
    flat = np.array([location for some in ids for location in some], dtype=np.int64)
    first = np.cumsum(count) - count
    found: IntArray = flat[first[kind] + draws.below(count[kind], "location")]
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
