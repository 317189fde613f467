"""Two sets of scores on the same units: their difference, its interval, its test, and what could have been seen.

two sets of rows ─▶ the units that both have a grade on (`PairedUnits`) ─▶ the contrast over all of them, and contrasts
of groups, kind by kind. p-values are corrected in two ways that promise different things: for claims, the contrasts
over all units first and groups after them (`all_first`); for screening, each kind of group by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan, nan
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.groups import PLACE, WHOLE, Group
from mores.analysis.results import Result, caution_of_several
from mores.analysis.units import matched, units_of
from mores.core.arrays import Codes, Floats, Mask
from mores.core.card import Metric
from mores.core.estimate import NO_UNIT_DIFFERS, SHOWS_NO_DIFFERENCE, CategoricalColumn, Caution, MetricRows, Missing
from mores.core.seeds import Seed
from mores.stats.clusters import design_effect
from mores.stats.group_means import compare_groups
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.paired import compare_paired, detectable, units_needed
from mores.stats.ranks import FIRST, benjamini_hochberg, gatekeeping, holm

_ROUNDING = 1e-6
"""Part of a metric's range below which a difference is none: sums of what cancels out leave some 1e-17."""
LEVEL = 0.05
FAR = 0.5
"""Part of a metric's range beyond which a minimum detectable effect is none: hardly any two models are so far apart."""
KINDS = (PLACE, "domain", "topic")
"""Kinds of groups whose contrasts are tested, each kind a family."""


class Contrast(Struct, frozen=True, kw_only=True):
    """B less A over the units that both graded, in points of the metric (0–1 for shares); `a` and `b` are the means.

    `p` is two-sided, `p_lower` one-sided, small where B is below A, `least_p` the least two-sided one that clusters
    with a difference could have given, where it is known. `p_adjusted` (Holm) and `p_bh` (Benjamini and Hochberg) are
    corrected for a family, and None where there is none: `family` is what the least p of its kind is multiplied by. A
    group is `opened` if the contrast over all units was found, which comes first, and `able` where any result could
    have been found of so many clusters with a difference. `minimum_detectable` is the
    least difference that would be found with power .8 at level .05 before any correction, None where it is not known or
    none of up to half of the metric's range would be, and `undetectable` says which; `minimum_detectable_true` is the
    same before the errors of a judge of known quality, None where none is known or no difference reaches it.
    `units_needed` are those that would show the difference that was measured, None where these are enough, or it is not
    known. Without units, or without an interval, figures are None and `missing` says why. `caution` is what has to be
    known of the answers of either side.
    """

    metric: str
    group: Group = WHOLE
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_lower: float | None = None
    p_adjusted: float | None = None
    p_bh: float | None = None
    family: int = 0
    least_p: float | None = None
    able: bool = True
    opened: bool = True
    units: int
    clusters: int
    minimum_detectable: float | None = None
    minimum_detectable_true: float | None = None
    undetectable: Missing | None = None
    units_needed: int | None = None
    test: str
    method: str
    missing: Missing | None
    caution: Caution | None = None

    @property
    def found(self) -> bool:
        """True where it is below the level after Holm's correction."""
        return self.p_adjusted is not None and self.p_adjusted < LEVEL

    @property
    def screened(self) -> bool:
        """True where it is below the level after Benjamini and Hochberg's correction."""
        return self.p_bh is not None and self.p_bh < LEVEL


class ContrastOptions(NamedTuple):
    """Options for contrasts of one metric; `judge_quality` is sensitivity + specificity - 1, where it is known.

    `sides` are the evaluations whose answers are held against each other.
    """

    seed: Seed
    name: str
    metric: Metric | None = None
    judge_quality: float | None = None
    resamples: int = 10_000
    sides: tuple[Result, ...] = ()

    @property
    def reach(self) -> float:
        """The range of the metric."""
        return metric_range(self.metric)


def metric_range(metric: Metric | None) -> float:
    """The range of a metric; that of shares where no card says."""
    return metric.high - metric.low if metric else 1.0


class PairedUnits(Struct, frozen=True, eq=False, kw_only=True):
    """Units that both graded, a row each, in points of the metric; what either draws together has one cluster.

    `groups` say where units belong, their place among them; `shared` counts all units that both asked.
    """

    a: Floats
    b: Floats
    cluster: Codes
    groups: Mapping[str, CategoricalColumn]
    shared: int

    def take(self, rows: Codes | Mask) -> PairedUnits:
        """Some of the pairs."""
        groups = {kind: column.take(rows) for kind, column in self.groups.items()}
        return PairedUnits(
            a=self.a[rows], b=self.b[rows], cluster=self.cluster[rows], groups=groups, shared=self.shared
        )

    @property
    def gap(self) -> Floats:
        """B less A of each unit."""
        return self.b - self.a


def paired(rows_a: MetricRows, rows_b: MetricRows) -> PairedUnits:
    """The units of two sets of rows by their names, in the order of the first, which also says where they belong."""
    one, other = units_of(rows_a), units_of(rows_b)
    row = matched(one, other)
    kept = (row >= 0) & one.graded
    # -1 would look up the last unit of the other
    kept[kept] = other.graded[row[kept]]
    # both by the mean weight of the first, so that equal values stay equal
    keys, at, scale = one.keys.take(kept), row[kept], one.mean_weight
    return PairedUnits(
        a=one.points[kept] / scale,
        b=other.points[at] / scale,
        cluster=joined(keys.cluster.codes, other.keys.cluster.codes[at]),
        groups={**keys.groups, PLACE: keys.place},
        shared=int((row >= 0).sum()),
    )


def of_common_items(rows_a: MetricRows, rows_b: MetricRows) -> tuple[MetricRows, MetricRows]:
    """The rows of items that both have: a unit of several items is then the same unit in both."""
    # else a unit that lost an item in one run would be another question there
    both = (rows_a, rows_b.keys.item.names), (rows_b, rows_a.keys.item.names)
    kept = ((rows, rows.keys.item.among(names) >= 0) for rows, names in both)
    one, other = (rows if own.all() else rows.take(own) for rows, own in kept)
    return one, other


def joined(*partitions: Codes) -> Codes:
    """A code for each unit, the same for units that share a code of any partition, directly or through others.

    >>> joined(np.array([0, 1, 2]), np.array([0, 0, 1])).tolist()
    [0, 0, 2]
    """
    label = np.arange(len(partitions[0]))
    while True:
        before = label
        for codes in partitions:
            least = np.full(int(codes.max(initial=-1)) + 1, len(label))
            np.minimum.at(least, codes, label)
            label = least[codes]
        # a label takes on the label of its own label, so that long chains settle in few rounds
        label = label[label]
        if np.array_equal(label, before):
            return label


def contrast(rows_a: MetricRows, rows_b: MetricRows, terms: ContrastOptions) -> Contrast:
    """B less A over the units that both graded."""
    return contrast_of(paired(rows_a, rows_b), terms)


def contrast_of(pairs: PairedUnits, terms: ContrastOptions, group: Group = WHOLE) -> Contrast:
    """B less A over some pairs; places are strata, except within one."""
    place = None if group.kind == PLACE else pairs.groups.get(PLACE)
    found = compare_paired(
        pairs.a, pairs.b, pairs.cluster,
        strata=None if place is None else place.codes, resamples=terms.resamples, seed=terms.seed,
    )  # fmt: skip
    contrast = Contrast(
        metric=terms.name,
        group=group,
        a=float(pairs.a.mean()) if found.units else None,
        b=float(pairs.b.mean()) if found.units else None,
        # The paired figures are A less B; 0.0 - x keeps a difference of nothing from being a negative zero.
        difference=None if isnan(found.difference) else 0.0 - found.difference,
        low=None if found.high is None else 0.0 - found.high,
        high=None if found.low is None else 0.0 - found.low,
        p=known(found.p),
        p_lower=known(found.p_one_sided),
        least_p=known(found.least_p),
        units=found.units,
        clusters=found.clusters,
        test=found.test,
        method=found.method,
        missing=found.missing,
        caution=caution_of_several(terms.sides, terms.name, group.key),
    )
    return _with_detectable(contrast, pairs, terms)


def _with_detectable(found: Contrast, pairs: PairedUnits, terms: ContrastOptions) -> Contrast:
    """The contrast with what could have been seen; where that is more than half of the range, nothing could have."""
    reach, gap = terms.reach, abs(found.difference or 0.0)
    least, most = detectable(pairs.gap, pairs.cluster, reach), FAR * reach
    if least is None:
        return replace(found, undetectable=NO_UNIT_DIFFERS if found.units else found.missing)
    true = least / terms.judge_quality if terms.judge_quality else None
    return replace(
        found,
        minimum_detectable=least if least <= most else None,
        minimum_detectable_true=true if true is not None and true <= most else None,
        undetectable=None if least <= most else SHOWS_NO_DIFFERENCE,
        units_needed=units_needed(found.units, least, gap) if _ROUNDING * reach < gap < least else None,
    )


def between_groups(values: Floats, inside: Mask, clusters: Codes, *, metric: str, group: Group, seed: Seed) -> Contrast:
    """The mean of the units inside a group (`b`) less that of those outside (`a`).

    A cluster with units on both sides counts in each as one of its own, which errs towards wide.
    """
    found = compare_groups(values, inside, clusters, seed=seed)
    return Contrast(
        metric=metric,
        group=group,
        a=known(found.outside),
        b=known(found.inside),
        difference=known(found.difference),
        low=found.low,
        high=found.high,
        p=found.p,
        units=len(values),
        clusters=len(np.unique(clusters)),
        test="" if found.p is None else "deals over clusters",
        method="" if found.low is None else "squared and added",
        missing=found.missing,
    )


def families_of(
    pairs: PairedUnits, terms: ContrastOptions, kinds: Sequence[str] = KINDS
) -> dict[str, tuple[Contrast, ...]]:
    """The contrasts of groups by name, for each kind with two groups at least, corrected for screening."""
    found = {}
    for kind in kinds:
        column = pairs.groups.get(kind)
        names = [] if column is None else sorted(filter(None, column.used()))
        if len(names) > 1:
            members = [contrast_of_group(pairs, terms, Group(kind, name)) for name in names]
            loose = benjamini_hochberg([_p(each) for each in members]).tolist()
            found[kind] = tuple(replace(each, p_bh=known(p)) for each, p in zip(members, loose, strict=True))
    return found


def contrast_of_group(pairs: PairedUnits, terms: ContrastOptions, group: Group) -> Contrast:
    """One group's contrast; of fewer than 8 clusters no claim is made, so that they do not swell the family."""
    column = pairs.groups[group.kind]
    inside = pairs.take(column.codes == column.names.index(group.value))
    found = contrast_of(inside, terms._replace(seed=terms.seed.child(*group)), group)
    return found if found.clusters >= MIN_CLUSTERS else replace(found, p=None, p_lower=None, test="")


class WithGroups(NamedTuple):
    """A contrast over all units, and those of groups of them by kind."""

    whole: Contrast
    families: Mapping[str, tuple[Contrast, ...]]


def all_first(compared: Sequence[WithGroups]) -> list[WithGroups]:
    """Contrasts corrected as one family for claims: those over all units first, groups where theirs was found.

    All groups of one contrast share its part of the level, whatever their kind. For screening those over all units are
    a family by themselves.
    """
    tests, gate = list(adjusted([each.whole for each in compared])), [FIRST] * len(compared)
    for at, each in enumerate(compared):
        groups = [group for members in each.families.values() for group in members]
        tests, gate = [*tests, *groups], [*gate, *[at] * len(groups)]
    found = gatekeeping([_p(each) for each in tests], gate, [each.least_p or 0.0 for each in tests], level=LEVEL)
    held = [known(p) for p in found.p_adjusted.tolist()]
    columns = zip(tests, gate, held, found.divisor.tolist(), found.able.tolist(), strict=True)
    corrected = iter(
        [
            replace(test, p_adjusted=p, family=many, able=able or p is None, opened=at == FIRST or _opens(held[at]))
            for test, at, p, many, able in columns
        ]
    )
    wholes = [next(corrected) for _ in compared]
    return [
        WithGroups(whole, {kind: tuple(next(corrected) for _ in members) for kind, members in each.families.items()})
        for whole, each in zip(wholes, compared, strict=True)
    ]


def _opens(p: float | None) -> bool:
    """True if groups are tested behind a contrast of such a corrected p; one that was not tested is no gate."""
    return p is None or p < LEVEL


def _p(found: Contrast) -> float:
    return nan if found.p is None else found.p


def adjusted(contrasts: Sequence[Contrast]) -> tuple[Contrast, ...]:
    """Contrasts with their p corrected for being a family, by both corrections; those without a p are no part of it."""
    p = [_p(each) for each in contrasts]
    family = sum(each.p is not None for each in contrasts)
    both = zip(contrasts, holm(p).tolist(), benjamini_hochberg(p).tolist(), strict=True)
    return tuple(replace(e, p_adjusted=known(one), p_bh=known(other), family=family) for e, one, other in both)


def known(figure: float) -> float | None:
    """A figure, None for NaN."""
    return None if isnan(figure) else figure


def mean_square(pairs: PairedUnits, reach: float) -> float:
    """Mean squared difference as a share of the squared range; the discordance where points are 0 and 1."""
    return float(np.mean((pairs.gap / reach) ** 2)) if pairs.a.size else nan


def widened_by_clusters(pairs: PairedUnits) -> float:
    """Factor by which clusters widen the variance of the mean difference; 1 at least, and where nothing is known."""
    deff = design_effect(pairs.gap, pairs.cluster).deff if pairs.a.size else nan
    return 1.0 if isnan(deff) else max(1.0, deff)
