"""Intervals of the means of many groups at once: each is that of `mean_interval` over the units of its own.

units ─▶ codes of clusters and strata within their group ─▶ sums by group ─▶ intervals. A report has thousands of groups
of a few dozen units, for which one call each is nearly all overhead; here a step is one sum over all of them. What
`mean_interval` refuses for its weights, or draws for, is left to it: None stands for such a group.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from mores.core import special
from mores.core.arrays import np, npt
from mores.core.estimate import NOTHING_GRADED
from mores.stats.arrays import FloatArray, IntArray, numbers, ranks, sums_by
from mores.stats.clusters import ALIKE, LEAST_DIVISOR, SEEN, TELLING, WHOLE, all_of, joined, pooled
from mores.stats.intervals import LEAST, MIN_CLUSTERS, PRIOR, Interval, no_interval, too_few, z_quantile

CONFIDENCE = 0.95
_SAME = 1e-9  # how near to a bound a sum may come before another order of adding could cross it


def mean_intervals(  # noqa: PLR0913 - as mean_interval, and the groups
    values: npt.ArrayLike,
    clusters: IntArray,
    groups: IntArray,
    count: int,
    *,
    strata: IntArray,
    weights: Literal["equal"] | None = None,
    binary: bool = True,
) -> list[Interval | None]:
    """The interval of each group's mean; None where `mean_interval` has to be asked.

    Args:
        values: One number a unit.
        clusters: The cluster of each unit, as codes from -1.
        groups: The group of each unit, as codes from 0.
        count: How many groups there are.
        strata: The stratum of each unit, as codes from -1.
        weights: None weighs units alike, "equal" the strata of a group.
        binary: As in `mean_interval`.

    Raises:
        InputError: a value is not finite.
    """
    y = numbers(values, "values")
    if y.size == 0:
        return [no_interval(NOTHING_GRADED)] * count
    return _Many.of(y, _within(groups, clusters), _within(groups, strata), groups, count, weights).intervals(binary)


def group_means(
    values: FloatArray, groups: IntArray, count: int, *, strata: IntArray, weights: Literal["equal"] | None
) -> FloatArray:
    """The mean of each group's units, or with equal weights of the means of its strata; NaN without units."""
    if weights is not None:
        wide = int(strata.max(initial=-1)) + 2
        pairs, codes = np.unique(groups * wide + strata + 1, return_inverse=True)
        values, groups = sums_by(codes, values) / np.bincount(codes), pairs // wide
    units = np.bincount(groups, minlength=count)
    return np.asarray(np.divide(sums_by(groups, values, count), units, out=np.full(count, np.nan), where=units > 0))


def _within(groups: IntArray, codes: IntArray) -> IntArray:
    """Codes of pairs of a group and a code, in the order of both."""
    return ranks(groups * (int(codes.max()) + 2) + codes + 1)


class _Many(Struct, frozen=True, kw_only=True):
    """The layouts of all groups: `group`, `stratum`, `pool`, `size`, `total`, `mass` and `right` are of clusters.

    `low` and `high` are the ends of each group's values, `yes_no` tells which say 0 and 1 alone.
    """

    groups: int
    group: IntArray
    stratum: IntArray
    pool: IntArray
    size: IntArray
    total: FloatArray
    mass: FloatArray
    right: FloatArray
    low: FloatArray
    high: FloatArray
    units: IntArray
    yes_no: npt.NDArray[np.bool_]

    @classmethod
    def of(
        cls, y: FloatArray, cluster: IntArray, given: IntArray, groups: IntArray, count: int, weights: str | None
    ) -> _Many:
        sizes, units = sums_by(given, np.ones(y.size)), np.bincount(groups, minlength=count)
        of_stratum = np.empty(sizes.size, dtype=np.int64)
        of_stratum[given] = groups
        shares = sizes / units[of_stratum] if weights is None else 1 / np.bincount(of_stratum)[of_stratum]
        each = (shares / sizes)[given]
        group = np.empty(int(cluster.max()) + 1, dtype=np.int64)
        group[cluster] = groups
        stratum = joined(cluster, given)
        low, high = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(low, groups, y)
        np.maximum.at(high, groups, y)
        return cls(
            groups=count, group=group, stratum=stratum, pool=_pooled(stratum, group), size=np.bincount(cluster),
            total=sums_by(cluster, each * y), mass=sums_by(cluster, each), right=sums_by(cluster, y),
            low=low, high=high, units=units,
            yes_no=np.bincount(groups[(y != 0) & (y != 1)], minlength=count) == 0,
        )  # fmt: skip

    def intervals(self, binary: bool) -> list[Interval | None]:
        clusters = np.bincount(self.group, minlength=self.groups)
        pure = self.yes_no & (self._sum(((self.right != 0) & (self.right != self.size)).astype(np.float64)) == 0)
        freedom = self._freedom()
        shares = (self.low >= 0) & (self.high <= 1)
        se = self._spread()
        wilson, t = self._wilson(), self._score(self._steadied(se), freedom, clusters)
        found: list[Interval | None] = []
        for number in range(self.groups):
            if self.units[number] == 0:
                found.append(no_interval(NOTHING_GRADED))
            elif pure[number] and binary and clusters[number] == self.units[number]:
                found.append(wilson[number])
            elif clusters[number] < MIN_CLUSTERS:
                found.append(too_few(int(clusters[number])))
            elif freedom[number] + 1 < LEAST + _SAME or not shares[number]:
                found.append(None)
            else:
                found.append(wilson[number] if pure[number] or se[number] == 0 else t[number])
        return found

    def _sum(self, values: FloatArray) -> FloatArray:
        """The sum over each group of a number of each cluster."""
        return sums_by(self.group, values, self.groups)

    def _mean(self) -> FloatArray:
        return np.clip(self._sum(self.total), self.low, self.high)

    def _wilson(self) -> list[Interval]:
        """`Layout.wilson` of each group."""
        mass = sums_by(self.stratum, self.mass)
        effective = mass**2 / sums_by(self.stratum, self.mass**2)
        group = np.empty(mass.size, dtype=np.int64)
        group[self.stratum] = self.group
        p = np.clip(sums_by(self.stratum, self.total) / mass, self.low[group], self.high[group])
        least, most = np.full(self.groups, np.inf), np.full(self.groups, -np.inf)
        np.minimum.at(least, group, p)
        np.maximum.at(most, group, p)
        mean = np.clip(sums_by(group, mass * p, self.groups), least, most)
        parts = mass**2 / effective
        strata = np.bincount(group, minlength=self.groups)
        gain = np.where(strata > 1, _gains(p, effective, parts, mean, group, self.groups), 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            n = np.where(strata > 1, 1 / (sums_by(group, parts, self.groups) * gain), 0.0)
        alone = strata[group] == 1
        n[group[alone]] = effective[alone]
        low, high = _ends(mean, n, np.full(self.groups, z_quantile(CONFIDENCE)))
        names = ("wilson", "stratified wilson")
        return [Interval(a, b, names[several]) for a, b, several in zip(low, high, (strata > 1).tolist(), strict=True)]

    def _freedom(self) -> FloatArray:
        """`Load.freedom` of each group."""
        squares, group = sums_by(self.pool, self.mass**2), self._of_pool()
        kish = sums_by(self.pool, self.mass) ** 2 / squares
        with np.errstate(invalid="ignore"):
            return sums_by(group, squares, self.groups) ** 2 / sums_by(
                group, squares**2 / np.maximum(kish - 1, LEAST_DIVISOR), self.groups
            )

    def _of_pool(self) -> IntArray:
        group = np.empty(int(self.pool.max()) + 1, dtype=np.int64)
        group[self.pool] = self.group
        return group

    def _spread(self) -> FloatArray:
        """The standard error of each mean, as `Layout.spread` has it."""
        pool = self.pool
        weight = sums_by(pool, self.mass)
        influence = self.total - self.mass * (sums_by(pool, self.total) / weight)[pool]
        part = self.mass / weight[pool]
        centred = influence - part * sums_by(pool, influence)[pool]
        fewer = (1 - 1 / np.bincount(pool))[pool]
        se = np.sqrt(self._sum(fewer * (centred / np.maximum(1 - part, LEAST_DIVISOR)) ** 2))
        return np.where(se > 1e-12 * self._sum(np.abs(self.total)), se, 0.0)

    def _whole(self) -> FloatArray:
        """`Load.of_one_mind` of each group, 0 where not all say 0 or 1."""
        pool, size = self.pool, self.size
        of_pool, units = sums_by(pool, self.right)[pool], sums_by(pool, size.astype(np.float64))[pool]
        asked = self.yes_no[self.group]
        right, of_pool = np.where(asked, self.right, 0.0), np.where(asked, of_pool, 0.0)
        whole = (right == 0) | (right == size)
        chance = np.minimum(1.0, all_of(of_pool, units, size) + all_of(units - of_pool, units, size))
        more = self._sum(self.mass * (whole - chance)) + np.sqrt(self._sum(self.mass**2 * chance * (1 - chance)))
        icc = np.clip(more / np.maximum(self._sum(self.mass * (1 - chance)), LEAST_DIVISOR), 0.0, 1.0)
        share = of_pool / units
        found = self._sum(self.mass * (share * (1 - share))) * self._alike(icc)
        return np.where(self.yes_no, found, 0.0)

    def _alike(self, icc: FloatArray) -> FloatArray:
        each = icc[self.group]
        return self._sum(self.mass**2 * (each + (1 - each) / self.size))

    def _steadied(self, se: FloatArray) -> FloatArray:
        """`Layout.steadied` of each group."""
        mean, worth = self._mean(), self._sum(self.mass**2 / self.size)
        unit, rarer = mean * (1 - mean), np.minimum(mean, 1 - mean)
        with np.errstate(divide="ignore", invalid="ignore"):
            known = rarer * np.minimum(unit / se**2, TELLING / worth)
            variance = np.maximum(se**2, (se**2 + WHOLE * self._whole()) / (1 + WHOLE))
            alike = self._alike(np.full(self.groups, ALIKE))
            drawn = (known * variance + SEEN * unit * alike) / (known + SEEN)
            return np.where((se == 0) | (unit == 0), se, np.sqrt(np.maximum(variance, drawn)))

    def _score(self, se: FloatArray, freedom: FloatArray, clusters: IntArray) -> list[Interval]:
        """`score_interval` of each group."""
        mean = self._mean()
        with np.errstate(divide="ignore", invalid="ignore"):
            n = np.where((mean > 0) & (mean < 1) & (se > 0), mean * (1 - mean) / se**2, clusters)
        low, high = _ends(mean, n, special.stdtrit(freedom, (1 + CONFIDENCE) / 2))
        return [Interval(a, b, "t on cluster means") for a, b in zip(low, high, strict=True)]


def _gains(
    p: FloatArray, n: FloatArray, parts: FloatArray, mean: FloatArray, group: IntArray, groups: int
) -> FloatArray:
    """Variance of each stratified mean over the unstratified one, drawn towards 1."""
    even, several = mean * (1 - mean), n > 1
    within = even[group]
    within[several] = (p * (1 - p) * n)[several] / (n[several] - 1)
    known, of = parts[several], group[several]
    with np.errstate(divide="ignore", invalid="ignore"):
        raw = sums_by(group, parts * within, groups) / (sums_by(group, parts, groups) * even)
        freedom = sums_by(of, known, groups) ** 2 / sums_by(of, known**2 / (n[several] - 1), groups)
        found = (raw * freedom + PRIOR) / (freedom + PRIOR)
    return np.where((even == 0) | (np.bincount(of, minlength=groups) == 0), 1.0, found)


def _ends(p: FloatArray, n: FloatArray, z: FloatArray) -> tuple[list[float], list[float]]:
    """Both ends of Wilson's form."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shrink = 1 + z * z / n
        centre = (p + z * z / (2 * n)) / shrink
        half = z / shrink * np.sqrt(np.maximum(0.0, p * (1 - p) / n) + (z / (2 * n)) ** 2)
        low = np.where(p <= 0, 0.0, np.maximum(0.0, centre - half))
        high = np.where(p >= 1, 1.0, np.minimum(1.0, centre + half))
    return low.tolist(), high.tolist()


def _pooled(stratum: IntArray, group: IntArray) -> IntArray:
    """Pools of the clusters, each group's for itself: strata of one cluster are put together."""
    of = np.empty(int(stratum.max()) + 1, dtype=np.int64)
    of[stratum] = group
    lone = np.bincount(of[np.bincount(stratum) == 1], minlength=int(of.max()) + 1)
    found = stratum.copy()
    for number in np.flatnonzero(lone).tolist():
        own = np.flatnonzero(group == number)
        names, codes = np.unique(stratum[own], return_inverse=True)
        found[own] = names[pooled(codes)]
    return ranks(found)
