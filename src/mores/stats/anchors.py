"""Scores of norms that were told against the same untold: what telling adds on a rung, and what it leaves of a fall.

A fall from one rung to the next may be a loss of knowledge, or items that are harder. Who is told the norm with the
item knows it on both rungs, so the fall that is left then is that of the items, or of the skill that they ask for. What
telling takes away of a fall, (plain before - plain after) - (told before - told after), is the part that knowledge
makes: a difference in differences, paired by norm.

Told and untold answers to one item are taken to be judged with the same errors, whatever these are; on each rung apart.
"""

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.core.arrays import Floats, Mask
from mores.core.estimate import Missing
from mores.core.seeds import Seed
from mores.stats.judged_scores import JudgedContrast, NormDesign, RungPair, RungScores, RungSide, contrast_of


class ToldScores(Struct, frozen=True, kw_only=True):
    """The same norms on one rung, untold and told, an entry a norm in both; the judge of both is that of `plain`."""

    plain: RungScores
    told: RungScores

    def at(self, mask: Mask) -> "ToldScores":
        """Some of the norms."""
        return ToldScores(plain=self.plain.at(mask), told=self.told.at(mask))

    @property
    def graded(self) -> Mask:
        """Mask of the norms that are graded in both, of which it is known on how many verdicts they rest."""
        columns = (each for scores in (self.plain, self.told) for each in (scores.passed, scores.verdicts))
        return np.asarray(np.logical_and.reduce([np.isfinite(column) for column in columns]))

    @property
    def unbounded(self) -> bool:
        """True where the judge's range leaves either mean open over more than half of the scale."""
        return self.plain.unbounded or self._judged_alike.unbounded

    def gains(self, mass: Floats) -> RungSide:
        """Told less untold of each norm in each corner of the judge's range, weighed by what each norm counts."""
        plain, told, reach = self.plain, self._judged_alike, self.plain.most - self.plain.least
        corners = list(plain.corners)
        one, other = (RungSide.of(each, mass, corners) for each in (told, plain))
        return RungSide(
            scores=one.scores - other.scores,
            # of means that are cut to the scale, so that a gain is the difference of the two figures shown
            means=one.means - other.means,
            errors=np.array([_error(plain, told, corner, mass) for corner in corners]),
            scale=(-reach, reach),
        )

    @property
    def _judged_alike(self) -> RungScores:
        return replace(self.told, judge=self.plain.judge)


def _error(plain: RungScores, told: RungScores, corner: tuple[float, float], mass: Floats) -> float:
    """Variance of the gain from the labels that the rates rest on: an error of a rate moves both scores together."""
    slopes = zip(told.slopes(corner, mass), plain.slopes(corner, mass), plain.judge.rates, strict=True)
    return sum((up - down) ** 2 * rate.variance for up, down, rate in slopes)


def told_gain(scores: ToldScores, design: NormDesign, *, seed: Seed, missing: Missing | None = None) -> JudgedContrast:
    """What telling adds on one rung: the told mean less the untold one, as `contrast` looks at a fall.

    `ends` are the told and the untold mean, for the judge at its centre. Above 0 where telling helps: a judge that errs
    alike on both stretches a gain and never turns it round, so that `p` holds for all of them, and the range is that
    of gains before they are cut to the scale.
    """
    nothing = np.zeros((1, design.clusters.size))
    none = RungSide(scores=nothing, means=np.zeros(1), errors=np.zeros(1), scale=(0.0, 0.0))
    gains = scores.gains(design.mass)
    found = contrast_of(_pair(gains, none, design), seed=seed, missing=missing)
    if found.ends is None or found.size is None:
        return found
    plain = float(RungSide.of(scores.plain, design.mass).means[-1])
    uncut = np.clip(gains.scores.mean(1), *gains.scale)
    least, most = min(float(uncut.min()), found.size), max(float(uncut.max()), found.size)
    return replace(found, ends=(plain + found.size, plain), least=least, most=most)


def anchored_fall(
    before: ToldScores, after: ToldScores, design: NormDesign, *, seed: Seed, missing: Missing | None = None
) -> JudgedContrast:
    """The part of a fall that telling takes away: what telling adds on the rung after less what it adds before.

    `ends` are the two gains, that of the rung after first. About 0 where the fall is the items' alone, whatever its
    size; as large as the fall where it is of knowledge alone.
    """
    gains = [_moved(each.gains(design.mass)) for each in (after, before)]
    return contrast_of(_pair(gains[0], gains[1], design), seed=seed, missing=missing)


def _moved(side: RungSide) -> RungSide:
    """Gains whose norms are moved with their mean where that is cut, so that size and test have one sign."""
    cut = side.means - side.scores.mean(1) if side.scores.shape[1] else np.zeros(len(side.means))
    return replace(side, scores=side.scores + cut[:, None])


def _pair(one: RungSide, other: RungSide, design: NormDesign) -> RungPair:
    return RungPair(before=one, after=other, design=design, size=one.means[:, None] - other.means[None])
