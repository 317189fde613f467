"""Gaps between places, and the gaps by chance: as metrics of a run, and of the headline of any evaluation.

The gap between the best and the worst of many places is large even where all are equal, since it is picked for being
large: it stands beside the gap after random permutations of the places over clusters, and the gap without its noise.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Literal, TypeAlias

import numpy as np

from mores.analysis.aggregate import Aggregator, Slice, rounded
from mores.analysis.results import Result
from mores.analysis.units import HELD, Units, headline_units
from mores.core.estimate import NOTHING_GRADED, Estimate, Missing
from mores.core.seeds import Seed
from mores.stats.gaps import Gap, region_gap

GapStatistic: TypeAlias = Literal["std", "gap", "null"]


def gap_between_places(of: GapStatistic, *, stream: str = "region_gap", paper: bool = False) -> Aggregator:
    """Aggregator of places' scores: their standard deviation, their largest gap, or the gap by chance alone.

    Args:
        of: Which of the three.
        stream: Name of the random stream of the permutations, one for all three.
        paper: Whether a place's score is divided by the mean weight of all units, as published, and not of its own.
    """
    return partial(_between_places, of, stream, paper)


def _between_places(of: GapStatistic, stream: str, paper: bool, piece: Slice) -> Estimate | None:
    if piece.group.kind:
        return None
    somewhere = piece.units.keys.place.codes >= 0
    known = somewhere & piece.units.graded
    found = _gap(piece.units, piece.root.child(stream), paper)
    missing = None
    if found.regions <= 1:
        missing = Missing(code="fewer_than_two_places") if known.any() else NOTHING_GRADED
    figure = {"std": found.std, "gap": found.gap, "null": found.null}[of]
    return Estimate(
        metric=piece.metric.name,
        value=None if missing else rounded(piece.units.points_a_value * figure),
        asked=int(somewhere.sum()),
        graded=int(known.sum()),
        method="places dealt out anew over clusters" if of == "null" else "",
        p=found.p if of == "gap" and not paper and not missing else None,
        missing=missing or _note(of, found, paper=paper),
    )


@lru_cache(maxsize=2)
def _gap(units: Units, seed: Seed, paper: bool) -> Gap:
    """The gap of some units, dealt anew once for all metrics that are of it in turn."""
    known = (units.keys.place.codes >= 0) & units.graded
    # the published form divides by one mean weight everywhere, so that places with heavy norms may exceed the scale
    weight = np.full(len(units), units.weights.mean()) if paper else units.weights
    return region_gap(
        units.value[known],
        weight[known],
        units.keys.place.codes[known],
        units.keys.cluster.codes[known],
        seed=seed,
        # the published form has no figure of chance: nothing need be permuted
        permutations=0 if paper else 1000,
    )


def _note(of: GapStatistic, found: Gap, *, paper: bool) -> Missing:
    """Reason for a missing interval, and of a gap its p by chance alone."""
    if paper:
        return Missing(code="gap_of_the_paper")
    if of == "gap":
        return Missing(code="gap_by_chance", n=found.permutations, figures=(found.p,))
    if of == "null":
        return Missing(code="gap_of_permutations", n=found.permutations)
    return Missing(code="gap_with_chance")


PERMUTATIONS = 1000
SEED = Seed("spread")


@lru_cache(maxsize=HELD)
def spread_of(evaluation: Result) -> Gap | None:
    """The gap between a cell's best and worst place in points of its headline (0–1 for shares).

    None under two places, and where places are not put in order by the headline.
    Units that are drawn together but lie in several places are dealt out place by place: what they share is then taken
    to lie between places, which makes the gap by chance larger rather than smaller. Where the run itself has dealt, its
    own figures stand.
    """
    if evaluation.listed().unranked:
        return None
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
        seed=SEED.child(evaluation.benchmark, evaluation.model),
        # the run's own permutations stand, so that report and run never differ by their draws
        permutations=PERMUTATIONS if own is None else 0,
    )
    gap, null, p = own or (found.gap, found.null, found.p)
    return found._replace(gap=gap, null=null, p=p)


def _of_the_run(evaluation: Result) -> tuple[float, float, float] | None:
    """Gap, null and p among the run's own figures; None where it has none."""
    gap, null = (evaluation.overall(name) for name in ("region_gap", "region_gap_null"))
    if gap is None or null is None or gap.value is None or null.value is None or gap.p is None:
        return None
    return gap.value, null.value, gap.p
