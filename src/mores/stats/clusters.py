"""Units in clusters in strata: codes, spread and resampling.

units ─▶ clusters ─▶ strata. Clusters are taken as independent of each other and as drawn within strata that
were fixed beforehand (places, domains). Strata that share a cluster cannot be drawn apart, and a stratum with one
cluster says nothing about its own spread, so such strata are put together, which errs towards wide.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mores.stats.arrays import FloatArray, IntArray, numbers, same_length, sums_by

_CELLS = 20_000  # resampled counts held at once: what a processor keeps at hand, 2.5 times as quick as a million
_FEW = 8  # distinct rows are "few" when clusters are so many times more


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """Which cluster and which stratum each unit is in, and which stratum each cluster is in, as codes from 0.

    `stratum` has the strata that share a cluster put together; `pool` also those of one cluster.
    """

    of_unit: IntArray
    given: IntArray
    stratum: IntArray
    pool: IntArray

    @property
    def count(self) -> int:
        """Number of clusters."""
        return self.stratum.size

    @property
    def pools(self) -> int:
        """Number of pools."""
        return int(self.pool.max(initial=-1)) + 1

    def sums(self, values: npt.NDArray[np.bool_] | FloatArray) -> FloatArray:
        """Sum of the values over each cluster; shape (clusters,)."""
        return sums_by(self.of_unit, values, self.count)


class Spread(NamedTuple):
    """Standard error of a sum over clusters, with its degrees of freedom."""

    se: float
    freedom: float


class DesignEffect(NamedTuple):
    """Intraclass correlation, and how many times the variance of the mean grows by clustering."""

    icc: float
    deff: float


def clustered(clusters: npt.ArrayLike, strata: npt.ArrayLike | None, units: int) -> Clusters:
    """Codes of clusters and strata for so many units; labels may be of any sortable kind.

    Raises:
        InputError: lengths differ.
    """
    of_unit = np.unique(np.asarray(clusters), return_inverse=True)[1]
    same_length(of_unit, np.empty(units), "clusters and values")
    given = np.zeros(units, dtype=np.int64)
    if strata is not None:
        given = np.unique(np.asarray(strata), return_inverse=True)[1]
        same_length(given, of_unit, "strata and clusters")
    stratum = _joined(of_unit, given)
    return Clusters(of_unit=of_unit, given=given, stratum=stratum, pool=_pooled(stratum))


def _joined(of_unit: IntArray, given: IntArray) -> IntArray:
    """Stratum of each cluster after strata that share one are put together: the least label spreads until it rests."""
    of_cluster = np.full(int(of_unit.max(initial=-1)) + 1, given.size)
    least = given
    while True:
        np.minimum.at(of_cluster, of_unit, least)
        of_stratum = np.full(int(given.max(initial=-1)) + 1, given.size)
        np.minimum.at(of_stratum, given, of_cluster[of_unit])
        if np.array_equal(of_stratum[given], least):
            return np.unique(of_cluster, return_inverse=True)[1]
        least = of_stratum[given]


def _pooled(stratum: IntArray) -> IntArray:
    size = np.bincount(stratum)
    lone = np.flatnonzero(size == 1)
    if lone.size == 0 or size.size == 1:
        return stratum
    if lone.size == 1:
        others = np.where(size > 1, size, size.max() + 1)
        lone = np.append(lone, np.argmin(others))
    joined = np.where(np.isin(stratum, lone), lone[0], stratum)
    return np.unique(joined, return_inverse=True)[1]


def spread(influence: FloatArray, mass: FloatArray, clusters: Clusters) -> Spread:
    """Standard error of the sum of independent influences, one a cluster, centred within strata.

    Degrees of freedom are Satterthwaite's for variances that are alike over clusters: clusters less strata where
    strata have weight as they have clusters, fewer where much weight rests on a stratum of few clusters. From
    the design alone, not from estimated variances, they are steadier and cover better (strata of 12 and 3
    clusters weighed alike: .97, against .93 with estimated variances and .91 with clusters less strata).

    Args:
        influence: First-order share of each cluster in the error of the statistic.
        mass: Weight of each cluster in the statistic.
        clusters: At least two.
    """
    size = np.bincount(clusters.pool)
    centred = influence - (sums_by(clusters.pool, influence) / size)[clusters.pool]
    within = sums_by(clusters.pool, centred**2)
    planned = sums_by(clusters.pool, mass) ** 2 / size
    freedom = float(planned.sum() ** 2 / np.sum(planned**2 / (size - 1)))
    return Spread(float(np.sqrt(np.sum(within * size / (size - 1)))), freedom)


def resampled(rows: FloatArray, draws: int, resamples: int, dice: np.random.Generator) -> FloatArray:
    """Sums of `draws` rows drawn with replacement, `resamples` times; (clusters, columns) to (resamples, columns).

    Equal rows are exchangeable, so only how often each distinct row is drawn is drawn: the same law, and the
    result does not depend on the order of the rows.
    """
    distinct, count = np.unique(rows, axis=0, return_counts=True)
    if distinct.shape[0] * _FEW <= rows.shape[0]:
        return dice.multinomial(draws, count / rows.shape[0], size=resamples) @ distinct
    return _resampled_singly(np.repeat(distinct, count, axis=0), draws, resamples, dice)


def _resampled_singly(rows: FloatArray, draws: int, resamples: int, dice: np.random.Generator) -> FloatArray:
    size = rows.shape[0]
    step = max(1, _CELLS // max(draws, size))
    parts = []
    for start in range(0, resamples, step):
        many = min(step, resamples - start)
        picks = dice.integers(0, size, size=(many, draws)) + size * np.arange(many)[:, None]
        parts.append(np.bincount(picks.ravel(), minlength=many * size).reshape(many, size) @ rows)
    return np.concatenate(parts)


def design_effect(values: npt.ArrayLike, clusters: npt.ArrayLike) -> DesignEffect:
    """Intraclass correlation by one-way analysis of variance, and the design effect 1 + (m - 1) icc.

    m is the size of a cluster as a unit meets it, sum of squared sizes over units. The estimate of icc may
    be slightly negative. With one unit a cluster icc is NaN and the design effect 1; with fewer than two
    clusters, or values that are all equal, both are NaN.

    Raises:
        InputError: a value is not finite, or lengths differ.
    """
    y = numbers(values, "values")
    codes = clustered(clusters, None, y.size)
    size = np.bincount(codes.of_unit, minlength=codes.count)
    if codes.count < 2 or np.ptp(y) == 0:
        return DesignEffect(float("nan"), float("nan"))
    if y.size == codes.count:
        return DesignEffect(float("nan"), 1.0)
    mean = codes.sums(y) / size
    within = float(np.sum((y - mean[codes.of_unit]) ** 2)) / (y.size - codes.count)
    between = float(np.sum(size * (mean - y.mean()) ** 2)) / (codes.count - 1)
    met = float(np.sum(size**2)) / y.size
    typical = (y.size - met) / (codes.count - 1)
    icc = (between - within) / (between + (typical - 1) * within)
    return DesignEffect(icc, 1 + (met - 1) * icc)
