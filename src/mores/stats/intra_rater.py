"""One judge asked again and again: how often it contradicts itself, and how much of the spread is its own.

A judge that always says the same is stable, not right: agreement with itself bounds agreement with people and says
nothing else, so a report gives both. Judges at temperature 0 flip as well.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mores.core.estimate import Missing
from mores.stats.agreement import pairs_alike
from mores.stats.checks import same_length
from mores.stats.cluster_sums import Design, MeasuredFigure, share
from mores.stats.krippendorff import Level, krippendorff_alpha, rating_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """Stability of one judge over repeats.

    `flip_rate` is the probability that two repeats on an item disagree; `alpha` is its agreement with itself beyond
    chance. `item_variance` is how far items differ, `run_variance` how far repeats on an item do, and `reliability`
    the share of the former in the variance of an item's mean; NaN for names, which have no variance, and for items
    that are all alike.
    """

    items: int
    runs: float
    flip_rate: MeasuredFigure
    alpha: MeasuredFigure
    item_variance: float
    run_variance: float
    reliability: float


def repeat_stability(verdicts: npt.ArrayLike, design: Design, *, level: Level = "nominal") -> Repeats:
    """Flip rate, intra-judge alpha and variances of repeated verdicts; items with one verdict say nothing.

    Flip rate of an item with R verdicts, r_c of them c: Σ r_c (R - r_c) / (R (R - 1)).

    Args:
        verdicts: A row an item, a column a repeat, NaN for none; codes of classes or points. Two classes are 0 and 1.
        design: Clusters and seed.
        level: "nominal" for classes, else of the points.

    Raises:
        InputError: not two-dimensional, or lengths differ.
    """
    table = rating_table(verdicts)
    several = (~np.isnan(table)).sum(1) > 1
    same_length(several, np.asarray(design.clusters), "verdicts and clusters")
    repeated = table[several]
    numeric = level != "nominal" or bool(np.isin(repeated[~np.isnan(repeated)], (0, 1)).all())
    item, run, reliability = _variances(repeated) if numeric and len(repeated) > 1 else (float("nan"),) * 3
    flips = share(1 - pairs_alike(repeated), design.part(several, "flips"), "flips", Missing(code="no_two_verdicts"))
    return Repeats(
        items=int(several.sum()),
        runs=float((~np.isnan(repeated)).sum(1).mean()) if len(repeated) else 0.0,
        flip_rate=flips,
        alpha=krippendorff_alpha(table, level, design),
        item_variance=item,
        run_variance=run,
        reliability=reliability,
    )


def _variances(table: npt.NDArray[np.float64]) -> tuple[float, float, float]:
    """One-way analysis of variance; the variance over items is not taken below 0."""
    count = (~np.isnan(table)).sum(1)
    mean = np.nanmean(table, axis=1)
    total = int(count.sum())
    run = float(np.nansum((table - mean[:, None]) ** 2)) / (total - len(table))
    between = float((count * (mean - np.nansum(table) / total) ** 2).sum()) / (len(table) - 1)
    typical = (total - float((count**2).sum()) / total) / (len(table) - 1)
    item = max(0.0, (between - run) / typical)
    spread = item + run / typical
    return item, run, item / spread if spread > 0 else float("nan")
