"""Short forms: a part that stands for all, and the figure of all from it."""

import numpy as np
import pytest

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.intervals import wilson
from mores.stats.short_forms import evenly_spread, full_figure
from tests.stats.drawing import draws, luck

SEED = Seed("short")
PLACES = ["JP"] * 120 + ["NG"] * 60 + ["DE"] * 20
ALONE = [str(number) for number in range(200)]
HARD = np.random.default_rng(1).random(200)


def test_places_have_their_shares_and_hardness_is_that_of_all() -> None:
    part = evenly_spread(PLACES, ALONE, HARD, 50, seed=SEED)
    assert len(part) == 50
    counts = [sum(PLACES[unit] == place for unit in part) for place in ("JP", "NG", "DE")]
    assert counts == pytest.approx([30, 15, 5], abs=1)
    assert HARD[part].mean() == pytest.approx(HARD.mean(), abs=0.02)  # drawn by chance it would be off by .035
    assert list(part) == sorted(part)


def test_the_same_seed_gives_the_same_part_and_each_unit_has_its_chance() -> None:
    assert (
        evenly_spread(PLACES, ALONE, HARD, 50, seed=SEED) == evenly_spread(PLACES, ALONE, HARD, 50, seed=SEED)
    ).all()
    taken = np.zeros(200)
    for number in range(400):
        taken[evenly_spread(PLACES, ALONE, HARD, 50, seed=SEED.child(number))] += 1
    assert taken.min() / 400 > 0.25 - luck(0.25, 400) - 0.02
    assert taken.max() / 400 < 0.25 + luck(0.25, 400) + 0.02


def test_clusters_come_whole() -> None:
    clusters = [str(number // 4) for number in range(200)]
    part = evenly_spread(PLACES, clusters, HARD, 50, seed=SEED)
    assert abs(len(part) - 50) <= 4
    assert {clusters[unit] for unit in part} & {clusters[u] for u in range(200) if u not in set(part)} == set()


def test_all_of_it_is_certain() -> None:
    found = full_figure([1.0] * 30 + [0.0] * 10, range(40), 40)
    assert (found.value, found.interval.low, found.interval.high) == (0.75, 0.75, 0.75)


def test_of_units_without_end_it_is_wilsons_by_a_t() -> None:
    found, plain = full_figure([1.0] * 60 + [0.0] * 40, range(100), 10**9), wilson(60, 100)
    assert found.interval.low == pytest.approx(plain.low, abs=0.004)
    assert found.interval.high == pytest.approx(plain.high, abs=0.004)
    assert found.worth == pytest.approx(99, abs=2)


def test_the_luck_of_a_hard_part_is_taken_out() -> None:
    got = np.repeat([0.2, 0.8], 50)
    rng = np.random.default_rng(2)
    new = (rng.random(100) < got).astype(float)
    hard = np.r_[0:40, 50:60]  # four in five are hard
    plain = full_figure(new[hard], hard, 100)
    moved = full_figure(new[hard], hard, 100, here=got[hard], everywhere=float(got.mean()))
    assert abs(moved.value - new.mean()) < abs(plain.value - new.mean())
    assert moved.explained > 0.2


@draws(400, 8000)
def test_the_interval_covers_what_all_would_come_to(draws: int) -> None:
    held = 0
    for number in range(draws):
        rng = np.random.default_rng(number)
        hard = rng.standard_normal(300)
        new, *earlier = (0.8 + rng.standard_normal((4, 300)) > 1.2 * hard).astype(float)
        got = np.mean(earlier, axis=0)
        part = evenly_spread(["x"] * 300, ALONE + [f"b{n}" for n in range(100)], got, 90, seed=SEED.child(number))
        found = full_figure(new[part], part, 300, here=got[part], everywhere=float(got.mean()))
        assert found.interval.low is not None
        held += found.interval.low <= new.mean() <= (found.interval.high or 0.0)
    assert held / draws >= 0.95 - luck(0.05, draws)


def test_few_clusters_have_a_figure_without_an_interval() -> None:
    found = full_figure([1.0, 0.0, 1.0], [1, 2, 3], 30)
    assert found.value == pytest.approx(2 / 3)
    assert found.interval.low is None
    assert full_figure([], [], 30).interval.missing is not None


def test_other_numbers_have_a_t_interval() -> None:
    points = np.random.default_rng(4).normal(2, 1, 50)
    found = full_figure(points, range(50), 500, share=False)
    assert found.interval.low is not None
    assert found.interval.low < points.mean() < (found.interval.high or 0.0)


def test_what_is_no_part_is_refused() -> None:
    with pytest.raises(InputError, match="expected a part of them"):
        full_figure([1.0, 0.0], [1, 2], 1)
    with pytest.raises(InputError, match="expected 1 to 200"):
        evenly_spread(PLACES, ALONE, HARD, 201, seed=SEED)
