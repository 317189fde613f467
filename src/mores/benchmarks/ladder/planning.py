"""The ladder before a run: how many norms, and items or answers to each, show a drop from one rung to the next.

A drop is paired by norm and counted in scores corrected for guessing, which stretches a difference of shares by
1 / (1 - g) for the rung with the larger chance g. A claim takes 8 norms in 8 clusters.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.contrast import paired, together
from mores.analysis.power import (
    STABLE,
    Basis,
    PlanAssumption,
    PlannedUnit,
    PlanRequest,
    UnitDesign,
    basis_of,
    divisor_of_groups,
)
from mores.analysis.results import Results
from mores.benchmarks.ladder.contrasts import KINDS, SIZE
from mores.benchmarks.ladder.pack_info import PACK_REGION
from mores.benchmarks.ladder.rungs import FAMILY, ORDER, ladder_runs, rung_norm_scores
from mores.benchmarks.ladder.scores import norm_of, region_of
from mores.core.estimate import Missing
from mores.stats.intervals import MIN_CLUSTERS


class RungPairPlan(Struct, frozen=True, kw_only=True):
    """One group between two rungs: its norms, the least drop they show, and the items a norm and rung for the wanted.

    `detectable` is that of one drop by itself, `detectable_holm` where it has to hold among all of its kind in the
    plan, as the first of them does; each is None where not even the largest drop would be shown. `items`
    are for the wanted drop among all, None where no number of them would do. `missing` says why no claim can be made at
    all.
    """

    kind: str
    group: str
    norms: int
    clusters: int
    detectable: float | None
    detectable_holm: float | None
    items: int | None
    missing: Missing | None


class LadderPlan(Struct, frozen=True, kw_only=True):
    """Two neighbouring rungs; all norms first, then groups. `size` is the wanted drop in corrected scores.

    `family` counts the pairs of rungs whose drops over all norms can be tested.
    """

    before: str
    after: str
    size: float
    family: int
    basis: Basis
    steps: tuple[RungPairPlan, ...]


def plan_of_ladder(
    asked: Mapping[str, UnitDesign], wanted: PlanRequest, earlier: Results | None
) -> tuple[LadderPlan, ...]:
    """The plan of each pair of neighbours among the ladder's rungs, by their benchmarks' names."""
    rungs = [name for name in ORDER if FAMILY + name in asked]
    pairs = [_pair(one, other, asked, wanted, earlier) for one, other in pairwise(rungs)]
    family = max(1, sum(pair.groups[0].testable for pair in pairs))
    size = SIZE if wanted.difference is None else wanted.difference
    return tuple(
        LadderPlan(
            before=pair.before,
            after=pair.after,
            size=size,
            family=family,
            basis=pair.basis,
            steps=tuple(_steps(pair, size / pair.stretch, family)),
        )
        for pair in pairs
    )


class _Group(NamedTuple):
    """Some norms on two rungs, by what they have in common."""

    kind: str
    name: str
    drawn: Sequence[PlannedUnit]

    @property
    def clusters(self) -> list[str]:
        """The cluster of each norm."""
        return [each.cluster for each in self.drawn]

    @property
    def testable(self) -> bool:
        """True where they are enough for a claim."""
        return len(set(self.clusters)) >= MIN_CLUSTERS


class _Pair(NamedTuple):
    """Two neighbouring rungs: what their drops rest on, and by how much guessing stretches a difference of shares."""

    before: str
    after: str
    basis: Basis
    stretch: float
    groups: Sequence[_Group]

    def drop(self, difference: float | None) -> float | None:
        """A difference of shares as a drop; None where it is larger than that from all right to guessing."""
        return None if difference is None or self.stretch * difference > 1 else self.stretch * difference


def _pair(
    before: str, after: str, asked: Mapping[str, UnitDesign], wanted: PlanRequest, earlier: Results | None
) -> _Pair:  # fmt: skip
    first, second = asked[FAMILY + before], asked[FAMILY + after]
    one, other = ({norm_of(name): drawn for name, drawn in each.units.items()} for each in (first, second))
    both = [norm for norm in one if norm in other]
    # `together` joins equal names: the letters keep a name of one rung from meeting it on the other.
    cluster = together([(f"a {one[norm].cluster}", f"b {other[norm].cluster}") for norm in both])
    drawn = {norm: other[norm]._replace(cluster=str(own)) for norm, own in zip(both, cluster, strict=True)}
    stretch = 1 / (1 - max(first.chance, second.chance))
    # Another item on the same norm varies even where another answer to the same would not.
    stable = PlanAssumption(STABLE, "assumed to be the norm's own, the rest its single item's")
    basis = replace(basis_of(replace(second, units=drawn), wanted, None), stable=stable)
    seen = _seen_drop(before, after, earlier, stretch)
    if seen is not None and wanted.discordance is None:
        basis = replace(basis, discordance=seen)
    every = list(drawn.values())
    return _Pair(before, after, basis, stretch, [_Group("", "", every), *_groups(every)])


def _seen_drop(before: str, after: str, earlier: Results | None, stretch: float) -> PlanAssumption | None:
    """Mean squared difference of a norm between the rungs in earlier runs, as of shares; None where there is none."""
    found: list[float] = []
    for run in ladder_runs(earlier) if earlier is not None else ():
        rungs = {rung.name: rung for rung in run.rungs}
        if before in rungs and after in rungs:
            pairs = paired(*(rung_norm_scores(rungs[name]).norms for name in (before, after)))
            found += (pairs.gap**2).tolist()
    if not found or not any(found):
        return None
    return PlanAssumption(min(1.0, fmean(found) / stretch**2), "from norms on both rungs in earlier runs")


def _groups(drawn: Sequence[PlannedUnit]) -> list[_Group]:
    found: dict[tuple[str, str], list[PlannedUnit]] = {}
    for each in drawn:
        region = region_of(each.place or "", each.groups.get(PACK_REGION, ""))
        belongs = {"domain": each.groups.get("domain"), "region": region, "place": each.place}
        for kind in KINDS:
            if belongs[kind]:
                found.setdefault((kind, str(belongs[kind])), []).append(each)
    order = sorted(found, key=lambda key: (KINDS.index(key[0]), key[1]))
    return [_Group(kind, name, found[kind, name]) for kind, name in order]


def _steps(pair: _Pair, size: float, family: int) -> Iterator[RungPairPlan]:
    """All norms, then the groups, which share what their pair of rungs has of the level."""
    whole, *groups = pair.groups
    behind = divisor_of_groups([len(set(group.clusters)) for group in groups], family, alpha=pair.basis.alpha)
    yield _step(whole, pair, size, family)
    yield from (_step(group, pair, size, behind) for group in groups)


def _step(group: _Group, pair: _Pair, size: float, family: int) -> RungPairPlan:
    own, basis = group.clusters, pair.basis
    norms, clusters = len(own), len(set(own))
    few = not group.testable
    least, holm = (None if few else basis.detectable(own, many) for many in (1, family))
    return RungPairPlan(
        kind=group.kind,
        group=group.name,
        norms=norms,
        clusters=clusters,
        detectable=pair.drop(least),
        detectable_holm=pair.drop(holm),
        items=None if few else basis.samples_for(size, own, family),
        missing=Missing(code="too_few_for_a_claim", n=clusters, needed=MIN_CLUSTERS, of=norms) if few else None,
    )
