"""A judge whose draws are known for a whole population, so that the true risk of any thresholds is exact.

Levels to certify are set a hair below the true risks of some settings, where a careless rule breaks the promise
soonest.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from mores.stats.checks import FloatArray, IntArray
from mores.stats.conformal.calibration import CalibrationPlan, line
from mores.stats.conformal.draws import Draws, LabelledDraws, Thresholds
from mores.stats.conformal.replay import losses_under

LINE = CalibrationPlan(mode="line")


class PopulationSpec(NamedTuple):
    """Items of a population, draws of each, and how many in a row are as hard as each other."""

    items: int = 2000
    each: int = 10
    alike: int = 1
    ease: float = 2.2


@dataclass(frozen=True, kw_only=True)
class JudgePopulation:
    """All items of a judge with their draws and labels; rows of `clusters` are items of one cluster."""

    whole: LabelledDraws
    clusters: IntArray
    _known: dict[Thresholds, float]

    def risk(self, thresholds: Thresholds) -> float:
        """The true risk of thresholds: the share of all items that they lose."""
        if thresholds not in self._known:
            lost = losses_under(self.whole.draws, self.whole.admissible, (thresholds,))
            self._known[thresholds] = float(lost.mean())
        return self._known[thresholds]

    def line_risks(self) -> FloatArray:
        """True risks along the line of stops."""
        return np.array([self.risk(setting) for setting in line(self.whole.draws, LINE)])

    def sharp(self, place: float) -> float:
        """A level a hair below one of the true risks between .04 and .4; `place` from 0, the least, to 1."""
        risks = self.line_risks()
        distinct = np.unique(risks[(risks > 0.04) & (risks < 0.4)])
        return float(distinct[round(place * (distinct.size - 1))]) - 1e-9

    def sample(self, units: int, rng: np.random.Generator) -> LabelledDraws:
        """Labelled items of clusters drawn independently; one that is drawn twice is two."""
        picked = self.clusters[rng.integers(0, len(self.clusters), units)]
        drawn = self.whole.at(picked.ravel())
        return replace(drawn, cluster=np.repeat(np.arange(units), picked.shape[1]))


@cache
def population(kind: PopulationSpec, seed: int = 0) -> JudgePopulation:
    """A judge wrong in about an eighth of its draws, surer when right; some items it never gets right."""
    rng = np.random.default_rng(seed)
    many = kind.items // kind.alike
    skill = np.where(rng.random(many) < 0.02, 0.0, rng.beta(kind.ease, 0.25, many))
    right = rng.random((kind.items, kind.each)) < np.repeat(skill, kind.alike)[:, None]
    shape = (kind.items, kind.each, kind.each)
    likeness = np.where(right[:, :, None] == right[:, None, :], rng.uniform(0.2, 1, shape), 0.0)
    draws = Draws.of(right.astype(int).tolist(), rng.beta(2 + 3 * right, 3), likeness)
    of = np.arange(kind.items) // kind.alike
    whole = LabelledDraws.of(draws, [1] * kind.items, of)
    return JudgePopulation(whole=whole, clusters=np.arange(kind.items).reshape(-1, kind.alike), _known={})
