"""Units that a judge graded, most alone and some with people's labels: two parts in the same strata and clusters.

Both parts have the same strata, such as places, and may share clusters, such as an episode of which one unit was
labelled. Codes are made without sorting a million names.

`label_checks` looks for signs that the labelled units are no random sample of the judged ones, so that corrections made
from them do not hold. Nothing proves that they are. Places or models without labels, another mix of them, and a judge
that says yes more often in the labelled units than in the judged of the same place are what can be seen; that the
judge errs differently there cannot be.
"""

from collections.abc import Hashable
from functools import cached_property
from math import sqrt
from typing import Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.core.estimate import Caution, Missing
from mores.core.seeds import Seed
from mores.stats.checks import kish, numbers, ranks, ratio, same_length, sums_by
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.rng import generator

_ROUNDING = 1e-9  # of weights that are as even but for it
ClusterArgument: TypeAlias = npt.ArrayLike | Literal["independent"]


class JudgedUnits(Struct, frozen=True, kw_only=True):
    """Units that only the judge has graded: its figures, their clusters, and their strata where there are any.

    Say "independent" where each unit is its own cluster; there is no default, since labels of one episode that are
    taken as independent promise too much. `weights` say how much each counts in the mean, all alike by default; with
    weights these are all units, those that are labelled too, as the mean is theirs.
    """

    values: npt.ArrayLike
    clusters: ClusterArgument
    strata: npt.ArrayLike | None = None
    weights: npt.ArrayLike | None = None


class LabelledUnits(Struct, frozen=True, kw_only=True):
    """Units that the judge and people have graded; clusters that also hold judged units bear the same name there.

    `weights` say how much each counts in the mean over how likely it was to be labelled; all alike by default.
    """

    values: npt.ArrayLike
    labels: npt.ArrayLike
    clusters: ClusterArgument
    strata: npt.ArrayLike | None = None
    weights: npt.ArrayLike | None = None


class StratifiedPart(Struct, frozen=True, dict=True):
    """Figures of one part in strata: the stratum and cluster of each, how many of each stratum, and its clusters.

    `weight` is how much each unit counts; `weighted` whether somebody said so.
    """

    stratum: Integers
    cluster: Integers | None
    size: Floats
    clusters: Floats
    weight: Floats
    weighted: bool = False

    @property
    def count(self) -> int:
        """Number of clusters over all strata."""
        return self.stratum.size if self.cluster is None else int(np.count_nonzero(np.bincount(self.cluster)))

    @property
    def worth(self) -> Floats:
        """Number of units of each stratum that count alike and would be worth as much (Kish's effective number)."""
        squares = sums_by(self.stratum, self.weight**2, self.size.size)
        return ratio(self.masses() ** 2, squares, empty=0.0, least=0.0)

    @cached_property
    def weighed(self) -> Floats:
        """Weight of each cluster, strata counting by their units."""
        each = self.weight * (self.size / self._divisor())[self.stratum]
        summed = each if self.cluster is None else np.bincount(self.cluster, each)
        return np.asarray(summed[summed > 0])

    @property
    def alike(self) -> float:
        """Number of clusters that count alike and would be worth as much."""
        return kish(self.weighed)

    @property
    def uneven(self) -> bool:
        """True where clusters count unevenly."""
        return self.alike < self.weighed.size * (1 - _ROUNDING)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of a variance over these clusters: Satterthwaite's, were all as far off by weight."""
        return max(1.0, kish(self.weighed**2) - self.size.size)

    def masses(self) -> Floats:
        """Weight of all units of each stratum."""
        return sums_by(self.stratum, self.weight, self.size.size)

    def means(self, values: Floats) -> Floats:
        """Mean of each stratum, 0 where it has no units."""
        return sums_by(self.stratum, values * self.weight, self.size.size) / self._divisor()

    def spreads(self, one: Floats, other: Floats) -> Floats:
        """Covariance within each stratum, over its number of units."""
        a, b = (x - self.means(x)[self.stratum] for x in (one, other))
        return self.means(a * b)

    def leverage_factor(self) -> Floats:
        """Of each unit, the root of 1 / (1 - h), h being its cluster's share of its stratum, for unbiased variances.

        It is that of G / (G - 1) where a stratum's G clusters count alike.
        """
        held = self.weight
        if self.cluster is not None:
            pair = ranks(self.cluster * self.size.size + self.stratum)
            held = sums_by(pair, self.weight)[pair]
        rest = 1 - held / self.masses()[self.stratum]
        return np.sqrt(1 / np.where(self.clusters[self.stratum] > 1, rest, 1.0))

    def influence(self, values: Floats, shares: Floats) -> Floats:
        """First-order share of each unit in the error of the mean over strata."""
        each = (shares / self._divisor())[self.stratum]
        return np.asarray(each * (values - self.means(values)[self.stratum]) * self.weight)

    def _divisor(self) -> Floats:
        mass = self.masses()
        return np.where(mass > 0, mass, 1.0)


class LabelledPool(Struct, frozen=True, kw_only=True):
    """Both parts with their arrays, and each stratum's share of the mean."""

    judged: StratifiedPart
    labelled: StratifiedPart
    guesses: Floats
    seen: Floats
    labels: Floats
    shares: Floats
    names: tuple[str, ...]

    @classmethod
    def of(cls, judged: JudgedUnits, labelled: LabelledUnits) -> Self:
        """Both parts, with strata and clusters as common codes.

        Raises:
            InputError: a figure is not finite, lengths differ, only one part has strata, or a weight is not positive.
        """
        guesses, seen = numbers(judged.values, "judged values"), numbers(labelled.values, "labelled values")
        labels = numbers(labelled.labels, "labels")
        same_length(seen, labels, "the judge's and the people's labels")
        names, codes = _strata(judged.strata, labelled.strata, (guesses.size, seen.size))
        groups = _clusters(judged.clusters, labelled.clusters, (guesses.size, seen.size))
        weighted = judged.weights is not None
        masses = _masses(judged, labelled, (guesses.size, seen.size))
        parts = [
            StratifiedPart(
                stratum,
                cluster,
                sums_by(stratum, np.ones(stratum.size), len(names)),
                _per(stratum, cluster, len(names)),
                mass,
                weighted,
            )
            for stratum, cluster, mass in zip(codes, groups, masses, strict=True)
        ]
        # Judged units that are weighed are all units, the labelled ones too.
        sizes = parts[0].masses() if weighted else parts[0].size + parts[1].size
        return cls(
            judged=parts[0],
            labelled=parts[1],
            guesses=guesses,
            seen=seen,
            labels=labels,
            shares=sizes / max(float(sizes.sum()), 1.0),
            names=names,
        )

    @property
    def weighted(self) -> bool:
        """True if units have weights."""
        return self.judged.weighted

    @property
    def binary(self) -> bool:
        """True if all figures are 0 or 1."""
        return all(bool(((x == 0) | (x == 1)).all()) for x in self._figures)

    @property
    def within(self) -> bool:
        """True if all figures are shares."""
        return all(bool(x.min(initial=0) >= 0 and x.max(initial=1) <= 1) for x in self._figures)

    @property
    def _figures(self) -> tuple[Floats, Floats, Floats]:
        return self.guesses, self.seen, self.labels

    def variance(self, own: Floats, lent: Floats) -> float:
        """Sum of squared influences of clusters, labelled and judged."""
        return sum(float((part**2).sum()) for part in self.by_cluster(own, lent))

    def by_cluster(self, own: Floats, lent: Floats) -> tuple[Floats, ...]:
        """Influences of independent clusters; those of a cluster that both parts share are added."""
        if self.labelled.cluster is None or self.judged.cluster is None:
            return own, lent
        groups = np.concatenate((self.labelled.cluster, self.judged.cluster))
        return (sums_by(groups, np.concatenate((own, lent))),)

    def refusal(self) -> Missing | None:
        """Reason that there is no correction; None where there is one."""
        short = np.flatnonzero((self.labelled.clusters < 2) | (self.judged.size < 1))
        if not short.size:
            return None
        first = int(short[0])
        n, judged = int(self.labelled.clusters[first]), float(self.judged.size[first])
        if len(self.names) == 1:
            return Missing(code="too_few_labelled", n=n, figures=(judged,))
        return Missing(code="too_few_labelled_of_stratum", n=n, told=self.names[first], figures=(judged,))


def _masses(judged: JudgedUnits, labelled: LabelledUnits, sizes: tuple[int, int]) -> tuple[Floats, Floats]:
    """Weights of units of both parts; ones where all count alike."""
    if judged.weights is None and labelled.weights is None:
        return np.ones(sizes[0]), np.ones(sizes[1])
    if judged.weights is None or labelled.weights is None:
        raise InputError("only one of judged and labelled units has weights; give both or neither.")
    own, lent = numbers(judged.weights, "judged weights"), numbers(labelled.weights, "labelled weights")
    for given, size, what in ((own, sizes[0], "judged"), (lent, sizes[1], "labelled")):
        same_length(given, np.empty(size), f"weights and {what} values")
        if given.size and given.min() <= 0:
            raise InputError(f"The least weight of {what} units is {given.min():g}; expected all above 0.")
    return own, lent


def coded(labels: npt.ArrayLike) -> tuple[tuple[str, ...], Integers]:
    """Names in sorted order and each label's code into them; a million strings are not sorted, only their names are."""
    given = np.asarray(labels)
    if given.dtype.kind in "biuf":
        found, codes = np.unique(given, return_inverse=True)
        return tuple(str(name) for name in found.tolist()), codes.astype(np.int64, copy=False)
    listed: list[Hashable] = given.tolist()
    names = sorted(set(listed), key=str)
    places = {name: place for place, name in enumerate(names)}
    return tuple(map(str, names)), np.fromiter(map(places.__getitem__, listed), np.int64, len(listed))


def _together(
    judged: npt.ArrayLike, labelled: npt.ArrayLike, sizes: tuple[int, int], what: str
) -> tuple[tuple[str, ...], tuple[Integers, Integers]]:
    """Names of both parts in sorted order, and each part's codes into them."""
    one, other = np.asarray(judged), np.asarray(labelled)
    same_length(one, np.empty(sizes[0]), f"{what} and judged values")
    same_length(other, np.empty(sizes[1]), f"{what} and labelled values")
    names, codes = coded(np.concatenate((one, other)))
    return names, (codes[: sizes[0]], codes[sizes[0] :])


def _strata(
    judged: npt.ArrayLike | None, labelled: npt.ArrayLike | None, sizes: tuple[int, int]
) -> tuple[tuple[str, ...], tuple[Integers, Integers]]:
    """As `_together`; one name where neither part has any strata."""
    if judged is None and labelled is None:
        return ("all",), (np.zeros(sizes[0], dtype=np.int64), np.zeros(sizes[1], dtype=np.int64))
    if judged is None or labelled is None:
        raise InputError("only one of judged and labelled units has strata; give both or neither.")
    return _together(judged, labelled, sizes, "strata")


def _clusters(
    judged: ClusterArgument, labelled: ClusterArgument, sizes: tuple[int, int]
) -> tuple[Integers | None, Integers | None]:
    """Cluster codes of both parts, shared names with the same code; None where each unit is its own cluster."""
    alone = [isinstance(of, str) for of in (judged, labelled)]
    for of in (judged, labelled):
        if isinstance(of, str) and of != "independent":
            raise InputError(f"clusters are '{of}'; expected one label a unit, or \"independent\".")
    if all(alone):
        return None, None
    if any(alone):
        # Units that are their own clusters get codes past those of the other part.
        given, size, lone = (labelled, sizes[1], sizes[0]) if alone[0] else (judged, sizes[0], sizes[1])
        grouped = coded(given)[1]
        same_length(grouped, np.empty(size), "clusters and values")
        single = np.arange(size, size + lone)
        both = (single, grouped) if alone[0] else (grouped, single)
    else:
        both = _together(judged, labelled, sizes, "clusters")[1]
    # clusters of one unit each are no clusters, and the quicker and exact methods hold
    most = np.bincount(np.concatenate(both), minlength=1).max()
    return both if most > 1 else (None, None)


def _per(stratum: Integers, cluster: Integers | None, strata: int) -> Floats:
    """Number of clusters of each stratum."""
    if cluster is None:
        return sums_by(stratum, np.ones(stratum.size), strata)
    both = np.sort(cluster * strata + stratum)
    found = both[np.diff(both, prepend=-1) > 0] % strata  # each pair once: a sort is quicker than `unique` here
    return sums_by(found, np.ones(found.size), strata)


_LEVEL = 0.01
_EXPECTED = 5  # units to be expected in each cell, below which chi-square is not honest
_DRAWS = 999
_TIE = 1e-9  # mixes that are as uneven but for rounding are ties


class LabelChecks(Struct, frozen=True, kw_only=True):
    """Evidence against labelled units as a random sample.

    `unlabelled` are groups that were judged and have no labels, `foreign` those with labels that were not judged. The p
    of the mix is of groups having the same shares in both parts, that of the rate of the judge having the same mean in
    both within groups; NaN where there is nothing to compare. `rate_gap` is labelled less judged.
    """

    unlabelled: tuple[str, ...]
    foreign: tuple[str, ...]
    mix_p: float
    rate_gap: float
    rate_p: float
    warnings: tuple[Caution, ...]


def label_checks(judged: JudgedUnits, labelled: LabelledUnits) -> LabelChecks:
    """Check that labelled units look like a random sample of the judged ones; strata are the groups to compare.

    Labels of people are not looked at. A warning is given where a group is missing in either part, and where a p is
    under .01; with few labels no warning means little.

    Args:
        judged: Units with the judge's figure only, their strata being models, places or both ("model, place"). With
            weights they are all units, each with its chance to be labelled, or what goes with it.
        labelled: Units with both; with weights of the others all alike, as their chances have done their part.

    Raises:
        InputError: a figure is not finite, lengths differ, or only one part has strata.
    """
    pool = LabelledPool.of(judged, labelled)
    here, there = pool.labelled.size > 0, pool.judged.size > 0
    unlabelled = tuple(name for name, missing in zip(pool.names, there & ~here, strict=True) if missing)
    foreign = tuple(name for name, missing in zip(pool.names, here & ~there, strict=True) if missing)
    mix = _mix_p(pool)
    gap, rate = _rate(pool, here & there)
    warnings = []
    if unlabelled:
        warnings.append(Caution(code="unlabelled", words=unlabelled))
    if foreign:
        warnings.append(Caution(code="labels_from_outside", words=foreign))
    if mix < _LEVEL:
        warnings.append(Caution(code="mixed_otherwise", p=mix))
    if rate < _LEVEL:
        warnings.append(Caution(code="no_random_sample", size=gap, p=rate))
    return LabelChecks(
        unlabelled=unlabelled,
        foreign=foreign,
        mix_p=mix,
        rate_gap=gap,
        rate_p=rate,
        warnings=tuple(warnings),
    )


def _mix_p(pool: LabelledPool) -> float:
    """Chance of so uneven a mix of groups, clusters being units: by chi-square, or by draws where groups are small."""
    if pool.weighted:
        return _drawn_mix_p(pool)
    table = np.stack((pool.judged.clusters, pool.labelled.clusters))
    sizes = table.sum(0)
    if np.count_nonzero(sizes) < 2 or not table.sum(1).all():
        return float("nan")
    expected = sizes * table.sum(1, keepdims=True) / table.sum()
    if (expected >= _EXPECTED).all():
        return float(special.chdtrc(sizes.size - 1, ((table - expected) ** 2 / expected).sum()))
    # one fixed seed, so that the same labels always have the same p
    rng = generator(Seed("mores-label-mix"))
    drawn = rng.multivariate_hypergeometric(sizes.astype(np.int64), int(table[1].sum()), size=_DRAWS)
    return _as_uneven(table[1], drawn, expected[1])


def _drawn_mix_p(pool: LabelledPool) -> float:
    """The same where it is known by what chance units were drawn, by draws of as many by these chances.

    Units are drawn one by one and put back: strata, and one of each episode, only make a mix more even than that.
    """
    shares, seen = pool.judged.masses(), pool.labelled.size
    if np.count_nonzero(shares) < 2 or not seen.sum() or (shares[seen > 0] == 0).any():
        return float("nan")
    known = shares > 0
    shares = shares[known] / shares.sum()
    expected = shares * seen.sum()
    drawn = generator(Seed("mores-label-mix")).multinomial(int(seen.sum()), shares, size=_DRAWS)
    return _as_uneven(seen[known], drawn, expected)


def _as_uneven(seen: Floats, drawn: Integers, expected: Floats) -> float:
    """Share of draws that lie as far from what was expected, counting the one that was seen."""
    far, likely = (((each - expected) ** 2 / expected).sum(-1) for each in (seen, drawn))
    return float((1 + (likely >= far * (1 - _TIE)).sum()) / (1 + _DRAWS))


def _rate(pool: LabelledPool, common: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """The judge's mean over labelled less judged units, within common groups weighed as labelled, and its p."""
    parts = (pool.labelled, pool.judged)
    clusters = min(float(part.clusters[common].sum()) for part in parts)
    if clusters < MIN_CLUSTERS:
        return float("nan"), float("nan")
    shares = np.where(common, pool.labelled.size, 0.0)
    shares /= shares.sum()
    gap = float(shares @ (pool.labelled.means(pool.seen) - pool.judged.means(pool.guesses)))
    own = pool.labelled.influence(pool.seen, shares) * pool.labelled.leverage_factor()
    lent = -pool.judged.influence(pool.guesses, shares) * pool.judged.leverage_factor()
    # Were it a random sample, its units would spread as all do: few labels near an edge seem surer than they are.
    spread = pool.judged.spreads(pool.guesses, pool.guesses)
    alike = float(shares**2 @ (spread / np.maximum(pool.labelled.worth, 1)))
    se = sqrt(pool.variance(own, lent) + max(0.0, alike - pool.variance(own, np.zeros_like(lent))))
    freedom = max(1.0, clusters - float(common.sum()))
    return gap, float(2 * special.stdtr(freedom, -abs(gap) / se)) if se > 0 else float(gap == 0)
