"""The difference of two models on the same units: its interval, its test, and what could have been seen.

units of both ─▶ a table of those that both have a grade on ─▶ the difference over all, and families of groups whose
tests are corrected for their number, in two ways that promise different things.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mores.core.card import Metric
from mores.core.seeds import Seed
from mores.reports.units import Unit
from mores.stats.clusters import design_effect
from mores.stats.intervals import FEWEST
from mores.stats.multiplicity import benjamini_hochberg, holm
from mores.stats.paired import Paired, compare_paired, difference_seen

LEVEL = 0.05
KINDS = ("place", "domain", "topic")
"""Kinds of groups whose differences are tested, each kind a family."""
CORRECTIONS = {
    "p_holm": "Holm over the family: which differ. Below .05: all such claims of a family are true with chance .95.",
    "p_bh": "Benjamini and Hochberg over the family: screening. On average one in twenty below .05 is false, at most.",
}
"""What each corrected p promises."""
Floats = npt.NDArray[np.float64]
Names = npt.NDArray[np.generic]
"""Names or codes of groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """B less A over the units that both graded, in points of the metric (0–1 for shares); `a` and `b` are the means.

    `p` is two-sided, `p_worse` small where B is worse; `p_holm` and `p_bh` are corrected for a family and None where
    there is none. `group` is empty for the whole. `detectable` is the least difference that would be found with power
    .8 at level .05 before any correction, None where no unit differs; `detectable_true` is the same before the errors
    of a judge of known quality, None where none is known. Without units, figures are None, with `why`.
    """

    group: str = ""
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_worse: float | None
    p_holm: float | None = None
    p_bh: float | None = None
    test: str
    method: str
    why: str | None
    units: int
    clusters: int
    detectable: float | None
    detectable_true: float | None = None

    @property
    def found(self) -> bool:
        """True where it is below the level after Holm's correction."""
        return self.p_holm is not None and self.p_holm < LEVEL

    @property
    def screened(self) -> bool:
        """True where it is below the level after Benjamini and Hochberg's correction."""
        return self.p_bh is not None and self.p_bh < LEVEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The groups of one kind, whose tests are corrected for their number."""

    kind: str
    members: tuple[Difference, ...]

    @property
    def size(self) -> int:
        """Groups that could be tested."""
        return sum(member.p is not None for member in self.members)

    @property
    def untested(self) -> int:
        """Groups with too few clusters for a claim."""
        return len(self.members) - self.size

    @property
    def found(self) -> int:
        """Groups that differ after Holm's correction."""
        return sum(member.found for member in self.members)

    @property
    def screened(self) -> int:
        """Groups that Benjamini and Hochberg's correction leaves."""
        return sum(member.screened for member in self.members)

    @property
    def weightiest(self) -> tuple[Difference, ...]:
        """Groups that differ at all, the smallest p first."""
        some = [member for member in self.members if member.difference]
        return tuple(sorted(some, key=lambda d: (d.p is None, d.p or 0, d.group)))


class Table(NamedTuple):
    """Units that both graded, a row each, in points of the metric; `groups` has the name of each kind's group."""

    a: Floats
    b: Floats
    cluster: Names
    groups: Mapping[str, Names]

    @classmethod
    def of(cls, names: Sequence[str], a: Mapping[str, Unit], b: Mapping[str, Unit]) -> "Table":
        """The table of some units, which both have; what either draws together stays together."""
        weight = float(np.mean([unit.weight for unit in a.values()])) if a else 1.0
        return cls(
            np.array([a[name].points for name in names], dtype=np.float64) / weight,
            np.array([b[name].points for name in names], dtype=np.float64) / weight,
            together([(f"a {a[name].cluster}", f"b {b[name].cluster}") for name in names]),
            {kind: np.array([_group(a[name], kind) for name in names], dtype=np.str_) for kind in KINDS},
        )

    @property
    def place(self) -> Names:
        """The place of each unit."""
        return self.groups["place"]

    def at(self, kind: str, group: str) -> "Table":
        """The units of one group."""
        here = self.groups[kind] == group
        groups = {name: of[here] for name, of in self.groups.items()}
        return Table(self.a[here], self.b[here], self.cluster[here], groups)


def graded_by_both(a: Mapping[str, Unit], b: Mapping[str, Unit]) -> list[str]:
    """Names of the units that both have a grade on, in the order of the first."""
    return [name for name in a if a[name].graded and name in b and b[name].graded]


def together(names: Sequence[Sequence[str]]) -> npt.NDArray[np.str_]:
    """A name for each unit, the same for units that share one of their names, directly or through others.

    >>> together([("a", "x"), ("b", "x"), ("c",)]).tolist()
    ['b', 'b', 'c']
    """
    root: dict[str, str] = {}

    def top(name: str) -> str:
        while root.setdefault(name, name) != name:
            name = root[name]
        return name

    for first, *others in names:
        for other in others:
            root[top(other)] = top(first)
    return np.array([top(own[0]) for own in names], dtype=np.str_)


class Terms(NamedTuple):
    """How differences of one metric are found: the dice, the metric's range, and the judge's quality where known."""

    dice: Seed
    reach: float = 1.0
    judge_quality: float | None = None


def reach_of(metric: Metric | None) -> float:
    """The range of a metric; that of shares where no card says."""
    return metric.high - metric.low if metric else 1.0


def difference_of(table: Table, terms: Terms, group: str = "", *, stratified: bool = True) -> Difference:
    """B less A over a table's units."""
    strata = table.place if stratified else None
    paired = compare_paired(table.a, table.b, table.cluster, strata=strata, seed=terms.dice)
    detectable = _detectable(table, paired, terms.reach)
    return Difference(
        group=group,
        a=float(table.a.mean()) if table.a.size else None,
        b=float(table.b.mean()) if table.b.size else None,
        # The paired figures are A less B; 0.0 - x keeps a difference of nothing from being a negative zero.
        difference=None if isnan(paired.difference) else 0.0 - paired.difference,
        low=None if paired.high is None else 0.0 - paired.high,
        high=None if paired.low is None else 0.0 - paired.low,
        p=known(paired.p),
        p_worse=known(paired.p_worse),
        test=paired.test,
        method=paired.method,
        why=paired.why,
        units=paired.units,
        clusters=paired.clusters,
        detectable=detectable,
        detectable_true=None if detectable is None or not terms.judge_quality else detectable / terms.judge_quality,
    )


def families_of(table: Table, terms: Terms) -> tuple[Family, ...]:
    """The families of groups, of each kind of which there are two at least."""
    found = []
    for kind in KINDS:
        names = [str(name) for name in np.unique(table.groups[kind]) if name]
        if len(names) > 1:
            of = [_of_group(table, terms, kind, name) for name in names]
            found.append(Family(kind=kind, members=corrected(of)))
    return tuple(found)


def _of_group(table: Table, terms: Terms, kind: str, name: str) -> Difference:
    """One group's difference; of fewer than 8 clusters no claim is made, so that they do not swell the family."""
    own = terms._replace(dice=terms.dice.child(kind, name))
    found = difference_of(table.at(kind, name), own, name, stratified=kind != "place")
    return found if found.clusters >= FEWEST else replace(found, p=None, p_worse=None, test="")


def corrected(found: Sequence[Difference]) -> tuple[Difference, ...]:
    """Differences with their p corrected for being a family, by both corrections."""
    p = [nan if each.p is None else each.p for each in found]
    both = zip(found, holm(p).tolist(), benjamini_hochberg(p).tolist(), strict=True)
    return tuple(replace(each, p_holm=known(one), p_bh=known(other)) for each, one, other in both)


def known(figure: float) -> float | None:
    """A figure, None for NaN."""
    return None if isnan(figure) else figure


def mean_square(table: Table, reach: float) -> float:
    """Mean squared difference as a share of the squared range; the discordance where points are 0 and 1."""
    return float(np.mean(((table.b - table.a) / reach) ** 2)) if table.a.size else nan


def widening(values: Floats, cluster: Names) -> float:
    """By how much clusters widen the variance of a mean, 1 at least."""
    effect = design_effect(values, cluster).deff if len(np.unique(cluster)) < values.size else 1.0
    return 1.0 if isnan(effect) else max(1.0, effect)


def _detectable(table: Table, paired: Paired, reach: float) -> float | None:
    """Least difference that these units could show; squared differences stand in for the discordance of averages."""
    spread = mean_square(table, reach) if paired.units else 0.0
    if spread == 0:
        return None
    deff = widening(table.b - table.a, table.cluster)
    return reach * difference_seen(paired.units, min(1.0, spread), deff=deff)


def _group(unit: Unit, kind: str) -> str:
    return unit.place if kind == "place" else unit.groups.get(kind, "")
