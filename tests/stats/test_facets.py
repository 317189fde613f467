"""How far a figure hangs on a condition that should not matter: spread between conditions."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.gaps import Facet, facet
from tests.stats.drawing import draws, luck

SEED = Seed("facets")


def of(values: npt.ArrayLike, clusters: npt.ArrayLike | None = None) -> Facet:
    table = np.asarray(values, dtype=float)
    return facet(table, np.arange(len(table)) if clusters is None else clusters, seed=SEED)


def test_wordings_that_make_no_difference_have_none() -> None:
    found = of(np.repeat(np.random.default_rng(2).integers(0, 2, size=(60, 1)), 4, axis=1))
    assert (found.spread, found.p) == (0.0, 1.0)
    assert found.spread_low == 0.0


@draws(100, 300)
def test_noise_alone_is_seldom_called_a_difference(draws: int) -> None:
    """At level .05, over clusters that are alike."""
    rng = np.random.default_rng(3)
    called = 0
    for _ in range(draws):
        cluster = np.repeat(np.arange(30), 5)
        chance = np.clip(rng.beta(2, 2, 30)[cluster], 0, 1)
        found = of(rng.random((150, 4)) < chance[:, None], cluster)
        called += bool((found.p or 0) < 0.05)
    assert called / draws <= 0.05 + luck(0.05, draws)


@draws(100, 300)
@pytest.mark.parametrize("conditions", [3, 4, 6])
def test_intervals_hold_the_planted_spread(conditions: int, draws: int) -> None:
    """95 % of them at least, less what chance takes: conditions themselves are drawn each time."""
    rng, truly = np.random.default_rng(conditions), 0.06
    spread = 0
    for _ in range(draws):
        effect = rng.normal(0, truly, conditions)
        cluster = np.repeat(np.arange(40), 5)
        chance = np.clip(0.5 + rng.normal(0, 0.15, 40)[cluster][:, None] + effect, 0.02, 0.98)
        found = of(rng.random((200, conditions)) < chance, cluster)
        assert found.spread_low is not None
        assert found.spread_high is not None
        spread += found.spread_low <= float(np.ptp(effect)) <= found.spread_high
    assert spread / draws >= 0.95 - luck(0.95, draws)


def test_few_clusters_have_figures_and_no_interval() -> None:
    found = of(np.random.default_rng(4).random((20, 3)), np.repeat(np.arange(4), 5))
    assert found.spread is not None
    assert found.spread_low is None
    assert found.missing is not None
    assert found.missing.code == "too_few_clusters"


def test_more_conditions_never_make_the_spread_smaller() -> None:
    table = np.random.default_rng(5).random((50, 6))
    spreads = [of(table[:, :count]).spread or 0.0 for count in range(2, 7)]
    assert all(one <= other for one, other in pairwise(spreads))


def test_bad_input_is_refused_in_a_line() -> None:
    with pytest.raises(InputError, match="two columns at least"):
        of(np.zeros((5, 1)))
    with pytest.raises(InputError, match="no number"):
        of([[0.0, np.nan], [1.0, 0.0]])
    assert of(np.zeros((0, 3))).missing is not None
