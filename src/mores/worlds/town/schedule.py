"""Schedule of everybody who is not watched: home, work or school, and errands, walked street by street.

homes and workplaces ─▶ where each wants to be at each half hour ─▶ where each is, one street a half hour. It is worked
out once for a population and shared by all its days; who can be perceived by a target gives way to a model.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from mores.core.arrays import Integers, Mask
from mores.core.seeds import Seed
from mores.stats.rng import generator
from mores.worlds.town.streets import Town, hops_of

MORNING, NIGHT, SLOT = 7 * 60, 22 * 60, 30
SLOTS = (NIGHT - MORNING) // SLOT + 1
_START, _END = (9 * 60 - MORNING) // SLOT, (17 * 60 - MORNING) // SLOT
_ERRANDS = ("mall", "restaurant", "park", "gym", "hospital")
_SHARES = (0.34, 0.26, 0.22, 0.12, 0.06)
_LEAST, _MOST = 2, 5  # half hours that an errand takes, with the way


class _Errands(NamedTuple):
    """Errand of each person, from which half hour to which, and where; shapes (people, 1)."""

    start: Integers
    end: Integers
    where: Integers

    def out(self, slots: Integers) -> Mask:
        """Mask of those who are out at each half hour."""
        return np.asarray((slots >= self.start) & (slots < self.end))


Places: TypeAlias = "npt.NDArray[np.signedinteger[Any]]"


def whereabouts(homes: Places, works: Places, town: Town, seed: Seed) -> npt.NDArray[np.int16]:
    """The place of each person at each half hour from 07:00 to 22:00, shape (people, 31).

    Who has work or school is there from nine to five, leaving home as early as the way needs; everybody else, and all
    in the evening, may go out on an errand. Nobody walks more than one street in a half hour.

    Args:
        homes: The home of each.
        works: Workplace or school of each, -1 for none.
        town: The streets.
        seed: Seed of errands.
    """
    homes, works = homes.astype(np.int64), works.astype(np.int64)
    wanted = _wanted(homes, works, town, seed)
    step, here = next_streets(town.neighbours), homes
    found = np.empty((homes.size, SLOTS), dtype=np.int16)
    for slot in range(SLOTS):
        found[:, slot] = here
        if slot + 1 < SLOTS:
            here = step[here, wanted[:, slot + 1]]
    return found


def _wanted(homes: Integers, works: Integers, town: Town, seed: Seed) -> Integers:
    """Place that each is heading for at each half hour."""
    slots, busy = np.arange(SLOTS), works >= 0
    day = _errands(homes.size, town, seed.child("day"), 2, _END - 1)
    evening = _errands(homes.size, town, seed.child("evening"), _END + 2, SLOTS - 3)
    wanted = np.where(day.out(slots) & ~busy[:, None], day.where, homes[:, None])
    wanted = np.where(evening.out(slots), evening.where, wanted)
    office = np.where(busy, works, homes)
    ways = town.hops[homes, office]
    at_work = busy[:, None] & (slots > (_START - ways)[:, None]) & (slots < _END)
    return np.where(at_work, office[:, None], wanted)


def _errands(people: int, town: Town, seed: Seed, first: int, last: int) -> _Errands:
    """One errand in a window for about six in ten people."""
    rng = generator(seed)
    start = rng.integers(first, max(first + 1, last - _LEAST), (people, 1))
    start = np.where(rng.random((people, 1)) < 0.6, start, SLOTS)
    end = np.minimum(start + rng.integers(_LEAST, _MOST + 1, (people, 1)), last)
    kinds = rng.choice(len(_ERRANDS), (people, 1), p=_SHARES)
    places = [np.array(town.of_kind(kind), dtype=np.int64) for kind in _ERRANDS]  # type: ignore[arg-type]
    pick = rng.random((people, 1))
    where = np.zeros((people, 1), dtype=np.int64)
    for kind, of_kind in enumerate(places):
        where = np.where(kinds == kind, of_kind[(pick * of_kind.size).astype(np.int64)], where)
    return _Errands(start, end, where)


@lru_cache(maxsize=64)
def next_streets(neighbours: tuple[tuple[int, ...], ...]) -> Integers:
    """The first place on a shortest way from each to each, the smallest id of several; itself where one is there.

    Shape (places, places); not to be written to. It is kept by a town's streets, as a whole town takes long to look up.
    """
    hops = hops_of(neighbours)
    step = np.empty(hops.shape, dtype=np.int64)
    for here, around in enumerate(neighbours):
        # `argmin` takes the first of equals, and neighbours stand by their ids.
        step[here] = np.array(around, dtype=np.int64)[np.argmin(hops[list(around)], axis=0)]
        step[here, here] = here
    step.setflags(write=False)
    return step


def slot_of(minute: int) -> int:
    """The half hour that a minute lies in, the last one at night."""
    return min(max(0, (minute - MORNING) // SLOT), SLOTS - 1)


@cache
def clock(minute: int) -> str:
    """A minute as a clock shows it.

    >>> clock(465)
    '07:45'
    """
    return f"{minute // 60:02d}:{minute % 60:02d}"
