"""The town's locations and the streets between them.

seed ─▶ points on a map ─▶ streets between near points ─▶ avenues, until nobody is far from anywhere ─▶ Town. Most
streets are short and a few cross the town, which makes it a small world: any two locations are at most FARTHEST
streets apart, so that every errand fits in a day.
"""

from __future__ import annotations

from functools import cache, cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.core.arrays import Floats, Integers
from mores.core.codec import read_toml
from mores.core.errors import InputError
from mores.core.seeds import Seed
from mores.norms.norm_base import KINDS as KINDS  # noqa: PLC0414 - the town has the kinds of place that norms are told by
from mores.norms.norm_base import LocationKind as LocationKind  # noqa: PLC0414
from mores.stats.rng import generator

NAMES = Path(__file__).with_name("streets.toml")
FARTHEST = 5
"""Streets between any two locations, at most."""
NEAREST = 3
"""How many of the locations around it each is joined to before the avenues."""
COLUMNS, ROWS = 11, 10
_JITTER = 0.28
"""How far a point may lie from the middle of its cell, in cells; under one half, no two points meet."""
_FAR = 10_000
"""Stands for no way at all; sums of two of them still fit."""


class Location(Struct, frozen=True, kw_only=True):
    """A place in the town; `x` and `y` are where it lies on a map from 0 to 1, `y` downwards."""

    id: int
    kind: LocationKind
    name: str
    x: float
    y: float


class Town(Struct, frozen=True, kw_only=True, dict=True):
    """Locations in the order of their ids, and for each the ids that a street leads to, in order.

    Raises:
        InputError: ids are out of order, a street leads nowhere or one way only, or the town falls into parts.
    """

    locations: tuple[Location, ...]
    neighbours: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        """Look the town over."""
        count = len(self.locations)
        if [location.id for location in self.locations] != list(range(count)) or len(self.neighbours) != count:
            raise InputError(f"A town of {count} locations: expected ids 0, 1, … in order, and neighbours of each.")
        for here, around in enumerate(self.neighbours):
            for there in around:
                if not 0 <= there < count or there == here or here not in self.neighbours[there]:
                    raise InputError(f"A street leads from location {here} to {there}; expected one that leads back.")
        if count and self.hops.max() >= _FAR:
            raise InputError("The town falls into parts; expected a way between any two locations.")

    def distance(self, a: int, b: int) -> int:
        """Streets on the shortest way between two locations."""
        return int(self.hops[a, b])

    @cached_property
    def hops(self) -> Integers:
        """Distances between all locations, shape (locations, locations); not to be written to."""
        return hops_of(self.neighbours)

    def of_kind(self, kind: LocationKind) -> tuple[int, ...]:
        """Ids of the locations of one kind."""
        return tuple(location.id for location in self.locations if location.kind == kind)


def build_town(seed: Seed) -> Town:
    """A town of 110 locations, the same for the same seed.

    Names and kinds go by id and are the same in every town; where they lie and which streets join them is drawn.
    """
    named = [(kind, name) for kind in KINDS for name in _names()[kind]]
    points = _points(len(named), seed)
    streets = _with_avenues(_near_streets(points), points)
    return Town(
        locations=tuple(
            Location(id=number, kind=kind, name=name, x=float(points[number, 0]), y=float(points[number, 1]))
            for number, (kind, name) in enumerate(named)
        ),
        neighbours=tuple(tuple(np.flatnonzero(row).tolist()) for row in streets),
    )


@cache
def _names() -> dict[str, list[str]]:
    return read_toml(NAMES)


def _points(count: int, seed: Seed) -> Floats:
    """Points near the middles of the cells of a grid, in random order; shape (count, 2)."""
    cells = generator(seed.child("cells")).permutation(COLUMNS * ROWS)[:count]
    shift = generator(seed.child("points")).uniform(-_JITTER, _JITTER, (count, 2))
    middles = np.column_stack((cells % COLUMNS, cells // COLUMNS)) + 0.5
    return np.asarray(np.round((middles + shift) / (COLUMNS, ROWS), 4), dtype=np.float64)


def _lengths(points: Floats) -> Floats:
    """Distances on the map, shape (count, count)."""
    return np.asarray(np.linalg.norm(points[:, None] - points[None], axis=-1), dtype=np.float64)


def _near_streets(points: Floats) -> npt.NDArray[np.bool_]:
    """Streets from each location to those nearest to it, and so also from those to it."""
    lengths = _lengths(points)
    np.fill_diagonal(lengths, np.inf)
    streets = np.zeros(lengths.shape, dtype=np.bool_)
    np.put_along_axis(streets, np.argsort(lengths, axis=1, kind="stable")[:, :NEAREST], True, axis=1)
    return streets | streets.T


def _with_avenues(streets: npt.NDArray[np.bool_], points: Floats) -> npt.NDArray[np.bool_]:
    """The streets and as many more as it takes that no two locations are farther apart than FARTHEST.

    Each joins two of the farthest apart, of these those with the fewest streets, of these the nearest on the map.
    """
    streets, lengths, hops = streets.copy(), _lengths(points), _distances(streets)
    while hops.max() > FARTHEST:
        ends = streets.sum(axis=1)
        cost = np.where(hops == hops.max(), ends[:, None] + ends[None] + 3 * lengths, np.inf)
        a, b = divmod(int(cost.argmin()), len(points))
        streets[a, b] = streets[b, a] = True
        # Only ways through the new street can have become shorter.
        through = hops[:, [a]] + 1 + hops[[b], :]
        hops = np.minimum(hops, np.minimum(through, through.T))
    return streets


@lru_cache(maxsize=256)
def hops_of(neighbours: tuple[tuple[int, ...], ...]) -> Integers:
    """Distances between all locations that these streets join, shape (locations, locations); not to be written to."""
    streets = np.zeros((len(neighbours), len(neighbours)), dtype=np.bool_)
    for here, around in enumerate(neighbours):
        streets[here, list(around)] = True
    hops = _distances(streets)
    # The cache gives the same array to all towns with these streets.
    hops.setflags(write=False)
    return hops


def _distances(streets: npt.NDArray[np.bool_]) -> Integers:
    """Streets on the shortest way between any two locations, found by walking from all of them at once."""
    hops = np.where(np.eye(len(streets), dtype=np.bool_), 0, _FAR).astype(np.int64)
    reached = np.eye(len(streets), dtype=np.bool_)
    # Products of floats are far quicker than those of truth values, and exact for so few places.
    steps = streets.astype(np.float32)
    for walked in range(1, len(streets)):
        new = (reached.astype(np.float32) @ steps > 0) & (hops == _FAR)
        if not new.any():
            break
        hops[new] = walked
        reached = new
    return hops
