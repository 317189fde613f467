"""Two models on the same units: their difference, its interval and test, and the difference that could have been seen.

The test asks whether the sign of each cluster's difference could as well have been the other; the interval takes
clusters as drawn at random. The two answer different questions and may disagree at the margin.

Non-inferiority turns down a loss of the margin or more, so that too few units never pass.
"""

from math import ceil, floor, isnan, log, sqrt

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.core.seeds import Seed
from mores.stats.checks import confident, numbers, same_length
from mores.stats.clusters import Clusters, ClusterStandardError, clustered, design_effect
from mores.stats.intervals import (
    MIN_CLUSTERS,
    ClusteredMeans,
    Interval,
    no_interval,
    refused,
    t_quantile,
    too_few,
    z_quantile,
)
from mores.stats.ranks import SignFlipTest, sign_flip


class Paired(Struct, frozen=True, kw_only=True):
    """Mean of a - b over units, its interval and tests.

    `p` is two-sided; `p_one_sided` is one-sided, of b being no worse than a, and small where b is worse, as a gate on a
    release asks. `method` names the interval and `test` the test; `missing` says why there is no interval.
    `discordance` is the share of units on which the two differ. `least_p` is the least p that as many clusters with a
    difference could have given, all of them differing one way. Without units, figures are NaN.
    """

    difference: float
    low: float | None
    high: float | None
    p: float
    p_one_sided: float
    method: str
    test: str
    missing: Missing | None
    units: int
    clusters: int
    discordance: float
    least_p: float


def compare_paired(  # noqa: PLR0913 - a statistic, its design and its seed
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: Seed,
) -> Paired:
    """Difference of two models over units that both answered, with interval and test.

    Interval: with fewer than 8 clusters, or clusters that weigh as fewer than 4 (see `mean_interval`), none. One binary
    unit a cluster: Bonett and Price's adjusted Wald (coverage .94 or more in simulation, up to 1 where hardly any unit
    differs, where the bootstrap has .14 to .46 with 8 to 30 units and a discordance of .02); strata are ignored there,
    which errs towards wide. Clusters whose units differ by 1 at most: the same with as many units as the clusters are
    worth and a t quantile, the variance kept from being too small where few differ (`Load.steadied`). It covers .93
    or more, up to 1, with 8 to 158 clusters of one size, of log-normal sizes or as in SocialCC, clusters alike by an
    icc of 0 to .3 and a discordance of .02 to .4, where counting clusters covers .71 at least. Other numbers: as in
    `mean_interval`.

    Test: signs of cluster sums are flipped in all patterns, which are counted and not drawn (`sign_flip`): exact with
    up to 15 clusters that differ, and with any number of them where sums are whole numbers or parts up to 60ths; on a
    fine grid else, where a p near .05 is right to .001. One binary unit a cluster: the same is McNemar's. No
    differences at all: p = 1. Average the samples of an item first; seeds are not items.

    Args:
        a: One number a unit, of the first model.
        b: The same units in the same order, of the second model.
        clusters: The cluster of each unit, in any labels.
        strata: The stratum of each unit; see `mean_interval`.
        resamples: Bootstrap samples.
        confidence: Wanted coverage.
        seed: Dice of the bootstrap.

    Raises:
        InputError: a value is not finite, or lengths differ.

    Source:
        Bonett and Price (2012), Journal of Educational and Behavioral Statistics 37.
    """
    confident(confidence)
    first, second = numbers(a, "a"), numbers(b, "b")
    same_length(first, second, "a and b")
    gaps = UnitDifferences.of(first, second, clustered(clusters, strata, first.size))
    test, empty = gaps.test(), not first.size
    interval = gaps.by_rule(confidence) or gaps.drawn(confidence, resamples, seed)
    return Paired(
        difference=float("nan") if empty else float(gaps.each.mean()),
        low=interval.low,
        high=interval.high,
        p=float("nan") if empty else test.p,
        p_one_sided=float("nan") if empty else test.p_one_sided,
        method=interval.method,
        test=test.name,
        missing=interval.missing,
        units=first.size,
        clusters=gaps.codes.count,
        discordance=float("nan") if empty else float(np.mean(gaps.each != 0)),
        least_p=float("nan") if empty else gaps.least_p(),
    )


class UnitDifferences(Struct, frozen=True, kw_only=True):
    """The difference of each unit, and the clusters that units lie in: what `compare_paired` reckons its figures from.

    `binary` where both are right or wrong and each unit is a cluster of its own.
    """

    each: Floats
    codes: Clusters
    binary: bool

    @classmethod
    def of(cls, first: Floats, second: Floats, codes: Clusters) -> "UnitDifferences":
        """The first less the second."""
        binary = codes.count == first.size and all(bool(((y == 0) | (y == 1)).all()) for y in (first, second))
        return cls(each=first - second, codes=codes, binary=binary)

    def test(self) -> SignFlipTest:
        """Its test."""
        return _mcnemar(self.each) if self.binary else sign_flip(self.codes.sums(self.each))

    def least_p(self) -> float:
        """The least p of a test that flips signs of so many sums that are not 0, McNemar's among them."""
        differing = np.count_nonzero(self.each if self.binary else self.codes.sums(self.each))
        return min(1.0, float(2.0 ** (1 - int(differing))))

    def by_rule(self, confidence: float) -> Interval | None:
        """Its interval; None where clusters are to be resampled for it."""
        gap, codes = self.each, self.codes
        if gap.size == 0:
            return no_interval(Missing(code="nothing_graded_for_both"))
        if codes.count < MIN_CLUSTERS:
            return too_few(codes.count)
        up, down = float(np.maximum(gap, 0).mean()), float(np.maximum(-gap, 0).mean())
        if self.binary:
            return _adjusted_wald(up, down, gap.size, z_quantile(confidence))
        layout = ClusteredMeans.of(gap, codes)
        few = refused(layout.load)
        if few is not None:
            return few
        error = layout.spread()
        # differences of shares, by clusters: as the binary rule, with as many units as these are worth
        if np.abs(gap).max() <= 1:
            quantile = t_quantile(error.freedom, confidence)
            return _adjusted_wald(up, down, _units(layout, error, gap), quantile)._replace(method="t on cluster means")
        if error.se == 0:
            return no_interval(Missing(code="same_differences"))
        return layout.by_t(error, confidence)

    def drawn(self, confidence: float, resamples: int, seed: Seed) -> Interval:
        """Its interval by resampled clusters, where no rule gives one."""
        layout = ClusteredMeans.of(self.each, self.codes)
        return layout.drawn(layout.spread(), confidence, resamples, seed.child("resamples"))


def _units(layout: ClusteredMeans, error: ClusterStandardError, gap: Floats) -> float:
    """Independent units saying yes or no that clusters are worth; Kish's number of them where all differ alike."""
    if error.se == 0:
        return 1 / float(np.sum(layout.mass**2))
    differ, lead = float(np.abs(gap).mean()), float(gap.mean())
    steady = layout.load.steadied(error, float(gap.var()), differ)
    return (differ - lead**2) / steady.se**2


def _adjusted_wald(up: float, down: float, n: float, quantile: float) -> Interval:
    """Of n units one more is taken to differ each way, and nothing else changes."""
    more, less = (up * n + 1) / (n + 2), (down * n + 1) / (n + 2)
    half = quantile * sqrt((more + less - (more - less) ** 2) / (n + 2))
    return Interval(max(-1.0, more - less - half), min(1.0, more - less + half), "adjusted Wald")


def _mcnemar(gap: Floats) -> SignFlipTest:
    b, c = int((gap > 0).sum()), int((gap < 0).sum())
    return SignFlipTest(mcnemar_exact(b, c), float(special.bdtrc(b - 1, b + c, 0.5)) if b else 1.0, "McNemar exact")


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided exact p of b units on which only the first was right against c on which only the second was.

    1 where there are none.

    >>> round(mcnemar_exact(1, 5), 5)
    0.21875
    """
    if min(b, c) < 0:
        raise InputError(f"Discordant units are {b} and {c}; expected counts from 0.")
    return min(1.0, 2 * float(special.bdtr(min(b, c), b + c, 0.5))) if b + c else 1.0


def minimum_detectable_effect(
    n: int,
    discordance: float,
    deff: float = 1.0,
    judge_j: float = 1.0,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
) -> float:
    """Least difference of two shares that is found with the given power at level alpha, two-sided, over n paired units.

    (z of 1 - alpha / 2 + z of power) sqrt(discordance · deff / n) / J, with 2.802 in front for power .8 at level .05. A
    result above 1 says that no difference could be found.

    Args:
        n: Units that both answer.
        discordance: Share of units on which the two differ, in [0, 1].
        deff: Design effect of clusters.
        judge_j: Sensitivity plus specificity less 1 of the judge, in (0, 1].
        power: Wanted chance of finding it, in [.5, 1).
        alpha: Level of the test, in (0, 1).

    Raises:
        InputError: an argument is outside its range.

    >>> round(minimum_detectable_effect(100, 0.2, deff=1.5, judge_j=0.8), 3)
    0.192
    """
    if n < 1 or not 0 <= discordance <= 1 or deff <= 0 or not 0 < judge_j <= 1:
        raise InputError(
            f"n is {n}, discordance {discordance}, deff {deff}, judge_j {judge_j}; "
            "expected n >= 1, discordance in [0, 1], deff > 0 and judge_j in (0, 1]."
        )
    return power_quantile(power, alpha) * sqrt(discordance * deff / n) / judge_j


def detectable_after(
    n: int, discordance: float, deff: float = 1.0, *, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Least difference that n paired units could have shown, after the fact, when so few of them were found to differ.

    `minimum_detectable_effect`, but no less than reach² deff / n, where all that differ do so one way: no more units
    can differ one way than differ at all, so that a larger difference goes with a larger discordance. Planted in 9 to
    1,000 units, alone or in clusters, the test found it in .78 to .98 of the draws; of the formula's, where it is less,
    in .04 to .63. A result above 1 says that no difference could be found.

    Args:
        n: Units that both answered.
        discordance: Share of units on which the two were found to differ, or their mean squared difference.
        deff: Design effect of clusters.
        power: Wanted chance of finding it, in [.5, 1).
        alpha: Level of the test, in (0, 1).

    Raises:
        InputError: an argument is outside its range.

    >>> round(detectable_after(9, 1 / 9), 2), round(detectable_after(100, 0.2), 3)
    (0.87, 0.125)
    """
    formula = minimum_detectable_effect(n, discordance, deff, power=power, alpha=alpha)
    return max(formula, power_quantile(power, alpha) ** 2 * deff / n)


def detectable(gap: Floats, clusters: npt.ArrayLike, reach: float) -> float | None:
    """Least difference that units could have shown, in their own points; None where no unit differs.

    The mean squared difference stands in for the discordance where points are no shares.

    Args:
        gap: The difference of each unit.
        clusters: The cluster of each unit, in any labels.
        reach: The greatest difference that a unit can have.
    """
    spread = float(np.mean((gap / reach) ** 2)) if gap.size and reach else 0.0
    if spread == 0:
        return None
    deff = design_effect(gap, clusters).deff
    return reach * detectable_after(gap.size, min(1.0, spread), deff=1.0 if isnan(deff) else max(1.0, deff))


def units_needed(n: int, seen: float, wanted: float) -> int:
    """Number of units it would take to see a difference of a wanted size where n could have shown one of another.

    Two digits, rounded up: the variance of differences is taken from what was seen and is no more exact than that.

    Args:
        n: Units that both answered.
        seen: The least difference that these could have shown.
        wanted: The difference to be seen, above 0, in the same points.

    >>> units_needed(135, 0.2, 0.1), units_needed(100, 0.1, 0.07)
    (540, 210)
    """
    units = n * (seen / wanted) ** 2
    step: int = 10 ** max(0, len(str(int(units))) - 2)
    return ceil(units / step) * step


def power_quantile(power: float, alpha: float) -> float:
    """Standard errors that a difference has to be for a two-sided test at level alpha to find it with that power.

    Raises:
        InputError: power is not in [.5, 1), or alpha not in (0, 1).

    >>> round(power_quantile(0.8, 0.05), 3)
    2.802
    """
    if not (0.5 <= power < 1 and 0 < alpha < 1):
        raise InputError(f"power is {power} and alpha {alpha}; expected power in [.5, 1) and alpha in (0, 1).")
    return float(special.ndtri(1 - alpha / 2) + special.ndtri(power))


LEVEL = 0.05


def is_non_inferior(gain: float, low: float, units: float, margin: float) -> bool:
    """True where a loss of the margin or more is ruled out.

    Two things are asked. The 95 % interval of the paired difference lies above -margin. And so small a net loss would
    come about with probability .05 at most were the share of units lost just the margin and none gained, by the
    binomial: where hardly any unit differs the interval alone lets .065 of such losses pass, both together .0495 at
    most (exact, 20 to 1,300 units, margins .01 to .1, shares gained 0 to .4).

    Args:
        gain: The mean paired difference, new less old, as a share of what a unit can differ by.
        low: The lower end of its 95 % interval.
        units: Independent units that it rests on: units over their design effect.
        margin: The largest loss that is not to count, in (0, 1).

    Raises:
        InputError: the margin is outside (0, 1).

    >>> is_non_inferior(0.0, -0.02, 200, 0.03), is_non_inferior(0.0, -0.02, 90, 0.03)
    (True, False)
    >>> is_non_inferior(0.3, 0.1, 50, 0.03)
    True

    Source:
        Tango (1998), Statistics in Medicine 17, for the hypotheses.
    """
    if not 0 < margin < 1:
        raise InputError(f"margin is {margin}; expected a share in (0, 1).")
    worth = floor(units)
    # a whole number of units but for rounding is that number
    lost = floor(-gain * worth + 1e-9)
    # a gain needs no test of how small the loss is
    rare = lost < 0 or float(special.bdtr(lost, worth, margin)) <= LEVEL
    return low > -margin and rare


def units_to_decide(discordance: float, margin: float, design_effect: float = 1.0, *, power: float = 0.8) -> int:
    """Units that show with the given power that a model is no worse by a margin, where the two are equally good.

    Two digits, rounded up: the variance is taken from what was seen and is no more exact than that.

    Args:
        discordance: Share of units on which the two differ, or their mean squared difference, in [0, 1].
        margin: The largest loss that is not to count, in (0, 1).
        design_effect: How much clusters increase the variance.
        power: Wanted chance of showing it.

    >>> units_to_decide(0.2, 0.03), units_to_decide(0.0, 0.03)
    (1800, 99)
    """
    # the interval has to lie above the margin, and the binomial has to rule it out: the larger need counts
    by_interval = (power_quantile(power, LEVEL) / margin) ** 2 * discordance
    units = design_effect * max(by_interval, log(LEVEL) / log(1 - margin), 1.0)
    step: int = 10 ** max(0, len(str(int(units))) - 2)
    return ceil(units / step) * step
