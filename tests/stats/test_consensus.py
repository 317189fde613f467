"""Whether models find the same regions hard."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import norm, rankdata, spearmanr, t

from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.correlation import Consensus, rank_correlations, region_consensus
from mores.stats.intervals import Interval
from mores.stats.ranks import midranks
from mores.tables.missing_texts import format_missing

SEED = Seed("tests")
seeds = st.integers(0, 2**32 - 1)
tied = hnp.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 12)), elements=st.integers(0, 5).map(float))


def alike(models: int, regions: int, noise: float, seed: int = 0) -> Floats:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(size=regions) + noise * rng.normal(size=(models, regions)))


def of(scores: Any, **options: Any) -> Consensus:
    return region_consensus(scores, resamples=200, seed=SEED, **options)


def ends(interval: Interval) -> tuple[float, float]:
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


@given(tied)
def test_ranks_are_those_of_scipy(values: Floats) -> None:
    assert np.array_equal(midranks(values), rankdata(values, axis=-1))


def test_what_is_not_known_has_no_rank() -> None:
    assert midranks([1, np.nan, 0]) == pytest.approx([2, np.nan, 1], nan_ok=True)


@given(hnp.arrays(np.float64, (2, 8), elements=st.integers(0, 5).map(float)))
def test_correlations_are_those_of_scipy_with_ties(scores: Floats) -> None:
    rho = rank_correlations(scores)[0, 1]
    if np.any(np.ptp(scores, axis=1) == 0):
        assert np.isnan(rho)
    else:
        assert rho == pytest.approx(spearmanr(*scores).statistic, abs=1e-12)


@given(seeds)
def test_each_pair_goes_by_the_regions_both_have(seed: int) -> None:
    scores = alike(4, 12, 1.0, seed)
    scores[np.random.default_rng(seed).random(scores.shape) < 0.3] = np.nan
    rho = rank_correlations(scores)
    for a, b in ((0, 1), (0, 2), (1, 3), (2, 3)):
        common = ~np.isnan(scores[[a, b]]).any(0)
        if common.sum() < 5:
            assert np.isnan(rho[a, b])
        else:
            assert rho[a, b] == rho[b, a] == pytest.approx(spearmanr(scores[a, common], scores[b, common]).statistic)


@given(seeds)
def test_a_rising_rescaling_of_a_models_scores_changes_nothing(seed: int) -> None:
    scores = alike(3, 9, 1.0, seed)
    assert rank_correlations(np.exp(scores) + 2) == pytest.approx(rank_correlations(scores))


def test_worked_by_hand() -> None:
    # a and b alike, c reversed: correlations 1, -1, -1
    found = of([[1, 2, 3, 4, 5], [2, 3, 4, 5, 9], [5, 4, 3, 2, 1]])
    assert (found.consensus, found.polarization) == pytest.approx((-1 / 3, 2))
    assert (found.least, found.most, found.pairs) == pytest.approx((-1, 1, 3))
    assert found.deviation == pytest.approx(np.std([1, -1, -1]))
    assert found.missing is None
    assert (
        format_missing(found.consensus_interval.missing)
        == format_missing(found.polarization_interval.missing)
        == "too few regions: 5, at least 8 are needed"
    )


@pytest.mark.parametrize(
    "scores", [[[1, 2, 3, 4], [1, 2, 3, 4]], [[1] * 6, [1, 2, 3, 4, 5, 6]], [[1, 2, 3, 4, 5]], np.empty((0, 0))]
)
def test_too_few_regions_a_constant_or_one_model_has_no_consensus_and_says_so(scores: Any) -> None:
    found = of(scores)
    assert np.isnan([found.consensus, found.polarization, found.least, found.most, found.deviation]).all()
    assert found.pairs == 0
    assert (
        format_missing(found.missing)
        == format_missing(found.consensus_interval.missing)
        == "no pair of models has 5 regions in common on which both scores vary"
    )


def test_pairs_without_a_correlation_are_counted_and_never_taken_as_0() -> None:
    found = of([[1, 2, 3, 4, 5], [1, 2, 3, 4, 5], [7, 7, 7, 7, 7]])
    assert (found.consensus, found.pairs, format_missing(found.missing)) == (1, 1, "2 of 3 pairs have no correlation")


def test_a_region_that_no_model_has_changes_nothing() -> None:
    scores = alike(4, 10, 0.5)
    assert of(np.column_stack((scores[:, :3], np.full(4, np.nan), scores[:, 3:]))) == of(scores)


def test_the_interval_holds_the_consensus_and_widens_with_confidence() -> None:
    found, wide = of(alike(5, 30, 1.0)), of(alike(5, 30, 1.0), confidence=0.99)
    low, high = ends(found.consensus_interval)
    wide_low, wide_high = ends(wide.consensus_interval)
    assert wide_low < low < found.consensus < high < wide_high


def outlier(regions: int, seed: int) -> Floats:
    """Seven models that are much alike and one that is not; Spearman 6 / pi asin(r / 2) of .81 and .27."""
    rng, load = np.random.default_rng(seed), np.array([0.9] * 7 + [0.3])[:, None]
    return np.asarray(load * rng.normal(size=regions) + np.sqrt(1 - load**2) * rng.normal(size=(8, regions)))


def test_the_range_of_an_outlier_is_covered() -> None:
    """Nominal .95, .955 measured over 300 draws; 100 draws here, three standard errors .065."""
    truth, held, given_one = 6 / np.pi * (np.arcsin(0.81 / 2) - np.arcsin(0.27 / 2)), 0, 0
    for seed in range(100):
        interval = of(outlier(53, seed)).polarization_interval
        if interval.low is not None and interval.high is not None:
            given_one, held = given_one + 1, held + (interval.low <= truth <= interval.high)
    assert given_one > 90
    assert held / given_one > 0.95 - 0.065


def test_a_range_that_may_be_chance_has_no_interval() -> None:
    found = of(alike(8, 53, 2.0))
    assert found.polarization > 0.2
    assert "may be chance" in format_missing(found.polarization_interval.missing)
    assert found.consensus_interval.low is not None


def test_few_regions_have_no_interval_of_the_range() -> None:
    found = of(outlier(29, 0)).polarization_interval
    assert format_missing(found.missing) == "too few regions: 29, at least 30 are needed for a range"


def test_more_noise_means_less_consensus() -> None:
    calm, loud = of(alike(6, 50, 0.2)), of(alike(6, 50, 2.0))
    assert ends(loud.consensus_interval)[1] < ends(calm.consensus_interval)[0]
    assert loud.polarization > calm.polarization


def test_resamples_are_those_of_regions_drawn_one_by_one() -> None:
    """The same law as repeating 19 drawn columns and asking scipy; percentiles are those of t with 19 degrees."""
    scores, rng, tail = alike(2, 20, 1.0), np.random.default_rng(1), norm.sf(t.ppf(0.975, 19))
    ranks = rankdata(scores[:, rng.integers(0, 20, (20_000, 19))], axis=-1)
    ranks -= ranks.mean(-1, keepdims=True)
    slow = (ranks[0] * ranks[1]).sum(-1) / np.sqrt((ranks**2).sum(-1).prod(0))
    found = region_consensus(scores, resamples=20_000, seed=SEED).consensus_interval
    assert ends(found) == pytest.approx(tuple(np.quantile(slow, (tail, 1 - tail))), abs=0.03)


def test_resamples_that_lose_a_correlation_leave_no_interval() -> None:
    # The third model differs in one region only, which a third of the resamples miss.
    scores = np.vstack((alike(2, 10, 0.5), np.eye(10)[0]))
    found = of(scores)
    assert found.pairs == 3
    assert found.consensus_interval.low is None
    assert "resamples of regions lose a correlation" in format_missing(found.consensus_interval.missing)


@pytest.mark.parametrize("scores", [[1, 2, 3], [[1, np.inf]]])
def test_what_is_no_table_is_refused(scores: Any) -> None:
    with pytest.raises(InputError, match="expected finite numbers or NaN"):
        rank_correlations(scores)
