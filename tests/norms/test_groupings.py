"""Places are in the groups that the papers and the published map put them in."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import get_args

import pytest

from mores.core.errors import UnknownName
from mores.norms.places import PlaceGrouping, find, group_of, places

Column = Callable[[str, str], Iterator[str]]


REGION_SIZES = {
    "Africa": 5,
    "East Asia": 5,
    "East Europe": 5,
    "Middle East/West Asia": 5,
    "North America": 2,
    "Oceania": 2,
    "South America": 5,
    "South Asia": 4,
    "South Europe": 2,
    "Southeast Asia": 6,
    "West Europe": 4,
}


def sizes(grouping: PlaceGrouping) -> dict[str, int]:
    """How many countries are in each group."""
    found = (group_of(p.id, grouping) for p in places() if p.parent is None)
    return dict(Counter(name for name in found if name))


def test_the_regions_are_the_eleven_of_culturalbench_with_their_45_places() -> None:
    assert sizes("region") == REGION_SIZES


def test_every_place_of_culturalbench_has_a_region_and_no_other_has(column: Column) -> None:
    asked = {find(name).id for name in column("culturalbench-easy.csv", "country")}
    assert {p.id for p in places() if p.parent is None and group_of(p.id, "region")} == asked


@pytest.mark.parametrize(
    ("place", "region", "wvs_group", "continent"),
    [
        ("MX", "South America", "Latin America", "North America"),
        ("TR", "Middle East/West Asia", "African-Islamic", "Asia"),
        ("PH", "Southeast Asia", "Latin America", "Asia"),
        ("VN", "Southeast Asia", "West & South Asia", "Asia"),
        ("EE", None, "Protestant Europe", "Europe"),
        ("GR", None, "Orthodox Europe", "Europe"),
        ("IE", None, "English-Speaking", "Europe"),
        ("SA", "Middle East/West Asia", None, "Asia"),
        ("IL", "Middle East/West Asia", None, "Asia"),
        ("WS", None, None, "Oceania"),
        ("RU", "East Europe", "Orthodox Europe", "Europe"),
        ("CL", "South America", "Latin America", "South America"),
        ("HK", "East Asia", "Confucian", "Asia"),
        ("AQ", None, None, None),
    ],
)
def test_groups_of_places_that_are_easily_put_elsewhere(
    place: str, region: str | None, wvs_group: str | None, continent: str | None
) -> None:
    assert group_of(place, "region") == region
    assert group_of(place, "wvs_group") == wvs_group
    assert group_of(place, "continent") == continent


def test_there_are_eight_value_groups_and_six_continents() -> None:
    assert len(sizes("wvs_group")) == 8
    assert len(sizes("continent")) == 6
    assert "Baltic" not in sizes("wvs_group")


@pytest.mark.parametrize("grouping", get_args(PlaceGrouping))
def test_a_part_of_a_country_is_in_its_countrys_group(grouping: PlaceGrouping) -> None:
    for part in (p for p in places() if p.parent):
        assert part.parent is not None
        assert group_of(part.id, grouping) == group_of(part.parent, grouping)


def test_an_unknown_place_is_an_error() -> None:
    with pytest.raises(UnknownName):
        group_of("Japan", "region")
