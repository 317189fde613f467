"""Two rungs held against each other although judges err: the drop, and whether any judge of a given range explains it.

A judge keeps a share `sensitivity` of what is right and turns down a share `specificity` of what is wrong. From what it
said, (said - (1 - specificity)) / (sensitivity + specificity - 1) has the mean of the truth (Rogan and Gladen), norm by
norm, so that two rungs can be paired. Where the two rates are known from labels, their errors join the interval. Where
they are only known to lie in a range, the drop is looked at in every corner of it: what is claimed must hold in all.

The range is free on each rung: two rubrics, even of one judge, err in their own ways.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import hypot, nan, sqrt
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from mores.core import special
from mores.core.estimate import NOTHING_GRADED, Missing
from mores.core.seeds import Seed
from mores.stats.arrays import FloatArray
from mores.stats.clusters import Clusters, clustered
from mores.stats.intervals import BOOTSTRAP, Interval, mean_interval
from mores.stats.judge_errors import FLAWLESS, LEAST_J, JudgeErrors
from mores.stats.many_means import group_means, mean_intervals
from mores.stats.paired import Gaps, detectable
from mores.stats.sign_flips import Flipped

_STEP = 1e-5
_CONFIDENCE, _RESAMPLES = 0.95, 2000
_UNUSED = Seed("scores")
"""Intervals of shares need no draws."""
_TOLD = (0, 0)
"""The judges at the best of their ranges, or as labels tell."""
Spot = tuple[int, int]
"""A corner of the range on each of two rungs."""
_Z = 1.959963984540054  # ndtri(0.975)
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


class JudgedContrast(Struct, frozen=True, kw_only=True):
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
    units: int
    clusters: int
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_judged: float | None = None
    test: str = ""
    method: str = "none"
    missing: Missing | None = None
    minimum_detectable: float | None = None


def contrast(
    before: RungScores, after: RungScores, design: Design, *, seed: Seed, missing: Missing | None = None
) -> JudgedContrast:
    """The fall from one rung to the next, looked at in every corner of the judges' ranges.

    In each the rungs are paired norm by norm, as in `compare_paired`. What labels leave open is added to the variance,
    of the interval and of the test alike. Without norms there are no figures. Where something is `missing` for a claim,
    there is no interval and no test.

    Source:
        Rogan and Gladen (1978), American Journal of Epidemiology 107; Zou and Donner (2008), Statistics in Medicine 27,
        for adding variances to intervals that are not symmetric.
    """
    pair = _Pair.of(before, after, design)
    units, clusters = design.clusters.size, pair.codes.count
    if not units:
        none = missing or NOTHING_GRADED
        return JudgedContrast(ends=None, size=None, least=None, most=None, units=0, clusters=0, missing=none)
    fall = JudgedContrast(
        ends=(float(pair.before.means[0]), float(pair.after.means[0])),
        size=float(pair.size[_TOLD]),
        least=float(pair.size[pair.least]),
        most=float(pair.size[pair.most]),
        units=units,
        clusters=clusters,
        missing=missing,
    )
    if missing is not None:
        return fall
    told = pair.gaps(_TOLD)
    test, rule = told.test(), told.by_rule(_CONFIDENCE)
    low = pair.interval(pair.least, seed)
    high = low if pair.most == pair.least else pair.interval(pair.most, seed)
    return replace(
        fall,
        low=low.low,
        high=high.high,
        p=pair.p,
        p_judged=pair.widened(_TOLD, told, test),
        test=test.name,
        method=BOOTSTRAP if rule is None else rule.method,
        missing=None if rule is None else rule.missing,
        minimum_detectable=detectable(told.each, design.clusters, float(np.abs(told.each).max())),
    )


class Claim(NamedTuple):
    """What a fall must be: larger than `size`, with a p below `level`."""

    size: float
    level: float

    def met_by(self, least: float, p: float) -> bool:
        """True where it is so for every judge of the range, of which these are the least fall and the largest p."""
        return least > self.size and p < self.level


def holds_from(before: RungScores, after: RungScores, design: Design, claim: Claim) -> float | None:
    """The least x for which a fall holds whatever judges lie within x to 1, on both rungs and for both rates.

    To a hundredth, from .6 on. A judge below may explain the fall. None where it holds for no such judge.
    """
    low, high = round(50 * (1 + LEAST_J)), 101
    while low < high:
        middle = (low + high) // 2
        judge = JudgeErrors.within(min(middle, 100) / 100, 1.0)
        one, other = (replace(rung, judge=judge) if rung.judged else rung for rung in (before, after))
        pair = _Pair.of(one, other, design)
        low, high = (low, middle) if claim.met_by(float(pair.size[pair.least]), pair.p) else (middle + 1, high)
    return None if low > 100 else low / 100


class Scored(NamedTuple):
    """A mean score and its interval, over the judge's range; NaN, without an interval, where there are no norms."""

    value: float
    interval: Interval


def score_intervals(groups: Sequence[tuple[RungScores, Design]], weights: Literal["equal"] | None) -> list[Scored]:
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
    ends: dict[int, list[Scored]] = {}
    for (number, rung, design, corner), reach, mean, each, own in zip(
        cases, reaches, means, intervals, values, strict=True
    ):
        interval = each or mean_interval(own, design.clusters, strata=design.strata, weights=weights, seed=_UNUSED)
        ends.setdefault(number, []).append(_on_scale(rung, corner, reach, Scored(mean, interval)))
    return [_over_range(groups[number][0], scored) for number, scored in ends.items()]


def _on_scale(rung: RungScores, corner: Corner, reach: tuple[float, float], found: Scored) -> Scored:
    """A share of what can be reached as a score, its interval wider by what labels leave open."""
    least, span = reach[0], reach[1] - reach[0]
    mean, interval = least + span * found.value, found.interval
    if interval.low is None or interval.high is None:
        return Scored(mean, interval)
    low, high, error = least + span * interval.low, least + span * interval.high, _Z * sqrt(rung.wobble(corner))
    return Scored(mean, interval._replace(low=mean - hypot(mean - low, error), high=mean + hypot(high - mean, error)))


def _over_range(rung: RungScores, ends: Sequence[Scored]) -> Scored:
    """The score by the judge at its best, in an interval that holds those of all."""
    value, told = ends[0]
    held = [each for _, each in ends if each.low is not None and each.high is not None]
    if len(held) == len(ends):
        low, high = min(each.low or 0.0 for each in held), max(each.high or 0.0 for each in held)
        told = told._replace(low=_cut(rung, low), high=_cut(rung, high))
    return Scored(_cut(rung, value), told)


def _cut(rung: RungScores, score: float) -> float:
    return min(max(score, rung.least), rung.most)


class _Side(Struct, frozen=True, kw_only=True):
    """One rung in each corner of its judge's range, a row a corner; `errors` are variances that labels leave open."""

    scores: FloatArray
    means: FloatArray
    sums: FloatArray
    errors: FloatArray
    scale: tuple[float, float]

    @classmethod
    def of(cls, rung: RungScores, mass: FloatArray, codes: Clusters) -> "_Side":
        """Scores weighed by what each norm counts, their means cut to the scale, and their sums over clusters."""
        corners = list(rung.corners)
        scores = np.stack([mass * rung.by(*corner) for corner in corners])
        means = scores.mean(1) if mass.size else np.full(len(corners), nan)
        return cls(
            scores=scores,
            means=np.clip(means, rung.least, rung.most),
            sums=np.stack([codes.sums(row) for row in scores]),
            errors=np.array([rung.wobble(corner, mass) for corner in corners]),
            scale=(rung.least, rung.most),
        )


class _Pair(Struct, frozen=True, kw_only=True):
    """Two rungs in all corners of both ranges: their difference, what labels leave open, and the ratio of the test."""

    before: _Side
    after: _Side
    codes: Clusters
    size: FloatArray
    error: FloatArray
    ratio: FloatArray

    @classmethod
    def of(cls, one: RungScores, other: RungScores, design: Design) -> "_Pair":
        """All of it, in arrays of corners of the one by corners of the other."""
        mass, codes = design.mass, clustered(design.clusters, design.strata, design.clusters.size)
        before, after = _Side.of(one, mass, codes), _Side.of(other, mass, codes)
        # The mean of a cluster's differences is taken uncut, so that nothing is made sure by the ends of the scale.
        apart = (before.sums[:, None] - after.sums[None]) / max(design.clusters.size, 1)
        error = np.sqrt(before.errors[:, None] + after.errors[None])
        scale = np.sqrt((apart**2).sum(-1) + error**2)
        ratio = np.divide(apart.sum(-1), scale, out=np.zeros_like(scale), where=scale > 0)
        size = before.means[:, None] - after.means[None]
        return cls(before=before, after=after, codes=codes, size=size, error=error, ratio=ratio)

    @property
    def least(self) -> Spot:
        """Where the fall is least."""
        return self._spot(self.size, np.argmin)

    @property
    def most(self) -> Spot:
        """Where it is largest."""
        return self._spot(self.size, np.argmax)

    @property
    def p(self) -> float:
        """The largest two-sided p, 1 where the range reaches from a fall to a rise."""
        least, most = self.ratio.min(), self.ratio.max()
        if least <= 0 <= most and least < most:
            return 1.0
        worst = self._spot(self.ratio, np.argmin if self.size[_TOLD] >= 0 else np.argmax)
        gaps = self.gaps(worst)
        return self.widened(worst, gaps, gaps.test())

    def gaps(self, spot: Spot) -> Gaps:
        """The norms' differences in one pair of corners."""
        return Gaps.of(self.before.scores[spot[0]], self.after.scores[spot[1]], self.codes)

    @staticmethod
    def _spot(figures: FloatArray, pick: Callable[[FloatArray], np.intp]) -> Spot:
        row, column = divmod(int(pick(figures)), figures.shape[1])
        return row, column

    def interval(self, spot: Spot, seed: Seed) -> Interval:
        """The interval there, wider by what labels leave open."""
        gaps = self.gaps(spot)
        found = gaps.by_rule(_CONFIDENCE) or gaps.drawn(_CONFIDENCE, _RESAMPLES, seed)
        if found.low is None or found.high is None:
            return found
        size, reach = float(gaps.each.mean()), _Z * float(self.error[spot])
        low, high = size - hypot(size - found.low, reach), size + hypot(found.high - size, reach)
        ends = self.before.scale[0] - self.after.scale[1], self.before.scale[1] - self.after.scale[0]
        return Interval(min(max(low, ends[0]), ends[1]), min(max(high, ends[0]), ends[1]), found.method)

    def widened(self, spot: Spot, gaps: Gaps, found: Flipped) -> float:
        """A two-sided p with the error of labels added: as far as its own z says that the difference is from none."""
        error = float(self.error[spot])
        if error == 0 or not 0 < found.p < 1:
            return found.p
        z, difference = -float(special.ndtri(found.p / 2)), float(gaps.each.mean())
        return 2 * float(special.ndtr(-abs(difference) / hypot(difference / z, error)))
