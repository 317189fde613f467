"""Tests on ranks: of groups taken as independent, and of differences within pairs.

The sums are made here, since scipy.stats takes half a second to import; they are tested against it.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.errors import InputError
from mores.stats.checks import FloatArray, numbers, sums_by

_EXACT = 50  # differences up to which all patterns of signs are counted


class RankTest(Struct, frozen=True, kw_only=True):
    """A statistic and its two-sided p; `n` counts the values that were ranked, `method` says how p was found."""

    statistic: float
    p: float
    n: int
    method: str


def kruskal_wallis(*groups: npt.ArrayLike) -> RankTest:
    """Kruskal and Wallis's H: whether independent groups have the same distribution.

    H = 12 / (N (N + 1)) · Σ R² / n - 3 (N + 1), divided by 1 - Σ (t³ - t) / (N³ - N) for ties of t values, against
    chi-square with one degree of freedom less than there are groups. Where all values are equal H is 0 and p is 1.

    Raises:
        InputError: fewer than two groups, a group without values, or a value that is not finite.

    Source:
        Kruskal and Wallis (1952), JASA 47.

    >>> test = kruskal_wallis([1, 2, 3], [4, 5, 6])
    >>> round(test.statistic, 4), round(test.p, 4)
    (3.8571, 0.0495)
    """
    arrays = [numbers(group, f"group {number}") for number, group in enumerate(groups, start=1)]
    sizes = np.array([array.size for array in arrays], dtype=np.int64)
    if len(arrays) < 2 or not sizes.all():
        raise InputError(f"groups have {sizes.tolist()} values; expected two groups or more, none of them empty.")
    n = int(sizes.sum())
    ranks = midranks(np.concatenate(arrays))
    rest = 1 - _tie_sum(ranks) / (n**3 - n)
    method = f"chi-square, df = {sizes.size - 1}, tie-corrected"
    if rest == 0:
        return RankTest(statistic=0.0, p=1.0, n=n, method=method)
    sums = sums_by(np.repeat(np.arange(sizes.size), sizes), ranks)
    h = max(0.0, (12 / (n * (n + 1)) * float((sums**2 / sizes).sum()) - 3 * (n + 1)) / rest)
    return RankTest(statistic=h, p=float(special.chdtrc(sizes.size - 1, h)), n=n, method=method)


def signed_rank(differences: npt.ArrayLike) -> RankTest:
    """Wilcoxon's W+: whether differences within pairs lie evenly around 0.

    The statistic is the sum of the ranks of the positive differences, by size. Differences of 0 say nothing and are
    left out, `n` counts the others; without any, W+ is 0 and p is 1. With up to 50 all patterns of signs are counted,
    ties included; with more p is normal, its variance n (n + 1) (2n + 1) / 24 - Σ (t³ - t) / 48, not corrected for
    continuity.

    Raises:
        InputError: a difference is not finite.

    Source:
        Wilcoxon (1945), Biometrics Bulletin 1.

    >>> test = signed_rank([1, 2, 3, 4, -5])
    >>> test.statistic, test.p
    (10.0, 0.625)
    """
    gaps = numbers(differences, "differences")
    gaps = gaps[gaps != 0]
    ranks = midranks(np.abs(gaps))
    above = float(ranks[gaps > 0].sum())
    if gaps.size <= _EXACT:
        return RankTest(statistic=above, p=_counted(ranks, above), n=gaps.size, method="exact")
    variance = gaps.size * (gaps.size + 1) * (2 * gaps.size + 1) / 24 - _tie_sum(ranks) / 48
    z = abs(above - float(ranks.sum()) / 2) / sqrt(variance)
    return RankTest(statistic=above, p=float(2 * special.ndtr(-z)), n=gaps.size, method="normal, tie-corrected")


def midranks(values: npt.ArrayLike) -> FloatArray:
    """Ranks from 1 along the last axis, the average of theirs for ties; NaN has none and stays NaN.

    >>> midranks([30, 10, 10]).tolist()
    [3.0, 1.5, 1.5]
    """
    x = np.asarray(values, dtype=np.float64)
    order = np.argsort(x, axis=-1, kind="stable")
    lasting = np.take_along_axis(x, order, -1)
    places = np.broadcast_to(np.arange(x.shape[-1]), x.shape)
    new = np.ones(x.shape, dtype=np.bool_)
    new[..., 1:] = lasting[..., 1:] != lasting[..., :-1]
    first = np.maximum.accumulate(np.where(new, places, 0), axis=-1)
    ends = np.concatenate((new[..., 1:], np.ones_like(new[..., :1])), axis=-1)
    last = np.minimum.accumulate(np.where(ends, places, x.shape[-1])[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(x.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, -1)
    return np.where(np.isnan(x), np.nan, ranks)


def _tie_sum(values: FloatArray) -> float:
    """Σ t³ - t over ties of t values."""
    sizes = np.unique(values, return_counts=True)[1].astype(np.float64)
    return float((sizes**3 - sizes).sum())


def _counted(ranks: FloatArray, above: float) -> float:
    """The share of all patterns of signs whose sum lies as far from the middle; ranks are halves, so doubled whole."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    whole = int(doubled.sum())
    ways = np.zeros(whole + 1)
    ways[0] = 1.0
    for rank in doubled:
        ways[rank:] += ways[: whole + 1 - rank].copy()
    far = np.abs(2 * np.arange(whole + 1) - whole) >= abs(2 * round(2 * above) - whole)
    return float(ways[far].sum() / 2.0**ranks.size)
