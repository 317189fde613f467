"""How many labels would certify a level, were losses as frequent as they were: a guess for planning, no promise."""

from math import ceil

import numpy as np

from mores.stats.conformal.risk_tests import binomial_p, checked_level, hoeffding_bentkus_p, units_for

_MOST = 100_000


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
