"""What models say of items: difficulty, discrimination, wrong keys, families, the reliability of the scale."""

import numpy as np
import pytest
from scipy.special import expit

from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.stats.items import item_statistics, rival_p, scale_reliability
from mores.tables.missing_texts import format_missing


def answered(skill: object, difficulty: object, seed: int) -> Floats:
    """Right and wrong by the logistic model: models by items."""
    chance = expit(np.asarray(skill, dtype=float)[:, None] - np.asarray(difficulty, dtype=float))
    return np.asarray(np.random.default_rng(seed).random(chance.shape) < chance, dtype=np.float64)


def test_shares_counts_and_flags_worked_by_hand() -> None:
    found = item_statistics(np.array([[1, 0, 1, np.nan], [1, 0, 0, 0.5], [1, 0, 0, 1]]))
    assert found.share.tolist() == pytest.approx([1, 0, 1 / 3, 0.75])
    assert found.models.tolist() == [3, 3, 3, 2]
    assert (found.right.tolist(), found.wrong.tolist()) == ([3, 0, 1, 1], [0, 3, 2, 0])
    assert found.everybody.tolist() == [True, False, False, False]
    assert found.nobody.tolist() == [False, True, False, False]


def test_fewer_than_eight_models_have_no_correlation() -> None:
    points = answered(np.linspace(-1, 1, 8), np.zeros(30), 0)
    assert np.isfinite(item_statistics(points).rest).any()
    few = item_statistics(points[:7])
    assert np.isnan(few.rest).all()
    assert np.isnan(few.p_negative).all()
    assert not few.negative.any()


def test_item_rest_correlation_leaves_the_item_itself_out() -> None:
    points = answered(np.linspace(-2, 2, 12), np.linspace(-1, 1, 20), 1)
    found = item_statistics(points).rest
    for item in (0, 7, 19):
        rest = np.delete(points, item, axis=1).mean(1)
        assert found[item] == pytest.approx(np.corrcoef(points[:, item], rest)[0, 1])


def test_ungraded_answers_are_left_out_and_are_no_zeros() -> None:
    points = answered(np.linspace(-2, 2, 12), np.zeros(20), 2)
    points[3, 5] = np.nan
    found, keep = item_statistics(points), np.arange(12) != 3
    rest = np.delete(points, 5, axis=1)[keep].mean(1)
    assert found.models[5] == 11
    assert found.rest[5] == pytest.approx(np.corrcoef(points[keep, 5], rest)[0, 1])


def test_an_item_that_the_better_models_miss_is_flagged() -> None:
    points = answered(np.linspace(-2, 2, 12), np.zeros(40), 3)
    points[:, 0] = np.arange(12) < 5
    found = item_statistics(points)
    assert found.negative[0]
    assert found.rest[0] < -0.5
    # 5 of 12 lowest: 1 in 792 at ranks; the normal with its correction says .003.
    assert found.p_negative[0] == pytest.approx(0.003, abs=0.001)


def test_one_weak_model_alone_flags_nothing() -> None:
    """Pearson's r is near -1 where the one model that is right lies far below; of 12 models any could be it."""
    points = np.vstack([np.zeros(50), np.ones((11, 50))])
    points[1:, 1:6] = np.random.default_rng(4).random((11, 5)) < 0.5
    points[:, 0] = np.arange(12) == 0
    found = item_statistics(points)
    assert found.rest[0] < -0.9
    assert not found.negative[0]


@pytest.mark.parametrize(("models", "share"), [(8, 0.5), (12, 0.5), (12, 0.15), (30, 0.7)])
def test_items_without_bearing_are_flagged_at_the_level_at_most(models: int, share: float) -> None:
    flagged = []
    for seed in range(25):
        points = answered(np.linspace(-1.5, 1.5, models), np.zeros(100), seed)
        points[:, :60] = np.random.default_rng(seed).random((models, 60)) < share
        flagged.append(item_statistics(points).negative[:60].mean())
    assert np.mean(flagged) <= 0.05 + 3 * (0.05 * 0.95 / 1500) ** 0.5


def test_alpha_is_kuder_and_richardsons_worked_by_hand() -> None:
    # Ten models on four items; sums 4 4 3 3 3 2 2 1 1 0, variance 161/90 = 1.7889 (of n - 1).
    rows = ["1111", "1111", "1110", "1110", "1101", "1100", "1010", "1000", "0100", "0000"]
    points = np.array([[int(each) for each in row] for row in rows], dtype=float)
    # Shares .8 .7 .5 .3: variances .16 .21 .25 .21, by 10/9 in all .9222.
    found = scale_reliability(points)
    assert found.value == pytest.approx(4 / 3 * (1 - 0.83 * 10 / 9 / points.sum(1).var(ddof=1)))
    assert (found.models, found.items) == (10, 4)
    # Kuder and Richardson's own form, with variances of n.
    share = points.mean(0)
    assert found.value == pytest.approx(4 / 3 * (1 - float((share * (1 - share)).sum()) / points.sum(1).var()))
    assert found.low is not None
    assert found.high is not None
    assert found.value is not None
    assert found.low < found.value < found.high <= 1


def test_few_models_alike_models_and_one_item_have_no_alpha() -> None:
    points = answered(np.linspace(-1, 1, 8), np.zeros(30), 0)
    for table, why in (
        (points[:7], "too few models: 7"),
        (np.ones((9, 5)), "the same sum"),
        (points[:, :1], "fewer than two items"),
    ):
        found = scale_reliability(table)
        assert (found.value, found.low, found.high) == (None, None, None)
        assert why in format_missing(found.missing)


def test_the_interval_of_alpha_covers() -> None:
    """60 items of the logistic model and 12 models drawn anew; the truth from 20,000 of them."""
    rng, difficulty = np.random.default_rng(7), np.linspace(-2, 2, 60)
    truth = scale_reliability(answered(rng.normal(0, 0.7, 20_000), difficulty, 0)).value
    held = 0
    for seed in range(300):
        found = scale_reliability(answered(rng.normal(0, 0.7, 12), difficulty, seed))
        assert truth is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert held / 300 >= 0.95 - 3 * (0.05 * 0.95 / 300) ** 0.5


def test_another_answer_of_the_better_models_has_wilcoxons_exact_p() -> None:
    # The weakest of six gave the key: of 64 signs, those with a rank sum of at least 20 of 21 are two.
    assert rival_p([0.1], [0.2, 0.3, 0.4, 0.5, 0.6], 1) == pytest.approx(2 / 64)
    assert rival_p([0.1], [0.2, 0.3, 0.4, 0.5, 0.6], 3) == pytest.approx(6 / 64)
    assert rival_p([0.9], [0.2, 0.3, 0.4, 0.5, 0.6], 1) > 0.2
    assert rival_p([], [0.5] * 5, 1) == pytest.approx(1 / 32)
    assert rival_p([0.5] * 5, [], 3) == 1


@pytest.mark.parametrize("models", [8, 20])
def test_guessed_items_say_otherwise_at_the_level_at_most(models: int) -> None:
    rng, found = np.random.default_rng(models), 0
    skill = np.sort(rng.random(models))
    for _ in range(500):
        said = rng.integers(0, 4, models)
        most = 1 + int(np.bincount(said, minlength=4)[1:].argmax())
        found += rival_p(skill[said == 0], skill[said == most], 3) < 0.05
    assert found / 500 <= 0.05 + 3 * (0.05 * 0.95 / 500) ** 0.5


def test_a_wrong_key_among_a_hundred_items_is_flagged_and_others_are_not() -> None:
    """12 models that know .4 to .95, four options, an item that three of four know: its key is another option."""
    caught, false = 0, 0.0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        difficulty = np.r_[-0.5, rng.normal(0, 0.7, 99)]
        knows = answered(np.log(np.linspace(0.4, 0.95, 12) / (1 - np.linspace(0.4, 0.95, 12))), difficulty, seed) == 1
        said = np.where(knows, 0, rng.integers(1, 4, knows.shape))
        points = (said == 0).astype(float)
        points[:, 0] = said[:, 0] == 1
        found, rest = item_statistics(points), points[:, 1:].mean(1)
        p = rival_p(rest[said[:, 0] == 1], rest[said[:, 0] == 0], 3)
        caught += bool(found.negative[0] or found.nobody[0] or p < 0.05)
        false += found.negative[1:].mean()
    assert caught / 60 >= 0.75
    assert false / 60 <= 0.01


def test_what_is_no_table_of_shares_is_refused() -> None:
    with pytest.raises(InputError, match="dimensions"):
        item_statistics([1, 0])
    with pytest.raises(InputError, match="outside"):
        scale_reliability([[2, 0], [1, 1]])


def test_models_of_one_family_count_as_one() -> None:
    """Copies of six models say what the six say; of four families nothing is claimed."""
    points = answered(np.linspace(-2, 2, 6), np.zeros(40), 3)
    points[:, 0] = np.arange(6) < 3
    twice, families = np.tile(points, (2, 1)), np.tile(np.arange(6), 2)
    one = item_statistics(points[:, :]).p_negative
    assert np.isnan(one).all()  # six models
    found = item_statistics(twice, families).p_negative
    assert found[0] < 0.05
    assert found[0] > item_statistics(twice).p_negative[0]
    assert np.isnan(item_statistics(twice, np.arange(12) // 3).p_negative).all()
    assert np.isfinite(item_statistics(twice, np.arange(12) // 3).rest).any()


def test_each_model_its_own_family_changes_nothing() -> None:
    points = answered(np.linspace(-2, 2, 12), np.linspace(-1, 1, 30), 4)
    assert np.array_equal(item_statistics(points, range(12)).p_negative, item_statistics(points).p_negative)
    assert scale_reliability(points, range(12)) == scale_reliability(points)
    keyed, rival = [0.1, 0.4], [0.2, 0.3, 0.5, 0.6, 0.7]
    assert rival_p(keyed, rival, 2, ([0, 1], [2, 3, 4, 5, 6])) == rival_p(keyed, rival, 2)


def test_copies_lend_a_rival_no_more_weight() -> None:
    """Five families that all say otherwise have one chance in 32, however many models each has."""
    assert rival_p([], [0.2, 0.3, 0.4, 0.5, 0.6] * 3, 1, ([], [0, 1, 2, 3, 4] * 3)) == pytest.approx(1 / 32)
    # a family that is split one way and the other tells by what is left of it
    assert rival_p([0.1], [0.1, *[0.2, 0.3, 0.4, 0.5, 0.6]], 1, ([0], [0, 1, 2, 3, 4, 5])) == pytest.approx(1 / 32)


def test_alpha_of_few_families_is_none_and_of_alike_families_wider() -> None:
    rng = np.random.default_rng(6)
    skill = np.repeat(rng.normal(0, 1, 8), 3) + rng.normal(0, 0.2, 24)
    points = answered(skill, np.linspace(-1, 1, 40), 7)
    alone, found = scale_reliability(points), scale_reliability(points, np.arange(24) // 3)
    assert None not in (alone.low, alone.high, found.low, found.high)
    assert (found.high or 0) - (found.low or 0) > (alone.high or 0) - (alone.low or 0)
    assert (found.models, found.families) == (24, 8)
    few = scale_reliability(points, np.arange(24) % 4)
    assert "too few families of models: 4" in format_missing(few.missing)
