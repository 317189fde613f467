"""How far the places of one cell lie apart, and how far they would if all were alike.

The gap between the best and the worst of many places is large even where all are alike, since it is picked for being
large: it stands beside the gap that dealing the places out anew over the clusters gives, and beside what is left of it
when the noise is taken out.
"""

import re
from dataclasses import dataclass
from math import isnan, nan

import numpy as np
import numpy.typing as npt

from mores.core.seeds import Seed
from mores.reports import wording
from mores.reports.cell_units import UnitsTable, units_table
from mores.reports.findings import Finding
from mores.stats.gaps import Gap, region_gap

DEALS = 1000
DICE = Seed("spread")
_P = re.compile(r"p = (\d[\d.e+-]*):")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """The gap between the best and the worst place of one cell, in points of its headline (0–1 for shares).

    `null` is its mean where places are dealt out anew over clusters, `p` the share of deals with a gap as large,
    `shrunken` the estimate of the gap without noise, None where the noise cannot be told.
    """

    gap: float
    null: float
    p: float
    shrunken: float | None
    places: int
    units: int
    share: bool

    @property
    def words(self) -> str:
        """The gap in points with its yardsticks: `48 (33 by chance, p = 0.004; 29 shrunk)`."""
        shrunk = "" if self.shrunken is None else f"; {self.hundred(self.shrunken)} shrunk"
        return f"{self.hundred(self.gap)} ({self.hundred(self.null)} by chance, {wording.chance_of(self.p)}{shrunk})"

    def hundred(self, size: float) -> str:
        """A size in percentage points of a share, else in the metric's own points."""
        return f"{100 * size:.0f}" if self.share else f"{size:.1f}"


def spread_of(cell: Finding) -> Spread | None:
    """The spread of a cell's places over its graded units; None with fewer than two places.

    Units that are drawn together but lie in several places are dealt out place by place: what they share is then taken
    to lie between places, which makes the gap by chance larger rather than smaller. Where the run itself has dealt, its
    own figures stand.
    """
    table = units_table(cell)
    some = np.isfinite(table.points) & (table.place >= 0)
    if len(np.unique(table.place[some])) < 2:
        return None
    own = _of_the_run(cell)
    found = _dealt(table, some, DICE.child(cell.benchmark, cell.model), DEALS if own is None else 0)
    gap, null, p = own or (found.gap, found.null, found.p)
    return Spread(
        gap=gap,
        null=null,
        p=p,
        shrunken=None if isnan(found.shrunken) else found.shrunken,
        places=found.regions,
        units=int(some.sum()),
        share=wording.is_share(cell.metric(cell.headline)),
    )


def _dealt(table: UnitsTable, some: npt.NDArray[np.bool_], dice: Seed, deals: int) -> Gap:
    place, cluster = table.place[some], table.cluster[some]
    pieces = cluster * len(table.places) + place
    return region_gap(table.points[some], table.weight[some], place, pieces, seed=dice, deals=deals)


def _of_the_run(cell: Finding) -> tuple[float, float, float] | None:
    """Gap, null and p among the run's own figures; None where it has none."""
    gap, null = (cell.whole(name) for name in ("region_gap", "region_gap_null"))
    told = None if gap is None else _P.match(gap.why or "")
    if gap is None or null is None or told is None:
        return None
    found = (nan if gap.value is None else gap.value, nan if null.value is None else null.value, float(told[1]))
    return None if any(map(isnan, found)) else found
