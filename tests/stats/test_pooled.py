"""Places read together: intervals hold as many places as promised, and few norms say what they can and no more."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mores.core.errors import InputError
from mores.stats.intervals import wilson
from mores.stats.partial_pooling import MIN_PLACES, Pooling, pool_places

Floats = npt.NDArray[np.float64]


def drawn(places: int, spread: float, mean: float, rng: np.random.Generator) -> tuple[Floats, Floats, list[str]]:
    """True shares, and 9 to 12 norms of each place."""
    strength = mean * (1 - mean) / spread**2 - 1 if spread else 0.0
    shares = rng.beta(mean * strength, (1 - mean) * strength, places) if spread else np.full(places, mean)
    place = np.repeat(np.arange(places), rng.integers(9, 13, places))
    return shares, (rng.random(place.size) < shares[place]).astype(np.float64), [f"{n:02}" for n in place]


def ends(found: Pooling) -> tuple[Floats, Floats]:
    return np.array([each.low for each in found.places]), np.array([each.high for each in found.places])


@pytest.mark.parametrize("mean", [0.5, 0.85])
@pytest.mark.parametrize("spread", [0.0, 0.05, 0.1, 0.15])
@pytest.mark.parametrize("places", [5, 12, 40])
def test_intervals_hold_as_many_places_as_promised(places: int, spread: float, mean: float) -> None:
    rng = np.random.default_rng(round(1000 * spread + 100 * mean) + places)
    held, nearer = [], []
    for _ in range(300 // places):
        shares, values, names = drawn(places, spread, mean, rng)
        found = pool_places(values, names)
        low, high = ends(found)
        held.append(float(np.mean((low <= shares + 1e-9) & (shares <= high + 1e-9))))
        value, raw = (np.array([getattr(each, name) for each in found.places]) for name in ("value", "raw"))
        nearer.append(float(((value - shares) ** 2).mean() - ((raw - shares) ** 2).mean()))
    # Places of one draw go together, so the error is that of draws.
    assert np.mean(held) >= 0.93 - 2 * np.std(held) / len(held) ** 0.5
    assert np.mean(nearer) < 0


def test_a_place_counts_for_less_where_its_norms_go_together() -> None:
    rng = np.random.default_rng(4)
    bundle = np.repeat(np.arange(60), 3)
    values = np.repeat((rng.random(60) < 0.6).astype(float), 3)
    place = [f"{n // 3:02}" for n in bundle]
    apart, together = pool_places(values, place), pool_places(values, place, clusters=bundle)
    assert together.places[0].own < 0.8 * apart.places[0].own
    assert together.spread is not None
    assert apart.spread is not None
    assert together.spread < apart.spread


def test_a_place_is_drawn_towards_its_own_region() -> None:
    values, place, region = [], [], []
    for number in range(16):
        right = 9 if number < 8 else 3
        values += [1.0] * right + [0.0] * (10 - right)
        place += [f"{number:02}"] * 10
        region += [f"R{number // 4}"] * 10
    values[10:20] = [1.0] * 5 + [0.0] * 5
    values[150:160] = [1.0] * 5 + [0.0] * 5
    found = pool_places(values, place, regions=region).places
    assert found[1].raw == found[15].raw == 0.5
    assert found[1].value > 0.6 > 0.5 > found[15].value
    alike = pool_places(values, place).places
    assert alike[1].value == pytest.approx(alike[15].value)


def test_a_place_with_hard_domains_is_not_taken_for_a_poor_one() -> None:
    """All places are alike, but one is asked about the hard domain alone."""
    rng = np.random.default_rng(0)
    domain = [["easy"] * 6 + ["hard"] * 6 for _ in range(12)] + [["hard"] * 12]
    place = [f"{number:02}" for number, each in enumerate(domain) for _ in each]
    flat = [name for each in domain for name in each]
    values = (rng.random(len(flat)) < np.where(np.array(flat) == "hard", 0.35, 0.95)).astype(float)
    with_domains, without = (pool_places(values, place, domains=known).places for known in (flat, None))
    assert abs(with_domains[-1].value - 0.35) < abs(without[-1].value - 0.35)


def test_domains_that_explain_all_differences_within_places_shift_nothing() -> None:
    # Two places have a norm of two domains each, all others one: nothing is left from which to tell chance.
    place = ["A", "A", "B", "B", *"CDEFG"]
    domain = [0, 1, 2, 3, 4, 5, 6, 7, 4]
    values = [0.0, 0.125, 1 / 3, 0.1, 0.0, 0.25, 1 / 6, 0.7, 0.0]
    clusters = list(range(len(values)))
    found = pool_places(values, place, domains=domain, clusters=clusters)
    assert found == pool_places(values, place, clusters=clusters)
    assert len(found.places) == 7


def test_places_that_are_all_right_leave_room_and_more_of_them_less() -> None:
    few, many = (pool_places([1.0] * (10 * n), np.repeat(np.arange(n), 10)).places[0] for n in (5, 40))
    assert few.raw == many.raw == 1
    alone = wilson(10, 10)
    assert alone.low is not None
    assert alone.low < few.low < many.low < 1


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.floats(0, 1)), min_size=20, max_size=60))
def test_order_changes_nothing_and_every_figure_lies_on_the_scale(rows: list[tuple[int, float]]) -> None:
    mixed = sorted(rows, key=lambda row: (row[1], row[0]))
    one, other = (pool_places([v for _, v in each], [str(p) for p, _ in each]) for each in (rows, mixed))
    assert (one.missing is None) == (other.missing is None)
    for mine, yours in zip(one.places, other.places, strict=True):
        assert (mine.place, mine.units) == (yours.place, yours.units)
        assert mine.value == pytest.approx(yours.value, abs=1e-9)
        assert 0 <= mine.low <= mine.value <= mine.high <= 1
        assert 0 <= mine.own <= 1


def test_too_few_places_or_clusters_are_not_read_together() -> None:
    few = pool_places([0.0, 1.0] * 4, np.repeat(np.arange(4), 2))
    assert few.places == ()
    assert few.missing is not None
    assert (few.missing.code, few.missing.needed) == ("too_few_places", MIN_PLACES)
    single = pool_places([0.0, 1.0] * 5, np.repeat(np.arange(5), 2), clusters=np.repeat(np.arange(5), 2))
    assert single.places == ()
    assert single.missing is not None
    assert single.missing.code == "too_few_clusters"


def test_what_is_no_share_or_lies_in_two_regions_is_refused() -> None:
    with pytest.raises(InputError, match="expected shares from 0 to 1"):
        pool_places([0.0, 2.0] * 5, np.repeat(np.arange(5), 2))
    with pytest.raises(InputError, match="two regions"):
        pool_places([0.0, 1.0] * 5, np.repeat(np.arange(5), 2), regions=list("ab") * 5)
