"""Whether regions lie further apart in the one of two scores on the same units than in the other."""

from __future__ import annotations

from typing import NamedTuple

from mores.core.arrays import np, npt
from mores.core.seeds import Seed
from mores.stats.arrays import numbers, same_length
from mores.stats.rng import generator


class GapChange(NamedTuple):
    """Largest less smallest mean of a region by each score, and how often chance alone changes it as much.

    `p` is two-sided and None where there are fewer than two regions.
    """

    a: float | None
    b: float | None
    p: float | None
    regions: int


def gap_change(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    regions: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    seed: Seed,
    permutations: int = 2_000,
) -> GapChange:
    """The gap between regions by two scores, tested by swapping the two in whole clusters.

    If the scores differ nowhere but by chance, each cluster may as well have had them the other way round. Both gaps
    are wider than the truth, as the largest of noisy means is; the swap is as noisy, so that p holds.

    Args:
        a: One score of each unit.
        b: The other, in the same order.
        regions: Of each unit, in any labels.
        clusters: What is drawn together.
        seed: Seed of the swaps.
        permutations: How many.
    """
    one, other = numbers(a, "a"), numbers(b, "b")
    same_length(one, other, "a and b")
    names, region = np.unique(np.asarray(regions), return_inverse=True)
    which, cluster = np.unique(np.asarray(clusters), return_inverse=True)
    if len(names) < 2:
        return GapChange(None, None, None, len(names))
    size = np.bincount(region, minlength=len(names))
    means = [np.bincount(region, values, minlength=len(names)) / size for values in (one, other)]
    moved = np.zeros((len(which), len(names)))
    np.add.at(moved, (cluster, region), (other - one) / size[region])
    swapped = (generator(seed).random((permutations, len(which))) < 0.5) @ moved
    gaps = [np.ptp(means[0] + swapped, axis=1), np.ptp(means[1] - swapped, axis=1)]
    gap_a, gap_b = (float(np.ptp(each)) for each in means)
    extreme = np.abs(gaps[1] - gaps[0]) >= abs(gap_b - gap_a) - 1e-12
    return GapChange(gap_a, gap_b, (1 + int(extreme.sum())) / (1 + permutations), len(names))
