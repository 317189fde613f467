"""Items of places held against the scale of all others."""

from itertools import product

import numpy as np
import pytest
from scipy.special import expit

from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.stats.place_fit import _ability, _chances, _moments, _tails, place_fit
from mores.tables.missing_texts import format_missing

PLACES = np.repeat(["DE", "GE", "IN", "JP", "KE", "US"], 24)


def answered(seed: int, models: int = 12, off: str = "") -> Floats:
    """Models on 144 items; ability has no bearing on those of the place that is off."""
    rng = np.random.default_rng(seed)
    ability = np.where(off == PLACES, 0.0, np.linspace(-1.5, 1.5, models)[:, None])
    return np.asarray(rng.random((models, PLACES.size)) < expit(0.5 + ability - rng.normal(0, 1, PLACES.size)), float)


def test_what_is_expected_is_that_of_all_sets_of_models_counted_one_by_one() -> None:
    ability = np.array([-1.2, -0.3, 0.4, 1.1])
    mean, variance = _moments(ability)
    chances, tails = _chances(ability), _tails(np.array([0, 9, 16, 23]), np.exp(ability))
    sets = np.array(list(product((0, 1), repeat=4)))
    odds = np.exp(sets @ ability)
    for many in range(5):
        own = sets.sum(1) == many
        weight, sums = odds[own] / odds[own].sum(), sets[own] @ ability
        assert mean[many] == pytest.approx(weight @ sums)
        assert variance[many] == pytest.approx(weight @ sums**2 - (weight @ sums) ** 2, abs=1e-12)
        assert chances[:, many] == pytest.approx(weight @ sets[own])
        steps = sets[own] @ [0, 9, 16, 23]
        assert [tails[many, at] for at in (0, 9, 25, 48)] == pytest.approx(
            [weight[steps <= at].sum() for at in (0, 9, 25, 48)]
        )


def test_abilities_solve_the_equations_of_conditional_likelihood() -> None:
    right = answered(1) == 1
    ability, count = _ability(right), np.bincount(right.sum(0), minlength=13)
    assert _chances(ability) @ count == pytest.approx(right.sum(1), abs=1e-3)
    assert ability.mean() == pytest.approx(0)


def test_a_place_on_which_ability_has_no_bearing_has_no_slope_and_is_found() -> None:
    found = {each.place: each for each in place_fit(answered(2, off="GE"), PLACES).places}
    assert [name for name, each in found.items() if each.found] == ["GE"]
    assert found["GE"].slope == pytest.approx(0, abs=0.35)
    assert found["GE"].misfits is not None
    assert found["GE"].misfits > 4


def test_places_that_are_harder_are_not_off_for_it() -> None:
    rng = np.random.default_rng(4)
    hard = np.repeat([-1.5, -1, 0, 0, 1, 1.5], 24) + rng.normal(0, 0.5, PLACES.size)
    points = (rng.random((16, PLACES.size)) < expit(np.linspace(-1.5, 1.5, 16)[:, None] - hard)).astype(float)
    found = place_fit(points, PLACES)
    assert not any(each.found for each in found.places)
    assert found.misfits <= 0.1 * found.tested


def test_the_order_of_items_and_of_models_does_not_matter() -> None:
    points, rng = answered(5), np.random.default_rng(6)
    models, items = rng.permutation(12), rng.permutation(PLACES.size)
    one, other = place_fit(points, PLACES), place_fit(points[models][:, items], PLACES[items])
    assert [each.slope for each in other.places] == pytest.approx([each.slope for each in one.places])
    assert other.p == pytest.approx(one.p[items], abs=1e-6, nan_ok=True)


def test_models_of_one_family_answer_as_one_where_single_items_are_tested() -> None:
    points = answered(7)
    alone, copies = (
        place_fit(points, PLACES),
        place_fit(np.repeat(points, 2, axis=0), PLACES, families=np.arange(24) // 2),
    )
    assert (copies.models, copies.families) == (24, 12)
    assert copies.p == pytest.approx(alone.p, nan_ok=True)
    assert copies.seen == pytest.approx(alone.seen)


def test_few_models_families_and_items_say_why() -> None:
    few = place_fit(answered(8, models=7), PLACES)
    assert (few.places, few.seen, few.tested) == ((), None, 0)
    assert format_missing(few.missing) == "too few models: 7, at least 8 are needed"
    assert "families" in format_missing(place_fit(answered(8), PLACES, families=np.arange(12) // 4).missing)
    short = place_fit(answered(8)[:, :30], PLACES[:30]).places
    assert [each.slope for each in short] == [None, None]
    assert "too few clusters: 6" in format_missing(short[1].missing)


def test_models_that_are_alike_tell_nothing() -> None:
    alike = np.tile((np.arange(PLACES.size) % 2).astype(float), (9, 1))
    found = place_fit(alike, PLACES)
    assert (found.tested, found.seen) == (0, None)
    assert all(each.slope is None and each.informative == 0 for each in found.places)


def test_items_that_some_model_has_no_grade_on_are_left_out() -> None:
    points = answered(9)
    points[3, :24] = np.nan
    found = {each.place: each for each in place_fit(points, PLACES).places}
    assert (found["DE"].items, found["DE"].slope) == (0, None)
    assert found["GE"].items == 24


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(InputError, match="dimensions"):
        place_fit([1.0, 0.0], ["DE", "GE"])
    with pytest.raises(InputError, match="places and items"):
        place_fit(np.zeros((9, 3)), ["DE", "GE"])
