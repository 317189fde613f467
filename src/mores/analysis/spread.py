"""How far the places of one evaluation lie apart, and how far they would if all were alike.

The gap between the best and the worst of many places is large even where all are alike, since it is picked for being
large: it stands beside the gap that dealing the places out anew over the clusters gives, and beside what is left of it
when the noise is taken out.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mores.analysis.results import Result
from mores.analysis.units import HELD, headline_units
from mores.core.seeds import Seed
from mores.stats.gaps import Gap, region_gap

DEALS = 1000
DICE = Seed("spread")


@lru_cache(maxsize=HELD)
def spread_of(evaluation: Result) -> Gap | None:
    """The gap between a cell's best and worst place in points of its headline (0–1 for shares); None under two places.

    Units that are drawn together but lie in several places are dealt out place by place: what they share is then taken
    to lie between places, which makes the gap by chance larger rather than smaller. Where the run itself has dealt, its
    own figures stand.
    """
    units = headline_units(evaluation)
    place = units.keys.place
    some = units.graded & (place.codes >= 0)
    if len(np.unique(place.codes[some])) < 2:
        return None
    own = _of_the_run(evaluation)
    found = region_gap(
        units.points[some],
        units.weights[some],
        place.codes[some],
        (units.keys.cluster.codes * len(place.names) + place.codes)[some],
        seed=DICE.child(evaluation.benchmark, evaluation.model),
        permutations=DEALS if own is None else 0,
    )
    gap, null, p = own or (found.gap, found.null, found.p)
    return found._replace(gap=gap, null=null, p=p)


def _of_the_run(evaluation: Result) -> tuple[float, float, float] | None:
    """Gap, null and p among the run's own figures; None where it has none."""
    gap, null = (evaluation.whole(name) for name in ("region_gap", "region_gap_null"))
    if gap is None or null is None or gap.value is None or null.value is None or gap.p is None:
        return None
    return gap.value, null.value, gap.p
