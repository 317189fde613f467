"""Intervals of means and shares: Wilson's where units are independent, t or bootstrap where they come in clusters.

Clusters are the one thing taken as drawn at random, within strata that were fixed beforehand; an interval speaks
of other clusters from the same strata, never of other strata. A share near 0 or 1, and few clusters, are where the
textbook intervals fail, so both have a rule of their own here.

Clusters are weighed, not counted: one text with 46 of 53 scenarios leaves 1.3 clusters, whatever the other seven say.

Coverages in the docstrings are of 95 % intervals, measured by simulation. Of clustered shares `mean_interval` covers
.94 or more, with clusters alike by an icc of 0 to .3, shares of .5 to .98, and 8 to 158 clusters of one size, of
log-normal sizes (sigma .5 to 1.5) or as in SocialCC; near an edge and with few clusters it errs towards wide (up to
1.0). Counting clusters covers .29 at least on the same cells, .78 with log-normal sizes.

Where up to three clusters in ten are right or wrong as one and all other units are independent, so that the few that
are wrong may not have been met, they cover .93 or more too (`ClusterWeights.of_one_mind`; from the spread alone .75
at least): SocialCC's 158 texts .96, .98 and .99 at .8, .9 and .95. For that they are wider, with independent units by
18 % at most over these texts at shares up to .9, by 38 % at .95 and 66 % at .98; with a beta law by up to twice at .98.
"""

from collections.abc import Callable
from math import floor
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from numpy.typing import ArrayLike
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import NOTHING_GRADED, Missing
from mores.core.seeds import Seed
from mores.stats.checks import confident, numbers, ratio, same_length, sums_by
from mores.stats.clusters import Clusters, ClusterStandardError, ClusterWeights, clustered, resampled_means
from mores.stats.rng import generator

WeightsArgument: TypeAlias = ArrayLike | Literal["equal"] | None
MIN_CLUSTERS = 8  # clusters below which no interval is honest
LEAST = 4  # clusters that these must weigh as, however many they are
MANY = 28.5  # degrees of freedom from which resampling clusters is honest: 30 clusters of one size
SIDE = 40  # effective units on the rarer side below which a share is too near 0 or 1 for the bootstrap
BOOTSTRAP = "cluster bootstrap"
PRIOR = 8  # degrees of freedom that "stratifying changed nothing" is worth


class Interval(NamedTuple):
    """Both ends and the method's short name; without an interval both ends are None and `missing` says why."""

    low: float | None
    high: float | None
    method: str
    missing: Missing | None = None

    def on_scale(self, scale: Callable[[float], float]) -> "Interval":
        """The interval of the same figure on another scale, which rises with this one."""
        if self.low is None or self.high is None:
            return self
        return self._replace(low=scale(self.low), high=scale(self.high))


def no_interval(missing: Missing) -> Interval:
    """The interval that is not there."""
    return Interval(None, None, "none", missing)


def too_few(clusters: int) -> Interval:
    """The interval that is not there because the clusters are too few."""
    return no_interval(Missing(code="too_few_clusters", n=clusters, needed=MIN_CLUSTERS))


def refused(load: ClusterWeights) -> Interval | None:
    """The interval that is not there because clusters are too few, or few hold most of the weight; None where enough.

    Below 4 clusters, as they weigh, the intervals of this room would still cover, but half of all there is.
    """
    count, sizes = load.clusters.count, load.clusters.size
    if count < MIN_CLUSTERS:
        return too_few(count)
    worth = load.freedom + 1
    if worth >= LEAST:
        return None
    uneven = int(sizes.sum()) ** 2 < LEAST * int((sizes**2).sum())
    # rounded down: 3.97 clusters must not read as the 4 that they fall short of
    weighs = floor(10 * worth) / 10
    if not uneven:
        return no_interval(Missing(code="too_few_clusters_by_strata", n=count, needed=LEAST, figures=(weighs,)))
    figures = (weighs, float(sizes.max()), float(sizes.sum()))
    return no_interval(Missing(code="too_few_clusters_by_size", n=count, needed=LEAST, figures=figures))


def wilson(successes: float, n: float, confidence: float = 0.95) -> Interval:
    """Wilson's score interval of a share; none, with the reason, where n is 0.

    For a given share coverage swings with n (n = 10: .927 at .9, .979 at .5); averaged over shares from
    .1 to .9 it is .955 at n = 10 and .950 from n = 100.

    Args:
        successes: Units that succeeded; may be fractional where n is an effective number.
        n: Units.
        confidence: Wanted coverage.

    Raises:
        InputError: `successes` is not between 0 and n, or `confidence` not between 0 and 1.

    Source:
        Wilson (1927), Journal of the American Statistical Association 22.

    >>> low, high, *_ = wilson(396, 450)
    >>> round(low, 3), round(high, 3)
    (0.847, 0.907)
    """
    confident(confidence)
    if not 0 <= successes <= n:
        raise InputError(f"successes is {successes} of n = {n}; expected a number from 0 to n.")
    if n == 0:
        return no_interval(NOTHING_GRADED)
    return _scores(np.array([successes / n]), np.array([n]), z_quantile(confidence), "wilson")[0]


def z_quantile(confidence: float) -> float:
    """Number of standard errors that a normal interval reaches to each side."""
    return float(special.ndtri((1 + confidence) / 2))


def t_quantile(freedom: float, confidence: float) -> float:
    """Number of standard errors that a t interval reaches to each side."""
    return float(special.stdtrit(freedom, (1 + confidence) / 2))


def _scores(p: Floats, n: Floats, z: float | Floats, method: str) -> list[Interval]:
    """Wilson's form of each share."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shrink = 1 + z * z / n
        centre = (p + z * z / (2 * n)) / shrink
        half = z / shrink * np.sqrt(np.maximum(0.0, p * (1 - p) / n) + (z / (2 * n)) ** 2)
        # the ends of the scale exactly, beside which rounding would leave 1e-17
        low = np.where(p <= 0, 0.0, np.maximum(0.0, centre - half))
        high = np.where(p >= 1, 1.0, np.minimum(1.0, centre + half))
    return [Interval(*ends, method) for ends in zip(low.tolist(), high.tolist(), strict=True)]


def score_interval(share: float, error: ClusterStandardError, n: float, confidence: float) -> Interval:
    """Interval of a share with a given standard error, in Wilson's form with a t quantile.

    The effective number of units is share (1 - share) / se², or `n` where that is undefined (se or share at
    its edge). Wilson's form stays within [0, 1] and covers where share ± t se does not (ten units a cluster,
    strongly alike, share .9, 8 clusters: .90 against .81; 15: .92 against .87), the more so with a standard error that
    is `steadied`.

    Source:
        Franco, Little, Louis and Slud (2019), Journal of Survey Statistics and Methodology 7.
    """
    one, se, freedom, units = (np.array([each]) for each in (share, error.se, error.freedom, n))
    return _by_t(one, se, freedom, units, confidence)[0]


def _by_t(p: Floats, se: Floats, freedom: Floats, n: Floats | Integers, confidence: float) -> list[Interval]:
    """`score_interval` of each share."""
    with np.errstate(divide="ignore", invalid="ignore"):
        worth = np.where((p > 0) & (p < 1) & (se > 0), p * (1 - p) / se**2, n)
    return _scores(p, worth, special.stdtrit(freedom, (1 + confidence) / 2), "t on cluster means")


def stratified(
    p: Floats, n: Floats, weights: Floats, group: Integers, confidence: float, groups: int = 1
) -> list[Interval]:
    """Wilson's interval of each group's mean over its strata, whose weights add up to 1."""
    least, most = np.full(groups, np.inf), np.full(groups, -np.inf)
    np.minimum.at(least, group, p)
    np.maximum.at(most, group, p)
    mean = np.clip(sums_by(group, weights * p, groups), least, most)  # all right is 1, and not a little less
    parts = weights**2 / n  # how much of the variance is each stratum's, were the rates even
    one = np.bincount(group, minlength=groups) == 1
    with np.errstate(divide="ignore"):
        effective = 1 / (sums_by(group, parts, groups) * np.where(one, 1.0, _gains(p, n, parts, mean, group)))
    alone = one[group]
    effective[group[alone]] = n[alone]
    found = _scores(mean, effective, z_quantile(confidence), "stratified wilson")
    return [each._replace(method="wilson") if lone else each for each, lone in zip(found, one.tolist(), strict=True)]


def _gains(p: Floats, n: Floats, parts: Floats, mean: Floats, group: Integers) -> Floats:
    """Variance of each stratified mean over the unstratified one, drawn towards 1."""
    # a stratum of one unit shows no spread, and counts as if it were no stratum
    even, several = mean * (1 - mean), n > 1
    within = even[group]
    within[several] = (p * (1 - p) * n)[several] / (n[several] - 1)
    known, of = parts[several], group[several]
    with np.errstate(divide="ignore", invalid="ignore"):
        raw = sums_by(group, parts * within, even.size) / (sums_by(group, parts, even.size) * even)
        freedom = sums_by(of, known, even.size) ** 2 / sums_by(of, known**2 / (n[several] - 1), even.size)
        found = (raw * freedom + PRIOR) / (freedom + PRIOR)
    return np.where((even == 0) | (np.bincount(of, minlength=even.size) == 0), 1.0, found)


def stratum_weights(weights: WeightsArgument, sizes: Floats, group: Integers, groups: int = 1) -> Floats:
    """Weight of each stratum in its group's mean; weights that were given are of one group."""
    given = sizes
    if weights is not None:
        given = np.ones(sizes.size) if isinstance(weights, str) else numbers(weights, "weights")
    same_length(given, sizes, "weights and strata")
    if np.any(given <= 0):
        raise InputError(f"The least weight is {given.min()}; expected all above 0. Leave such strata out first.")
    return given / sums_by(group, given, groups)[group]


def mean_interval(  # noqa: PLR0913 - a statistic, its design and its seed
    values: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    weights: WeightsArgument = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: Seed,
) -> Interval:
    """Interval of a mean over units in clusters; none, with the reason, where nothing or too little was graded.

    The rule, in order:

    1. Fewer than 8 clusters, or clusters that weigh as fewer than 4 (Kish's number, see `ClusterWeights.freedom`):
       no interval, also where a cluster is one unit. Of one unit Wilson's covers .84 at a share of .84 and is .8 wide.
    2. Every cluster holds one binary unit: Wilson, `stratified` where there are strata.
    3. In each cluster all units say the same 0 or 1, or all clusters of a stratum have one and the same mean, so that
       their spread says nothing: Wilson with Kish's number of clusters as n for shares, else no interval.
    4. Shares: Wilson's form with a t quantile (`score_interval`). The standard error is linearised as a ratio of sums,
       the jackknife's (`ClusterWeights.spread`) and kept from being too small near an edge
       (`ClusterWeights.steadied`). No draws.
    5. Other numbers with fewer than 30 clusters, as they weigh: t on cluster means. Else the bootstrap of whole
       clusters within strata, drawn one fewer than there are (which makes its variance unbiased) and read at
       percentiles widened to the t distribution.

    Shares that are not yes or no, such as a verifier's probabilities, may hide failures that were not met. They cover
    .96 to .99 where a unit is either about .96 or about .16, or about .93 or about .05 (20, 60 and 298 units, 45 in 15
    places, 12 clusters of 5, 100 of 3; .88 to .99 of the norms kept; .94 at the worst single share), and up to 1.0
    where they spread evenly around their mean, as the two cannot be told apart by few.

    Values that all lie in [0, 1] are taken as shares; divide a score on another scale by its range first.

    Args:
        values: One number a unit.
        clusters: The cluster of each unit, in any labels.
        strata: The stratum of each unit, such as its place; strata that share a cluster are resampled as one.
        weights: One a stratum in the sorted order of their names; None weighs units alike, "equal" weighs strata
            alike, as in a region's mean over its places.
        confidence: Wanted coverage.
        resamples: Number of bootstrap samples.
        seed: Dice of the bootstrap; nothing else is random.

    Raises:
        InputError: a value is not finite, lengths differ, or a weight is not positive.

    Source:
        Rao and Wu (1988), JASA 83 (one fewer); Hesterberg (2015), The American Statistician 69 (wider percentiles).
    """
    confident(confidence)
    y = numbers(values, "values")
    codes = clustered(clusters, strata, y.size)
    if y.size == 0:
        return no_interval(NOTHING_GRADED)
    layout = ClusteredMeans.of(y, codes, weights)
    found = layout.intervals(confidence)[0] or refused(layout.load)
    if found is not None:
        return found
    error = layout.spread()
    if error.se == 0:
        return no_interval(Missing(code="same_means"))
    return layout.by_t(error, confidence) or layout.drawn(error, confidence, resamples, seed)


def _rarer_side(values: Floats, weights: Floats, group: Integers, groups: int) -> Floats:
    """Share of each group's units on the rarer side of two values, were there two: squared variance over fourth moment.

    Where a verifier gives .93 to what is kept and .05 to what is not, a mean of .89 has 5 in 100 on its rarer side and
    not 11. Of zeros and ones it is no less than the share itself.
    """
    mean = sums_by(group, weights * values, groups)
    square = (values - mean[group]) ** 2
    second, fourth = (sums_by(group, weights * each, groups) for each in (square, square**2))
    return ratio(second**2, fourth, empty=1.0, least=0.0)


class ClusteredMeans(Struct, frozen=True, kw_only=True):
    """Weighted means laid out by clusters, one for each group of these: weighted sum and weight of each cluster.

    All weights of a group add up to 1. `right` are the units that say 1 in each cluster, none where its group does not
    say 0 and 1 alone, as `binary` says. `low` and `high` are the least and the largest value of each group: no mean
    lies outside, whatever rounding does to its sum, so that all right is 1 and not a little less. What is said of one
    mean (`mean`, `spread`, `steadied`, `by_t`, `drawn`) is that of the first group, where there is one.
    """

    total: Floats
    mass: Floats
    clusters: Clusters
    right: Floats
    binary: npt.NDArray[np.bool_]
    low: Floats
    high: Floats
    rare: Floats | None = None

    @classmethod
    def of(cls, values: Floats, clusters: Clusters, weights: WeightsArgument = None) -> "ClusteredMeans":
        """The layout of values whose units weigh alike within a stratum."""
        groups, of_unit = clusters.groups, clusters.group[clusters.of_unit]
        sizes = np.bincount(clusters.given).astype(np.float64)
        group = np.zeros(sizes.size, dtype=np.int64)
        group[clusters.given] = of_unit
        each = (stratum_weights(weights, sizes, group, groups) / sizes)[clusters.given]
        low, high = np.full(groups, np.inf), np.full(groups, -np.inf)
        np.minimum.at(low, of_unit, values)
        np.maximum.at(high, of_unit, values)
        binary = np.bincount(of_unit[(values != 0) & (values != 1)], minlength=groups) == 0
        right = np.where(binary[clusters.group], clusters.sums(values), 0.0)
        total, mass = clusters.sums(each * values), clusters.sums(each)
        rare = _rarer_side(values, each, of_unit, groups)
        return cls(total=total, mass=mass, clusters=clusters, right=right, binary=binary, low=low, high=high, rare=rare)

    def intervals(self, confidence: float, *, slack: float = 0.0) -> list[Interval | None]:
        """The interval of each mean by the first four rules of `mean_interval`; None where they give none.

        `slack` is how near to a bound a number of clusters may lie before its group is left to be reckoned alone.
        """
        codes, freedom, se = self.clusters, self.load.freedoms, self.errors()
        clusters = np.bincount(codes.group, minlength=codes.groups)
        pure = self.binary & (codes.over((self.right != 0) & (self.right != codes.size)) == 0)
        enough = clusters >= MIN_CLUSTERS
        text = enough & (freedom + 1 >= LEAST + slack) & (self.low >= 0) & (self.high <= 1)
        by_t = text & ~pure & (se > 0)
        wilson = self.wilson(confidence) if (text & ~by_t).any() else []
        t = _by_t(self.means, self._steady(se), freedom, clusters, confidence) if by_t.any() else []
        found: list[Interval | None] = []
        for number, count in enumerate(clusters.tolist()):
            if not count:
                found.append(no_interval(NOTHING_GRADED))
            elif not enough[number]:
                found.append(too_few(count))
            elif text[number] and not by_t[number]:
                found.append(wilson[number])
            else:
                found.append(t[number] if by_t[number] else None)
        return found

    @property
    def means(self) -> Floats:
        """The weighted means."""
        return np.clip(self.clusters.over(self.total), self.low, self.high)

    @property
    def mean(self) -> float:
        """The weighted mean of one group."""
        return float(self.means[0])

    def wilson(self, confidence: float) -> list[Interval]:
        """Wilson's interval with clusters as units, or Kish's effective number of them where they differ in weight."""
        stratum = self.clusters.stratum
        mass, group = sums_by(stratum, self.mass), self.clusters.group_of(stratum)
        effective = mass**2 / sums_by(stratum, self.mass**2)
        p = np.clip(sums_by(stratum, self.total) / mass, self.low[group], self.high[group])
        return stratified(p, effective, mass, group, confidence, self.clusters.groups)

    @property
    def load(self) -> ClusterWeights:
        """Weight of each cluster."""
        return ClusterWeights(mass=self.mass, clusters=self.clusters)

    def errors(self) -> Floats:
        """Standard error of each mean, linearised as a ratio of sums within each stratum; 0 where it is rounding."""
        pool = self.clusters.pool
        ratio = sums_by(pool, self.total) / sums_by(pool, self.mass)
        se = self.load.errors(self.total - self.mass * ratio[pool])
        return np.where(se > 1e-12 * self.clusters.over(np.abs(self.total)), se, 0.0)

    def spread(self) -> ClusterStandardError:
        """Standard error of one mean, with its degrees of freedom."""
        return ClusterStandardError(float(self.errors()[0]), self.load.freedom)

    def _steady(self, se: Floats) -> Floats:
        """Standard errors of shares, not too small near an edge or where whole clusters are right or wrong."""
        share = self.means
        rarer = np.minimum(share, 1 - share)
        if self.rare is not None:
            rarer = np.minimum(rarer, self.rare)
        return self.load.steady(se, share * (1 - share), rarer, self.load.of_one_mind(self.right))

    def steadied(self, error: ClusterStandardError) -> ClusterStandardError:
        """The same of one share."""
        return error._replace(se=float(self._steady(np.array([error.se]))[0]))

    def by_t(self, error: ClusterStandardError, confidence: float) -> Interval | None:
        """Interval of a mean of any range with few clusters; None where they are enough to be resampled for it."""
        if error.freedom >= MANY:
            return None
        reach = t_quantile(error.freedom, confidence) * error.se
        return Interval(self.mean - reach, self.mean + reach, "t on cluster means")

    def drawn(self, error: ClusterStandardError, confidence: float, resamples: int, seed: Seed) -> Interval:
        """The same with many, by the bootstrap of clusters."""
        tail = float(special.ndtr(-t_quantile(error.freedom, confidence)))
        rows = np.column_stack((self.total, self.mass))
        means = resampled_means(rows, self.clusters, resamples, generator(seed))
        low, high = np.quantile(means, (tail, 1 - tail))
        return Interval(float(low), float(high), BOOTSTRAP)
