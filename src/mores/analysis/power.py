"""Power before a run: the difference that units can show, and the units that a difference needs.

earlier runs ─▶ pairs of models on the same units ─▶ discordance, its lasting part, the design effect. What no run shows
and nobody gave is assumed, and said to be.

units with their clusters and places, what was given, what earlier runs show ─▶ `Basis` ─▶ the least differences.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import isnan, nan, sqrt
from statistics import fmean
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.compatibility import first_mismatch
from mores.analysis.contrast import KINDS, mean_square, metric_range, paired
from mores.analysis.groups import PLACE, Group
from mores.analysis.results import Result
from mores.analysis.units import Units, headline_units, shared_rows
from mores.core.arrays import Floats
from mores.core.estimate import SHOWS_NO_DIFFERENCE, Missing
from mores.stats.clusters import design_effect
from mores.stats.intervals import MIN_CLUSTERS, too_few
from mores.stats.power import PowerAnalysis, discordance_of_means, least_clusters
from mores.stats.ranks import FIRST, gatekeeping
from mores.stats.sequential import LookPlan, expected

DISCORDANCE, STABLE, ALIKE = 0.2, 0.5, 0.2
"""Assumed where nothing is known: the share of units on which two models differ, the part of it that is the same in
every answer, and the intraclass correlation of units that are drawn together."""
MOST_MODELS = 8
"""Models of earlier runs that are held against each other."""


class PlanAssumption(NamedTuple):
    """A figure that a plan rests on, and where it comes from."""

    value: float
    source: str


class PilotData(Struct, frozen=True, kw_only=True):
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
        evaluation
        for evaluation in evaluations
        if first_mismatch(evaluations[0], evaluation, allow_other_data=False) is None
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
    # what averages of so many samples still differ by, less what chance leaves in them
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
        # of two models that err independently the difference varies twice as much as either
        spread=2 * float(points.var()),
        noise=2 * _noise(units.noise[kept], scale / units.points_a_value),
        samples=float(units.samples[kept].mean()),
        alike=design_effect(points, units.keys.cluster.codes[kept]).icc,
    )


def _noise(variances: Floats, scale: float) -> float:
    """Variance of single answers to a unit; NaN where no unit has two."""
    known = variances[np.isfinite(variances)]
    return float(known.mean()) / scale**2 if known.size else nan


class PlanRequest(Struct, frozen=True, kw_only=True):
    """Request of a plan; `difference` in points of the metric, figures that nobody gave are None."""

    difference: float | None = None
    discordance: float | None = None
    design_effect: float | None = None
    judge_quality: float | None = None
    power: float = 0.8
    alpha: float = 0.05


class PlannedUnit(NamedTuple):
    """A unit: what it is drawn with, its place, and what else it belongs to."""

    cluster: str
    place: str
    groups: Mapping[str, str]


class UnitDesign(Struct, frozen=True, kw_only=True):
    """The units that a benchmark's headline would count, by name, and how they would be asked.

    `samples` are the answers to each item, which vary where they are `random`; `chance` is what guessing gets.
    """

    units: Mapping[str, PlannedUnit]
    samples: int
    random: bool
    judged: bool
    chance: float

    @property
    def clusters(self) -> list[str]:
        """The cluster of each unit."""
        return [each.cluster for each in self.units.values()]


class MinimumSample(Struct, frozen=True, kw_only=True):
    """Least sample that shows anything at level alpha / `family`.

    With fewer than `clusters` of them no result at all has a p below it; `units` show `largest`, the largest difference
    that the discordance holds (a share of the metric's range), with the wanted power.
    """

    family: int
    clusters: int
    units: int
    largest: float


class ExpectedAsking(Struct, frozen=True, kw_only=True):
    """Expected length of a run until a claim is decided: mean units, their share of all, and how often it is shown.

    Of no difference `found` is the chance that it is shown either way all the same, by half.
    """

    difference: float
    found: float
    share: float
    units: float


class Basis(Struct, frozen=True, kw_only=True):
    """Assumptions of a plan; `samples` are the answers to each item, `discordance` and `stable` are of single ones.

    `design_effect` is that of all units, `alike` the intraclass correlation behind it; None where the effect was given.
    """

    discordance: PlanAssumption
    stable: PlanAssumption
    design_effect: PlanAssumption
    alike: float | None
    judge_quality: PlanAssumption
    samples: int
    power: float
    alpha: float

    @property
    def left(self) -> float:
        """Part of the standard deviation of single answers' differences that averages over samples leave."""
        return sqrt(discordance_of_means(1.0, stable=self.stable.value, samples=self.samples))

    def widening(self, clusters: Sequence[str]) -> float:
        """The design effect of some units, by the cluster of each."""
        met = size_biased_cluster_size(clusters)
        # units of their own clusters have no design effect, whatever was given for others
        if met == 1:
            return 1.0
        return self.design_effect.value if self.alike is None else 1 + (met - 1) * self.alike

    def detectable(self, clusters: Sequence[str], family: int = 1) -> float | None:
        """Least difference of shares that some units show, corrected as the first of a family is by Holm's.

        None where they would not show even the largest, with every unit that differs differing the same way.
        """
        least = self._terms(clusters, family).least_difference(len(clusters), clusters=len(set(clusters)))
        return None if least is None else self.left * least

    def _terms(self, clusters: Sequence[str], family: int) -> PowerAnalysis:
        return PowerAnalysis(
            discordance=self.discordance.value,
            design_effect=self.widening(clusters),
            judge_quality=self.judge_quality.value,
            power=self.power,
            alpha=self.alpha / family,
        )

    def floor(self, clusters: Sequence[str], family: int = 1) -> MinimumSample:
        """Least sample that shows any difference with units that lie in clusters as these do."""
        alpha, largest = self.alpha / family, self.discordance.value
        units = self._units(largest, largest, self.widening(clusters), clusters, alpha)
        share = min(1.0, self.left * largest / self.judge_quality.value)
        return MinimumSample(family=family, clusters=least_clusters(alpha), units=units, largest=share)

    def lifted(self, size: float) -> "Basis":
        """The same for a difference: it needs as many units that differ as it is large, whatever was assumed."""
        value, source = self.discordance
        return replace(self, discordance=PlanAssumption(max(value, size * self.judge_quality.value), source))

    def units_for(self, size: float, clusters: Sequence[str]) -> int:
        """Units that show a difference, in clusters as large as these are on average."""
        discordance = self.lifted(size).discordance.value
        seen = min(size * self.judge_quality.value / self.left, discordance)
        return self._units(seen, discordance, self.design_effect.value, clusters, self.alpha)

    def asking(self, size: float, clusters: Sequence[str]) -> ExpectedAsking:
        """Expected length of a run with `--until` over some units, where the difference is of this size; 0 for none."""
        terms = self.lifted(size)
        error = self.left * sqrt(terms.discordance.value * self.widening(clusters) / len(clusters))
        independent = len(set(clusters))
        stop = expected(LookPlan.even(independent, self.alpha), size * self.judge_quality.value / error)
        return ExpectedAsking(difference=size, found=stop.found, share=stop.share, units=stop.share * len(clusters))

    def _units(self, seen: float, discordance: float, widened: float, clusters: Sequence[str], alpha: float) -> int:
        return PowerAnalysis(
            discordance=discordance, design_effect=widened, power=self.power, alpha=alpha
        ).units_needed(seen, cluster_size=len(clusters) / max(1, len(set(clusters))))

    def samples_for(self, size: float, clusters: Sequence[str], family: int = 1) -> int | None:
        """Answers to each of some units that show a difference; None where no number of them would."""
        return self._terms(clusters, family).samples_needed(
            size, units=len(clusters), clusters=len(set(clusters)), stable=self.stable.value
        )


def basis_of(asked: UnitDesign, wanted: PlanRequest, pilot: PilotData | None) -> Basis:
    """Assumptions of a plan: what was given, else what earlier runs show, else what is assumed."""
    shown, source = pilot or PilotData(), pilot.source if pilot else ""
    met, given = size_biased_cluster_size(asked.clusters), wanted.design_effect
    alike, by = (ALIKE, "(assumed)") if shown.alike is None else (shown.alike, source)
    widened = 1 + (met - 1) * alike, f"{met:.3g} units to a cluster, alike by {alike:.2g} {by}"
    return Basis(
        discordance=_first((wanted.discordance, "given"), (shown.discordance, source), (DISCORDANCE, "assumed")),
        stable=_first(
            (None if asked.random else 1.0, "at temperature 0 answers to an item do not vary"),
            (shown.stable, source),
            (STABLE, "assumed"),
        ),
        design_effect=_first((given, "given"), (1.0 if met == 1 else None, "every unit is drawn by itself"), widened),
        alike=alike if given is None else None,
        judge_quality=_first(
            (None if asked.judged else 1.0, "nobody judges"),
            (wanted.judge_quality, "given"),
            (1.0, "assumed: a judge without errors; people's labels would tell"),
        ),
        samples=asked.samples,
        power=wanted.power,
        alpha=wanted.alpha,
    )


def _first(*found: tuple[float | None, str]) -> PlanAssumption:
    """The first figure that is known, and where it comes from; the last always is."""
    return next(PlanAssumption(value, source) for value, source in found if value is not None)


def size_biased_cluster_size(clusters: Sequence[str]) -> float:
    """The size of a cluster as a unit meets it.

    >>> size_biased_cluster_size(["a", "a", "b", "b"]), size_biased_cluster_size(["a", "b"])
    (2.0, 1.0)
    """
    sizes = Counter(clusters).values()
    return sum(size**2 for size in sizes) / max(1, sum(sizes))


class PlacePlan(Struct, frozen=True, kw_only=True):
    """One place: its units, and the least difference that they could show, in points of the metric.

    `detectable_holm` is the same where the claim has to hold among all groups; None where not even the largest
    difference is shown. `missing` says why no claim can be made at all.
    """

    place: str
    units: int
    clusters: int
    detectable: float | None
    detectable_holm: float | None
    missing: Missing | None


class PlacesPlan(NamedTuple):
    """The places by name, and what it takes where a claim has to hold among all groups, for one of the middle size.

    `family` is what the level is divided by for the first group, of any kind, once the difference over everything is
    found: the groups with enough clusters to be found among so many.
    """

    parts: tuple[PlacePlan, ...]
    floor: MinimumSample | None
    family: int = 0


def by_place(asked: UnitDesign, basis: Basis, reach: float) -> PlacesPlan:
    """Detectable differences of each place; none where there are not two at least, no floor where none can be tested.

    Args:
        asked: The units.
        basis: What the plan rests on.
        reach: The metric's range.
    """
    groups: dict[Group, list[str]] = {}
    for each in asked.units.values():
        for group in (Group(kind, {PLACE: each.place, **each.groups}.get(kind) or "") for kind in KINDS):
            groups.setdefault(group, []).append(each.cluster)
    here = {group.value: own for group, own in groups.items() if group.kind == PLACE and group.value}
    if len(here) < 2:
        return PlacesPlan((), None)
    family = divisor_of_groups([len(set(own)) for group, own in groups.items() if group.value], alpha=basis.alpha)
    able = sorted((own for own in here.values() if len(set(own)) >= MIN_CLUSTERS), key=len)
    parts = tuple(_part(place, here[place], basis, reach, family) for place in sorted(here))
    return PlacesPlan(parts, basis.floor(able[len(able) // 2], family) if able else None, family if able else 0)


def divisor_of_groups(clusters: Sequence[int], branches: int = 1, *, alpha: float = 0.05) -> int:
    """Divisor of the level for the first of some groups, behind one of so many tests over all units.

    Args:
        clusters: Those of each group; groups with fewer than 8 are not tested.
        branches: Tests over all units that share the level.
        alpha: The level.
    """
    least = [2.0 ** (1 - many) for many in clusters if many >= MIN_CLUSTERS]
    gate = [FIRST] * branches + [0] * len(least)
    found = gatekeeping([1.0] * len(gate), gate, [0.0] * branches + least, level=alpha)
    return int(found.divisor.max(initial=1))


def _part(place: str, clusters: Sequence[str], basis: Basis, reach: float, family: int) -> PlacePlan:
    units, independent = len(clusters), len(set(clusters))
    few = independent < MIN_CLUSTERS
    least, holm = (None if few else basis.detectable(clusters, many) for many in (1, family))
    blind = SHOWS_NO_DIFFERENCE if least is None else None
    return PlacePlan(
        place=place,
        units=units,
        clusters=independent,
        detectable=None if least is None else reach * least,
        detectable_holm=None if holm is None else reach * holm,
        missing=too_few(independent).missing if few else blind,
    )
