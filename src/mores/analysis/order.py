"""Whether an order of groups, from the weakest to the strongest, says anything: the reliability of their figures.

results of one benchmark ─▶ units that all have a grade on, averaged over models ─▶ the reliability of the figures
of one kind of group. Where it is low, nothing is called weakest or strongest.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct

from mores.analysis.groups import GROUPINGS, column_of, values_of
from mores.analysis.results import Result
from mores.analysis.units import HELD, Units, headline_units, matched, units_of
from mores.core.arrays import Codes, Floats
from mores.core.estimate import APART
from mores.stats.reliability import Reliability, reliability_of_means


class RankReliability(Struct, frozen=True, kw_only=True):
    """How far figures of one kind of group would agree with those of other units; `unit` is what they count."""

    kind: str
    unit: str
    found: Reliability

    @property
    def ranks(self) -> bool:
        """True where the order says something."""
        return self.found.ranks


def order_of(evaluations: Sequence[Result], kind: str, metric: str = "") -> RankReliability:
    """The reliability of a kind of group's figures, as means over the models of one benchmark.

    Args:
        evaluations: Of one benchmark, one at least.
        kind: The kind of group.
        metric: What figures are of, by default the headline.
    """
    every = [units_of(each.scores[metric]) if metric else headline_units(each) for each in evaluations]
    units, points = _shared(every)
    at, names = _groups(units, kind)
    place = units.keys.place.codes[at]
    # In a region's figure every place counts the same.
    divide = 1 / np.bincount(place)[place] if kind in GROUPINGS else np.ones(at.size)
    found = reliability_of_means(
        points[at] * divide, units.weights[at] * divide, names, units.keys.cluster.codes[at]
    )  # fmt: skip
    return RankReliability(kind=kind, unit=evaluations[0].counted, found=found)


def orders_of(evaluations: Sequence[Result]) -> tuple[RankReliability, ...]:
    """Of evaluations of one benchmark, for every kind of group that its figures are broken down by."""
    return _orders_of(tuple(evaluations))


@lru_cache(maxsize=HELD)
def _orders_of(evaluations: tuple[Result, ...]) -> tuple[RankReliability, ...]:
    return tuple(order_of(evaluations, kind) for kind in evaluations[0].kinds if kind != APART)


def _shared(every: Sequence[Units]) -> tuple[Units, Floats]:
    """The units that all models have, as the first has them, and their mean points over models."""
    first = every[0]
    rows = np.array([matched(first, other) for other in every])
    kept = np.flatnonzero((rows >= 0).all(axis=0))
    points = [other.points[at] for other, at in zip(every, rows[:, kept], strict=True)]
    return first.take(kept), np.mean(points, axis=0)


def _groups(units: Units, kind: str) -> tuple[Codes, Codes]:
    """Each unit with each group of a kind that it belongs to, the groups by their order."""
    column = column_of(units.keys, kind)
    if column is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    of_name = [values_of(kind, name) for name in column.names]
    place = {value: code for code, value in enumerate(sorted({value for values in of_name for value in values}))}
    codes = [np.array([place[value] for value in values], dtype=np.int64) for values in (*of_name, ())]
    size = np.array([each.size for each in codes])[column.codes]
    begin = np.cumsum([0, *(each.size for each in codes[:-1])])[column.codes]
    rows = np.repeat(np.arange(len(units)), size)
    within = np.arange(rows.size) - np.repeat(np.cumsum(size) - size, size)
    return rows, np.concatenate(codes)[begin[rows] + within]
