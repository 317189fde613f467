"""Units in clusters in strata: codes, spread and resampling.

units ─▶ clusters ─▶ strata. Clusters are taken as independent of each other and as drawn within strata that
were fixed beforehand (places, domains). Strata that share a cluster cannot be drawn apart, and a stratum with one
cluster says nothing about its own spread, so such strata are put together, which errs towards wide.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.stats.checks import numbers, ranks, same_length, sums_by

_CELLS = 20_000  # resampled counts held at once: what a processor keeps at hand, 2.5 times as quick as a million
_FEW = 8  # distinct rows are "few" when clusters are so many times more
ALIKE = 0.5  # icc that units in a cluster are taken to have where little is seen: most that is met lies below
SEEN = 2  # units on the rarer side that this is worth
WHOLE = 2  # what the variance by clusters that are right or wrong as a whole counts as, beside the estimated one's 1
GRADED_WORTH = (2, 4)  # a unit with a number between 0 and 1 tells at most as much as so many that say yes or no
NEAR = (0.15, 0.35)  # of a share on the rarer side: the fewer up to the first, the more from the second
LEAST_DIVISOR = 1e-9  # what a divisor is at least: a cluster with all the weight of its stratum


class Clusters(Struct, frozen=True, kw_only=True):
    """Cluster and stratum of each unit, and stratum of each cluster, as codes from 0.

    `stratum` has the strata that share a cluster put together; `pool` also those of one cluster. `size` counts the
    units of each cluster. Clusters, and with them their strata and pools, may lie in several groups that are reckoned
    together, each as if it were alone: `group` is that of each cluster.
    """

    of_unit: Integers
    given: Integers
    stratum: Integers
    pool: Integers
    size: Integers
    group: Integers
    groups: int = 1

    @property
    def count(self) -> int:
        """Number of clusters."""
        return self.stratum.size

    def over(self, values: Floats) -> Floats:
        """Sum over the clusters of each group; shape (groups,)."""
        return sums_by(self.group, values, self.groups)

    def group_of(self, codes: Integers) -> Integers:
        """The group of each code that clusters have, such as their pools'."""
        found = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.int64)
        found[codes] = self.group
        return found

    @property
    def pools(self) -> int:
        """Number of pools."""
        return int(self.pool.max(initial=-1)) + 1

    def sums(self, values: npt.NDArray[np.bool_] | Floats) -> Floats:
        """Sum of the values over each cluster; shape (clusters,)."""
        return sums_by(self.of_unit, values, self.count)


class ClusterStandardError(NamedTuple):
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
    of_unit = ranks(clusters)
    same_length(of_unit, np.empty(units), "clusters and values")
    given = np.zeros(units, dtype=np.int64)
    if strata is not None:
        given = ranks(strata)
        same_length(given, of_unit, "strata and clusters")
    stratum = joined(of_unit, given)
    return Clusters(
        of_unit=of_unit, given=given, stratum=stratum, pool=pooled(stratum),
        size=np.bincount(of_unit, minlength=stratum.size), group=np.zeros_like(stratum),
    )  # fmt: skip


def joined(of_unit: Integers, given: Integers) -> Integers:
    """Stratum of each cluster after strata that share one are put together: the least label spreads until it rests."""
    of_cluster = np.empty(int(of_unit.max(initial=-1)) + 1, dtype=np.int64)
    of_cluster[of_unit] = given
    if np.array_equal(of_cluster[of_unit], given):  # none is shared, as nearly always
        return of_cluster
    of_cluster.fill(given.size)
    least = given
    while True:
        np.minimum.at(of_cluster, of_unit, least)
        of_stratum = np.full(int(given.max(initial=-1)) + 1, given.size)
        np.minimum.at(of_stratum, given, of_cluster[of_unit])
        if np.array_equal(of_stratum[given], least):
            return ranks(of_cluster)
        least = of_stratum[given]


def pooled(stratum: Integers) -> Integers:
    """Pool of each cluster: its stratum, those of one cluster put together."""
    size = np.bincount(stratum)
    lone = np.flatnonzero(size == 1)
    if lone.size == 0 or size.size == 1:
        return stratum
    if lone.size == 1:
        # one lone cluster has no other to go with: it joins the smallest stratum that has several
        others = np.where(size > 1, size, size.max() + 1)
        lone = np.append(lone, np.argmin(others))
    joined = np.where(np.isin(stratum, lone), lone[0], stratum)
    return ranks(joined)


class ClusterWeights(Struct, frozen=True, kw_only=True):
    """Weights of clusters in a statistic: `mass` of each, which adds up to 1 in each group.

    What is said of one statistic (`freedom`, `spread`, `steadied`) is that of the first group, where there is one.
    """

    mass: Floats
    clusters: Clusters

    @classmethod
    def of(cls, mass: Floats, clusters: Clusters) -> "ClusterWeights":
        """The load of masses of one group that add up to any number."""
        return cls(mass=mass / float(mass.sum()), clusters=clusters)

    def alike(self, icc: float | Floats) -> Floats:
        """Variance of each mean over that of a unit, were units in a cluster alike by this much."""
        each = np.broadcast_to(icc, self.clusters.groups)[self.clusters.group]
        return self.clusters.over(self.mass**2 * (each + (1 - each) / self.clusters.size))

    @property
    def freedoms(self) -> Floats:
        """Degrees of freedom: Kish's number of clusters less one in each pool, put together as Satterthwaite does.

        Kish's number is what clusters of unequal weight are worth, squared sum over sum of squares: 8 of which one has
        46 of 53 units are worth 1.3. From the design alone, not from estimated variances, the degrees of freedom are
        steadier and cover better (strata of 12 and 3 clusters weighed alike: .97, against .93 with estimates).
        """
        pool, groups = self.clusters.pool, self.clusters.groups
        group, squares = self.clusters.group_of(pool), sums_by(pool, self.mass**2)
        fewer = np.maximum(sums_by(pool, self.mass) ** 2 / squares - 1, LEAST_DIVISOR)
        with np.errstate(invalid="ignore"):
            return sums_by(group, squares, groups) ** 2 / sums_by(group, squares**2 / fewer, groups)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of one statistic."""
        return float(self.freedoms[0])

    def errors(self, influence: Floats) -> Floats:
        """Standard error of each sum of independent influences, one a cluster, centred within strata.

        A cluster of much weight draws the statistic towards itself, so that what is left of its influence is too
        small. So it counts as much as the statistic moves when the cluster is left out: the jackknife's variance.

        Args:
            influence: First-order share of each cluster in the error of the statistic.

        Source:
            MacKinnon, Nielsen and Webb (2023), Journal of Applied Econometrics 38 (CV3).
        """
        pool = self.clusters.pool
        part = self.mass / sums_by(pool, self.mass)[pool]
        centred = influence - part * sums_by(pool, influence)[pool]
        fewer = (1 - 1 / np.bincount(pool))[pool]
        return np.sqrt(self.clusters.over(fewer * (centred / np.maximum(1 - part, LEAST_DIVISOR)) ** 2))

    def spread(self, influence: Floats) -> ClusterStandardError:
        """Standard error of one sum, with its degrees of freedom."""
        return ClusterStandardError(float(self.errors(influence)[0]), self.freedom)

    def of_one_mind(self, right: Floats) -> Floats:
        """Variance that a share would have, were clusters right or wrong as a whole as often as they seem to be.

        Where whole clusters are right or wrong together, a sample may hold none of the few that are wrong, and both its
        share and its spread look better than they are. The many that are wholly right betray it: they and the wholly
        wrong hold more units than chance would give them, were the right units of a stratum dealt out among all. How
        much more, of what they could, is the icc of such a process, and one standard error is added to it.

        Args:
            right: Units that are right in each cluster, which says yes or no of each; none where it does not.
        """
        pool, size, over = self.clusters.pool, self.clusters.size, self.clusters.over
        of_pool, units = sums_by(pool, right)[pool], sums_by(pool, size.astype(np.float64))[pool]
        whole = (right == 0) | (right == size)
        chance = np.minimum(1.0, all_of(of_pool, units, size) + all_of(units - of_pool, units, size))
        more = over(self.mass * (whole - chance)) + np.sqrt(over(self.mass**2 * chance * (1 - chance)))
        icc = np.clip(more / np.maximum(over(self.mass * (1 - chance)), LEAST_DIVISOR), 0.0, 1.0)
        share = of_pool / units
        return over(self.mass * (share * (1 - share))) * self.alike(icc)

    def steady(self, se: Floats, unit: Floats, rarer: Floats, whole: float | Floats) -> Floats:
        """Standard errors, drawn up towards those of units that are alike where the rarer side is hardly seen.

        Near an edge a sample without its one bad cluster looks as if all were well, and its spread is small with its
        distance from the edge. So the variance is the weighted mean of the estimated one, which counts as the units
        seen on the rarer side, and of the likely one (`alike`), which counts as two such units; it never falls.

        Args:
            se: As estimated.
            unit: Largest variance that a unit can have around this mean: share (1 - share) for a share.
            rarer: Share on the rarer side.
            whole: Variance by `of_one_mind`; where it is larger than the estimated one, the mean of the two, in which
                this counts twice, stands for that. Alone it would be wider and cover little more.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            units = 1 / self.clusters.over(self.mass**2 / self.clusters.size)  # of equal weight that these are worth
            known = rarer * np.minimum(unit / se**2, np.interp(rarer, NEAR, GRADED_WORTH) * units)
            variance = np.maximum(se**2, (se**2 + WHOLE * whole) / (1 + WHOLE))
            drawn = (known * variance + SEEN * unit * self.alike(ALIKE)) / (known + SEEN)
            return np.where((se == 0) | (unit == 0), se, np.sqrt(np.maximum(variance, drawn)))

    def steadied(self, error: ClusterStandardError, unit: float, rarer: float) -> ClusterStandardError:
        """The same of one statistic of which no units are right or wrong."""
        return error._replace(se=float(self.steady(np.array([error.se]), np.array([unit]), np.array([rarer]), 0.0)[0]))


def all_of(kind: Floats, units: Floats, size: Integers) -> Floats:
    """Probability that so many (size) of some units, drawn at random, are all of a kind of which there are so many."""
    # in logarithms, as factorials of hundreds of units overflow
    enough = np.maximum(kind, size)
    drawn = (
        special.gammaln(enough + 1)
        - special.gammaln(enough - size + 1)
        + special.gammaln(units - size + 1)
        - special.gammaln(units + 1)
    )
    return np.where(kind >= size, np.exp(np.minimum(drawn, 0.0)), 0.0)


def resampled(rows: Floats, draws: int, resamples: int, rng: np.random.Generator) -> Floats:
    """Sums of `draws` rows drawn with replacement, `resamples` times; (clusters, columns) to (resamples, columns).

    Equal rows are exchangeable, so only how often each distinct row is drawn is drawn: the same law, and the
    result does not depend on the order of the rows.
    """
    ordered = rows[np.lexsort(rows.T[::-1])]
    first = np.flatnonzero(np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1)))
    if first.size * _FEW <= rows.shape[0]:
        count = np.diff(first, append=rows.shape[0])
        return rng.multinomial(draws, count / rows.shape[0], size=resamples) @ ordered[first]
    return _resampled_singly(ordered, draws, resamples, rng)


def resampled_means(rows: Floats, clusters: Clusters, resamples: int, rng: np.random.Generator) -> Floats:
    """Means over resampled clusters of each stratum, put together by its weight: (resamples, columns - 1).

    One cluster fewer is drawn than a stratum has, which makes the variance unbiased.

    Args:
        rows: Weighted sums of each cluster; in the last column its weight.
        clusters: Of the rows.
        resamples: How many.
        rng: Their dice.
    """
    means = np.zeros((resamples, rows.shape[1] - 1))
    for pool in range(clusters.pools):
        within = rows[clusters.pool == pool]
        drawn = resampled(within, max(1, len(within) - 1), resamples, rng)
        means += within[:, -1].sum() * drawn[:, :-1] / drawn[:, -1:]
    return means


def _resampled_singly(rows: Floats, draws: int, resamples: int, rng: np.random.Generator) -> Floats:
    size = rows.shape[0]
    step = max(1, _CELLS // max(draws, size))
    parts = []
    for start in range(0, resamples, step):
        many = min(step, resamples - start)
        # each resample counts at an offset of its own, so that one bincount serves the whole block
        picks = rng.integers(0, size, size=(many, draws)) + size * np.arange(many)[:, None]
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
    size = codes.size
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
