"""Earlier items less later ones within places, against least squares by definition."""

import numpy as np
import pytest
from statsmodels.api import OLS

from mores.core.errors import InputError
from mores.stats.date_split import date_split


def drawn(seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(40), 3)
    place = rng.integers(0, 4, 40)[cluster]
    return rng.normal(place, 1.0), rng.random(120) < 0.4 + 0.1 * place, place, cluster


def _least_squares(value: np.ndarray, earlier: np.ndarray, place: np.ndarray) -> float:
    columns = np.column_stack([earlier, *(place == each for each in np.unique(place))]).astype(float)
    return float(OLS(value, columns).fit().params[0])


def test_the_difference_is_that_of_least_squares_with_a_mean_for_each_place() -> None:
    value, earlier, place, cluster = drawn()
    assert date_split(value, earlier, place, cluster).difference == pytest.approx(_least_squares(value, earlier, place))


def test_the_error_is_that_of_leaving_out_each_cluster_and_fitting_anew() -> None:
    value, earlier, place, cluster = drawn()
    found = date_split(value, earlier, place, cluster)
    without = [_least_squares(*(part[cluster != each] for part in (value, earlier, place))) for each in range(40)]
    error = np.sqrt(39 / 40 * np.sum((np.array(without) - found.difference) ** 2))
    assert found.high is not None
    assert found.low is not None
    assert (found.high - found.low) / 2 == pytest.approx(2.0243941639 * error)
    assert found.minimum_detectable == pytest.approx((2.0243941639 + 0.8512334) * error, rel=1e-4)


def test_places_of_one_side_say_nothing_and_are_not_counted() -> None:
    value, earlier, place, cluster = drawn()
    more = date_split(
        [*value, 5.0, 6.0], [*earlier, True, True], [*place, 9, 9], [*cluster, 90, 91]
    )  # fmt: skip
    assert more == date_split(value, earlier, place, cluster)


def test_a_place_that_is_easier_moves_nothing() -> None:
    value, earlier, place, cluster = drawn()
    moved = date_split(value + 10.0 * (place == 2), earlier, place, cluster)
    assert moved.difference == pytest.approx(date_split(value, earlier, place, cluster).difference)


def test_one_side_alone_and_few_clusters_have_a_reason() -> None:
    value, _, place, cluster = drawn()
    one = date_split(value, np.ones(120), place, cluster)
    assert one.difference is None
    assert one.missing is not None
    assert one.missing.code == "no_place_on_both_sides"
    few = date_split([1, 0, 1, 0], [1, 1, 0, 0], ["JP"] * 4, range(4))
    assert few.difference == 0
    assert few.low is None
    hangs = date_split([1.0] + [0.0] * 11, [1] + [0] * 11, ["JP"] * 12, range(12))
    assert hangs.missing is not None
    assert hangs.missing.code == "hangs_on_one_cluster"


def test_bad_input_is_refused_in_a_line() -> None:
    with pytest.raises(InputError, match="expected one each"):
        date_split([1.0, 2.0], [True, False], ["JP", "JP"], [1])
    with pytest.raises(InputError, match="values and earlier"):
        date_split([1.0, 2.0], [True], ["JP", "JP"], [1, 2])
