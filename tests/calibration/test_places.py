"""The judge in each place: unequal errors are found, equal ones seldom, and few labels allow no claim."""

import numpy as np
import pytest

from mores.calibration.agreement import TaskAgreement, agreement_of
from mores.calibration.agreement_analysis import group_sentences, group_tables
from mores.calibration.agreement_tables import PLACE_TESTS, tables_of
from mores.calibration.group_agreement import GroupAgreement
from mores.tables import formatting as words
from mores.tables import rows_by_key
from mores.tables.blocks import Paragraph, TableBlock
from tests.annotation.by_hand import Hand, once

PLACES = ("JP", "NG", "BR", "DE")


def held(right: dict[str, float], each: int, seed: int, *, options: bool = True) -> TaskAgreement:
    """A judge that is right with these chances by place, on so many things of each."""
    rng = np.random.default_rng(seed)
    places = [place for place in right for _ in range(each)]
    if options:
        truth = ["yes" if rng.random() < 0.5 else "no" for _ in places]
        other = {"yes": "no", "no": "yes"}
        said = [t if rng.random() < right[p] else other[t] for t, p in zip(truth, places, strict=True)]
        return agreement_of(Hand(judges={"judge": once(said)}, people={"Ana": truth}, places=places).table())
    points = rng.random(len(places)).tolist()
    given = [min(1.0, t * right[p]) for t, p in zip(points, places, strict=True)]
    hand = Hand(judges={"judge": once(given)}, people={"Ana": points}, places=places, options=())
    return agreement_of(hand.table())


def places_of(found: TaskAgreement) -> GroupAgreement:
    assert found.places is not None
    return found.places


def test_a_place_in_which_the_judge_errs_more_is_named_after_correction() -> None:
    task = held({"JP": 0.55, "NG": 0.92, "BR": 0.92, "DE": 0.92}, 60, seed=1)
    found = places_of(task)
    assert {test.group for test in found.unequal} == {"JP"}
    assert found.family == 12  # four places; errors of any kind, where people say yes, and where they say no
    told = "\n".join(group_sentences(found))
    assert "Places: of a family of 12 tests, " in told
    assert "Japan: errors of any kind, " in told
    rows = rows_by_key(PLACE_TESTS, tables_of(task)["agreement_place_tests"].rows)
    assert [(row["place"], row["p_holm"]) for row in rows] == [(test.group, test.holm) for test in found.tests]
    assert found.groups[0].group == "JP"


def test_a_judge_that_errs_alike_everywhere_is_seldom_said_to_differ() -> None:
    false = sum(bool(places_of(held(dict.fromkeys(PLACES, 0.85), 30, seed)).unequal) for seed in range(60))
    assert false <= 60 * 0.05 + 3 * (60 * 0.05 * 0.95) ** 0.5


def test_corrected_chances_are_never_under_the_single_ones_and_screening_finds_no_less() -> None:
    found = places_of(held({"JP": 0.7, "NG": 0.9, "BR": 0.9, "DE": 0.8}, 40, seed=2))
    assert all(test.holm >= test.benjamini_hochberg >= test.p for test in found.tests)
    assert set(found.unequal) <= set(found.screened)


def test_places_under_eight_clusters_are_marked_not_tested_and_stand_last() -> None:
    places = ["JP"] * 30 + ["NG"] * 5 + ["DE"] * 30
    truth = ["yes", "no", "no", "yes", "no"] * 13
    hand = Hand(judges={"judge": once(truth)}, people={"Ana": truth}, places=places)
    task = agreement_of(hand.table())
    found = places_of(task)
    last = found.groups[-1]
    assert (last.group, last.few, last.clusters) == ("NG", True, 5)
    assert "NG" not in {test.group for test in found.tests}
    _, table, note, *_ = group_tables(found, tables_of(task))
    assert isinstance(table, TableBlock)
    assert [words.text_of(row.cells[0], table.columns[0].format) for row in table.rows] == ["Germany", "Japan"]
    assert note == Paragraph(words="1 place with under 8 clusters: too few.")


def test_few_labels_everywhere_allow_no_claim_and_it_says_so() -> None:
    task = held(dict.fromkeys(PLACES, 0.9), 4, seed=3)
    found = places_of(task)
    assert found.tests == ()
    assert list(group_sentences(found)) == [
        "Places: too few labels to compare them (4 places, 4 of them under 8 clusters)."
    ]
    assert list(group_tables(found, tables_of(task))) == []


def test_points_are_compared_by_bias_and_by_distance() -> None:
    found = places_of(held({"JP": 0.5, "NG": 1.0, "BR": 1.0}, 40, seed=4, options=False))
    assert {(test.group, test.errors) for test in found.unequal} >= {
        ("JP", "judge less people"), ("JP", "distance from people"),
    }  # fmt: skip
    first = found.groups[0]
    assert first.group == "JP"
    assert first.bias is not None
    assert first.bias.value == pytest.approx(-0.25, abs=0.05)
    assert "Japan: judge less people, −0." in "\n".join(group_sentences(found))


def test_things_of_one_day_count_as_one_in_tests_of_places() -> None:
    # in each of two places one day in ten is judged wrong throughout, so that nothing can be said of either
    truth = ["yes", "no"] * 100
    said = [("no" if word == "yes" else "yes") if row // 10 == 0 else word for row, word in enumerate(truth)]
    places, days = ["JP"] * 100 + ["NG"] * 100, [f"day-{row // 10}" for row in range(200)]
    people = {"Ana": truth}
    by_day = Hand(judges={"judge": once(said)}, people=people, places=places, clusters=days)
    alone = Hand(judges={"judge": once(said)}, people=people, places=places)
    assert places_of(agreement_of(by_day.table())).unequal == ()
    assert places_of(agreement_of(alone.table())).unequal


@pytest.mark.parametrize("places", [(), ("JP",) * 20])
def test_one_place_or_none_is_compared_with_nothing(places: tuple[str, ...]) -> None:
    truth = ["yes", "no"] * 10
    hand = Hand(judges={"judge": once(truth)}, people={"Ana": truth}, places=places)
    assert agreement_of(hand.table()).places is None


def test_a_judge_that_errs_more_in_one_language_is_named_beside_places() -> None:
    """One judge, told in English what to do, over answers in three languages of one place."""
    rng = np.random.default_rng(5)
    tongues = [tag for tag in ("ar", "en", "hi") for _ in range(60)]
    truth = ["yes" if rng.random() < 0.5 else "no" for _ in tongues]
    right = {"ar": 0.5, "en": 0.95, "hi": 0.95}
    other = {"yes": "no", "no": "yes"}
    said = [t if rng.random() < right[tag] else other[t] for t, tag in zip(truth, tongues, strict=True)]
    table = Hand(judges={"judge": once(said)}, people={"Ana": truth}, languages=tongues).table()
    task = agreement_of(table)
    assert task.places is None
    assert task.languages is not None
    assert {test.group for test in task.languages.unequal} == {"ar"}
    assert "Languages: of a family of 9 tests, " in "\n".join(group_sentences(task.languages))
    rows = rows_by_key(PLACE_TESTS, tables_of(task)["agreement_place_tests"].rows)
    assert {(row["language"], row["place"]) for row in rows} == {("ar", None), ("en", None), ("hi", None)}
    _, block, *_ = group_tables(task.languages, tables_of(task))
    assert isinstance(block, TableBlock)
    assert words.text_of(block.rows[0].cells[0], block.columns[0].format) == "ar"
