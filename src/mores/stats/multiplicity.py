"""Adjusted p-values of a family of claims; state the family's size beside them.

A NaN is a claim that could not be tested: it stays NaN and does not count in the family.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mores.core.errors import InputError
from mores.stats.checks import FloatArray


def holm(p: npt.ArrayLike) -> FloatArray:
    """Holm's step-down adjusted p-values: control the chance of any false claim, under any dependence.

    Raises:
        InputError: a p-value lies outside [0, 1].

    Source:
        Holm (1979), Scandinavian Journal of Statistics 6.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    return _adjusted(p, lambda ranked: np.maximum.accumulate(ranked * np.arange(ranked.size, 0, -1)))


def benjamini_hochberg(p: npt.ArrayLike) -> FloatArray:
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


def benjamini_yekutieli(p: npt.ArrayLike) -> FloatArray:
    """Benjamini and Yekutieli's adjusted p-values: as Benjamini-Hochberg, under any dependence.

    Raises:
        InputError: a p-value lies outside [0, 1].

    Source:
        Benjamini and Yekutieli (2001), Annals of Statistics 29, theorem 1.3.
    """
    return _adjusted(p, lambda ranked: _step_up(ranked) * np.sum(1 / np.arange(1, ranked.size + 1)))


def _step_up(ranked: FloatArray) -> FloatArray:
    raised = ranked * ranked.size / np.arange(1, ranked.size + 1)
    return np.minimum.accumulate(raised[::-1])[::-1]


def _adjusted(p: npt.ArrayLike, change: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """What is made of the tested p-values in ascending order, back in their places and 1 at most."""
    given = np.asarray(p, dtype=np.float64)
    if given.ndim != 1 or np.any((given < 0) | (given > 1)):
        raise InputError(f"p-values have shape {given.shape} and some outside [0, 1]; expected a row of p-values.")
    tested = np.flatnonzero(~np.isnan(given))
    places, out = tested[np.argsort(given[tested], kind="stable")], np.full(given.shape, np.nan)
    out[places] = np.minimum(change(given[places]), 1.0)
    return out
