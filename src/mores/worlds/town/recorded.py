"""Where everybody was on a day that minds lived, so that other days of the same people can reuse it.

log of a day lived with every resident asked ─▶ the place of each at each half hour. The one assumption is that people
off the screen do as they did, whoever is watched.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mores.core.day import DayBegan, DayEvent, Did
from mores.core.errors import InputError
from mores.worlds.town.people import Population
from mores.worlds.town.schedule import SLOTS, slot_of


def recorded_whereabouts(population: Population, events: Sequence[DayEvent], *, where: str) -> npt.NDArray[np.int16]:
    """The place of each person at each half hour from 07:00 to 22:00, shape (people, 31).

    Who walks at a half hour is there at the next one. After the log's end everybody stays; the log's own target is
    where it was at the beginning of each half hour.

    Raises:
        InputError: the log is no day's, is of other people, or was lived without all of them.
    """
    began = next((event for event in events if isinstance(event, DayBegan)), None)
    deeds = [event for event in events if isinstance(event, Did)]
    if began is None or {did.who for did in deeds} != set(range(len(population))):
        raise InputError(f"{where}: not a day on which all {len(population)} residents acted; expected one lived live.")
    found = np.repeat(population.home[:, None], SLOTS, axis=1).astype(np.int16)
    seen: set[int] = set()
    for did in deeds:
        slot = slot_of(did.minute)
        if did.who not in seen and did.where != population.home[did.who]:
            raise InputError(f"{where}: resident {did.who} does not begin at home; expected a day of these people.")
        seen.add(did.who)
        if did.deed == "go":
            found[did.who, slot + 1 :] = did.to[0]
    return found
