"""Adjusted p-values of a family of claims; state the family's size beside them.

A NaN is a claim that could not be tested: it stays NaN and does not count in the family.
"""

from __future__ import annotations

from mores.core.arrays import np, npt
from mores.core.errors import InputError
from mores.stats.arrays import FloatArray


def holm(p: npt.ArrayLike) -> FloatArray:
    """Holm's step-down adjusted p-values: control the chance of any false claim, under any dependence.

    Raises:
        InputError: a p-value lies outside [0, 1].

    Source:
        Holm (1979), Scandinavian Journal of Statistics 6.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    given = _checked(p)
    ranked = _Ranked(given)
    return ranked.back(np.maximum.accumulate(ranked.sorted * np.arange(ranked.sorted.size, 0, -1)))


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
    return _step_up(p, harmonic=False)


def benjamini_yekutieli(p: npt.ArrayLike) -> FloatArray:
    """Benjamini and Yekutieli's adjusted p-values: as Benjamini-Hochberg, under any dependence.

    Raises:
        InputError: a p-value lies outside [0, 1].

    Source:
        Benjamini and Yekutieli (2001), Annals of Statistics 29, theorem 1.3.
    """
    return _step_up(p, harmonic=True)


def _step_up(p: npt.ArrayLike, *, harmonic: bool) -> FloatArray:
    ranked = _Ranked(_checked(p))
    ranks = np.arange(1, ranked.sorted.size + 1)
    factor = np.sum(1 / ranks) if harmonic else 1.0
    raised = ranked.sorted * factor * ranks.size / ranks
    return ranked.back(np.minimum.accumulate(raised[::-1])[::-1])


class _Ranked:
    """The tested p-values in ascending order, and the way back to their places."""

    def __init__(self, p: FloatArray) -> None:
        self._shape = p.shape
        tested = np.flatnonzero(~np.isnan(p))
        self._places = tested[np.argsort(p[tested], kind="stable")]
        self.sorted = p[self._places]

    def back(self, adjusted: FloatArray) -> FloatArray:
        out = np.full(self._shape, np.nan)
        out[self._places] = np.minimum(adjusted, 1.0)
        return out


def _checked(p: npt.ArrayLike) -> FloatArray:
    given = np.asarray(p, dtype=np.float64)
    if given.ndim != 1 or np.any((given < 0) | (given > 1)):
        raise InputError(f"p-values have shape {given.shape} and some outside [0, 1]; expected a row of p-values.")
    return given
