"""The people of a town are drawn as the census says, live together as people can, and know a few others."""

import csv
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.norms.places import place
from mores.worlds.town import census as census_module
from mores.worlds.town.census import Sampler, apportion, census
from mores.worlds.town.marginals import marginals
from mores.worlds.town.people import MIRROR, TIE_KINDS, Population, Resident, WordColumn
from mores.worlds.town.sampling import SamplingSettings, sample_population
from mores.worlds.town.streets import KINDS, Town, build_town

SEED = Seed("people")
CIRCLES = {
    "family": ("spouse", "parent", "child", "sibling"),
    "household": ("housemate",),
    "work": ("manager", "subordinate", "colleague"),
    "education": ("teacher", "student", "classmate"),
    "other": ("friend", "neighbour", "stranger"),
}
"""The relations of the paper's table 9 by where they belong; its finer words (mother, son, flatmate) are one here."""
TOWN = build_town(SEED.child("streets"))
CENSUS = census()
MARGINALS = ("age", "gender", "nationality", "occupation")
sizes = st.integers(1, 400)
samplers: st.SearchStrategy[Sampler] = st.sampled_from(["iid", "quota"])
seeds = st.integers(0, 10**6).map(SEED.child)


def people(size: int, seed: Seed = SEED, sampler: Sampler = "iid", **settings: float) -> Population:
    return sample_population(size, seed, town=TOWN, sampler=sampler, settings=SamplingSettings(**settings))


def everybody(population: Population) -> list[Resident]:
    return [population.resident(person) for person in range(len(population))]


THOUSAND = people(1_000)
RESIDENTS = everybody(THOUSAND)


def counts(population: Population, marginal: str) -> Integers:
    """How many there are of each word of a marginal; of the employed only where it is their occupation."""
    if marginal == "age":
        bins = np.searchsorted(CENSUS.ages[:, 0], population.age, side="right") - 1
        return np.bincount(bins, minlength=len(CENSUS.ages))
    column: WordColumn = getattr(population, marginal)
    return np.array([int(column.are(word).sum()) for word in getattr(CENSUS, marginal).words])


# What is drawn


def test_the_published_shares_are_those_of_the_paper_made_to_sum_to_one() -> None:
    assert CENSUS.age.words[0] == "15-19"
    assert CENSUS.age.parts[0] == pytest.approx(4.2 / 92.4)
    assert dict(zip(*CENSUS.nationality, strict=True))["NL"] == pytest.approx(1.4 / 89.9)
    assert dict(zip(*CENSUS.occupation, strict=True))["Managers"] == pytest.approx(13.3 / 98.1)
    assert dict(zip(*CENSUS.forms, strict=True))["couple"] == pytest.approx(43.1 / 99.9 * 0.628)
    for shares in (*(getattr(CENSUS, name) for name in MARGINALS), CENSUS.forms, *CENSUS.sizes.values()):
        assert shares.parts.sum() == pytest.approx(1)
    assert np.allclose(CENSUS.workplaces.sum(axis=1), 1)


@cache
def hundred_towns() -> tuple[dict[str, Integers], ...]:
    towns = (people(1_000, SEED.child("marginal", town)) for town in range(100))
    return tuple({marginal: counts(town, marginal) for marginal in MARGINALS} for town in towns)


@pytest.mark.parametrize("marginal", MARGINALS)
def test_independent_draws_follow_every_marginal(marginal: str) -> None:
    """A chi-square test at .05 finds 5 of 100 towns by chance; 1 to 13 of them in 99 % of all trials."""
    parts = getattr(CENSUS, marginal).parts
    found = sum(chisquare(seen[marginal], parts * seen[marginal].sum()).pvalue < 0.05 for seen in hundred_towns())
    assert 1 <= found <= 13


def test_ages_are_even_within_a_bin_and_workplaces_follow_the_occupation() -> None:
    large = people(60_000)
    seen = np.bincount(large.age[(large.age >= 25) & (large.age <= 29)] - 25, minlength=5)
    assert chisquare(seen).pvalue > 0.001
    kinds = np.array([KINDS.index(location.kind) for location in TOWN.locations])[large.work]
    for code, occupation in enumerate(CENSUS.occupation.words):
        seen = np.bincount(kinds[large.occupation.are(occupation)], minlength=len(KINDS))
        parts = CENSUS.workplaces[code]
        assert not seen[parts == 0].any()
        assert chisquare(seen[parts > 0], parts[parts > 0] * seen.sum()).pvalue > 0.001


def test_traits_are_drawn_apart() -> None:
    """Gender says nothing about nationality or age: the two-way table is that of chance."""
    large = people(60_000)
    women = large.gender.are("female")
    for marginal in ("age", "nationality"):
        column = large.nationality.codes if marginal == "nationality" else large.age // 5
        seen = np.array([np.bincount(column[which], minlength=20) for which in (women, ~women)])
        seen = seen[:, seen.sum(axis=0) > 0]
        expected = seen.sum(axis=1, keepdims=True) * seen.sum(axis=0) / seen.sum()
        assert chisquare(seen.ravel(), expected.ravel(), ddof=seen.shape[1]).pvalue > 0.001


@given(st.integers(1, 3_000), seeds)
def test_quotas_leave_no_error_but_that_of_whole_people(size: int, seed: Seed) -> None:
    town = people(size, seed, "quota")
    for marginal in MARGINALS:
        parts, seen = getattr(CENSUS, marginal).parts, counts(town, marginal)
        assert np.array_equal(seen, apportion(parts, int(seen.sum())))
        assert np.abs(seen - parts * seen.sum()).max() < 1
    able = (town.age < 65) & ~town.status.are("student")
    assert town.status.are("employed").sum() == apportion(np.array([0.65, 0.35]), int(able.sum()))[0]


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=20), st.integers(0, 10_000))
def test_apportioned_counts_sum_to_the_whole_and_are_off_by_less_than_one(weights: list[float], count: int) -> None:
    parts: Floats = np.array(weights) / sum(weights)
    whole = apportion(parts, count)
    assert whole.sum() == count
    assert np.abs(whole - parts * count).max() < 1 + 1e-9


def test_the_largest_remainder_gets_the_seat() -> None:
    assert apportion(np.array([0.5, 0.3, 0.2]), 4).tolist() == [2, 1, 1]  # 2.0, 1.2, 0.8: the third has the largest


@pytest.mark.parametrize(("employment", "study"), [(0.0, 0.0), (1.0, 1.0), (0.3, 0.8)])
def test_employment_and_study_are_settings(employment: float, study: float) -> None:
    town = people(5_000, SEED, "quota", employment=employment, study=study)
    young = (town.age >= 15) & (town.age <= 24)
    student, employed = town.status.are("student"), town.status.are("employed")
    assert student[young].mean() == pytest.approx(study, abs=0.001)
    assert not student[~young].any()
    assert employed[~student & (town.age < 65)].mean() == pytest.approx(employment, abs=0.001)
    assert np.array_equal(town.age >= 65, town.status.are("retired"))


def test_households_have_the_published_forms() -> None:
    large = people(60_000)
    seen = Counter(form_of(roles) for roles in households(large).values())
    for form, part in zip(*CENSUS.forms, strict=True):
        assert seen[form] / large.households == pytest.approx(part, abs=0.01)


def households(population: Population) -> dict[int, Counter[str]]:
    found: dict[int, Counter[str]] = {}
    for number, code in zip(population.household.tolist(), population.role.codes.tolist(), strict=True):
        found.setdefault(number, Counter())[population.role.words[code]] += 1
    return found


def form_of(roles: Mapping[str, int]) -> str:
    named = {"lone": "lone", "housemate": "group", "spouse": "couple", "sibling": "siblings"}
    both = {1: "one parent", 2: "couple with children"}
    return next((form for role, form in named.items() if role in roles), both.get(roles.get("parent", 0), "?"))


# Names and titles


def test_people_have_names_that_are_heard_where_they_are_from() -> None:
    for resident in RESIDENTS:
        names = CENSUS.names[CENSUS.nationality.words.index(resident.nationality)]
        assert resident.name in names[CENSUS.gender.words.index(resident.gender)]


def test_there_are_twenty_names_or_more_for_each_place_and_gender() -> None:
    for nationality, of_place in zip(CENSUS.nationality.words, CENSUS.names, strict=True):
        assert place(nationality).id == nationality
        for names in of_place:
            assert len(set(names)) == len(names) >= 20


def titles() -> list[dict[str, str]]:
    path = Path(census_module.__file__).with_name("titles.csv")
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def test_every_workplace_of_an_occupation_has_titles_for_it() -> None:
    known = {(row["occupation"], row["kind"]) for row in titles()}
    for code, occupation in enumerate(CENSUS.occupation.words):
        expected = {kind for kind, part in zip(KINDS, CENSUS.workplaces[code], strict=True) if part}
        assert {kind for of, kind in known if of == occupation} == expected


def test_workers_have_a_title_that_fits_their_occupation_workplace_and_age() -> None:
    known = {(row["occupation"], row["kind"], row["title"]): int(row["from_age"]) for row in titles()}
    workers = [resident for resident in RESIDENTS if resident.status == "employed"]
    assert len(workers) > 400
    for worker in workers:
        assert worker.work is not None
        assert worker.occupation is not None
        assert worker.title is not None
        assert worker.age >= known[worker.occupation, TOWN.locations[worker.work].kind, worker.title]


def test_students_have_a_school_and_the_others_nowhere_to_go() -> None:
    for resident in RESIDENTS:
        if resident.status == "student":
            assert resident.work in TOWN.of_kind("school")
        elif resident.status != "employed":
            assert resident.work is None
        if resident.status != "employed":
            assert resident.title is resident.occupation is None


# Who lives with whom


@given(sizes, seeds, samplers)
def test_everybody_has_one_home_which_is_that_of_their_household(size: int, seed: Seed, sampler: Sampler) -> None:
    town = people(size, seed, sampler)
    assert len(town) == size
    assert set(town.household.tolist()) == set(range(town.households))
    homes: dict[int, int] = {}
    for household, home in zip(town.household.tolist(), town.home.tolist(), strict=True):
        assert TOWN.locations[home].kind == "apartment"
        assert homes.setdefault(household, home) == home


@given(sizes, seeds, samplers)
def test_each_household_has_a_form_and_a_size_that_exist(size: int, seed: Seed, sampler: Sampler) -> None:
    for roles in households(people(size, seed, sampler)).values():
        form = form_of(roles)
        allowed = [int(words) for words in CENSUS.sizes[form].words]
        assert sum(roles.values()) in allowed if form != "one parent" else 2 <= sum(roles.values()) <= 4
        assert form != "couple" or roles == {"spouse": 2}
        assert len(roles) == (2 if "child" in roles else 1)


@given(sizes, seeds, samplers)
def test_ages_in_a_family_are_possible(size: int, seed: Seed, sampler: Sampler) -> None:
    town = people(size, seed, sampler)
    for resident in everybody(town):
        kinds = Counter(tie.kind for tie in resident.ties)
        assert kinds["spouse"] <= 1
        assert kinds["parent"] <= 2
        for tie in resident.ties:
            gap = int(town.age[tie.to]) - resident.age
            match tie.kind:
                case "parent":
                    assert 16 <= gap <= 45
                case "spouse":
                    assert abs(gap) <= 12
                    assert resident.age >= 18
                case "sibling":
                    assert abs(gap) <= 20
                case _:
                    pass


def test_whoever_is_not_yet_grown_lives_with_a_parent_in_a_town_of_a_thousand() -> None:
    minors = [resident for resident in RESIDENTS if resident.age < 18]
    assert len(minors) > 10
    assert {resident.role for resident in minors} == {"child"}


@given(sizes, seeds)
def test_those_who_live_together_are_tied_and_those_of_a_family_live_together(size: int, seed: Seed) -> None:
    residents = everybody(people(size, seed))
    close = {*CIRCLES["family"], *CIRCLES["household"]}
    for resident in residents:
        mates = {other.id for other in residents if other.household == resident.household} - {resident.id}
        assert {tie.to for tie in resident.ties if tie.kind in close} == mates


# Who knows whom


@given(sizes, seeds, samplers)
def test_every_tie_leads_to_somebody_and_back(size: int, seed: Seed, sampler: Sampler) -> None:
    residents = everybody(people(size, seed, sampler))
    known = {(resident.id, tie.to): tie.kind for resident in residents for tie in resident.ties}
    assert len(known) == sum(len(resident.ties) for resident in residents)
    for (one, other), kind in known.items():
        assert one != other
        assert known[other, one] == MIRROR[kind]


def test_opposites_are_each_others_and_all_kinds_belong_to_a_circle() -> None:
    assert {kind: MIRROR[kind] for kind in TIE_KINDS if MIRROR[kind] != kind} == {
        "parent": "child", "child": "parent", "manager": "subordinate", "subordinate": "manager",
        "teacher": "student", "student": "teacher",
    }  # fmt: skip
    assert sorted(kind for kinds in CIRCLES.values() for kind in kinds) == sorted(TIE_KINDS)


def test_work_and_school_tie_those_who_meet_there() -> None:
    duties = {row["title"]: row["duty"] for row in titles()}
    for resident in RESIDENTS:
        for tie in resident.ties:
            other = RESIDENTS[tie.to]
            match tie.kind:
                case "colleague" | "manager" | "teacher" | "classmate":
                    assert other.work == resident.work is not None
            match tie.kind:
                case "manager" | "teacher":
                    assert duties[other.title or ""] == {"manager": "leads", "teacher": "teaches"}[tie.kind]
                case "classmate":
                    assert (resident.status, other.status) == ("student", "student")
                case "neighbour":
                    assert other.home == resident.home
                    assert other.household != resident.household


@pytest.mark.parametrize("size", [1_000, 30_000])
def test_nobody_knows_more_people_in_a_larger_town(size: int) -> None:
    town = people(size)
    most = {"work": 9, "education": 7, "household": 3, "family": 4, "other": 8}
    for circle, kinds in CIRCLES.items():
        edges = town.ties.source[town.ties.kind.are(*kinds)]
        assert 0 < np.bincount(edges).max() <= most[circle]
    works = town.status.are("employed")
    at_work = np.bincount(town.ties.source[town.ties.kind.are(*CIRCLES["work"])], minlength=size)[works]
    assert 3 <= np.median(at_work) <= 6


def test_the_phonebook_is_the_ties_without_strangers_the_closest_first() -> None:
    for resident in RESIDENTS[:200]:
        assert set(resident.phonebook) == {tie for tie in resident.ties if tie.kind != "stranger"}
        ranks = [TIE_KINDS.index(tie.kind) for tie in resident.phonebook]
        assert all(one <= other for one, other in pairwise(ranks))
    assert any(len(resident.phonebook) < len(resident.ties) for resident in RESIDENTS)


# The same again


def test_the_same_seed_gives_the_same_people_and_another_gives_others() -> None:
    assert people(300).fingerprint == people(300).fingerprint
    assert len({people(300, SEED.child(name)).fingerprint for name in "abc"}) == 3
    assert people(300, sampler="quota").fingerprint != people(300).fingerprint
    assert sample_population(300, SEED, town=build_town(Seed("elsewhere"))).fingerprint != people(300).fingerprint


@pytest.mark.parametrize(
    ("size", "why"), [(0, "size is 0"), (-3, "size is -3"), (10**9, "size is 1000000000")]
)  # fmt: skip
def test_a_size_that_cannot_be_had_is_refused(size: int, why: str) -> None:
    with pytest.raises(InputError, match=why):
        people(size)


def test_shares_samplers_and_towns_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(InputError, match="employment is 65; expected a share"):
        people(10, employment=65)
    with pytest.raises(InputError, match=r"study is -0\.1; expected a share"):
        people(10, study=-0.1)
    wrong: Any = "systematic"
    with pytest.raises(InputError, match="sampler is 'systematic'; expected iid or quota"):
        people(10, sampler=wrong)
    with pytest.raises(InputError, match="has no office, apartment"):
        sample_population(10, SEED, town=Town(locations=TOWN.locations[:1], neighbours=((),)))


def test_a_resident_that_does_not_exist_is_refused() -> None:
    for person in (-1, 1_000):
        with pytest.raises(InputError, match=f"id {person}; expected 0 to 999"):
            THOUSAND.resident(person)


# Beside the published tables


def test_every_word_of_the_published_tables_is_counted_and_everybody_once() -> None:
    found = {name: sum(row.drawn for row in rows) for name, rows in marginals(THOUSAND).items()}
    working = int(THOUSAND.status.are("employed").sum())
    own = THOUSAND.households
    assert found == {
        "age": 1_000, "gender": 1_000, "nationality": 1_000, "occupation": working,
        "family": own - _of_form("lone", "housemate"), "household": own,
    }  # fmt: skip
    for rows in marginals(THOUSAND).values():
        assert sum(row.share for row in rows) == pytest.approx(100)


def test_the_form_of_a_household_is_that_of_those_who_live_in_it() -> None:
    forms = {row.word: row.drawn for name in ("family", "household") for row in marginals(THOUSAND)[name]}
    parents = Counter(each.household for each in RESIDENTS if each.role == "parent")
    assert forms["couple with children"] == sum(count == 2 for count in parents.values()) > 0
    assert forms["one parent"] == sum(count == 1 for count in parents.values()) > 0
    wanted = {"couple": _of_form("spouse"), "siblings": _of_form("sibling"), "lone": _of_form("lone"),
              "group": _of_form("housemate")}  # fmt: skip
    assert {form: forms[form] for form in wanted} == wanted


def _of_form(*roles: str) -> int:
    return len({each.household for each in RESIDENTS if each.role in roles})


def test_published_shares_are_those_that_are_drawn_from() -> None:
    for name in MARGINALS:
        shares = np.array([row.published for row in marginals(THOUSAND)[name]])
        assert np.allclose(shares / shares.sum(), getattr(CENSUS, name).parts)
