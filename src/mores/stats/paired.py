"""Two models on the same units: difference, interval, test, and what could have been seen."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr, ndtri

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.arrays import FloatArray, numbers, same_length
from mores.stats.clusters import clustered
from mores.stats.dice import generator
from mores.stats.intervals import FEWEST, mean_interval, no_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Difference of means a - b, its interval, and two-sided and one-sided p (`p_worse`: that b is worse than a)."""

    difference: float
    low: float | None
    high: float | None
    p: float
    p_worse: float
    method: str
    why: str | None = None
    units: int
    clusters: int
    discordance: float


def compare_paired(  # noqa: PLR0913 - a statistic with its design and its dice
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
    """Difference of two models on the same units."""
    first, second = numbers(a, "a"), numbers(b, "b")
    same_length(first, second, "a and b")
    gap = first - second
    codes = clustered(clusters, strata, gap.size)
    interval = (
        mean_interval(gap, clusters, strata=strata, confidence=confidence, resamples=resamples, seed=seed)
        if codes.count >= FEWEST
        else no_interval(f"too few clusters: {codes.count}, at least {FEWEST} are needed")
    )
    p, p_worse = _sign_flip(codes.sums(gap), flips, seed.child("flips"))
    return Paired(
        difference=float(gap.mean()),
        low=interval.low,
        high=interval.high,
        p=p,
        p_worse=p_worse,
        method=interval.method,
        why=interval.why,
        units=gap.size,
        clusters=codes.count,
        discordance=float(np.mean(gap != 0)),
    )


def _sign_flip(sums: FloatArray, flips: int, seed: Seed) -> tuple[float, float]:
    dice = generator(seed)
    total = sums.sum()
    signs = dice.integers(0, 2, size=(flips, sums.size)) * 2 - 1
    drawn = signs @ sums
    slack = 1e-9 * np.abs(sums).sum()
    both = (1 + np.sum(np.abs(drawn) >= abs(total) - slack)) / (flips + 1)
    above = (1 + np.sum(drawn >= total - slack)) / (flips + 1)
    return float(both), float(above)


def mcnemar_exact(b: int, c: int) -> float:
    """Two-sided exact McNemar p of b against c discordant pairs; 1 where there are none."""
    return float(min(1.0, 2 * bdtr(min(b, c), b + c, 0.5))) if b + c else 1.0


def minimum_detectable_effect(n: int, discordance: float, deff: float = 1.0, judge_j: float = 1.0) -> float:
    """Smallest difference of two shares seen with power .8 at level .05, two-sided."""
    if n < 1 or judge_j <= 0:
        raise InputError(f"n is {n} and judge_j {judge_j}; expected at least one unit and a judge better than chance.")
    return float((ndtri(0.975) + ndtri(0.8)) * np.sqrt(discordance * deff / n) / judge_j)
