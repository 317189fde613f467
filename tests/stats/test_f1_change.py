"""The change of macro F1 between two ways to answer the same items: its value, its interval and its test."""

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.metrics import f1_score

from mores.core.seeds import Seed
from mores.stats.classification import F1Change, F1SwapTest, f1_swapped
from mores.stats.clusters import clustered

CLASSES = ("no", "neutral", "yes")
Codes = npt.NDArray[np.int64]


def counts_of(gold: Codes, said: Codes, classes: int = 3) -> npt.NDArray[np.float64]:
    is_gold, is_said = (each[:, None] == np.arange(classes) for each in (gold, said))
    return np.stack([is_gold & is_said, is_gold, is_said], axis=1).astype(float)


def swapped(
    gold: Codes, *models: tuple[Codes, Codes], clusters: npt.ArrayLike | None = None, seed: int = 0
) -> F1SwapTest:
    ways = [np.stack([counts_of(gold, said) for said in model], axis=1) for model in models]
    codes = clustered(range(len(gold)) if clusters is None else clusters, None, len(gold))
    return f1_swapped(np.stack(ways, axis=1), codes, CLASSES, Seed(f"f1-{seed}"))


def answered(rng: np.random.Generator, n: int, *accuracies: float, alike: float = 0.6) -> tuple[Codes, ...]:
    """Gold labels, and answers that are right together more often than by chance; a wrong one is any other class."""
    gold, luck, slip = rng.choice(3, n, p=(0.4, 0.3, 0.3)), rng.random(n), rng.integers(1, 3, n)
    own = [np.where(rng.random(n) < alike, luck, rng.random(n)) for _ in accuracies]
    return gold, *(np.where(u < a, gold, (gold + slip) % 3) for u, a in zip(own, accuracies, strict=True))


def test_both_are_macro_f1_and_the_change_their_difference() -> None:
    gold, one, other = answered(np.random.default_rng(1), 60, 0.6, 0.8)
    found = swapped(gold, (one, other)).change()
    for value, said in ((found.first, one), (found.second, other)):
        assert value == pytest.approx(f1_score(gold, said, average="macro", zero_division=0))
    assert found.difference == pytest.approx(found.second - found.first)


def test_a_class_that_one_way_never_gives_counts_where_it_is_given() -> None:
    gold = np.repeat([0, 2], 10)
    strayed = np.where(np.arange(20) == 0, 1, gold)
    found = swapped(gold, (gold, strayed)).change()
    # Nobody gives the middle class the first time: two classes, all right. Then it is said once, of three, wrongly.
    assert found.first == 1
    assert found.second == pytest.approx((18 / 19 + 1 + 0) / 3)


def test_an_answer_that_cannot_be_read_lowers_it() -> None:
    gold = np.repeat([0, 1, 2], 10)
    unread = np.where(np.arange(30) < 3, -1, gold)
    assert swapped(gold, (gold, unread)).change().difference < 0


def test_ways_that_answer_alike_do_not_differ() -> None:
    gold, one = answered(np.random.default_rng(2), 60, 0.7)
    found = swapped(gold, (one, one)).change()
    assert (found.difference, found.p) == (0, 1)
    assert found.interval.low is not None
    assert found.interval.low < 0


def test_the_mean_over_models_is_that_of_their_changes_and_surer_than_one() -> None:
    gold, *said = answered(np.random.default_rng(3), 200, 0.6, 0.7, 0.6, 0.7, 0.6, 0.7, alike=0.2)
    pairs = list(zip(said[::2], said[1::2], strict=True))
    whole, each = swapped(gold, *pairs).change(), [swapped(gold, pair).change() for pair in pairs]
    assert whole.difference == pytest.approx(np.mean([one.difference for one in each]))
    assert width(whole) < min(map(width, each))


def width(found: F1Change) -> float:
    assert found.interval.low is not None
    assert found.interval.high is not None
    return found.interval.high - found.interval.low


def test_items_of_a_cluster_are_worth_less_than_as_many_alone() -> None:
    rng = np.random.default_rng(4)
    gold, one, other = (np.repeat(each, 5) for each in answered(rng, 40, 0.6, 0.75))
    together = swapped(gold, (one, other), clusters=np.repeat(np.arange(40), 5)).change()
    alone = swapped(gold, (one, other)).change()
    assert width(together) > 1.5 * width(alone)
    assert together.p > alone.p


def test_a_mean_over_sets_counts_them_alike() -> None:
    rng = np.random.default_rng(5)
    parts = [swapped(gold, (one, other), seed=n) for n, (gold, one, other) in enumerate(
        answered(rng, size, 0.6, 0.8) for size in (40, 400)
    )]  # fmt: skip
    found, each = F1SwapTest.over(parts).change(), [part.change() for part in parts]
    assert found.difference == pytest.approx(np.mean([one.difference for one in each]))
    assert width(each[1]) < width(found) < width(each[0])


def test_too_few_clusters_or_a_rare_class_have_a_test_and_no_interval() -> None:
    gold, one, other = answered(np.random.default_rng(6), 6, 0.6, 0.8)
    few = swapped(gold, (one, other)).change()
    assert few.interval.missing is not None
    assert few.interval.missing.code == "too_few_clusters"
    gold = np.repeat([0, 1, 2], [20, 20, 2])
    rare = swapped(gold, (gold, gold)).change()
    assert rare.interval.missing is not None
    assert (rare.interval.missing.code, rare.interval.missing.told) == ("too_few_clusters_of_class", "yes")
    assert 0 < rare.p <= 1


def test_swaps_are_the_same_dice_again() -> None:
    gold, one, other = answered(np.random.default_rng(7), 60, 0.6, 0.7)
    assert swapped(gold, (one, other)).change() == swapped(gold, (one, other)).change()


@pytest.mark.parametrize(("n", "accuracies"), [(60, (0.7, 0.7)), (60, (0.6, 0.8)), (300, (0.7, 0.75))])
def test_the_interval_covers_and_the_test_rejects_no_more_than_it_may(
    n: int, accuracies: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over 400 draws: three standard errors of .95 are .033."""
    monkeypatch.setattr("mores.stats.classification.SWAPS", 499)
    gold, *said = answered(np.random.default_rng(0), 200_000, *accuracies)
    truth = np.subtract(*(f1_score(gold, each, average="macro") for each in said[::-1]))
    held, rejected = 0, 0
    for draw in range(400):
        gold, one, other = answered(np.random.default_rng(draw + 1), n, *accuracies)
        found = swapped(gold, (one, other), seed=draw).change()
        assert found.interval.low is not None
        assert found.interval.high is not None
        held += found.interval.low <= truth <= found.interval.high
        rejected += found.p <= 0.05
    assert held >= (0.95 - 0.033) * 400
    if accuracies[0] == accuracies[1]:
        assert rejected <= (0.05 + 0.033) * 400
