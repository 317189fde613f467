"""Several models together: their mean over models and items, and how figures go with facts of models.

results of a benchmark that may be compared ─▶ units that all models have a grade on ─▶ means for other models and other
items ─▶ slopes against size, release and thinking. The same model is one model, however often it was run; baselines are
none, and models of one family are drawn together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from math import log2, nan
from typing import cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.aggregate import estimated
from mores.analysis.compatibility import groups_alike
from mores.analysis.contrast import Contrast, adjusted, between_groups, known
from mores.analysis.gaps import spread_of
from mores.analysis.groups import Group, groups_of
from mores.analysis.judge_errors import joined_band
from mores.analysis.results import Result, Results, caution_of_several, marked
from mores.analysis.units import SharedUnits, headline_units, means_by
from mores.core.arrays import Floats, Mask
from mores.core.card import Metric
from mores.core.errors import UnknownName
from mores.core.estimate import Caution, Estimate, caution_of, shown
from mores.core.seeds import Seed
from mores.models.facts import billions, year
from mores.models.registry import is_simulated, same_model
from mores.norms.places import PlaceGrouping, group_of
from mores.stats.checks import ranks
from mores.stats.clusters import clustered
from mores.stats.crossed_effects import ModelSlope, mean_over_models, slope
from mores.stats.intervals import ClusteredMeans, mean_interval, refused
from mores.stats.ranks import holm

FACTS = ("parameters", "released", "reasoning")
"""Facts that figures are compared with: the doubling of size, the year of release, and thinking."""
TIER = "tier"
"""Fact that scores are compared with within a family alone, as ranks of two families do not compare."""
SCORE, GAP = "score", "gap"
GROUPINGS = ("region", "continent")
"""Kinds of groups that means over models are broken down by: the first that a benchmark has."""


class Models(Struct, frozen=True, eq=False, kw_only=True, dict=True):
    """Models on one benchmark that differ in their subject alone, on the units that all have a grade on."""

    evaluations: tuple[Result, ...]
    shared: SharedUnits

    @property
    def benchmark(self) -> str:
        """The benchmark."""
        return self.evaluations[0].benchmark

    @property
    def metric(self) -> Metric | None:
        """The card's entry for the headline."""
        return self.evaluations[0].described

    @property
    def grouping(self) -> str | None:
        """The kind of group that places are put together by; None where the benchmark has none."""
        card = self.evaluations[0].card
        return next((kind for kind in GROUPINGS if card and kind in card.groups), None)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The whole, then the groups of places in which all models have a grade on something."""
        keys = self.shared.first.keys
        found = groups_of(keys, () if self.grouping is None else (self.grouping,))
        return tuple(group for group in found if group.mask(keys).any())

    @cached_property
    def families(self) -> list[str]:
        """The family of each model; one whose family is unknown, or simulated by default, is its own."""
        return [family_of(each) for each in self.evaluations]

    @property
    def simulated(self) -> bool:
        """True where any of them was made up."""
        return any(each.simulated for each in self.evaluations)

    def facts(self, name: str) -> list[str | None]:
        """One fact of each model."""
        return [each.provenance.facts.get(name) for each in self.evaluations]


class Trend(Struct, frozen=True, kw_only=True):
    """Slope of one figure of models against one fact, in points a doubling, a year, or from off to on.

    `figure` is `score` or `gap`, the noise-corrected gap between places; `within` looks at models of one family alone,
    so that nothing else of a provider counts. `unknown` counts models without the fact or the figure. `p_holm` is
    corrected for the `family` of slopes on the benchmark. `caution` is what has to be known of the models' answers.
    """

    figure: str
    fact: str
    within: bool
    found: ModelSlope
    unknown: int
    p_holm: float | None = None
    family: int = 0
    caution: Caution | None = None


class AcrossModels(Struct, frozen=True, eq=False, kw_only=True):
    """The models of one benchmark together: means over them, the whole first, and slopes."""

    models: Models
    means: tuple[Estimate, ...]
    trends: tuple[Trend, ...]


def models_of(results: Results) -> Iterator[Models]:
    """The models of each benchmark that can be held against each other, two at least."""
    for benchmark in results.benchmarks:
        asked = [each for each in results.on(benchmark) if not each.partial and not each.model.startswith("baseline/")]
        for alike in groups_alike(asked):
            once = _once(alike)
            if len(once) > 1:
                found = Models(evaluations=once, shared=SharedUnits.of([headline_units(each) for each in once]))
                if len(found.shared.first):
                    yield found


def across(models: Models) -> AcrossModels:
    """Means over models and slopes."""
    return AcrossModels(
        models=models,
        means=tuple(mean_of_models(models, group) for group in models.groups),
        trends=tuple(_trends(models)),
    )


def _once(evaluations: Sequence[Result]) -> tuple[Result, ...]:
    """The first evaluation of each model."""
    kept: list[Result] = []
    for each in evaluations:
        if not any(same_model(each.model, other.model) for other in kept):
            kept.append(each)
    return tuple(kept)


def family_of(result: Result) -> str:
    """The family of a model; one whose family is unknown, or simulated by default, is its own."""
    family = result.provenance.facts.get("family")
    return result.model if family is None or (family == "simulated" and is_simulated(result.model)) else family


def mean_of_models(models: Models, group: Group) -> Estimate:
    """The mean over models in one group, with an interval for other models and other items."""
    inside = group.mask(models.shared.first.keys)
    layouts = [layout_of(models, row, inside, equal=group.equal) for row in models.shared.points]
    over = layout_of(models, models.shared.points.mean(axis=0), inside, equal=group.equal)
    values = [each.mean for each in layouts]
    share = is_share(models)
    items = over.steadied(over.spread()) if share else over.spread()
    interval = refused(over.load) or mean_over_models(values, models.families, items, share=share)
    name = models.evaluations[0].headline
    mean = estimated(name, over.mean, interval, asked=int(inside.sum()), group=group.key)
    return _marked(mean, models.evaluations)


def _marked(mean: Estimate, evaluations: Sequence[Result]) -> Estimate:
    """A mean over models with the caution on their answers, and the judge band of a figure of this size of any of them.

    What a judge's rates do to each of their figures they do to the mean.
    """
    figure, bands = marked(mean, evaluations), [each.judge_band(mean) for each in evaluations]
    known = [band for band in bands if band is not None]
    if not known or len(known) < len(bands):
        return figure
    return shown(figure, caution=caution_of(figure), judge=joined_band(known))


def layout_of(models: Models, values: Floats, inside: Mask, *, equal: bool = False) -> ClusteredMeans:
    """Some units laid out by their clusters within places; `equal` weighs places alike."""
    keys = models.shared.first.keys
    clusters = clustered(keys.cluster.codes[inside], keys.place.codes[inside], int(inside.sum()))
    return ClusteredMeans.of(values[inside], clusters, "equal" if equal else None)


def is_share(models: Models) -> bool:
    """True if what units get lies between 0 and 1."""
    points = models.shared.points
    return bool(points.min() >= 0 and points.max() <= 1)


def _trends(models: Models) -> Iterator[Trend]:
    """The slopes of score and gap against each fact, a family."""
    figures = _figures(models)
    found = [_trend(models, figure, figures[figure], fact) for figure in figures for fact in FACTS]
    tiers = (TIER,) if any(each is not None for each in models.facts(TIER)) else ()
    found += [_trend(models, SCORE, figures[SCORE], fact, within=True) for fact in (*FACTS, *tiers)]
    p = holm([nan if each.found.p is None else each.found.p for each in found]).tolist()
    family = sum(each.found.p is not None for each in found)
    return (replace(each, p_holm=known(one), family=family) for each, one in zip(found, p, strict=True))


def _figures(models: Models) -> Mapping[str, Floats]:
    """Figures that are compared with facts: the score of each model, and the noise-corrected gap between its places."""
    everything = np.ones(len(models.shared.first), dtype=np.bool_)
    scores = [layout_of(models, row, everything).mean for row in models.shared.points]
    spreads = [spread_of(each) for each in models.evaluations]
    gaps = [nan if each is None else each.shrunken for each in spreads]
    found = {SCORE: np.array(scores), GAP: np.array(gaps)}
    return {name: values for name, values in found.items() if not np.isnan(values).all()}


def _trend(models: Models, figure: str, values: Floats, fact: str, *, within: bool = False) -> Trend:
    facts = np.array([nan if each is None else _number(fact, each) for each in models.facts(fact)])
    both = ~np.isnan(facts) & ~np.isnan(values)
    x, y, families = facts[both], values[both], ranks(np.array(models.families)[both])
    if within:
        # about the mean of each family, so that nothing else of a provider counts
        x, y = (each - means_by(families, each, len(each))[families] for each in (x, y))
        varied = np.bincount(families, np.abs(x))[families] > 1e-9 if len(x) else np.zeros(0, dtype=np.bool_)
        x, y, families = x[varied], y[varied], families[varied]
    held = [each for each, kept in zip(models.evaluations, both.tolist(), strict=True) if kept]
    return Trend(
        figure=figure,
        fact=fact,
        within=within,
        found=slope(x, y, families),
        unknown=int((~both).sum()),
        caution=caution_of_several(held, models.evaluations[0].headline, {}),
    )


def _number(fact: str, value: str) -> float:
    if fact == "parameters":
        # each doubling of size counts alike
        return log2(billions(value))
    if fact == TIER:
        return float(value)
    return year(value) if fact == "released" else float(value != "off")


SEED = Seed("providers")


class HomeAdvantage(Struct, frozen=True, kw_only=True):
    """One provider in the region of its home against all other regions.

    `plain` is the mean of its models at home less elsewhere; `advantage` is that less the same of the `others`, models
    of providers whose home is another region, None where there are none. Both have p-values that are corrected for all
    providers.
    """

    provider: str
    region: str
    models: int
    others: int
    plain: Contrast
    advantage: Contrast | None


class Providers(Struct, frozen=True, kw_only=True):
    """The figure of each provider's models over the whole and in each region, and each provider at home.

    `unknown` are models whose provider is not known, `abroad` providers whose home is unknown or was not asked about.
    """

    kind: str
    groups: tuple[Group, ...]
    figures: dict[str, tuple[Estimate, ...]]
    counts: dict[str, int]
    at_home: tuple[HomeAdvantage, ...]
    unknown: tuple[str, ...]
    abroad: tuple[str, ...]


def providers_of(models: Models) -> Providers | None:
    """Providers by region; None where the benchmark has no regions, or no provider is known besides simulated ones."""
    kind, known = models.grouping, _providers(models)
    names = sorted({name for name in known if name is not None})
    if kind is None or not names:
        return None
    groups = models.groups
    of = {name: np.array([each == name for each in known]) for name in names}
    regions = {name: _home(models, name, kind) for name in names}
    asked = {group.value for group in groups}
    at_home = [_at_home(models, name, Group(kind, region), regions) for name, region in regions.items()
               if region is not None and region in asked]  # fmt: skip
    return Providers(
        kind=kind,
        groups=groups,
        figures={name: tuple(_figure(models, rows, group) for group in groups) for name, rows in of.items()},
        counts={name: int(rows.sum()) for name, rows in of.items()},
        at_home=_corrected(at_home),
        unknown=tuple(e.label for e, name in zip(models.evaluations, known, strict=True) if name is None),
        abroad=tuple(name for name, region in regions.items() if region not in asked),
    )


def _providers(models: Models) -> list[str | None]:
    """The provider of each model; that a model is simulated here is none."""
    # simulated models are of no provider whose home could help them
    return [None if name == "mores" else name for name in models.facts("provider")]


def _home(models: Models, provider: str, kind: str) -> str | None:
    """The region of a provider's home; None where it is unknown, or no place has such an id."""
    both = zip(_providers(models), models.facts("home"), strict=True)
    home = next((home for name, home in both if name == provider and home is not None), None)
    try:
        return None if home is None else group_of(home, cast(PlaceGrouping, kind))
    except UnknownName:
        return None


def _figure(models: Models, rows: Mask, group: Group) -> Estimate:
    """The mean of some models in one group, with an interval for other items and these models."""
    keys = models.shared.first.keys
    inside = group.mask(keys)
    values = models.shared.points[rows].mean(axis=0)
    interval = mean_interval(
        values[inside],
        keys.cluster.codes[inside],
        strata=keys.place.codes[inside],
        weights="equal" if group.equal else None,
        seed=SEED.child(models.benchmark, *group),
    )
    value = layout_of(models, values, inside, equal=group.equal).mean
    mean = estimated(models.evaluations[0].headline, value, interval, asked=int(inside.sum()), group=group.key)
    return _marked(mean, _of(models, rows))


def _with_caution(evaluations: Sequence[Result], found: Contrast) -> Contrast:
    """A difference with what has to be known of the answers of some evaluations."""
    return replace(found, caution=caution_of_several(evaluations, found.metric, {}))


def _of(models: Models, rows: Mask) -> list[Result]:
    return [each for each, chosen in zip(models.evaluations, rows.tolist(), strict=True) if chosen]


def _at_home(models: Models, provider: str, home: Group, regions: dict[str, str | None]) -> HomeAdvantage:
    known = _providers(models)
    own = np.array([each == provider for each in known])
    away = np.array([each is not None and regions[each] not in {None, home.value} for each in known])
    inside, points = home.mask(models.shared.first.keys), models.shared.points
    mean = points[own].mean(axis=0)
    compare = partial(
        between_groups, inside=inside, clusters=models.shared.first.keys.cluster.codes,
        metric=models.evaluations[0].headline, group=home, seed=SEED.child(models.benchmark, provider),
    )  # fmt: skip
    return HomeAdvantage(
        provider=provider,
        region=home.value,
        models=int(own.sum()),
        others=int(away.sum()),
        plain=_with_caution(_of(models, own), compare(mean)),
        advantage=_with_caution(_of(models, own | away), compare(mean - points[away].mean(axis=0)))
        if away.any()
        else None,
    )


def _corrected(found: Sequence[HomeAdvantage]) -> tuple[HomeAdvantage, ...]:
    """Both families of p-values corrected for their number."""
    plain = adjusted([each.plain for each in found])
    own = iter(adjusted([each.advantage for each in found if each.advantage is not None]))
    return tuple(
        replace(each, plain=one, advantage=None if each.advantage is None else next(own))
        for each, one in zip(found, plain, strict=True)
    )
