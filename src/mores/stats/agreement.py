"""Agreement of raters, any number of them and with gaps: coefficients beyond chance, human ceiling, stability.

ratings (units, raters) ─▶ for each unit, the share of its pairs of raters that agree ─▶ coefficients, human ceiling.
A judge cannot be asked to agree with people more than people agree with each other, so both stand side by side, over
the same units. A judge that always says the same is stable, not right: agreement with itself bounds agreement with
people and says nothing else. Judges at temperature 0 flip as well.

Krippendorff's alpha is observed over expected disagreement of the pairs of values that raters gave the same unit.
Pairs add up over units, so that resampled alphas are functions of resampled sums. Ordinal distances are those of the
ranks in the middle of each value's ties, squared, which is the textbook's sum over the values in between.
"""

from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.stats.checks import labels, ratio, same_length
from mores.stats.cluster_sums import ClusterSums, Design, MeasuredFigure, share, undefined

Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
_VALUES = 101  # distinct values up to which pairs of them are counted, as on a scale from 0 to 100
_ALIKE = Missing(code="all_equal")


class CoincidencePairs(NamedTuple):
    """Unordered pairs of values, by their places in the sorted `values`."""

    low: Integers
    high: Integers
    values: Floats

    def alpha(self, pairs: Floats, level: Level) -> Floats:
        """Alpha of so many pairs in each cell, (…, cells) to (…); NaN where all values are equal."""
        ends = np.zeros((self.low.size, self.values.size))
        # add.at and not +=, as a pair of equal values counts twice in its cell
        np.add.at(ends, (np.arange(self.low.size), self.low), 1)
        np.add.at(ends, (np.arange(self.low.size), self.high), 1)
        count = pairs @ ends
        if level == "ordinal":
            # the half that whole ranks have more drops out of their differences
            ranks = np.cumsum(count, -1) - count / 2
            difference, expected = (ranks[..., self.low] - ranks[..., self.high]) ** 2, _squares(count, ranks)
        else:
            far = _distances(self.values, level)
            difference, expected = far[self.low, self.high], np.einsum("...c,ck,...k->...", count, far, count)
        return _one_less(2 * (pairs * difference).sum(-1), expected, count.sum(-1))


def krippendorff_alpha(ratings: npt.ArrayLike, level: Level, design: Design) -> MeasuredFigure:
    """Alpha with its clustered interval; NaN, with the reason, where ratings cannot be compared or are all equal.

    Args:
        ratings: A row a unit, a column a rater, NaN where a rater gave none. For classes without an order any
            numbers serve as names.
        level: "nominal" for names, "ordinal" for an order, "interval" for points, "ratio" for amounts from 0.
        design: Clusters and dice; a design of units, not of ratings.

    Raises:
        InputError: not two-dimensional, infinite, negative amounts, or over 101 distinct values that are no points.

    Source:
        Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
    """
    whole = rating_table(ratings)
    several = (~np.isnan(whole)).sum(1) > 1
    same_length(several, np.asarray(design.clusters), "ratings and clusters")
    table, part = whole[several], design.part(several, "alpha")
    if len(table) == 0:
        return undefined(Missing(code="no_two_ratings"))
    unit, rater = np.nonzero(~np.isnan(table))
    if level == "interval":
        columns, alpha = _moments(table), _interval_alpha
    else:
        cells, columns = _pairs(table, level)
        alpha = partial(cells.alpha, level=level)
    sums = ClusterSums.of(columns, part)
    worth = sums.worth(unit, table[unit, rater])
    return sums.measure(alpha, "coefficient", worth=worth, missing=_ALIKE)


def rating_table(ratings: npt.ArrayLike) -> Floats:
    """Ratings as numbers, a row a unit and a column a rater, NaN for none.

    Raises:
        InputError: not two-dimensional, or infinite.
    """
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise InputError(f"ratings have shape {table.shape}; expected a row a unit, a column a rater, NaN for none.")
    return table


def _squares(count: Floats, values: Floats) -> Floats:
    """Σ n n' (v - v')² over all values."""
    total = count.sum(-1)
    return np.asarray(2 * (total * (count * values**2).sum(-1) - (count * values).sum(-1) ** 2))


def _distances(values: Floats, level: Level) -> Floats:
    if level == "nominal":
        return np.asarray(values[:, None] != values, dtype=np.float64)
    return ratio(values[:, None] - values, values[:, None] + values, empty=0.0, least=0.0) ** 2


def _one_less(observed: Floats, expected: Floats, total: Floats) -> Floats:
    # rounding leaves a little where all values are equal: alpha is undefined there, not huge
    some = np.where(expected > 1e-12 * np.maximum(total, 1) ** 2, expected, 0.0)
    return np.asarray(1 - ratio((total - 1) * observed, some))


def _moments(table: Floats) -> Floats:
    """Of each unit: disagreement within, ratings, their sum and their sum of squares, about the mean and in its units.

    Taken about the mean, as sums of squares of large numbers with small differences would lose them.
    """
    present = ~np.isnan(table)
    values = np.where(present, table - table[present].mean(), 0.0)
    values /= float(np.abs(values).max()) or 1.0
    count, one, two = present.sum(1).astype(np.float64), values.sum(1), (values**2).sum(1)
    return np.column_stack((2 * (count * two - one**2) / (count - 1), count, one, two))


def _interval_alpha(rows: Floats) -> Floats:
    observed, total, one, two = np.moveaxis(rows, -1, 0)
    return _one_less(observed, 2 * (total * two - one**2), total)


def _pairs(table: Floats, level: Level) -> tuple[CoincidencePairs, Floats]:
    """The cells that occur, and each unit's pairs in them, each weighing 1 / (ratings - 1)."""
    present = ~np.isnan(table)
    values = np.unique(table[present])
    if level == "ratio" and values[0] < 0:
        raise InputError(f"a rating is {values[0]:g}; expected amounts from 0 on a ratio scale.")
    if values.size > _VALUES:
        raise InputError(
            f"ratings have {values.size} distinct values; expected at most {_VALUES} on a {level} scale. "
            "Take them as points (interval), or group them."
        )
    places = np.searchsorted(values, np.where(present, table, values[0]))
    units, keys = [], []
    for one, other in combinations(range(table.shape[1]), 2):
        both = np.flatnonzero(present[:, one] & present[:, other])
        ends = np.sort(places[both][:, (one, other)], axis=1)
        units.append(both)
        keys.append(ends[:, 0] * values.size + ends[:, 1])
    unit = np.concatenate(units)
    found, cell = np.unique(np.concatenate(keys), return_inverse=True)
    pairs = np.zeros((len(table), found.size))
    # a unit of m ratings has m (m - 1) / 2 pairs; by 1 / (m - 1) each of its ratings counts once
    np.add.at(pairs, (unit, cell), 1 / (present.sum(1) - 1)[unit])
    return CoincidencePairs(found // values.size, found % values.size, values), pairs


RatingMatch: TypeAlias = Literal["equal", "near"]
_ONE_CLASS = Missing(code="one_class_of_all")


class RaterAgreement(Struct, frozen=True, kw_only=True):
    """Agreement of several raters: raw, and by coefficients that differ in what they take for chance.

    `pairwise` is the share of pairs of raters that agree, averaged over the units that have two raters or more.
    """

    units: int
    raters: int
    pairwise: MeasuredFigure
    alpha: MeasuredFigure
    fleiss: MeasuredFigure
    ac1: MeasuredFigure
    pabak: MeasuredFigure


class Ceiling(Struct, frozen=True, kw_only=True):
    """Likeness of judge and people, of people to each other, and the first less the second, over the same units."""

    units: int
    judge: MeasuredFigure
    people: MeasuredFigure
    gap: MeasuredFigure


def rater_agreement(
    ratings: npt.ArrayLike, classes: int, design: Design, *, level: Literal["nominal", "ordinal"] = "nominal"
) -> RaterAgreement:
    """Agreement of raters on single labels, with clustered intervals.

    Fleiss' kappa takes chance from all raters' class shares together, AC1 from how far these are from certain; both
    average a unit's agreement over the units with two raters or more and class shares over units (Gwet's form for
    missing labels; with equally many labels a unit it is Fleiss' own).

    Args:
        ratings: Codes from 0 to classes - 1, a row a unit, a column a rater, NaN for none.
        classes: Number of classes, seen or not.
        design: Clusters and seed.
        level: Of alpha.

    Raises:
        InputError: not two-dimensional, lengths differ, or a label is no code.

    Source:
        Fleiss (1971), Psychological Bulletin 76; Gwet (2014), Handbook of Inter-Rater Reliability, chapter 2.
    """
    table = labels(rating_table(ratings), "ratings", classes)
    present = ~np.isnan(table)
    raters = present.sum(1)
    same_length(raters, np.asarray(design.clusters), "ratings and clusters")
    rated, several = raters > 0, raters > 1
    agree = pairs_alike(table[several])
    sums = ClusterSums.of(_columns(table[rated], classes), design.part(rated, "raters"))
    unit, rater = np.nonzero(present[rated])
    worth = sums.worth(unit, table[rated][unit, rater])

    def measured(coefficient: Callable[[Floats], Floats]) -> MeasuredFigure:
        return sums.measure(coefficient, "coefficient", worth=worth, missing=_ONE_CLASS)

    return RaterAgreement(
        units=int(several.sum()),
        raters=int(present.any(0).sum()),
        pairwise=share(agree, design.part(several, "pairs"), "pairwise agreement", Missing(code="no_two_raters")),
        alpha=krippendorff_alpha(table, level, design),
        fleiss=measured(_fleiss),
        ac1=measured(_ac1),
        pabak=measured(_pabak),
    )


def human_ceiling(
    judge: npt.ArrayLike, people: npt.ArrayLike, design: Design, *, matching: RatingMatch = "equal", span: float = 1.0
) -> Ceiling:
    """Agreement of judge and person, and of two persons, as shares of pairs, over units with two persons or more.

    A gap above 0 is possible: a judge that is right is nearer to each person than persons who err each in their own
    way are to each other.

    Args:
        judge: One verdict a unit, NaN for none.
        people: A row a unit, a column a person, NaN for none.
        design: Clusters and seed.
        matching: "equal" for labels: 1 or 0; "near" for points: 1 - |difference| / span.
        span: Largest difference that the scale allows.

    Raises:
        InputError: lengths differ, or a difference is beyond the span.
    """
    table, verdicts = rating_table(people), np.asarray(judge, dtype=np.float64)
    same_length(verdicts, np.empty(len(table)), "judge and people")
    same_length(verdicts, np.asarray(design.clusters), "judge and clusters")
    kept = ((~np.isnan(table)).sum(1) > 1) & ~np.isnan(verdicts)
    if not kept.any():
        none = undefined(Missing(code="no_verdict_and_two_people"))
        return Ceiling(units=0, judge=none, people=none, gap=none)
    given, design = table[kept], design.part(kept, "ceiling")
    to_judge = np.nanmean(_similarity(verdicts[kept][:, None], given, matching, span), axis=1)
    among = _among(given, matching, span)
    # A gap lies in [-1, 1]; as a share it has Wilson's form at the edges.
    gap = share((1 + to_judge - among) / 2, design, "gap")
    return Ceiling(
        units=int(kept.sum()),
        judge=share(to_judge, design, "judge"),
        people=share(among, design, "people"),
        gap=MeasuredFigure(2 * gap.value - 1, gap.interval.on_scale(lambda end: 2 * end - 1)),
    )


def _similarity(one: Floats, other: Floats, matching: RatingMatch, span: float) -> Floats:
    """1 for alike and 0 for as far as can be; NaN where either is missing."""
    difference = np.abs(one - other)
    if matching == "equal":
        return np.where(np.isnan(difference), np.nan, difference == 0)
    if span <= 0 or np.nanmax(difference, initial=0.0) > span:
        raise InputError(
            f"points lie up to {np.nanmax(difference):g} apart; expected at most the span, which is {span:g}."
        )
    return np.asarray(1 - difference / span)


def _among(table: Floats, matching: RatingMatch, span: float) -> Floats:
    """Mean likeness of the pairs of a unit's people."""
    count = (~np.isnan(table)).sum(1)
    total = np.zeros(len(table))
    for column in table.T:
        total += np.nansum(_similarity(column[:, None], table, matching, span), axis=1)
    return np.asarray((total - count) / (count * (count - 1)))  # each is like itself, which is no pair


def pairs_alike(table: Floats) -> Floats:
    """Share of the pairs of each unit's ratings that are equal; every unit has two or more."""
    return _among(table, "equal", 1.0)


def _columns(table: Floats, classes: int) -> Floats:
    """Of each unit: pairs that agree as a share, whether it has pairs, 1, and the share of its raters in each class."""
    given = np.stack([(table == label).sum(1) for label in range(classes)], axis=1).astype(np.float64)
    raters = given.sum(1)
    pairs = raters * (raters - 1)
    agree = ratio((given * (given - 1)).sum(1), pairs, empty=0.0)
    return np.column_stack((agree, pairs > 0, np.ones(len(table)), given / raters[:, None]))


def _seen(rows: Floats) -> Floats:
    return ratio(rows[..., 0], rows[..., 1])


def _shares(rows: Floats) -> Floats:
    return ratio(rows[..., 3:], rows[..., 2:3])


def _corrected(seen: Floats, chance: Floats) -> Floats:
    return ratio(seen - chance, 1 - chance)


def _fleiss(rows: Floats) -> Floats:
    return _corrected(_seen(rows), np.asarray((_shares(rows) ** 2).sum(-1)))


def _ac1(rows: Floats) -> Floats:
    pi = _shares(rows)
    return _corrected(_seen(rows), np.asarray((pi * (1 - pi)).sum(-1) / (pi.shape[-1] - 1)))


def _pabak(rows: Floats) -> Floats:
    return _corrected(_seen(rows), np.full(rows.shape[:-1], 1 / (rows.shape[-1] - 3)))


class Repeats(Struct, frozen=True, kw_only=True):
    """Stability of one judge over repeats.

    `flip_rate` is the probability that two repeats on an item disagree; `alpha` is its agreement with itself beyond
    chance. `item_variance` is how far items differ, `run_variance` how far repeats on an item do, and `reliability`
    the share of the former in the variance of an item's mean; NaN for names, which have no variance, and for items
    that are all alike.
    """

    items: int
    runs: float
    flip_rate: MeasuredFigure
    alpha: MeasuredFigure
    item_variance: float
    run_variance: float
    reliability: float


def repeat_stability(verdicts: npt.ArrayLike, design: Design, *, level: Level = "nominal") -> Repeats:
    """Flip rate, intra-judge alpha and variances of repeated verdicts; items with one verdict say nothing.

    Flip rate of an item with R verdicts, r_c of them c: Σ r_c (R - r_c) / (R (R - 1)).

    Args:
        verdicts: A row an item, a column a repeat, NaN for none; codes of classes or points. Two classes are 0 and 1.
        design: Clusters and seed.
        level: "nominal" for classes, else of the points.

    Raises:
        InputError: not two-dimensional, or lengths differ.
    """
    table = rating_table(verdicts)
    several = (~np.isnan(table)).sum(1) > 1
    same_length(several, np.asarray(design.clusters), "verdicts and clusters")
    repeated = table[several]
    numeric = level != "nominal" or bool(np.isin(repeated[~np.isnan(repeated)], (0, 1)).all())
    item, run, reliability = _variances(repeated) if numeric and len(repeated) > 1 else (float("nan"),) * 3
    flips = share(1 - pairs_alike(repeated), design.part(several, "flips"), "flips", Missing(code="no_two_verdicts"))
    return Repeats(
        items=int(several.sum()),
        runs=float((~np.isnan(repeated)).sum(1).mean()) if len(repeated) else 0.0,
        flip_rate=flips,
        alpha=krippendorff_alpha(table, level, design),
        item_variance=item,
        run_variance=run,
        reliability=reliability,
    )


def _variances(table: npt.NDArray[np.float64]) -> tuple[float, float, float]:
    """One-way analysis of variance; the variance over items is not taken below 0."""
    count = (~np.isnan(table)).sum(1)
    mean = np.nanmean(table, axis=1)
    total = int(count.sum())
    run = float(np.nansum((table - mean[:, None]) ** 2)) / (total - len(table))
    between = float((count * (mean - np.nansum(table) / total) ** 2).sum()) / (len(table) - 1)
    # the group size that unequal groups count as in a one-way analysis of variance
    typical = (total - float((count**2).sum()) / total) / (len(table) - 1)
    item = max(0.0, (between - run) / typical)
    spread = item + run / typical
    return item, run, item / spread if spread > 0 else float("nan")
