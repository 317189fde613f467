"""The loaders on the data that nobody here wrote: counts, golds, places, clusters and ids."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from mores.benchmarks import catalogue
from mores.norms.places import place
from tests.benchmarks.plays import setting_of

SIZES = {
    "culturalbench/easy": (1227, 1227, 1227, 45),
    "culturalbench/hard": (4908, 1227, 1227, 45),
    "cure/normad_thin": (2633, 2633, 2567, 75),
    "cure/casa_thin": (1198, 1198, 599, 17),
}


@cache
def items_of(name: str, folder: Path) -> Sequence[Any]:
    benchmark = catalogue.load(name)
    return benchmark.items(setting_of(benchmark, folder))


@pytest.mark.parametrize("name", SIZES)
def test_all_items_are_there_in_their_units_clusters_and_places(name: str, real: Path) -> None:
    abouts = [item.about for item in items_of(name, real)]
    units, clusters, places = ({getattr(a, kind) for a in abouts} for kind in ("unit", "cluster", "place"))
    assert (len(abouts), len(units), len(clusters), len(places)) == SIZES[name]
    card = catalogue.card(name)
    assert (card.items, card.units) == SIZES[name][:2]


@pytest.mark.parametrize("name", SIZES)
def test_every_country_is_a_known_place(name: str, real: Path) -> None:
    assert all(place(item.about.place).id == item.about.place for item in items_of(name, real))


def test_culturebank_keeps_every_group_and_forces_none_into_a_place(real: Path) -> None:
    items = items_of("cure/culturebank_thin", real)
    assert len(items) == 14_887
    nowhere = [item for item in items if item.about.place is None]
    assert 1_000 < len(nowhere) < 5_000
    assert all(item.words[0].strip() for item in nowhere)
    assert {"Asian American", "Christians"} & {item.words[0] for item in nowhere}


def test_a_question_of_the_hard_set_has_four_statements_of_which_one_or_more_are_true(real: Path) -> None:
    by_unit: dict[str, list[str]] = {}
    for item in items_of("culturalbench/hard", real):
        by_unit.setdefault(item.about.unit, []).append(item.gold)
    assert {len(golds) for golds in by_unit.values()} == {4}
    true = Counter(golds.count("true") for golds in by_unit.values())
    assert sum(true.values()) == 1227
    assert true[2] + true[3] == 86
    assert true[0] == true[4] == 0


def test_the_golds_are_as_published(real: Path) -> None:
    def golds(name: str) -> Counter[str]:
        return Counter(item.gold for item in items_of(name, real))

    assert golds("culturalbench/hard") == {"true": 1326, "false": 4908 - 1326}
    assert golds("culturalbench/easy")["a"] == 658
    assert golds("cure/normad_thin") == {"yes": 943, "no": 875, "neutral": 815}
    assert golds("cure/casa_thin") == {"yes": 599, "no": 599}


@pytest.mark.parametrize("name", ["culturalbench/easy", "culturalbench/hard"])
def test_the_questions_with_several_answers_are_known_as_such_in_both_setups(name: str, real: Path) -> None:
    multi = {item.about.unit for item in items_of(name, real) if item.about.groups["mode"] == "multi"}
    assert len(multi) == 86


def test_easy_and_hard_speak_of_the_same_questions(real: Path) -> None:
    easy, hard = (items_of(f"culturalbench/{level}", real) for level in ("easy", "hard"))
    assert {i.key().unit for i in easy} == {i.key().unit for i in hard}
    modes = [{i.key().unit: i.about.groups["mode"] for i in items} for items in (easy, hard)]
    assert modes[0] == modes[1]


def test_five_pairs_of_requests_of_the_hard_set_are_equal_word_for_word(real: Path) -> None:
    asked = Counter(item.render() for item in items_of("culturalbench/hard", real))
    assert sorted(asked.values())[-6:] == [1, 2, 2, 2, 2, 2]


def test_the_option_that_is_the_word_none_is_asked_about(real: Path) -> None:
    assert any(item.words[1] == "None" for item in items_of("culturalbench/hard", real))


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("culturalbench/easy", "easy-0", "easy-1226"),
        ("culturalbench/hard", "hard-0", "hard-4907"),
        ("cure/normad_thin", "normad-0", "normad-2632"),
        ("cure/casa_thin", "casa-online_shopping-Japan_1-no", "casa-social_discussion_forum-Thailand_28-yes"),
    ],
)
def test_ids_are_those_that_recordings_are_named_by(name: str, first: str, last: str, real: Path) -> None:
    items = items_of(name, real)
    assert (items[0].about.item, items[-1].about.item) == (first, last)


def test_casa_pairs_a_query_that_keeps_to_a_norm_with_one_that_does_not(real: Path) -> None:
    golds: dict[str, list[str]] = {}
    for item in items_of("cure/casa_thin", real):
        golds.setdefault(item.about.cluster, []).append(item.gold)
    assert all(sorted(pair) == ["no", "yes"] for pair in golds.values())
    topics = Counter(item.about.groups["topic"] for item in items_of("cure/casa_thin", real))
    assert topics == {"online shopping": 578, "social discussion forum": 620}


def test_normad_clusters_are_its_rules(real: Path) -> None:
    sizes = Counter(item.about.cluster for item in items_of("cure/normad_thin", real))
    assert sum(size > 1 for size in sizes.values()) > 20
    assert max(sizes.values()) < 10


def test_a_file_can_be_named_instead_of_its_folder(real: Path) -> None:
    benchmark = catalogue.load("cure/normad_thin")
    assert len(benchmark.items(setting_of(benchmark, real / "normad.csv"))) == 2633


def test_shuffling_options_keeps_the_right_one_right_and_evens_the_letters_out(real: Path) -> None:
    benchmark = catalogue.load("culturalbench/easy")
    plain, shuffled = (list[Any](benchmark.items(setting_of(benchmark, real, shuffle=on))) for on in (False, True))
    place_of = {letter: n for n, letter in enumerate("abcd", start=1)}
    for before, after in zip(plain, shuffled, strict=True):
        assert before.words[place_of[before.gold]] == after.words[place_of[after.gold]]
        assert sorted(before.words[1:]) == sorted(after.words[1:])
    letters = Counter(item.gold for item in shuffled)
    assert all(abs(count - 1227 / 4) < 4 * (1227 * 0.25 * 0.75) ** 0.5 for count in letters.values())
