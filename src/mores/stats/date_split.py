"""Scores on items from before and from after a date, held against each other within places.

Items of a place, or of a time, differ in difficulty, so that a plain difference of two means says little. Places are
compared with themselves; what is left of difficulty is taken off by the scores of models for which all these items lie
on one side of their own date.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.stats.checks import confident, distinct_pairs, numbers, ranks, same_length
from mores.stats.clusters import clustered
from mores.stats.intervals import MIN_CLUSTERS, t_quantile

POWER = 0.8


class DateSplit(NamedTuple):
    """Mean of earlier items less that of later ones, within places; `missing` says why it, or its interval, is not.

    `places` are those that have both, and `earlier` and `later` the units in them. `minimum_detectable` is the least
    difference that a test at level .05 finds with power .8.
    """

    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    minimum_detectable: float | None
    earlier: int
    later: int
    clusters: int
    places: int
    missing: Missing | None = None


def date_split(
    values: npt.ArrayLike,
    earlier: npt.ArrayLike,
    places: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    confidence: float = 0.95,
) -> DateSplit:
    """Difference of earlier items from later ones, by least squares with a mean for each place.

    Each place's own difference counts by its units on both sides; a place of one side has none. The standard error
    leaves out one cluster after the other (jackknife), with two degrees of freedom fewer than there are clusters.

    Args:
        values: Score of each unit, or its difference from other models' scores.
        earlier: Whether the unit's date is before the one that splits.
        places: The place of each unit, in any labels.
        clusters: What is drawn together, in any labels.
        confidence: Wanted coverage.

    Raises:
        InputError: lengths differ, or a value is not finite.

    Source:
        MacKinnon, Nielsen and Webb (2023), Journal of Applied Econometrics 38 (CV3).

    >>> found = date_split([1, 1, 1, 0] * 8, [True, True, False, False] * 8, ["JP"] * 32, range(32))
    >>> found.difference, found.earlier, found.later
    (0.5, 16, 16)
    """
    confident(confidence)
    value, before, place = numbers(values, "values"), np.asarray(earlier, dtype=np.bool_), ranks(places)
    same_length(value, before, "values and earlier")
    same_length(place, before, "places and earlier")
    if len(np.asarray(clusters)) != value.size:
        raise InputError(f"clusters are {len(np.asarray(clusters))} for {value.size} values; expected one each.")
    size = int(place.max(initial=-1)) + 1
    sides = [np.bincount(place[mask], minlength=size) for mask in (before, ~before)]
    both = ((sides[0] > 0) & (sides[1] > 0))[place] if size else before
    count, late = int((both & before).sum()), int((both & ~before).sum())
    shared = int(np.sum((sides[0] > 0) & (sides[1] > 0)))
    drawn = clustered(np.asarray(clusters)[both], None, int(both.sum()))
    if not shared:
        why = Missing(code="no_place_on_both_sides")
        return DateSplit(None, None, None, None, None, count, late, drawn.count, shared, why)
    x, y, at = before[both].astype(np.float64), value[both], place[both]
    square, product = (float(each.sum()) for each in _sums(x, y, at, size))
    slope = product / square
    few = Missing(code="too_few_clusters", n=drawn.count, needed=MIN_CLUSTERS)
    if drawn.count < MIN_CLUSTERS:
        return DateSplit(slope, None, None, None, None, count, late, drawn.count, shared, few)
    bottoms, tops = _without(x, y, at, drawn.of_unit)
    if bottoms.min() <= 1e-9 * square:
        # Without one cluster there is no date to split by.
        why = Missing(code="hangs_on_one_cluster", because=few)
        return DateSplit(slope, None, None, None, None, count, late, drawn.count, shared, why)
    without = tops / bottoms
    error = sqrt((drawn.count - 1) / drawn.count * float(np.sum((without - slope) ** 2)))
    freedom = drawn.count - 2
    reach = t_quantile(freedom, confidence)
    p = 2 * float(special.stdtr(freedom, -abs(slope) / error)) if error else float(slope == 0)
    least = (t_quantile(freedom, 0.95) + float(special.stdtrit(freedom, POWER))) * error
    if error == 0:
        return DateSplit(slope, None, None, p, None, count, late, drawn.count, shared, Missing(code="same_means"))
    return DateSplit(slope, slope - reach * error, slope + reach * error, p, least, count, late, drawn.count, shared)


def _sums(x: Floats, y: Floats, place: Integers, size: int) -> tuple[Floats, Floats]:
    """Sums of x · x and x · y within each place, about its means."""
    n = np.maximum(np.bincount(place, minlength=size), 1)
    one, other = (np.bincount(place, each, minlength=size) for each in (x, y))
    return (
        np.bincount(place, x * x, minlength=size) - one * one / n,
        np.bincount(place, x * y, minlength=size) - one * other / n,
    )


def _without(x: Floats, y: Floats, place: Integers, cluster: Integers) -> tuple[Floats, Floats]:
    """The same summed over places, with each cluster left out and places' means made anew."""
    size, many = int(place.max()) + 1, int(cluster.max()) + 1
    of_cluster, of_place, piece = distinct_pairs(cluster, place)
    own = [np.bincount(piece, each, minlength=of_place.size) for each in (np.ones_like(x), x, y, x * x, x * y)]
    whole = [np.bincount(place, each, minlength=size) for each in (np.ones_like(x), x, y, x * x, x * y)]
    n, one, other, squares, products = (all_[of_place] - part for all_, part in zip(whole, own, strict=True))
    left = np.maximum(n, 1)
    found = []
    for total, rest in zip(_sums(x, y, place, size), (squares - one * one / left, products - one * other / left),
                           strict=True):  # fmt: skip
        found.append(total.sum() - np.bincount(of_cluster, total[of_place] - rest, minlength=many))
    return found[0], found[1]
