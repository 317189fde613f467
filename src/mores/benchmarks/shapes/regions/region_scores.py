"""Gaps between regions, their size by chance, the regions at the ends, and agreement of models on them.

Regions are places here. Of open answers the gap has two forms: "paper" divides by what all norms weigh, so that it
mixes skill with how strict a region's norms are; "adjusted" divides by the region's own. Claims rest on the second.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import nan
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.breakdown import RankReliability, order_of
from mores.analysis.contrast import LEVEL, known
from mores.analysis.groups import Group
from mores.analysis.results import marked
from mores.analysis.units import SubjectScores, Units
from mores.core.arrays import Floats, Mask
from mores.core.card import Metric
from mores.core.estimate import Caution, Estimate
from mores.core.seeds import Seed
from mores.stats.correlation import rank_correlations, region_consensus
from mores.stats.explanations import quartile_range
from mores.stats.gaps import region_gap
from mores.stats.group_means import joint_interval
from mores.stats.intervals import MIN_CLUSTERS, Interval
from mores.stats.norm_scores import RegionScores, region_points, weighted_interval
from mores.stats.ranks import holm

SEED = Seed("forest")
ENDS = 3
"""Regions shown at each end."""
RESAMPLES, PERMUTATIONS = 10_000, 1_000


class RegionGap(Struct, frozen=True, kw_only=True):
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
    # Ties go by name, so that the ends do not hang on the order of rows.
    ranked = sorted(points, key=lambda place: (points[place], place))
    listed = [place for place in ranked if _clusters_in(each, place) >= MIN_CLUSTERS] if order.ranks else []
    ends = min(ENDS, len(listed) // 2)
    figures = {place: _figure(each, place, points) for place in (*listed[:ends], *listed[len(listed) - ends :])}
    spread = _of_the_run(each) or _anew(each, regions)
    return RegionGap(
        name=each.subject.name,
        simulated=each.subject.simulated,
        mode=each.mode,
        points=each.weighted,
        regions=len(ranked),
        **spread._asdict(),
        order=order,
        best=tuple(figures[place] for place in listed[::-1][:ends]),
        worst=tuple(figures[place] for place in listed[:ends]),
        caution=each.result.caution(each.metric, {}),
    )


def _clusters_in(each: SubjectScores, place: str) -> int:
    """Number of clusters that a place has grades in; of fewer than eight nothing is told, so that it is no end."""
    keys = each.units.keys
    inside = each.units.graded & (keys.place.codes == keys.place.names.index(place))
    return int(np.unique(keys.cluster.codes[inside]).size)


class _Spread(NamedTuple):
    gap: float | None
    std: float | None
    null: float | None
    p: float | None
    gap_paper: float | None = None
    std_paper: float | None = None


def _of_the_run(each: SubjectScores) -> _Spread | None:
    """The spread as the run found it; None where it has none, or does not say how often chance makes one."""
    gap = each.result.overall("region_gap")
    if gap is None or gap.p is None:
        return None
    others = ("region_std", "region_gap_null", "region_gap_paper", "region_std_paper")
    figures = (each.result.overall(metric) for metric in others)
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
    # Regions' points are out of a hundred, the null is a share of one.
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


MIN_REGIONS, MIN_MODELS = 5, 4
"""Regions that a correlation needs, and models that quartiles need."""
ROUNDING = 1e-9
"""How far below the fence a mean must lie: models that are alike must not be told apart by their last bit."""
RESAMPLES_OF_ALL, RESAMPLES_OF_DOMAIN = 2_000, 600
RHO = Metric(name="rho", unit="pair", says="Spearman's correlation", low=-1.0)


class RegionConsensus(Struct, frozen=True, kw_only=True):
    """Agreement of models on the ranks of regions of one domain, or of all where `domain` is empty.

    `consensus` is the mean correlation over pairs of models; `polarization` the largest less the smallest, our reading
    of the published equation; both count pairs. `a_region` is the median number of graded units (questions, or norms
    of them) that a region's score rests on.
    """

    domain: str
    consensus: Estimate
    polarization: Estimate
    least: float | None
    most: float | None
    deviation: float | None
    regions: int
    a_region: float


class ModelAgreement(Struct, frozen=True, kw_only=True):
    """All models in one mode and form (`accuracy`, `adjusted` or `paper`); correlations are None where undefined.

    `means` is each model's mean correlation with the others. `fence` is Q1 - 1.5 IQR of these, below which a model is
    an outlier; None under four models.
    """

    mode: str
    form: str
    names: tuple[str, ...]
    simulated: tuple[bool, ...]
    rows: tuple[RegionConsensus, ...]
    correlations: tuple[tuple[float | None, ...], ...]
    means: tuple[float | None, ...]
    fence: float | None
    outliers: tuple[str, ...]

    @property
    def whole(self) -> RegionConsensus:
        """Over all domains."""
        return self.rows[0]


def agreements_of(scored: Sequence[SubjectScores], *, whole_only: Sequence[str] = ()) -> tuple[ModelAgreement, ...]:
    """One for each mode and form that at least two models have, over at least five regions.

    In modes of which the whole alone is wanted, domains are left aside.
    """
    found = []
    for mode in dict.fromkeys(each.mode for each in scored):
        models = [each for each in scored if each.mode == mode]
        if len(models) > 1 and _scores(models, "", "").shape[1] >= MIN_REGIONS:
            forms = ("adjusted", "paper") if models[0].weighted else ("accuracy",)
            domains = () if mode in whole_only else _domains(models)
            found += [_agreement(form, models, domains) for form in forms]
    return tuple(found)


def _domains(models: Sequence[SubjectScores]) -> tuple[str, ...]:
    """The domains of units, where there are several."""
    columns = (each.units.keys.groups.get("domain") for each in models)
    names = sorted({name for column in columns if column is not None for name in column.names})
    return tuple(names) if len(names) > 1 else ()


def _agreement(form: str, models: Sequence[SubjectScores], domains: Sequence[str]) -> ModelAgreement:
    rho = rank_correlations(_scores(models, form, ""))
    means = _mean_with_others(rho)
    fence, names = _fence(means), tuple(each.subject.name for each in models)
    low = np.zeros(len(names), dtype=np.bool_) if fence is None else means < fence - ROUNDING
    return ModelAgreement(
        mode=models[0].mode,
        form=form,
        names=names,
        simulated=tuple(each.subject.simulated for each in models),
        rows=tuple(_consensus(form, models, domain) for domain in ("", *domains)),
        correlations=tuple(tuple(known(value) for value in row) for row in rho.tolist()),
        means=tuple(known(mean) for mean in means.tolist()),
        fence=fence,
        outliers=tuple(name for name, distance in zip(names, low, strict=True) if distance),
    )


def _mean_with_others(rho: Floats) -> Floats:
    others = np.where(np.eye(len(rho), dtype=np.bool_), np.nan, rho)
    count = np.isfinite(others).sum(axis=1)
    return np.asarray(np.divide(np.nansum(others, axis=1), count, out=np.full(len(rho), np.nan), where=count > 0))


def _fence(means: Floats) -> float | None:
    have = means[np.isfinite(means)]
    spread = quartile_range(have)
    return None if np.isnan(spread) else float(np.quantile(have, 0.25)) - 1.5 * spread


def _inside(each: SubjectScores, domain: str) -> Mask:
    some = placed(each.units)
    return some & Group("domain", domain).mask(each.units.keys) if domain else some


def _scores(models: Sequence[SubjectScores], form: str, domain: str) -> Floats:
    """Points of each model in each region that any has units in, NaN where it has none."""
    places = sorted({place for each in models for place in each.units.keys.place.only(placed(each.units)).names})
    found = (regions_of(each.units, _inside(each, domain), paper=form == "paper") for each in models)
    points = (dict(zip(each.names, each.points.tolist(), strict=True)) for each in found)
    return np.array([[own.get(place, np.nan) for place in places] for own in points], dtype=np.float64)


def _consensus(form: str, models: Sequence[SubjectScores], domain: str) -> RegionConsensus:
    scores, mode = _scores(models, form, domain), models[0].mode
    found = region_consensus(
        scores,
        resamples=RESAMPLES_OF_DOMAIN if domain else RESAMPLES_OF_ALL,
        seed=SEED.child("consensus", mode, form, domain),
    )

    def of(metric: str, value: float, interval: Interval) -> Estimate:
        figure = Estimate(
            metric=metric,
            group={"domain": domain} if domain else {},
            value=known(value),
            low=interval.low,
            high=interval.high,
            asked=len(models) * (len(models) - 1) // 2,
            graded=found.pairs,
            method=interval.method,
            missing=interval.missing or found.missing,
        )
        return marked(figure, [each.result for each in models])

    return RegionConsensus(
        domain=domain,
        consensus=of("consensus", found.consensus, found.consensus_interval),
        polarization=of("polarization", found.polarization, found.polarization_interval),
        least=known(found.least),
        most=known(found.most),
        deviation=known(found.deviation),
        regions=int((~np.isnan(scores).all(axis=0)).sum()),
        a_region=_units_a_region(models, domain),
    )


def _units_a_region(models: Sequence[SubjectScores], domain: str) -> float:
    counts = np.concatenate([np.bincount(each.units.keys.place.codes[_inside(each, domain)]) for each in models])
    return float(np.median(counts[counts > 0])) if counts.any() else 0.0
