"""How far stated probabilities are from how often they come true: a reliability diagram and its mean error.

probability of the likeliest label + whether it was right ─▶ bins of as many units each ─▶ stated beside true, in each
─▶ the expected calibration error: |stated - true| on average over units.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mores.core.estimate import NOTHING_GRADED
from mores.stats.checks import FloatArray, numbers, ranks, same_length
from mores.stats.cluster_sums import Design, MeasuredFigure, share, undefined
from mores.stats.clusters import Clusters, ClusterWeights, resampled_means
from mores.stats.intervals import Interval, refused
from mores.stats.rng import generator

MOST_BINS = 10
CLUSTERS_A_BIN = 20
"""Clusters for each bin: with fewer, bins are fewer, as chance alone would part what is stated from what is true."""


class Bin(NamedTuple):
    """Units whose probabilities are near each other: the mean of these, how many, and the share that was right."""

    stated: float
    units: int
    right: MeasuredFigure


class CalibrationCurve(NamedTuple):
    """The bins from the least probability up, and the expected calibration error over them."""

    bins: tuple[Bin, ...]
    error: MeasuredFigure


def reliability(stated: npt.ArrayLike, right: npt.ArrayLike, design: Design) -> CalibrationCurve:
    """The bins, each with the interval of its share, and the expected calibration error with its own.

    The error of the bins as drawn is too large on average, by chance alone. So the interval's lower end is the error
    less what chance makes of it in 97.5 % of resamples of clusters (below it the true error lies in no more than 2.5 %,
    as |a| - |b| ≤ |a - b|), and its upper end the 97.5th percentile of the resampled error, which is too large rather
    than too small. In simulations of three labels (100 and
    300 units, alone and in clusters of five, errors of 0, .056 and .142) .958 or more of the intervals cover the true
    error of the bins; percentiles alone cover none where nothing is wrong. No interval where there are too few
    clusters; no error without units.

    Args:
        stated: Probabilities of the labels that were chosen.
        right: Whether each was right, 0 or 1.
        design: The clusters of the units, and the seed.

    Raises:
        InputError: lengths differ, or there is a NaN.

    Source:
        Guo, Pleiss, Sun and Weinberger (2017), ICML, section 2 (with bins of equal numbers in place of equal widths).

    >>> from mores.core.seeds import Seed
    >>> found = reliability([0.9] * 40, [1, 0] * 20, Design(clusters=range(40), seed=Seed("doctest")))
    >>> round(found.error.value, 3), [(bin.units, bin.right.value) for bin in found.bins]
    (0.4, [(40, 0.5)])
    """
    chance, hits = numbers(stated, "stated"), numbers(right, "right")
    same_length(chance, hits, "probabilities and whether they came true")
    if not chance.size:
        return CalibrationCurve((), undefined(NOTHING_GRADED))
    codes = design.codes(chance.size)
    parts = max(1, min(MOST_BINS, codes.count // CLUSTERS_A_BIN))
    edges = np.unique(np.quantile(chance, np.arange(1, parts) / parts))
    of = ranks(np.searchsorted(edges, chance, side="right"))
    masks = [of == number for number in range(int(of.max()) + 1)]
    bins = tuple(
        Bin(
            stated=float(chance[mask].mean()),
            units=int(mask.sum()),
            right=share(hits[mask], design.part(mask, f"bin {number}"), "right"),
        )
        for number, mask in enumerate(masks)
    )
    gaps = np.column_stack([codes.sums(np.where(mask, hits - chance, 0.0)) for mask in masks])
    sizes = codes.sums(np.ones(chance.size))
    error = MeasuredFigure(
        float(np.abs(gaps.sum(0)).sum() / chance.size),
        refused(ClusterWeights.of(sizes, codes)) or _interval(np.column_stack((gaps, sizes)), codes, design),
    )
    return CalibrationCurve(bins, error)


def _interval(rows: FloatArray, codes: Clusters, design: Design) -> Interval:
    """Ends of the error, from sums of the bins' gaps over resampled clusters, whose sizes stand in the last column."""
    units, tail = rows[:, -1].sum(), (1 - design.confidence) / 2
    drawn = resampled_means(rows, codes, design.resamples, generator(design.seed)) / units
    gaps = rows[:, :-1].sum(0) / units
    low = np.abs(gaps).sum() - np.quantile(np.abs(drawn - gaps).sum(1), 1 - tail)
    return Interval(max(0.0, float(low)), float(np.quantile(np.abs(drawn).sum(1), 1 - tail)), "cluster bootstrap")
