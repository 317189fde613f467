"""Whether models find the same regions hard: consensus, polarization, and models that stand apart.

Spearman between the scores that each two models have over regions, for all domains and for each. Of open answers both
forms are given: in the paper's, a region that is rich in strict norms stands high for every model, so that models
agree on the norms, not on what they do; the adjusted one is free of that.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mores.analysis.contrast import known
from mores.analysis.groups import Group
from mores.analysis.results import marked
from mores.analysis.subjects import SubjectScores
from mores.benchmarks.shapes.regions.gaps import SEED, placed, regions_of
from mores.core.arrays import Floats, Mask
from mores.core.card import Metric
from mores.core.estimate import Estimate
from mores.stats.correlation import rank_correlations, region_consensus
from mores.stats.explanations import quartile_range
from mores.stats.intervals import Interval

MIN_REGIONS, MIN_MODELS = 5, 4
"""Regions that a correlation needs, and models that quartiles need."""
ROUNDING = 1e-9
"""How far below the fence a mean must lie: models that are alike must not be told apart by their last bit."""
RESAMPLES, RESAMPLES_OF_DOMAIN = 2_000, 600
RHO = Metric(name="rho", unit="pair", says="Spearman's correlation", low=-1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionConsensus:
    """How alike models rank the regions of one domain, or of all where `domain` is empty.

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAgreement:
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
        outliers=tuple(name for name, apart in zip(names, low, strict=True) if apart),
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
        resamples=RESAMPLES_OF_DOMAIN if domain else RESAMPLES,
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
