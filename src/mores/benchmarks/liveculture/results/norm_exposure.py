"""Adherence by kind of place and by nationality, beside what it would be if as many norms were in play everywhere.

A place of which three hundred norms are known has more that can be violated at a step, and more on which a verifier
can err, than one of ten. How the share of steps without a violation falls with their number is found within groups:
within kinds of place between nationalities, within nationalities between kinds of place; what these differ in besides
goes into it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mores.analysis.results import Result
from mores.analysis.units import first_codes
from mores.benchmarks.liveculture.results.groups import LOCATION, NATIONALITY
from mores.benchmarks.liveculture.results.town_runs import ADHERENCE
from mores.benchmarks.shapes.days.grading import IN_PLAY
from mores.core.arrays import Floats, Mask
from mores.core.estimate import Estimate, MetricRows
from mores.stats.covariate import AdjustedShare, adjusted_shares

BY = (NATIONALITY, LOCATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupAdherence:
    """One group: the run's figure, the adjusted one, and how many norms are in play there on average."""

    group: str
    raw: Estimate
    adjusted: Estimate
    in_play: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NormsInPlay:
    """One model's groups `by` kind of place or nationality, adjusted to `in_play` norms, as at a step on average.

    `factor` is what a further norm multiplies the share of steps without a violation by.
    """

    evaluation: Result
    by: str
    in_play: float
    factor: Estimate
    groups: tuple[GroupAdherence, ...]


def norms_in_play(evaluations: Sequence[Result]) -> tuple[NormsInPlay, ...]:
    """The adjusted figures of each model whose steps say how many norms were in play."""
    found = (_adjusted(each, by) for by in BY for each in evaluations if ADHERENCE in each.metrics)
    return tuple(each for each in found if each is not None)


def _adjusted(evaluation: Result, by: str) -> NormsInPlay | None:
    rows = evaluation.scores[ADHERENCE]
    keys = rows.keys
    if not {IN_PLAY, by} <= set(keys.groups) or not np.isfinite(rows.value).any():
        return None
    kept = np.isfinite(rows.value)
    groups, raw = keys.groups[by], evaluation.by(by, ADHERENCE)
    counts = np.array([float(name) for name in keys.groups[IN_PLAY].take(kept).texts()])
    first, codes = first_codes(groups.codes[kept])
    names = groups.take(kept).take(first).texts()
    found = adjusted_shares(rows.value[kept], counts, codes, _weights(rows, kept, by), keys.cluster.codes[kept])
    factor = found.factor
    days = np.unique(keys.unit.codes[kept]).size
    return NormsInPlay(
        evaluation=evaluation,
        by=by,
        in_play=found.at,
        factor=evaluation.marked(
            Estimate(metric="factor", value=factor.value, low=factor.low, high=factor.high, asked=days, graded=days,
                     method="jackknife", missing=factor.missing)
        ),
        groups=tuple(
            GroupAdherence(group=names[each.group], raw=raw[names[each.group]],
                           adjusted=evaluation.marked(_figure(each, raw[names[each.group]])), in_play=each.covariate)
            for each in sorted(found.groups, key=lambda one: names[one.group])
        ),
    )  # fmt: skip


def _weights(rows: MetricRows, kept: Mask, by: str) -> Floats:
    """How much each step counts in the figure of its group: steps of a day in it, days of a resident, residents."""
    keys, group = rows.keys, rows.keys.groups[by]
    unit = keys.unit.codes[kept] * (1 + len(group.names)) + 1 + group.codes[kept]
    day = unit * (1 + int(keys.sample.max(initial=0))) + keys.sample[kept]
    first, of_day = first_codes(day)
    _, of_unit = first_codes(unit)
    return np.asarray(1 / (np.bincount(of_day)[of_day] * np.bincount(of_unit[first])[of_unit]))


def _figure(share: AdjustedShare, raw: Estimate) -> Estimate:
    return Estimate(
        metric=ADHERENCE, group=raw.group, value=share.adjusted, low=share.low, high=share.high, asked=raw.asked,
        graded=raw.graded, method="jackknife" if share.low is not None else "", missing=share.missing,
    )  # fmt: skip
