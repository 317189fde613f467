"""Power of a claim about a fall between rungs, and the judges for which it holds.

A fall is a break where it is larger than a size, and no chance, for every judge of the range. `fall_power` is the fall
that this rule finds with power .8 where the judge is truly at the centre of what is known of it; `holds_from` is the
worst judge for which a fall that was seen would still be a break, and `support` the share of a prior on judges for
which it is one.
"""

from collections.abc import Callable
from itertools import product
from math import sqrt

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from scipy import special

from mores.core.arrays import Floats
from mores.stats.clusters import clustered
from mores.stats.intervals import z_quantile
from mores.stats.judged_scores import Corner, DropCriterion, NormDesign, RungPair, RungScores, RungSide
from mores.stats.power import least_clusters
from mores.stats.rogan_gladen import LEAST_J, JudgeErrors, RateRange

POWER = 0.8
_GRID = (np.arange(9) + 0.5) / 9
"""Shares of the prior at which a rate is looked at: the middles of nine equal parts."""
_STEPS = 200
"""Falls are looked for in steps of half a point."""
_SCARCE = 0.02
"""The least variance of a share, under which what was seen says nothing of how far answers scatter."""


def holds_from(before: RungScores, after: RungScores, design: NormDesign, claim: DropCriterion) -> float | None:
    """The least x for which a fall holds whatever judges lie within x to 1, on both rungs and for both rates.

    To a hundredth, from .6 on. A judge below may explain the fall. None where it holds for no such judge.
    """
    low, high = round(50 * (1 + LEAST_J)), 101
    while low < high:
        middle = (low + high) // 2
        judge = JudgeErrors.within(min(middle, 100) / 100, 1.0)
        one, other = (replace(rung, judge=judge) if rung.judged else rung for rung in (before, after))
        pair = RungPair.of(one, other, design)
        low, high = (low, middle) if claim.holds_for(float(pair.size[pair.least]), pair.p) else (middle + 1, high)
    return None if low > 100 else low / 100


def support(
    before: RungScores, after: RungScores, design: NormDesign, claim: DropCriterion, *, one_judge: bool
) -> float | None:
    """The share of a prior on the judges' rates for which a fall is a break, of those that the data do not refute.

    A stated range is spread evenly, on sensitivity and specificity apart; labelled rates have a beta law. Where
    `one_judge` judged both rungs it has one pair of rates on both, else each rung has a pair of its own. A judge is
    refuted where more norms would be kept than there are. None where no judge had a part, or all are refuted.

    Source:
        Greenland (2006), International Journal of Epidemiology 35, for probabilistic sensitivity analysis.
    """
    if not design.clusters.size or not (before.judged or after.judged):
        return None
    grids = [_grid(rung) for rung in (before, after)]
    sides = [RungSide.of(rung, design.mass, grid) for rung, grid in zip((before, after), grids, strict=True)]
    pair = RungPair(before=sides[0], after=sides[1], design=design, size=sides[0].means[:, None] - sides[1].means[None])
    both = before.judged and after.judged
    if both and one_judge and len(grids[0]) == len(grids[1]):
        spots = [(number, number) for number in range(len(grids[0]))]
    else:
        spots = list(product(range(len(grids[0])), range(len(grids[1]))))
    possible = [_possible(side, rung) for side, rung in zip(sides, (before, after), strict=True)]
    spots = [spot for spot in spots if possible[0][spot[0]] and possible[1][spot[1]]]
    if not spots:
        return None
    ratios = np.atleast_2d(pair.ratios)
    ordered = sorted(spots, key=lambda spot: float(ratios[spot]))
    # A larger ratio has a smaller p: the first that is found is looked for by halves, as each p takes a test.
    low, high = 0, len(ordered)
    while low < high:
        middle = (low + high) // 2
        found = ratios[ordered[middle]] > 0 and pair.widened(ordered[middle]) < claim.level
        low, high = (low, middle) if found else (middle + 1, high)
    return sum(float(pair.size[spot]) > claim.size for spot in ordered[low:]) / len(spots)


def _grid(rung: RungScores) -> list[Corner]:
    """Pairs of rates that share a prior among them evenly; one where nobody judged."""
    if not rung.judged:
        return [rung.judge.centre]
    one, other = (rate.quantiles(_GRID).tolist() for rate in rung.judge.rates)
    return list(product(one, other))


def _possible(side: RungSide, rung: RungScores) -> list[bool]:
    """Judges whose scores lie on the scale, but for what sampling does."""
    raw = side.scores.mean(1)
    reach = z_quantile(0.95) * side.scores.std(1) / sqrt(side.scores.shape[1])
    return [bool(low and high) for low, high in zip(raw + reach >= rung.least, raw - reach <= rung.most, strict=True)]


class FallPower(Struct, frozen=True, kw_only=True):
    """Falls that a claim finds with power .8, in points of the scale; None where no fall is large enough.

    `least` is with the norms that there are, `unlimited` with any number of them: a fall below it is never found.
    """

    least: float | None
    unlimited: float | None


def fall_power(before: RungScores, after: RungScores, design: NormDesign, claim: DropCriterion) -> FallPower:
    """Falls that a claim finds where the truth before is as it was seen and judges are at their centres.

    A claim that must hold for every judge of a range meets the least fall of all corners, and the largest p. Expected
    means of each corner follow from the planted fall; their errors from the scatter that was seen, with the variance
    that a share of that size has, the correlation of a norm's two scores, and the clusters.

    Measured on the shipped pack's layouts (`mores doctor statistics`): of falls of `least` .78 to .95 are found.
    """
    sides = (_Expected.of(before, design.mass), _Expected.of(after, design.mass))
    scatter = _scatter(before, after, design)

    def variance(truths: tuple[float, float]) -> Floats:
        one, other = map(_Expected.variances, sides, truths, scatter.dispersion)
        shared = scatter.correlation * np.sqrt(np.multiply.outer(one, other))
        return np.asarray(scatter.design_effect * (one[:, None] + other[None] - 2 * shared) / scatter.norms)

    return _power(sides, claim, variance, np.unique(design.clusters).size)


class PlannedFall(Struct, frozen=True, kw_only=True):
    """Two rungs before they are run: what is known of their judges (None for none), and what norms there will be.

    `start` is the share of norms kept before, `spread` the mean squared difference of a norm's two scores, as of a
    judge's words; `verdicts` are those of a judge that a norm of the second rung takes.
    """

    before: JudgeErrors | None
    after: JudgeErrors | None
    start: float
    spread: float
    norms: int
    clusters: int
    design_effect: float
    verdicts: float = 1.0

    def known_by(self, labels: int) -> "PlannedFall":
        """The same, had so many labels a rung told how good its judge is."""
        known = [None if judge is None else _labelled(judge, labels) for judge in (self.before, self.after)]
        return replace(self, before=known[0], after=known[1], verdicts=1.0)

    def power(self, claim: DropCriterion) -> FallPower:
        """Falls that a claim will find, by the same rule as of a run."""
        one, other = _planned(self.before, self.start, 1.0), _planned(self.after, self.start, self.verdicts)
        widening = np.maximum.outer(one.widening, other.widening) ** 2

        def variance(truths: tuple[float, float]) -> Floats:
            spread = max(self.spread, truths[0] - truths[1])  # as many norms differ as fall, at least
            return np.asarray(self.design_effect * spread * widening / self.norms)

        return _power((one, other), claim, variance, self.clusters)


def _planned(judge: JudgeErrors | None, share: float, verdicts: float) -> "_Expected":
    one = np.ones(1)
    if judge is None:
        return _Expected.of(RungScores(passed=share * one, seen=0 * one, verdicts=one), one)
    se, sp = judge.centre
    passed = (share * max(se**verdicts, 1 - sp) + (1 - share) * (1 - sp)) * one
    return _Expected.of(RungScores(passed=passed, seen=one, verdicts=verdicts * one, judge=judge), one)


def _power(
    sides: "tuple[_Expected, _Expected]",
    claim: DropCriterion,
    variance: Callable[[tuple[float, float]], Floats],
    clusters: int,
) -> FallPower:
    """The least falls that are found, looked for by halves; `variance` is of the mean fall in each pair of corners."""
    if clusters < least_clusters(claim.level):
        return FallPower(least=None, unlimited=None)
    start, lowest = sides[0].seen, sides[1].scale[0]
    most = min(_STEPS, int(_STEPS * (start - lowest) + 1e-9))

    def first(limited: bool) -> float | None:
        low, high = 1, most + 1
        while low < high:
            middle = (low + high) // 2
            truths = start, start - middle / _STEPS
            drawn = variance(truths) if limited else np.zeros(())
            found = _reached(sides, truths, drawn, claim, clusters if limited else None)
            low, high = (low, middle) if found else (middle + 1, high)
        return None if low > most else low / _STEPS

    return FallPower(least=first(True), unlimited=first(False))


def with_labels(rung: RungScores, labels: int) -> RungScores:
    """The same rung, had so many labels told that both rates are at their centre, half of them of each.

    Labels are of what a norm's verdict is made of several. Without a judge it is as it was.
    """
    if not rung.judged:
        return rung
    return replace(rung, judge=_labelled(rung.judge, labels), verdicts=np.ones_like(rung.verdicts))


def _labelled(judge: JudgeErrors, labels: int) -> JudgeErrors:
    half = labels / 2
    one, other = (RateRange.labelled(rate * (half + 2) - 1, half) for rate in judge.centre)
    return JudgeErrors(sensitivity=one, specificity=other)


class _Expected(Struct, frozen=True, kw_only=True):
    """Expected scores of a rung as straight lines of the true mean, with the judge at its centre.

    `seen` is the true mean as it was seen; `base` and `slope` are of the corrected mean in each corner of the range,
    `passed` those of what the judge lets pass, within `ends`; `errors` are variances that labels leave open.
    """

    seen: float
    base: Floats
    slope: Floats
    passed: tuple[float, float]
    ends: tuple[float, float]
    errors: Floats
    scale: tuple[float, float]

    @classmethod
    def of(cls, rung: RungScores, mass: Floats) -> "_Expected":
        """Of a rung without a judge each line is the truth itself."""
        corners, (se, sp) = list(rung.corners), rung.possible
        scale = (rung.least, rung.most)
        seen = float(np.clip((mass * rung.by(se, sp)).mean(), *scale))
        if not rung.judged:
            none, one = np.zeros(1), np.ones(1)
            return cls(seen=seen, base=none, slope=one, passed=(0.0, 1.0), ends=scale, errors=none, scale=scale)
        whole = max(float((mass * rung.seen).mean()), 1e-9)
        # Lines through two points: no norm is kept, and all that the judge was shown are.
        passed = ((1 - sp) * rung.seen, np.maximum(se**rung.verdicts, 1 - sp) * rung.seen)
        none, every = (
            np.array([float((mass * replace(rung, passed=share).by(*at)).mean()) for at in corners]) for share in passed
        )
        low, high = (float((mass * share).mean()) for share in passed)
        errors = np.array([rung.wobble(at, mass) for at in corners])
        return cls(
            seen=seen, base=none, slope=(every - none) / whole, passed=(low, (high - low) / whole),
            ends=(0.0, whole), errors=errors, scale=scale,
        )  # fmt: skip

    def means(self, truth: float) -> Floats:
        """The expected mean of each corner."""
        return np.asarray(self.base + self.slope * truth)

    def variances(self, truth: float, dispersion: float) -> Floats:
        """The variance of a norm's score in each corner, as of a share of what passes."""
        base, slope = self.passed
        low, high = self.ends
        share = float(np.clip((base + slope * truth - low) / (high - low), 0, 1))
        passed = dispersion * max(share * (1 - share), _SCARCE) * (high - low) ** 2
        return np.asarray(passed * self.widening**2)

    @property
    def widening(self) -> Floats:
        """Factor in each corner by which a difference of what passes is corrected."""
        return np.asarray(self.slope / max(self.passed[1], 1e-9))


class _Scatter(Struct, frozen=True, kw_only=True):
    """Scatter of norms' scores: dispersion of each rung beside that of a share, correlation and design effect."""

    dispersion: tuple[float, float]
    correlation: float
    design_effect: float
    norms: int


def _scatter(before: RungScores, after: RungScores, design: NormDesign) -> _Scatter:
    scores = [design.mass * rung.by(*rung.possible) for rung in (before, after)]
    spread = [float(each.std()) for each in scores]
    gap = scores[0] - scores[1]
    residual = gap - gap.mean()
    shared = float(np.mean((scores[0] - scores[0].mean()) * (scores[1] - scores[1].mean())))
    correlation = shared / (spread[0] * spread[1]) if min(spread) > 0 else 0.0
    squares = float((residual**2).sum())
    sums = clustered(design.clusters, design.strata, design.clusters.size).sums(residual)
    effect = float((sums**2).sum()) / squares if squares > 0 else 1.0
    return _Scatter(
        dispersion=(_dispersion(before), _dispersion(after)),
        correlation=max(0.0, correlation),
        design_effect=max(1.0, effect),
        norms=design.clusters.size,
    )


def _dispersion(rung: RungScores) -> float:
    """Variance of what was seen of norms over that of a share; 1 where nearly all are alike, so that nothing tells."""
    low, high = _ends(rung)
    share = float(np.clip((rung.passed.mean() - low) / (high - low), 0, 1))
    widest = share * (1 - share)
    if widest < _SCARCE:
        return 1.0
    return float(np.clip(rung.passed.var() / (widest * (high - low) ** 2), 0.2, 1.5))


def _ends(rung: RungScores) -> tuple[float, float]:
    """The least and the most that a norm may have before anything is corrected."""
    return (0.0, max(float(rung.seen.mean()), 1e-9)) if rung.judged else (rung.least, rung.most)


def _reached(
    sides: "tuple[_Expected, _Expected]",
    truths: tuple[float, float],
    drawn: Floats,
    claim: DropCriterion,
    clusters: int | None,
) -> bool:
    """True if a fall is found with power .8; `drawn` are variances of sampling, no clusters are any number of them."""
    before, after = (side.means(truth) for side, truth in zip(sides, truths, strict=True))
    raw = before[:, None] - after[None]
    size = np.clip(before, *sides[0].scale)[:, None] - np.clip(after, *sides[1].scale)[None] - claim.size
    if np.min(size) <= 0 or np.min(raw) <= 0:
        return False
    error = np.sqrt(drawn + sides[0].errors[:, None] + sides[1].errors[None])
    tail = claim.level / 2
    critical = -float(special.ndtri(tail) if clusters is None else special.stdtrit(clusters - 1, tail))
    surely = float(special.ndtri(POWER))
    return bool(np.all(size >= surely * error) and np.all(raw >= (critical + surely) * error))
