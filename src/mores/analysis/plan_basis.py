"""Basis of a plan: how often two models differ, how alike clusters are, how good the judge is; and who says so.

earlier runs ─▶ pairs of models on the same units ─▶ discordance, its lasting part, the design effect. What no run shows
and nobody gave is assumed, and said to be.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan, nan
from statistics import fmean
from typing import NamedTuple

import numpy as np

from mores.analysis.compatibility import unlike
from mores.analysis.contrast import mean_square, metric_range, paired
from mores.analysis.results import Result
from mores.analysis.units import Units, headline_units, shared_rows
from mores.core.arrays import Floats
from mores.stats.clusters import design_effect

DISCORDANCE, STABLE, ALIKE = 0.2, 0.5, 0.2
"""Assumed where nothing is known: the share of units on which two models differ, the part of it that is the same in
every answer, and the intraclass correlation of units that are drawn together."""
MOST_MODELS = 8
"""Models of earlier runs that are held against each other."""


class PlanAssumption(NamedTuple):
    """A figure that a plan rests on, and where it comes from."""

    value: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotData:
    """Figures of earlier runs of a benchmark; `discordance` and `stable` are of single answers.

    `stable` is None where no item had several answers, and `alike`, the intraclass correlation, where no cluster had
    several units; all are where there were no runs.
    """

    discordance: float | None = None
    stable: float | None = None
    alike: float | None = None
    source: str = ""


def pilot_of(evaluations: Sequence[Result]) -> PilotData | None:
    """Figures for a plan from some evaluations of one benchmark; None where they show nothing.

    Two models or more are held against each other, as far as they may be compared. One alone tells of its own spread:
    a second that is as good and errs independently of it would differ from it so often, which is rather too often.
    """
    alike = [
        evaluation for evaluation in evaluations if unlike(evaluations[0], evaluation, allow_other_data=False) is None
    ][:MOST_MODELS]
    reach = metric_range(evaluations[0].described) if evaluations else 1.0
    if len(alike) > 1:
        found = [_of_pair(a, b, reach) for a, b in combinations(alike, 2)]
        source = f"from {len(found)} pair{'s' if len(found) > 1 else ''} of models in earlier runs"
    else:
        found = [_of_one(headline_units(each), reach) for each in alike]
        source = "from one model of an earlier run, as if a second, as good, erred independently of it"
    known = [one for one in found if one is not None and one.spread > 0]
    if not known:
        return None
    noise = [one.noise for one in known if not isnan(one.noise)]
    correlations = [one.alike for one in known if not isnan(one.alike)]
    spread, samples = fmean(one.spread for one in known), fmean(one.samples for one in known)
    lasting = max(0.0, spread - fmean(noise) / samples) if noise else nan
    single = lasting + fmean(noise) if noise else spread
    return PilotData(
        discordance=min(1.0, single),
        stable=lasting / single if noise and single > 0 else None,
        alike=max(0.0, fmean(correlations)) if correlations else None,
        source=source,
    )


class _Seen(NamedTuple):
    """Mean squared difference of units as shares of the range, the noise of single answers in it, and how alike.

    How alike units of a cluster are, and the noise, are NaN where that cannot be told.
    """

    spread: float
    noise: float
    samples: float
    alike: float


def _of_pair(a: Result, b: Result, reach: float) -> _Seen | None:
    pairs, one, other = paired(a.scores[a.headline], b.scores[b.headline]), headline_units(a), headline_units(b)
    if len(pairs.a) < 2:
        return None
    mine, theirs = shared_rows([one, other])
    scale = reach * one.mean_weight / one.points_a_value
    return _Seen(
        spread=mean_square(pairs, reach),
        noise=2 * _noise(np.concatenate((one.noise[mine], other.noise[theirs])), scale),
        samples=float(np.mean((one.samples[mine], other.samples[theirs]))),
        alike=design_effect(pairs.gap, pairs.cluster).icc,
    )


def _of_one(units: Units, reach: float) -> _Seen | None:
    kept, scale = units.graded, reach * units.mean_weight
    if kept.sum() < 2:
        return None
    points = units.points[kept] / scale
    return _Seen(
        spread=2 * float(points.var()),
        noise=2 * _noise(units.noise[kept], scale / units.points_a_value),
        samples=float(units.samples[kept].mean()),
        alike=design_effect(points, units.keys.cluster.codes[kept]).icc,
    )


def _noise(variances: Floats, scale: float) -> float:
    """Variance of single answers to a unit; NaN where no unit has two."""
    known = variances[np.isfinite(variances)]
    return float(known.mean()) / scale**2 if known.size else nan
