"""Models in order: what their rank intervals promise, and that the plain bootstrap does not keep it."""

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.paired import compare_paired
from mores.stats.rankings import Ranking, rank_models
from mores.stats.ranks import holm
from mores.tables.missing_texts import format_missing
from tests.stats.drawing import draws, luck

SEED = Seed("tests")
Values = npt.NDArray[np.float64]


def answers(rng: np.random.Generator, shares: Values, clusters: int, each: int) -> Values:
    """Right and wrong answers of models: easy and hard clusters are so for all, and some for one model alone."""
    shared, own = rng.normal(size=(1, clusters, 1)), rng.normal(size=(len(shares), clusters, 1))
    luck = rng.normal(size=(len(shares), clusters, each))
    latent = 0.6 * shared + 0.4 * own * (each > 1) + luck
    cut = np.quantile(0.6 * rng.normal(size=20_000) + rng.normal(size=20_000), 1 - shares)
    return np.asarray((latent > cut[:, None, None]).reshape(len(shares), -1), dtype=np.float64)


def true_ranks(shares: Values) -> list[tuple[int, int]]:
    """All ranks that are true of each model: of equals any."""
    return [(1 + int(np.sum(shares > own)), int(np.sum(shares >= own))) for own in shares]


def holds(found: Ranking, shares: Values) -> bool:
    ranges = zip(found.models, true_ranks(shares), strict=True)
    return all(m.low is not None and m.high is not None and m.low <= a and b <= m.high for m, (a, b) in ranges)


EQUAL, TIED, SPREAD = np.full(4, 0.6), np.array([0.7, 0.7, 0.55, 0.55]), np.array([0.8, 0.7, 0.6, 0.5])
DESIGNS = [(12, 5), (40, 3), (150, 1)]


@draws(60, 200)
@pytest.mark.parametrize("shares", [EQUAL, TIED, SPREAD], ids=["all equal", "two ties", "no ties"])
@pytest.mark.parametrize(("clusters", "each"), DESIGNS)
def test_all_rank_intervals_hold_all_true_ranks_at_once(shares: Values, clusters: int, each: int, draws: int) -> None:
    """In at least .95 of draws, less three standard errors."""
    rng, of = np.random.default_rng(7), np.repeat(np.arange(clusters), each)
    held = sum(
        holds(rank_models(answers(rng, shares, clusters, each), of, resamples=200, seed=SEED), shares)
        for _ in range(draws)
    )
    assert held / draws >= 0.95 - luck(0.95, draws)


@draws(120, 300)
@pytest.mark.parametrize("models", [3, 10])
def test_equal_models_are_rarely_told_from_the_first_or_from_each_other(models: int, draws: int) -> None:
    rng, false = np.random.default_rng(3), 0
    for _ in range(draws):
        found = rank_models(answers(rng, np.full(models, 0.6), 120, 1), range(120), resamples=100, seed=SEED)
        false += bool(np.nanmin(found.p_holm) < 0.05)
    assert false / draws <= 0.05 + luck(0.05, draws)


def test_percentiles_of_bootstrapped_ranks_alone_would_fail_the_same_test() -> None:
    rng, draws, held = np.random.default_rng(5), 100, 0
    for _ in range(draws):
        points = answers(rng, EQUAL, 150, 1)
        sums = rng.multinomial(150, np.full(150, 1 / 150), size=500) @ points.T
        ranks = 1 + (sums[:, None, :] > sums[:, :, None]).sum(axis=2)
        low, high = np.quantile(ranks, (0.025, 0.975), axis=0)
        held += bool(np.all(low <= 1) and np.all(high >= 4))
    assert held / draws < 0.7


@draws(120, 300)
def test_tests_against_the_first_alone_would_part_equal_models_too_often(draws: int) -> None:
    rng, false = np.random.default_rng(3), 0
    for _ in range(draws):
        found = rank_models(answers(rng, np.full(10, 0.6), 400, 1), range(400), resamples=100, seed=SEED)
        first = int(np.argmin([model.rank for model in found.models]))
        false += bool(np.nanmin(holm(np.delete(found.p[first], first))) < 0.05)
    assert false / draws > 0.05 + luck(0.05, draws)


def test_models_far_apart_have_a_rank_each() -> None:
    rng = np.random.default_rng(1)
    found = rank_models(answers(rng, np.array([0.3, 0.9, 0.6]), 400, 1), range(400), seed=SEED)
    assert [(m.rank, m.low, m.high) for m in found.models] == [(3, 3, 3), (1, 1, 1), (2, 2, 2)]
    assert [m.first for m in found.models] == [0, 1, 0]
    assert (found.family, found.test, found.missing) == (3, "McNemar exact", None)


@pytest.mark.parametrize(("clusters", "each", "slack"), [(60, 1, 1e-12), (12, 4, 1e-12), (40, 3, 0.02)])
def test_the_p_of_a_pair_is_that_of_the_two_alone(clusters: int, each: int, slack: float) -> None:
    points = answers(np.random.default_rng(2), np.array([0.5, 0.6, 0.7]), clusters, each)
    of = np.repeat(np.arange(clusters), each)
    found = rank_models(points, of, seed=SEED)
    for a, b in combinations(range(3), 2):
        alone = compare_paired(points[a], points[b], of, seed=SEED)
        assert found.p[a, b] == pytest.approx(alone.p, abs=slack)
    above = np.triu_indices(3, 1)
    assert found.p_holm[above] == pytest.approx(holm(found.p[above]))


def test_equal_answers_leave_every_rank_open() -> None:
    found = rank_models(np.tile([1.0, 0, 1, 1], (3, 5)), range(20), seed=SEED)
    assert [(m.rank, m.low, m.high) for m in found.models] == [(1, 1, 3)] * 3
    assert [m.first for m in found.models] == pytest.approx([1 / 3] * 3)
    assert np.nanmin(found.p) == 1


def test_the_order_in_which_models_are_given_does_not_matter() -> None:
    points = answers(np.random.default_rng(4), np.array([0.5, 0.6, 0.65, 0.8]), 90, 1)
    one, other = rank_models(points, range(90), seed=SEED), rank_models(points[::-1], range(90), seed=SEED)
    assert [(m.rank, m.low, m.high) for m in one.models] == [(m.rank, m.low, m.high) for m in other.models[::-1]]


def test_samples_of_one_cluster_are_no_evidence_by_themselves() -> None:
    # Model A is better in 9 clusters of 40 units each; as 360 units that would be certain, as 9 signs it is 2/2^9.
    points = np.repeat([[1.0] * 9, [0.0] * 9], 40, axis=1)
    found = rank_models(points, np.repeat(np.arange(9), 40), seed=SEED)
    assert found.p[0, 1] == pytest.approx(2 / 2**9)


def test_fewer_than_eight_clusters_have_an_order_but_no_intervals() -> None:
    found = rank_models([[1.0, 0.9] * 3, [0.0, 0.1] * 3], range(6), seed=SEED)
    assert [(m.rank, m.low, m.first) for m in found.models] == [(1, None, None), (2, None, None)]
    assert format_missing(found.missing) == "too few clusters: 6, at least 8 are needed"


def test_nothing_in_common_has_no_order() -> None:
    found = rank_models(np.empty((3, 0)), [], seed=SEED)
    assert (found.family, format_missing(found.missing)) == (0, "nothing graded for all")
    assert all(m.low is None for m in found.models)


@pytest.mark.parametrize(
    ("points", "told"), [([[1, 0]], "two models or more"), ([1, 0], "two models"), ([[1, np.nan], [1, 0]], "finite")]
)
def test_what_cannot_be_ranked_is_refused(points: list[float], told: str) -> None:
    with pytest.raises(InputError, match=told):
        rank_models(points, range(2), seed=SEED)
