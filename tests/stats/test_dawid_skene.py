"""What several judges' verdicts say about the truth."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.stats import dawid_skene, majority_vote

N = float("nan")
Verdicts = npt.NDArray[np.float64]


def judged(
    items: int, accuracies: list[float], seed: int, *, classes: int = 2
) -> tuple[Verdicts, npt.NDArray[np.int64]]:
    """Verdicts of judges that err independently of each other, and the truth."""
    dice = np.random.default_rng(seed)
    truth = dice.integers(0, classes, items)
    wrong = (truth[:, None] + dice.integers(1, classes, (items, len(accuracies)))) % classes
    return np.where(dice.random(wrong.shape) < accuracies, truth[:, None], wrong).astype(float), truth


def test_planted_accuracies_and_shares_are_found_again() -> None:
    verdicts, truth = judged(4000, [0.9, 0.8, 0.7, 0.6], 0)
    found = dawid_skene(verdicts, 2)
    assert found.settled
    assert found.accuracies == pytest.approx([0.9, 0.8, 0.7, 0.6], abs=0.025)
    assert found.classes == pytest.approx([0.5, 0.5], abs=0.03)
    assert np.mean(found.posterior.argmax(1) == truth) > np.mean(majority_vote(verdicts, 2) == truth)


def test_uneven_errors_are_found_again() -> None:
    dice = np.random.default_rng(1)
    truth = (dice.random(6000) < 0.2).astype(int)
    chance = np.array([[0.05, 0.7], [0.2, 0.9], [0.1, 0.8]])  # of saying 1, given 0 and given 1
    verdicts = (dice.random((6000, 3)) < chance[:, truth].T).astype(float)
    found = dawid_skene(verdicts, 2)
    assert found.confusion[:, :, 1] == pytest.approx(chance, abs=0.05)
    assert found.classes[1] == pytest.approx(0.2, abs=0.03)


def test_gaps_are_no_verdicts() -> None:
    verdicts, _ = judged(4000, [0.9, 0.8, 0.7], 2, classes=3)
    verdicts[np.random.default_rng(0).random(verdicts.shape) < 0.3] = N
    verdicts = verdicts[~np.isnan(verdicts).all(1)]
    assert dawid_skene(verdicts, 3).accuracies == pytest.approx([0.9, 0.8, 0.7], abs=0.04)


@settings(max_examples=20)
@given(st.integers(0, 999), st.permutations([0, 1, 2]), st.permutations([0, 1, 2]))
def test_names_and_order_of_classes_judges_and_items_do_not_matter(
    seed: int, names: list[int], judges: list[int]
) -> None:
    verdicts, _ = judged(200, [0.9, 0.75, 0.8], seed, classes=3)
    one = dawid_skene(verdicts, 3)
    renamed = np.array(names, dtype=float)[verdicts.astype(int)]
    other = dawid_skene(renamed[::-1][:, judges], 3)
    assert other.accuracies == pytest.approx(one.accuracies[judges], abs=1e-4)
    assert other.posterior[::-1][:, names] == pytest.approx(one.posterior, abs=1e-3)


@given(st.integers(0, 99), st.integers(1, 6))
def test_each_round_makes_the_verdicts_more_likely(seed: int, steps: int) -> None:
    verdicts, _ = judged(60, [0.8, 0.7, 0.6], seed)
    less, more = (dawid_skene(verdicts, 2, steps=s).log_likelihood for s in (steps, steps + 1))
    assert more >= less - 1e-2  # up to the hundredth of a unit that each judge is taken to have said before
    assert np.all((found := dawid_skene(verdicts, 2)).posterior >= 0)
    assert found.posterior.sum(1) == pytest.approx(1)


def test_a_bias_that_judges_share_is_called_truth_and_it_says_so() -> None:
    """Three judges call half of the violations fine, all of them the same ones."""
    dice = np.random.default_rng(3)
    truth = dice.integers(0, 2, 3000)
    seen = np.where((truth == 1) & (dice.random(3000) < 0.5), 0, truth)
    verdicts = np.where(dice.random((3000, 3)) < 0.95, seen[:, None], 1 - seen[:, None]).astype(float)
    found = dawid_skene(verdicts, 2)
    assert found.accuracies == pytest.approx([0.95] * 3, abs=0.02)  # really .72
    assert found.classes[1] == pytest.approx(0.25, abs=0.03)  # really .5
    assert "a bias that they share counts as truth" in found.caveat


def test_anchors_stay_as_people_labelled_them_and_teach_the_rest() -> None:
    verdicts, truth = judged(600, [0.7, 0.65, 0.6], 4)
    anchors = np.where(np.arange(600) < 300, truth, N)
    found = dawid_skene(verdicts, 2, anchors=anchors)
    assert np.array_equal(found.posterior[:300].argmax(1), truth[:300])
    assert set(found.posterior[:300].ravel()) == {0.0, 1.0}
    assert found.anchors == 300
    assert "independently given the truth" in found.caveat
    off = np.abs(found.accuracies - [0.7, 0.65, 0.6]).max()
    assert off < 0.06


def test_judges_that_are_mostly_wrong_are_turned_round_only_by_anchors() -> None:
    verdicts, truth = judged(2000, [0.2, 0.25, 0.3], 5)
    assert np.mean(dawid_skene(verdicts, 2).posterior.argmax(1) == truth) < 0.3
    anchored = dawid_skene(verdicts, 2, anchors=np.where(np.arange(2000) < 200, truth, N), steps=5000)
    assert np.mean(anchored.posterior[200:].argmax(1) == truth[200:]) > 0.7


def test_rounds_can_run_out() -> None:
    verdicts, _ = judged(100, [0.7, 0.6, 0.55], 6)
    found = dawid_skene(verdicts, 2, steps=1)
    assert (found.steps, found.settled) == (1, False)


@pytest.mark.parametrize(
    ("verdicts", "anchors", "says"),
    [
        ([[0, 1], [1, 1]], None, "of 2 judges; expected at least 3"),
        ([[0, 1, N], [1, 1, N]], None, "of 2 judges"),
        ([[0, 1, 1], [N, N, N]], None, "an item has no verdict"),
        ([[0, 1, 2]], None, "no code 0 to 1"),
        ([[0, 1, 1]], [0, 1], "anchors have shape"),
        ([[0, 1, 1]], [2], "expected 1 codes 0 to 1"),
    ],
)
def test_verdicts_that_cannot_tell_are_refused(
    verdicts: list[list[float]], anchors: list[float] | None, says: str
) -> None:
    with pytest.raises(InputError, match=says):
        dawid_skene(verdicts, 2, anchors=anchors)
