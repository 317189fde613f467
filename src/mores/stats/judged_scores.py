"""Scores of norms on rungs of which a judge's errors are known, or lie in a range: means of groups, and falls.

A judge keeps a share `sensitivity` of what is right and turns down a share `specificity` of what is wrong. Of what it
let pass, (passed - (1 - specificity)) / (sensitivity + specificity - 1) has the mean of the truth (Rogan and Gladen),
norm by norm, so that two rungs can be paired. Two kinds of doubt stand apart. A figure is that of the judge at the
centre of what is known of it, in an interval of sampling alone, which labels' errors join where the rates are known
from labels. What the figure would be for every judge of a stated range is its band.

A claim must hold in every corner of the range, which is free on each rung: two rubrics, even of one judge, err in their
own ways. `support` says for which share of a prior it holds, where one judge has one pair of rates on all its rungs.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import product
from math import hypot, nan, sqrt
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field
from msgspec.structs import replace
from scipy import special

from mores.core.arrays import Floats
from mores.core.estimate import NOTHING_GRADED, Missing
from mores.core.seeds import Seed
from mores.stats.clusters import Clusters, clustered
from mores.stats.group_means import group_means, mean_intervals
from mores.stats.intervals import BOOTSTRAP, Interval, mean_interval
from mores.stats.paired import UnitDifferences
from mores.stats.ranks import SignFlipTest
from mores.stats.rogan_gladen import FLAWLESS, JudgeErrors

REACH = 1.959963984540054  # ndtri(0.975)
_STEP = 1e-5
_UNUSED = Seed("scores")
"""Intervals of shares need no draws."""
WIDEST = 0.5
"""The widest band of a judge, as a part of the scale from 0 to 1, in which its centre says anything."""
Corner = tuple[float, float]
"""A sensitivity and a specificity."""


class RungScores(Struct, frozen=True, kw_only=True):
    """Norms on one rung, an entry a norm.

    `passed` is the share of a norm's answers that a judge let pass, of `seen` that it was shown at all (what the answer
    itself decides is not). Without a judge `passed` is the score itself, from `least` to `most`. `verdicts` counts the
    judge's verdicts that must all be right for one that is right to pass: more than one for a day.
    """

    passed: Floats
    seen: Floats
    verdicts: Floats
    judge: JudgeErrors = FLAWLESS
    least: float = 0.0
    most: float = 1.0

    def at(self, mask: npt.NDArray[np.bool_]) -> "RungScores":
        """Some of the norms."""
        return replace(self, passed=self.passed[mask], seen=self.seen[mask], verdicts=self.verdicts[mask])

    def by(self, sensitivity: float, specificity: float) -> Floats:
        """The score of each norm, were these the judge's rates."""
        return self._of(self.passed, sensitivity, specificity)

    def reach(self, sensitivity: float, specificity: float) -> tuple[float, float]:
        """The least and the most that a norm could score so."""
        if not self.judged:
            return self.least, self.most
        low, high = (self._of(end * self.seen, sensitivity, specificity) for end in (0.0, 1.0))
        return float(low.min()), float(high.max())

    def _of(self, passed: Floats, sensitivity: float, specificity: float) -> Floats:
        wrong = 1 - specificity
        # A chain of verdicts lets pass what is wrong no more often than one verdict does.
        return np.asarray((passed - wrong * self.seen) / np.maximum(sensitivity**self.verdicts - wrong, _LEAST))

    @property
    def judged(self) -> bool:
        """True where a judge had a part in it."""
        return bool(self.seen.any())

    @property
    def corners(self) -> Iterator[Corner]:
        """The corners of the judge's range, the best first, and its centre last; they meet where labels tell it."""
        one, other = self.judge.rates
        yield from dict.fromkeys((*product((one.high, one.low), (other.high, other.low)), self.possible))

    @property
    def opposite(self) -> tuple[Corner, Corner]:
        """The corners in which scores are least and greatest."""
        one, other = self.judge.rates
        return (one.high, other.low), (one.low, other.high)

    @property
    def possible(self) -> Corner:
        """The centre of what is known of the judge, as far as it goes with what it let pass.

        No judge lets pass more than its sensitivity, had all been kept, nor less than it lets pass of what is not: a
        figure beyond an end of the scale is that of the judge who puts it at that end.
        """
        se, sp = self.judge.centre
        # of a day all verdicts must pass, and it may pass less often than any of them
        if not self.judged or self.verdicts.max() > 1:
            return se, sp
        share = float(self.passed.sum() / self.seen.sum())
        return max(se, share), max(sp, 1 - share)

    @property
    def unbounded(self) -> bool:
        """True where the judge's range leaves the mean open over more than half of the scale: no point is honest."""
        if not self.judged or not self.passed.size:
            return False
        low, high = (float(np.clip(self.by(*at).mean(), self.least, self.most)) for at in self.opposite)
        return high - low > WIDEST

    def wobble(self, at: Corner, weights: Floats | float = 1.0) -> float:
        """Variance of the mean score from the labels that the rates rest on, to first order."""
        slopes = zip(self.slopes(at, weights), self.judge.rates, strict=True)
        return sum(slope**2 * rate.variance for slope, rate in slopes)

    def slopes(self, at: Corner, weights: Floats | float = 1.0) -> tuple[float, ...]:
        """Change of the mean score with each rate that labels leave open; 0 for a rate that they do not."""
        found = []
        for number, rate in enumerate(self.judge.rates):
            up, down = ([*at], [*at])
            up[number] += _STEP
            down[number] -= _STEP
            moved = rate.variance and self.passed.size
            found.append(float(np.mean(weights * (self.by(*up) - self.by(*down)))) / (2 * _STEP) if moved else 0.0)
        return tuple(found)


_LEAST = 1e-9
"""The least divisor: in a corner where a chain of verdicts tells nothing, any score is possible."""


class NormDesign(NamedTuple):
    """Design of a draw of norms: their clusters, strata and weights; all alike without `weights`."""

    clusters: npt.NDArray[np.generic]
    strata: npt.NDArray[np.generic]
    weights: Floats | None = None

    def at(self, mask: npt.NDArray[np.bool_]) -> "NormDesign":
        """Some of the norms."""
        return NormDesign(self.clusters[mask], self.strata[mask], None if self.weights is None else self.weights[mask])

    @property
    def mass(self) -> Floats:
        """Weight of each, 1 on average."""
        if self.weights is None or not self.weights.size:
            return np.ones(self.clusters.size)
        return np.asarray(self.weights / self.weights.mean())


class RungMean(NamedTuple):
    """A mean score at the centre of what is known of the judge, with its sampling interval, and over the judge's range.

    `least` and `most` are the mean for the judges of the range that make least and most of it. NaN, without an
    interval, where there are no norms.
    """

    value: float
    interval: Interval
    least: float
    most: float


def score_intervals(
    groups: Sequence[tuple[RungScores, NormDesign]], weights: Literal["equal"] | None
) -> list[RungMean]:
    """The mean score of each group of norms over its strata, weighed as `mean_interval` does, cut to the scale's ends.

    Clusters and strata are codes. Groups are reckoned together, as they are many and small.
    """
    # The centre of each judge for the figure, then the two corners that bound it.
    cases = [(rung, design, at) for rung, design in groups for at in (rung.possible, *rung.opposite)]
    scores = [rung.by(*at) for rung, _, at in cases]
    own = np.concatenate(scores)
    of = np.repeat(np.arange(len(cases)), [each.size for each in scores])
    strata = np.concatenate([design.strata for _, design, _ in cases])
    means = group_means(own, of, len(cases), strata=strata, weights=weights).tolist()
    intervals = _at_centres(groups, weights)
    found = zip(groups, zip(*[iter(means)] * 3, strict=True), intervals, strict=True)
    return [RungMean(*_cut(rung, interval, *of_group)) for (rung, _), of_group, interval in found]


def _cut(
    rung: RungScores, interval: Interval, value: float, least: float, most: float
) -> tuple[float, Interval, float, float]:
    """All of it within the ends of the scale."""
    value, least, most = (min(max(score, rung.least), rung.most) for score in (value, least, most))
    if interval.low is not None and interval.high is not None:
        low, high = (min(max(end, rung.least), rung.most) for end in (interval.low, interval.high))
        interval = interval._replace(low=low, high=high)
    return value, interval, least, most


def _at_centres(groups: Sequence[tuple[RungScores, NormDesign]], weights: Literal["equal"] | None) -> list[Interval]:
    """The sampling interval of each group for the judge at its centre, wider by what labels leave open."""
    judges = [rung.possible for rung, _ in groups]
    cases = list(zip(groups, judges, strict=True))
    reaches = [rung.reach(*at) if rung.passed.size else (0.0, 1.0) for (rung, _), at in cases]
    # As shares of what can be reached: intervals of shares are those of the truth only between its ends.
    values = [
        np.clip((rung.by(*at) - low) / (high - low), 0, 1)
        for ((rung, _), at), (low, high) in zip(cases, reaches, strict=True)
    ]
    text, of = np.concatenate(values), np.repeat(np.arange(len(groups)), [each.size for each in values])
    clusters, strata = (np.concatenate([design[column] for _, design in groups]) for column in (0, 1))
    means = group_means(text, of, len(groups), strata=strata, weights=weights).tolist()
    shares = mean_intervals(text, clusters, of, len(groups), strata=strata, weights=weights)
    found = []
    for ((rung, design), at), reach, mean, each, own in zip(cases, reaches, means, shares, values, strict=True):
        interval = each or mean_interval(own, design.clusters, strata=design.strata, weights=weights, seed=_UNUSED)
        found.append(_on_scale(reach, mean, interval, REACH * sqrt(rung.wobble(at))))
    return found


def _on_scale(reach: tuple[float, float], share: float, interval: Interval, error: float) -> Interval:
    """An interval of a share of what can be reached as one of the score, wider by an error of the labels."""
    if interval.low is None or interval.high is None:
        return interval
    least, span = reach[0], reach[1] - reach[0]
    low, high = span * (share - interval.low), span * (interval.high - share)
    # errors of the draw and of the labels are independent: they add as squares, on each side
    mean = least + span * share
    return interval._replace(low=mean - hypot(low, error), high=mean + hypot(high, error))


_CONFIDENCE, _RESAMPLES = 0.95, 2000
_BEST_CORNER = (0, 0)
"""The judges at the best of their ranges, or as labels tell."""
_CENTRE = (-1, -1)
"""The judges at the centres of what is known of them."""
GridIndex = tuple[int, int]
"""A corner of the range on each of two rungs."""


class JudgedContrast(Struct, frozen=True, kw_only=True):
    """Fall of scores from one rung to the next, over norms on both; below 0 where they rise.

    `ends` are the two means and `size` their difference for judges at the centre of what is known of them, `low` and
    `high` its 95 % interval of sampling alone, to which labels' errors belong. `least` and `most` are what the fall
    would be within the range. `p` is two-sided and the largest within the range, 1 where the range reaches from a fall
    to a rise; `size_judged` and `p_judged` take the judge at its word. `missing` says why there is no interval, and no
    claim where there is no p either. `minimum_detectable` and `undetectable` are of the claim that is made of it
    (`judged_power`).
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
    size_judged: float | None = None
    p_judged: float | None = None
    test: str = ""
    method: str = "none"
    missing: Missing | None = None
    minimum_detectable: float | None = None
    undetectable: Missing | None = None


def contrast(
    before: RungScores, after: RungScores, design: NormDesign, *, seed: Seed, missing: Missing | None = None
) -> JudgedContrast:
    """The fall from one rung to the next, looked at in every corner of the judges' ranges.

    In each the rungs are paired norm by norm, as in `compare_paired`. What labels leave open is added to the variance,
    of the interval and of the test alike. Without norms there are no figures. Where something is `missing` for a claim,
    there is no interval and no test.

    Source:
        Rogan and Gladen (1978), American Journal of Epidemiology 107; Zou and Donner (2008), Statistics in Medicine 27,
        for adding variances to intervals that are not symmetric.
    """
    return contrast_of(RungPair.of(before, after, design), seed=seed, missing=missing)


def contrast_of(pair: "RungPair", *, seed: Seed, missing: Missing | None = None) -> JudgedContrast:
    """The same of a pair that is already reckoned in every corner."""
    units, clusters = pair.design.clusters.size, np.unique(pair.design.clusters).size
    if not units:
        none = missing or NOTHING_GRADED
        return JudgedContrast(ends=None, size=None, least=None, most=None, units=0, clusters=0, missing=none)
    fall = JudgedContrast(
        ends=(float(pair.before.means[-1]), float(pair.after.means[-1])),
        size=float(pair.size[_CENTRE]),
        least=float(pair.size[pair.least]),
        most=float(pair.size[pair.most]),
        units=units,
        clusters=clusters,
        missing=missing,
    )
    if missing is not None:
        return fall
    rule, interval = pair.gaps(_CENTRE).by_rule(_CONFIDENCE), pair.interval(_CENTRE, seed)
    return replace(
        fall,
        low=interval.low,
        high=interval.high,
        p=pair.p,
        size_judged=float(pair.size[_BEST_CORNER]),
        p_judged=pair.widened(_BEST_CORNER),
        test=pair.test(_BEST_CORNER).name,
        method=BOOTSTRAP if rule is None else rule.method,
        missing=None if rule is None else rule.missing,
    )


class DropCriterion(NamedTuple):
    """Criterion for a fall: larger than `size`, with a p below `level`."""

    size: float
    level: float

    def holds_for(self, least: float, p: float) -> bool:
        """True where it is so for every judge of the range, of which these are the least fall and the largest p."""
        return least > self.size and p < self.level


class RungSide(Struct, frozen=True, kw_only=True):
    """One rung in each corner of its judge's range, a row a corner; `errors` are variances that labels leave open."""

    scores: Floats
    means: Floats
    errors: Floats
    scale: tuple[float, float]

    @classmethod
    def of(cls, rung: RungScores, mass: Floats, corners: Sequence[Corner] = ()) -> "RungSide":
        """Scores weighed by what each norm counts, and their means cut to the scale; by default in its own corners."""
        corners = corners or list(rung.corners)
        scores = np.stack([mass * rung.by(*corner) for corner in corners])
        means = scores.mean(1) if mass.size else np.full(len(corners), nan)
        return cls(
            scores=scores,
            means=np.clip(means, rung.least, rung.most),
            errors=np.array([rung.wobble(corner, mass) for corner in corners]),
            scale=(rung.least, rung.most),
        )


class RungPair(Struct, frozen=True, kw_only=True, dict=True):
    """Two rungs in all corners of both ranges: their difference, and what is reckoned of it where a claim is made."""

    before: RungSide
    after: RungSide
    design: NormDesign
    size: Floats
    _seen: dict[GridIndex, SignFlipTest] = field(default_factory=dict)

    @classmethod
    def of(cls, one: RungScores, other: RungScores, design: NormDesign) -> "RungPair":
        """All of it, in arrays of corners of the one by corners of the other."""
        before, after = (RungSide.of(rung, design.mass) for rung in (one, other))
        return cls(before=before, after=after, design=design, size=before.means[:, None] - after.means[None])

    @property
    def least(self) -> GridIndex:
        """Corner in which the fall is least."""
        return self._spot(self.size, np.argmin)

    @property
    def most(self) -> GridIndex:
        """Corner in which it is largest."""
        return self._spot(self.size, np.argmax)

    @property
    def p(self) -> float:
        """The largest two-sided p, 1 where the range reaches from a fall to a rise."""
        ratio = self.ratios
        if ratio.min() <= 0 <= ratio.max() and ratio.min() < ratio.max():
            return 1.0
        return self.widened(self._spot(ratio, np.argmin if self.size[_CENTRE] >= 0 else np.argmax))

    def gaps(self, spot: GridIndex) -> UnitDifferences:
        """The norms' differences in one pair of corners."""
        return UnitDifferences.of(self.before.scores[spot[0]], self.after.scores[spot[1]], self._codes)

    def test(self, spot: GridIndex) -> SignFlipTest:
        """Their test."""
        if spot not in self._seen:
            self._seen[spot] = self.gaps(spot).test()
        return self._seen[spot]

    def interval(self, spot: GridIndex, seed: Seed) -> Interval:
        """The interval there, wider by what labels leave open."""
        gaps = self.gaps(spot)
        found = gaps.by_rule(_CONFIDENCE) or gaps.drawn(_CONFIDENCE, _RESAMPLES, seed)
        if found.low is None or found.high is None:
            return found
        size, reach = float(gaps.each.mean()), REACH * self._error(spot)
        # Means are cut to the scale, so the interval is moved with them: a point never lies outside its own.
        moved = float(self.size[spot])
        low, high = moved - hypot(size - found.low, reach), moved + hypot(found.high - size, reach)
        ends = self.before.scale[0] - self.after.scale[1], self.before.scale[1] - self.after.scale[0]
        return Interval(min(max(low, ends[0]), ends[1]), min(max(high, ends[0]), ends[1]), found.method)

    def widened(self, spot: GridIndex) -> float:
        """A two-sided p with the error of labels added: as far as its own z says that the difference is from none."""
        error, p = self._error(spot), self.test(spot).p
        if error == 0 or not 0 < p < 1:
            return p
        z, difference = -float(special.ndtri(p / 2)), float(self.gaps(spot).each.mean())
        return 2 * float(special.ndtr(-abs(difference) / hypot(difference / z, error)))

    @cached_property
    def _codes(self) -> Clusters:
        return clustered(self.design.clusters, self.design.strata, self.design.clusters.size)

    @property
    def ratios(self) -> Floats:
        """Statistic of the test: the sum of clusters' differences over the root of their squares."""
        before, after = (np.stack([self._codes.sums(row) for row in side.scores]) for side in (self.before, self.after))
        # The mean of a cluster's differences is taken uncut, so that nothing is made sure by the ends of the scale.
        difference = (before[:, None] - after[None]) / self.design.clusters.size
        scale = np.sqrt((difference**2).sum(-1) + self.before.errors[:, None] + self.after.errors[None])
        return np.asarray(np.divide(difference.sum(-1), scale, out=np.zeros_like(scale), where=scale > 0))

    def _error(self, spot: GridIndex) -> float:
        return sqrt(self.before.errors[spot[0]] + self.after.errors[spot[1]])

    @staticmethod
    def _spot(figures: Floats, pick: Callable[[Floats], np.intp]) -> GridIndex:
        row, column = divmod(int(pick(figures)), figures.shape[1])
        return row, column
