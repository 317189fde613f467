"""Whether a judge may stand in for people."""

from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp
from statsmodels.stats.multitest import multipletests

from mores.core.errors import InputError
from mores.stats.alt_test import ALT_EPSILON, AltTest, alt_test
from mores.tables.missing_texts import format_missing

N = float("nan")
Table = npt.NDArray[np.float64]
Distance = Literal["equal", "points"]


def by_the_letter(judge: Table, people: Table, epsilon: float, distance: Distance) -> tuple[float, float]:
    """Winning rate and advantage by loops over items, as the paper says it: a second way to the same figures."""

    def score(one: float, others: list[float]) -> float:
        if distance == "equal":
            return float(np.mean([one == other for other in others]))
        return -round(float(np.sqrt(np.mean([(one - other) ** 2 for other in others]))), 12)

    items = [i for i in range(len(judge)) if not np.isnan(judge[i]) and (~np.isnan(people[i])).sum() >= 2]
    p, advantages = [], []
    for j in range(people.shape[1]):
        own = [i for i in items if not np.isnan(people[i, j])]
        if len(own) < 30:
            continue
        judge_wins, person_wins = [], []
        for i in own:
            others = [people[i, k] for k in range(people.shape[1]) if k != j and not np.isnan(people[i, k])]
            judged, said = score(judge[i], others), score(people[i, j], others)
            judge_wins.append(judged >= said)
            person_wins.append(said >= judged)
        ahead = np.array(person_wins, dtype=float) - np.array(judge_wins)
        p.append(
            ttest_1samp(ahead, epsilon, alternative="less").pvalue if np.ptp(ahead) else float(ahead[0] >= epsilon)
        )
        advantages.append(np.mean(judge_wins))
    beaten = multipletests(p, 0.05, method="fdr_by")[0]
    return float(np.mean(beaten)), float(np.mean(advantages))


def labelled(items: int, right: float, seed: int, *, missing: float = 0.2) -> tuple[Table, Table]:
    """A judge that is right so often and four people of different quality, with gaps."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, items)
    accuracy = np.array([right, 0.9, 0.75, 0.7, 0.6])
    said = np.where(rng.random((items, 5)) < accuracy, truth[:, None], rng.integers(0, 4, (items, 5))).astype(float)
    said[:, 1:][rng.random((items, 4)) < missing] = N
    return said[:, 0], said[:, 1:]


def held(judge: npt.ArrayLike, people: npt.ArrayLike, epsilon: float = 0.15) -> AltTest:
    return alt_test(judge, people, ["Ana", "Bo", "Cy", "Dee"], epsilon=epsilon)


@settings(max_examples=40)
@given(
    st.integers(40, 120),
    st.floats(0.3, 0.95),
    st.integers(0, 999),
    st.sampled_from([0.0, 0.1, 0.15, 0.2]),
    st.sampled_from(["equal", "points"]),
)
def test_it_is_the_test_of_the_paper(items: int, right: float, seed: int, epsilon: float, distance: Distance) -> None:
    judge, people = labelled(items, right, seed)
    if (~np.isnan(people)).sum(0).min() < 36:
        return
    found = alt_test(judge, people, ["Ana", "Bo", "Cy", "Dee"], epsilon=epsilon, distance=distance)
    assert (found.winning_rate, found.advantage) == pytest.approx(by_the_letter(judge, people, epsilon, distance))
    assert found.passed == (found.winning_rate >= 0.5)


def test_worked_by_hand() -> None:
    """Forty items, three people; Cy says the other label on the last ten, the judge on the last five."""
    people = np.zeros((40, 3))
    people[30:, 2] = 1
    judge = np.zeros(40)
    judge[35:] = 1
    found = alt_test(judge, people, ["Ana", "Bo", "Cy"], epsilon=0.15)
    ana, _, cy = found.people
    # Against Ana: alike on 35; on 5 the judge is with Cy and not with Bo, Ana the other way round: a draw.
    assert (ana.judge_wins, ana.person_wins) == (1, 1)
    assert ana.p == 0
    # Against Cy: on 5 the judge is nearer to Ana and Bo, else they draw.
    assert (cy.judge_wins, cy.person_wins) == (1, 35 / 40)
    assert found.advantage == 1
    assert found.passed is True


def test_a_good_judge_passes_and_a_poor_one_does_not() -> None:
    good = held(*labelled(100, 0.9, 1))
    poor = held(*labelled(100, 0.4, 1))
    assert good.passed is True
    assert poor.passed is False
    assert good.advantage > poor.advantage


def test_a_larger_epsilon_never_makes_it_harder() -> None:
    judge, people = labelled(80, 0.7, 2)
    rates = [held(judge, people, epsilon).winning_rate for epsilon in (0.0, *sorted(ALT_EPSILON.values()))]
    assert rates == sorted(rates)
    assert sorted(ALT_EPSILON.values()) == [0.1, 0.15, 0.2]


def test_order_of_items_and_names_of_labels_do_not_matter() -> None:
    judge, people = labelled(80, 0.7, 3)
    order, renamed = np.random.default_rng(0).permutation(80), np.array([7.0, 2, 9, 4])

    def called(labels: Table) -> Table:
        return np.where(np.isnan(labels), N, renamed[np.nan_to_num(labels).astype(int)])

    one, other = held(judge, people), held(called(judge)[order], called(people)[order])
    assert [vars_of.p for vars_of in one.people] == pytest.approx([vars_of.p for vars_of in other.people])
    assert one.winning_rate == other.winning_rate


def test_a_person_with_too_few_items_is_left_out_and_named() -> None:
    judge, people = labelled(60, 0.8, 4, missing=0)
    people[29:, 3] = N
    found = held(judge, people)
    assert found.left_out == (("Dee", 29),)
    assert [one.name for one in found.people] == ["Ana", "Bo", "Cy"]
    assert found.passed is not None


def test_two_people_are_too_few_for_a_judge_to_pass() -> None:
    judge, people = labelled(60, 0.8, 4, missing=0)
    found = alt_test(judge, people[:, :2], ["Ana", "Bo"], epsilon=0.2)
    assert found.passed is None
    assert format_missing(found.missing) == "people with 30 items or more: 2; at least 3 are needed"
    assert 0 <= found.winning_rate <= 1
    none = alt_test(judge[:9], people[:9], ["Ana", "Bo", "Cy", "Dee"], epsilon=0.2)
    assert np.isnan([none.winning_rate, none.advantage]).all()


def test_items_without_a_verdict_or_a_second_person_do_not_count() -> None:
    judge, people = labelled(60, 0.8, 5, missing=0)
    more = np.array([[1, 1, 1, 1], [1, N, N, N]])
    assert held(np.append(judge, [N, 1]), np.concatenate((people, more))) == held(judge, people)


def test_episodes_are_units_where_items_hang_together() -> None:
    """Each item copied four times: no more is known, and with clusters nothing is claimed."""
    judge, people = labelled(60, 0.7, 6, missing=0)
    names = ["Ana", "Bo", "Cy", "Dee"]
    copies = np.repeat(np.arange(60), 4)
    honest = alt_test(judge[copies], people[copies], names, epsilon=0.1, clusters=copies)
    naive = alt_test(judge[copies], people[copies], names, epsilon=0.1)
    once = alt_test(judge, people, names, epsilon=0.1)
    assert [one.p for one in honest.people] == pytest.approx([one.p for one in once.people])
    assert all(a.p <= b.p for a, b in zip(naive.people, honest.people, strict=True) if b.p < 0.45)
    few = alt_test(judge, people, names, epsilon=0.1, clusters=np.arange(60) % 7)
    assert len(few.left_out) == 4


def test_a_judge_no_worse_than_epsilon_rarely_passes_by_luck() -> None:
    """At the border of the null a person is beaten in at most .05 of draws, plus three standard errors."""
    rng, beaten = np.random.default_rng(9), 0
    for _ in range(600):
        # Two agree on each item; the third, set aside, is right .9 of the time, the judge .2 less: epsilon is .2.
        u = rng.random(100)
        people = np.zeros((100, 3))
        people[:, 2] = u > 0.9
        judge = (rng.random(100) > 0.7).astype(float)
        found = alt_test(judge, people, ["Ana", "Bo", "Cy"], epsilon=0.2)
        beaten += found.people[2].p <= 0.05
    assert beaten / 600 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 600)


@pytest.mark.parametrize(
    ("judge", "names", "epsilon", "says"),
    [
        ([0, 1], ["Ana"], 0.1, "1 names for 2 people"),
        ([0, 1], ["Ana", "Bo"], 1.0, "epsilon is 1.0"),
        ([0], ["Ana", "Bo"], 0.1, "judge and people"),
    ],
)
def test_a_test_that_cannot_be_is_refused(judge: list[int], names: list[str], epsilon: float, says: str) -> None:
    with pytest.raises(InputError, match=says):
        alt_test(judge, [[0, 1], [1, 1]], names, epsilon=epsilon)
