"""Goal against adherence: who is dominated, and how surely a model is on the front.

One model dominates another if it is at least as good in both and better in one. Figures that are equal stand on the
front together; a model without one of the two figures stands nowhere. The front is one of figures as they came out: to
say how sure it is, days are redrawn, the same ones for all models, and each redraw has a front of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mores.benchmarks.liveculture.results.town_runs import (
    ADHERENCE,
    DICE,
    GOAL,
    TownRun,
    describe_conditions,
    figure_of,
)
from mores.core.estimate import Estimate
from mores.stats.checks import FloatArray
from mores.stats.clusters import resampled
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.rng import generator

REDRAWS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontPoint:
    """One point: how much was done, to the right, and how far norms were kept, upwards; `name` is what tells it apart.

    `sure` is the share of redraws of days in which it is on the front, None where days are too few or nobody is beside
    it; `beaten_by` are the names of those that dominate it, None where it has no place among them.
    """

    name: str
    goal: Estimate
    adherence: Estimate
    sure: float | None = None
    beaten_by: tuple[str, ...] | None = None

    @property
    def placed(self) -> bool:
        """True where both figures are known."""
        return self.goal.value is not None and self.adherence.value is not None

    @property
    def on_front(self) -> bool:
        """True where nobody dominates it."""
        return self.beaten_by == ()


@dataclass(frozen=True, kw_only=True)
class ParetoFront:
    """Several models on the same days, each a spot, in the order of `lived`."""

    lived: tuple[TownRun, ...]
    spots: tuple[FrontPoint, ...]

    @property
    def conditions(self) -> str:
        """What all of them were played under."""
        return describe_conditions(self.lived)

    @property
    def simulated(self) -> bool:
        """True where any of them is made up."""
        return any(each.evaluation.simulated for each in self.lived)


def front_of(lived: Sequence[TownRun]) -> ParetoFront:
    """The spots of several models, with who dominates whom."""
    goals, kept = ([figure_of(each.evaluation, metric) for each in lived] for metric in (GOAL, ADHERENCE))
    names = [each.evaluation.label for each in lived]
    points = np.array([[_value(one), _value(other)] for one, other in zip(goals, kept, strict=True)])
    beats = dominating(points)
    sure = front_shares(lived)
    spots = tuple(
        FrontPoint(
            name=name,
            goal=goals[n],
            adherence=kept[n],
            sure=sure[n],
            beaten_by=None if np.isnan(points[n]).any() else tuple(names[m] for m in np.flatnonzero(beats[:, n])),
        )
        for n, name in enumerate(names)
    )
    return ParetoFront(lived=tuple(lived), spots=spots)


def dominating(points: FloatArray) -> npt.NDArray[np.bool_]:
    """Who (rows) dominates whom (columns) among points of shape (…, models, 2); a missing figure does neither.

    >>> dominating(np.array([[0.8, 0.6], [0.8, 0.5], [0.9, 0.4], [0.8, 0.6]])).astype(int).tolist()
    [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0]]
    """
    one, other = points[..., :, None, :], points[..., None, :, :]
    return np.asarray((one >= other).all(axis=-1) & (one > other).any(axis=-1))


def front_shares(lived: Sequence[TownRun]) -> tuple[float | None, ...]:
    """The share of redraws of days in which each model is on the front; None for all under eight days."""
    units = sorted({unit for each in lived for days in each.days.values() for unit in days})
    if len(units) < MIN_CLUSTERS:
        return (None,) * len(lived)
    columns = [each.days[metric].get for each in lived for metric in (GOAL, ADHERENCE)]
    points = np.array([[get(unit, np.nan) for get in columns] for unit in units])
    rows = np.hstack([np.nan_to_num(points), np.isfinite(points)])
    sums = resampled(
        rows, len(units), REDRAWS, generator(DICE.child("front", *(each.evaluation.model for each in lived)))
    )
    total, count = np.hsplit(sums, 2)
    means = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    pairs = means.reshape(REDRAWS, len(lived), 2)
    there = ~dominating(pairs).any(axis=1) & np.isfinite(pairs).all(axis=2)
    known = np.isfinite(points).any(axis=0).reshape(len(lived), 2).all(axis=1)
    return tuple(float(share) if seen else None for share, seen in zip(there.mean(axis=0), known, strict=True))


def _value(figure: Estimate) -> float:
    return float("nan") if figure.value is None else figure.value
