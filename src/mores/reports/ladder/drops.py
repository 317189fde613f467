"""The drop from one rung to the next: how far competence falls, whether chance would do that, and where it breaks.

norms on two rungs ─▶ pairs, scored on both ─▶ differences, for every judge of the range ─▶ interval and test over
clusters ─▶ Holm over all drops × groups of one model. Norms that either rung draws together (a bundle) stay together.
One model's claims are one family, so that what is found does not depend on who else is on the page.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isnan, nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mores.benchmarks.ladder.scores import LOWEST
from mores.core.seeds import Seed
from mores.reports import wording
from mores.reports.differences import together
from mores.reports.ladder.rungs import too_few_norms
from mores.reports.ladder.standing import Stood
from mores.stats.clusters import design_effect
from mores.stats.intervals import FEWEST, too_few
from mores.stats.judged_contrast import Claim, Design, JudgedContrast, RungScores, contrast, holds_from
from mores.stats.multiplicity import holm
from mores.stats.paired import difference_seen
from mores.stats.plan import least_clusters

SIZE = 0.1
"""A drop has to be larger than this, for any judge of the range, for the ladder to break there."""
LEVEL = 0.05
DICE = Seed("ladder")
KINDS = ("domain", "region", "place")
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


class Group(NamedTuple):
    """Norms that are looked at together; both empty for all norms."""

    kind: str = ""
    value: str = ""


EVERYTHING = Group()


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """How far scores fall between two rungs, over the norms graded on both; below 0 where they rise.

    `ends` are the mean scores on the two rungs and `size` their difference, with judges taken at their word, or as
    labels say. Where a judge had a part (`judged`), `least` and `most` are what it would be for any judge of the range,
    `low` and `high` hold the intervals of all of these, and `p` is the largest of all; `p_judged` takes judges at their
    word. `p` is two-sided; `p_holm` is corrected for the family. Without a p no claim is made, and `why` says why; it
    also says why there is no interval. `detectable` is the least drop that would be found with power .8 at level .05
    before any correction, were the judge right; None where no norm differs. `alone` counts norms that one of the two
    rungs did not ask about, `ungraded` those that one of them left ungraded. `grounded` is False where the rung before
    is no better than guessing: nothing can be lost from there, whatever made the rung after it worse. `may_be_judge`
    where a fall is large and no chance, but some judge of the range explains it; `holds_from` is then the least x for
    which it would hold for all judges from x to 1, None where labels tell how good the judge is.
    """

    before: str
    after: str
    ends: tuple[float, float] | None
    size: float | None
    least: float | None
    most: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None = None
    p_judged: float | None
    test: str
    method: str
    why: str | None
    norms: int
    clusters: int
    alone: int
    ungraded: int
    detectable: float | None
    judged: bool
    grounded: bool = True
    may_be_judge: bool = False
    holds_from: float | None = None

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
        return self.found and self.least is not None and self.least > SIZE

    @property
    def fallen(self) -> str:
        """Its size in points, without a sign where it falls."""
        return wording.number(self.size, sign=False)

    @property
    def within(self) -> str:
        """What it would be for any judge of the range: `8.1 to 21.0`; empty where no judge had a part."""
        if not self.judged or self.least is None or self.most is None:
            return ""
        return " to ".join(wording.number(end, sign=False) for end in (self.least, self.most))

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
    found = [(group, pair, pair.drop(group, dice)) for group in groups for pair in pairs]
    family = sum(drop.p is not None for *_, drop in found)
    adjusted = holm([nan if drop.p is None else drop.p for *_, drop in found]).tolist()
    corrected: dict[Group, list[Drop]] = {}
    for (group, pair, drop), p in zip(found, adjusted, strict=True):
        told = replace(drop, p_holm=None if isnan(p) else p)
        if _suspect(told, family):
            told = replace(told, may_be_judge=True, holds_from=pair.holds_from(group, dice, LEVEL / family))
        corrected.setdefault(group, []).append(told)
    return Fallen(of={group: tuple(drops) for group, drops in corrected.items()}, family=family)


def _suspect(drop: Drop, family: int) -> bool:
    """Whether a judge that is always right would have shown a break where the judges of the range do not."""
    if drop.breaks or drop.p_judged is None or drop.size is None:
        return False
    return drop.judged and drop.size > SIZE and drop.p_judged * family < LEVEL


def fewest_apart(family: int) -> int:
    """Clusters that a drop needs to be found by itself among so many: signs of fewer have no pattern rare enough.

    >>> fewest_apart(1), fewest_apart(54)
    (6, 12)
    """
    return least_clusters(LEVEL / max(1, family))


def first_break(drops: Sequence[Drop]) -> Drop | None:
    """The first drop from the ground up that is found, large and from above guessing; None where there is none."""
    return next((drop for drop in drops if drop.breaks), None)


@dataclass(frozen=True, kw_only=True)
class _Pair:
    """Two neighbouring rungs: the scores of norms on both, NaN where ungraded, with what is drawn together.

    `alone` are the groups of norms that stand on one rung.
    """

    before: Stood
    after: Stood
    a: RungScores
    b: RungScores
    cluster: npt.NDArray[np.str_]
    gold: npt.NDArray[np.str_]
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
            a=scored(before, both),
            b=scored(after, both),
            cluster=together([(*x.clusters, *y.clusters) for x, y in zip(one, other, strict=True)]),
            gold=np.array([x.score.gold or y.score.gold for x, y in zip(one, other, strict=True)], dtype=np.str_),
            groups=tuple(standing.groups for standing in one),
            alone=tuple((before.norms.get(norm) or after.norms[norm]).groups for norm in sorted(lone)),
            why=before.why or after.why or _other_norms(before, after),
        )

    def drop(self, group: Group, dice: Seed) -> Drop:
        """The fall over one group; with fewer than 8 norms or clusters no claim is made."""
        inside, known = self._inside(group)
        a, b, design = self.a.at(known), self.b.at(known), self._design(known)
        names = self.before.rung.name, self.after.rung.name
        found = contrast(a, b, design, seed=dice.child(*names, *group))
        why = self.why or _too_few(found) or self._one_sided(known) or self._unsure(a, b)
        usable, claimed = self.why is None and found.units > 0, why is None
        return Drop(
            before=names[0],
            after=names[1],
            ends=found.ends if usable else None,
            size=found.size if usable else None,
            least=found.least if usable else None,
            most=found.most if usable else None,
            low=found.low if claimed else None,
            high=found.high if claimed else None,
            p=found.p if claimed else None,
            p_judged=found.p_judged if claimed else None,
            test=found.test if claimed else "",
            method=found.method if claimed else "none",
            why=why or found.why,
            norms=found.units,
            clusters=found.clusters,
            alone=sum(in_group(group, groups) for groups in self.alone),
            ungraded=int(inside.sum() - known.sum()),
            detectable=_detectable(found.gaps, design.clusters) if claimed else None,
            judged=a.judged or b.judged,
        )

    def holds_from(self, group: Group, dice: Seed, level: float) -> float | None:
        """The worst judge, on both rungs, for which the fall would still be a break; None where labels tell."""
        if self.before.judge.labelled or self.after.judge.labelled:
            return None
        _, known = self._inside(group)
        seed = dice.child(self.before.rung.name, self.after.rung.name, *group)
        return holds_from(self.a.at(known), self.b.at(known), self._design(known), Claim(SIZE, level), seed=seed)

    def _inside(self, group: Group) -> tuple[Mask, Mask]:
        """Norms of a group, and those of them that are graded on both rungs."""
        inside = np.array([in_group(group, groups) for groups in self.groups], dtype=bool)
        return inside, inside & np.isfinite(self.a.said) & np.isfinite(self.b.said)

    def _design(self, known: Mask) -> Design:
        """Scenes count so that each of their labels counts alike: one word for all is then no better than guessing."""
        places = np.array([groups.get("place", "") for groups in self.groups], dtype=np.str_)[known]
        labels, of, count = np.unique(self.gold[known], return_inverse=True, return_counts=True)
        return Design(self.cluster[known], places, 1.0 / count[of] if len(labels) > 1 else None)

    def _one_sided(self, known: Mask) -> str | None:
        missing = sorted(set(self.gold.tolist()) - set(self.gold[known].tolist()))
        return f"no scene among them has the label {missing[0]}, so that one word for all may pass" if missing else None

    @staticmethod
    def _unsure(*rungs: RungScores) -> str | None:
        """Why the judges of these rungs bear no claim."""
        if any(np.isnan(rung.verdicts).any() for rung in rungs):
            return "it is not known how many steps of a day were judged"
        if any(rung.judged and rung.judge.hopeless for rung in rungs):
            return "by people's labels the judge is hardly better than chance"
        return None


def scored(stood: Stood, norms: Sequence[str]) -> RungScores:
    """The scores of some norms on one rung; labels tell how a whole day is judged, a stated range how each step is."""
    found = np.array([stood.norms[norm].score[:3] for norm in norms], dtype=np.float64).reshape(-1, 3)
    if stood.judge.sensitivity.labels:
        found[:, 2] = 1.0
    return RungScores(
        said=found[:, 0],
        seen=found[:, 1],
        verdicts=found[:, 2],
        judge=stood.judge,
        least=LOWEST.get(stood.rung.name, 0.0),
    )


def in_group(group: Group, groups: Mapping[str, str]) -> bool:
    """Whether a norm that belongs to these groups is in one."""
    return not group.kind or groups.get(group.kind) == group.value


def _too_few(found: JudgedContrast) -> str | None:
    if found.units == 0:
        return "no norm is graded on both rungs"
    if found.units < FEWEST:
        return too_few_norms(found.units)
    return too_few(found.clusters).why if found.clusters < FEWEST else None


def _other_norms(before: Stood, after: Stood) -> str | None:
    """Why the rungs must not be paired: ids that are alike in two packs are not the same norms."""
    one, other = (set(each.rung.cell.provenance.data.values()) for each in (before, after))
    return "the rungs were run on different packs of norms" if one and other and not one & other else None


def _detectable(gap: Floats, cluster: npt.NDArray[np.generic]) -> float | None:
    """Least drop that these norms could show; mean squared differences stand in for the discordance of shares."""
    reach = float(np.abs(gap).max(initial=0.0))
    if reach == 0:
        return None
    effect = design_effect(gap, cluster).deff
    deff = 1.0 if isnan(effect) else max(1.0, effect)
    return reach * difference_seen(gap.size, float(np.mean((gap / reach) ** 2)), deff=deff)
