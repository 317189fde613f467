"""Macro F1 of answers given in two ways: by how much the second lies above the first, how sure that is, and a test.

labels of each unit, counted ─▶ sums over clusters ─▶ the mean over models of macro F1 in either way. The interval takes
clusters as drawn at random; the test asks whether each cluster's answers could as well have been given the other way
round. A class that neither gold nor the answers of one way give is no part of that way's mean, in resamples too.
"""

from math import hypot, sqrt
from typing import NamedTuple, Self

import numpy as np

from mores.core.estimate import Missing
from mores.core.seeds import Seed
from mores.stats.checks import FloatArray, ratio
from mores.stats.classification import too_rare
from mores.stats.clusters import Clusters, ClusterStandardError, ClusterWeights
from mores.stats.intervals import Interval, no_interval, refused, t_quantile
from mores.stats.rng import generator

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
    p_worse: float


class F1SwapTest(NamedTuple):
    """What a change and its test rest on: F1 of both ways, the error of their difference, and that of each swap.

    Changes of independent parts, such as sets of items, are averaged by `over`.
    """

    first: float
    second: float
    error: ClusterStandardError
    swaps: FloatArray
    few: Interval | None

    @classmethod
    def over(cls, parts: "list[Self]") -> Self:
        """The mean over independent parts, each counting alike."""
        size = len(parts)
        squares = np.array([each.error.se**2 for each in parts])
        rest = float(sum(square**2 / each.error.freedom for square, each in zip(squares, parts, strict=True)))
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
        slack, drawn = 1e-12, self.swaps.size + 1
        p = (1 + int((np.abs(self.swaps) >= abs(found) - slack).sum())) / drawn
        worse = (1 + int((self.swaps <= found + slack).sum())) / drawn
        return F1Change(self.first, self.second, found, interval, p, worse)


def f1_swapped(counts: FloatArray, codes: Clusters, classes: tuple[str, ...], seed: Seed) -> F1SwapTest:
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
    first, second = macro_f1(total).mean(0).tolist()
    least, few = _rarest(sums, classes)
    load = ClusterWeights.of(codes.sums(np.ones(len(counts))), codes)
    error = load.spread(_influence(sums, total))
    return F1SwapTest(
        first=first,
        second=second,
        error=error._replace(se=hypot(error.se, least)),
        swaps=_swaps(sums, total, seed),
        few=refused(load) or few,
    )


def macro_f1(sums: FloatArray) -> FloatArray:
    """Unweighted mean of F1 over the classes that somebody gives, of sums of shape (…, 3, classes); NaN for none."""
    f1 = ratio(2 * sums[..., 0, :], sums[..., 1, :] + sums[..., 2, :])
    given = np.isfinite(f1)
    return ratio(np.where(given, f1, 0.0).sum(-1), given.sum(-1).astype(np.float64))


def _influence(sums: FloatArray, total: FloatArray) -> FloatArray:
    """First-order share of each cluster in the error of the difference, averaged over models."""
    hits, labels = total[..., 0, :], total[..., 1:, :].sum(-2)
    gap = 2 * sums[..., 0, :] - ratio(2 * hits, labels, empty=0.0) * sums[..., 1:, :].sum(-2)
    given = np.maximum((labels > 0).sum(-1), 1)
    each = ratio(gap, labels, empty=0.0).sum(-1) / given  # (clusters, models, ways)
    return np.asarray((each[..., 1] - each[..., 0]).mean(1))


def _rarest(sums: FloatArray, classes: tuple[str, ...]) -> tuple[float, Interval | None]:
    """The least standard error, by the gold class of fewest clusters, and no interval where these are too few."""
    seen = (sums[..., 1, :].max(axis=(1, 2)) > 0).sum(0)
    given = np.flatnonzero(seen)
    if not given.size:
        return 0.0, no_interval(Missing(code="nothing_graded_for_both"))
    rare = int(given[np.argmin(seen[given])])
    count = int(seen[rare])
    return sqrt(2) / (given.size * count), too_rare(count, classes[rare])


def _swaps(sums: FloatArray, total: FloatArray, seed: Seed) -> FloatArray:
    """The difference of the mean over models in each draw of which clusters swap their ways."""
    moved = (sums[:, :, 1] - sums[:, :, 0]).reshape(len(sums), -1)
    moved = moved[np.any(moved != 0, axis=1)]
    rng, shape, found = generator(seed), total[:, 0].shape, []
    step = max(1, _CELLS // max(1, len(moved)))
    for start in range(0, SWAPS, step):
        size = min(step, SWAPS - start)
        swapped = rng.integers(0, 2, size=(size, len(moved)), dtype=np.int8).astype(np.float64)
        gone = (swapped @ moved).reshape(size, *shape)
        found.append(macro_f1(total[:, 1] - gone).mean(1) - macro_f1(total[:, 0] + gone).mean(1))
    return np.concatenate(found)
