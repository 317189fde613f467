"""Two rungs held against each other although judges err: the drop, and whether any judge of a given range explains it.

A judge keeps a share `sensitivity` of what is right and turns down a share `specificity` of what is wrong. From what it
said, (said - (1 - specificity)) / (sensitivity + specificity - 1) has the mean of the truth (Rogan and Gladen), norm by
norm, so that two rungs can be paired. Where the two rates are known from labels, their errors join the interval. Where
they are only known to lie in a range, the drop is looked at in every corner of it: what is claimed must hold in all.

The range is free on each rung: two rubrics, even of one judge, err in their own ways.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import hypot, nan, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mores.core import special
from mores.core.estimate import NOTHING_GRADED, Missing
from mores.core.seeds import Seed
from mores.stats.arrays import FloatArray, sums_by
from mores.stats.intervals import Interval, Weights, mean_interval, no_interval, stratified_mean
from mores.stats.judge_errors import FLAWLESS, LEAST_J, JudgeErrors
from mores.stats.paired import Paired, compare_paired, detectable

_STEP = 1e-5
_RESAMPLES = 2000
_TOLD = (0, 0)
"""The judges at the best of their ranges, or as labels tell."""
Spot = tuple[int, int]
"""A corner of the range on each of two rungs."""
_Z = 1.959963984540054  # ndtri(0.975)
Corner = tuple[float, float]
"""A sensitivity and a specificity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RungScores:
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

    def wobble(self, at: Corner, weights: FloatArray) -> float:
        """Variance of the mean score from the labels that the rates rest on, to first order."""
        total = 0.0
        for number, rate in enumerate(self.judge.rates):
            if rate.variance and weights.size:
                up, down = ([*at], [*at])
                up[number] += _STEP
                down[number] -= _STEP
                slope = float(np.mean(weights * (self.by(*up) - self.by(*down)))) / (2 * _STEP)
                total += slope**2 * rate.variance
        return total


_LEAST = 1e-9
"""The least divisor: in a corner where a chain of verdicts tells nothing, any score is possible."""


class Design(NamedTuple):
    """How norms were drawn: their clusters and strata, and what each counts; all alike without `weights`."""

    clusters: npt.NDArray[np.generic]
    strata: npt.NDArray[np.generic]
    weights: FloatArray | None = None

    def at(self, mask: npt.NDArray[np.bool_]) -> "Design":
        """Some of the norms."""
        return Design(self.clusters[mask], self.strata[mask], None if self.weights is None else self.weights[mask])

    @property
    def mass(self) -> FloatArray:
        """What each counts, 1 on average."""
        if self.weights is None or not self.weights.size:
            return np.ones(self.clusters.size)
        return np.asarray(self.weights / self.weights.mean())


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedContrast:
    """How far scores fall from one rung to the next, over norms on both; below 0 where they rise.

    `ends` are the two means and `size` their difference with the judge at the best of its range, or as labels tell;
    `least` and `most` are what it would be within the range. `low` and `high` hold the 95 % intervals of all of these.
    `p` is two-sided and the largest within the range, 1 where the range reaches from a fall to a rise; `p_judged` takes
    the judge at its word. `missing` says why there is no interval, and no claim where there is no p either.
    `minimum_detectable` is the least fall that would be found with power .8 at level .05 before any correction, were
    the judge right; None where no norm differs.
    """

    ends: tuple[float, float] | None
    size: float | None
    least: float | None
    most: float | None
    low: float | None
    high: float | None
    p: float | None
    p_judged: float | None
    test: str
    method: str
    missing: Missing | None
    units: int
    clusters: int
    minimum_detectable: float | None

    def unclaimed(self, missing: Missing) -> "JudgedContrast":
        """The same fall without an interval or a test, and why."""
        return replace(
            self, low=None, high=None, p=None, p_judged=None, test="", method="none", missing=missing,
            minimum_detectable=None,
        )  # fmt: skip

    def unpaired(self, missing: Missing) -> "JudgedContrast":
        """No figure at all, and why norms must not be held against each other; how many they are is still known."""
        return replace(self.unclaimed(missing), ends=None, size=None, least=None, most=None)


def contrast(before: RungScores, after: RungScores, design: Design, *, seed: Seed) -> JudgedContrast:
    """The fall from one rung to the next, looked at in every corner of the judges' ranges.

    In each the rungs are paired norm by norm, as in `compare_paired`. What labels leave open is added to the variance,
    of the interval and of the test alike. Without norms there are no figures.

    Source:
        Rogan and Gladen (1978), American Journal of Epidemiology 107; Zou and Donner (2008), Statistics in Medicine 27,
        for adding variances to intervals that are not symmetric.
    """
    pair = _Pair.of(before, after, design)
    least, most = pair.spot(pair.size, np.argmin), pair.spot(pair.size, np.argmax)
    falls = pair.size[_TOLD] >= 0
    worst = pair.spot(pair.ratio, np.argmin if falls else np.argmax)
    straddles = bool(pair.ratio.min() <= 0 <= pair.ratio.max()) and pair.ratio.min() < pair.ratio.max()
    found = {spot: pair.compare(spot, seed) for spot in {_TOLD, least, most, *(() if straddles else (worst,))}}
    told, gaps = found[_TOLD], pair.gaps(_TOLD)
    fall = JudgedContrast(
        ends=(float(pair.before.means[0]), float(pair.after.means[0])),
        size=float(pair.size[_TOLD]),
        least=float(pair.size[least]),
        most=float(pair.size[most]),
        low=pair.interval(least, found[least]).low,
        high=pair.interval(most, found[most]).high,
        p=1.0 if straddles else pair.widened(worst, found[worst]),
        p_judged=pair.widened(_TOLD, told),
        test=told.test,
        method=told.method,
        missing=told.missing,
        units=told.units,
        clusters=told.clusters,
        minimum_detectable=detectable(gaps, design.clusters, float(np.abs(gaps).max(initial=0.0))),
    )
    return fall if fall.units else fall.unpaired(NOTHING_GRADED)


class Claim(NamedTuple):
    """What a fall must be: larger than `size`, with a p below `level`."""

    size: float
    level: float

    def met_by(self, found: JudgedContrast) -> bool:
        """True where it is so for every judge of the range."""
        return (found.least or 0.0) > self.size and found.p is not None and found.p < self.level


def holds_from(before: RungScores, after: RungScores, design: Design, claim: Claim, *, seed: Seed) -> float | None:
    """The least x for which a fall holds whatever judges lie within x to 1, on both rungs and for both rates.

    To a hundredth, from .6 on. A judge below may explain the fall. None where it holds for no such judge.
    """
    low, high = round(50 * (1 + LEAST_J)), 101
    while low < high:
        middle = (low + high) // 2
        judge = JudgeErrors.within(min(middle, 100) / 100, 1.0)
        one, other = (replace(rung, judge=judge) if rung.judged else rung for rung in (before, after))
        found = contrast(one, other, design, seed=seed)
        low, high = (low, middle) if claim.met_by(found) else (middle + 1, high)
    return None if low > 100 else low / 100


def score_interval(rung: RungScores, design: Design, *, weights: Weights, seed: Seed) -> tuple[float, Interval]:
    """The mean score over strata, weighed as `mean_interval` weighs them, and its interval over the judge's range.

    Cut to the scale's ends. NaN, without an interval, where there are no norms.
    """
    if not rung.said.size:
        return nan, no_interval(NOTHING_GRADED)
    # A judge that is poor in both rates lies between the two that are poor in one, or beyond the scale's ends.
    ends = [_at(rung, corner, design, weights, seed) for corner in list(rung.corners)[:3]]
    held = [each for _, each in ends if each.low is not None and each.high is not None]
    told = ends[0][1]
    if len(held) < len(ends):
        return _cut(rung, ends[0][0]), told
    low, high = min(each.low or 0.0 for each in held), max(each.high or 0.0 for each in held)
    return _cut(rung, ends[0][0]), told._replace(low=_cut(rung, low), high=_cut(rung, high))


def _at(rung: RungScores, corner: Corner, design: Design, weights: Weights, seed: Seed) -> tuple[float, Interval]:
    least, most = rung.reach(*corner)
    values = np.clip((rung.by(*corner) - least) / (most - least), 0, 1)
    found = mean_interval(values, design.clusters, strata=design.strata, weights=weights, seed=seed)
    mean = least + (most - least) * stratified_mean(values, design.strata, weights)
    if found.low is None or found.high is None:
        return mean, found
    low, high = (least + (most - least) * end for end in (found.low, found.high))
    error = sqrt(rung.wobble(corner, np.ones(values.size)))
    return mean, found._replace(low=mean - hypot(mean - low, _Z * error), high=mean + hypot(high - mean, _Z * error))


def _cut(rung: RungScores, score: float) -> float:
    return min(max(score, rung.least), rung.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """One rung in each corner of its judge's range, a row a corner; `errors` are variances that labels leave open."""

    scores: FloatArray
    means: FloatArray
    sums: FloatArray
    errors: FloatArray
    scale: tuple[float, float]

    @classmethod
    def of(cls, rung: RungScores, design: Design) -> "_Side":
        """Scores weighed by what each norm counts, their means cut to the scale, and their sums over clusters."""
        mass, corners = design.mass, list(rung.corners)
        codes = np.unique(design.clusters, return_inverse=True)[1]
        scores = np.stack([mass * rung.by(*corner) for corner in corners])
        means = scores.mean(1) if codes.size else np.full(len(corners), nan)
        return cls(
            scores=scores,
            means=np.clip(means, rung.least, rung.most),
            sums=np.stack([sums_by(codes, row) for row in scores]),
            errors=np.array([rung.wobble(corner, mass) for corner in corners]),
            scale=(rung.least, rung.most),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Two rungs in all corners of both ranges: their difference, what labels leave open, and the ratio of the test."""

    before: _Side
    after: _Side
    design: Design
    size: FloatArray
    error: FloatArray
    ratio: FloatArray

    @classmethod
    def of(cls, one: RungScores, other: RungScores, design: Design) -> "_Pair":
        """All of it, in arrays of corners of the one by corners of the other."""
        before, after = _Side.of(one, design), _Side.of(other, design)
        # The mean of a cluster's differences is taken uncut, so that nothing is made sure by the ends of the scale.
        apart = (before.sums[:, None] - after.sums[None]) / max(design.clusters.size, 1)
        error = np.sqrt(before.errors[:, None] + after.errors[None])
        scale = np.sqrt((apart**2).sum(-1) + error**2)
        ratio = np.divide(apart.sum(-1), scale, out=np.zeros_like(scale), where=scale > 0)
        size = before.means[:, None] - after.means[None]
        return cls(before=before, after=after, design=design, size=size, error=error, ratio=ratio)

    def gaps(self, spot: Spot) -> FloatArray:
        """The norms' differences in one pair of corners."""
        return np.asarray(self.before.scores[spot[0]] - self.after.scores[spot[1]])

    @staticmethod
    def spot(figures: FloatArray, pick: Callable[[FloatArray], np.intp]) -> Spot:
        """The pair of corners with the least or the greatest figure."""
        row, column = divmod(int(pick(figures)), figures.shape[1])
        return row, column

    def compare(self, spot: Spot, seed: Seed) -> Paired:
        """The rungs paired in one pair of corners."""
        a, b = self.before.scores[spot[0]], self.after.scores[spot[1]]
        where = self.design
        return compare_paired(a, b, where.clusters, strata=where.strata, resamples=_RESAMPLES, seed=seed)

    def interval(self, spot: Spot, found: Paired) -> Interval:
        """The interval there, wider by what labels leave open."""
        if found.low is None or found.high is None:
            return no_interval(found.missing or NOTHING_GRADED)
        size, reach = found.difference, _Z * float(self.error[spot])
        low, high = size - hypot(size - found.low, reach), size + hypot(found.high - size, reach)
        ends = self.before.scale[0] - self.after.scale[1], self.before.scale[1] - self.after.scale[0]
        return Interval(min(max(low, ends[0]), ends[1]), min(max(high, ends[0]), ends[1]), found.method)

    def widened(self, spot: Spot, found: Paired) -> float:
        """A two-sided p with the error of labels added: as far as its own z says that the difference is from none."""
        error = float(self.error[spot])
        if error == 0 or not 0 < found.p < 1:
            return found.p
        z = -float(special.ndtri(found.p / 2))
        return 2 * float(special.ndtr(-abs(found.difference) / hypot(found.difference / z, error)))
