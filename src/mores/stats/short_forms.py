"""Short forms: some units in the place of all, and what all would have come to.

units, places, clusters, hardness for earlier models ─▶ `evenly_spread`: a part that is as hard as the whole
answers to a part, and what earlier models got on it and on all ─▶ `full_figure`: the figure of all and its interval

Every unit has the same chance to be taken, so that the plain mean of a short form, and of each group in it, stays what
it says. Units that tell models apart best would need weights instead, and plain figures of them would be biased.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import NOTHING_GRADED
from mores.core.seeds import Seed
from mores.stats.checks import numbers, same_length
from mores.stats.clusters import ClusterStandardError, clustered
from mores.stats.intervals import ClusteredMeans, Interval, no_interval, refused, score_interval, t_quantile
from mores.stats.rng import generator

SPENT_ON_SLOPE = 1
"""Degrees of freedom that the slope on earlier models takes."""


class FullFigure(NamedTuple):
    """Figure of all units from a part of them, its interval, and how many plain units the part is worth.

    `explained` is the share of the variance of units that earlier models explain; 0 without them.
    """

    value: float
    interval: Interval
    worth: float
    explained: float


def evenly_spread(
    places: Sequence[str], clusters: Sequence[str], hardness: npt.ArrayLike, count: int, *, seed: Seed
) -> Integers:
    """Numbers of the units of a short form, in their order: whole clusters, spread evenly over places and hardness.

    Clusters are laid out place by place, by hardness within a place (up and down in turn, so that neighbours are
    alike across places), equal ones shuffled; every k-th is taken from a drawn start. So many units come of it, or a
    few more or fewer where clusters have several.

    Args:
        places: The place of each unit; a cluster is where its first unit is.
        clusters: The cluster of each unit.
        hardness: The mean of earlier models on each unit; all alike where there are none.
        count: Units that are wanted.
        seed: Dice of the start and of ties.

    Raises:
        InputError: there are not so many units, or lengths differ.

    Source:
        Kish (1965), Survey Sampling, sec. 4.1 and 7.5, on systematic and implicitly stratified selection.
    """
    hard = numbers(hardness, "hardness")
    same_length(np.asarray(places), hard, "places and hardness")
    same_length(np.asarray(clusters), hard, "clusters and hardness")
    if not 1 <= count <= hard.size:
        raise InputError(f"count is {count}; expected 1 to {hard.size} units.")
    names, first, of = np.unique(np.asarray(clusters), return_index=True, return_inverse=True)
    sizes = np.bincount(of)
    mean = np.bincount(of, hard) / sizes
    ties = generator(seed.child("ties")).permutation(names.size)
    there = np.unique(np.asarray(places)[first], return_inverse=True)[1]
    order = np.lexsort((ties, np.where(there % 2, -mean, mean), there))
    step = hard.size / count
    ends = np.cumsum(sizes[order])
    marks = (np.arange(count) + generator(seed.child("start")).random()) * step
    taken = order[np.unique(np.searchsorted(ends, marks, side="right"))]
    return np.flatnonzero(np.isin(of, _as_many(taken, sizes, count)))


def _as_many(taken: Integers, sizes: Integers, count: int) -> Integers:
    """Of clusters that were taken, as many evenly as make the count, where a cluster has several units."""
    total = int(sizes[taken].sum())
    if total <= count:
        return taken
    keep = max(1, round(taken.size * count / total))
    return taken[np.unique((np.arange(keep) + 0.5) * taken.size // keep).astype(np.int64)]


def full_figure(  # noqa: PLR0913 - a statistic and its design
    values: npt.ArrayLike,
    clusters: npt.ArrayLike,
    size: int,
    *,
    here: npt.ArrayLike | None = None,
    everywhere: float | None = None,
    share: bool = True,
    confidence: float = 0.95,
) -> FullFigure:
    """Figure of all units, from a part that stands for them evenly.

    The mean of the part, moved along the regression on what earlier models got (`here` on the part, `everywhere` their
    mean over all): the part's own luck with hard and easy units is taken out. The standard error is that of the
    residuals by clusters, with the finite population's factor: of all units nothing is uncertain. Without earlier
    models the slope is 0. No interval with too few clusters.

    Args:
        values: One number a unit of the part.
        clusters: The cluster of each, in any labels.
        size: Units of the whole.
        here: Mean of earlier models on each unit of the part, in any units of measure.
        everywhere: Their mean over all units.
        share: True where values are shares, whose interval stays within 0 and 1.
        confidence: Wanted coverage.

    Raises:
        InputError: the part is larger than the whole, lengths differ or values are not finite.

    Source:
        Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, sec. 6.4 and 8.9.
    """
    y = numbers(values, "values")
    if y.size > size:
        raise InputError(f"{y.size} units of {size}; expected a part of them.")
    if y.size == 0:
        return FullFigure(float("nan"), no_interval(NOTHING_GRADED), 0.0, 0.0)
    x = np.zeros(y.size) if here is None else numbers(here, "here")
    same_length(x, y, "here and values")
    slope = _slope(x, y)
    moved = float(y.mean()) + slope * ((float(x.mean()) if everywhere is None else everywhere) - float(x.mean()))
    value = min(1.0, max(0.0, moved)) if share else moved
    left = y - y.mean() - slope * (x - x.mean())
    spread = float(y.var())
    explained = 1 - float(left.var()) / spread if spread else 0.0
    layout = ClusteredMeans.of(left, clustered(clusters, None, y.size))
    part = y.size / size
    few = refused(layout.load)
    if few is not None:
        return FullFigure(value, few, y.size, explained)
    error = _finite(layout.spread(), part, used=SPENT_ON_SLOPE if slope else 0)
    worth = spread / error.se**2 if error.se > 0 else float("inf")
    return FullFigure(value, _interval(value, error, y, size, share=share, confidence=confidence), worth, explained)


def _slope(x: Floats, y: Floats) -> float:
    spread = float(np.sum((x - x.mean()) ** 2))
    return float(np.sum((x - x.mean()) * (y - y.mean()))) / spread if spread > 0 else 0.0


def _finite(error: ClusterStandardError, part: float, used: int) -> ClusterStandardError:
    freedom = max(1.0, error.freedom - used)
    return ClusterStandardError(error.se * sqrt(max(0.0, 1 - part) * error.freedom / freedom), freedom)


def _interval(
    value: float, error: ClusterStandardError, y: Floats, size: int, *, share: bool, confidence: float
) -> Interval:
    if not share:
        reach = t_quantile(error.freedom, confidence) * error.se
        return Interval(value - reach, value + reach, "regression")
    alone = y.size / max(1e-9, 1 - y.size / size)
    found = score_interval(value, error, alone, confidence)
    if found.low is None or found.high is None:
        return found
    # What was answered is known: the whole has no less right than the part, and no more wrong.
    least, most = float(y.sum()) / size, 1 - float((1 - y).sum()) / size
    return Interval(max(found.low, least), min(found.high, most), "regression")
