"""Adherence by kind of place, beside what it would be if as many norms were in play everywhere.

A place of which three hundred norms are known has more that can be violated at a step, and more on which a verifier
can err, than one of ten. How the share of steps without a violation falls with their number is found within kinds of
place, between origins of which different numbers are known; what origins differ in besides goes into it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mores.analysis.results import Result
from mores.analysis.units import first_codes
from mores.benchmarks.liveculture.lived.groups import LOCATION
from mores.benchmarks.liveculture.lived.reading import ADHERENCE
from mores.benchmarks.shapes.days.grading import IN_PLAY
from mores.core.estimate import Estimate
from mores.core.scores import Rows
from mores.stats.covariate import AdjustedShare, adjusted_shares


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceAdherence:
    """One kind of place: the run's figure, the adjusted one, and how many norms are in play there on average."""

    kind: str
    raw: Estimate
    adjusted: Estimate
    in_play: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NormsInPlay:
    """One model's kinds of place, adjusted to as many norms as are `in_play` at a step on average.

    `factor` is what a further norm multiplies the share of steps without a violation by.
    """

    evaluation: Result
    in_play: float
    factor: Estimate
    places: tuple[PlaceAdherence, ...]


def norms_in_play(evaluations: Sequence[Result]) -> tuple[NormsInPlay, ...]:
    """The adjusted figures of each model whose steps say how many norms were in play."""
    found = (_adjusted(each) for each in evaluations if ADHERENCE in each.metrics)
    return tuple(each for each in found if each is not None)


def _adjusted(evaluation: Result) -> NormsInPlay | None:
    rows = evaluation.scores[ADHERENCE]
    keys = rows.keys
    if not {IN_PLAY, LOCATION} <= set(keys.groups) or not np.isfinite(rows.value).any():
        return None
    kept = np.isfinite(rows.value)
    places, raw = keys.groups[LOCATION], evaluation.by(LOCATION, ADHERENCE)
    counts = np.array([float(name) for name in keys.groups[IN_PLAY].take(kept).texts()])
    first, codes = first_codes(places.codes[kept])
    names = places.take(kept).take(first).texts()
    found = adjusted_shares(rows.value[kept], counts, codes, _weights(rows, kept), keys.cluster.codes[kept])
    factor = found.factor
    days = np.unique(keys.unit.codes[kept]).size
    return NormsInPlay(
        evaluation=evaluation,
        in_play=found.at,
        factor=Estimate(metric="factor", value=factor.value, low=factor.low, high=factor.high, asked=days, graded=days,
                        method="jackknife", missing=factor.missing),
        places=tuple(
            PlaceAdherence(kind=names[each.group], raw=raw[names[each.group]],
                           adjusted=_figure(each, raw[names[each.group]]), in_play=each.covariate)
            for each in sorted(found.groups, key=lambda one: names[one.group])
        ),
    )  # fmt: skip


def _weights(
    rows: Rows, kept: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """How much each step counts in the figure of its place: steps of a day there, days of a resident, residents."""
    keys = rows.keys
    unit = keys.unit.codes[kept] * (1 + len(keys.groups[LOCATION].names)) + 1 + keys.groups[LOCATION].codes[kept]
    day = unit * (1 + int(keys.sample.max(initial=0))) + keys.sample[kept]
    first, of_day = first_codes(day)
    _, of_unit = first_codes(unit)
    return np.asarray(1 / (np.bincount(of_day)[of_day] * np.bincount(of_unit[first])[of_unit]))


def _figure(share: AdjustedShare, raw: Estimate) -> Estimate:
    return Estimate(
        metric=ADHERENCE, group=raw.group, value=share.adjusted, low=share.low, high=share.high, asked=raw.asked,
        graded=raw.graded, method="jackknife" if share.low is not None else "", missing=share.missing,
    )  # fmt: skip
