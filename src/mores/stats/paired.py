"""Two models on the same units: their difference, its interval, its test, and what could have been seen at all.

The test asks whether the sign of each cluster's difference could as well have been the other; the interval takes
clusters as drawn at random. The two answer different questions and may disagree at the margin.
"""

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, bdtrc, ndtri

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.arrays import FloatArray, confident, numbers, same_length
from mores.stats.clusters import Clusters, clustered
from mores.stats.dice import generator
from mores.stats.intervals import FEWEST, Interval, Layout, no_interval, too_few

EXACT = 15  # clusters up to which all sign patterns are counted
_CELLS = 20_000  # signs held at once: what a processor keeps at hand


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Mean of a - b over units, its interval and tests.

    `p` is two-sided; `p_worse` is one-sided, of b being no worse than a, and small where b is worse, as a gate on a
    release asks. `method` names the interval and `test` the test; `why` says why there is no interval.
    `discordance` is the share of units on which the two differ. Without units, figures are NaN.
    """

    difference: float
    low: float | None
    high: float | None
    p: float
    p_worse: float
    method: str
    test: str
    why: str | None
    units: int
    clusters: int
    discordance: float


class _Test(NamedTuple):
    p: float
    p_worse: float
    name: str


def compare_paired(  # noqa: PLR0913 - a statistic, its design and its dice
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    flips: int = 10_000,
    resamples: int = 10_000,
    confidence: float = 0.95,
    seed: Seed,
) -> Paired:
    """Difference of two models over units that both answered, with interval and test.

    Interval: with fewer than 8 clusters none. One binary unit a cluster, or clusters that all differ alike:
    Bonett and Price's adjusted Wald (coverage never under .95 in simulation, up to 1 where hardly any unit
    differs, where the bootstrap has .14 to .46 with 8 to 30 units and a discordance of .02); strata are ignored
    there, which errs towards wide. Otherwise as in `mean_interval`: t with fewer than 30 clusters, then the bootstrap.

    Test: signs of cluster sums are flipped, all patterns with up to 15 clusters that differ, else `flips` random
    ones, with p = (1 + as extreme) / (flips + 1). One binary unit a cluster: the same counted exactly, which is
    McNemar's. No differences at all: p = 1. Average the samples of an item first; seeds are not items.

    Args:
        a: One number a unit, of the first model.
        b: The same units in the same order, of the second model.
        clusters: The cluster of each unit, in any labels.
        strata: The stratum of each unit; see `mean_interval`.
        flips: Random sign patterns.
        resamples: Bootstrap samples.
        confidence: Wanted coverage.
        seed: Dice of flips and bootstrap.

    Raises:
        InputError: a value is not finite, or lengths differ.

    Source:
        Bonett and Price (2012), Journal of Educational and Behavioral Statistics 37.
    """
    confident(confidence)
    first, second = numbers(a, "a"), numbers(b, "b")
    same_length(first, second, "a and b")
    gap = first - second
    codes = clustered(clusters, strata, gap.size)
    binary = bool(np.isin(np.concatenate((first, second)), (0, 1)).all()) and codes.count == gap.size
    test = _mcnemar(gap) if binary else _sign_flip(codes.sums(gap), flips, seed.child("flips"))
    interval = _interval(gap, codes, binary=binary, confidence=confidence, resamples=resamples, seed=seed)
    empty = gap.size == 0
    return Paired(
        difference=float("nan") if empty else float(gap.mean()),
        low=interval.low,
        high=interval.high,
        p=float("nan") if empty else test.p,
        p_worse=float("nan") if empty else test.p_worse,
        method=interval.method,
        test=test.name,
        why=interval.why,
        units=gap.size,
        clusters=codes.count,
        discordance=float("nan") if empty else float(np.mean(gap != 0)),
    )


def _interval(
    gap: FloatArray, codes: Clusters, *, binary: bool, confidence: float, resamples: int, seed: Seed
) -> Interval:
    if gap.size == 0:
        return no_interval("nothing graded for both")
    if codes.count < FEWEST:
        return too_few(codes.count)
    if binary:
        return _adjusted_wald(gap, confidence)
    layout = Layout.of(gap, codes)
    error = layout.spread()
    if error.se > 0:
        return layout.interval(error, confidence, resamples, seed.child("resamples"))
    if np.abs(gap).max() > 1:
        return no_interval("every cluster has the same difference")
    return _adjusted_wald(codes.sums(gap) / codes.sums(np.ones(gap.size)), confidence)


def _adjusted_wald(gaps: FloatArray, confidence: float) -> Interval:
    """One more unit is taken to differ each way, and nothing else changes."""
    n = gaps.size + 2
    up, down = (float(np.maximum(gaps, 0).sum()) + 1) / n, (float(np.maximum(-gaps, 0).sum()) + 1) / n
    half = float(ndtri((1 + confidence) / 2)) * sqrt((up + down - (up - down) ** 2) / n)
    return Interval(max(-1.0, up - down - half), min(1.0, up - down + half), "adjusted Wald")


def _mcnemar(gap: FloatArray) -> _Test:
    b, c = int((gap > 0).sum()), int((gap < 0).sum())
    return _Test(mcnemar_exact(b, c), float(bdtrc(b - 1, b + c, 0.5)) if b else 1.0, "McNemar exact")


def _sign_flip(sums: FloatArray, flips: int, seed: Seed) -> _Test:
    sizes = np.sort(np.abs(sums[sums != 0]))
    # Sums that are equal but for rounding are ties, and ties are as extreme.
    reach, observed = 1e-9 * float(sizes.sum()), float(sums.sum())
    if sizes.size <= EXACT:
        drawn = _all_signed(sizes)
        return _Test(
            float(np.mean(np.abs(drawn) >= abs(observed) - reach)),
            float(np.mean(drawn >= observed - reach)),
            "sign flip, exact",
        )
    drawn = _some_signed(sizes, flips, generator(seed))
    extreme, above = np.sum(np.abs(drawn) >= abs(observed) - reach), np.sum(drawn >= observed - reach)
    return _Test(float((1 + extreme) / (flips + 1)), float((1 + above) / (flips + 1)), "sign flip")


def _all_signed(sizes: FloatArray) -> FloatArray:
    totals = np.zeros(1)
    for size in sizes:
        totals = np.concatenate((totals - size, totals + size))
    return totals


def _some_signed(sizes: FloatArray, flips: int, dice: np.random.Generator) -> FloatArray:
    step = max(1, _CELLS // sizes.size)
    parts = []
    for start in range(0, flips, step):
        octets = dice.integers(0, 256, size=(min(step, flips - start), -(-sizes.size // 8)), dtype=np.uint8)
        kept = np.unpackbits(octets, axis=1, count=sizes.size).astype(np.float64)
        parts.append(2 * (kept @ sizes) - sizes.sum())
    return np.concatenate(parts)


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided exact p of b units on which only the first was right against c on which only the second was.

    1 where there are none.

    >>> round(mcnemar_exact(1, 5), 5)
    0.21875
    """
    if min(b, c) < 0:
        raise InputError(f"Discordant units are {b} and {c}; expected counts from 0.")
    return min(1.0, 2 * float(bdtr(min(b, c), b + c, 0.5))) if b + c else 1.0


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
    return reach_of(power, alpha) * sqrt(discordance * deff / n) / judge_j


def reach_of(power: float, alpha: float) -> float:
    """How many standard errors a difference has to be for a two-sided test at level alpha to find it with that power.

    Raises:
        InputError: power is not in [.5, 1), or alpha not in (0, 1).

    >>> round(reach_of(0.8, 0.05), 3)
    2.802
    """
    if not (0.5 <= power < 1 and 0 < alpha < 1):
        raise InputError(f"power is {power} and alpha {alpha}; expected power in [.5, 1) and alpha in (0, 1).")
    return float(ndtri(1 - alpha / 2) + ndtri(power))
