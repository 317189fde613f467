"""Where everybody was on a day that minds lived, so that other days of the same people can reuse it.

log of a day lived with every resident asked ─▶ the place of each at each half hour. The one assumption is that people
off the screen do as they did, whoever is watched.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError
from mores.core.transcript import ActionEvent, DayEvent, DayStartEvent
from mores.worlds.town.people import Population
from mores.worlds.town.schedule import MORNING, NIGHT, SLOTS, clock, slot_of


def recorded_whereabouts(population: Population, events: Sequence[DayEvent], *, where: str) -> npt.NDArray[np.int16]:
    """The place of each person at each half hour from 07:00 to 22:00, shape (people, 31).

    Who walks at a half hour is there at the next one. After the log's end everybody stays; the log's own target is
    where it was at the beginning of each half hour.

    Raises:
        InputError: the log is no day's, is of other people or another town, or was lived without all of them.
    """
    began = next((event for event in events if isinstance(event, DayStartEvent)), None)
    deeds = [event for event in events if isinstance(event, ActionEvent)]
    if began is None or {did.who for did in deeds} != set(range(len(population))):
        raise InputError(f"{where}: not a day on which all {len(population)} residents acted; expected one lived live.")
    found = np.repeat(population.home[:, None], SLOTS, axis=1).astype(np.int16)
    here, seen = population.home.tolist(), set[int]()
    for did in deeds:
        if did.who not in seen and did.where != here[did.who]:
            raise InputError(f"{where}: resident {did.who} does not begin at home; expected a day of these people.")
        seen.add(did.who)
        _refuse_impossible(did, here[did.who], population, where)
        if did.deed == "go":
            here[did.who] = did.to[0]
            found[did.who, slot_of(did.minute) + 1 :] = did.to[0]
    return found


def _refuse_impossible(did: ActionEvent, here: int, population: Population, where: str) -> None:
    """A deed at another place than where its person is, a walk without a street, or one that is not in the day."""
    told = f"{where}: resident {did.who}, minute {did.minute}"
    if not MORNING <= did.minute < NIGHT:
        raise InputError(f"{told}: not in the day; expected one from {clock(MORNING)} to {clock(NIGHT)}.")
    if did.where != here:
        raise InputError(f"{told}: at place {did.where}, but walked to {here} before; is the log whole?")
    if did.deed == "go" and (len(did.to) != 1 or did.to[0] not in population.town.neighbours[here]):
        raise InputError(f"{told}: no street from {here} to {list(did.to)}; expected a day in this town.")
