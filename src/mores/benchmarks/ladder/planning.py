"""The ladder before a run: how many norms, and items or answers to each, show a drop from one rung to the next.

A drop is paired by norm and counted in scores corrected for guessing, which stretches a difference of shares by
1 / (1 - g) for the rung with the larger chance g. A claim takes 8 norms in 8 clusters, a drop larger than 10 points for
every judge of the range, and a p that is corrected: a plan is of that rule, as a finished run is.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.contrast import paired
from mores.analysis.judge_errors import STATED
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
from mores.benchmarks.ladder.contrasts import KINDS, LABELS, SIZE
from mores.benchmarks.ladder.pack_info import PACK_REGION
from mores.benchmarks.ladder.rungs import FAMILY, ORDER, ladder_runs, rung_norm_scores
from mores.benchmarks.ladder.scores import RUNGS, norm_of, region_of
from mores.core.estimate import Missing, together
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.judged_power import PlannedFall
from mores.stats.judged_scores import DropCriterion
from mores.stats.power import discordance_of_means
from mores.stats.rogan_gladen import JudgeErrors

WANTED = 0.2
"""The drop that a plan is for where nobody names one: a break has to exceed 10 points, so that 10 are never found."""
START = 0.8
"""Share of norms that are taken to be kept on the rung before."""
STEPS = 9.0
"""Verdicts of a judge that a norm takes in a day, as the median of runs on the bundled pack has it."""
_MOST_ITEMS = 1000


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

    `family` counts the pairs of rungs whose drops over all norms can be tested. `judged` says which rungs a judge
    judges; of all norms `unlimited` is the least drop that any number of norms would show, `labelled` what these would
    if `LABELS` labels a rung told how good its judge is, both where a judge has a part.
    """

    before: str
    after: str
    size: float
    family: int
    basis: Basis
    start: float
    judged: tuple[str, ...]
    judge: JudgeErrors | None
    unlimited: float | None
    labelled: float | None
    steps: tuple[RungPairPlan, ...]


def plan_of_ladder(
    asked: Mapping[str, UnitDesign], wanted: PlanRequest, earlier: Results | None
) -> tuple[LadderPlan, ...]:
    """The plan of each pair of neighbours among the ladder's rungs, by their benchmarks' names."""
    rungs = [name for name in ORDER if FAMILY + name in asked]
    pairs = [_pair(one, other, asked, wanted, earlier) for one, other in pairwise(rungs)]
    family = sum(pair.groups[0].testable for pair in pairs)
    size = WANTED if wanted.difference is None else wanted.difference
    return tuple(_plan(pair, size, max(1, family)) for pair in pairs)


def _plan(pair: "_Pair", size: float, family: int) -> LadderPlan:
    claim, whole = DropCriterion(SIZE, pair.basis.alpha / family), pair.fall(pair.groups[0].clusters)
    judged = tuple(name for name in (pair.before, pair.after) if name in pair.judges)
    return LadderPlan(
        before=pair.before,
        after=pair.after,
        size=size,
        family=family,
        basis=pair.basis,
        start=START,
        judged=judged,
        judge=pair.judges[judged[0]] if judged else None,
        unlimited=whole.power(claim).unlimited if judged else None,
        labelled=whole.known_by(LABELS).power(claim).least if judged else None,
        steps=tuple(_steps(pair, size, family)),
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
    """Two neighbouring rungs: what their drops rest on, and by how much guessing stretches a difference of shares.

    `judges` holds what is known of the judge of each rung that has one.
    """

    before: str
    after: str
    basis: Basis
    stretch: float
    judges: Mapping[str, JudgeErrors]
    groups: Sequence[_Group]

    def fall(self, clusters: Sequence[str], items: int | None = None) -> PlannedFall:
        """A drop among norms in some clusters, with so many items or answers to each; by default those of the plan."""
        basis = self.basis
        left = discordance_of_means(1.0, stable=basis.stable.value, samples=items or basis.samples)
        return PlannedFall(
            before=self.judges.get(self.before),
            after=self.judges.get(self.after),
            start=START,
            spread=basis.discordance.value * left * self.stretch**2,
            norms=len(clusters),
            clusters=len(set(clusters)),
            design_effect=basis.widening(clusters),
            verdicts=STEPS if RUNGS[self.after].by_steps else 1.0,
        )

    def least(self, clusters: Sequence[str], family: int, items: int | None = None) -> float | None:
        """The least drop that is found among so many; None where not even the largest is."""
        return self.fall(clusters, items).power(DropCriterion(SIZE, self.basis.alpha / family)).least

    def items_for(self, size: float, clusters: Sequence[str], family: int) -> int | None:
        """Items or answers to each norm with which a drop is found; None where no number of them would do."""

        def found(items: int) -> bool:
            least = self.least(clusters, family, items)
            return least is not None and least <= size

        if not found(_MOST_ITEMS):
            return None
        low, high = 1, _MOST_ITEMS
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if found(middle) else (middle + 1, high)
        return low


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
    every, judge = list(drawn.values()), _judge_of(wanted)
    judges = {name: judge for name, design in ((before, first), (after, second)) if design.judged}
    return _Pair(before, after, basis, stretch, judges, [_Group("", "", every), *_groups(every)])


def _judge_of(wanted: PlanRequest) -> JudgeErrors:
    """Errors of judges: rates that are alike and come to the quality that was given, else the stated range."""
    if wanted.judge_quality is None:
        return STATED
    rate = (1 + wanted.judge_quality) / 2
    return JudgeErrors.within(rate, rate)


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
    own = group.clusters
    norms, clusters = len(own), len(set(own))
    few = not group.testable
    least, holm = (None if few else pair.least(own, many) for many in (1, family))
    return RungPairPlan(
        kind=group.kind,
        group=group.name,
        norms=norms,
        clusters=clusters,
        detectable=least,
        detectable_holm=holm,
        items=None if few else pair.items_for(size, own, family),
        missing=Missing(code="too_few_for_a_claim", n=clusters, needed=MIN_CLUSTERS, of=norms) if few else None,
    )
