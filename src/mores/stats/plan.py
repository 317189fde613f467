"""What to plan before a run: how many units show a difference of a given size."""

from math import ceil

from scipy.special import ndtri

from mores.core.errors import InputError


def units_needed(
    d: float,
    *,
    discordance: float,
    design_effect: float = 1.0,
    judge_quality: float = 1.0,
    power: float = 0.8,
    alpha: float = 0.05,
) -> int:
    """Fewest units, answered by both models, that show a true difference d of two shares, two-sided.

    ((z of 1 - alpha / 2 + z of power) / (d J))² · discordance · design effect, rounded up: the other way round of
    `minimum_detectable_effect`. A judge's errors, if equal for both models, shrink the difference to d · J.

    Args:
        d: The true difference of the shares, in (0, 1].
        discordance: Share of units on which the two are expected to differ as judged, from a pilot or a guess such
            as .2; no less than the d J that is to be seen.
        design_effect: By how much clusters widen the variance; from `design_effect` of a pilot.
        judge_quality: J, sensitivity plus specificity less 1 of the judge, in (0, 1].
        power: Wanted chance of finding it, in [.5, 1).
        alpha: Level of the test, in (0, 1).

    Raises:
        InputError: an argument is outside its range, or the difference is larger than the discordance can hold.

    >>> units_needed(0.1, discordance=0.2)
    157
    >>> units_needed(0.1, discordance=0.2, design_effect=1.5, judge_quality=0.8)
    368
    """
    if not (0 < d <= 1 and 0 < discordance <= 1 and design_effect > 0 and 0 < judge_quality <= 1):
        raise InputError(
            f"d is {d}, discordance {discordance}, design_effect {design_effect}, judge_quality {judge_quality}; "
            "expected d, discordance and judge_quality in (0, 1] and design_effect > 0."
        )
    if not (0.5 <= power < 1 and 0 < alpha < 1):
        raise InputError(f"power is {power} and alpha {alpha}; expected power in [.5, 1) and alpha in (0, 1).")
    if d * judge_quality > discordance * (1 + 1e-12):
        raise InputError(
            f"a difference of {d} seen by a judge of quality {judge_quality} needs units that differ: at least "
            f"{d * judge_quality:.3g} of them; discordance is {discordance}."
        )
    reach = float(ndtri(1 - alpha / 2) + ndtri(power)) / (d * judge_quality)
    # A hair less, so that a number that is whole but for rounding is not rounded up.
    return max(1, ceil(reach**2 * discordance * design_effect * (1 - 1e-12)))
