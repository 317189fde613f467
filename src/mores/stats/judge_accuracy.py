"""How good each of several judges is, from how they agree with each other alone; nobody knows what is right.

Judges are taken to err independently, and on every word alike. An error that they share counts as right.
"""

from itertools import combinations
from math import ceil

import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.stats.checks import FloatArray, ratio
from mores.stats.cluster_sums import ClusterSums, Design, MeasuredFigure, percentiles
from mores.stats.intervals import MANY, no_interval

_ROUNDS = 200


def judged_by_others(said: FloatArray, classes: npt.NDArray[np.int64], design: Design) -> tuple[MeasuredFigure, ...]:
    """Each judge's accuracy, or its mean squared error in points, with the bootstrap's interval over clusters.

    Words of a choice among several count as those of a choice between two, so that 0.5 is guessing everywhere. Near 1
    the estimate's error is far from even on both sides, and nothing but resampling covers: of judges right with .95, .8
    and .6 on 270 things .95, .97 and .98. With few clusters there is no interval. NaN where two judges share nothing.

    Args:
        said: Codes of words, or points from 0 to 1, a row a thing and a column a judge; NaN for none.
        classes: Of each thing how many words there were to choose from, 0 for points; words everywhere, or nowhere.
        design: How things are clustered.

    Raises:
        InputError: fewer than three judges.
    """
    judges, pairs = said.shape[1], list(combinations(range(said.shape[1]), 2))
    if judges < 3:
        raise InputError(f"{judges} judges; without labels expected three or more.")
    off = np.column_stack([said[:, one] - said[:, other] for one, other in pairs])
    words, of = bool(classes.any()), classes[:, None].astype(np.float64)
    same = np.where(np.isnan(off), np.nan, off == 0)
    value = ratio(of * same - 1, of - 1.0) if words else off**2
    both = np.isfinite(off)
    sums = ClusterSums.of(np.hstack((np.where(both, value, 0.0), both.astype(np.float64))), design)
    solve = accuracies_of if words else error_variances_of

    def each(rows: FloatArray) -> FloatArray:
        means = ratio(rows[..., : len(pairs)], rows[..., len(pairs) :])
        square = np.zeros((*rows.shape[:-1], judges, judges))
        for place, (one, other) in enumerate(pairs):
            square[..., one, other] = square[..., other, one] = means[..., place]
        return np.minimum((1 + solve(square)) / 2 if words else solve(square), 1.0)

    values, redrawn = each(sums.total), each(sums.drawn)
    few = no_interval(Missing(code="too_few_clusters", n=sums.codes.count, needed=ceil(MANY)))
    intervals = [
        percentiles(redrawn[:, judge], sums.codes.count - 1, design.confidence) if len(redrawn) else few
        for judge in range(judges)
    ]
    return tuple(MeasuredFigure(float(value), interval) for value, interval in zip(values, intervals, strict=True))


def accuracies_of(agreement: FloatArray) -> FloatArray:
    """Each judge's accuracy above chance, 0 for a coin and 1 for one that is always right; by luck it may exceed 1.

    Above chance, the agreement of two judges is the product of their accuracies; three judges give three equations. Of
    more judges the products nearest to all agreements, by least squares.

    Args:
        agreement: Above chance for each pair, (classes x share of the same words - 1) / (classes - 1), shape
            (..., judges, judges); the diagonal is not read.

    >>> accuracies_of(np.array([[0, 0.54, 0.36], [0.54, 0, 0.24], [0.36, 0.24, 0]])).round(3).tolist()
    [0.9, 0.6, 0.4]
    """
    judges = agreement.shape[-1]
    good = np.full(agreement.shape[:-1], 0.5)
    for _ in range(_ROUNDS):
        for one in range(judges):
            others = np.arange(judges) != one
            fit = (agreement[..., one, others] * good[..., others]).sum(-1)
            good[..., one] = np.maximum(ratio(fit, (good[..., others] ** 2).sum(-1), empty=0.0), 0.0)
    unknown = np.asarray((np.isnan(agreement) & ~np.eye(judges, dtype=bool)).any((-1, -2)))
    return np.asarray(np.where(unknown[..., None], np.nan, good))


def error_variances_of(distance: FloatArray) -> FloatArray:
    """Each judge's mean squared error: those of two judges add up to their mean squared distance; 0 at least.

    Args:
        distance: Mean squared distance of each pair, shape (..., judges, judges); the diagonal is not read.

    >>> error_variances_of(np.array([[0, 0.05, 0.1], [0.05, 0, 0.13], [0.1, 0.13, 0]])).round(3).tolist()
    [0.01, 0.04, 0.09]
    """
    judges = distance.shape[-1]
    apart = np.where(np.eye(judges, dtype=bool), 0.0, distance).sum(-1)
    whole = apart.sum(-1, keepdims=True) / (2 * judges - 2)
    return np.asarray(np.maximum((apart - whole) / (judges - 2), 0.0))
