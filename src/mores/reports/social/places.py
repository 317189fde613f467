"""Where customs are known and clashes noticed, who notices without knowing, and where values are known.

Awareness and knowledge count at the place of the custom, values at the place of the value. Figures side by side, no
claims that two places differ.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mores.core.estimate import Estimate
from mores.core.seeds import Seed
from mores.reports import wording
from mores.reports.findings import Finding
from mores.reports.social.reading import AWARENESS, CONDUCT, KNOWLEDGE, Held, is_pressure
from mores.stats.intervals import mean_interval

DICE = Seed("report").child("values")
MOST_PLACES = 21
"""Places with most scenarios that are shown, as in the paper's figure."""
UNKNOWING = "aware_unknowing"
SHARES = tuple(f"{CONDUCT}_{points}" for points in range(4))


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One place of customs: how often a clash was noticed there, and how often the custom was known."""

    place: str
    aware: Estimate
    knows: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Map:
    """The places of one cell with most scenarios, and how many there are in all."""

    cell: Finding
    spots: tuple[Spot, ...]
    places: int

    @property
    def by_name(self) -> tuple[Spot, ...]:
        """The places by their names: no order of their figures is claimed."""
        return tuple(sorted(self.spots, key=lambda spot: wording.group_name("place", spot.place)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknowing:
    """Of talks whose custom is not known, how often the clash is noticed: in all, and by the kind of custom."""

    cell: Finding
    whole: Estimate
    kinds: dict[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heat:
    """Values known by topic and Inglehart–Welzel group; a plain mean over scenarios, None where there are none."""

    cell: Finding
    groups: tuple[str, ...]
    topics: tuple[str, ...]
    figures: dict[tuple[str, str], Estimate]

    def at(self, topic: str, group: str) -> Estimate | None:
        """The figure of one cell of the table."""
        return self.figures.get((topic, group))

    @property
    def size(self) -> int:
        """How many cells of the table have a figure."""
        return len(self.figures)


def map_of(cell: Finding) -> Map | None:
    """Knowledge beside awareness where most customs come from; None where no place has both."""
    aware, knows = cell.by("place", AWARENESS), cell.by("place", KNOWLEDGE)
    both = [place for place in aware if place in knows]
    if not both:
        return None
    most = sorted(both, key=lambda place: (-aware[place].asked, place))[:MOST_PLACES]
    spots = tuple(Spot(place=place, aware=aware[place], knows=knows[place]) for place in most)
    return Map(cell=cell, spots=spots, places=len(both))


def unknowing_of(cell: Finding) -> Unknowing | None:
    """Who is aware without knowing; None where every custom is known, or nothing was graded."""
    whole = cell.whole(UNKNOWING)
    if whole is None or whole.value is None:
        return None
    kinds = {kind: e for kind, e in cell.by("dimension", UNKNOWING).items() if not is_pressure(kind)}
    return Unknowing(cell=cell, whole=whole, kinds=kinds)


def shares_of(cell: Finding) -> tuple[Estimate, ...]:
    """The shares of each score of conduct, 0 to 3, as in the paper's Table 2; none where the benchmark has none."""
    found = [cell.whole(metric) for metric in SHARES]
    return tuple(e for e in found if e is not None)


def heat_of(cell: Finding, values: Sequence[Held]) -> Heat | None:
    """Values known by topic and group; None where no verdict is on a value."""
    if not values:
        return None
    held: dict[tuple[str, str], list[Held]] = defaultdict(list)
    for each in values:
        held[each.topic, each.group].append(each)
    return Heat(
        cell=cell,
        groups=tuple(sorted({each.group for each in values})),
        topics=tuple(sorted({each.topic for each in values})),
        figures={key: _share(key, found, cell) for key, found in sorted(held.items())},
    )


def _share(key: tuple[str, str], held: Sequence[Held], cell: Finding) -> Estimate:
    points = np.array([each.points for each in held])
    dice = DICE.child(cell.benchmark, cell.model, *key)
    interval = mean_interval(points, [each.cluster for each in held], seed=dice)
    return Estimate(
        metric="value", group=dict(zip(("topic", "wvs_group"), key, strict=True)), value=float(points.mean()),
        low=interval.low, high=interval.high, asked=len(held), graded=len(held), method=interval.method,
        why=interval.why,
    )  # fmt: skip
