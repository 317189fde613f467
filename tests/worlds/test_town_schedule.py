"""Where everybody is who is not watched."""

from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.core.transcript import ActionEvent, DayEvent, DayStartEvent
from mores.worlds.town.recorded import recorded_whereabouts
from mores.worlds.town.schedule import MORNING, NIGHT, SLOTS, next_streets, slot_of, whereabouts
from tests.worlds.days import lived, people, stage_of

TOWN = people()
HOMES, WORKS = TOWN.home.astype(np.int64), TOWN.work.astype(np.int64)


@given(st.text(max_size=6))
def test_nobody_walks_without_a_street_and_all_begin_at_home(seed: str) -> None:
    found = whereabouts(HOMES, WORKS, TOWN.town, Seed(seed))
    assert found.shape == (len(TOWN), SLOTS)
    assert (found[:, 0] == HOMES).all()
    hops = TOWN.town.hops
    assert hops[found[:, :-1], found[:, 1:]].max() <= 1


def test_who_works_or_studies_is_there_at_eleven_and_no_longer_in_the_evening() -> None:
    found = whereabouts(HOMES, WORKS, TOWN.town, Seed("any"))
    busy = WORKS >= 0
    assert (found[busy, slot_of(11 * 60)] == WORKS[busy]).all()
    assert (found[busy, slot_of(21 * 60 + 30)] != WORKS[busy]).mean() > 0.9


def test_the_same_seed_gives_the_same_day_and_another_seed_another() -> None:
    one, same, other = (whereabouts(HOMES, WORKS, TOWN.town, Seed(name)) for name in ("a", "a", "b"))
    assert (one == same).all()
    assert (one != other).any()


def test_somebody_is_out_on_an_errand() -> None:
    found = whereabouts(HOMES, WORKS, TOWN.town, Seed("any"))
    places = {TOWN.town.locations[place].kind for place in np.unique(found)}
    assert {"mall", "park", "restaurant"} <= places


def test_the_next_street_is_on_a_shortest_way() -> None:
    steps, hops = next_streets(TOWN.town.neighbours), TOWN.town.hops
    here, there = np.divmod(np.arange(hops.size).reshape(hops.shape), len(hops))
    away = here != there
    assert (hops[steps[away], there[away]] == hops[away] - 1).all()
    assert (steps[~away] == here[~away]).all()


@pytest.mark.parametrize(("minute", "slot"), [(0, 0), (MORNING, 0), (MORNING + 29, 0), (MORNING + 30, 1), (NIGHT, 30)])
def test_a_minute_lies_in_its_half_hour(minute: int, slot: int) -> None:
    assert slot_of(minute) == slot


def test_a_day_that_minds_lived_can_be_reused() -> None:
    """Each resident walks one street at seven, and stays."""
    small = people(12, "small")
    stage = stage_of(population=small, off_screen="live")

    def say(request: object) -> str:
        words = request.messages[-1].content  # type: ignore[attr-defined]
        ways = words.partition("walk to: ")[2]
        first = ways.split(" ")[0] if "It is 07:00" in words else "nowhere"
        return f'{{"deed": "go", "to": [{first}]}}' if first.isdecimal() else '{"deed": "wait"}'

    events = lived(stage, say)
    log = [event for event in events if isinstance(event, DayStartEvent | ActionEvent)]
    found = recorded_whereabouts(small, log, where="log")
    assert (found[:, 0] == small.home).all()
    assert (found[:, 1] != small.home).all()
    assert (found[:, 1:] == found[:, [1]]).all()


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"to": ()}, r"no street from \d+ to \[\]; expected a day in this town"),
        ({"to": (70_000,)}, r"no street from \d+ to \[70000\]"),
        ({"to": (-1,)}, r"no street from \d+ to \[-1\]"),
        ({"minute": 99_999}, "not in the day; expected one from 07:00 to 22:00"),
        ({"minute": -500}, "not in the day"),
    ],
)
def test_a_recorded_day_that_cannot_have_been_is_refused(changed: dict[str, Any], why: str) -> None:
    small = people(12, "small")
    events = lived(stage_of(population=small, off_screen="live"), lambda _: '{"deed": "wait"}')
    log: list[DayEvent] = [event for event in events if isinstance(event, DayStartEvent | ActionEvent)]
    there = small.town.neighbours[int(small.home[0])][0]
    walk = next(e for e in log if isinstance(e, ActionEvent) and e.who == 0)
    log[log.index(walk)] = replace(walk, **{"deed": "go", "to": (there,), **changed})
    with pytest.raises(InputError, match=f"log: resident 0, minute -?\\d+: {why}"):
        recorded_whereabouts(small, log, where="log")


def test_a_recorded_day_in_which_somebody_is_where_they_did_not_walk_is_refused() -> None:
    small = people(12, "small")
    events = lived(stage_of(population=small, off_screen="live"), lambda _: '{"deed": "wait"}')
    log: list[DayEvent] = [event for event in events if isinstance(event, DayStartEvent | ActionEvent)]
    last = max(place for place, e in enumerate(log) if isinstance(e, ActionEvent) and e.who == 3)
    there = small.town.neighbours[int(small.home[3])][0]
    log[last] = replace(cast(ActionEvent, log[last]), where=there)
    with pytest.raises(InputError, match=f"resident 3, minute .*: at place {there}, but walked to"):
        recorded_whereabouts(small, log, where="log")


def test_a_log_of_other_people_or_without_all_of_them_is_refused() -> None:
    small = people(12, "small")
    events = lived(stage_of(population=small), lambda _: '{"deed": "wait"}')
    log = [event for event in events if isinstance(event, DayStartEvent | ActionEvent)]
    with pytest.raises(InputError, match="not a day on which all 12 residents acted"):
        recorded_whereabouts(small, log, where="log")
    live = [e for e in lived(stage_of(population=small, off_screen="live"), lambda _: '{"deed": "wait"}')
            if isinstance(e, DayStartEvent | ActionEvent)]  # fmt: skip
    with pytest.raises(InputError, match="not a day on which all 80"):
        recorded_whereabouts(TOWN, live, where="log")
