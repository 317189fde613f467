"""How far places lie apart on a metric, over the whole alone, and how far they would by chance."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Literal, TypeAlias

import numpy as np

from mores.analysis.aggregate import Aggregator, Slice, rounded
from mores.analysis.units import Units
from mores.core.estimate import NOTHING_GRADED, Estimate, Missing
from mores.core.seeds import Seed
from mores.stats.gaps import Gap, region_gap

GapStatistic: TypeAlias = Literal["std", "gap", "null"]


def gap_between_places(of: GapStatistic, *, stream: str = "region_gap", paper: bool = False) -> Aggregator:
    """How places' scores lie apart: their standard deviation, their largest gap, or what chance alone makes of it.

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
    weight = np.full(len(units), units.weights.mean()) if paper else units.weights
    return region_gap(
        units.value[known],
        weight[known],
        units.keys.place.codes[known],
        units.keys.cluster.codes[known],
        seed=seed,
        permutations=0 if paper else 1000,
    )


def _note(of: GapStatistic, found: Gap, *, paper: bool) -> Missing:
    """Why there is no interval, and of a gap how often chance alone makes one as large."""
    if paper:
        return Missing(code="gap_of_the_paper")
    if of == "gap":
        return Missing(code="gap_by_chance", n=found.permutations, figures=(found.p,))
    if of == "null":
        return Missing(code="gap_of_permutations", n=found.permutations)
    return Missing(code="gap_with_chance")
