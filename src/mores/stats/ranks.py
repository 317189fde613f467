"""Tests that take no distribution for granted (ranks, signs flipped), and p-values of a family of claims adjusted.

Tests on ranks: scipy.stats takes half a second to import, so that the sums are made here and tested against it.

Sign flips of cluster sums are counted: in what share of all patterns of signs is their total as extreme as observed?
Nothing is drawn. Sums of answers that are right or wrong are whole numbers (thirds, over three samples), and the law
of their total under flipped signs is built up cluster by cluster, however many there are. Sums of finer numbers are
first rounded to a grid, which moves a p near .05 by less than .0005, where 10,000 random patterns have a standard error
of .0022.

Adjusted p-values: state the family's size beside them. A NaN is a claim that could not be tested: it stays NaN and does
not count in the family. `gatekeeping` tests what is about all units first, and groups of units only after it.
"""

from collections.abc import Callable
from heapq import heapify, heappop, heapreplace
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.arrays import Floats, Integers, Mask
from mores.core.errors import InputError
from mores.stats.checks import numbers, sums_by

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


def midranks(values: npt.ArrayLike) -> Floats:
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
    # the first place of each tie spreads forwards, the last one backwards; their middle is the rank
    first = np.maximum.accumulate(np.where(new, places, 0), axis=-1)
    ends = np.concatenate((new[..., 1:], np.ones_like(new[..., :1])), axis=-1)
    last = np.minimum.accumulate(np.where(ends, places, x.shape[-1])[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(x.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, -1)
    return np.where(np.isnan(x), np.nan, ranks)


def _tie_sum(values: Floats) -> float:
    """Σ t³ - t over ties of t values."""
    sizes = np.unique(values, return_counts=True)[1].astype(np.float64)
    return float((sizes**3 - sizes).sum())


def _counted(ranks: Floats, above: float) -> float:
    """The share of all patterns of signs whose sum lies as far from the middle; ranks are halves, so doubled whole."""
    doubled = np.rint(2 * ranks).astype(np.int64)
    whole = int(doubled.sum())
    ways = np.zeros(whole + 1)
    ways[0] = 1.0
    for rank in doubled:
        # copied, as the slice would else be read while it is written
        ways[rank:] += ways[: whole + 1 - rank].copy()
    far = np.abs(2 * np.arange(whole + 1) - whole) >= abs(2 * round(2 * above) - whole)
    return float(ways[far].sum() / 2.0**ranks.size)


EXACT = 15  # clusters up to which all patterns are counted whatever the sums
_PARTS = 60  # largest denominator that is looked for
_LATTICE = 2**17  # steps up to which a lattice is taken as it is
_FINE, _COARSE, _A_CLUSTER = 2**13, 2**15, 32  # steps of the grid: at least, at most, and for each cluster


class SignFlipTest(NamedTuple):
    """Two-sided p, p of a total at least as large, and the test's name."""

    p: float
    p_one_sided: float
    name: str


def sign_flip(sums: Floats) -> SignFlipTest:
    """The p-values of a total of cluster sums, were the sign of each as likely to be the other; 1 where all are 0.

    Up to 15 clusters that differ, and any number of them where sums lie on a lattice of 1/60 or coarser: exact. Else
    the sums are rounded to a grid of 32 steps a cluster (from 8,192 to 32,768 in all) over the sum of their sizes.
    Against a grid 16 times as fine (20 to 1,000 clusters of normal or log-normal sums) p moves by .0015 at most, and
    by .0002 where it lies between .02 and .08.

    >>> sign_flip(np.array([1.0, 1, 1, 0, 2]))
    SignFlipTest(p=0.125, p_one_sided=0.0625, name='sign flip, exact')
    """
    sizes, observed = np.sort(np.abs(sums[sums != 0])), float(sums.sum())
    if sizes.size <= EXACT:
        # Sums that are equal but for rounding are ties, and ties are as extreme.
        totals, reach = _all_signed(sizes), observed - 1e-9 * float(sizes.sum())
        far = abs(observed) - 1e-9 * float(sizes.sum())
        return SignFlipTest(float(np.mean(np.abs(totals) >= far)), float(np.mean(totals >= reach)), "sign flip, exact")
    parts = _parts(sizes)
    if parts is not None:
        return SignFlipTest(*_tails(np.rint(sums * parts).astype(np.int64)), "sign flip, exact")
    return SignFlipTest(*_tails(_on_grid(sums)), "sign flip, counted on a grid")


def _all_signed(sizes: Floats) -> Floats:
    totals = np.zeros(1)
    for size in sizes:
        totals = np.concatenate((totals - size, totals + size))
    return totals


def _parts(sizes: Floats) -> int | None:
    """Parts of one of which every sum is a whole number; None where there are none so few."""
    for parts in range(1, _PARTS + 1):
        steps = sizes * parts
        if np.all(np.abs(steps - np.rint(steps)) < 1e-6) and steps.sum() <= _LATTICE:
            return parts
    return None


def _on_grid(sums: Floats) -> Integers:
    """Sums in steps of a grid, each rounded so that the total is right: a p hangs on the total first of all."""
    steps = min(max(_FINE, _A_CLUSTER * sums.size), _COARSE)
    upto = np.cumsum(np.sort(sums)) * (steps / float(np.abs(sums).sum()))
    return np.diff(np.rint(upto), prepend=0.0).astype(np.int64)


def _tails(steps: Integers) -> tuple[float, float]:
    """Two-sided and upper tail of the total of whole numbers under flipped signs."""
    law = np.ones(1)  # of the sum of those with a plus: half of total and whole together
    for size in np.sort(np.abs(steps[steps != 0])):
        longer = np.zeros(law.size + size)
        longer[: law.size] = law
        longer[size:] += law
        law = longer / 2
    totals, observed = 2 * np.arange(law.size) - (law.size - 1), int(steps.sum())
    two = law[np.abs(totals) >= abs(observed)].sum()
    return min(1.0, float(two)), min(1.0, float(law[totals >= observed].sum()))


def holm(p: npt.ArrayLike) -> Floats:
    """Holm's step-down adjusted p-values: control the chance of any false claim, under any dependence.

    Raises:
        InputError: a p-value lies outside [0, 1].

    Source:
        Holm (1979), Scandinavian Journal of Statistics 6.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    return _adjusted(p, lambda ranked: np.maximum.accumulate(ranked * np.arange(ranked.size, 0, -1)))


def benjamini_hochberg(p: npt.ArrayLike) -> Floats:
    """Benjamini and Hochberg's adjusted p-values: control the expected share of false claims among those made.

    Valid for independent or positively dependent tests.

    Raises:
        InputError: a p-value lies outside [0, 1].

    Source:
        Benjamini and Hochberg (1995), Journal of the Royal Statistical Society B 57.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.04, 0.04]
    """
    return _adjusted(p, _step_up)


def benjamini_yekutieli(p: npt.ArrayLike) -> Floats:
    """Benjamini and Yekutieli's adjusted p-values: as Benjamini-Hochberg, under any dependence.

    Raises:
        InputError: a p-value lies outside [0, 1].

    Source:
        Benjamini and Yekutieli (2001), Annals of Statistics 29, theorem 1.3.
    """
    return _adjusted(p, lambda ranked: _step_up(ranked) * np.sum(1 / np.arange(1, ranked.size + 1)))


def _step_up(ranked: Floats) -> Floats:
    raised = ranked * ranked.size / np.arange(1, ranked.size + 1)
    return np.minimum.accumulate(raised[::-1])[::-1]


def _adjusted(p: npt.ArrayLike, change: Callable[[Floats], Floats]) -> Floats:
    """Adjusted p-values of those tested, made in ascending order, back in their places and 1 at most."""
    given = np.asarray(p, dtype=np.float64)
    if given.ndim != 1 or np.any((given < 0) | (given > 1)):
        raise InputError(f"p-values have shape {given.shape} and some outside [0, 1]; expected a row of p-values.")
    tested = np.flatnonzero(~np.isnan(given))
    places, out = tested[np.argsort(given[tested], kind="stable")], np.full(given.shape, np.nan)
    out[places] = np.minimum(change(given[places]), 1.0)
    return out


FIRST = -1
"""Gate of a test that no other one comes before."""


class GatedTests(Struct, frozen=True, kw_only=True, eq=False):
    """Tests of one family, an entry a test, in the order they were given.

    `p_adjusted` is the least level at which the procedure rejects; NaN where a test was not held. `divisor` is what the
    level is divided by for the first test of its kind: the number of branches, for a group times the groups of its
    branch that can be found. `able` is True where a test could be found so, whatever its units had answered.
    """

    p_adjusted: Floats
    divisor: Integers
    able: Mask


def gatekeeping(
    p: npt.ArrayLike, gate: npt.ArrayLike, least: npt.ArrayLike | None = None, *, level: float = 0.05
) -> GatedTests:
    """The p-values of tests over all units and of groups behind them, adjusted so that any false claim is rare.

    The procedure is sequentially rejective, a share of the level a *branch* (a test over all units with its groups):

    1. Branches share the level evenly. The test over all units has its branch's share until it is rejected; from then
       on the groups have it, by Holm.
    2. A branch with nothing left to reject passes its share on evenly. So without groups this is Holm's procedure, and
       with one test over all units it tests that one and then its groups, each at the whole level.
    3. Of groups only those count against one another whose least attainable p is no larger than the p in question:
       tests that could not have been found, whatever their units had answered, cost the others nothing (Tarone).

    Any false rejection has a chance of the level at most, whichever hypotheses are true and however tests depend on
    each other: shares only grow as hypotheses are rejected, and true ones never share more than the level between them.

    Args:
        p: A p-value a test, NaN where it was not held.
        gate: For a group, the position of the test that has to be rejected before it; -1 for a test that is first.
            Groups behind a test that was not held have no gate, and share its branch.
        least: The least p that each test could have given, whatever its units had answered; 0 where it is not known.
            Used for groups.
        level: The level that `able` and `divisor` speak of; adjusted p-values hang on none.

    Raises:
        InputError: a p-value lies outside [0, 1], lengths differ, or a gate is no first test.

    Source:
        Goeman and Solari (2010), Annals of Statistics 38 (the principle); Bretz, Maurer, Brannath and Posch (2009),
        Statistics in Medicine 28, algorithm 2 (adjusted p-values); Goeman and Finos (2012), Statistical Applications in
        Genetics and Molecular Biology 11 (shares inherited along a tree); Tarone (1990), Biometrics 46, in the form
        that keeps the order of p of Hommel and Krummenauer (1998), Biometrics 54.

    >>> found = gatekeeping([0.004, 0.2, 0.001, 0.03, 0.0001], [-1, -1, 0, 0, 1])
    >>> found.p_adjusted.tolist()
    [0.008, 0.2, 0.008, 0.06, 0.2]
    """
    given, behind = np.asarray(p, dtype=np.float64), np.asarray(gate, dtype=np.int64)
    reach = np.zeros(given.shape) if least is None else np.asarray(least, dtype=np.float64)
    _check(given, behind, reach)
    branches = _branches(given, behind, reach)
    adjusted, largest = np.full(given.shape, np.nan), 0.0
    waiting = [(branch.shares[0], number, 0) for number, branch in enumerate(branches)]
    heapify(waiting)
    while waiting:
        share, number, at = waiting[0]
        branch = branches[number]
        largest = max(largest, min(1.0, share * len(waiting)))
        adjusted[branch.tests[at]] = largest
        if at + 1 == len(branch.tests):
            heappop(waiting)
        else:
            heapreplace(waiting, (branch.shares[at + 1], number, at + 1))
    divisor, able = _reaches(branches, reach, level)
    return GatedTests(p_adjusted=adjusted, divisor=divisor, able=able)


def _check(p: Floats, gate: Integers, least: Floats) -> None:
    if p.ndim != 1 or np.any((p < 0) | (p > 1)):
        raise InputError(f"p-values have shape {p.shape} and some outside [0, 1]; expected a row of p-values.")
    if not p.shape == gate.shape == least.shape:
        raise InputError(
            f"p-values, gates and least p-values have shapes {p.shape}, {gate.shape} and {least.shape}; "
            "expected one entry each per test."
        )
    known = gate[gate != FIRST]
    if known.size and not (known.min() >= 0 and known.max() < p.size and np.all(gate[known] == FIRST)):
        raise InputError(f"gates are {sorted({*known.tolist()})}; expected positions of first tests, or {FIRST}.")


class _Branch(NamedTuple):
    """The tests of a branch in the order they are rejected in, and the share of the level that each takes by then.

    The one over all units is the first, where it was held; the groups follow.
    """

    first: int | None
    groups: Integers
    tests: list[int]
    shares: list[float]


def _branches(p: Floats, gate: Integers, least: Floats) -> list[_Branch]:
    """Those in which anything was tested, in the order of their first tests; groups by p."""
    order = np.argsort(p, kind="stable")
    order = order[~np.isnan(p[order])]
    found = []
    for first in np.flatnonzero(gate == FIRST).tolist():
        groups, held = order[gate[order] == first], not np.isnan(p[first])
        rivals = np.triu(least[groups][None] <= p[groups][:, None]).sum(1)
        tests = [*([first] if held else []), *groups.tolist()]
        shares = [*([float(p[first])] if held else []), *(p[groups] * rivals).tolist()]
        if tests:
            found.append(_Branch(first if held else None, groups, tests, shares))
    return found


def _reaches(branches: list[_Branch], least: Floats, level: float) -> tuple[Integers, Mask]:
    """Divisor of the level for the first test of each kind, and the tests that can be found so."""
    divisor, able = np.zeros(least.shape, dtype=np.int64), np.zeros(least.shape, dtype=np.bool_)
    for branch in branches:
        if branch.first is not None:
            divisor[branch.first] = len(branches)
            able[branch.first] = least[branch.first] * len(branches) <= level
        own = least[branch.groups]
        reached = own * np.searchsorted(np.sort(own), own, side="right") * len(branches) <= level
        able[branch.groups] = reached
        divisor[branch.groups] = len(branches) * max(1, int(reached.sum()))
    return divisor, able
