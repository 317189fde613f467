"""Norms on one rung of which a judge's errors are known, or lie in a range: their scores, and the means of groups.

A judge keeps a share `sensitivity` of what is right and turns down a share `specificity` of what is wrong. From what it
said, (said - (1 - specificity)) / (sensitivity + specificity - 1) has the mean of the truth (Rogan and Gladen), norm by
norm. What is told of a mean holds in every corner of the range.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from math import hypot, sqrt
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from mores.core.seeds import Seed
from mores.stats.checks import FloatArray
from mores.stats.group_means import group_means, mean_intervals
from mores.stats.intervals import Interval, mean_interval
from mores.stats.judge_errors import FLAWLESS, JudgeErrors

REACH = 1.959963984540054  # ndtri(0.975)
_STEP = 1e-5
_UNUSED = Seed("scores")
"""Intervals of shares need no draws."""
Corner = tuple[float, float]
"""A sensitivity and a specificity."""


class RungScores(Struct, frozen=True, kw_only=True):
    """Norms on one rung, an entry a norm.

    `said` is the share of a norm's answers that a judge let pass, of `seen` that it was shown at all (what the answer
    itself decides is not). Without a judge `said` is the score itself, from `least` to `most`. `verdicts` counts the
    judge's verdicts that must all be right for one that is right to pass: more than one for a day.
    """

    said: FloatArray
    seen: FloatArray
    verdicts: FloatArray
    judge: JudgeErrors = FLAWLESS
    least: float = 0.0
    most: float = 1.0

    def at(self, mask: npt.NDArray[np.bool_]) -> "RungScores":
        """Some of the norms."""
        return replace(self, said=self.said[mask], seen=self.seen[mask], verdicts=self.verdicts[mask])

    def by(self, sensitivity: float, specificity: float) -> FloatArray:
        """The score of each norm, were these the judge's rates."""
        return self._of(self.said, sensitivity, specificity)

    def reach(self, sensitivity: float, specificity: float) -> tuple[float, float]:
        """The least and the most that a norm could score so."""
        if not self.judged:
            return self.least, self.most
        low, high = (self._of(end * self.seen, sensitivity, specificity) for end in (0.0, 1.0))
        return float(low.min()), float(high.max())

    def _of(self, said: FloatArray, sensitivity: float, specificity: float) -> FloatArray:
        wrong = 1 - specificity
        # A chain of verdicts lets pass what is wrong no more often than one verdict does.
        return np.asarray((said - wrong * self.seen) / np.maximum(sensitivity**self.verdicts - wrong, _LEAST))

    @property
    def judged(self) -> bool:
        """True where a judge had a part in it."""
        return bool(self.seen.any())

    @property
    def corners(self) -> Iterator[Corner]:
        """The corners of the judge's range."""
        one, other = self.judge.rates
        yield from dict.fromkeys(product((one.high, one.low), (other.high, other.low)))

    def wobble(self, at: Corner, weights: FloatArray | float = 1.0) -> float:
        """Variance of the mean score from the labels that the rates rest on, to first order."""
        total = 0.0
        for number, rate in enumerate(self.judge.rates):
            if rate.variance and self.said.size:
                up, down = ([*at], [*at])
                up[number] += _STEP
                down[number] -= _STEP
                slope = float(np.mean(weights * (self.by(*up) - self.by(*down)))) / (2 * _STEP)
                total += slope**2 * rate.variance
        return total


_LEAST = 1e-9
"""The least divisor: in a corner where a chain of verdicts tells nothing, any score is possible."""


class NormDesign(NamedTuple):
    """How norms were drawn: their clusters and strata, and what each counts; all alike without `weights`."""

    clusters: npt.NDArray[np.generic]
    strata: npt.NDArray[np.generic]
    weights: FloatArray | None = None

    def at(self, mask: npt.NDArray[np.bool_]) -> "NormDesign":
        """Some of the norms."""
        return NormDesign(self.clusters[mask], self.strata[mask], None if self.weights is None else self.weights[mask])

    @property
    def mass(self) -> FloatArray:
        """What each counts, 1 on average."""
        if self.weights is None or not self.weights.size:
            return np.ones(self.clusters.size)
        return np.asarray(self.weights / self.weights.mean())


class RungMean(NamedTuple):
    """A mean score and its interval, over the judge's range; NaN, without an interval, where there are no norms."""

    value: float
    interval: Interval


def score_intervals(
    groups: Sequence[tuple[RungScores, NormDesign]], weights: Literal["equal"] | None
) -> list[RungMean]:
    """The mean score of each group of norms over its strata, weighed as `mean_interval` does, cut to the scale's ends.

    Clusters and strata are codes. Groups are reckoned together, as they are many and small.
    """
    # A judge that is poor in both rates lies between the two that are poor in one, or beyond the scale's ends.
    cases = [(n, *each, corner) for n, each in enumerate(groups) for corner in list(each[0].corners)[:3]]
    reaches = [rung.reach(*corner) for _, rung, _, corner in cases]
    ranges = zip(cases, reaches, strict=True)
    values = [np.clip((rung.by(*at) - low) / (high - low), 0, 1) for (_, rung, _, at), (low, high) in ranges]
    told, of = np.concatenate(values), np.repeat(np.arange(len(cases)), [each.size for each in values])
    clusters, strata = (np.concatenate([design[column] for *_, design, _ in cases]) for column in (0, 1))
    means = group_means(told, of, len(cases), strata=strata, weights=weights).tolist()
    intervals = mean_intervals(told, clusters, of, len(cases), strata=strata, weights=weights)
    ends: dict[int, list[RungMean]] = {}
    for (number, rung, design, corner), reach, mean, each, own in zip(
        cases, reaches, means, intervals, values, strict=True
    ):
        interval = each or mean_interval(own, design.clusters, strata=design.strata, weights=weights, seed=_UNUSED)
        ends.setdefault(number, []).append(_on_scale(rung, corner, reach, RungMean(mean, interval)))
    return [_over_range(groups[number][0], scored) for number, scored in ends.items()]


def _on_scale(rung: RungScores, corner: Corner, reach: tuple[float, float], found: RungMean) -> RungMean:
    """A share of what can be reached as a score, its interval wider by what labels leave open."""
    least, span = reach[0], reach[1] - reach[0]
    mean, interval = least + span * found.value, found.interval
    if interval.low is None or interval.high is None:
        return RungMean(mean, interval)
    low, high, error = least + span * interval.low, least + span * interval.high, REACH * sqrt(rung.wobble(corner))
    return RungMean(mean, interval._replace(low=mean - hypot(mean - low, error), high=mean + hypot(high - mean, error)))


def _over_range(rung: RungScores, ends: Sequence[RungMean]) -> RungMean:
    """The score by the judge at its best, in an interval that holds those of all."""
    value, told = ends[0]
    held = [each for _, each in ends if each.low is not None and each.high is not None]
    if len(held) == len(ends):
        low, high = min(each.low or 0.0 for each in held), max(each.high or 0.0 for each in held)
        told = told._replace(low=_cut(rung, low), high=_cut(rung, high))
    return RungMean(_cut(rung, value), told)


def _cut(rung: RungScores, score: float) -> float:
    return min(max(score, rung.least), rung.most)
