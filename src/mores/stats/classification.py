"""F1 of single-label answers, with unreadable ones counted as wrong, and its change between two ways of answering.

Labels are codes into a list of classes; a prediction of -1 could not be read: it is wrong, and no class's.

The change of macro F1: labels of each unit, counted ─▶ sums over clusters ─▶ the mean over models of macro F1 in either
way. The interval takes clusters as drawn at random; the test asks whether each cluster's answers could as well have
been given the other way round. A class that neither gold nor the answers of one way give is no part of that way's
mean, in resamples too.
"""

from collections.abc import Sequence
from math import hypot, sqrt
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from mores.core.arrays import Codes, Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import NOTHING_GRADED, Missing
from mores.core.seeds import Seed
from mores.stats.checks import confident, numbers, ratio, same_length
from mores.stats.clusters import Clusters, ClusterStandardError, ClusterWeights, clustered
from mores.stats.intervals import Interval, no_interval, refused, score_interval, t_quantile
from mores.stats.rng import generator

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
    truth, judged = _codes(gold, predicted, len(classes))
    if truth.size == 0:
        return F1(float("nan"), float("nan"))
    return F1(float(np.mean(truth == judged)), float(_f1(*_counts(truth, judged, len(classes))).mean()))


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
    predicted: Codes,
    classes: Sequence[str],
    clusters: npt.ArrayLike,
    strata: npt.ArrayLike | None = None,
    confidence: float = 0.95,
) -> F1Estimate:
    """Macro F1 and its interval at once."""
    confident(confidence)
    if truth.size == 0:
        return F1Estimate(float("nan"), no_interval(NOTHING_GRADED))
    hits, labels = _counts(truth, predicted, len(classes))
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
    error = load.spread(_influence(truth, predicted, each, labels, codes))
    worth = len(classes) ** 2 / float(np.sum(1 / seen))
    wider = codes.count / worth  # how many times more the mean over classes varies, as one has few clusters
    steady = load.steadied(error, macro * (1 - macro) * wider, min(macro, 1 - macro))
    return F1Estimate(macro, score_interval(macro, steady, worth, confidence))


def too_rare(clusters: int, name: str) -> Interval | None:
    """The interval of F1 that is not there, as gold gives a class in so few clusters; None where they are enough."""
    few = Missing(code="too_few_clusters_of_class", n=clusters, needed=_RARE, told=name)
    return no_interval(few) if clusters < _RARE else None


def _influence(truth: Codes, predicted: Codes, each: Floats, labels: Floats, codes: Clusters) -> Floats:
    """First-order share of each cluster in the error of macro F1: an answer touches the classes of its two labels."""
    per = ratio(np.ones(labels.size), labels, empty=0.0) / labels.size
    kept = np.append(each * per, 0.0)  # of a label that could not be read, -1
    moved = 2 * np.append(per, 0.0)[truth]
    moved[truth != predicted] = 0.0
    moved -= kept[truth]
    moved -= kept[predicted]
    return codes.sums(moved)


def _codes(gold: npt.ArrayLike, predicted: npt.ArrayLike, classes: int) -> tuple[Integers, Integers]:
    truth, judged = numbers(gold, "gold").astype(np.int64), numbers(predicted, "predicted").astype(np.int64)
    same_length(truth, judged, "gold and predicted")
    for name, codes, least in (("gold", truth, 0), ("predicted", judged, -1)):
        wrong = codes[(codes < least) | (codes >= classes)]
        if wrong.size:
            raise InputError(
                f"{name} has the code {wrong[0]}; expected {least} to {classes - 1} for {classes} classes."
            )
    return truth, judged


def _counts(truth: Codes, predicted: Codes, classes: int) -> tuple[Floats, Floats]:
    """Of each class the answers that are right, and labels given by gold and by prediction together."""
    text = np.bincount(predicted[predicted >= 0], minlength=classes)
    hits = np.bincount(truth[truth == predicted], minlength=classes)
    return hits.astype(np.float64), (np.bincount(truth, minlength=classes) + text).astype(np.float64)


def _f1(hits: Floats, labels: Floats) -> Floats:
    """F1 of each class; 0 where nobody gives the label."""
    return ratio(2 * hits, labels, empty=0.0)


SWAPS = 9_999
TEST = "answers swapped within clusters"
_CELLS = 2_000_000  # of swaps and clusters that are drawn at once


class F1Change(NamedTuple):
    """Macro F1 of both ways, the second less the first with its interval and tests; figures are NaN without units."""

    first: float
    second: float
    difference: float
    interval: Interval
    p: float
    p_one_sided: float


class F1SwapTest(NamedTuple):
    """Basis of a change and its test: F1 of both ways, the error of their difference, and that of each swap.

    Changes of independent parts, such as sets of items, are averaged by `over`.
    """

    first: float
    second: float
    error: ClusterStandardError
    swaps: Floats
    few: Interval | None

    @classmethod
    def over(cls, parts: list[Self]) -> Self:
        """The mean over independent parts, each counting alike."""
        size = len(parts)
        squares = np.array([each.error.se**2 for each in parts])
        rest = float(sum(square**2 / each.error.freedom for square, each in zip(squares, parts, strict=True)))
        # Satterthwaite's degrees of freedom of a sum of independent variances
        freedom = float(squares.sum()) ** 2 / rest if rest else sum(each.error.freedom for each in parts)
        return cls(
            first=float(np.mean([each.first for each in parts])),
            second=float(np.mean([each.second for each in parts])),
            error=ClusterStandardError(sqrt(float(squares.sum())) / size, freedom),
            swaps=np.mean([each.swaps for each in parts], axis=0),
            few=next((each.few for each in parts if each.few is not None), None),
        )

    def change(self, confidence: float = 0.95) -> F1Change:
        """The difference with interval, two-sided p, and p of the second way being no worse."""
        found = self.second - self.first
        half = t_quantile(self.error.freedom, confidence) * self.error.se
        interval = self.few or Interval(max(-1.0, found - half), min(1.0, found + half), "t over clusters")
        # what was seen is one of the swaps, so that p is never 0; swaps that equal it but for rounding are as extreme
        slack, drawn = 1e-12, self.swaps.size + 1
        p = (1 + int((np.abs(self.swaps) >= abs(found) - slack).sum())) / drawn
        one_sided = (1 + int((self.swaps <= found + slack).sum())) / drawn
        return F1Change(self.first, self.second, found, interval, p, one_sided)


def f1_swapped(counts: Floats, codes: Clusters, classes: tuple[str, ...], seed: Seed) -> F1SwapTest:
    """Macro F1 of both ways, averaged over models, and what becomes of it where clusters swap their answers.

    The standard error is first-order over clusters, with one more cluster taken to differ each way in the rarest class,
    as in Bonett and Price's interval: without that, hardly any difference would look like a sure one. Coverage of .95
    intervals in simulation: see tests/stats/test_f1_change.py.

    Args:
        counts: Shape (units, models, 2 ways, 3, classes): of each class whether the answer rightly gives it, whether
            gold does, and whether the answer does; zeros where a model has no answer in both ways.
        codes: The clusters of the units.
        classes: Their names.
        seed: Dice of the swaps.
    """
    sums = np.stack([codes.sums(column) for column in counts.reshape(len(counts), -1).T], axis=1)
    sums = sums.reshape(codes.count, *counts.shape[1:])
    total = sums.sum(0)
    first, second = macro_f1_of_sums(total).mean(0).tolist()
    least, few = _rarest(sums, classes)
    load = ClusterWeights.of(codes.sums(np.ones(len(counts))), codes)
    error = load.spread(_influence_on_change(sums, total))
    return F1SwapTest(
        first=first,
        second=second,
        error=error._replace(se=hypot(error.se, least)),
        swaps=_swaps(sums, total, seed),
        few=refused(load) or few,
    )


def macro_f1_of_sums(sums: Floats) -> Floats:
    """Unweighted mean of F1 over the classes that somebody gives, of sums of shape (…, 3, classes); NaN for none."""
    f1 = ratio(2 * sums[..., 0, :], sums[..., 1, :] + sums[..., 2, :])
    given = np.isfinite(f1)
    return ratio(np.where(given, f1, 0.0).sum(-1), given.sum(-1).astype(np.float64))


def _influence_on_change(sums: Floats, total: Floats) -> Floats:
    """First-order share of each cluster in the error of the difference, averaged over models."""
    hits, labels = total[..., 0, :], total[..., 1:, :].sum(-2)
    gap = 2 * sums[..., 0, :] - ratio(2 * hits, labels, empty=0.0) * sums[..., 1:, :].sum(-2)
    given = np.maximum((labels > 0).sum(-1), 1)
    each = ratio(gap, labels, empty=0.0).sum(-1) / given  # (clusters, models, ways)
    return np.asarray((each[..., 1] - each[..., 0]).mean(1))


def _rarest(sums: Floats, classes: tuple[str, ...]) -> tuple[float, Interval | None]:
    """The least standard error, by the gold class of fewest clusters, and no interval where these are too few."""
    seen = (sums[..., 1, :].max(axis=(1, 2)) > 0).sum(0)
    given = np.flatnonzero(seen)
    if not given.size:
        return 0.0, no_interval(Missing(code="nothing_graded_for_both"))
    rare = int(given[np.argmin(seen[given])])
    count = int(seen[rare])
    # two more clusters, one each way, move the mean over classes by 1 / (classes · count) each
    return sqrt(2) / (given.size * count), too_rare(count, classes[rare])


def _swaps(sums: Floats, total: Floats, seed: Seed) -> Floats:
    """The difference of the mean over models in each draw of which clusters swap their ways."""
    moved = (sums[:, :, 1] - sums[:, :, 0]).reshape(len(sums), -1)
    # clusters that come out alike both ways change nothing when they swap
    moved = moved[np.any(moved != 0, axis=1)]
    rng, shape, found = generator(seed), total[:, 0].shape, []
    # drawn in blocks: all swaps of many clusters at once would not fit into memory
    step = max(1, _CELLS // max(1, len(moved)))
    for start in range(0, SWAPS, step):
        size = min(step, SWAPS - start)
        swapped = rng.integers(0, 2, size=(size, len(moved)), dtype=np.int8).astype(np.float64)
        gone = (swapped @ moved).reshape(size, *shape)
        found.append(macro_f1_of_sums(total[:, 1] - gone).mean(1) - macro_f1_of_sums(total[:, 0] + gone).mean(1))
    return np.concatenate(found)
