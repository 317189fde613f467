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
        # A gain is the difference of the two figures shown, which are cut to the scale: norms are moved with it.
        scores, means = one.scores - other.scores, one.means - other.means
        moved = (means - scores.mean(1))[:, None] if mass.size else 0.0
        return RungSide(
            scores=scores + moved,
            means=means,
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

    `ends` are the told and the untold mean, for the judge at its centre. Above 0 where telling helps.
    """
    nothing = np.zeros((1, design.clusters.size))
    none = RungSide(scores=nothing, means=np.zeros(1), errors=np.zeros(1), scale=(0.0, 0.0))
    found = contrast_of(_pair(scores.gains(design.mass), none, design), seed=seed, missing=missing)
    if found.ends is None:
        return found
    plain = float(RungSide.of(scores.plain, design.mass).means[-1])
    return replace(found, ends=(plain + (found.size or 0.0), plain))


def anchored_fall(
    before: ToldScores, after: ToldScores, design: NormDesign, *, seed: Seed, missing: Missing | None = None
) -> JudgedContrast:
    """The part of a fall that telling takes away: what telling adds on the rung after less what it adds before.

    `ends` are the two gains, that of the rung after first. About 0 where the fall is the items' alone, whatever its
    size; as large as the fall where it is of knowledge alone.
    """
    gains = [each.gains(design.mass) for each in (after, before)]
    return contrast_of(_pair(gains[0], gains[1], design), seed=seed, missing=missing)


def _pair(one: RungSide, other: RungSide, design: NormDesign) -> RungPair:
    return RungPair(before=one, after=other, design=design, size=one.means[:, None] - other.means[None])
