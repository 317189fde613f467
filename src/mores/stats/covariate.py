"""Figures against a covariate of their units: a slope, and shares of groups that a covariate is taken out of.

Clusters (days, targets) are what is drawn; standard errors are the jackknife's over them, which holds also where few
clusters carry most of what the covariate varies by.

Source:
    MacKinnon, Nielsen and Webb (2023), Journal of Applied Econometrics 38, on the cluster jackknife; Zou (2004),
    American Journal of Epidemiology 159, on shares with a log link by Poisson's score.
"""

from math import exp, nan, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.estimate import Missing
from mores.stats.checks import sums_by
from mores.stats.intervals import MIN_CLUSTERS

# of Newton's steps: how many, when to stop, and the change of a log share over the range that is no longer finite
_STEPS, _CLOSE, _LARGEST = 200, 1e-10, 20.0
CONSTANT = Missing(code="covariate_constant")


class CovariateSlope(NamedTuple):
    """A slope with its interval and two-sided p over clusters; None where it is not there, with the reason."""

    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    clusters: int = 0
    missing: Missing | None = None


class AdjustedShare(NamedTuple):
    """The share of one group as it came out, and as it would be at the covariate's mean over all units."""

    group: int
    raw: float
    adjusted: float | None
    low: float | None
    high: float | None
    covariate: float
    clusters: int
    missing: Missing | None = None


class AdjustedShares(NamedTuple):
    """Adjusted shares by group, the covariate's mean, and the factor by which a share changes for each further unit."""

    groups: tuple[AdjustedShare, ...]
    at: float
    factor: CovariateSlope


def slope(
    x: npt.ArrayLike, y: npt.ArrayLike, weights: npt.ArrayLike, clusters: npt.ArrayLike, *, confidence: float = 0.95
) -> CovariateSlope:
    """The weighted least-squares slope of y on x; without one under 8 clusters, or where x is the same everywhere.

    Args:
        x: The covariate of each unit.
        y: The figure of each unit.
        weights: How much each unit counts.
        clusters: What each unit is drawn together with.
        confidence: Coverage of the interval.
    """
    given, figure, weight = (np.asarray(each, dtype=np.float64) for each in (x, y, weights))
    names, of = np.unique(np.asarray(clusters), return_inverse=True)
    if names.size < MIN_CLUSTERS:
        return CovariateSlope(None, missing=Missing(code="too_few_clusters", n=names.size, needed=MIN_CLUSTERS))
    # about their means, as sums of squares of large numbers lose small differences
    given, figure = given - given.mean(), figure - figure.mean()
    parts = (weight, weight * given, weight * figure, weight * given**2, weight * given * figure)
    sums = np.stack([sums_by(of, part, names.size) for part in parts], axis=-1)
    found = _least_squares(np.vstack([sums.sum(0), sums.sum(0) - sums]))
    return _jackknifed(found, names.size, confidence)


def _least_squares(sums: Floats) -> Floats:
    """Slopes from sums of weights, x, y, x² and xy; NaN where x does not vary."""
    w, x, y, xx, xy = np.moveaxis(sums, -1, 0)
    spread = xx - x**2 / w
    return np.where(spread > _CLOSE * np.maximum(xx, _CLOSE), (xy - x * y / w) / np.where(spread > 0, spread, 1.0), nan)


def _jackknifed(found: Floats, clusters: int, confidence: float) -> CovariateSlope:
    """A figure with its interval: the first of all clusters, the others each without one."""
    value, without = float(found[0]), found[1:]
    if np.isnan(found).any():
        return CovariateSlope(None, clusters=clusters, missing=CONSTANT)
    # distances are from the figure of all clusters and not from their mean: CV3, which errs towards wide
    error = sqrt((clusters - 1) / clusters * float(((without - value) ** 2).sum()))
    reach = float(special.stdtrit(clusters - 1, (1 + confidence) / 2)) * error
    p = float(2 * special.stdtr(clusters - 1, -abs(value) / error)) if error > 0 else float(value == 0)
    return CovariateSlope(value, value - reach, value + reach, p, clusters)


def adjusted_shares(
    kept: npt.ArrayLike, covariate: npt.ArrayLike, group: npt.ArrayLike, weights: npt.ArrayLike,
    clusters: npt.ArrayLike, *, confidence: float = 0.95,
) -> AdjustedShares:  # fmt: skip
    """Shares by group with a covariate taken out: log share = group + factor × covariate.

    The factor is found within groups alone, by units of one group that differ in the covariate, so that what groups
    differ in besides is left to them. Where no group has such units there are no adjusted shares. A group of fewer
    than 8 clusters, or of which no unit is kept, has no interval.

    Args:
        kept: 1 or 0 of each unit.
        covariate: Of each unit, such as the number of norms that could have been violated.
        group: Code of each unit's group, from 0.
        weights: How much each unit counts in the share of its group.
        clusters: What each unit is drawn together with.
        confidence: Coverage of intervals.
    """
    shares, weight = np.asarray(kept, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    names, of = np.unique(np.asarray(clusters), return_inverse=True)
    codes = np.asarray(group)
    cells, cell = np.unique(np.column_stack((codes, covariate)), axis=0, return_inverse=True)
    table = _Cells.of(cells, (names.size, of, cell.ravel()), shares * weight, weight)
    factors = table.factors()
    rate = _jackknifed(factors, names.size, confidence)
    adjusted = table.adjusted(factors)
    found = []
    for number in range(table.member.shape[1]):
        own = int(np.unique(of[codes == number]).size)
        value, low, high, missing = _share(adjusted[:, number], (own, names.size), rate, confidence)
        raw, mean = table.raw[number], table.mean[number]
        found.append(AdjustedShare(number, float(raw), value, low, high, float(mean), own, missing))
    text = rate
    if rate.value is not None and rate.low is not None and rate.high is not None:
        text = rate._replace(value=exp(rate.value), low=exp(rate.low), high=exp(rate.high))
    return AdjustedShares(tuple(found), table.at, text)


def _share(
    shares: Floats, clusters: tuple[int, int], rate: CovariateSlope, confidence: float
) -> tuple[float | None, float | None, float | None, Missing | None]:
    """An adjusted share with its interval on the scale of its logarithm, neither above 1."""
    own, every = clusters
    if rate.value is None:
        return None, None, None, rate.missing
    value = min(float(shares[0]), 1.0)
    if own < MIN_CLUSTERS:
        return value, None, None, Missing(code="too_few_clusters", n=own, needed=MIN_CLUSTERS)
    if not (shares > 0).all():
        return value, None, None, Missing(code="hardly_any_kept")
    found = _jackknifed(np.log(shares), every, confidence)
    low, high = found.low or 0.0, found.high or 0.0
    return value, min(exp(low), 1.0), min(exp(high), 1.0), None


class _Cells(NamedTuple):
    """Units of one group and covariate together: what of them is kept and counted, in all, and without each cluster.

    `member` says which cell is of which group; the covariate is counted from `at`, its mean over all units.
    """

    kept: Floats
    weight: Floats
    covariate: Floats
    member: Floats
    at: float

    @classmethod
    def of(cls, cells: Floats, place: tuple[int, Integers, Integers], kept: Floats, weight: Floats) -> "_Cells":
        """The sums over units by cluster and cell."""
        clusters, of, cell = place
        both = of * len(cells) + cell
        sums = [sums_by(both, each, clusters * len(cells)).reshape(clusters, -1) for each in (kept, weight)]
        # what is left without a cluster may lie a rounding error below 0
        lost, counted = (np.vstack([each.sum(0), np.maximum(each.sum(0) - each, 0.0)]) for each in sums)
        at = float(counted[0] @ cells[:, 1] / counted[0].sum())
        member = (cells[:, :1] == np.arange(int(cells[:, 0].max()) + 1)).astype(np.float64)
        return cls(lost, counted, cells[:, 1] - at, member, at)

    @property
    def raw(self) -> Floats:
        """The share of each group as it came out."""
        return np.asarray((self.kept[0] @ self.member) / np.maximum(self.weight[0] @ self.member, _CLOSE))

    @property
    def mean(self) -> Floats:
        """The mean covariate of each group."""
        total = np.maximum(self.weight[0] @ self.member, _CLOSE)
        return np.asarray(self.at + (self.weight[0] * self.covariate) @ self.member / total)

    def factors(self) -> Floats:
        """The logarithm of the factor, in all and without each cluster, by Newton's steps; NaN where there is none.

        Group effects are solved for, so that what is left is one equation that falls in the factor.
        """
        found = np.zeros(len(self.kept))
        reach = float(np.ptp(self.covariate)) or 1.0
        totals = self.kept @ self.member
        for _ in range(_STEPS):
            likely = self.weight * np.exp(np.multiply.outer(found, self.covariate))
            each, first, second = (
                (likely * self.covariate**power) @ self.member for power in range(3)
            )  # fmt: skip
            held = np.maximum(each, np.finfo(float).tiny)
            score = self.kept @ self.covariate - (totals * first / held).sum(1)
            spread = (totals * (second / held - (first / held) ** 2)).sum(1)
            step = np.where(spread > _CLOSE * reach**2, score / np.where(spread > 0, spread, 1.0), nan)
            # a step changes no share by more than a factor of e, so that no overshoot runs off
            found = found + np.clip(step, -1 / reach, 1 / reach)
            if not (np.abs(step) * reach > _CLOSE).any():
                break
        # a factor that ran off has no finite value: all that is kept lies at one end
        return np.where(np.abs(found) * reach < _LARGEST, found, nan)

    def adjusted(self, factors: Floats) -> Floats:
        """The share of each group at the mean covariate, in all and without each cluster."""
        likely = (self.weight * np.exp(np.multiply.outer(factors, self.covariate))) @ self.member
        return np.asarray((self.kept @ self.member) / np.maximum(likely, np.finfo(float).tiny))
