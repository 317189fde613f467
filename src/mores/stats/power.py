"""Power analysis before a run: numbers of units, or of answers to each, that show a difference of a given size.

Two models differ on a unit for good (one knows it, the other does not) and by the luck of single answers. Several
answers to a unit, averaged, take the luck away and leave the rest, so that only more units help from there.

Power is that of the tests as `compare_paired` holds them: McNemar's exact one, counted over all numbers of units that
may differ, so that a test of few units, which never uses its level up, is not promised what only many reach.
"""

from collections.abc import Callable
from functools import lru_cache
from math import ceil, floor, sqrt

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.stats.paired import power_quantile

_TAIL = 9  # standard deviations beyond which a number of differing units does not count
_SMOOTH = 100  # variance of the units that differ above which power grows with every unit
_COUNTED = 40  # clusters up to which the number of sign patterns bounds the level


class PowerAnalysis(Struct, frozen=True, kw_only=True):
    """On what terms two models are compared over units that both answer.

    Attributes:
        discordance: Share of units on which the two differ as judged, in (0, 1]: from a pilot, or a guess such as .2.
        design_effect: How much clusters increase the variance; from `design_effect` of a pilot.
        judge_quality: J, sensitivity plus specificity less 1 of the judge, in (0, 1]. Its errors, if equal for both
            models, shrink a difference d to d J.
        power: Wanted chance of finding a difference, in [.5, 1).
        alpha: Level of the test, in (0, 1): p has to be below it.

    Raises:
        InputError: one of them is outside its range.
    """

    discordance: float
    design_effect: float = 1.0
    judge_quality: float = 1.0
    power: float = 0.8
    alpha: float = 0.05

    def __post_init__(self) -> None:
        power_quantile(self.power, self.alpha)
        if not (0 < self.discordance <= 1 and self.design_effect > 0 and 0 < self.judge_quality <= 1):
            raise InputError(
                f"discordance is {self.discordance}, design_effect {self.design_effect}, judge_quality "
                f"{self.judge_quality}; expected discordance and judge_quality in (0, 1] and design_effect > 0."
            )

    def power_for(self, d: float, units: int, clusters: int | None = None) -> float:
        """Chance that the test of `compare_paired` finds a true difference d of two shares, in its own direction.

        One binary unit a cluster: McNemar's exact test, counted over the binomial number of units that differ. Units in
        clusters: the less of the same over units / design effect, and of a t test over the clusters at the largest
        level that flipping their signs can reach below alpha. That is a likeness: in simulation (8 to 60 clusters of 3
        to 20, alike by .05 to .3, levels .05 and .05 / 15) a promised .8 was .76 to .86.

        Args:
            d: The true difference of the shares, in [0, 1]; a d J above the discordance counts as it.
            units: Units that both models answer.
            clusters: Clusters of the units; None where every unit is one.

        Raises:
            InputError: d is outside its range.

        >>> terms = PowerAnalysis(discordance=0.2)
        >>> round(terms.power_for(0.1, 157), 3), round(terms.power_for(0.1, 171), 3)
        (0.768, 0.809)
        >>> PowerAnalysis(discordance=0.2, alpha=0.05 / 15).power_for(0.2, 9)
        0.0
        """
        if not 0 <= d <= 1:
            raise InputError(f"d is {d}; expected a difference of shares in [0, 1].")
        return self._found(d * self.judge_quality, units, clusters)

    def _found(self, judged: float, units: int, clusters: int | None) -> float:
        """Power at a difference as the judge shows it."""
        seen = min(judged, self.discordance)
        # a whole number of units but for rounding is that number
        worth = floor(units / self.design_effect * (1 + 1e-12))
        alone = _mcnemar_power(worth, self.discordance, self.alpha)(seen)
        if clusters is None or clusters >= units:
            return alone
        error = sqrt(max(0.0, self.discordance - seen**2) * self.design_effect / units)
        return min(alone, _t_power(seen, error, clusters, self.alpha))

    def least_difference(self, units: int, clusters: int | None = None) -> float | None:
        """Least true difference that so many units show with the wanted power; None where even the largest is not.

        The largest is discordance / J: no more units can differ one way than differ at all.

        Args:
            units: Units that both models answer.
            clusters: Clusters of the units; None where every unit is one.

        >>> PowerAnalysis(discordance=0.2).least_difference(9)
        >>> round(PowerAnalysis(discordance=0.2).least_difference(100), 3)
        0.128
        """
        if units < 1 or self._found(self.discordance, units, clusters) < self.power:
            return None
        low, high = 0.0, self.discordance
        while high - low > 1e-7 * self.discordance:
            middle = (low + high) / 2
            low, high = (low, middle) if self._found(middle, units, clusters) >= self.power else (middle, high)
        # a judge that errs would need a true difference beyond 1
        return high / self.judge_quality if high <= self.judge_quality else None

    def units_needed(self, d: float, cluster_size: float = 1.0) -> int:
        """Fewest units, answered by both models, from which on a true difference d is shown with the wanted power.

        The power of an exact test may fall with one unit more; from this number on it never falls below the wanted one.

        Args:
            d: The true difference of the shares, in (0, 1]; d J no more than the discordance.
            cluster_size: Units to a cluster.

        Raises:
            InputError: d is outside its range, or larger than the discordance can hold.

        >>> PowerAnalysis(discordance=0.2).units_needed(0.1)
        168
        >>> PowerAnalysis(discordance=0.2, design_effect=1.5, judge_quality=0.8).units_needed(0.1)
        387
        """
        _check_difference(d)
        seen = d * self.judge_quality
        if seen > self.discordance * (1 + 1e-12):
            raise InputError(
                f"a difference of {d} seen by a judge of quality {self.judge_quality} needs units that differ: at "
                f"least {seen:.3g} of them; discordance is {self.discordance}."
            )

        def found(units: int) -> float:
            return self._found(seen, units, None if cluster_size <= 1 else floor(units / cluster_size))

        reach = power_quantile(self.power, self.alpha)
        n = _first(found, max(1, floor((reach / seen) ** 2 * self.discordance * self.design_effect)), self.power)
        if n * self.discordance * (1 - self.discordance) / self.design_effect > _SMOOTH:
            return n
        # Where fewer differ, a step of the test costs .6 / √(how many do) of power, and each unit adds .4 / units.
        far = ceil(6 * sqrt(n * self.design_effect / self.discordance) + 20 * self.design_effect)
        dips = [units for units in range(n, n + far) if found(units) < self.power]
        return dips[-1] + 1 if dips else n

    def samples_needed(self, d: float, *, units: int, stable: float, clusters: int | None = None) -> int | None:
        """Fewest answers to each of so many units that show a true difference d; None where no number of them would.

        K answers to a unit leave `stable` + (1 - `stable`) / K of the variance of single ones, so that a difference of
        averages is as good as one of single answers that is larger by the root of that. The discordance is that of
        single answers.

        Args:
            d: The true difference, in (0, 1].
            units: Units that both models answer.
            stable: The part of the discordance that answers share, in [0, 1].
            clusters: Clusters of the units; None where every unit is one.

        Raises:
            InputError: an argument is outside its range.

        >>> terms = PowerAnalysis(discordance=0.2)
        >>> terms.samples_needed(0.1, units=135, stable=0.5), terms.samples_needed(0.1, units=70, stable=0.5)
        (2, None)
        """
        _check_difference(d)
        if units < 1:
            raise InputError(f"units is {units}; expected at least 1.")
        discordance_of_means(self.discordance, stable=stable, samples=1)
        least = replace(self, judge_quality=1.0).least_difference(units, clusters)
        if least is None:
            return None
        left = (d * self.judge_quality / least) ** 2
        if left >= 1 - 1e-9:
            return 1
        return None if left <= stable else ceil((1 - stable) / (left - stable) * (1 - 1e-9))


def least_clusters(alpha: float = 0.05) -> int:
    """Fewest clusters, or units alone, with which any result at all can reach a two-sided p below alpha.

    Were all of n to differ the same way, p would be 2 / 2ⁿ.

    >>> least_clusters(0.05), least_clusters(0.05 / 15)
    (6, 10)
    """
    _check_alpha(alpha)
    n = 1
    while 2.0 ** (1 - n) >= alpha:
        n += 1
    return n


def _first(found: Callable[[int], float], start: int, power: float) -> int:
    """A number of units that suffice, where one fewer does not, in reach of a normal formula's."""
    low, high = 0, start
    while found(high) < power:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) >= power else (middle, high)
    return high


def discordance_of_means(discordance: float, *, stable: float, samples: int) -> float:
    """Mean squared difference of two models on a unit of averaged answers: what discordance is for single ones.

    discordance · (stable + (1 - stable) / samples).

    Args:
        discordance: Share of units on which single answers differ, or their mean squared difference, in [0, 1].
        stable: The part of it that is the same in every answer, in [0, 1]; 1 where answers do not vary.
        samples: Answers to each unit.

    Raises:
        InputError: an argument is outside its range.

    >>> round(discordance_of_means(0.2, stable=0.5, samples=5), 3)
    0.12
    """
    if not (0 <= discordance <= 1 and 0 <= stable <= 1 and samples >= 1):
        raise InputError(
            f"discordance is {discordance}, stable {stable}, samples {samples}; expected the first two in [0, 1] and "
            "samples >= 1."
        )
    return discordance * (stable + (1 - stable) / samples)


def _mcnemar_power(units: int, discordance: float, alpha: float) -> Callable[[float], float]:
    """Power at a difference, in its own direction, of McNemar's exact test over so many units."""
    differing, weight, most = _differing(units, discordance, alpha)

    def power(d: float) -> float:
        against = most >= 0
        share = min(1.0, (1 + d / discordance) / 2)
        above = special.bdtrc(differing[against] - most[against] - 1, differing[against], share)
        return float(weight[against] @ above)

    return power


@lru_cache(maxsize=64)
def _differing(units: int, discordance: float, alpha: float) -> tuple[Integers, Floats, Integers]:
    """Numbers of units that may differ, the chance of each, and how many of them may speak against: -1 for none."""
    mean, sd = units * discordance, sqrt(units * discordance * (1 - discordance))
    m = np.arange(max(0, floor(mean - _TAIL * sd - 2)), min(units, ceil(mean + _TAIL * sd + 2)) + 1)
    chance = special.gammaln(units + 1) - special.gammaln(m + 1) - special.gammaln(units - m + 1)
    chance += special.xlogy(m, discordance) + special.xlog1py(units - m, -discordance)
    return m, np.exp(chance), _most_against(m, alpha)


def _most_against(m: Integers, alpha: float) -> Integers:
    """Of m that differ, the most that may speak against for an exact two-sided p below alpha; -1 for none."""
    # the normal law is a start from which the exact count is a few steps away, for all m at once
    most = np.clip(np.floor(m / 2 + special.ndtri(alpha / 2) * np.sqrt(m) / 2), -1, None).astype(np.int64)
    while (over := (most >= 0) & (2 * special.bdtr(np.maximum(most, 0), m, 0.5) >= alpha)).any():
        most = most - over
    while (under := (most < m) & (2 * special.bdtr(np.minimum(most + 1, m), m, 0.5) < alpha)).any():
        most = most + under
    return np.asarray(most)


def _t_power(d: float, error: float, clusters: int, alpha: float) -> float:
    """Power of a t test over clusters at the largest level below alpha that flipping their signs has."""
    if clusters < least_clusters(alpha):
        return 0.0
    level = alpha if clusters > _COUNTED else 2.0 ** (1 - clusters) * (ceil(alpha * 2.0 ** (clusters - 1)) - 1)
    if error <= 1e-12:
        return 1.0
    return float(1 - special.nctdtr(clusters - 1, d / error, special.stdtrit(clusters - 1, 1 - level / 2)))


def _check_difference(d: float) -> None:
    if not 0 < d <= 1:
        raise InputError(f"d is {d}; expected a difference of shares in (0, 1].")


def _check_alpha(alpha: float) -> None:
    if not 0 < alpha < 1:
        raise InputError(f"alpha is {alpha}; expected a level in (0, 1).")
