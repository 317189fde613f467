"""Signs that labelled units are no random sample of the judged ones, so that corrections made from them do not hold.

Nothing proves that they are. Places or models without labels, another mix of them, and a judge that says yes more often
in the labelled units than in the judged of the same place are what can be seen; that the judge errs differently there
cannot be.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy import special

from mores.core.estimate import Caution
from mores.core.seeds import Seed
from mores.stats.checks import FloatArray, IntArray
from mores.stats.intervals import MIN_CLUSTERS
from mores.stats.labelled_units import JudgedUnits, LabelledPool, LabelledUnits
from mores.stats.rng import generator

_LEVEL = 0.01
_EXPECTED = 5  # units to be expected in each cell, below which chi-square is not honest
_DRAWS = 999
_ROUNDING = 1e-9  # mixes that are as uneven but for rounding are ties


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelChecks:
    """What speaks against labelled units as a random sample.

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
    """Whether labelled units look like a random sample of the judged ones; strata are the groups to compare.

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


def _as_uneven(seen: FloatArray, drawn: IntArray, expected: FloatArray) -> float:
    """Share of draws that lie as far from what was expected, counting the one that was seen."""
    far, likely = (((each - expected) ** 2 / expected).sum(-1) for each in (seen, drawn))
    return float((1 + (likely >= far * (1 - _ROUNDING)).sum()) / (1 + _DRAWS))


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
