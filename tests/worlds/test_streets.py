"""A town is small enough for any errand, the same for the same seed, and can be drawn."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import shortest_path

from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.worlds.town.streets import FARTHEST, KINDS, Location, Town, build_town

seeds = st.integers(0, 10**6).map(lambda number: Seed("streets").child(number))
TABLE_10 = {"school": 10, "office": 20, "apartment": 22, "hospital": 12, "park": 10, "mall": 12, "restaurant": 20,
            "gym": 4}  # fmt: skip
TOWN = build_town(Seed("a town"))


def matrix(town: Town) -> Floats:
    streets = np.zeros((len(town.locations),) * 2)
    for here, around in enumerate(town.neighbours):
        streets[here, list(around)] = 1
    return streets


def lengths(town: Town) -> Floats:
    points = np.array([(location.x, location.y) for location in town.locations])
    return np.asarray(np.linalg.norm(points[:, None] - points[None], axis=-1))


def tiny(*neighbours: tuple[int, ...]) -> Town:
    return Town(
        locations=tuple(
            Location(id=i, kind="park", name=f"Park {i}", x=0.1 * i, y=0.5) for i in range(len(neighbours))
        ),
        neighbours=neighbours,
    )


def test_there_are_as_many_of_each_kind_as_in_the_paper() -> None:
    assert Counter(location.kind for location in TOWN.locations) == TABLE_10
    assert {kind: len(TOWN.of_kind(kind)) for kind in KINDS} == TABLE_10


def test_every_location_has_a_name_of_its_own() -> None:
    assert len({location.name for location in TOWN.locations}) == 110
    assert [location.id for location in TOWN.locations] == list(range(110))


@given(seeds)
def test_any_errand_is_at_most_five_streets_away(seed: Seed) -> None:
    town = build_town(seed)
    steps = shortest_path(matrix(town), unweighted=True)
    assert steps.max() <= FARTHEST == 5
    assert np.array_equal(steps, town.hops)


@given(seeds)
def test_streets_lead_both_ways_and_there_are_four_to_six_at_most_corners(seed: Seed) -> None:
    streets = matrix(build_town(seed))
    assert np.array_equal(streets, streets.T)
    assert not streets.diagonal().any()
    ends = streets.sum(axis=1)
    assert 4 <= ends.mean() <= 5.5
    assert 3 <= ends.min() <= ends.max() <= 9
    assert np.mean((ends >= 4) & (ends <= 6)) > 0.85


@given(seeds)
def test_most_streets_are_short_and_a_few_cross_the_town(seed: Seed) -> None:
    """A small world: neighbours' neighbours are neighbours far more often than by chance, and yet nothing is far."""
    town = build_town(seed)
    streets, far = matrix(town), lengths(town)
    assert np.mean(far[streets > 0] < 0.2) > 0.65
    closed = np.trace(streets @ streets @ streets)
    open_ = (streets @ streets).sum() - np.trace(streets @ streets)
    assert closed / open_ > 2 * streets.mean()


@given(seeds)
def test_locations_lie_on_the_map_and_apart(seed: Seed) -> None:
    town = build_town(seed)
    assert all(0 < location.x < 1 and 0 < location.y < 1 for location in town.locations)
    far = lengths(town)
    np.fill_diagonal(far, np.inf)
    assert far.min() > 0.03  # cells are 1/11 by 1/10, and points keep 0.28 of one from its middle at most


def test_the_same_seed_gives_the_same_town_and_another_seed_another() -> None:
    assert build_town(Seed("a town")) == TOWN
    other = build_town(Seed("another town"))
    assert other.neighbours != TOWN.neighbours
    assert [location.name for location in other.locations] == [location.name for location in TOWN.locations]


def test_the_distance_is_the_number_of_streets_on_the_way() -> None:
    line = tiny((1,), (0, 2), (1, 3), (2,))
    assert [line.distance(0, there) for there in range(4)] == [0, 1, 2, 3]
    assert line.distance(3, 1) == 2


def test_distances_cannot_be_written_over() -> None:
    with pytest.raises(ValueError, match="read-only"):
        TOWN.hops[0, 1] = 7


@pytest.mark.parametrize(
    ("neighbours", "why"),
    [
        (((1,), ()), "leads from location 0 to 1; expected one that leads back"),
        (((0,),), "leads from location 0 to 0"),
        (((7,), ()), "leads from location 0 to 7"),
        (((1,), (0,), (3,), (2,)), "falls into parts"),
    ],
)
def test_a_town_that_cannot_be_walked_is_refused(neighbours: tuple[tuple[int, ...], ...], why: str) -> None:
    with pytest.raises(InputError, match=why):
        tiny(*neighbours)


def test_ids_out_of_order_are_refused() -> None:
    with pytest.raises(InputError, match="expected ids 0, 1"):
        Town(locations=TOWN.locations[::-1], neighbours=TOWN.neighbours)
    with pytest.raises(InputError, match="neighbours of each"):
        Town(locations=TOWN.locations, neighbours=TOWN.neighbours[:-1])
