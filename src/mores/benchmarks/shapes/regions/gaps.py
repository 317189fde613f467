"""How far regions lie apart, how far they would by chance, and which stand at the ends.

Regions are places here. Of open answers the gap has two forms: "paper" divides by what all norms weigh, so that it
mixes skill with how strict a region's norms are; "adjusted" divides by the region's own. Claims rest on the second.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import NamedTuple

import numpy as np

from mores.analysis.contrast import LEVEL, known
from mores.analysis.order import RankReliability, order_of
from mores.analysis.subjects import SubjectScores
from mores.analysis.units import Units
from mores.core.arrays import Mask
from mores.core.estimate import Caution, Estimate
from mores.core.seeds import Seed
from mores.stats.gaps import region_gap
from mores.stats.group_means import joint_interval
from mores.stats.norm_scores import RegionScores, region_points, weighted_interval
from mores.stats.ranks import holm

SEED = Seed("forest")
ENDS = 3
"""Regions shown at each end."""
RESAMPLES, PERMUTATIONS = 10_000, 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionGap:
    """Regions of one model in one mode: their spread in shares, or in points where `points`.

    `gap` and `std` are the adjusted ones, `null` is the gap if no region differed, `p` how often chance alone makes one
    as large; `p_holm` is corrected for the `family` of models tested in the mode. `best` and `worst` have intervals
    that hold for all `regions` together; they are empty where `order` says that the regions cannot be put in one.
    `caution` is what has to be known of the answers.
    """

    name: str
    simulated: bool
    mode: str
    points: bool
    regions: int
    gap: float | None
    std: float | None
    null: float | None
    p: float | None
    p_holm: float | None = None
    family: int = 0
    gap_paper: float | None = None
    std_paper: float | None = None
    order: RankReliability
    best: tuple[Estimate, ...]
    worst: tuple[Estimate, ...]
    caution: Caution | None = None


def regions_of(units: Units, rows: Mask, *, paper: bool = False) -> RegionScores:
    """Each region with its score over some graded units, by a hundred; in the paper's form divided by mean weights."""
    weights = np.full(len(units), units.weights.mean()) if paper else units.weights
    return region_points(units.value[rows], weights[rows], units.keys.place.only(rows).in_order())


def placed(units: Units) -> Mask:
    """Graded units that are in a region."""
    return np.asarray(units.graded & (units.keys.place.codes >= 0))


def gaps_of(scored: Sequence[SubjectScores]) -> tuple[RegionGap, ...]:
    """The regions of each model in each mode; those with fewer than two are left out."""
    found = [gap for each in scored if (gap := _gap(each)).regions > 1]
    modes = dict.fromkeys(each.mode for each in found)
    return tuple(each for mode in modes for each in _corrected([one for one in found if one.mode == mode]))


def _corrected(found: Sequence[RegionGap]) -> Iterator[RegionGap]:
    """The models of one mode, which are a family."""
    adjusted = holm([nan if each.p is None else each.p for each in found]).tolist()
    family = sum(each.p is not None for each in found)
    return (replace(each, p_holm=known(p), family=family) for each, p in zip(found, adjusted, strict=True))


def _gap(each: SubjectScores) -> RegionGap:
    regions, order = regions_of(each.units, placed(each.units)), order_of([each.result], "place", each.metric)
    points = dict(zip(regions.names, regions.points.tolist(), strict=True))
    ranked = sorted(points, key=lambda place: (points[place], place))
    ends = min(ENDS, len(ranked) // 2) if order.ranks else 0
    figures = {place: _figure(each, place, points) for place in (*ranked[:ends], *ranked[len(ranked) - ends :])}
    spread = _of_the_run(each) or _anew(each, regions)
    return RegionGap(
        name=each.subject.name,
        simulated=each.subject.simulated,
        mode=each.mode,
        points=each.weighted,
        regions=len(ranked),
        **spread._asdict(),
        order=order,
        best=tuple(figures[place] for place in ranked[::-1][:ends]),
        worst=tuple(figures[place] for place in ranked[:ends]),
        caution=each.result.caution(each.metric, {}),
    )


class _Spread(NamedTuple):
    gap: float | None
    std: float | None
    null: float | None
    p: float | None
    gap_paper: float | None = None
    std_paper: float | None = None


def _of_the_run(each: SubjectScores) -> _Spread | None:
    """The spread as the run found it; None where it has none, or does not say how often chance makes one."""
    gap = each.result.whole("region_gap")
    if gap is None or gap.p is None:
        return None
    others = ("region_std", "region_gap_null", "region_gap_paper", "region_std_paper")
    figures = (each.result.whole(metric) for metric in others)
    std, null, *paper = (None if figure is None else figure.value for figure in figures)
    return _Spread(gap.value, std, null, gap.p, *paper)


def _anew(each: SubjectScores, regions: RegionScores) -> _Spread:
    """The spread of units, where the run's own figures do not have it."""
    units, rows, scale = each.units, placed(each.units), 1.0 if each.weighted else 0.01
    found = region_gap(
        units.value[rows],
        units.weights[rows],
        units.keys.place.codes[rows],
        units.keys.cluster.codes[rows],
        seed=SEED.child("gap", each.subject.name, each.mode),
        permutations=PERMUTATIONS,
    )
    gap, std, null = (known(scale * value) for value in (regions.gap, regions.std, 100 * found.null))
    paper = regions_of(units, rows, paper=True) if each.weighted else None
    in_paper = () if paper is None else (known(paper.gap), known(paper.std))
    return _Spread(gap, std, null, known(found.p), *in_paper)


def _figure(each: SubjectScores, place: str, points: Mapping[str, float]) -> Estimate:
    """One region with an interval that holds for all regions together (Bonferroni's)."""
    units = each.units
    inside = units.keys.place.belongs(place.__eq__)
    rows = inside & units.graded
    value, cluster = units.value[rows], units.keys.cluster.codes[rows]
    if each.weighted:
        interval = weighted_interval(value, units.weights[rows], cluster, confidence=1 - LEVEL / len(points))
    else:
        seed = SEED.child("region", place)
        interval = joint_interval(value, cluster, family=len(points), resamples=RESAMPLES, seed=seed)
    figure = Estimate(
        metric="norm_score_adjusted" if each.weighted else each.metric,
        group={"place": place},
        value=points[place] if each.weighted else points[place] / 100,
        low=interval.low,
        high=interval.high,
        asked=int(inside.sum()),
        graded=int(rows.sum()),
        method=interval.method,
        missing=interval.missing,
    )
    return each.result.marked(figure)
