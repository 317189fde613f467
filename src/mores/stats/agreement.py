"""Several raters on the same units: how often two of them agree, beyond chance, and whether a judge does as they do.

ratings (units, raters) ─▶ for each unit, the share of its pairs of raters that agree ─▶ coefficients, human ceiling.
A judge cannot be asked to agree with people more than people agree with each other, so both stand side by side, over
the same units.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.stats.checks import FloatArray, labels, ratio, same_length
from mores.stats.cluster_sums import ClusterSums, Design, MeasuredFigure, share, undefined
from mores.stats.krippendorff import krippendorff_alpha, rating_table

Likeness: TypeAlias = Literal["equal", "near"]
_ONE_CLASS = Missing(code="one_class_of_all")


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterAgreement:
    """How far several raters agree: raw, and by coefficients that differ in what they take for chance.

    `pairwise` is the share of pairs of raters that agree, averaged over the units that have two raters or more.
    """

    units: int
    raters: int
    pairwise: MeasuredFigure
    alpha: MeasuredFigure
    fleiss: MeasuredFigure
    ac1: MeasuredFigure
    pabak: MeasuredFigure


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """How like people the judge is, how like each other they are, and the judge's less theirs, over the same units."""

    units: int
    judge: MeasuredFigure
    people: MeasuredFigure
    gap: MeasuredFigure


def rater_agreement(
    ratings: npt.ArrayLike, classes: int, design: Design, *, level: Literal["nominal", "ordinal"] = "nominal"
) -> RaterAgreement:
    """How far raters agree on single labels, with clustered intervals.

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

    def measured(coefficient: Callable[[FloatArray], FloatArray]) -> MeasuredFigure:
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
    judge: npt.ArrayLike, people: npt.ArrayLike, design: Design, *, likeness: Likeness = "equal", span: float = 1.0
) -> Ceiling:
    """How often the judge agrees with a person, and how often two persons do, over units with two persons or more.

    A gap above 0 is possible: a judge that is right is nearer to each person than persons who err each in their own
    way are to each other.

    Args:
        judge: One verdict a unit, NaN for none.
        people: A row a unit, a column a person, NaN for none.
        design: Clusters and seed.
        likeness: "equal" for labels: 1 or 0; "near" for points: 1 - |difference| / span.
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
    to_judge = np.nanmean(_likeness(verdicts[kept][:, None], given, likeness, span), axis=1)
    among = _among(given, likeness, span)
    # A gap lies in [-1, 1]; as a share it has Wilson's form at the edges.
    gap = share((1 + to_judge - among) / 2, design, "gap")
    return Ceiling(
        units=int(kept.sum()),
        judge=share(to_judge, design, "judge"),
        people=share(among, design, "people"),
        gap=MeasuredFigure(2 * gap.value - 1, gap.interval.on_scale(lambda end: 2 * end - 1)),
    )


def _likeness(one: FloatArray, other: FloatArray, likeness: Likeness, span: float) -> FloatArray:
    """1 for alike and 0 for as far as can be; NaN where either is missing."""
    apart = np.abs(one - other)
    if likeness == "equal":
        return np.where(np.isnan(apart), np.nan, apart == 0)
    if span <= 0 or np.nanmax(apart, initial=0.0) > span:
        raise InputError(f"points lie up to {np.nanmax(apart):g} apart; expected at most the span, which is {span:g}.")
    return np.asarray(1 - apart / span)


def _among(table: FloatArray, likeness: Likeness, span: float) -> FloatArray:
    """Mean likeness of the pairs of a unit's people."""
    count = (~np.isnan(table)).sum(1)
    total = np.zeros(len(table))
    for column in table.T:
        total += np.nansum(_likeness(column[:, None], table, likeness, span), axis=1)
    return np.asarray((total - count) / (count * (count - 1)))  # each is like itself, which is no pair


def pairs_alike(table: FloatArray) -> FloatArray:
    """Share of the pairs of each unit's ratings that are equal; every unit has two or more."""
    return _among(table, "equal", 1.0)


def _columns(table: FloatArray, classes: int) -> FloatArray:
    """Of each unit: pairs that agree as a share, whether it has pairs, 1, and the share of its raters in each class."""
    given = np.stack([(table == label).sum(1) for label in range(classes)], axis=1).astype(np.float64)
    raters = given.sum(1)
    pairs = raters * (raters - 1)
    agree = ratio((given * (given - 1)).sum(1), pairs, empty=0.0)
    return np.column_stack((agree, pairs > 0, np.ones(len(table)), given / raters[:, None]))


def _seen(rows: FloatArray) -> FloatArray:
    return ratio(rows[..., 0], rows[..., 1])


def _shares(rows: FloatArray) -> FloatArray:
    return ratio(rows[..., 3:], rows[..., 2:3])


def _corrected(seen: FloatArray, chance: FloatArray) -> FloatArray:
    return ratio(seen - chance, 1 - chance)


def _fleiss(rows: FloatArray) -> FloatArray:
    return _corrected(_seen(rows), np.asarray((_shares(rows) ** 2).sum(-1)))


def _ac1(rows: FloatArray) -> FloatArray:
    pi = _shares(rows)
    return _corrected(_seen(rows), np.asarray((pi * (1 - pi)).sum(-1) / (pi.shape[-1] - 1)))


def _pabak(rows: FloatArray) -> FloatArray:
    return _corrected(_seen(rows), np.full(rows.shape[:-1], 1 / (rows.shape[-1] - 3)))
