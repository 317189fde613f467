"""Agreement of judges with people: figures worked by hand, and what is said where something cannot be known."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mores.calibration.agreement import (
    TOGETHER,
    AgreementOptions,
    Agreements,
    TaskAgreement,
    agreement_of,
    agreements_of,
)
from mores.calibration.agreement_analysis import analyse, sentences
from mores.core.codec import encode
from mores.core.errors import InputError
from mores.tables import as_data
from mores.tables.blocks import TableBlock
from mores.tables.missing_texts import format_missing
from tests.annotation.by_hand import Hand, once

ACCURACY = "raw agreement (accuracy)"
DICE = np.random.default_rng(11)


def alike(chance: float, truth: list[str], rng: np.random.Generator = DICE) -> list[str]:
    """The truth, and another word else."""
    return [word if rng.random() < chance else {"yes": "no", "no": "yes"}[word] for word in truth]


def lines(found: TaskAgreement) -> str:
    return "\n".join(sentences(found))


def figure(found: TaskAgreement, name: str) -> float:
    return found.together.figures[name].value


def plain(found: TaskAgreement) -> dict[str, list[dict[str, Any]]]:
    """Its tables as programs get them."""
    return as_data(analyse(Agreements(simulated=found.simulated, tasks=(found,))))


def of_measure(found: TaskAgreement, measure: str, **keys: object) -> dict[str, Any]:
    """The row of one figure."""
    rows = plain(found)["agreement"]
    wanted = {"measure": measure, "part": "all", "word": None, **keys}
    (row,) = (row for row in rows if all(row[key] == value for key, value in wanted.items()))
    return row


def paradox() -> TaskAgreement:
    """190 and 2 alike, 4 and 4 apart: the table of methods whose kappa is low although all but 8 of 200 agree."""
    people = ["no"] * 194 + ["yes"] * 6
    judge = ["no"] * 190 + ["yes"] * 4 + ["no"] * 4 + ["yes"] * 2
    return agreement_of(Hand(judges={"judge": once(judge)}, people={"Ana": people}).table())


def test_raw_agreement_and_coefficients_are_those_worked_by_hand() -> None:
    found = paradox()
    assert figure(found, "raw agreement (accuracy)") == pytest.approx(0.96)
    assert figure(found, "Cohen's kappa") == pytest.approx(0.313, abs=5e-4)
    assert figure(found, "Gwet's AC1") == pytest.approx(0.958, abs=5e-4)
    assert figure(found, "PABAK") == pytest.approx(0.92)
    assert figure(found, "balanced accuracy") == pytest.approx((2 / 6 + 190 / 194) / 2)


def test_the_confusion_table_has_people_in_rows_and_the_judge_in_columns() -> None:
    found = paradox()
    counts = {(row["people_say"], row["judge_says"]): row["n"] for row in plain(found)["agreement_confusion"]}
    assert counts == {("yes", "yes"): 2, ("yes", "no"): 4, ("no", "yes"): 4, ("no", "no"): 190}
    precision, recall = of_measure(found, "precision", word="yes"), of_measure(found, "recall", word="no")
    assert (precision["value"], precision["graded"]) == (pytest.approx(2 / 6), 6)
    assert (recall["value"], recall["graded"]) == (pytest.approx(190 / 194), 194)
    assert of_measure(found, "F1", word="yes")["value"] == pytest.approx(2 * 2 / 12)


def test_every_figure_has_an_interval_that_holds_it() -> None:
    found = paradox()
    for name, measured in found.together.figures.items():
        if name == "balanced accuracy":  # of six that people call 'yes' nothing is claimed
            assert "too few" in format_missing(measured.interval.missing)
            continue
        assert measured.interval.low is not None
        assert measured.interval.high is not None
        assert measured.interval.low <= measured.value <= measured.interval.high


def test_a_word_that_people_seldom_say_is_warned_of() -> None:
    assert "Rare: people say 'yes' of 6, and kappa falls with rarity" in lines(paradox())


def test_figures_take_things_of_one_cluster_together() -> None:
    judge, people = ["yes", "no"] * 60, ["yes", "no", "no", "no"] * 30
    alone = agreement_of(Hand(judges={"judge": once(judge)}, people={"Ana": people}).table())
    clusters = [f"day-{row // 10}" for row in range(120)]
    hand = Hand(judges={"judge": once(judge)}, people={"Ana": people}, clusters=clusters)
    together = agreement_of(hand.table())
    assert (alone.together.clusters, together.together.clusters) == (120, 12)
    assert "Units of one cluster are not independent: intervals are over clusters." in lines(together)
    assert "Things of one cluster" not in lines(alone)


def test_few_clusters_give_figures_without_intervals_and_say_so() -> None:
    found = agreement_of(Hand(judges={"judge": once(["yes", "no", "no"])}, people={"A": ["yes", "no", "yes"]}).table())
    assert "Too few: 3 clusters, and an interval needs 8." in lines(found)
    kappa = of_measure(found, "Cohen's kappa")
    assert kappa["value"] is not None
    assert (kappa["low"], kappa["high"]) == (None, None)
    assert kappa["why"].startswith("too few clusters: 3")


def test_what_people_tie_on_and_what_no_judge_says_is_left_out_and_counted() -> None:
    judge: list[list[object]] = [["yes"], ["no"], [None], ["yes", "no"]]
    judge += [["yes"], ["no"]] * 10
    people: dict[str, list[object]] = {
        "Ana": ["yes", "no", "yes", "yes", *["yes", "no"] * 10],
        "Bo": ["no", None, None, None, *[None] * 20],
    }
    found = agreement_of(Hand(judges={"judge": judge}, people=people).table())
    counts = found.counts
    assert (counts.judged, counts.labelled, counts.labels, counts.people) == (24, 24, 25, 2)
    assert (counts.tied, counts.unread, counts.compared) == (1, 2, 21)
    assert "1 left out as people tie; 2 as no judge's word can be read, or judges tie" in lines(found)
    assert "Units on which people tie are the hard ones" in lines(found)


def test_labels_of_one_word_alone_are_refused_in_one_line() -> None:
    hand = Hand(judges={"judge": once(["yes", "no"] * 10)}, people={"Ana": ["yes"] * 20})
    with pytest.raises(InputError, match=r"own/scenes fair: people say 'yes' of all 20 labelled things; expected two"):
        agreement_of(hand.table())


@pytest.mark.parametrize(
    ("judge", "people", "says"),
    [
        ([["yes"], ["no"]], {"A": [None, None]}, "no label is about it"),
        ([["yes"], ["no"]], {"A": ["yes", "no"], "B": ["no", "yes"]}, "people tie on all 2 labelled things"),
        ([[None], ["yes", "no"]], {"A": ["yes", "no"]}, "no judge's word can be read on any of 2 labelled things"),
    ],
)
def test_labels_that_compare_with_nothing_are_refused(judge: Any, people: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        agreement_of(Hand(judges={"judge": judge}, people=people).table())


def test_a_task_that_is_refused_leaves_the_others_and_all_refused_refuse_the_whole() -> None:
    good = Hand(judges={"judge": once(["yes", "no"] * 10)}, people={"Ana": ["yes", "no"] * 10}).table()
    bad = Hand(judges={"judge": once(["yes", "no"] * 10)}, people={"Ana": ["yes"] * 20}, task="kind").table()
    found = agreements_of([good, bad], AgreementOptions())
    assert [task.task for task in found.tasks] == ["fair"]
    assert "own/scenes kind: people say 'yes' of all 20" in found.refused[0]
    with pytest.raises(InputError, match="own/scenes kind"):
        agreements_of([bad], AgreementOptions())


def test_a_word_that_people_never_say_is_named() -> None:
    options = ("respected", "violated", "not applicable")
    said = ["respected", "not applicable"] * 10
    found = agreement_of(Hand(judges={"judge": once(said)}, people={"Ana": said}, options=options).table())
    assert "Nothing that people call violated: how the judge does there is not known." in lines(found)


def drawn_by(chances: Sequence[float], judge: Sequence[str], people: Sequence[str]) -> TaskAgreement:
    table = Hand(judges={"judge": once(judge)}, people={"Ana": people}).table()
    return agreement_of(replace(table, chances=np.array(chances)))


def test_a_label_counts_for_the_things_that_it_was_drawn_among() -> None:
    """The judge is right on 20 things that stand for 2 each and on half of 20 that stand for 20: 240 of 440."""
    people = ["yes", "no"] * 20
    judge = [*people[:30], *("no" if word == "yes" else "yes" for word in people[30:])]
    found = drawn_by([0.5] * 20 + [0.05] * 20, judge, people)
    assert figure(found, "raw agreement (accuracy)") == pytest.approx(240 / 440)
    assert figure(found, "PABAK") == pytest.approx(2 * 240 / 440 - 1)
    assert figure(found, "Cohen's kappa") == pytest.approx(2 * 240 / 440 - 1)  # both words as often on either side
    assert "Each label counts for the things that it was drawn among: 40 are worth 24 alike." in lines(found)
    plain_of = drawn_by([0.5] * 40, judge, people)
    assert figure(plain_of, "raw agreement (accuracy)") == 0.75
    assert "Each label counts" not in lines(plain_of)


def test_people_with_people_stand_beside_judge_with_people() -> None:
    truth = ["yes", "no"] * 100
    rng = np.random.default_rng(3)
    people = {name: alike(0.9, truth, rng) for name in ("Ana", "Bo", "Cy")}
    found = agreement_of(Hand(judges={"judge": once(truth)}, people=people).table())
    ceiling = found.people.ceiling
    assert ceiling.units == 200
    assert ceiling.people.value == pytest.approx(0.9**2 + 0.1**2, abs=0.04)
    assert ceiling.judge.value == pytest.approx(0.9, abs=0.03)
    assert found.people.alt_test.passed
    said = lines(found)
    assert (
        "Alt-test passed: beside 3 of 3 people, each set aside in turn, the judge is shown to be not worse by" in said
    )
    assert f"Advantage probability {100 * found.people.alt_test.advantage:.1f}%" in said
    assert "0.2 (epsilon)" in said
    for claim in ("as near as", "at least as near", "stand in"):  # more than the test shows
        assert claim not in said
    rows = [row for row in plain(found)["agreement_people"] if row["measure"] == "Fleiss' kappa"]
    assert [(row["among"], row["raters"]) for row in rows] == [("people", 3), ("people and judge", 4)]
    assert rows[0]["value"] == pytest.approx(0.64, abs=0.08)


def test_a_judge_far_worse_than_people_may_not_stand_in() -> None:
    truth, rng = ["yes", "no"] * 100, np.random.default_rng(4)
    people = {name: alike(0.97, truth, rng) for name in ("Ana", "Bo", "Cy")}
    found = agreement_of(Hand(judges={"judge": once(alike(0.6, truth, rng))}, people=people).table())
    assert found.people.alt_test.passed is False
    assert "Alt-test not passed: beside 0 of 3 people" in lines(found)


def test_with_one_person_there_is_no_ceiling_and_with_few_no_alt_test() -> None:
    truth = ["yes", "no"] * 20
    alone = lines(agreement_of(Hand(judges={"judge": once(truth)}, people={"Ana": truth}).table()))
    assert "No human ceiling: no unit has a verdict and two people." in alone
    assert "No alt-test: people with 30 items or more: 0; at least 3 are needed." in alone
    two = lines(agreement_of(Hand(judges={"judge": once(truth)}, people={"Ana": truth, "Bo": truth}).table()))
    assert "No alt-test: people with 30 items or more: 2; at least 3 are needed." in two


def test_each_judge_of_a_jury_stands_beside_the_jury() -> None:
    truth, rng = ["yes", "no"] * 60, np.random.default_rng(8)
    judges = {name: once(alike(0.8, truth, rng)) for name in ("judge", "judge2", "judge3")}
    found = agreement_of(Hand(judges=judges, people={"Ana": truth}).table())
    assert found.together.who == TOGETHER
    assert [each.who for each in found.each] == ["judge", "judge2", "judge3"]
    assert [each.spec for each in found.each] == ["maker/judge", "maker/judge2", "maker/judge3"]
    assert found.jury is not None
    single = [each.figures[ACCURACY].value for each in found.each]
    assert found.jury.accuracies == pytest.approx(single)
    assert figure(found, ACCURACY) == pytest.approx(found.jury.majority.accuracy)
    assert found.jury.majority.accuracy > max(single)
    assert "Jury of 3, n = 120: worth " in lines(found)


def test_one_judge_alone_is_no_jury() -> None:
    found = paradox()
    assert (found.each, found.jury, found.together.who) == ((), None, "judge")


def test_a_judge_asked_again_is_held_against_itself_over_all_that_it_judged() -> None:
    # of 40 things 10 have one word of three that differs: two of its three pairs, so that 10 × 2 / 3 of 40 flip
    judge = [["yes", "yes", "no"]] * 10 + [["yes"] * 3] * 15 + [["no"] * 3] * 15
    people: list[object] = [*(["yes"] * 10), *([None] * 30)]
    people[-1] = "no"
    found = agreement_of(Hand(judges={"judge": judge}, people={"Ana": people}).table())
    (asked,) = found.repeats
    assert asked.repeats.items == 40
    assert asked.repeats.flip_rate.value == pytest.approx(10 * 2 / 3 / 40)
    assert "judge with itself over 3 runs, n = 40: two of its runs differ on 16.7%" in lines(found)
    assert asked.repeats.item_variance > asked.repeats.run_variance > 0


def test_a_judge_asked_once_says_how_to_ask_it_more_often() -> None:
    assert "Each judge was asked once: mores judge RUN --judge SPEC --samples 5" in lines(paradox())


def test_points_go_by_correlation_bias_and_distance() -> None:
    people = [row / 39 for row in range(40)]
    judge = [0.5 * each + 0.3 for each in people]
    found = agreement_of(Hand(judges={"judge": once(judge)}, people={"Ana": people}, options=()).table())
    assert figure(found, "Pearson's r") == pytest.approx(1.0)
    assert figure(found, "Spearman's rho") == pytest.approx(1.0)
    assert figure(found, "mean of judge less people (bias)") == pytest.approx(0.05)
    assert figure(found, "mean distance (absolute error)") == pytest.approx(np.abs(np.subtract(judge, people)).mean())
    assert figure(found, "Krippendorff's alpha, interval") < 1
    assert found.counts.tied == 0


def test_peoples_points_are_averaged_and_never_tie() -> None:
    people = {"Ana": [0.0, 1.0] * 20, "Bo": [0.4, 0.6] * 20}
    found = agreement_of(Hand(judges={"judge": once([0.2, 0.8] * 20)}, people=people, options=()).table())
    assert figure(found, "mean distance (absolute error)") == pytest.approx(0.0)
    ceiling = found.people.ceiling
    assert ceiling.people.value == pytest.approx(0.6)
    assert ceiling.judge.value == pytest.approx(0.8)
    assert list(found.people.agreement["people"].figures) == ["Krippendorff's alpha, interval"]


def test_words_that_are_numbers_have_weighted_kappas_and_other_words_none() -> None:
    numbers = ("0", "1", "2", "3")
    people = [numbers[row % 4] for row in range(80)]
    judge = [numbers[min(3, row % 4 + (row % 8 == 0))] for row in range(80)]
    found = agreement_of(Hand(judges={"judge": once(judge)}, people={"A": people}, options=numbers).table())
    kappa = figure(found, "Cohen's kappa")
    assert kappa < figure(found, "Cohen's kappa, linear weights") < figure(found, "Cohen's kappa, quadratic weights")
    assert "weights" not in "".join(paradox().together.figures)


def test_models_and_splits_stand_apart_where_there_are_several() -> None:
    truth = ["yes", "no"] * 40
    hand = Hand(judges={"judge": once(truth)}, people={"Ana": truth[:70] + ["no"] * 10},
                models=["maker/a", "maker/b"] * 40)  # fmt: skip
    found = agreement_of(hand.table())
    assert [each.who for each in found.models] == ["maker/a", "maker/b"]
    assert [each.figures[ACCURACY].value for each in found.models] == pytest.approx([35 / 40, 1.0])
    assert found.splits == ()


@pytest.mark.parametrize(
    ("options", "says"), [({"disagreement": 0.0}, "--disagreement 0"), ({"epsilon": 1.0}, "--epsilon 1")]
)
def test_numbers_that_mean_nothing_are_refused(options: dict[str, float], says: str) -> None:
    with pytest.raises(InputError, match=says):
        AgreementOptions(**options)  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_figures() -> None:
    truth, rng = ["yes", "no"] * 60, np.random.default_rng(8)
    hand = Hand(judges={"judge": once(alike(0.8, truth, rng))}, people={"Ana": truth}, places=["JP", "NG", "DE"] * 40)
    assert plain(agreement_of(hand.table())) == plain(agreement_of(hand.table()))


def test_all_of_it_can_be_told_in_tables_and_in_json_without_a_number_that_is_none() -> None:
    truth, rng = ["yes", "no"] * 60, np.random.default_rng(8)
    judges = {name: [alike(0.8, [word] * 3, rng) for word in truth] for name in ("judge", "judge2")}
    hand = Hand(judges=judges, people={n: alike(0.9, truth, rng) for n in "ABC"}, places=["JP", "NG", "DE"] * 40,
                models=["maker/a", "maker/b"] * 60)  # fmt: skip
    found = agreement_of(hand.table())
    result = analyse(Agreements(simulated=False, tasks=(found,)))
    tables = [block for block in result.blocks or () if isinstance(block, TableBlock)]
    assert len(tables) > 8
    for each in tables:
        assert {len(row.cells) for row in each.rows} == {len(each.columns)}
        assert "nan" not in str(each.rows)
    assert b"NaN" not in encode(as_data(result))
