"""The groups that figures are broken down by: the whole, places, regions of places, and what else rows belong to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, cast, get_args

import numpy as np

from mores.core.arrays import Mask
from mores.core.estimate import SEVERAL, CategoricalColumn, RowKeys
from mores.core.transcript import ItemMetadata
from mores.norms.places import PlaceGrouping, group_of

GROUPINGS: tuple[str, ...] = get_args(PlaceGrouping)
PLACE, REGION = "place", "region"


class Group(NamedTuple):
    """A group of a figure by its kind and value; both are empty for the whole."""

    kind: str = ""
    value: str = ""

    @property
    def key(self) -> dict[str, str]:
        """The group as the command line prints it."""
        return {self.kind: self.value} if self.kind else {}

    @property
    def equal(self) -> bool:
        """True for groups of places: their figure is the unweighted mean of their places."""
        return self.kind in GROUPINGS

    def mask(self, keys: RowKeys) -> Mask:
        """Mask of the rows that belong to it."""
        if not self.kind:
            return np.ones(len(keys), dtype=np.bool_)
        column = column_of(keys, self.kind)
        return np.zeros(len(keys), dtype=np.bool_) if column is None else column.belongs(self._has)

    def _has(self, name: str) -> bool:
        return self.value in values_of(self.kind, name)


WHOLE = Group()


def column_of(keys: RowKeys, kind: str) -> CategoricalColumn | None:
    """The column that says what rows belong to in one kind of group; None where there is none."""
    # regions are not stored: they follow from the place, by whatever grouping is asked for
    return keys.place if kind == PLACE or kind in GROUPINGS else keys.groups.get(kind)


def groups_of(keys: RowKeys, kinds: Sequence[str]) -> Iterator[Group]:
    """The whole and every group that rows fall into, in the order of the kinds, by name."""
    yield WHOLE
    for kind in kinds:
        column = column_of(keys, kind)
        names = () if column is None else column.names
        for value in sorted({value for name in names for value in values_of(kind, name)}):
            yield Group(kind, value)


@lru_cache(maxsize=8192)
def values_of(kind: str, name: str) -> tuple[str, ...]:
    """The groups of one kind that rows with a name belong to."""
    if kind in GROUPINGS:
        found = group_of(name, cast(PlaceGrouping, kind))
        return () if found is None else (found,)
    return tuple(value for value in name.split(SEVERAL) if value)


def group_value(about: ItemMetadata, kind: str) -> str | None:
    """The group of one kind that an item counts towards; None where it has none."""
    if kind == PLACE:
        return about.place
    if kind in GROUPINGS:
        return None if about.place is None else group_of(about.place, cast(PlaceGrouping, kind))
    return about.groups.get(kind)


class _BrokenDown(Protocol):
    @property
    def kinds(self) -> tuple[str, ...]: ...


def region_of(evaluation: _BrokenDown, place: str) -> str:
    """The region of a place where figures are broken down by region; empty where not, or where it lies in none."""
    return next(iter(values_of(REGION, place)), "") if place and REGION in evaluation.kinds else ""
