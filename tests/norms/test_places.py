"""Places are found by any spelling, and the tables agree with ISO 3166."""

import subprocess
import sys
from collections.abc import Callable, Iterator

import pycountry
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mores.core.errors import UnknownName
from mores.norms.places import find, named, place, places, roll_up, spelling

Column = Callable[[str, str], Iterator[str]]


NAME_OF_PLACE = st.sampled_from([p.name for p in places()])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("British", "GB"),
        ("UK", "GB"),
        ("United Kingdom", "GB"),
        ("Great Britain", "GB"),
        ("Brits", "GB"),
        ("English", "GB-ENG"),
        ("Scottish", "GB-SCT"),
        ("Scots", "GB-SCT"),
        ("Welsh", "GB-WLS"),
        ("Northern Irish", "GB-NIR"),
        ("Northern Ireland ", "GB-NIR"),
        ("Irish", "IE"),
        ("United States.", "US"),
        ("U.S.", "US"),
        ("united_states_of_america", "US"),
        ("Macao SAR", "MO"),
        ("Taiwan ROC", "TW"),
        ("Hong Kong SAR", "HK"),
        ("hong_kong", "HK"),
        ("Puerto Rico", "PR"),
        ("palestinian_territories", "PS"),
        ("türkiye", "TR"),
        ("Turkey", "TR"),
        ("timor-leste", "TL"),
        ("East Timor", "TL"),
        ("bosnia_and_herzegovina", "BA"),
        ("Bosnia & Herzegovina", "BA"),
        ("Democratic People's Republic of Korea", "KP"),
        ("Plurinational State of Bolivia", "BO"),
        ("Czech Republic", "CZ"),
        ("Côte d'Ivoire", "CI"),
        ("ivory coast", "CI"),
        ("The Gambia", "GM"),
        ("Filipinos", "PH"),
        ("Swedes", "SE"),
        ("the dutch", "NL"),
        ("jp", "JP"),
        ("JPN", "JP"),
        ("gb-eng", "GB-ENG"),
        ("Georgia", "GE"),
        ("Georgia, USA", "US-GA"),
        ("Niger", "NE"),
        ("Nigerian", "NG"),
        ("Nigerien", "NE"),
        ("Dominica", "DM"),
        ("Dominican", "DO"),
        ("Congo", "CG"),
        ("DRC", "CD"),
        ("Kosovo", "XK"),
    ],
)
def test_a_name_of_a_place_or_its_people_finds_it(name: str, expected: str) -> None:
    assert find(name).id == expected


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("culturalbench-easy.csv", "country"),
        ("culturalbench-hard.csv", "country"),
        ("casa.csv", "country"),
        ("cultureatlas.csv", "country"),
        ("normad.csv", "Country"),
        ("socialcc.csv", "Country_Knowledge"),
        ("socialcc.csv", "Country_Value"),
    ],
)
def test_every_culture_of_the_real_data_is_found(column: Column, file: str, name: str) -> None:
    found = {value: find(value, where=file).id for value in set(column(file, name))}
    assert found


def test_names_of_one_place_in_two_sets_meet(column: Column) -> None:
    tested = {find(name).id for name in column("culturalbench-easy.csv", "country")}
    assert len(tested) == 45
    assert tested & {find(name).id for name in column("normad.csv", "Country")} >= {"TR", "GB", "HK", "US", "KR"}


def test_an_unknown_name_is_an_error_that_lists_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"^data\.csv:7: No place is called 'Brasilia'\. Did you mean 'Brazil'"):
        find(" Brasilia ", where="data.csv:7")


@pytest.mark.parametrize("name", ["", " ", "Atlantis", "Washington", "New York", "Asian", "s"])
def test_what_is_no_place_or_could_be_two_is_not_guessed(name: str) -> None:
    with pytest.raises(UnknownName):
        find(name)


def test_a_code_is_no_name() -> None:
    assert named("IN") is None
    assert find("IN").id == "IN"


@given(NAME_OF_PLACE, st.sampled_from([str.upper, str.lower, str.title, lambda s: f" {s}. ", lambda s: f"the {s}"]))
def test_case_stops_and_spaces_never_matter(name: str, change: object) -> None:
    assert callable(change)
    if name not in {"New York", "Washington"}:
        assert find(change(name.replace(" ", "_"))).name == name


@given(st.text())
def test_spelling_twice_is_spelling_once_but_for_articles(text: str) -> None:
    once = spelling(text)
    assert once == once.strip()
    assert "  " not in once
    assert once.startswith("the ") or spelling(once) == once


def test_a_part_rolls_up_to_its_country_and_a_country_to_itself() -> None:
    assert [roll_up(name) for name in ("GB-SCT", "US-TX", "GB", "JP")] == ["GB", "US", "GB", "JP"]


@pytest.mark.parametrize("call", [place, roll_up])
def test_an_id_that_no_place_has_is_an_error(call: object) -> None:
    assert callable(call)
    with pytest.raises(UnknownName, match="'UK'"):
        call("UK")


def test_the_countries_are_those_of_iso_3166_and_kosovo() -> None:
    ours = {p.id for p in places() if p.parent is None}
    assert ours == {c.alpha_2 for c in pycountry.countries} | {"XK"}


def test_three_letter_codes_and_iso_names_find_their_country() -> None:
    for country in pycountry.countries:
        assert find(country.alpha_3).id == country.alpha_2
        assert find(country.name).id == country.alpha_2


def test_the_parts_are_those_of_iso_3166_2_and_belong_to_their_country() -> None:
    codes = {part.code for part in pycountry.subdivisions}
    for part in (p for p in places() if p.parent):
        assert part.id in codes
        assert part.id.split("-")[0] == part.parent


def test_every_place_where_people_live_has_a_continent() -> None:
    assert {p.id for p in places() if p.continent is None} == {"AQ", "BV", "GS", "HM", "TF"}


def test_names_are_unique() -> None:
    names = [p.name for p in places()]
    assert len(set(names)) == len(names)


def test_importing_places_loads_neither_pycountry_nor_pydantic() -> None:
    code = "import sys, mores.norms.places as p; p.find('Japan'); print({'pycountry', 'pydantic'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
