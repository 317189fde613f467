"""Components of variance of crossed sources, against closed forms and restricted maximum likelihood."""

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from statsmodels.formula.api import mixedlm

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.clusters import clustered
from mores.stats.intervals import ClusteredMeans
from mores.stats.variance_components import VarianceTable, variance_table

SEED = Seed("components")


def of(values: npt.ArrayLike, clusters: npt.ArrayLike | None = None, **mean_of: int) -> VarianceTable:
    table = np.asarray(values, dtype=float)
    units = table.shape[-4]
    return variance_table(table, np.arange(units) if clusters is None else clusters, seed=SEED, mean_of=mean_of)  # type: ignore[arg-type]


def by_source(found: VarianceTable) -> dict[tuple[str, ...], float]:
    return {tuple(each.source): each.variance.value for each in found.components}


def two_way(seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    table = rng.normal(0, 1, (40, 1)) + rng.normal(0, 0.7, (1, 5)) + rng.normal(0, 0.8, (40, 5))
    return np.asarray(table[:, :, None, None])


def test_a_two_way_layout_has_the_closed_form_of_analysis_of_variance() -> None:
    table = two_way()[:, :, 0, 0]
    rows, columns = table.shape
    left = table - table.mean(0) - table.mean(1, keepdims=True) + table.mean()
    residual = np.sum(left**2) / ((rows - 1) * (columns - 1))
    items = table.mean(1).var(ddof=1) - residual / columns
    wordings = table.mean(0).var(ddof=1) - residual / rows
    assert by_source(of(table[:, :, None, None])) == pytest.approx(
        {("item",): items, ("wording",): wordings, ("item", "wording"): residual}
    )


def test_samples_within_items_have_the_closed_form_of_one_way() -> None:
    table = np.random.default_rng(2).normal(np.arange(30)[:, None] / 10, 1.0, (30, 4))
    within = table.var(axis=1, ddof=1).mean()
    found = by_source(of(table[:, None, None, :]))
    assert found == pytest.approx({("item",): table.mean(1).var(ddof=1) - within / 4, ("item", "sample"): within})


def test_balanced_components_are_those_of_restricted_maximum_likelihood() -> None:
    """Crossed items and wordings, by statsmodels: one group, a variance component each."""
    table = two_way(3)[:, :, 0, 0]
    rows, columns = table.shape
    item, wording = (each.ravel() for each in np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"))
    frame = pd.DataFrame({"y": table.ravel(), "item": item, "wording": wording, "all": 1})
    parts = {"item": "0 + C(item)", "wording": "0 + C(wording)"}
    model = mixedlm("y ~ 1", frame, groups="all", re_formula="0", vc_formula=parts)
    fitted = model.fit(reml=True)
    found = by_source(of(table[:, :, None, None]))
    assert found["item", "wording"] == pytest.approx(fitted.scale, rel=1e-3)
    assert sorted((found["item",], found["wording",])) == pytest.approx(sorted(fitted.vcomp), rel=1e-2)


def test_the_error_of_items_is_the_clustered_standard_error_of_the_mean() -> None:
    """With one of everything else, the whole error is what an interval by clusters has."""
    rng = np.random.default_rng(4)
    clusters = np.repeat(np.arange(25), 4)
    values = rng.normal(rng.normal(0, 1, 25)[clusters], 1.0)
    found = of(values[:, None, None, None], clusters)
    error = ClusteredMeans.of(values, clustered(clusters, None, values.size)).spread().se
    assert found.error.value == pytest.approx(error)
    assert found.error_of_items == found.error
    assert found.one_level == ("wording", "judge", "sample")


def test_shares_add_up_and_one_more_takes_off_what_the_formula_says() -> None:
    found = of(two_way(), wording=1)
    parts = by_source(found)
    assert sum(each.share.value for each in found.components) == pytest.approx(1)

    def error(wordings: int) -> float:
        of_items = parts["item",] / 40 + parts["item", "wording"] / 40 / wordings
        return float(np.sqrt(of_items + parts["wording",] / wordings))

    more = {each.facet: each for each in found.more}
    assert found.error.value == pytest.approx(error(1))
    assert more["wording"].taken_off.value == pytest.approx(error(1) - error(2))
    assert more["wording"].now == 1
    assert more["item"].more == 100


def test_a_difference_of_two_models_takes_the_mean_over_pairs() -> None:
    one, other, third = (two_way(seed) for seed in (5, 6, 7))
    pairs = np.array([one - other, one - third, other - third])
    alone = [by_source(of(pair)) for pair in pairs]
    mean = {source: np.mean([each[source] for each in alone]) for source in alone[0]}
    # components that are not negative anywhere are the mean of those of the pairs
    assert by_source(of(pairs)) == pytest.approx(mean, rel=1e-6)


def test_what_does_not_vary_is_nothing_without_an_interval() -> None:
    still = np.repeat(np.random.default_rng(8).integers(0, 2, (30, 1, 1, 1)), 4, axis=1).astype(float)
    found = {each.source: each for each in of(still).components}
    assert found["wording",].variance.value == 0
    assert found["wording",].variance.missing is not None
    assert found["wording",].variance.missing.code == "values_constant"
    assert found["item",].share.value == pytest.approx(1)


def test_two_of_a_kind_have_a_component_and_no_interval_of_their_own() -> None:
    found = {each.source: each.variance for each in of(two_way()[:, :2]).components}
    assert found["wording",].low is None
    assert found["wording",].missing is not None
    assert found["wording",].missing.code == "too_few_levels"
    assert found["item", "wording"].low is not None


def test_few_clusters_have_components_without_intervals() -> None:
    found = of(two_way()[:6])
    assert found.missing is not None
    assert all(each.variance.low is None for each in found.components)
    assert of(two_way()[:1]).components == ()


def test_order_of_units_and_wordings_changes_nothing() -> None:
    table = two_way()
    shuffled = table[::-1, ::-1]
    assert by_source(of(table)) == pytest.approx(by_source(of(shuffled)))
    assert of(table) == of(table)


def test_bad_input_is_refused_in_a_line() -> None:
    with pytest.raises(InputError, match="expected units, wordings, judges and samples"):
        of(np.zeros((5, 1, 1, 1, 1, 1)))
    with pytest.raises(InputError, match="no number"):
        of(np.full((5, 2, 1, 1), np.nan))
    with pytest.raises(InputError, match="clusters 3"):
        of(np.zeros((5, 2, 1, 1)), [1, 2, 3])
