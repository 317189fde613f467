"""Adherence and goal by where a resident comes from, by how many cultures it met, and by kind of place.

A group of fewer than eight days stands apart from the others and in no picture: no claim rests on it.
"""

from collections.abc import Callable, Mapping, Sequence
from math import exp
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.contrast import Contrast, adjusted
from mores.analysis.results import Result
from mores.analysis.units import first_codes, units_of
from mores.benchmarks.liveculture.results.town_runs import (
    ADHERENCE,
    APPLICABLE,
    COHERENCE,
    CONTEXT,
    FAITHFULNESS,
    GOAL,
    STEP,
    FrontPoint,
    TownRun,
)
from mores.benchmarks.shapes.days.grading import IN_PLAY, MET
from mores.core.arrays import Floats, Mask
from mores.core.estimate import Estimate, MetricRows, Missing
from mores.stats.covariate import AdjustedShare, CovariateSlope, adjusted_shares, slope
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.reliability import Reliability, reliability_of_means
from mores.tables.formatting import group_name

NATIONALITY, CULTURES, LOCATION = "nationality", "cultures", "location"
KINDS = (NATIONALITY, CULTURES, LOCATION)


def name_of(kind: str, value: str) -> str:
    """A group's name; a nationality's in English."""
    return group_name("place", value) if kind == NATIONALITY else value


class TownGroup(Struct, frozen=True, kw_only=True):
    """One group with the figures of each evaluation, by metric; None where an evaluation has no such group."""

    kind: str
    value: str
    figures: tuple[dict[str, Estimate], ...]

    @property
    def name(self) -> str:
        """Its name; a nationality's in English."""
        return name_of(self.kind, self.value)

    @property
    def enough(self) -> bool:
        """True where a result has enough days for adherence or, where nothing is known of that, for what was done."""
        return any(enough(each.get(metric)) for each in self.figures for metric in (ADHERENCE, GOAL))


class TownGroupTable(Struct, frozen=True, kw_only=True):
    """All groups of one kind, those with enough days first."""

    kind: str
    evaluations: tuple[Result, ...]
    groups: tuple[TownGroup, ...]

    @property
    def enough(self) -> tuple[TownGroup, ...]:
        """Groups of which some evaluation has enough days."""
        return tuple(group for group in self.groups if group.enough)

    @property
    def few(self) -> tuple[TownGroup, ...]:
        """Groups of too few days."""
        return tuple(group for group in self.groups if not group.enough)

    @property
    def has_goal(self) -> bool:
        """True where what was done is known by group; it is of a day, and not of one of its places."""
        return self.kind != LOCATION


def tables_of(runs: Sequence[TownRun]) -> tuple[TownGroupTable, ...]:
    """A table for each kind of group that the runs have."""
    evaluations = tuple(each.evaluation for each in runs)
    made = (TownGroupTable(kind=kind, evaluations=evaluations, groups=_groups(evaluations, kind)) for kind in KINDS)
    return tuple(table for table in made if table.groups)


def _groups(evaluations: Sequence[Result], kind: str) -> tuple[TownGroup, ...]:
    values = dict.fromkeys(
        value for evaluation in evaluations for metric in (ADHERENCE, GOAL) for value in evaluation.by(kind, metric)
    )
    found = [
        TownGroup(
            kind=kind,
            value=value,
            figures=tuple(
                {name: e for name in evaluation.metrics if (e := evaluation.by(kind, name).get(value)) is not None}
                for evaluation in evaluations
            ),
        )
        for value in values
    ]
    return tuple(sorted(found, key=lambda group: (group.name.casefold(), group.value)))


def enough(figure: Estimate | None) -> bool:
    """True where a figure rests on enough days; each is a cluster."""
    return figure is not None and figure.graded >= MIN_CLUSTERS


def spots_of(evaluation: Result, table: TownGroupTable) -> tuple[tuple[FrontPoint, str], ...]:
    """The nationalities of one evaluation that have enough days for both figures, each with its code."""
    place = table.evaluations.index(evaluation)
    found = []
    for group in table.groups:
        goal, kept = (group.figures[place].get(metric) for metric in (GOAL, ADHERENCE))
        if goal is not None and kept is not None and enough(goal) and enough(kept):
            found.append((FrontPoint(name=group.name, goal=goal, adherence=kept), group.value))
    return tuple(found)


FIVE = (GOAL, ADHERENCE, FAITHFULNESS, CONTEXT, COHERENCE)
"""The paper's metrics (its section 2.6.1)."""


def trends_of(evaluations: Sequence[Result]) -> tuple[tuple[Result, Contrast], ...]:
    """The change of each figure of each model for one culture more; p is corrected over all of these."""
    found = [(each, _trend(each, metric)) for each in evaluations for metric in FIVE if metric in each.metrics]
    corrected = adjusted([trend for _, trend in found])
    return tuple((each, trend) for (each, _), trend in zip(found, corrected, strict=True))


def _trend(evaluation: Result, metric: str) -> Contrast:
    """The slope over days; seven stands for more too, as in the paper's last row."""
    rows = evaluation.scores[metric]
    nothing = Contrast(
        metric=metric, a=None, b=None, difference=None, low=None, high=None, p=None, p_lower=None, units=0,
        clusters=0, minimum_detectable=None, test="slope", method="jackknife", missing=Missing(code="not_in_this_run"),
    )  # fmt: skip
    if CULTURES not in rows.keys.groups:
        return nothing
    days = units_of(rows, rows.keys.sample)
    kept = np.isfinite(days.value)
    met = [MET[name] for name in days.keys.groups[CULTURES].take(kept).texts()]
    unit, clusters = days.keys.unit.codes[kept], days.keys.cluster.codes[kept]
    # The days of one resident count as one together.
    found = slope(met, days.value[kept], 1 / np.bincount(unit)[unit], clusters)
    return replace(
        nothing, difference=found.value, low=found.low, high=found.high, p=found.p, units=int(kept.sum()),
        clusters=found.clusters, missing=found.missing, caution=evaluation.caution(metric, {}),
    )  # fmt: skip


BY = (NATIONALITY, LOCATION)


class NormCount(NamedTuple):
    """Dependence of a figure on the number of norms in play: the logarithm of the share is linear in `of` the number.

    `back` is the number that a mean of these stands for.
    """

    of: Callable[[Floats], Floats]
    back: Callable[[float], float]


COUNTED: Mapping[str, NormCount] = {
    # Where a set number of norms comes up at a step, each is a smaller part of more norms that are in play.
    ADHERENCE: NormCount(np.reciprocal, lambda mean: 1 / mean),
    # Of norms that came up a false word of the verifier makes up more, the more there are that did not.
    APPLICABLE: NormCount(np.log, exp),
    # Each norm is one more that may be violated.
    STEP: NormCount(np.positive, float),
}
"""The readings of adherence that are adjusted for norms in play."""


class GroupAdherence(Struct, frozen=True, kw_only=True):
    """One group: the run's figure, the adjusted one, and how many norms are in play there on average."""

    group: str
    raw: Estimate
    adjusted: Estimate
    in_play: float


class NormsInPlay(Struct, frozen=True, kw_only=True):
    """One reading of one model's groups `by` kind of place or nationality, adjusted to `at` norms in play.

    `factor` is what twice as many norms in play as `at` multiply the figure by. `order` is the reliability of the order
    of adjusted nationalities, of norms that came up alone: how many of a place's norms come up is not known, so that no
    adjustment makes an order of the other readings safe. None of kinds of place, as a day leads to few of them.
    """

    evaluation: Result
    by: str
    metric: str
    at: float
    factor: Estimate
    groups: tuple[GroupAdherence, ...]
    order: Reliability | None = None


def norms_in_play(evaluations: Sequence[Result]) -> tuple[NormsInPlay, ...]:
    """The adjusted figures of each model whose steps say how many norms were in play."""
    found = (_adjusted(each, by, metric) for by in BY for each in evaluations for metric in COUNTED)
    return tuple(each for each in found if each is not None)


def mean_in_play(evaluation: Result) -> float | None:
    """Mean number of norms in play at a judged step, each day alike; None where steps do not say it."""
    rows = evaluation.scores[ADHERENCE] if ADHERENCE in evaluation.metrics else None
    if rows is None or IN_PLAY not in rows.keys.groups or not np.isfinite(rows.value).any():
        return None
    kept = np.isfinite(rows.value)
    days = rows.keys.unit.codes[kept]
    return float(np.average(_counts(rows, kept), weights=1 / np.bincount(days)[days]))


def _counts(rows: MetricRows, kept: Mask) -> Floats:
    return np.array([float(name) for name in rows.keys.groups[IN_PLAY].take(kept).texts()])


def _adjusted(evaluation: Result, by: str, metric: str) -> NormsInPlay | None:
    rows = evaluation.scores[metric] if metric in evaluation.metrics else None
    if rows is None or not {IN_PLAY, by} <= set(rows.keys.groups) or not np.isfinite(rows.value).any():
        return None
    kept, keys = np.isfinite(rows.value), rows.keys
    groups, raw = keys.groups[by], evaluation.by(by, metric)
    counts, known, way = _counts(rows, kept), rows.value[kept], COUNTED[metric]
    first, codes = first_codes(groups.codes[kept])
    names = groups.take(kept).take(first).texts()
    weights, clusters = _weights(rows, kept, by), keys.cluster.codes[kept]
    found = adjusted_shares(known, way.of(counts), codes, weights, clusters)
    at, order = way.back(found.at), None
    if (by, metric) == (NATIONALITY, APPLICABLE) and found.factor.value is not None:
        likely = weights * found.factor.value ** (way.of(counts) - found.at)
        order = reliability_of_means(known * weights, likely, codes, clusters)
    in_play = np.bincount(codes, counts * weights) / np.bincount(codes, weights)
    return NormsInPlay(
        evaluation=evaluation,
        by=by,
        metric=metric,
        at=at,
        factor=evaluation.marked(_doubled(found.factor, way, at, np.unique(keys.unit.codes[kept]).size)),
        groups=tuple(
            GroupAdherence(group=names[each.group], raw=raw[names[each.group]],
                           adjusted=evaluation.marked(_figure(each, raw[names[each.group]], metric)),
                           in_play=float(in_play[each.group]))
            for each in sorted(found.groups, key=lambda one: names[one.group])
        ),
        order=order,
    )  # fmt: skip


def _doubled(factor: CovariateSlope, way: NormCount, at: float, days: int) -> Estimate:
    """The factor by which a figure changes with twice as many norms in play."""
    change = float(way.of(np.array(2 * at)) - way.of(np.array(at)))
    value, *ends = (None if each is None else each**change for each in (factor.value, factor.low, factor.high))
    low, high = sorted(end for end in ends if end is not None) if None not in ends else (None, None)
    return Estimate(
        metric="factor", value=value, low=low, high=high, asked=days, graded=days, method="jackknife",
        missing=factor.missing,
    )  # fmt: skip


def _weights(rows: MetricRows, kept: Mask, by: str) -> Floats:
    """Weight of each step in the figure of its group: steps of a day in it, days of a resident, residents."""
    keys, group = rows.keys, rows.keys.groups[by]
    # One more, as the code of no group is -1.
    unit = keys.unit.codes[kept] * (1 + len(group.names)) + 1 + group.codes[kept]
    day = unit * (1 + int(keys.sample.max(initial=0))) + keys.sample[kept]
    first, of_day = first_codes(day)
    _, of_unit = first_codes(unit)
    return np.asarray(1 / (np.bincount(of_day)[of_day] * np.bincount(of_unit[first])[of_unit]))


def _figure(share: AdjustedShare, raw: Estimate, metric: str) -> Estimate:
    return Estimate(
        metric=metric, group=raw.group, value=share.adjusted, low=share.low, high=share.high, asked=raw.asked,
        graded=raw.graded, method="jackknife" if share.low is not None else "", missing=share.missing,
    )  # fmt: skip
