"""The ladder before a run: how many norms, and items or answers to each, show a drop from one rung to the next.

A drop is paired by norm and counted in scores corrected for guessing, which stretches a difference of shares by
1 / (1 - g) for the rung with the larger chance g. A claim takes 8 norms in 8 clusters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean

from mores.norms.groupings import group_of
from mores.reports.differences import together
from mores.reports.findings import Findings
from mores.reports.ladder.drops import SIZE
from mores.reports.ladder.rungs import FAMILY, ORDER, Rung, climbs
from mores.reports.ladder.standing import stand
from mores.reports.planning.assumptions import STABLE, Assumed
from mores.reports.planning.plan import Basis, Drawn, Wanted, basis_of, cell_of, units_of
from mores.runs.cell import Cell
from mores.runs.spec import Spec
from mores.stats.intervals import FEWEST
from mores.stats.plan import samples_needed

KINDS = ("domain", "region", "place")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One group between two rungs: its norms, the least drop they show, and the items a norm and rung for the wanted.

    `items` is None where no number of them would do; `why` says why no claim can be made at all.
    """

    kind: str
    group: str
    norms: int
    clusters: int
    detectable: float | None
    items: int | None
    why: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderPlan:
    """Two neighbouring rungs; all norms first, then groups. `size` is the wanted drop in corrected scores."""

    before: str
    after: str
    size: float
    basis: Basis
    steps: tuple[Step, ...]


def plan_of_ladder(specs: Mapping[str, Spec], wanted: Wanted, earlier: Findings | None) -> tuple[LadderPlan, ...]:
    """The plan of each pair of neighbours among the ladder's rungs, by their benchmarks' names."""
    rungs = [name for name in ORDER if FAMILY + name in specs]
    cells = {name: cell_of(specs[FAMILY + name]) for name in rungs}
    return tuple(_of_pair(one, other, cells, wanted, earlier) for one, other in pairwise(rungs))


def _of_pair(
    before: str, after: str, cells: Mapping[str, Cell], wanted: Wanted, earlier: Findings | None
) -> LadderPlan:
    first, second = (_norms(cells[name]) for name in (before, after))
    both = [norm for norm in first if norm in second]
    cluster = together([(f"a {first[norm].cluster}", f"b {second[norm].cluster}") for norm in both])
    drawn = {norm: Drawn(str(own), *second[norm][1:]) for norm, own in zip(both, cluster, strict=True)}
    stretch = 1 / (1 - max(cells[name].benchmark.card.chance or 0.0 for name in (before, after)))
    basis = basis_of(cells[after], drawn, wanted, None)
    basis = _with(basis, _seen_drop(before, after, earlier, stretch), wanted)
    size = SIZE if wanted.difference is None else wanted.difference
    groups = [("", "", list(drawn.values())), *_groups(list(drawn.values()))]
    steps = tuple(_step(*group, basis, size / stretch, stretch) for group in groups)
    return LadderPlan(before=before, after=after, size=size, basis=basis, steps=steps)


def _norms(cell: Cell) -> dict[str, Drawn]:
    """Units by the norm that they are about."""
    return {name.rpartition("\x1f")[2].partition("@")[0]: drawn for name, drawn in units_of(cell).items()}


def _with(basis: Basis, seen: Assumed | None, wanted: Wanted) -> Basis:
    """The basis of a drop: another item on the same norm varies even where another answer to the same would not."""
    basis = replace(basis, stable=Assumed(STABLE, "assumed to be the norm's own, the rest its single item's"))
    return basis if seen is None or wanted.discordance is not None else replace(basis, discordance=seen)


def _seen_drop(before: str, after: str, earlier: Findings | None, stretch: float) -> Assumed | None:
    """Mean squared difference of a norm between the rungs in earlier runs, as of shares; None where there is none."""
    found = []
    for climb in climbs(earlier) if earlier is not None else ():
        rungs = {rung.name: rung for rung in climb.rungs}
        if before in rungs and after in rungs:
            found += _squares(rungs[before], rungs[after])
    if not found or not any(found):
        return None
    return Assumed(min(1.0, fmean(found) / stretch**2), "from norms on both rungs in earlier runs")


def _squares(before: Rung, after: Rung) -> list[float]:
    one, other = stand(before).norms, stand(after).norms
    both = [norm for norm in one if norm in other and one[norm].graded and other[norm].graded]
    return [(before.above(one[norm].share) - after.above(other[norm].share)) ** 2 for norm in both]


def _groups(drawn: Sequence[Drawn]) -> list[tuple[str, str, list[Drawn]]]:
    found: dict[tuple[str, str], list[Drawn]] = {}
    for each in drawn:
        region = group_of(each.place, "region") if each.place else None
        belongs = {"domain": each.groups.get("domain"), "region": region, "place": each.place}
        for kind in KINDS:
            if belongs[kind]:
                found.setdefault((kind, str(belongs[kind])), []).append(each)
    order = sorted(found, key=lambda key: (KINDS.index(key[0]), key[1]))
    return [(kind, name, found[kind, name]) for kind, name in order]


def _step(kind: str, group: str, drawn: Sequence[Drawn], basis: Basis, size: float, stretch: float) -> Step:
    norms, clusters = len(drawn), len({each.cluster for each in drawn})
    few = min(norms, clusters) < FEWEST
    own = [each.cluster for each in drawn]
    least = basis.detectable(own)
    items = (
        None
        if few
        else samples_needed(
            size,
            units=norms,
            clusters=clusters,
            discordance=basis.discordance.value,
            stable=basis.stable.value,
            design_effect=basis.widening(own),
            judge_quality=basis.judge_quality.value,
            power=basis.power,
            alpha=basis.alpha,
        )
    )
    return Step(
        kind=kind,
        group=group,
        norms=norms,
        clusters=clusters,
        detectable=None if few or least is None else stretch * least,
        items=items,
        why=f"too few for a claim: {norms} norms in {clusters} clusters, {FEWEST} are needed" if few else None,
    )
