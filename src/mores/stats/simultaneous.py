"""Intervals of several means that hold together: all of them at once with the wanted coverage."""

import numpy as np
import numpy.typing as npt
from scipy import special

from mores.core.errors import InputError
from mores.core.estimate import NOTHING_GRADED
from mores.core.seeds import Seed
from mores.stats.checks import confident, numbers
from mores.stats.intervals import Interval, mean_interval, no_interval


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
    promised; 45 places of 12 to 58: .086; exact: under .03). Others have that of `mean_interval`.

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
    if np.isin(y, (0, 1)).all() and labels.size == y.size == np.unique(labels).size:
        return exact_binomial(int(y.sum()), y.size, alone)
    return mean_interval(y, labels, confidence=alone, resamples=resamples, seed=seed)
