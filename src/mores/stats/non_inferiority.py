"""Is one model no worse than another by a margin: the test that lets a loss pass only where it is known to be small.

The hypothesis to be turned down is a loss of the margin or more, so that too few units never pass.
"""

from math import ceil, floor, log

from scipy import special

from mores.core.errors import InputError
from mores.stats.paired import power_quantile

LEVEL = 0.05


def is_non_inferior(gain: float, low: float, units: float, margin: float) -> bool:
    """True where a loss of the margin or more is ruled out.

    Two things are asked. The 95 % interval of the paired difference lies above -margin. And so small a net loss would
    come about with probability .05 at most were the share of units lost just the margin and none gained, by the
    binomial: where hardly any unit differs the interval alone lets .065 of such losses pass, both together .0495 at
    most (exact, 20 to 1,300 units, margins .01 to .1, shares gained 0 to .4).

    Args:
        gain: The mean paired difference, new less old, as a share of what a unit can differ by.
        low: The lower end of its 95 % interval.
        units: Independent units that it rests on: units over their design effect.
        margin: The largest loss that is not to count, in (0, 1).

    Raises:
        InputError: the margin is outside (0, 1).

    >>> is_non_inferior(0.0, -0.02, 200, 0.03), is_non_inferior(0.0, -0.02, 90, 0.03)
    (True, False)
    >>> is_non_inferior(0.3, 0.1, 50, 0.03)
    True

    Source:
        Tango (1998), Statistics in Medicine 17, for the hypotheses.
    """
    if not 0 < margin < 1:
        raise InputError(f"margin is {margin}; expected a share in (0, 1).")
    worth = floor(units)
    lost = floor(-gain * worth + 1e-9)
    rare = lost < 0 or float(special.bdtr(lost, worth, margin)) <= LEVEL
    return low > -margin and rare


def units_to_decide(discordance: float, margin: float, design_effect: float = 1.0, *, power: float = 0.8) -> int:
    """Units that show with the given power that a model is no worse by a margin, where the two are equally good.

    Two digits, rounded up: the variance is taken from what was seen and is no more exact than that.

    Args:
        discordance: Share of units on which the two differ, or their mean squared difference, in [0, 1].
        margin: The largest loss that is not to count, in (0, 1).
        design_effect: How much clusters increase the variance.
        power: Wanted chance of showing it.

    >>> units_to_decide(0.2, 0.03), units_to_decide(0.0, 0.03)
    (1800, 99)
    """
    by_interval = (power_quantile(power, LEVEL) / margin) ** 2 * discordance
    units = design_effect * max(by_interval, log(LEVEL) / log(1 - margin), 1.0)
    step: int = 10 ** max(0, len(str(int(units))) - 2)
    return ceil(units / step) * step
