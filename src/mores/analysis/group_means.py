"""Groups of several kinds at once, such as all places and topics: means and intervals, a sum over all for each step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct, field

from mores.analysis.groups import Group, column_of, values_of
from mores.analysis.units import Units
from mores.core.arrays import Floats, Mask
from mores.core.card import Metric
from mores.stats.checks import IntArray
from mores.stats.group_means import group_means, mean_intervals
from mores.stats.intervals import Interval

GroupWeights: TypeAlias = Literal["equal"] | None


class ShareBounds(NamedTuple):
    """What units got, could have got at least and at most, as shares of a metric's range."""

    value: Floats
    least: Floats
    most: Floats


class GroupMean(NamedTuple):
    """The mean of a group, what it would be at least and at most, and its interval; None where it is drawn for."""

    value: float
    least: float
    most: float
    interval: Interval | None


def shares(units: Units, metric: Metric) -> ShareBounds:
    """Units on the scale from the metric's lowest figure, 0, to its highest, 1."""
    span = metric.high - metric.low
    if (metric.low, span) == (0.0, 1.0):
        return ShareBounds(units.value, units.least, units.most)
    return ShareBounds(*((each - metric.low) / span for each in (units.value, units.least, units.most)))


def is_binary(value: Floats, units: Units) -> bool:
    """Whether every graded unit has all or nothing."""
    return bool(((value == 0.0) | (value == 1.0))[units.graded].all())


class Cohort(Struct, frozen=True, kw_only=True):
    """Units, and for each kind of group the one that each belongs to, as a code into `groups`; -1 for none."""

    units: Units
    groups: Mapping[Group, int]
    codes: Mapping[str, IntArray]
    _asked: list[int] = field(default_factory=list)
    _graded: list[int] = field(default_factory=list)
    _figures: dict[tuple[float, float, GroupWeights], list[GroupMean | None]] = field(default_factory=dict)

    @classmethod
    def of(cls, units: Units, kinds: Sequence[str]) -> Cohort:
        """The groups of those kinds of which no unit belongs to several."""
        groups: dict[Group, int] = {}
        codes = {}
        for kind in kinds:
            column = column_of(units.keys, kind)
            found = () if column is None else tuple(values_of(kind, name) for name in column.names)
            if column is None or any(len(values) > 1 for values in found):
                continue
            for value in sorted({value for values in found for value in values}):
                groups[Group(kind, value)] = len(groups)
            table = np.array([*(groups[Group(kind, v[0])] if v else -1 for v in found), -1], dtype=np.int64)
            codes[kind] = table[column.codes]
        return cls(units=units, groups=groups, codes=codes)

    @classmethod
    def alone(cls, units: Units, group: Group, inside: Mask) -> Cohort:
        """One group, to which some units belong."""
        return cls(units=units, groups={group: 0}, codes={group.kind: np.where(inside, 0, -1)})

    def inside(self, group: Group) -> Mask:
        """Which units belong to a group."""
        return np.equal(self.codes[group.kind], self.groups.get(group, len(self.groups)))

    def counts(self, group: Group) -> tuple[int, int]:
        """Units of a group that were asked and graded."""
        if not self._asked:
            units, codes = self._members(np.ones(len(self.units), dtype=np.bool_))
            for found, of in ((self._asked, codes), (self._graded, codes[self.units.graded[units]])):
                found.extend(np.bincount(of, minlength=len(self.groups)).tolist())
        number = self.groups.get(group)
        return (0, 0) if number is None else (self._asked[number], self._graded[number])

    def figure(self, group: Group, metric: Metric, weights: GroupWeights) -> GroupMean | None:
        """The figure of a group; None where nothing of it is graded."""
        key = metric.low, metric.high, weights
        if key not in self._figures:
            self._figures[key] = self._reckoned(metric, weights)
        number = self.groups.get(group)
        return None if number is None else self._figures[key][number]

    def _members(self, kept: Mask) -> tuple[IntArray | slice, IntArray]:
        """Some of the units, once for each kind that they have a group of, and the code of that group."""
        if len(self.codes) == 1 and kept.all():
            (codes,) = self.codes.values()
            if not codes.size or codes.min() >= 0:
                return slice(None), codes  # all units as they stand: of very many nothing is copied
        wide = np.array([*self.codes.values()]).reshape(len(self.codes), len(self.units))
        of, units = np.nonzero((wide >= 0) & kept)
        return units, wide[of, units]

    def _reckoned(self, metric: Metric, weights: GroupWeights) -> list[GroupMean | None]:
        several, graded = len(self.groups), self.units.graded
        units, groups = self._members(graded)
        if not groups.size:
            return [None] * several
        all_units, all_groups = (units, groups) if graded.all() else self._members(np.ones_like(graded))
        value, least, most = shares(self.units, metric)
        places, clusters = (
            column.codes.astype(np.int64, copy=False) for column in (self.units.keys.place, self.units.keys.cluster)
        )
        intervals = mean_intervals(
            value[units], clusters[units], groups, several,
            strata=places[units], weights=weights, binary=is_binary(value, self.units),
        )  # fmt: skip
        mean = partial(group_means, count=several, weights=weights)
        ends = (mean(each[all_units], all_groups, strata=places[all_units]) for each in (least, most))
        columns = (mean(value[units], groups, strata=places[units]), *ends)
        figures = zip(*(column.tolist() for column in columns), intervals, strict=True)
        there = np.bincount(groups, minlength=several).tolist()
        return [GroupMean(*figure) if count else None for figure, count in zip(figures, there, strict=True)]
