"""Means of many groups at once: their intervals, one by one or all together, and whether errors differ between groups.

units ─▶ codes of clusters and strata within their group ─▶ one layout of all ─▶ intervals, each that of `mean_interval`
over the units of its own. A report has thousands of groups of a few dozen units, for which one call each is nearly all
overhead. What `mean_interval` refuses for its weights, or draws for, is left to it: None stands for such a group.

errors, groups, clusters ─▶ each group's mean error less that of all other groups ─▶ the share of permutations of groups
over whole clusters that do as much. That places differ is a claim about the judge only where what is judged is alike,
so errors are compared within one class of the truth where that can be told. Two groups that share no cluster have the
difference of their means, with its interval, beside the same test.
"""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import NOTHING_GRADED, Missing
from mores.core.seeds import Seed
from mores.stats.checks import confident, numbers, ranks, ratio, same_length, sums_by
from mores.stats.clusters import Clusters, joined, pooled
from mores.stats.intervals import MIN_CLUSTERS, ClusteredMeans, Interval, mean_interval, no_interval, z_quantile
from mores.stats.rng import generator

CONFIDENCE = 0.95
_SAME = 1e-9  # how near to a bound a sum may come before another order of adding could cross it


def mean_intervals(
    values: npt.ArrayLike,
    clusters: Integers,
    groups: Integers,
    count: int,
    *,
    strata: Integers,
    weights: Literal["equal"] | None = None,
) -> list[Interval | None]:
    """The interval of each group's mean; None where `mean_interval` has to be asked.

    Args:
        values: One number a unit.
        clusters: The cluster of each unit, as codes from -1.
        groups: The group of each unit, as codes from 0.
        count: How many groups there are.
        strata: The stratum of each unit, as codes from -1.
        weights: None weighs units alike, "equal" the strata of a group.

    Raises:
        InputError: a value is not finite.
    """
    y = numbers(values, "values")
    if y.size == 0:
        return [no_interval(NOTHING_GRADED)] * count
    of_unit, given = _within(groups, clusters), _within(groups, strata)
    group, stratum = np.zeros(int(of_unit.max()) + 1, dtype=np.int64), joined(of_unit, given)
    group[of_unit] = groups
    codes = Clusters(
        of_unit=of_unit, given=given, stratum=stratum, pool=_pooled(stratum, group), size=np.bincount(of_unit),
        group=group, groups=count,
    )  # fmt: skip
    return ClusteredMeans.of(y, codes, weights).intervals(CONFIDENCE, slack=_SAME)


def group_means(
    values: Floats, groups: Integers, count: int, *, strata: Integers, weights: Literal["equal"] | None
) -> Floats:
    """The mean of each group's units, or with equal weights of the means of its strata; NaN without units."""
    if weights is not None:
        wide = int(strata.max(initial=-1)) + 2
        pairs, codes = np.unique(groups * wide + strata + 1, return_inverse=True)
        values, groups = sums_by(codes, values) / np.bincount(codes), pairs // wide
    units = np.bincount(groups, minlength=count)
    return np.asarray(np.divide(sums_by(groups, values, count), units, out=np.full(count, np.nan), where=units > 0))


def _within(groups: Integers, codes: Integers) -> Integers:
    """Codes of pairs of a group and a code, in the order of both."""
    # codes begin at -1, for none
    return ranks(groups * (int(codes.max()) + 2) + codes + 1)


def _pooled(stratum: Integers, group: Integers) -> Integers:
    """Pools of the clusters, each group's for itself: strata of one cluster are put together."""
    of = np.empty(int(stratum.max()) + 1, dtype=np.int64)
    of[stratum] = group
    lone = np.bincount(of[np.bincount(stratum) == 1], minlength=int(of.max()) + 1)
    found = stratum.copy()
    for number in np.flatnonzero(lone).tolist():
        own = np.flatnonzero(group == number)
        names, codes = np.unique(stratum[own], return_inverse=True)
        found[own] = names[pooled(codes)]
    return ranks(found)


def exact_binomial(successes: int, n: int, confidence: float = 0.95) -> Interval:
    """Clopper and Pearson's interval, which covers with at least the wanted confidence at every share.

    Raises:
        InputError: `successes` is not between 0 and n, or `confidence` not between 0 and 1.

    Source:
        Clopper and Pearson (1934), Biometrika 26.

    >>> low, high, *_ = exact_binomial(12, 12)
    >>> round(low, 3), high
    (0.735, 1.0)
    """
    confident(confidence)
    if not 0 <= successes <= n:
        raise InputError(f"successes is {successes} of n = {n}; expected a number from 0 to n.")
    if n == 0:
        return no_interval(NOTHING_GRADED)
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else float(special.betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(special.betaincinv(successes + 1, n - successes, 1 - tail))
    return Interval(low, high, "exact binomial")


def joint_interval(
    values: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    family: int,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: Seed,
) -> Interval:
    """Interval of one of a `family` of means; all of these hold together with the wanted coverage (Bonferroni).

    Yes-or-no units of clusters of their own have the exact binomial interval: so far out in the tails Wilson's is too
    narrow near 0 and 1 (15 places of 12 units with shares from .3 to .98: any missed in .075, where .05 is
    promised; 45 places of 12 to 58: .086; exact: under .03). Others have that of `mean_interval`, and fewer than 8
    units none, as there.

    Args:
        values: One number a unit.
        clusters: The cluster of each unit.
        family: How many means are told together, at least 1.
        confidence: Wanted coverage of all of them at once.
        resamples: Number of bootstrap samples.
        seed: Dice of the bootstrap.

    Raises:
        InputError: a value is not finite, lengths differ, or `family` is under 1.
    """
    if family < 1:
        raise InputError(f"family is {family}; expected at least 1.")
    alone = 1 - (1 - confidence) / family
    y, labels = numbers(values, "values"), np.asarray(clusters)
    if y.size >= MIN_CLUSTERS and np.isin(y, (0, 1)).all() and labels.size == y.size == np.unique(labels).size:
        return exact_binomial(int(y.sum()), y.size, alone)
    return mean_interval(y, labels, confidence=alone, resamples=resamples, seed=seed)


MANY = 5_000
"""Clusters above which two groups are not dealt anew."""
_AT_ONCE = 1 << 17  # numbers drawn at once: what a processor keeps at hand, three times as quick as a million


class GroupErrorTest(NamedTuple):
    """One group against all others: its mean error and theirs, and the p-value of the difference.

    `p` is NaN where the group, or all others together, have too few clusters to be told apart.
    """

    group: str
    units: int
    clusters: int
    error: float
    others: float
    p: float


class _Sums(Struct, frozen=True):
    """Errors and units of each cluster, and the group it lies in."""

    errors: Floats
    units: Floats
    group: Integers


def unequal_errors(
    errors: npt.ArrayLike, groups: npt.ArrayLike, clusters: npt.ArrayLike, *, seed: Seed, permutations: int = 5000
) -> tuple[GroupErrorTest, ...]:
    """Each group's mean error against that of all other groups together, with a two-sided permutation test.

    Whole clusters change their group in a deal, so that things of one scene or day are not taken as independent. A
    cluster that lies in several groups is one cluster in each. Groups under 8 clusters are not tested. Where each
    cluster is one unit that is right or wrong, all permutations are counted instead of drawn.

    Args:
        errors: Of each unit: 0 or 1 for words, a difference for points; NaN leaves the unit out.
        groups: Of each unit.
        clusters: Of each unit.
        seed: Seed of the permutations.
        permutations: How many; take more for a large family of claims, as no p-value is under 1 / (permutations + 1).

    Returns:
        One a group, in the order of their names.

    Raises:
        InputError: lengths differ, or an error is infinite.

    Source:
        Phipson and Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9 (the p-value).
    """
    given = np.asarray(errors, dtype=np.float64)
    same_length(np.asarray(groups), given, "groups and errors")
    same_length(np.asarray(clusters), given, "clusters and errors")
    known = ~np.isnan(given)
    error = numbers(given[known], "errors")
    names, group = np.unique(np.asarray(groups)[known].astype(np.str_), return_inverse=True)
    if error.size == 0:
        return ()
    sums = _by_cluster(error, group, np.asarray(clusters)[known])
    inside = np.bincount(sums.group, minlength=names.size)
    seen, others = _means(sums, names.size)
    fit = (inside >= MIN_CLUSTERS) & (inside.sum() - inside >= MIN_CLUSTERS)
    # then the errors of a group are hypergeometric, and nothing need be drawn
    plain = bool(np.all(sums.units == 1) and np.isin(sums.errors, (0, 1)).all())
    p = (
        _counted(sums, inside, fit)
        if plain
        else _dealt(sums, seen - others, inside, fit, generator(seed), permutations)
    )
    units = sums_by(sums.group, sums.units, names.size)
    return tuple(
        GroupErrorTest(str(name), int(units[place]), int(inside[place]), float(seen[place]), float(others[place]),
                float(p[place]))
        for place, name in enumerate(names)
    )  # fmt: skip


class GroupComparison(NamedTuple):
    """Means of the units outside and inside a group and their difference, inside less outside; NaN without units.

    `p` is two-sided, None where it cannot be tested; without an interval `missing` says why.
    """

    outside: float
    inside: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    missing: Missing | None


def compare_groups(
    values: npt.ArrayLike, inside: npt.ArrayLike, clusters: npt.ArrayLike, *, seed: Seed
) -> GroupComparison:
    """The mean of the units inside a group less that of the others.

    The interval squares and adds how far each mean's own interval reaches, so that it is as careful as those of
    `mean_interval` near 0 and 1 and over clusters. The test deals the group out anew over whole clusters; of more than
    5,000 clusters, where that takes long and comes to the same, it is the normal one of the interval's standard error.

    Args:
        values: One number a unit.
        inside: Whether each unit is in the group.
        clusters: The cluster of each unit, in any labels.
        seed: Seed of resamples and deals.

    Raises:
        InputError: a value is not finite, or lengths differ.

    Source:
        Newcombe (1998), Statistics in Medicine 17, method 10; Zou and Donner (2008), the same 27.
    """
    value, within, drawn = numbers(values, "values"), np.asarray(inside, dtype=np.bool_), np.asarray(clusters)
    outer, inner = (float(value[kept].mean()) if kept.any() else float("nan") for kept in (~within, within))
    ends = [mean_interval(value[kept], drawn[kept], seed=seed.child("interval")) for kept in (~within, within)]
    difference = inner - outer
    missing = ends[0].missing or ends[1].missing
    (low_0, high_0, *_), (low_1, high_1, *_) = ends
    if low_0 is None or high_0 is None or low_1 is None or high_1 is None:
        return GroupComparison(outer, inner, difference, None, None, None, missing)
    down = float(np.hypot(inner - low_1, high_0 - outer))
    up = float(np.hypot(high_1 - inner, outer - low_0))
    if len(np.unique(drawn)) > MANY:
        error = float(np.hypot(high_1 - low_1, high_0 - low_0)) / (2 * z_quantile(0.95))
        p = 2 * float(special.ndtr(-abs(difference) / error))
    else:
        tested = unequal_errors(value, np.where(within, "inside", "outside"), drawn, seed=seed.child("deals"))
        p = next(each.p for each in tested if each.group == "inside")
    return GroupComparison(
        outer, inner, difference, difference - down, difference + up, None if np.isnan(p) else p, None
    )


def _by_cluster(error: Floats, group: Integers, clusters: npt.NDArray[np.generic]) -> _Sums:
    _, cluster = np.unique(clusters, return_inverse=True)
    both, place = np.unique(np.stack((cluster, group)), axis=1, return_inverse=True)
    place = place.reshape(-1)
    return _Sums(sums_by(place, error, both.shape[1]), sums_by(place, np.ones(error.size), both.shape[1]), both[1])


def _means(sums: _Sums, groups: int) -> tuple[Floats, Floats]:
    """Mean error within each group, and over all others."""
    top, bottom = sums_by(sums.group, sums.errors, groups), sums_by(sums.group, sums.units, groups)
    return ratio(top, bottom), ratio(top.sum() - top, bottom.sum() - bottom)


def _counted(sums: _Sums, inside: Integers, fit: npt.NDArray[np.bool_]) -> Floats:
    """The same over all permutations: how many of a group's clusters err is then hypergeometric."""
    p, total, wrong = np.full(inside.size, np.nan), sums.errors.size, round(float(sums.errors.sum()))
    own = sums_by(sums.group, sums.errors, inside.size)
    for place in np.flatnonzero(fit):
        size = int(inside[place])
        among = np.arange(max(0, wrong - (total - size)), min(size, wrong) + 1)
        logs = _ways(size, among) + _ways(total - size, wrong - among) - _ways(total, np.array(wrong))
        difference = np.abs(among / size - (wrong - among) / (total - size))
        # ties but for rounding are as extreme
        reach = abs(own[place] / size - (wrong - own[place]) / (total - size)) - 1e-12
        p[place] = min(1.0, float(np.exp(logs[difference >= reach]).sum()))
    return p


def _ways(of: int, chosen: Integers) -> Floats:
    """Logarithm of the number of ways to choose some."""
    return np.asarray(special.gammaln(of + 1) - special.gammaln(chosen + 1) - special.gammaln(of - chosen + 1))


def _dealt(
    sums: _Sums, seen: Floats, inside: Integers, fit: npt.NDArray[np.bool_], rng: np.random.Generator, permutations: int
) -> Floats:
    """Share of deals in which a group lies as far from the others as it does, counting the one that was seen.

    Clusters that bring the same errors and units are exchangeable, so that only how many of each kind a group gets is
    drawn. Of two groups the one has what the other leaves, and so its p.
    """
    p, reach = np.full(seen.size, np.nan), np.abs(seen) - 1e-12
    kinds, number = np.unique(np.stack((sums.errors, sums.units)), axis=1, return_counts=True)
    step = max(1, _AT_ONCE // number.size)
    for place in np.flatnonzero(fit)[: 1 if seen.size == 2 else None]:
        as_far, fewer = 0, min(inside[place], sums.group.size - inside[place])
        # A number for each kind is drawn as quickly as ten clusters that are counted then.
        method: Literal["marginals", "count"] = "marginals" if 10 * number.size < fewer else "count"
        for start in range(0, permutations, step):
            many = min(step, permutations - start)
            own = rng.multivariate_hypergeometric(number, inside[place], size=many, method=method) @ kinds.T
            rest = kinds @ number - own
            as_far += int((np.abs(own[:, 0] / own[:, 1] - rest[:, 0] / rest[:, 1]) >= reach[place]).sum())
        p[place] = (as_far + 1) / (permutations + 1)
    return np.full(2, p[0]) if seen.size == 2 else p
