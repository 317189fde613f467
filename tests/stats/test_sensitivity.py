"""Whether conclusions hang on the weights of the norm score."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.stats.norm_scores import GRID, NormRule, norm_sensitivity, rankings_agree
from mores.tables.missing_texts import format_missing
from tests.stats.by_definition import norm_score, norm_slots, region_scores, score_from_means
from tests.stats.test_norm_scores import PUBLISHED, SLOTS

REGIONS = ["GE", "JP", "PE", "NG", "SE"] * 12
FEW = (NormRule(alpha=0.2, beta=0.9), NormRule(), NormRule(alpha=0.9, beta=0.1))
seeds = st.integers(0, 2**32 - 1)


def drawn(seed: int, models: int = 4, lost: float = 0.0) -> tuple[Floats, list[str]]:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet((4, 2, 1), (models, 2, len(REGIONS)))
    p[rng.random(p.shape[:3]) < lost] = np.nan
    return p, rng.choice(["no", "sometimes"], len(REGIONS)).tolist()


def test_the_grid_has_81_settings_and_the_published_one() -> None:
    assert len(set(GRID)) == 81
    assert NormRule() in GRID


def test_the_published_models_rank_alike_under_every_setting() -> None:
    means = [
        {"no": np.divide(no, 100).tolist(), "sometimes": np.divide(some, 100).tolist()}
        for some, no, _ in PUBLISHED.values()
    ]
    found = rankings_agree([[score_from_means(model, SLOTS, rule) for model in means] for rule in GRID])
    assert found.least == 1
    assert found.missing is None


@settings(deadline=None)
@given(seeds, st.sampled_from(["paper", "adjusted"]), st.sampled_from([0.0, 0.3]))
def test_each_setting_gives_the_scores_of_its_rule(seed: int, form: Any, lost: float) -> None:
    p, strictness = drawn(seed, lost=lost)
    found = norm_sensitivity(p, strictness, REGIONS, settings=FEW, form=form)
    for rule, models, regions in zip(FEW, found.model_points, found.region_points, strict=True):
        slots = [norm_slots(model, strictness, rule) for model in p]
        assert models == pytest.approx([norm_score(model).mean for model in slots])
        each = [region_scores(model, REGIONS, form=form).points for model in slots]
        assert regions == pytest.approx(np.nanmean(each, axis=0))
    assert found.regions == tuple(sorted(set(REGIONS)))


@settings(deadline=None)
@given(seeds)
def test_agreement_is_spearmans_of_scipy_and_the_steadiest_has_most_of_it(seed: int) -> None:
    p, strictness = drawn(seed)
    found = norm_sensitivity(p, strictness, REGIONS, settings=FEW)
    of_models, of_regions = found.models_agree.correlations, found.regions_agree.correlations
    assert of_regions[0, 2] == pytest.approx(spearmanr(found.region_points[0], found.region_points[2]).statistic)
    assert of_models[0, 1] == pytest.approx(spearmanr(found.model_points[0], found.model_points[1]).statistic)
    assert found.regions_agree.least == of_regions.min()
    assert found.steadiest is not None
    totals = (of_models + of_regions).sum(1)
    assert totals[FEW.index(found.steadiest)] == pytest.approx(totals.max())


def test_a_ranking_of_ties_only_has_no_correlation_and_says_so() -> None:
    found = rankings_agree([[1, 1, 1], [1, 2, 3], [1, 3, 2]])
    assert np.isnan(found.correlations[0]).all()
    assert found.least == 0.5
    assert format_missing(found.missing) == "1 of 3 rankings put all 3 in one place"


def test_what_differs_by_rounding_only_is_a_tie() -> None:
    found = rankings_agree([[0.1 + 0.2, 0.3, 1], [0.3, 0.1 + 0.2, 1]])
    assert found.least == 1


def test_one_model_and_one_region_leave_nothing_to_rank() -> None:
    found = norm_sensitivity([[[(1, 0, 0)]]], ["no"], ["GE"], settings=FEW)
    assert np.isnan(found.models_agree.least)
    assert format_missing(found.regions_agree.missing) == "3 of 3 rankings put all 1 in one place"
    assert found.steadiest is None


def test_no_slots_leave_nothing_to_rank() -> None:
    found = norm_sensitivity(np.empty((2, 3, 0, 3)), [], [], settings=FEW)
    assert np.isnan(found.model_points).all()
    assert found.steadiest is None


def test_a_model_that_was_not_graded_is_left_out_of_the_ranking() -> None:
    p, strictness = drawn(0)
    p[1] = np.nan
    found = norm_sensitivity(p, strictness, REGIONS, settings=FEW)
    without = norm_sensitivity(np.delete(p, 1, axis=0), strictness, REGIONS, settings=FEW)
    assert np.isnan(found.model_points[:, 1]).all()
    assert np.array_equal(found.models_agree.correlations, without.models_agree.correlations)
    assert found.region_points == pytest.approx(without.region_points)


def test_what_cannot_be_compared_is_refused() -> None:
    p, strictness = drawn(0)
    with pytest.raises(InputError, match="settings has 1; expected at least two"):
        norm_sensitivity(p, strictness, REGIONS, settings=FEW[:1])
    with pytest.raises(InputError, match="no model"):
        norm_sensitivity([], strictness, REGIONS)
    with pytest.raises(InputError, match="regions and slots"):
        norm_sensitivity(p, strictness, REGIONS[1:])
    with pytest.raises(InputError, match="expected"):
        rankings_agree([1, 2])
