"""How far apart groups would lie by chance alone: the yardstick for the best and the worst of many.

The gap between the best and the worst of many groups is large even where all are alike, since it is picked for being
large. Units are taken as independent here; clusters within a group make the true gap by chance larger still.
"""

from collections.abc import Collection

import numpy as np
from scipy.special import ndtr

from mores.core.estimate import Estimate


def gap_by_chance(figures: Collection[Estimate]) -> float | None:
    """Expected gap between best and worst if all groups had the same share; None with fewer than two.

    The common share is the mean over all units. Groups are taken as normal with variance p(1 - p)/n each, and the
    expected range is the integral of 1 - prod F_i - prod (1 - F_i).

    Source:
        Tippett (1925), Biometrika 17, for equal n; the integral holds for unequal ones.
    """
    graded = [(e.value, e.graded) for e in figures if e.value is not None and e.graded > 0]
    if len(graded) < 2:
        return None
    values, counts = (np.array(column, dtype=np.float64) for column in zip(*graded, strict=True))
    share = float(np.clip(values @ counts / counts.sum(), 0, 1))
    errors = np.sqrt(share * (1 - share) / counts)
    if errors.max() == 0:
        return 0.0
    grid = np.linspace(-8 * errors.max(), 8 * errors.max(), 4001)
    below = ndtr(grid[:, None] / errors)
    inside = 1 - below.prod(axis=1) - (1 - below).prod(axis=1)
    return float(min(1.0, np.trapezoid(inside, grid)))


def observed_gap(figures: Collection[Estimate]) -> float | None:
    """Gap between the best and the worst figure; None with fewer than two."""
    values = [e.value for e in figures if e.value is not None]
    return max(values) - min(values) if len(values) > 1 else None
