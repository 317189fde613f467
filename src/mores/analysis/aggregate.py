"""Estimates from scores: one aggregator for all benchmarks, each metric over the whole and every group.

Scores ─▶ units (`analysis.units`) ─▶ one way to put units together for each metric ─▶ estimates. Groups of places are
unweighted means of their places; everything else is a plain mean, unless the metric says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from mores.analysis.cohorts import Cohort, Weights, is_binary, shares
from mores.analysis.groups import GROUPINGS, Group, column_of, groups_of
from mores.analysis.units import Units, units_of
from mores.core.arrays import Codes, Floats, Mask, np
from mores.core.card import Card, Metric
from mores.core.estimate import NOTHING_GRADED, Estimate, Missing
from mores.core.scores import APART, SEVERAL, Rows, Scores
from mores.core.seeds import Seed
from mores.stats.arrays import ranks
from mores.stats.intervals import Interval, mean_interval

MANY = 100_000
"""Units from which kinds of groups are reckoned one after another: all at once they would take gigabytes."""


class Slice(NamedTuple):
    """One metric over one group: all its units, which of them are inside, and the rows that they come from.

    `cohort` has what is reckoned for many groups at once, None where a unit may belong to several of its kind.
    """

    metric: Metric
    group: Group
    units: Units
    inside: Mask
    rows: Rows
    root: Seed
    cohort: Cohort | None = None

    @property
    def seed(self) -> Seed:
        """Of what is drawn for this metric and group alone."""
        return self.root.child(self.metric.name, self.group.kind, self.group.value)

    @property
    def counts(self) -> tuple[int, int]:
        """Units asked and graded."""
        if self.cohort is not None:
            return self.cohort.counts(self.group)
        return int(self.inside.sum()), int((self.inside & self.units.graded).sum())

    @property
    def lower_is_better(self) -> bool:
        """Whether small is good."""
        return self.metric.better == "lower"

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
    told = {metric.name: _told(scores[metric.name]) for metric in card.metrics if metric.name in scores}
    for metric in card.metrics:
        if metric.name in scores.missing:
            found.setdefault((0, ""), []).append(_missing(metric, scores.missing[metric.name]))
        elif metric.name in scores:
            aggregator = (aggregators or {}).get(metric.name, mean)
            same = told.pop(metric.name)
            folds = alike.pop(same, None) or _Folds(scores[metric.name], card.groups)
            if same in told.values():
                alike[same] = folds
            for piece in (*_slices(metric, scores[metric.name], folds, seed), *_apart(metric, scores, seed)):
                estimate = aggregator(piece)
                if estimate is not None:
                    found.setdefault((_order(piece.group, card), piece.group.value), []).append(estimate)
    return tuple(estimate for key in sorted(found) for estimate in found[key])


def _missing(metric: Metric, missing: Missing) -> Estimate:
    return Estimate(metric=metric.name, value=None, asked=missing.n, graded=0, missing=missing)


def _told(rows: Rows) -> Hashable:
    """The same for metrics that say the same of the same rows."""
    values = (rows.value, rows.least, rows.most, *(() if rows.weight is None else (rows.weight,)))
    return id(rows.keys), tuple(blake2b(np.ascontiguousarray(each).data).digest() for each in values)


def _slices(metric: Metric, rows: Rows, folds: _Folds, seed: Seed) -> Iterator[Slice]:
    for group in folds.groups:
        yield Slice(metric, group, *folds.at(group), rows, seed, folds.cohort(group.kind))


def _apart(metric: Metric, scores: Scores, seed: Seed) -> Iterator[Slice]:
    """Each group of what stands apart, by itself."""
    rows = scores.apart.get(metric.name)
    if rows is None:
        return
    for group in groups_of(rows.keys, (APART,)):
        if group.kind:
            units = units_of(rows.take(group.mask(rows.keys)))
            yield Slice(metric, group, units, np.ones(len(units), dtype=np.bool_), rows, seed)


def _order(group: Group, card: Card) -> int:
    if group.kind == APART:
        return len(card.groups) + 1
    return card.groups.index(group.kind) + 1 if group.kind else 0


@dataclass(slots=True)
class _Folds:
    """The units of some rows, folded once for all groups of which a unit belongs to one."""

    rows: Rows
    kinds: tuple[str, ...]
    whole: Units = field(init=False)
    groups: tuple[Group, ...] = field(init=False)
    by_kind: dict[str, Units | None] = field(default_factory=dict)
    cohorts: dict[tuple[int, bool, str], Cohort] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.whole = units_of(self.rows)
        self.groups = tuple(groups_of(self.rows.keys, self.kinds))

    def at(self, group: Group) -> tuple[Units, Mask]:
        """The units to look at for one group, and which belong to it."""
        units = self._of_kind(group.kind)
        if units is None:
            inside = group.mask(self.rows.keys)
            units = units_of(self.rows.take(inside))
        cohort = self.cohort(group.kind)
        return units, group.mask(units.keys) if cohort is None else cohort.inside(group)

    def cohort(self, kind: str) -> Cohort | None:
        """The groups of all kinds like this one (of places, or not), where a unit is in one of each kind at most."""
        units = self._of_kind(kind) if kind else None
        if units is None:
            return None
        alone = kind if len(units) > MANY else ""
        key = id(units), kind in GROUPINGS, alone
        if key not in self.cohorts:
            if alone:
                self.cohorts.clear()
            kinds = (kind,) if alone else self.kinds
            like = [k for k in kinds if (k in GROUPINGS) == key[1] and self._of_kind(k) is units]
            self.cohorts[key] = Cohort.of(units, like)
        return self.cohorts[key] if kind in self.cohorts[key].codes else None

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


def _mean(piece: Slice, weights: Weights) -> Estimate:
    if piece.cohort is not None:
        return _mean_in_cohort(piece, piece.cohort, weights)
    units, inside, metric = piece.units, piece.inside, piece.metric
    kept = inside & units.graded
    if not kept.any():
        return piece.nothing()
    value, least, most = shares(units, metric)
    places = units.keys.place.codes
    bounds = [share_of(bound[inside], places[inside], weights) for bound in (least, most)]
    worst, best = reversed(bounds) if piece.lower_is_better else bounds
    interval = _interval(piece, value, weights)
    return laid_out(piece, (share_of(value[kept], places[kept], weights), worst, best), interval)


def _mean_in_cohort(piece: Slice, cohort: Cohort, weights: Weights) -> Estimate:
    figure = cohort.figure(piece.group, piece.metric, weights)
    if figure is None:
        return piece.nothing()
    worst, best = (figure.most, figure.least) if piece.lower_is_better else (figure.least, figure.most)
    interval = figure.interval or _interval(piece, shares(piece.units, piece.metric).value, weights)
    return laid_out(piece, (figure.value, worst, best), interval)


def _interval(piece: Slice, value: Floats, weights: Weights) -> Interval:
    units = piece.units
    kept = piece.inside & units.graded
    return mean_interval(
        value[kept],
        units.keys.cluster.codes[kept],
        strata=units.keys.place.codes[kept],
        weights=weights,
        binary=is_binary(value, units),
        seed=piece.seed,
    )


def share_of(values: Floats, places: Codes, weights: Weights) -> float:
    """The mean of units, or of the means of their places."""
    if weights is None:
        return float(values.mean())
    codes = ranks(places)
    return float(np.mean(np.bincount(codes, values) / np.bincount(codes)))


def laid_out(piece: Slice, values: tuple[float, float, float], interval: Interval) -> Estimate:
    """An estimate of value, worst and best with an interval, all given as shares of the metric's range."""
    low, span = piece.metric.low, piece.metric.high - piece.metric.low
    value, worst, best = (rounded(low + span * each) for each in values)
    ends = (None if end is None else low + span * end for end in (interval.low, interval.high))
    asked, graded = piece.counts
    return Estimate(
        metric=piece.metric.name,
        group=piece.group.key,
        value=value,
        low=rounded(next(ends)),
        high=rounded(next(ends)),
        asked=asked,
        graded=graded,
        worst=worst,
        best=best,
        method=interval.method,
        missing=interval.missing,
    )


def rounded(value: float | None) -> float | None:
    """Ten digits are kept, so that the last bit of a sum does not differ between machines."""
    return None if value is None else round(value, 10) + 0.0


describe_dialogues, describe_episodes = partial(described, of="talks"), partial(described, of="days")
