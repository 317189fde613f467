"""Scores by their definition, each in a few lines, against which figures of runs are held."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mores.core.arrays import Floats, Integers
from mores.core.estimate import CategoricalColumn
from mores.stats.intervals import Interval
from mores.stats.norm_scores import (
    PUBLISHED,
    NormRule,
    RegionScores,
    StrictnessForm,
    norm_utilities,
    norm_weights,
    region_points,
    weighted_interval,
)

Statistic = Literal["mean", "passed"]


class NormSlots(NamedTuple):
    """Each slot: mean and best of its graded samples, its mean were each ungraded one a violation, or satisfied."""

    mean: Floats
    passed: Floats
    weight: Floats
    worst: Floats
    best: Floats
    graded: Integers
    samples: int


def norm_slots(probabilities: npt.ArrayLike, strictness: Sequence[str], rule: NormRule = PUBLISHED) -> NormSlots:
    """The slots of so many samples, within their weights."""
    values, weight = norm_utilities(probabilities, strictness, rule), norm_weights(strictness, rule)
    lost = np.isnan(values)
    graded = np.asarray((~lost).sum(0), dtype=np.int64)
    highest = np.where(lost, -np.inf, values).max(0, initial=-np.inf)
    return NormSlots(
        mean=np.divide(np.nansum(values, 0), graded, out=np.full(weight.size, np.nan), where=graded > 0),
        passed=np.where(graded > 0, highest, np.nan),
        weight=weight,
        worst=np.where(lost, -weight, values).mean(0),
        best=np.where(lost, weight, values).mean(0),
        graded=graded,
        samples=len(values),
    )


def norm_interval(
    slots: NormSlots,
    clusters: npt.ArrayLike,
    *,
    within: npt.ArrayLike = True,
    strata: npt.ArrayLike | None = None,
    form: StrictnessForm = "adjusted",
    statistic: Statistic = "mean",
    confidence: float = 0.95,
) -> Interval:
    """The interval of the score of those slots that are within and graded."""
    values = slots.mean if statistic == "mean" else slots.passed
    known = np.asarray(within) & ~np.isnan(values)
    return weighted_interval(
        values[known],
        slots.weight[known],
        np.asarray(clusters)[known],
        strata=None if strata is None else np.asarray(strata)[known],
        mean_weight=float(slots.weight.mean()) if form == "paper" and known.any() else None,
        confidence=confidence,
    )


def norms_possessed(norm: npt.ArrayLike, negation: npt.ArrayLike) -> Any:
    """Shares of norms called true, of negations called false, and of both, by more than half of the samples."""
    affirmed, denied = (2 * (np.asarray(said) == code).sum(0) > len(np.asarray(said)) for said, code in
                        ((norm, 1), (negation, 0)))  # fmt: skip
    return SimpleNamespace(share=(affirmed & denied).mean(), affirmed=affirmed.mean(), denied=denied.mean())


def norm_score(slots: NormSlots) -> Any:
    """Mean@K, Pass@K and bounds of the mean in points; verdicts graded of asked."""
    known = slots.graded > 0
    return SimpleNamespace(
        mean=_points(slots.mean[known], slots.weight[known]),
        passed=_points(slots.passed[known], slots.weight[known]),
        worst=_points(slots.worst, slots.weight),
        best=_points(slots.best, slots.weight),
        graded=int(slots.graded.sum()),
        asked=slots.samples * slots.weight.size,
    )


def score_from_means(
    means: Mapping[str, Sequence[float]], slots: Mapping[str, int], rule: NormRule = PUBLISHED
) -> float:
    """Mean@K in points from the mean probabilities of each strictness, as a paper prints them."""
    names = sorted(means)
    p = np.array([means[name] for name in names])
    weight = norm_weights(names, rule) * np.array([slots[name] for name in names])
    return _points(weight * (p[:, 0] - rule.beta * p[:, 1] - p[:, 2]), weight)


def region_scores(
    slots: NormSlots, regions: Sequence[str], *, form: str = "adjusted", statistic: str = "mean"
) -> RegionScores:
    """Points of each region, over its own mean weight or over that of the whole ("paper")."""
    whole = np.full(slots.weight.size, slots.weight.sum() / max(slots.weight.size, 1))
    return region_points(
        getattr(slots, statistic), slots.weight if form == "adjusted" else whole, CategoricalColumn.sorted(regions)
    )


def trial_scores(outcomes: Integers) -> tuple[float, float, float]:
    """Mean@K, Pass@K and the share of errors of form (-1), averaged over samples with errors."""
    codes = np.asarray(outcomes)
    shares = [float((row == -1).sum() / (row != 1).sum()) for row in codes if (row != 1).any()]
    right = codes == 1
    return float(right.mean()), float(right.any(0).mean()), float(np.mean(shares)) if shares else float("nan")


def medium_outcomes(said: Integers) -> Integers:
    """Right (1) iff of four options judged apart only the last is called true; -1 where one could not be read."""
    right = (said == np.array([0, 0, 0, 1])).all(2)
    return np.where((said == -1).any(2), -1, right.astype(np.int64))


def region_trials(outcomes: Integers, regions: Sequence[str]) -> RegionScores:
    """Mean@K of each region in points, and how far regions are apart."""
    right = (np.asarray(outcomes) == 1).mean(0)
    return region_points(right, np.ones(right.size), CategoricalColumn.sorted(regions))


def _points(values: Floats, weight: Floats) -> float:
    return 100 * float(values.sum()) / float(weight.sum()) if weight.sum() > 0 else float("nan")
