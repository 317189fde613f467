"""F1 of single-label answers, with what could not be read counted as wrong.

Labels are codes into a list of classes; a prediction of -1 could not be read: it is wrong, and no class's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mores.core.arrays import Codes
from mores.core.errors import InputError
from mores.core.estimate import NOTHING_GRADED, Missing
from mores.stats.checks import FloatArray, IntArray, confident, numbers, ratio, same_length
from mores.stats.clusters import Clusters, ClusterWeights, clustered
from mores.stats.intervals import Interval, no_interval, refused, score_interval

_RARE = 3  # clusters of a class in the gold labels below which its F1 has no honest interval


class F1(NamedTuple):
    """F1 over all answers, and the unweighted mean of that of each class."""

    micro: float
    macro: float


class F1Estimate(NamedTuple):
    """Macro F1 with its interval; NaN without answers."""

    macro: float
    interval: Interval


def f1_scores(gold: npt.ArrayLike, predicted: npt.ArrayLike, classes: Sequence[str]) -> F1:
    """F1 of predicted against gold labels; all NaN where there are no answers.

    With one label an answer, micro F1 is the share of right answers. A class that neither gold nor
    predictions hold has an F1 of 0 and counts in macro F1, so list only classes that the data has.

    Args:
        gold: Codes 0 … len(classes) - 1, one an answer.
        predicted: The same, or -1 for what could not be read.
        classes: The labels' names.

    Raises:
        InputError: lengths differ, or a code is out of range.

    >>> f1_scores([0, 0, 1, 1], [0, 1, 1, -1], ["yes", "no"])
    F1(micro=0.5, macro=0.5833333333333333)
    """
    truth, said = _codes(gold, predicted, len(classes))
    if truth.size == 0:
        return F1(float("nan"), float("nan"))
    return F1(float(np.mean(truth == said)), float(_f1(*_counts(truth, said, len(classes))).mean()))


def f1_interval(
    gold: npt.ArrayLike,
    predicted: npt.ArrayLike,
    classes: Sequence[str],
    clusters: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    confidence: float = 0.95,
) -> Interval:
    """Interval of macro F1; none, with the reason, where clusters, or clusters of a class, are too few.

    It is a t interval on first-order influences summed over clusters, in Wilson's form; all right or all wrong:
    Wilson's with the number of units that as many clusters, so spread over classes, are worth. It needs 8 clusters
    that weigh as 4, and 3 whose gold label is each class, since a class seen less may be all right by luck or missing.

    Coverage, where there is an interval, accuracy .6 to .95: one answer a cluster .94 (30 answers), .95
    (50), .93-.96 (200) and .95 (2,000) with classes of .5, .3 and .2, .94 where one of three classes has .05 of 200.
    Five answers a cluster: .95 with 10 and 20 clusters. Clusters of log-normal sizes: .97 (12 and 40). The percentile
    bootstrap has .84-.975, the basic bootstrap .60-.97.

    Args:
        gold: As in `f1_scores`.
        predicted: As in `f1_scores`.
        classes: As in `f1_scores`.
        clusters: The cluster of each answer, in any labels.
        strata: The stratum of each answer; see `mean_interval`.
        confidence: Wanted coverage.

    Raises:
        InputError: lengths differ, or a code is out of range.
    """
    return macro_f1(*_codes(gold, predicted, len(classes)), classes, clusters, strata, confidence).interval


def macro_f1(
    truth: Codes,
    said: Codes,
    classes: Sequence[str],
    clusters: npt.ArrayLike,
    strata: npt.ArrayLike | None = None,
    confidence: float = 0.95,
) -> F1Estimate:
    """Macro F1 and its interval at once."""
    confident(confidence)
    if truth.size == 0:
        return F1Estimate(float("nan"), no_interval(NOTHING_GRADED))
    hits, labels = _counts(truth, said, len(classes))
    each = _f1(hits, labels)
    macro, codes = float(each.mean()), clustered(clusters, strata, truth.size)
    load = ClusterWeights.of(codes.sums(np.ones(truth.size)), codes)
    few = refused(load)
    if few is not None:
        return F1Estimate(macro, few)
    in_cluster = np.zeros((codes.count, len(classes)), dtype=np.bool_)
    in_cluster[codes.of_unit, truth] = True
    seen = in_cluster.sum(axis=0)
    rare = int(np.argmin(seen))
    few = too_rare(int(seen[rare]), classes[rare])
    if few is not None:
        return F1Estimate(macro, few)
    error = load.spread(_influence(truth, said, each, labels, codes))
    worth = len(classes) ** 2 / float(np.sum(1 / seen))
    wider = codes.count / worth  # how many times more the mean over classes varies, as one has few clusters
    steady = load.steadied(error, macro * (1 - macro) * wider, min(macro, 1 - macro))
    return F1Estimate(macro, score_interval(macro, steady, worth, confidence))


def too_rare(clusters: int, name: str) -> Interval | None:
    """The interval of F1 that is not there, as gold gives a class in so few clusters; None where they are enough."""
    few = Missing(code="too_few_clusters_of_class", n=clusters, needed=_RARE, told=name)
    return no_interval(few) if clusters < _RARE else None


def _influence(truth: Codes, said: Codes, each: FloatArray, labels: FloatArray, codes: Clusters) -> FloatArray:
    """First-order share of each cluster in the error of macro F1: an answer touches the classes of its two labels."""
    per = ratio(np.ones(labels.size), labels, empty=0.0) / labels.size
    kept = np.append(each * per, 0.0)  # of a label that could not be read, -1
    moved = 2 * np.append(per, 0.0)[truth]
    moved[truth != said] = 0.0
    moved -= kept[truth]
    moved -= kept[said]
    return codes.sums(moved)


def _codes(gold: npt.ArrayLike, predicted: npt.ArrayLike, classes: int) -> tuple[IntArray, IntArray]:
    truth, said = numbers(gold, "gold").astype(np.int64), numbers(predicted, "predicted").astype(np.int64)
    same_length(truth, said, "gold and predicted")
    for name, codes, least in (("gold", truth, 0), ("predicted", said, -1)):
        wrong = codes[(codes < least) | (codes >= classes)]
        if wrong.size:
            raise InputError(
                f"{name} has the code {wrong[0]}; expected {least} to {classes - 1} for {classes} classes."
            )
    return truth, said


def _counts(truth: Codes, said: Codes, classes: int) -> tuple[FloatArray, FloatArray]:
    """Of each class the answers that are right, and labels given by gold and by prediction together."""
    told = np.bincount(said[said >= 0], minlength=classes)
    hits = np.bincount(truth[truth == said], minlength=classes)
    return hits.astype(np.float64), (np.bincount(truth, minlength=classes) + told).astype(np.float64)


def _f1(hits: FloatArray, labels: FloatArray) -> FloatArray:
    """F1 of each class; 0 where nobody gives the label."""
    return ratio(2 * hits, labels, empty=0.0)
