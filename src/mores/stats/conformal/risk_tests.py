"""Tests that a risk is at most a level, and which of many settings may be called safe at once.

losses ─▶ evidence (sums over independent units) ─▶ p-values ─▶ settings accepted in their order.

The null hypothesis is that the true risk is above the level; a setting is called safe when it is rejected. Units are
items where these are independent, else their clusters, with the mean loss of each.
"""

from math import ceil, log
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy import special

from mores.core.arrays import Floats, Integers
from mores.core.errors import InputError
from mores.stats.checks import sums_by

_Flags: TypeAlias = npt.NDArray[np.bool_]
_MOST = 100_000  # units beyond which no level is planned for
_DIGITS = 9  # sums of losses are rounded here: one seventh seven times is one, not a whisker more


class RiskEvidence(Struct, frozen=True, kw_only=True):
    """Loss of each setting summed over so many independent units; `counted` where each unit is lost or not."""

    total: Floats
    units: int
    counted: bool

    @classmethod
    def of(cls, losses: npt.ArrayLike, clusters: Integers | None = None) -> "RiskEvidence":
        """Evidence in losses between 0 and 1, one row a setting and one column an item.

        Args:
            losses: Shape (settings, items).
            clusters: Cluster of each item as codes from 0; None where items are independent.

        Raises:
            InputError: a loss is not between 0 and 1, or there are no items.
        """
        lost = np.asarray(losses, dtype=np.float64)
        if lost.ndim != 2 or lost.shape[1] == 0 or not np.all((lost >= 0) & (lost <= 1)):
            raise InputError(f"losses have shape {lost.shape}, or some outside [0, 1]; expected settings in rows.")
        counted = clusters is None and bool(np.all((lost == 0) | (lost == 1)))
        of_item = np.arange(lost.shape[1]) if clusters is None else clusters
        size = sums_by(of_item, np.ones(of_item.size))
        return cls(total=np.round(lost @ (1 / size[of_item]), _DIGITS), units=size.size, counted=counted)

    @property
    def mean(self) -> Floats:
        """Mean loss of each setting over the units."""
        return self.total / self.units

    def p(self, risk: float) -> Floats:
        """P-value of each setting at one level."""
        if self.counted:
            return binomial_p(self.total.astype(np.int64), self.units, risk)
        return hoeffding_bentkus_p(self.total, self.units, risk)

    def passes_at(self, setting: int, delta: float) -> float:
        """The least level at which a setting would pass; 1 where every unit is lost."""
        total = float(self.total[setting])
        if total >= self.units:
            return 1.0
        if self.counted:
            return float(special.betaincinv(total + 1, self.units - total, 1 - delta))
        return _least(total, self.units, delta)


def _least(total: float, units: int, delta: float) -> float:
    """The least level with a Hoeffding-Bentkus p-value of at most delta, by halving; the p-value falls with it."""
    low, high = total / units, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if middle >= 1:  # nearly all is lost: no level below 1 passes
            break
        passes = float(hoeffding_bentkus_p([total], units, middle)[0]) <= delta
        low, high = (low, middle) if passes else (middle, high)
    return high


def binomial_p(losses: npt.ArrayLike, n: int, risk: float) -> Floats:
    """P(Bin(n, risk) <= losses): exact p-values that the risk is above the level, given whole numbers of losses.

    Give the number of losses, never n times their mean: 55 * (7 / 55) may be 6.999…, which counts one loss too few.

    Raises:
        InputError: a number of losses is not whole or not between 0 and n.

    >>> binomial_p([4, 5], 200, 0.05).round(5).tolist()
    [0.02645, 0.06234]
    """
    checked_level(risk)
    counts = np.asarray(losses)
    if not np.issubdtype(counts.dtype, np.integer) or np.any((counts < 0) | (counts > n)):
        raise InputError(f"losses are not whole numbers from 0 to {n}; count the lost items.")
    return np.asarray(special.bdtr(counts.astype(np.float64), n, risk), dtype=np.float64)


def hoeffding_bentkus_p(total: npt.ArrayLike, n: int, risk: float) -> Floats:
    """P-values that the risk is above the level, for losses anywhere between 0 and 1: the better of two bounds.

    Args:
        total: Losses summed over n independent units.
        n: Units.
        risk: The level.

    Raises:
        InputError: a total is not between 0 and n.

    Source:
        Bates, Angelopoulos, Lei, Malik and Jordan (2021), Journal of the ACM 68, sec. 3.1.

    >>> hoeffding_bentkus_p([4, 14], 200, 0.05).round(5).tolist()
    [0.07189, 1.0]
    """
    checked_level(risk)
    sums = np.asarray(total, dtype=np.float64)
    if not np.all((sums >= 0) & (sums <= n)):
        raise InputError(f"Summed losses lie outside 0 to {n}; expected at most one a unit.")
    # beyond the risk the bound says nothing: at the risk itself it is 1, as it has to be
    mean = np.minimum(sums / n, risk)
    hoeffding = np.exp(-n * (special.rel_entr(mean, risk) + special.rel_entr(1 - mean, 1 - risk)))
    bentkus = np.e * special.bdtr(np.ceil(np.round(sums, _DIGITS)), n, risk)
    bound: Floats = np.minimum(np.minimum(hoeffding, bentkus), 1.0)
    return bound


def safe(p: Floats, delta: float) -> _Flags:
    """Mask of the settings that are safe: with probability 1 - delta all of them at once, whichever is then chosen.

    Settings are walked in the order given, which must not depend on these losses; the first that fails ends it.

    Source:
        Angelopoulos, Bates, Candès, Jordan and Lei (2025), Annals of Applied Statistics 19 (arXiv:2110.01052).
    """
    return np.logical_and.accumulate(p <= delta)


def most_losses(n: int, risk: float, delta: float = 0.05) -> int | None:
    """The largest number of losses among n independent items that still passes; None where not even 0 does.

    >>> most_losses(200, 0.05), most_losses(58, 0.05)
    (4, None)
    """
    passing = int(np.sum(binomial_p(np.arange(n + 1), n, risk) <= delta))
    return passing - 1 if passing else None


def units_for(risk: float, delta: float = 0.05) -> int:
    """The fewest independent units that could pass a level, none of them lost.

    >>> units_for(0.05)
    59
    """
    return ceil(log(delta) / log(1 - risk))


def units_to_pass(loss: float, risk: float, delta: float = 0.05, *, counted: bool = True) -> int | None:
    """The fewest units that would pass a level with this share of losses; None where more than 100,000 would not.

    Args:
        loss: Share of units that are lost, as it was seen; the true one may be higher.
        risk: The level.
        delta: Of the test.
        counted: Whether units are lost or not (binomial), or have mean losses (Hoeffding and Bentkus).

    >>> units_to_pass(0.0, 0.05), units_to_pass(0.025, 0.05), units_to_pass(0.05, 0.05)
    (59, 260, None)
    """
    checked_level(risk)
    checked_level(delta, "delta")
    low = units_for(risk, delta)
    if loss >= risk or not _passes(loss, _MOST, risk, delta, counted=counted):
        return None
    high = _MOST
    while low < high:  # up to rounding the p-value falls as units grow
        middle = (low + high) // 2
        low, high = (low, middle) if _passes(loss, middle, risk, delta, counted=counted) else (middle + 1, high)
    return low


def _passes(loss: float, n: int, risk: float, delta: float, *, counted: bool) -> bool:
    total = ceil(loss * n - 1e-9)
    p = binomial_p(np.array([total]), n, risk) if counted else hoeffding_bentkus_p([float(total)], n, risk)
    return float(p[0]) <= delta


def checked_level(value: float, name: str = "A risk level") -> None:
    """Nothing, if a level lies strictly between 0 and 1."""
    if not 0 < value < 1:
        raise InputError(f"{name} is {value}; expected a number between 0 and 1, such as 0.05.")
