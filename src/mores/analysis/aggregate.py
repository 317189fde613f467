"""Estimates from scores: one aggregator for all benchmarks, each metric over the whole and every group.

Scores ─▶ units (`analysis.units`) ─▶ one way to put units together for each metric ─▶ estimates. Groups of places are
unweighted means of their places; everything else is a plain mean, unless the metric says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from mores.analysis.groups import GROUPINGS, Group, column_of, groups_of, values_of
from mores.analysis.units import Units, units_of
from mores.core.arrays import Codes, Floats, Integers, Mask
from mores.core.card import Card, Metric
from mores.core.code_errors import attempt
from mores.core.estimate import NOTHING_GRADED, SEPARATE, SEVERAL, Estimate, MetricRows, Missing, Scores, failed_in_code
from mores.core.seeds import Seed
from mores.stats.group_means import group_means, mean_intervals
from mores.stats.intervals import Interval, mean_interval

GroupWeights: TypeAlias = Literal["equal"] | None


class ShareBounds(NamedTuple):
    """Values of units, and the least and most that they could be, as shares of a metric's range."""

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
    # nearly always: of very many units nothing is copied
    if (metric.low, span) == (0.0, 1.0):
        return ShareBounds(units.value, units.least, units.most)
    return ShareBounds(*((each - metric.low) / span for each in (units.value, units.least, units.most)))


class Cohort(Struct, frozen=True, kw_only=True):
    """Units, and for each kind of group the one that each belongs to, as a code into `groups`; -1 for none."""

    units: Units
    groups: Mapping[Group, int]
    codes: Mapping[str, Integers]
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
            # the last entry is where the code of no group, -1, points
            table = np.array([*(groups[Group(kind, v[0])] if v else -1 for v in found), -1], dtype=np.int64)
            codes[kind] = table[column.codes]
        return cls(units=units, groups=groups, codes=codes)

    @classmethod
    def alone(cls, units: Units, group: Group, inside: Mask) -> Cohort:
        """One group, to which some units belong."""
        return cls(units=units, groups={group: 0}, codes={group.kind: np.where(inside, 0, -1)})

    def inside(self, group: Group) -> Mask:
        """Mask of the units that belong to a group."""
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

    def _members(self, kept: Mask) -> tuple[Integers | slice, Integers]:
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
            strata=places[units], weights=weights,
        )  # fmt: skip
        mean = partial(group_means, count=several, weights=weights)
        ends = (mean(each[all_units], all_groups, strata=places[all_units]) for each in (least, most))
        columns = (mean(value[units], groups, strata=places[units]), *ends)
        figures = zip(*(column.tolist() for column in columns), intervals, strict=True)
        there = np.bincount(groups, minlength=several).tolist()
        return [GroupMean(*figure) if count else None for figure, count in zip(figures, there, strict=True)]


MANY = 100_000
"""Units from which kinds of groups are reckoned one after another: all at once they would take gigabytes."""


class Slice(NamedTuple):
    """One metric over one group, the rows that it is of, and a cohort that has the group among others or alone."""

    metric: Metric
    group: Group
    rows: MetricRows
    root: Seed
    cohort: Cohort

    @property
    def units(self) -> Units:
        """All units of the cohort."""
        return self.cohort.units

    @property
    def inside(self) -> Mask:
        """Mask of those that belong to the group."""
        return self.cohort.inside(self.group)

    @property
    def seed(self) -> Seed:
        """Of what is drawn for this metric and group alone."""
        return self.root.child(self.metric.name, self.group.kind, self.group.value)

    @property
    def counts(self) -> tuple[int, int]:
        """Units asked and graded."""
        return self.cohort.counts(self.group)

    def nothing(self, missing: Missing = NOTHING_GRADED) -> Estimate:
        """The estimate without a value."""
        asked, graded = self.counts
        return Estimate(
            metric=self.metric.name, group=self.group.key, value=None, asked=asked, graded=graded, missing=missing
        )  # fmt: skip


Aggregator: TypeAlias = Callable[[Slice], Estimate | None]
"""One metric over one group; None where it says nothing of such a group."""


def estimates(
    scores: Scores, card: Card, seed: Seed, aggregators: Mapping[str, Aggregator] | None = None
) -> tuple[Estimate, ...]:
    """Each metric of the card over the whole and each of its groups, the headline first; what stands apart comes last.

    Args:
        scores: What the benchmark scored.
        card: Its metrics and kinds of groups.
        seed: Of what is drawn at random, such as bootstraps.
        aggregators: How units of a metric are put together where it is no mean.
    """
    found: dict[tuple[int, str], list[Estimate]] = {}
    alike: dict[Hashable, _Folds] = {}
    row_keys = {metric.name: _row_key(scores[metric.name]) for metric in card.metrics if metric.name in scores}
    for metric in card.metrics:
        if metric.name in scores.missing:
            why = scores.missing[metric.name]
            none = Estimate(metric=metric.name, value=None, asked=why.n, graded=0, missing=why)
            found.setdefault((0, ""), []).append(none)
        elif metric.name in scores:
            aggregator = (aggregators or {}).get(metric.name, mean)
            # metrics often share their rows: folded once, and kept while another of them is to come
            same = row_keys.pop(metric.name)
            folds = alike.pop(same, None) or _Folds(scores[metric.name], card.groups)
            if same in row_keys.values():
                alike[same] = folds
            for piece in _slices(metric, scores, folds, seed):
                estimate = attempt(_named(piece), partial(aggregator, piece), partial(_failed, piece))
                if estimate is not None:
                    found.setdefault((_order(piece.group, card), piece.group.value), []).append(estimate)
    return tuple(estimate for key in sorted(found) for estimate in found[key])


def _named(piece: Slice) -> str:
    """One figure in words."""
    of = f" of {piece.group.value}" if piece.group.kind else ""
    return f"the figure '{piece.metric.name}'{of}"


def _failed(piece: Slice, sentence: str) -> Estimate:
    return piece.nothing(failed_in_code(sentence))


def _row_key(rows: MetricRows) -> Hashable:
    """The same for metrics that say the same of the same rows."""
    values = (rows.value, rows.least, rows.most, *(() if rows.weight is None else (rows.weight,)))
    return id(rows.keys), tuple(blake2b(np.ascontiguousarray(each).data).digest() for each in values)


def _slices(metric: Metric, scores: Scores, folds: _Folds, seed: Seed) -> Iterator[Slice]:
    """Each group of what counts, and each of what stands apart by itself."""
    for group in folds.groups:
        yield Slice(metric, group, scores[metric.name], seed, folds.cohort(group))
    rows = scores.separate.get(metric.name)
    if rows is None:
        return
    for group in groups_of(rows.keys, (SEPARATE,)):
        if group.kind:
            units = units_of(rows.take(group.mask(rows.keys)))
            yield Slice(metric, group, rows, seed, Cohort.alone(units, group, np.ones(len(units), dtype=np.bool_)))


def _order(group: Group, card: Card) -> int:
    if group.kind == SEPARATE:
        return len(card.groups) + 1
    return card.groups.index(group.kind) + 1 if group.kind else 0


class _Folds:
    """The units of some rows, folded once for all groups of which a unit belongs to one."""

    def __init__(self, rows: MetricRows, kinds: tuple[str, ...]) -> None:
        self.rows, self.kinds = rows, kinds
        self.whole = units_of(rows)
        self.groups = tuple(groups_of(rows.keys, kinds))
        self.by_kind: dict[str, Units | None] = {}
        self.cohorts: dict[tuple[int, bool, str], Cohort] = {}

    def cohort(self, group: Group) -> Cohort:
        """The groups of all kinds like a group's (of places, or not), where a unit is in one of each kind at most.

        Else the group alone, among the units that its rows make.
        """
        kind, units = group.kind, self._of_kind(group.kind)
        if not kind:
            return Cohort.alone(self.whole, group, np.ones(len(self.whole), dtype=np.bool_))
        if units is not None:
            alone = kind if len(units) > MANY else ""
            key = id(units), kind in GROUPINGS, alone
            if key not in self.cohorts:
                if alone:
                    self.cohorts.clear()
                kinds = (kind,) if alone else self.kinds
                like = [k for k in kinds if (k in GROUPINGS) == key[1] and self._of_kind(k) is units]
                self.cohorts[key] = Cohort.of(units, like)
            if kind in self.cohorts[key].codes:
                return self.cohorts[key]
        else:
            units = units_of(self.rows.take(group.mask(self.rows.keys)))
        return Cohort.alone(units, group, group.mask(units.keys))

    def _of_kind(self, kind: str) -> Units | None:
        """Units by their group of one kind; None where rows of one unit belong to several at once."""
        column = column_of(self.rows.keys, kind)
        if column is None:
            return self.whole
        if kind not in self.by_kind:
            several = any(SEVERAL in name for name in column.names)
            if len(self.whole) == len(self.rows) or self._is_constant(column.codes):
                self.by_kind[kind] = self.whole
            else:
                self.by_kind[kind] = None if several else units_of(self.rows, by=column.codes)
        return self.by_kind[kind]

    def _is_constant(self, codes: Codes) -> bool:
        unit = self.rows.keys.unit.codes
        of_unit = np.zeros(int(unit.max(initial=-1)) + 1, dtype=np.int64)
        of_unit[unit] = codes
        return bool((of_unit[unit] == codes).all())


def mean(piece: Slice) -> Estimate:
    """The mean of units with its interval, counts and bounds; of a group of places, the mean of its places."""
    return _mean(piece, "equal" if piece.group.equal else None)


def pooled(piece: Slice) -> Estimate:
    """The mean of units, all alike in any group."""
    return _mean(piece, None)


def described(piece: Slice, *, of: str) -> Estimate:
    """The mean of what describes the plays that were held, without an interval."""
    return replace(mean(piece), low=None, high=None, method="", missing=Missing(code="describes", told=of))


def _mean(piece: Slice, weights: GroupWeights) -> Estimate:
    figure = piece.cohort.figure(piece.group, piece.metric, weights)
    if figure is None:
        return piece.nothing()
    worst, best = (figure.most, figure.least) if piece.metric.better == "lower" else (figure.least, figure.most)
    interval = figure.interval or _interval(piece, weights)
    return laid_out(piece, (figure.value, worst, best), interval)


def _interval(piece: Slice, weights: GroupWeights) -> Interval:
    """The interval of a mean that has to be drawn for, or is refused for its weights."""
    units, value = piece.units, shares(piece.units, piece.metric).value
    kept = piece.inside & units.graded
    return mean_interval(
        value[kept],
        units.keys.cluster.codes[kept],
        strata=units.keys.place.codes[kept],
        weights=weights,
        seed=piece.seed,
    )


def laid_out(piece: Slice, values: tuple[float, float, float], interval: Interval) -> Estimate:
    """An estimate of value, worst and best with an interval, all given as shares of the metric's range."""
    low, span = piece.metric.low, piece.metric.high - piece.metric.low
    value, worst, best = (rounded(low + span * each) for each in values)
    asked, graded = piece.counts
    interval = interval.on_scale(lambda end: low + span * end)
    found = estimated(piece.metric.name, value, interval, asked=asked, graded=graded, group=piece.group.key)
    return replace(found, worst=worst, best=best)


def estimated(
    metric: str, value: float | None, interval: Interval, *, asked: int, graded: int | None = None,
    group: dict[str, str] | None = None,
) -> Estimate:  # fmt: skip
    """The estimate that a value and its interval make; everything that was asked is graded where no number is given."""
    return Estimate(
        metric=metric,
        group=group or {},
        value=rounded(value),
        low=rounded(interval.low),
        high=rounded(interval.high),
        asked=asked,
        graded=asked if graded is None else graded,
        method=interval.method,
        missing=interval.missing,
    )


def rounded(value: float | None) -> float | None:
    """Ten digits are kept, so that the last bit of a sum does not differ between machines."""
    # + 0.0, as a negative zero would be printed as one
    return None if value is None else round(value, 10) + 0.0


describe_dialogues, describe_episodes = partial(described, of="talks"), partial(described, of="days")
