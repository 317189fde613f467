"""Stated probabilities: their distance from the shares that come true, and their correction by labels of people.

probability of the likeliest label + whether it was right ─▶ bins of as many units each ─▶ stated beside true, in each
─▶ the expected calibration error: |stated - true| on average over units.

log-probabilities and true labels of other things ─▶ softmax(scale · log p + bias) of the greatest likelihood ─▶ the
likeliest label. The scale is one exponent for all, its inverse the temperature; each label has a bias of its own.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import NOTHING_GRADED
from mores.stats.checks import numbers, ranks, same_length
from mores.stats.cluster_sums import Design, MeasuredFigure, share, undefined
from mores.stats.clusters import Clusters, ClusterWeights, resampled_means
from mores.stats.intervals import Interval, refused
from mores.stats.rng import generator

LEAST = 1e-6
"""Probabilities below count as this, as no finite sample tells them apart."""
_STEPS, _PRIOR = 50, 1.0


class Recalibration(NamedTuple):
    """The exponent and each label's bias; the last label's is 0. Without data they are 1 and 0: nothing changes."""

    scale: float
    bias: Floats

    def probabilities(self, given: npt.ArrayLike) -> Floats:
        """The probabilities of each row, put right."""
        return _softmax(self.scale * _logs(given) + self.bias)

    def likeliest(self, probabilities: npt.ArrayLike) -> Integers:
        """The code of the likeliest label of each row, put right."""
        return np.asarray((self.scale * _logs(probabilities) + self.bias).argmax(axis=1))


def recalibrate(probabilities: npt.ArrayLike, truth: npt.ArrayLike) -> Recalibration:
    """Scale and bias by maximum likelihood, drawn towards no change as if by a few observations.

    Args:
        probabilities: A row a thing, a column a label.
        truth: The code of the true label of each row.

    Raises:
        InputError: shapes differ, or a code is out of range.

    Source:
        Guo, Pleiss, Sun and Weinberger (2017), ICML, section 4.2 (vector scaling, here with one scale for all labels).

    >>> recalibrate([[0.6, 0.4]] * 40, [1] * 40).likeliest([[0.55, 0.45]]).tolist()
    [1]
    """
    logs = _logs(probabilities)
    rows, labels = logs.shape
    # A column a parameter: the logs for the scale, then one for the bias of each label but the last.
    design = np.concatenate((logs[:, :, None], np.broadcast_to(np.eye(labels)[:, :-1], (rows, labels, labels - 1))), 2)
    found = _fitted(design, truth)
    return Recalibration(float(found[0]), np.append(found[1:], 0.0))


def rescale(probabilities: npt.ArrayLike, truth: npt.ArrayLike) -> Recalibration:
    """The scale alone, whose inverse is the temperature: it changes how sure the likeliest label is, and never which.

    A scale of 0 or less means that the probabilities tell nothing of the labels.

    Args:
        probabilities: A row a thing, a column a label.
        truth: The code of the true label of each row.

    Raises:
        InputError: shapes differ, or a code is out of range.

    Source:
        Guo, Pleiss, Sun and Weinberger (2017), ICML, section 4.2 (temperature scaling).

    >>> round(rescale([[0.9, 0.1]] * 400, [0] * 300 + [1] * 100).scale, 2)
    0.5
    """
    logs = _logs(probabilities)
    return Recalibration(float(_fitted(logs[:, :, None], truth)[0]), np.zeros(logs.shape[1]))


def _fitted(design: Floats, truth: npt.ArrayLike) -> Floats:
    """The parameters of the greatest likelihood, of a design of shape (rows, labels, parameters), by Newton's steps."""
    codes = np.asarray(truth, dtype=np.int64)
    rows, labels, parameters = design.shape
    if codes.shape != (rows,) or codes.min(initial=0) < 0 or codes.max(initial=0) >= labels:
        raise InputError(f"truth has the shape {codes.shape}; expected a code from 0 to {labels - 1} for {rows} rows.")
    # no change: a scale of 1, and no bias
    start = np.eye(parameters)[0]
    given, found = np.eye(labels)[codes], start
    for _ in range(_STEPS):
        chance = _softmax(design @ found)
        slope = np.einsum("nk,nkp->p", given - chance, design) - _PRIOR * (found - start)
        mean = np.einsum("nk,nkp->np", chance, design)
        curve = np.einsum("nk,nkp,nkq->pq", chance, design, design) - mean.T @ mean + _PRIOR * np.eye(parameters)
        step = np.linalg.solve(curve, slope)
        # no parameter moves by more than 1 at once, so that no step overshoots
        found = found + step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-9:
            break
    return np.asarray(found)


def _logs(probabilities: npt.ArrayLike) -> Floats:
    return np.log(np.maximum(np.asarray(probabilities, dtype=np.float64), LEAST))


def _softmax(scores: Floats) -> Floats:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


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
    # equal probabilities share a bin, so that bins may be fewer than wanted
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


def _interval(rows: Floats, codes: Clusters, design: Design) -> Interval:
    """Ends of the error, from sums of the bins' gaps over resampled clusters, whose sizes stand in the last column."""
    units, tail = rows[:, -1].sum(), (1 - design.confidence) / 2
    drawn = resampled_means(rows, codes, design.resamples, generator(design.seed)) / units
    gaps = rows[:, :-1].sum(0) / units
    low = np.abs(gaps).sum() - np.quantile(np.abs(drawn - gaps).sum(1), 1 - tail)
    return Interval(max(0.0, float(low)), float(np.quantile(np.abs(drawn).sum(1), 1 - tail)), "cluster bootstrap")
