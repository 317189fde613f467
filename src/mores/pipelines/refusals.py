"""Refusals of models by place and by region: they say something of the models, and of whom a release omits."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from mores.norms.places import group_of
from mores.pipelines.funnel import Dropped, KeptOrDropped, Unit
from mores.pipelines.structured_query import REFUSED
from mores.stats.intervals import wilson


class Refusals(msgspec.Struct, frozen=True, kw_only=True):
    """Units about a place or a region, how many had something refused, and their share with Wilson's interval."""

    where: str
    units: int
    refused: int
    share: float
    low: float | None
    high: float | None


def refusals(units: Sequence[Unit], outcomes: Sequence[KeptOrDropped[Any]]) -> dict[str, tuple[Refusals, ...]]:
    """The refusals among units that have all ended, by place and by region."""
    found = [(unit.place, _refused(outcome)) for unit, outcome in zip(units, outcomes, strict=True)]
    return {
        "by_place": _grouped(found, lambda place: place or "no place"),
        "by_region": _grouped(found, lambda place: (place and group_of(place, "region")) or "no region"),
    }


def _refused(outcome: KeptOrDropped[Any]) -> bool:
    return outcome.reason == REFUSED if isinstance(outcome, Dropped) else outcome.refused


def _grouped(found: Iterable[tuple[str, bool]], name: Callable[[str], str]) -> tuple[Refusals, ...]:
    groups: dict[str, list[bool]] = {}
    for place, refused in found:
        groups.setdefault(name(place), []).append(refused)
    return tuple(_share(where, refused) for where, refused in sorted(groups.items()))


def _share(where: str, refused: Sequence[bool]) -> Refusals:
    count, n = sum(refused), len(refused)
    ends = wilson(count, n)
    return Refusals(where=where, units=n, refused=count, share=count / n, low=ends.low, high=ends.high)
