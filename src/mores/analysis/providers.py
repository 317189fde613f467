"""Providers and regions: how the models of each do in each region, and at home against elsewhere.

A region's questions are easy or hard for everyone, so that a provider's models may do better at home without knowing
more of it. So beside the plain difference stands the advantage: what is left of it when the same difference of models
from elsewhere is taken away, question by question.
"""

from collections.abc import Sequence
from functools import partial
from typing import cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from mores.analysis.aggregate import estimated
from mores.analysis.contrast import Contrast, adjusted, between_groups
from mores.analysis.groups import Group
from mores.analysis.model_summary import Models, is_share, layout_of
from mores.analysis.results import Result, caution_of_several, marked
from mores.core.arrays import Mask
from mores.core.errors import UnknownName
from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.norms.places import PlaceGrouping, group_of
from mores.stats.intervals import mean_interval

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
        binary=int(rows.sum()) == 1 and is_share(models),
        seed=SEED.child(models.benchmark, *group),
    )
    value = layout_of(models, values, inside, equal=group.equal).mean
    mean = estimated(models.evaluations[0].headline, value, interval, asked=int(inside.sum()), group=group.key)
    return marked(mean, _of(models, rows))


def _said_of(evaluations: Sequence[Result], found: Contrast) -> Contrast:
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
        plain=_said_of(_of(models, own), compare(mean)),
        advantage=_said_of(_of(models, own | away), compare(mean - points[away].mean(axis=0))) if away.any() else None,
    )


def _corrected(found: Sequence[HomeAdvantage]) -> tuple[HomeAdvantage, ...]:
    """Both families of p-values corrected for their number."""
    plain = adjusted([each.plain for each in found])
    own = iter(adjusted([each.advantage for each in found if each.advantage is not None]))
    return tuple(
        replace(each, plain=one, advantage=None if each.advantage is None else next(own))
        for each, one in zip(found, plain, strict=True)
    )
