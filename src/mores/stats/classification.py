"""F1 of single-label answers, with what could not be read counted as wrong."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.stats.arrays import FloatArray, IntArray, numbers, same_length, share
from mores.stats.clusters import Clusters, clustered, spread
from mores.stats.intervals import FEWEST, Interval, mean_interval, no_interval


class F1(NamedTuple):
    """F1 over all answers, its unweighted mean over classes, and that of each class in the given order."""

    micro: float
    macro: float
    per_class: tuple[float, ...]


def f1_scores(gold: npt.ArrayLike, predicted: npt.ArrayLike, classes: Sequence[str]) -> F1:
    """F1 of codes into `classes`; a prediction of -1 could not be read.

    No answers at all give NaN.
    """
    truth, said = _codes(gold, predicted, len(classes))
    hits, marked = _counts(truth, said, len(classes))
    per_class = _ratio(2 * hits.sum(0), marked.sum(0))
    micro = float(np.mean(truth == said)) if truth.size else float("nan")
    macro = float(per_class.mean()) if truth.size else float("nan")
    return F1(micro, macro, tuple(per_class.tolist()))


def _codes(gold: npt.ArrayLike, predicted: npt.ArrayLike, classes: int) -> tuple[IntArray, IntArray]:
    truth = numbers(gold, "gold").astype(np.int64)
    said = numbers(predicted, "predicted").astype(np.int64)
    same_length(truth, said, "gold and predicted")
    if truth.size and (truth.min() < 0 or said.min() < -1 or max(truth.max(), said.max()) >= classes):
        raise InputError(f"codes lie outside the {classes} classes; expected 0 to {classes - 1}, or -1 for unread.")
    return truth, said


def _counts(truth: IntArray, said: IntArray, classes: int) -> tuple[FloatArray, FloatArray]:
    columns = np.arange(classes)
    is_gold, is_said = truth[:, None] == columns, said[:, None] == columns
    return (is_gold & is_said).astype(float), is_gold.astype(float) + is_said


def _ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    return np.divide(top, bottom, out=np.zeros_like(top), where=bottom > 0)


def f1_interval(  # noqa: PLR0913 - a statistic with its design and its dice
    gold: npt.ArrayLike,
    predicted: npt.ArrayLike,
    classes: Sequence[str],
    clusters: npt.ArrayLike,
    *,
    strata: npt.ArrayLike | None = None,
    average: Literal["micro", "macro"],
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: Seed,
) -> Interval:
    """Interval of F1 over units in clusters."""
    truth, said = _codes(gold, predicted, len(classes))
    if average == "micro":
        right = (truth == said).astype(float)
        return mean_interval(right, clusters, strata=strata, confidence=confidence, resamples=resamples, seed=seed)
    share(confidence, "confidence")
    if truth.size == 0:
        return no_interval("nothing graded")
    codes = clustered(clusters, strata, truth.size)
    if codes.count < FEWEST:
        return no_interval(f"too few clusters: {codes.count}, at least {FEWEST} are needed")
    hits, marked = _counts(truth, said, len(classes))
    macro = float(_ratio(2 * hits.sum(0), marked.sum(0)).mean())
    error = spread(_influence(hits, marked, codes), codes)
    t = float(stdtrit(error.freedom, (1 + confidence) / 2))
    return Interval(max(0.0, macro - t * error.se), min(1.0, macro + t * error.se), "t on cluster means")


def _influence(hits: FloatArray, marked: FloatArray, codes: Clusters) -> FloatArray:
    bottom = marked.sum(0)
    scores = _ratio(2 * hits.sum(0), bottom)
    each = _ratio(2 * hits - scores * marked, np.broadcast_to(bottom, marked.shape))
    return codes.sums(each.mean(1))
