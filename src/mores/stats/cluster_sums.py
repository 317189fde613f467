"""Intervals of statistics that are functions of sums over clusters: kappa, alpha, F1, correlations.

units (columns of numbers) ─▶ sums over clusters ─▶ the statistic of all, with each cluster left out, of resamples.
Clusters are taken as drawn at random within strata fixed beforehand, as in `intervals`, and the rules are those of
`mean_interval`: nothing under 8 clusters, or 4 as they weigh; t with few or near an edge, else the bootstrap of whole
clusters.
"""

from collections.abc import Callable
from math import sqrt
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import NOTHING_GRADED, Missing
from mores.core.seeds import Seed
from mores.stats.checks import confident, distinct_pairs, kish, numbers, ranks, ratio, same_length, sums_by
from mores.stats.clusters import Clusters, ClusterStandardError, ClusterWeights, clustered, resampled
from mores.stats.intervals import (
    MANY,
    MIN_CLUSTERS,
    SIDE,
    Interval,
    mean_interval,
    no_interval,
    refused,
    score_interval,
)
from mores.stats.rng import generator

Statistic: TypeAlias = Callable[[Floats], Floats]  # (…, columns) to (…); NaN where it is undefined
Scale: TypeAlias = Literal["share", "coefficient"]  # within [0, 1], or 1 at most and 0 for chance
_STEADY = 0.95  # share of resamples in which the statistic is defined


class Design(Struct, frozen=True, kw_only=True):
    """Design of a sample: the cluster of each, the stratum of each where strata were fixed, and the seed.

    Clusters have no default, since labels of one episode that are taken as independent promise too much; give
    `range(units)` where units are independent. `weights` say how much each unit counts; all alike by default.
    """

    clusters: npt.ArrayLike
    strata: npt.ArrayLike | None = None
    weights: npt.ArrayLike | None = None
    confidence: float = 0.95
    resamples: int = 2000
    seed: Seed

    def __post_init__(self) -> None:
        """Refuses a confidence outside (0, 1), and too few resamples for percentiles."""
        confident(self.confidence)
        if self.resamples < 100:
            raise InputError(f"resamples is {self.resamples}; expected at least 100, and 2,000 for a report.")

    def codes(self, units: int) -> Clusters:
        """Clusters and strata of so many units as codes."""
        return clustered(self.clusters, self.strata, units)

    def counts(self, units: int) -> Floats:
        """Weight of each of so many units, 1 on average."""
        given = np.ones(units) if self.weights is None else numbers(self.weights, "weights")
        same_length(given, np.empty(units), "weights and units")
        return given / given.mean() if given.size else given

    def part(self, mask: npt.NDArray[np.bool_], name: str) -> "Design":
        """The design of some of the units, with a seed of their own."""
        strata = None if self.strata is None else np.asarray(self.strata)[mask]
        return Design(
            clusters=np.asarray(self.clusters)[mask],
            strata=strata,
            weights=None if self.weights is None else np.asarray(self.weights)[mask],
            confidence=self.confidence,
            resamples=self.resamples,
            seed=self.seed.child(name),
        )


class MeasuredFigure(NamedTuple):
    """A figure with its interval; where it is NaN `missing` says why."""

    value: float
    interval: Interval
    missing: Missing | None = None


def undefined(missing: Missing) -> MeasuredFigure:
    """The figure that is not there."""
    return MeasuredFigure(float("nan"), no_interval(missing), missing)


class ClusterSums(Struct, frozen=True, kw_only=True):
    """Columns summed over all clusters, with each cluster left out (and its stratum scaled up), and over resamples."""

    total: Floats
    without: Floats
    drawn: Floats
    codes: Clusters
    sizes: Floats
    confidence: float

    @classmethod
    def of(cls, columns: Floats, design: Design) -> "ClusterSums":
        """The sums of columns of units, shape (units, columns)."""
        codes, counts = design.codes(len(columns)), design.counts(len(columns))
        rows = np.column_stack([codes.sums(column * counts) for column in columns.T])
        sizes = codes.sums(counts)
        # resamples take long and are read only where clusters are many
        few = codes.count < MIN_CLUSTERS or ClusterWeights.of(sizes, codes).freedom < MANY
        return cls(
            total=rows.sum(0),
            without=_left_out(rows, sizes, codes),
            drawn=np.empty((0, rows.shape[1])) if few else _redrawn(rows, codes, design),
            codes=codes,
            sizes=sizes,
            confidence=design.confidence,
        )

    def measure(
        self, statistic: Statistic, scale: Scale, *, worth: float | None = None, least: float = 0.0, missing: Missing
    ) -> MeasuredFigure:
        """A statistic of the sums with its interval.

        Standard errors are the jackknife's over clusters within strata. A coefficient is taken as twice a share
        less one, so that both have Wilson's form with a t quantile (`score_interval`) where clusters, or effective
        units on the rarer side, or clusters of a class, are few, and percentiles of the bootstrap widened to t where
        all are many.

        Args:
            statistic: The statistic of rows of sums.
            scale: Where it lies.
            worth: Independent units that the clusters are worth where all agree (see `worth`); by default their number.
            least: The standard error, at least.
            missing: What it means that the statistic is undefined.
        """
        value = float(statistic(self.total))
        if np.isnan(value):
            return undefined(NOTHING_GRADED if self.codes.count == 0 else missing)
        few = refused(self._load)
        if few is not None:
            return MeasuredFigure(value, few)
        without = statistic(self.without)
        # the jackknife needs the figure without each cluster in turn
        if np.isnan(without).any():
            return MeasuredFigure(value, no_interval(Missing(code="hangs_on_one_cluster", because=missing)))
        error = self._spread(without - value)
        error = error._replace(se=max(error.se, least))
        worth = self.codes.count if worth is None else worth
        redrawn = None if not len(self.drawn) or worth < MANY else lambda: statistic(self.drawn)
        return MeasuredFigure(value, bounded(value, error, scale, worth, self.confidence, redrawn))

    @property
    def alike(self) -> float:
        """Clusters of equal weight that these are worth: squared sum over sum of squares."""
        return kish(self.sizes)

    def worth(self, units: Integers, values: npt.NDArray[np.generic]) -> float:
        """Independent units that so many clusters are worth where all agree: fewer where a value is rare.

        All 100 units right says less where one class has 5 of them than where two have 50 each, so that the harmonic
        mean of the clusters that each value is found in counts, times the number of values.
        """
        if values.size == 0:
            return 0.0
        names = ranks(values)
        named, *_ = distinct_pairs(names, self.codes.of_unit[units])
        seen = np.bincount(named)
        return min(float(seen.size**2 / np.sum(1 / seen)) * self.alike / self.codes.count, self.alike)

    @property
    def _load(self) -> ClusterWeights:
        return ClusterWeights.of(self.sizes, self.codes)

    def _spread(self, moved: Floats) -> ClusterStandardError:
        """Jackknife: leaving a cluster out moves the statistic by its share in the error over what else there is."""
        part = self.sizes / sums_by(self.codes.pool, self.sizes)[self.codes.pool]
        error = self._load.spread(-moved * (1 - part))
        # what rounding leaves of no spread is no spread
        return error if error.se > 1e-10 else error._replace(se=0.0)


def bounded(
    value: float,
    error: ClusterStandardError,
    scale: Scale,
    worth: float,
    confidence: float,
    redrawn: Callable[[], Floats] | None,
) -> Interval:
    """Interval of a share or coefficient: Wilson's form with a t quantile, or percentiles of what was redrawn.

    Percentiles need resamples, and enough effective units on the rarer side.
    """
    # a coefficient from -1 to 1 is twice a share less one, so that Wilson's form serves both
    stretch, start = (1.0, 0.0) if scale == "share" else (2.0, -1.0)
    at = min(max((value - start) / stretch, 0.0), 1.0)
    scaled = error._replace(se=error.se / stretch)
    rarer = at * (1 - at) / scaled.se**2 * min(at, 1 - at) if scaled.se else 0.0
    if redrawn is not None and rarer >= SIDE:
        return percentiles(redrawn(), error.freedom, confidence)
    found = score_interval(at, scaled, worth, confidence).on_scale(lambda end: start + stretch * end)
    return found._replace(method="t over clusters")


def share(right: npt.ArrayLike, design: Design, name: str, missing: Missing = NOTHING_GRADED) -> MeasuredFigure:
    """A mean of numbers within [0, 1] with the interval of `mean_interval`."""
    values = numbers(right, name)
    if values.size == 0:
        return undefined(missing)
    if design.weights is not None:
        return _weighed_share(values, design, missing)
    interval = mean_interval(
        values,
        design.clusters,
        strata=design.strata,
        confidence=design.confidence,
        resamples=design.resamples,
        seed=design.seed.child(name),
    )
    return MeasuredFigure(float(values.mean()), interval)


def _weighed_share(values: Floats, design: Design, missing: Missing) -> MeasuredFigure:
    """The same of units that count unevenly; of single units no surer than as many alike as they are worth.

    With a few light zeros among heavy ones a share of .95 would by luck come out too sure (.91 covered, not .95).
    """
    sums = ClusterSums.of(np.column_stack((values, np.ones(values.size))), design)
    at = float(sums.total[0] / sums.total[1])
    lone = sums.codes.count == values.size
    least = sqrt(max(at * (1 - at), 0.0) / sums.alike) if lone else 0.0
    return sums.measure(
        lambda rows: ratio(rows[..., 0], rows[..., 1]), "share", worth=sums.alike, least=least, missing=missing
    )


def percentiles(drawn: Floats, freedom: float, confidence: float) -> Interval:
    """Percentiles of resampled statistics, widened to the t distribution; none where too many are undefined."""
    defined = drawn[~np.isnan(drawn)]
    if len(defined) < _STEADY * len(drawn):
        return no_interval(Missing(code="undefined_in_resamples", n=len(drawn) - len(defined), of=len(drawn)))
    # percentiles are as narrow as the normal law; read further out they reach as far as t does (Hesterberg, 2015)
    tail = float(special.ndtr(-special.stdtrit(freedom, (1 + confidence) / 2)))
    low, high = np.quantile(defined, (tail, 1 - tail)).tolist()
    return Interval(low, high, "cluster bootstrap")


def _left_out(rows: Floats, sizes: Floats, codes: Clusters) -> Floats:
    """Sums without each cluster, the others of its stratum scaled up to as many units as there were."""
    pools = np.zeros((codes.pools, rows.shape[1]))
    np.add.at(pools, codes.pool, rows)
    whole = sums_by(codes.pool, sizes)[codes.pool]
    # a cluster that is all of its stratum leaves nothing to scale up
    lifted = np.divide(whole, whole - sizes, out=np.zeros(sizes.size), where=whole > sizes)[:, None]
    return np.asarray(rows.sum(0) - pools[codes.pool] + lifted * (pools[codes.pool] - rows))


def _redrawn(rows: Floats, codes: Clusters, design: Design) -> Floats:
    """Sums of resamples, one cluster fewer than there are in each stratum (which makes their variance unbiased)."""
    rng = generator(design.seed)
    drawn = np.zeros((design.resamples, rows.shape[1]))
    for pool in range(codes.pools):
        within = rows[codes.pool == pool]
        drawn += resampled(within, len(within) - 1, design.resamples, rng) * len(within) / (len(within) - 1)
    return drawn
