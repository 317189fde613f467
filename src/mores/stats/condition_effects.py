"""How far a figure hangs on a condition that should not matter, such as in which words the same units are asked.

The same units under each of some conditions ─▶ the mean under each, the largest less the smallest, and the variance
between conditions that is left when the noise of the units is taken out (a facet in generalizability theory).
"""

from itertools import combinations
from math import comb, sqrt

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.core.seeds import Seed
from mores.stats.checks import FloatArray, confident, same_length
from mores.stats.clusters import Clusters, clustered
from mores.stats.intervals import ClusteredMeans, Interval, mean_interval, no_interval
from mores.stats.paired import Paired, compare_paired


class Facet(Struct, frozen=True, kw_only=True):
    """One figure under each condition; all in points of the figure, None where nothing can be said.

    `mean` is over units and conditions, with the interval of other units under the same conditions. `spread` is the
    largest mean less the smallest; its interval holds the true one together with those of all pairs of conditions,
    and `p` is of all means being equal, corrected for the pairs. `deviation` is the standard deviation of true means
    between conditions of this kind, 0 where the units' noise explains all; its interval is of other conditions too,
    wide where these are few and none where they are two. `missing` says why there are no intervals.
    """

    means: tuple[float, ...]
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    spread: float | None = None
    spread_low: float | None = None
    spread_high: float | None = None
    p: float | None = None
    deviation: float | None = None
    deviation_low: float | None = None
    deviation_high: float | None = None
    units: int
    clusters: int
    missing: Missing | None = None


def facet(
    values: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    confidence: float = 0.95,
    seed: Seed,
) -> Facet:
    """How far the mean of units hangs on the condition under which they were asked.

    The spread of noisy means is larger than that of the true ones, so its interval comes from the differences of all
    pairs at once: each pair's interval (see `compare_paired`) at the level divided by the number of pairs; the true
    spread is the largest of true differences. It covers too often rather than too seldom.

    The variance between true means is estimated by the method of moments: the sample variance of the means less half
    the mean squared standard error of their differences, 0 at least. Its interval takes true means as normal: the
    sample variance over its expectation is chi-squared with one degree of freedom less than there are conditions.

    Args:
        values: A row a unit and a column a condition; every unit has a value under each.
        clusters: The cluster of each unit, in any labels.
        strata: The stratum of each unit; see `mean_interval`.
        confidence: Wanted coverage.
        seed: Dice of the bootstrap.

    Raises:
        InputError: fewer than two conditions, a value that is not finite, or lengths differ.

    Source:
        Brennan (2001), Generalizability Theory, chapter 3; Burdick and Graybill (1992), Confidence Intervals on
        Variance Components, section 3.
    """
    confident(confidence)
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise InputError(f"values have the shape {table.shape}; expected a row a unit and two columns at least.")
    if not np.isfinite(table).all():
        raise InputError("values hold one that is no number; leave units out that lack a value under a condition.")
    same_length(table[:, 0], np.asarray(clusters), "values and clusters")
    if not len(table):
        return Facet(means=(), units=0, clusters=0, missing=Missing(code="nothing_graded_for_both"))
    codes, means = clustered(clusters, strata, len(table)), table.mean(axis=0)
    overall = mean_interval(table.mean(axis=1), clusters, strata=strata, seed=seed.child("mean"), confidence=confidence)
    share = 1 - (1 - confidence) / comb(table.shape[1], 2)
    pairs = [
        compare_paired(table[:, i], table[:, j], clusters, strata=strata, confidence=share, seed=seed.child(i, j))
        for i, j in combinations(range(table.shape[1]), 2)
    ]
    low, high = _spread(pairs)
    deviation, between = _between(table, codes, confidence)
    return Facet(
        means=tuple(means.tolist()),
        mean=float(table.mean()),
        low=overall.low,
        high=overall.high,
        spread=float(np.ptp(means)),
        spread_low=low,
        spread_high=high,
        p=min(1.0, len(pairs) * min(pair.p for pair in pairs)),
        deviation=deviation,
        deviation_low=between.low,
        deviation_high=between.high,
        units=len(table),
        clusters=codes.count,
        missing=overall.missing or next((pair.missing for pair in pairs if pair.missing is not None), None),
    )


def _spread(pairs: list[Paired]) -> tuple[float | None, float | None]:
    """Ends of the largest difference, each pair's sign put aside; None where a pair has no interval but differs.

    Units that answer alike under both conditions show no difference and no spread of it.
    """
    lows, highs = [], []
    for pair in pairs:
        if pair.low is None or pair.high is None:
            return None, None
        lows.append(max(0.0, pair.low, -pair.high))
        highs.append(max(abs(pair.low), abs(pair.high)))
    return max(lows), max(highs)


def _between(table: FloatArray, codes: Clusters, confidence: float) -> tuple[float, Interval]:
    """Standard deviation of true means between conditions, with its interval."""
    freedom = table.shape[1] - 1
    seen = float(table.mean(axis=0).var(ddof=1))
    errors = [
        ClusteredMeans.of(table[:, i] - table[:, j], codes).spread().se for i, j in combinations(range(freedom + 1), 2)
    ]
    noise = float(np.mean(np.square(errors))) / 2
    if freedom == 1:
        return sqrt(max(0.0, seen - noise)), no_interval(Missing(code="too_few_conditions", n=2, needed=3))
    tail = (1 - confidence) / 2
    low, high = (
        sqrt(max(0.0, freedom * seen / float(special.chdtri(freedom, end)) - noise)) for end in (tail, 1 - tail)
    )
    return sqrt(max(0.0, seen - noise)), Interval(low, high, "chi-squared")
