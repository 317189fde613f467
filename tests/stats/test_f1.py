"""F1 of single-label answers and its intervals."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from mores.core.errors import InputError
from mores.stats.classification import f1_interval, f1_scores
from mores.stats.intervals import Interval, wilson
from mores.tables.missing_texts import format_missing

CLASSES = ["yes", "no", "neutral"]
Codes = npt.NDArray[np.int64]
answers = st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 2)), min_size=1, max_size=60)


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


@given(answers)
def test_it_is_that_of_scikit_learn_over_the_given_classes(pairs: list[tuple[int, int]]) -> None:
    gold, said = zip(*pairs, strict=True)
    scores = f1_scores(gold, said, CLASSES)
    assert scores.macro == pytest.approx(f1_score(gold, said, labels=[0, 1, 2], average="macro", zero_division=0))
    assert scores.micro == pytest.approx(f1_score(gold, said, labels=[-1, 0, 1, 2], average="micro", zero_division=0))


def test_worked_by_hand() -> None:
    # yes: 1 right of 2 gold and 1 said, 2/3; no: 1 right of 2 gold and 2 said, 1/2; neutral: nobody's, 0
    scores = f1_scores([0, 0, 1, 1], [0, 1, 1, -1], CLASSES)
    assert scores.macro == pytest.approx(7 / 18)
    assert scores.micro == 0.5


@given(answers)
def test_an_answer_that_cannot_be_read_never_raises_f1(pairs: list[tuple[int, int]]) -> None:
    gold, said = (np.array(column) for column in zip(*pairs, strict=True))
    right = np.flatnonzero(gold == said)
    unread = said.copy()
    unread[right[:1]] = -1
    assert f1_scores(gold, unread, CLASSES).macro <= f1_scores(gold, said, CLASSES).macro
    assert f1_scores(gold, unread, CLASSES).micro <= f1_scores(gold, said, CLASSES).micro


def test_no_answers_have_no_f1() -> None:
    scores = f1_scores([], [], CLASSES)
    assert np.isnan(scores).all()


@pytest.mark.parametrize(
    ("gold", "said", "says"),
    [
        ([3], [0], "gold has the code 3; expected 0 to 2 for 3 classes"),
        ([-1], [0], "gold has the code -1"),
        ([0], [3], "predicted has the code 3; expected -1 to 2"),
        ([0], [-2], "predicted has the code -2"),
        ([0, 1], [0], "gold and predicted"),
    ],
)
def test_codes_outside_the_classes_are_refused(gold: list[int], said: list[int], says: str) -> None:
    with pytest.raises(InputError, match=says):
        f1_scores(gold, said, CLASSES)


def answered(n: int, rng: np.random.Generator, prior: list[float], accuracy: float = 0.8) -> tuple[Codes, Codes]:
    """Gold labels drawn from the prior; a wrong answer is the next class."""
    gold = rng.choice(3, n, p=prior)
    return gold, np.where(rng.random(n) < accuracy, gold, (gold + 1) % 3)


def macro_interval(gold: Codes, said: Codes, clusters: npt.ArrayLike, confidence: float = 0.95) -> Interval:
    return f1_interval(gold, said, CLASSES, clusters, confidence=confidence)


def test_macro_is_within_its_interval_and_it_within_bounds() -> None:
    gold, said = answered(60, np.random.default_rng(0), [0.5, 0.3, 0.2])
    low, high = ends(macro_interval(gold, said, np.arange(60) // 3))
    assert 0 <= low < f1_scores(gold, said, CLASSES).macro < high <= 1


def test_asking_for_more_confidence_never_narrows() -> None:
    gold, said = answered(60, np.random.default_rng(0), [0.5, 0.3, 0.2])
    low, high = ends(macro_interval(gold, said, range(60), 0.9))
    wide_low, wide_high = ends(macro_interval(gold, said, range(60), 0.99))
    assert wide_low < low
    assert high < wide_high


def test_all_right_has_the_interval_of_as_many_units_spread_over_classes() -> None:
    gold = np.repeat([0, 1, 2], [20, 10, 5])
    # 9 / (1/20 + 1/10 + 1/5) = 25.7 units, with a t quantile
    low, high = ends(macro_interval(gold, gold, range(35)))
    assert high == 1
    assert wilson(20, 20).low < low < wilson(27, 27).low  # type: ignore[operator]


def test_too_few_clusters_have_no_interval() -> None:
    gold = np.repeat([0, 1, 2], 7)
    assert (
        format_missing(macro_interval(gold, gold, np.arange(21) // 3).missing)
        == "too few clusters: 7, at least 8 are needed"
    )


def test_a_class_hardly_seen_has_no_interval_and_it_says_which() -> None:
    gold = np.repeat([0, 1, 2], [20, 10, 2])
    assert (
        format_missing(macro_interval(gold, gold, range(32)).missing)
        == "too few clusters of class 'neutral': 2, at least 3 are needed"
    )


def test_nothing_graded_has_no_interval() -> None:
    assert (
        format_missing(macro_interval(np.array([], dtype=int), np.array([], dtype=int), []).missing) == "nothing graded"
    )


def test_strata_of_different_difficulty_narrow_macro() -> None:
    rng = np.random.default_rng(0)
    easy, hard = answered(200, rng, [0.4, 0.3, 0.3], 0.99), answered(200, rng, [0.4, 0.3, 0.3], 0.2)
    gold, said = np.concatenate((easy[0], hard[0])), np.concatenate((easy[1], hard[1]))
    low, high = ends(f1_interval(gold, said, CLASSES, range(400), strata=np.repeat([0, 1], 200)))
    plain_low, plain_high = ends(macro_interval(gold, said, range(400)))
    assert high - low < 0.9 * (plain_high - plain_low)


@pytest.mark.parametrize("n", [50, 200])
def test_macro_is_covered(n: int) -> None:
    """Nominal .95 over 1,500 draws: three standard errors are .017."""
    rng, prior = np.random.default_rng(5), [0.5, 0.3, 0.2]
    given_by_gold, right = np.array(prior), 0.8 * np.array(prior)
    truth = np.mean(2 * right / (given_by_gold + right + 0.2 * np.roll(given_by_gold, 1)))
    held = []
    for _ in range(1500):
        interval = macro_interval(*answered(n, rng, prior), range(n))
        if interval.low is not None and interval.high is not None:
            held.append(interval.low <= truth <= interval.high)
    assert len(held) > 1450
    assert 0.94 - 0.017 <= np.mean(held) <= 0.965 + 0.017
