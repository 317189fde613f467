"""Figures of a benchmark by place and group, the gap between places, and the reliability of an order of groups.

results of one benchmark ─▶ the headline of the whole and of each group, model by model ─▶ rows of tables
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import isnan
from statistics import fmean
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from mores.analysis.gaps import spread_of
from mores.analysis.groups import GROUPINGS, PLACE, column_of, region_of, values_of
from mores.analysis.judge_errors import joined_band
from mores.analysis.results import Result, Results
from mores.analysis.units import HELD, Units, headline_units, matched, units_of
from mores.core.arrays import Codes, Floats
from mores.core.estimate import (
    SEPARATE,
    VERBATIM,
    Estimate,
    JudgeBand,
    Missing,
    caution_of,
    gravest,
    judge_band_of,
    shown,
)
from mores.stats.checks import distinct_pairs
from mores.stats.gaps import Gap
from mores.stats.partial_pooling import MIN_PLACES, pool_places
from mores.stats.reliability import Reliability, reliability_of_means
from mores.tables import Column, FilledTable, Row, Table
from mores.tables import formatting as words
from mores.tables.columns import BENCHMARK, EVALUATION, METRIC


class RankReliability(Struct, frozen=True, kw_only=True):
    """Agreement of figures of one kind of group with those of other units; `unit` is what they count."""

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
    first = evaluations[0]
    if unranked := first.listed(metric).unranked:
        nothing = Reliability(groups=0, units=0, clusters=0, missing=Missing(code=VERBATIM, told=unranked))
        return RankReliability(kind=kind, unit=first.counted, found=nothing)
    every = [units_of(each.scores[metric]) if metric else headline_units(each) for each in evaluations]
    units, points = _shared(every)
    at, names = _members(units, kind)
    place = units.keys.place.codes[at]
    # In a region's figure every place counts the same.
    divide = 1 / np.bincount(place)[place] if kind in GROUPINGS else np.ones(at.size)
    found = reliability_of_means(
        points[at] * divide, units.weights[at] * divide, names, units.keys.cluster.codes[at]
    )  # fmt: skip
    return RankReliability(kind=kind, unit=first.counted, found=found)


def orders_of(evaluations: Sequence[Result]) -> tuple[RankReliability, ...]:
    """Of evaluations of one benchmark, for every kind of group that its figures are broken down by."""
    return _orders_of(tuple(evaluations))


@lru_cache(maxsize=HELD)
def _orders_of(evaluations: tuple[Result, ...]) -> tuple[RankReliability, ...]:
    return tuple(order_of(evaluations, kind) for kind in evaluations[0].kinds if kind != SEPARATE)


def _shared(every: Sequence[Units]) -> tuple[Units, Floats]:
    """The units that all models have, as the first has them, and their mean points over models."""
    first = every[0]
    rows = np.array([matched(first, other) for other in every])
    kept = np.flatnonzero((rows >= 0).all(axis=0))
    points = [other.points[at] for other, at in zip(every, rows[:, kept], strict=True)]
    return first.take(kept), np.mean(points, axis=0)


def _members(units: Units, kind: str) -> tuple[Codes, Codes]:
    """Each unit with each group of a kind that it belongs to, the groups by their order."""
    column = column_of(units.keys, kind)
    if column is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    of_name = [values_of(kind, name) for name in column.names]
    place = {value: code for code, value in enumerate(sorted({value for values in of_name for value in values}))}
    codes = [np.array([place[value] for value in values], dtype=np.int64) for values in (*of_name, ())]
    size = np.array([each.size for each in codes])[column.codes]
    # the groups of all names lie end to end: where those of each unit's name begin
    begin = np.cumsum([0, *(each.size for each in codes[:-1])])[column.codes]
    rows = np.repeat(np.arange(len(units)), size)
    within = np.arange(rows.size) - np.repeat(np.cumsum(size) - size, size)
    return rows, np.concatenate(codes)[begin[rows] + within]


GROUPS = Table.of(
    "groups",
    "Figures by place and group",
    EVALUATION,
    METRIC,
    Column("kind", "text", "kind of group, such as place; missing for the whole"),
    Column("group", "group", "its name, a place's code; missing for the whole", of="kind"),
    Column("figure", "estimate", "the headline of the group", main=True),
    Column("pooled", "estimate", "the headline of a place, were all places read together; bears no claim"),
)
GAPS = Table.of(
    "place_gaps",
    "Points between the best and the worst place",
    EVALUATION,
    Column("metric", "metric", "the headline, in whose points all of it is"),
    Column("places", "count", "places with a figure"),
    Column("gap", "number", "the best place less the worst"),
    Column("by_chance", "number", "the same if all places were alike"),
    Column("p", "p", "share of permutations with as large a gap, uncorrected", title="p"),
    Column("noise_corrected", "number", "the gap without the part of noise", title="Corrected"),
    Column("deviation", "number", "standard deviation of the places' figures"),
    Column("permutations", "count", "of the places over clusters"),
)
ORDERS = Table.of(
    "group_orders",
    "Reliability of orders of groups",
    BENCHMARK,
    Column("models", "count", "models over whose means groups are ordered"),
    Column("kind", "text", "kind of group"),
    Column("reliability", "reliability", "agreement with the figures of other units, from 0 to 1", main=True),
)
MEANS = Table.of(
    "place_means",
    "Means of models by place",
    BENCHMARK,
    METRIC,
    Column("models", "count", "models that it is the mean of"),
    Column("place", "group", "its code", of=PLACE),
    Column("mean", "estimate", "mean of the models' figures, without an interval", main=True),
)


class GroupFigures(NamedTuple):
    """One group with its figure from each model, None where a model has none; `kind` is empty for the whole.

    `pooled` are the same of a place, were all places read together.
    """

    kind: str
    value: str
    figures: tuple[Estimate | None, ...]
    pooled: tuple[Estimate | None, ...] = ()

    @property
    def name(self) -> str:
        """Its name for people."""
        return words.group_name(self.kind, self.value) if self.kind else "Everything"

    @property
    def asked(self) -> int:
        """Units asked, of the model that was asked most."""
        return max((e.asked for e in self.figures if e is not None), default=0)

    @property
    def mean(self) -> float:
        """Mean over models, by which groups are put in order."""
        values = [e.value for e in self.figures if e is not None and e.value is not None]
        return fmean(values) if values else float("inf")


class Breakdown(NamedTuple):
    """One benchmark: its groups, the whole first, the reliability of their orders by kind, and gaps between places."""

    evaluations: tuple[Result, ...]
    groups: tuple[GroupFigures, ...]
    orders: Mapping[str, RankReliability]
    gaps: tuple[tuple[Result, Gap], ...]
    rows: tuple[Row, ...]

    @property
    def kinds(self) -> dict[str, list[GroupFigures]]:
        """Groups by their kind."""
        kinds = dict.fromkeys(each.kind for each in self.groups if each.kind)
        return {kind: [each for each in self.groups if each.kind == kind] for kind in kinds}


@lru_cache(maxsize=32)
def breakdown(results: Results, benchmark: str) -> Breakdown:
    """The figures of a benchmark's groups from all models, computed once for a table, a page and a screen."""
    evaluations = tuple(results.on(benchmark))
    groups = tuple(_groups(evaluations))
    spreads = ((each, spread_of(each)) for each in evaluations)
    return Breakdown(
        evaluations=evaluations,
        groups=groups,
        orders={order.kind: order for order in orders_of(evaluations)},
        gaps=tuple((each, found) for each, found in spreads if found is not None),
        rows=tuple(row for group in groups for row in _rows(evaluations, group)),
    )


def _groups(evaluations: Sequence[Result]) -> Iterator[GroupFigures]:
    """The whole, then the groups of each kind by their names, in the card's order of kinds."""
    yield GroupFigures("", "", tuple(evaluation.overall() for evaluation in evaluations))
    for kind in dict.fromkeys(kind for each in evaluations for kind in each.kinds):
        tables = [evaluation.by(kind) for evaluation in evaluations]
        values = dict.fromkeys(value for table in tables for value in table)
        for value in sorted(values, key=lambda value: words.group_name(kind, value)):
            drawn = tuple(pooled_places(each).get(value) for each in evaluations) if kind == PLACE else ()
            yield GroupFigures(kind, value, tuple(table.get(value) for table in tables), drawn)


METHOD = "places read together"
_LIKE = 1e-6
"""Part of a metric's range within which a place's mean is its figure."""


@lru_cache(maxsize=HELD)
def pooled_places(evaluation: Result) -> Mapping[str, Estimate]:
    """The headline of each place by its id, drawn towards its region and all places, by as much as chance may move it.

    Empty where fewer than five places have two clusters or more, and where the headline is no plain mean of units.
    """
    units = headline_units(evaluation)
    kept = np.flatnonzero(units.graded & (units.keys.place.codes >= 0))
    if evaluation.headline not in evaluation.scores.means or not _several_clusters(units, kept):
        return {}
    metric = evaluation.described
    low, high = (metric.low, metric.high) if metric else (0.0, 1.0)
    points, keys = units.points[kept] / units.mean_weight, units.keys.take(kept)
    place = keys.place.texts()
    region = [region_of(evaluation, each) for each in place]
    found = pool_places(
        np.clip((points - low) / (high - low), 0, 1),
        place,
        clusters=keys.cluster.codes,
        regions=region if all(region) else None,
    )
    figures, asked = evaluation.by(PLACE), Counter(units.keys.place.texts())
    pooled = {
        each.place: Estimate(
            metric=evaluation.headline, group={PLACE: each.place}, method=METHOD, asked=asked[each.place],
            graded=each.units, **{name: low + (high - low) * getattr(each, name) for name in ("value", "low", "high")},
        )
        for each in found.places
        if _alike(figures.get(each.place), low + (high - low) * each.raw, high - low)
    }  # fmt: skip
    return {place: evaluation.marked(figure) for place, figure in pooled.items()}


def _several_clusters(units: Units, rows: Codes) -> bool:
    place, _, _ = distinct_pairs(units.keys.place.codes[rows], units.keys.cluster.codes[rows])
    return int(np.sum(np.bincount(place) > 1)) >= MIN_PLACES


def _alike(figure: Estimate | None, mean: float, reach: float) -> bool:
    """True if a place's figure is the mean of its units: what is drawn must be what stands beside it."""
    return figure is not None and figure.value is not None and abs(figure.value - mean) <= _LIKE * reach


def _rows(evaluations: Sequence[Result], group: GroupFigures) -> Iterator[Row]:
    """A row a model that has the group; of the whole each model has one."""
    pooled = group.pooled or (None,) * len(evaluations)
    for evaluation, figure, drawn in zip(evaluations, group.figures, pooled, strict=True):
        if figure is not None or not group.kind:
            yield (evaluation, evaluation.listed(), group.kind or None, group.value or None, figure, drawn)


def tables_of(found: Sequence[Breakdown]) -> tuple[FilledTable, ...]:
    """All of it, benchmark by benchmark."""
    return (
        GROUPS.filled(row for each in found for row in each.rows),
        GAPS.filled((_gap(result, gap) for each in found for result, gap in each.gaps)),
        ORDERS.filled(row for each in found for row in _orders(each)),
        MEANS.filled(row for each in found for row in _means(each)),
    )


def _gap(evaluation: Result, gap: Gap) -> Row:
    shrunk = None if isnan(gap.shrunken) else gap.shrunken
    figures = (gap.regions, gap.gap, gap.null, gap.p, shrunk, gap.std, gap.permutations)
    return (evaluation, evaluation.listed(), *figures)


def _orders(found: Breakdown) -> Iterator[Row]:
    for kind, order in found.orders.items():
        yield (found.evaluations[0].benchmark, len(found.evaluations), kind, order.found)


def _means(found: Breakdown) -> Iterator[Row]:
    """By place, where there are several models."""
    first, models = found.evaluations[0], len(found.evaluations)
    for group in found.kinds.get(PLACE, ()) if models > 1 else ():
        if (mean := mean_of(group)) is not None:
            yield (first.benchmark, first.listed(), models, group.value, mean)


def mean_of(group: GroupFigures) -> Estimate | None:
    """The mean of all models' figures; None where one of them has none."""
    found = [each for each in group.figures if each is not None]
    values = [each.value for each in found if each.value is not None]
    # a mean over other models in each group would put the groups in a false order
    if len(values) < len(group.figures):
        return None
    asked, graded = (sum(getattr(each, name) for each in found) for name in ("asked", "graded"))
    mean = Estimate(metric=found[0].metric, value=fmean(values), asked=asked, graded=graded)
    return shown(mean, caution=gravest([*map(caution_of, found)]), judge=_mean_band(found))


def _mean_band(figures: Sequence[Estimate]) -> JudgeBand | None:
    """Mean of the judge bands of some figures; None where one of them has none.

    A figure is linear in what its judge passed, so of one judge it is the band of the mean; of several it is as wide.
    """
    bands = [band for band in map(judge_band_of, figures) if band is not None]
    if len(bands) < len(figures):
        return None
    return joined_band(bands, fmean)
