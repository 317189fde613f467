"""The drop from one rung to the next: how far competence falls, whether chance would do that, and where it breaks.

norms on two rungs ─▶ pairs, graded on both ─▶ differences of corrected scores ─▶ interval and test over clusters ─▶
Holm over all drops × groups of one model. Norms that either rung draws together (a bundle) stay together. One model's
claims are one family, so that what is found does not depend on who else is on the page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from math import isnan, nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mores.core.seeds import Seed
from mores.reports import wording
from mores.reports.differences import together
from mores.reports.ladder.rungs import too_few_norms
from mores.reports.ladder.standing import Stood
from mores.stats.clusters import design_effect
from mores.stats.intervals import FEWEST, too_few
from mores.stats.multiplicity import holm
from mores.stats.paired import Paired, compare_paired, minimum_detectable_effect

SIZE = 0.1
"""A drop has to be larger than this, in corrected scores, for the ladder to break there."""
LEVEL = 0.05
FLIPS = 10_000
PER_CLAIM = 200
"""Random signs for each claim, so that the least p can still be found after correction for all of them."""
DICE = Seed("ladder")
KINDS = ("domain", "region", "place")
Floats = npt.NDArray[np.float64]


class Group(NamedTuple):
    """Norms that are looked at together; both empty for all norms."""

    kind: str = ""
    value: str = ""


EVERYTHING = Group()


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """How far corrected scores fall between two rungs, over the norms graded on both; below 0 where they rise.

    `ends` are the mean scores on the two rungs. `p` is two-sided; `p_holm` is corrected for the family. Without a p no
    claim is made, and `why` says why; it also says why there is no interval. `detectable` is the least drop that would
    be found with power .8 at level .05 before any correction; None where no norm differs. `alone` counts norms that
    one of the two rungs did not ask about, `ungraded` those that one of them left ungraded. `grounded` is False where
    the rung before is no better than guessing: nothing can be lost from there, whatever made the rung after it worse.
    """

    before: str
    after: str
    ends: tuple[float, float] | None
    size: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None = None
    test: str
    method: str
    why: str | None
    norms: int
    clusters: int
    alone: int
    ungraded: int
    detectable: float | None
    grounded: bool = True

    @property
    def found(self) -> bool:
        """True where chance is no explanation, after correction."""
        return self.p_holm is not None and self.p_holm < LEVEL

    @property
    def breaks(self) -> bool:
        """True where the fall is found, large, and from above guessing."""
        return self._falls and self.grounded

    @property
    def sinks(self) -> bool:
        """True where the fall is found and large, but from a rung that is no better than guessing."""
        return self._falls and not self.grounded

    @property
    def _falls(self) -> bool:
        return self.found and self.size is not None and self.size > SIZE

    @property
    def fallen(self) -> str:
        """Its size in points, without a sign where it falls."""
        return wording.number(self.size, sign=False)

    @property
    def interval(self) -> str:
        """Its interval in brackets; empty for none."""
        if self.low is None or self.high is None:
            return ""
        return f"[{wording.number(self.low, sign=False)}, {wording.number(self.high, sign=False)}]"

    @property
    def chance(self) -> str:
        """Its p before correction."""
        return wording.chance_of(self.p) or wording.DASH

    @property
    def chance_holm(self) -> str:
        """Its p after correction for the family."""
        return wording.chance_of(self.p_holm) or wording.DASH

    @property
    def seen_from(self) -> str:
        """The least size that would have been found, in points; more than 100 cannot be found at all."""
        return wording.DASH if self.detectable is None else wording.number(self.detectable, sign=False)

    @property
    def left_out(self) -> str:
        """Norms that are not in it, in words; empty for none."""
        counts = {"asked on one rung only": self.alone, "not graded on both": self.ungraded}
        return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)


class Fallen(NamedTuple):
    """All drops of one model by group, and how many of them were tested: the family of Holm's correction."""

    of: Mapping[Group, tuple[Drop, ...]]
    family: int


def groups_of(stood: Sequence[Stood]) -> tuple[Group, ...]:
    """All norms, then each domain, region and place; a region of a single place would say the same twice."""
    belong = {norm: standing.groups for each in stood for norm, standing in each.norms.items()}.values()
    found = [EVERYTHING]
    for kind in KINDS:
        places: dict[str, set[str]] = {}
        for groups in belong:
            if kind in groups:
                places.setdefault(groups[kind], set()).add(groups.get("place", ""))
        found += [Group(kind, value) for value in sorted(places) if kind != "region" or len(places[value]) > 1]
    return tuple(found)


def fallen(stood: Sequence[Stood], groups: Sequence[Group], *, dice: Seed = DICE) -> Fallen:
    """The drops of each group between neighbours among the rungs that were run, corrected for their number."""
    pairs = [_Pair.of(*two) for two in pairwise(stood)]
    flips = max(FLIPS, PER_CLAIM * len(groups) * len(pairs))
    found = [(group, pair.drop(group, flips, dice)) for group in groups for pair in pairs]
    adjusted = holm([nan if drop.p is None else drop.p for _, drop in found]).tolist()
    corrected: dict[Group, list[Drop]] = {}
    for (group, drop), p in zip(found, adjusted, strict=True):
        corrected.setdefault(group, []).append(replace(drop, p_holm=_known(p)))
    of = {group: tuple(drops) for group, drops in corrected.items()}
    return Fallen(of=of, family=sum(drop.p is not None for _, drop in found))


def fewest_apart(family: int) -> int:
    """Clusters that a drop needs to be found by itself among so many: signs of fewer have no pattern rare enough.

    >>> fewest_apart(1), fewest_apart(54)
    (6, 12)
    """
    return next(clusters for clusters in count(1) if max(1, family) * 2.0 ** (1 - clusters) < LEVEL)


def first_break(drops: Sequence[Drop]) -> Drop | None:
    """The first drop from the ground up that is found, large and from above guessing; None where there is none."""
    return next((drop for drop in drops if drop.breaks), None)


def _known(figure: float) -> float | None:
    return None if isnan(figure) else figure


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """Two neighbouring rungs: their corrected scores by norm, NaN where ungraded, with what is drawn together.

    `norms` stand on both rungs; `alone` are the groups of those that stand on one.
    """

    before: Stood
    after: Stood
    a: Floats
    b: Floats
    cluster: npt.NDArray[np.str_]
    groups: tuple[Mapping[str, str], ...]
    alone: tuple[Mapping[str, str], ...]
    why: str | None

    @classmethod
    def of(cls, before: Stood, after: Stood) -> "_Pair":
        both = [norm for norm in before.norms if norm in after.norms]
        one, other = [before.norms[norm] for norm in both], [after.norms[norm] for norm in both]
        lone = before.norms.keys() ^ after.norms.keys()
        return cls(
            before=before,
            after=after,
            a=np.array([before.rung.above(standing.share) for standing in one]),
            b=np.array([after.rung.above(standing.share) for standing in other]),
            cluster=together([(*x.clusters, *y.clusters) for x, y in zip(one, other, strict=True)]),
            groups=tuple(standing.groups for standing in one),
            alone=tuple((before.norms.get(norm) or after.norms[norm]).groups for norm in sorted(lone)),
            why=before.why or after.why or _other_norms(before, after),
        )

    def drop(self, group: Group, flips: int, dice: Seed) -> Drop:
        """The fall over one group; with fewer than 8 norms or clusters no claim is made."""
        inside = np.array([_in(group, groups) for groups in self.groups], dtype=bool)
        known = inside & np.isfinite(self.a) & np.isfinite(self.b)
        a, b, cluster = self.a[known], self.b[known], self.cluster[known]
        places = np.array([groups.get("place", "") for groups in self.groups], dtype=np.str_)[known]
        names = self.before.rung.name, self.after.rung.name
        paired = compare_paired(a, b, cluster, strata=places, flips=flips, seed=dice.child(*names, *group))
        why = self.why or _too_few(paired)
        usable, claimed = self.why is None and a.size > 0, why is None
        return Drop(
            before=names[0],
            after=names[1],
            ends=(float(a.mean()), float(b.mean())) if usable else None,
            size=paired.difference if usable else None,
            low=paired.low if claimed else None,
            high=paired.high if claimed else None,
            p=paired.p if claimed else None,
            test=paired.test if claimed else "",
            method=paired.method if claimed else "none",
            why=why or paired.why,
            norms=paired.units,
            clusters=paired.clusters,
            alone=sum(_in(group, groups) for groups in self.alone),
            ungraded=int(inside.sum() - known.sum()),
            detectable=_detectable(a - b, cluster) if claimed else None,
        )


def _in(group: Group, groups: Mapping[str, str]) -> bool:
    return not group.kind or groups.get(group.kind) == group.value


def _too_few(paired: Paired) -> str | None:
    if paired.units == 0:
        return "no norm is graded on both rungs"
    if paired.units < FEWEST:
        return too_few_norms(paired.units)
    return too_few(paired.clusters).why if paired.clusters < FEWEST else None


def _other_norms(before: Stood, after: Stood) -> str | None:
    """Why the rungs must not be paired: ids that are alike in two packs are not the same norms."""
    one, other = (set(each.rung.cell.provenance.data.values()) for each in (before, after))
    return "the rungs were run on different packs of norms" if one and other and not one & other else None


def _detectable(gap: Floats, cluster: npt.NDArray[np.str_]) -> float | None:
    """Least drop that these norms could show; mean squared differences stand in for the discordance of shares."""
    reach = float(np.abs(gap).max(initial=0.0))
    if reach == 0:
        return None
    effect = design_effect(gap, cluster).deff
    deff = 1.0 if isnan(effect) else max(1.0, effect)
    return reach * minimum_detectable_effect(gap.size, float(np.mean((gap / reach) ** 2)), deff=deff)
