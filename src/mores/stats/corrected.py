"""A judge's mean put right with people's labels of some units: prediction-powered inference.

judged units (many, the judge's figure) + labelled units (few, the judge's and the person's) ─▶ the mean that people
would have given all. One assumption: the labelled units are a random sample of the same units as the judged (same
models, same mix of places; within strata if there are strata). Where they are not, nothing here repairs it: a judge
right in .93 of the labelled units and .72 of the others left the 95 % interval with .48 coverage. `label_checks` looks
for signs of it. The uncorrected mean always stands beside.
"""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, stdtrit

from mores.core.errors import InputError
from mores.stats.arrays import FloatArray, confident
from mores.stats.cluster_sums import Measured, undefined
from mores.stats.clusters import Spread
from mores.stats.intervals import FEWEST, Interval, no_interval, score_interval, stratified_wilson, too_few
from mores.stats.labelled import JudgedUnits, LabelledUnits, Part, Pool

_FEW = 50  # labelled clusters below which the normal is too narrow
_OWN = 30  # labelled units of a stratum below which its lambda is the common one
_ROUNDING = 1e-9  # lambda below which a judge says nothing, but for rounding
_RARE = 10  # labelled clusters with an error of the judge, or with the rarer label, below which half of one is added


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """The corrected mean, beside the judge's over all units and the people's over the labelled ones.

    `lam` says how far the judge's figures are used, 0 for not at all; one a stratum, in the sorted order of names.
    Where the data cannot carry a correction it is NaN and `why` of it says why.
    """

    corrected: Measured
    uncorrected: Measured
    people: Measured
    lam: tuple[float, ...]
    judged: int
    labelled: int
    labelled_clusters: int


def prediction_powered(
    judged: JudgedUnits,
    labelled: LabelledUnits,
    *,
    weights: npt.ArrayLike | None = None,
    lam: float | None = None,
    confidence: float = 0.95,
) -> Corrected:
    """The mean that people would have given, from many judged and few labelled units (PPI++).

    Σ share · (lam · mean of judged + mean of (label - lam · judge's) over labelled), over strata. By default lam is the
    one with the least variance, cov / ((1 + n / N) var), from 0 to 1; strata with under 30 labelled units share one.
    Standard errors are cluster-robust, over both parts where they share clusters. Under 50 labelled clusters the
    quantile is t's; under 8 there is no interval. Where figures are 0 or 1 and under 10 labelled clusters hold an
    error of the judge, or one of the labels, half a cluster with each kind of error is added for the interval.

    Coverage of 95 % intervals, 3,000 draws, share .85, judge .91 / .88: n = 200 .938, n = 50 .94, n = 30 .945 (without
    the halves .90 and .89); judge .99 / .99 and n = 100 .98 (.81); share .97 and n = 100 .985 (.86). Places of uneven
    shares and judges, 4 of 50 labels to 20 of 4: .925 to .936.

    Args:
        judged: Units with the judge's figure only.
        labelled: A random sample with both.
        weights: Share of each stratum in the mean, in the sorted order of names; by default as it has units.
        lam: How far to use the judge, instead of the best; 1 is the plain difference estimator.
        confidence: Wanted coverage.

    Raises:
        InputError: a figure is not finite, lengths differ, only one part has strata, or a weight is not positive.

    Source:
        Angelopoulos, Duchi and Zrnic (2023), PPI++, arXiv:2311.01453, example 6.1 and section 6.
    """
    confident(confidence)
    if lam is not None and not 0 <= lam <= 1:
        raise InputError(f"lam is {lam}; expected a share from 0, labels alone, to 1, or None for the best.")
    pool = Pool.of(judged, labelled, weights)
    used = np.full(len(pool.names), lam) if lam is not None else _best(pool)
    why = pool.refusal()
    corrected = undefined(why) if why else _corrected(pool, used, confidence)
    return Corrected(
        corrected=corrected,
        uncorrected=_uncorrected(pool, confidence),
        people=undefined(why) if why else _mean(pool.labelled, pool.labels, pool, confidence),
        lam=() if why else tuple(used.tolist()),
        judged=pool.guesses.size,
        labelled=pool.seen.size,
        labelled_clusters=pool.labelled.count,
    )


def _best(pool: Pool) -> FloatArray:
    """Lambda of each stratum with the least variance: its own with many labels, else one for all such strata."""
    n, total = pool.labelled.size, pool.judged.size
    if np.any(n < 2) or np.any(total < 1):
        return np.zeros(n.size)
    together = np.concatenate((pool.labelled.stratum, pool.judged.stratum))
    both = Part(together, None, n + total, n + total)
    figures = np.concatenate((pool.seen, pool.guesses))
    variance = both.spreads(figures, figures) * both.size / (both.size - 1)
    covariance = pool.labelled.spreads(pool.labels, pool.seen)
    few = n < _OWN
    unbiased = covariance * n / (n - 1)
    up = pool.shares**2 * np.where(few, unbiased, covariance) / n
    down = pool.shares**2 * variance * (1 / n + 1 / total)
    if few.any():
        up[few], down[few] = up[few].sum(), down[few].sum()
    best = np.clip(np.divide(up, down, out=np.zeros(n.size), where=down > 0), 0, 1)
    return np.asarray(np.where(best < _ROUNDING, 0.0, best))


def _corrected(pool: Pool, lam: FloatArray, confidence: float) -> Measured:
    rest = pool.labels - lam[pool.labelled.stratum] * pool.seen
    used = lam[pool.judged.stratum] * pool.guesses
    left = float(pool.shares @ pool.labelled.means(rest))
    value = float(pool.shares @ pool.judged.means(used)) + left
    clusters = pool.labelled.count
    if not lam.any():
        return _mean(pool.labelled, pool.labels, pool, confidence)
    if clusters < FEWEST:
        return Measured(value, too_few(clusters))
    own = pool.labelled.influence(rest, pool.shares) * _lift(pool.labelled)
    spare = _Spare(0.0, 0.0, 1.0)
    if pool.binary and _rare(pool):
        spare = _half_each_way(left, float(pool.shares @ lam), clusters)
    variance = pool.variance(own * spare.shrink, pool.judged.influence(used, pool.shares)) + spare.variance
    if variance <= 0:
        return Measured(value, no_interval("figures and labels do not vary"))
    half = _quantile(clusters, len(pool.names), confidence) * sqrt(variance)
    low, high = value + spare.shift - half, value + spare.shift + half
    if pool.within:
        low, high = min(max(0.0, low), 1.0), max(min(1.0, high), 0.0)
    return Measured(value, Interval(low, high, "PPI++" if spare.shrink == 1 else "PPI++, half a cluster each way"))


class _Spare(NamedTuple):
    """What clusters that were added do to the rest's mean, to its variance, and to the weight of the others."""

    shift: float
    variance: float
    shrink: float


def _half_each_way(left: float, lam: float, clusters: int) -> _Spare:
    """Half a cluster where people say 1 and the judge 0, whose rest is 1, and half one the other way, where it is -lam.

    As a share has half a success and half a failure added, so that none seen so far is not taken for none at all.
    """
    moved = (left * clusters + 0.5 * (1 - lam)) / (clusters + 1)
    squares = clusters * (left - moved) ** 2 + 0.5 * (1 - moved) ** 2 + 0.5 * (lam + moved) ** 2
    return _Spare(moved - left, squares / (clusters + 1) ** 2, clusters / (clusters + 1))


def _rare(pool: Pool) -> bool:
    """Whether errors of the judge, or either label, are found in too few labelled clusters for the normal."""
    kinds = (pool.labels != pool.seen, pool.labels == 1, pool.labels == 0)
    part = pool.labelled
    seen = (kind.sum() if part.cluster is None else np.unique(part.cluster[kind]).size for kind in kinds)
    return min(seen) < _RARE


def _lift(part: Part) -> FloatArray:
    """Of each unit, the root of G / (G - 1) where its stratum has under 50 clusters."""
    few = part.clusters < _FEW
    return np.sqrt(np.where(few, part.clusters / np.maximum(part.clusters - 1, 1), 1.0))[part.stratum]


def _quantile(clusters: int, strata: int, confidence: float) -> float:
    freedom = max(1, clusters - strata)
    return float(ndtri((1 + confidence) / 2) if clusters >= _FEW else stdtrit(freedom, (1 + confidence) / 2))


def _mean(part: Part, values: FloatArray, pool: Pool, confidence: float) -> Measured:
    """A part's mean over strata: Wilson's interval of independent zeros and ones, else a cluster-robust one."""
    means = part.means(values)
    mean, clusters = float(pool.shares @ means), part.count
    if part.cluster is None and pool.binary:
        right = np.rint(means * part.size)
        return Measured(mean, stratified_wilson(right, part.size, weights=pool.shares, confidence=confidence))
    if clusters < FEWEST:
        return Measured(mean, too_few(clusters))
    influence = part.influence(values, pool.shares)
    summed = influence if part.cluster is None else np.bincount(part.cluster, influence)
    error = Spread(sqrt(float((summed**2).sum()) * clusters / (clusters - 1)), max(1, clusters - len(pool.names)))
    if pool.within:
        interval = score_interval(min(max(mean, 0.0), 1.0), error, clusters, confidence)
        return Measured(mean, interval._replace(method="t over clusters"))
    half = float(stdtrit(error.freedom, (1 + confidence) / 2)) * error.se
    return Measured(mean, Interval(mean - half, mean + half, "t over clusters"))


def _uncorrected(pool: Pool, confidence: float) -> Measured:
    """The judge's mean over judged and labelled units together, as if there were no labels."""
    size = pool.judged.size + pool.labelled.size
    if np.any(size == 0):
        return undefined("nothing graded")
    stratum = np.concatenate((pool.judged.stratum, pool.labelled.stratum))
    cluster = None
    if pool.judged.cluster is not None and pool.labelled.cluster is not None:
        cluster = np.concatenate((pool.judged.cluster, pool.labelled.cluster))
    both = Part(stratum, cluster, size, size)
    return _mean(both, np.concatenate((pool.guesses, pool.seen)), pool, confidence)
