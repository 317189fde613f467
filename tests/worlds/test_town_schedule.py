"""Where everybody is who is not watched."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.seeds import Seed
from mores.worlds.town.schedule import MORNING, NIGHT, SLOTS, next_streets, slot_of, whereabouts
from tests.worlds.days import people

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
