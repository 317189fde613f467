"""Whether regions lie further apart by one score than by another is told from chance."""

import numpy as np

from mores.core.seeds import Seed
from mores.stats.gaps import gap_change

SEED = Seed("test")
REGIONS = np.repeat(["JP", "NG", "PE"], 20)
ONES = np.ones(60)


def test_gaps_are_those_of_the_means_of_regions() -> None:
    a = np.where(REGIONS == "JP", 1.0, 0.0)
    b = np.where(REGIONS == "PE", 0.5, 0.75)
    found = gap_change(a, b, REGIONS, np.arange(60), seed=SEED)
    assert (found.a, found.b, found.regions) == (1.0, 0.25, 3)
    assert found.p is not None
    assert found.p < 0.001


def test_equal_scores_and_a_single_region_show_nothing() -> None:
    assert gap_change(ONES, ONES, REGIONS, np.arange(60), seed=SEED).p == 1.0
    assert gap_change(ONES, ONES, ["JP"] * 60, np.arange(60), seed=SEED) == (None, None, None, 1)


def test_where_nothing_differs_but_by_chance_at_most_one_in_twenty_is_below_a_twentieth() -> None:
    rng = np.random.default_rng(7)
    clusters = np.arange(120) // 2
    regions = np.repeat(np.arange(6), 20)
    easy = np.linspace(0.3, 0.9, 6)[regions]
    draws = [(rng.random(120) < easy, rng.random(120) < easy) for _ in range(300)]
    found = [
        gap_change(a.astype(float), b.astype(float), regions, clusters, seed=SEED.child(n), permutations=199).p
        for n, (a, b) in enumerate(draws)
    ]
    below = np.mean([p is not None and p <= 0.05 for p in found])
    assert below <= 0.085  # .05 and 2.8 standard errors; ties make it rather less


def test_a_wider_gap_is_found_where_it_is() -> None:
    rng = np.random.default_rng(8)
    regions = np.repeat(np.arange(4), 60)
    worse = np.where(regions == 0, 0.35, 0.8)
    found = [
        gap_change(
            (rng.random(240) < 0.8).astype(float), (rng.random(240) < worse).astype(float), regions, np.arange(240),
            seed=SEED.child(n), permutations=199,
        ).p
        for n in range(20)
    ]  # fmt: skip
    assert np.mean([p is not None and p < 0.05 for p in found]) > 0.9
