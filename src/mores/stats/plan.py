"""What to plan before a run: how many units, or answers to each, show a difference of a given size.

Two models differ on a unit for good (one knows it, the other does not) and by the luck of single answers. Several
answers to a unit, averaged, take the luck away and leave the rest, so that only more units help from there.
"""

from math import ceil

from mores.core.errors import InputError
from mores.stats.paired import reach_of


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
    reach = reach_of(power, alpha) / (d * judge_quality)
    if d * judge_quality > discordance * (1 + 1e-12):
        raise InputError(
            f"a difference of {d} seen by a judge of quality {judge_quality} needs units that differ: at least "
            f"{d * judge_quality:.3g} of them; discordance is {discordance}."
        )
    # A hair less, so that a number that is whole but for rounding is not rounded up.
    return max(1, ceil(reach**2 * discordance * design_effect * (1 - 1e-12)))


def discordance_of_means(discordance: float, *, stable: float, samples: int) -> float:
    """Mean squared difference of two models on a unit of averaged answers: what discordance is for single ones.

    discordance · (stable + (1 - stable) / samples).

    Args:
        discordance: Share of units on which single answers differ, or their mean squared difference, in [0, 1].
        stable: The part of it that is the same in every answer, in [0, 1]; 1 where answers do not vary.
        samples: Answers to each unit.

    Raises:
        InputError: an argument is outside its range.

    >>> round(discordance_of_means(0.2, stable=0.5, samples=5), 3)
    0.12
    """
    if not (0 <= discordance <= 1 and 0 <= stable <= 1 and samples >= 1):
        raise InputError(
            f"discordance is {discordance}, stable {stable}, samples {samples}; expected the first two in [0, 1] and "
            "samples >= 1."
        )
    return discordance * (stable + (1 - stable) / samples)


def samples_needed(  # noqa: PLR0913 - a formula's own letters
    d: float,
    *,
    units: int,
    discordance: float,
    stable: float,
    design_effect: float = 1.0,
    judge_quality: float = 1.0,
    power: float = 0.8,
    alpha: float = 0.05,
) -> int | None:
    """Fewest answers to each of so many units that show a true difference d; None where no number of answers would.

    The least K with `minimum_detectable_effect` of `discordance_of_means(discordance, stable, K)` at most d.

    Args:
        d: The true difference, in (0, 1].
        units: Units that both models answer.
        discordance: As in `discordance_of_means`, of single answers.
        stable: The part of it that answers share, in [0, 1].
        design_effect: By how much clusters widen the variance.
        judge_quality: J of the judge, in (0, 1].
        power: Wanted chance of finding it, in [.5, 1).
        alpha: Level of the test, in (0, 1).

    Raises:
        InputError: an argument is outside its range.

    >>> samples_needed(0.1, units=135, discordance=0.2, stable=0.5), samples_needed(0.1, units=70, discordance=0.2,
    ... stable=0.5)
    (2, None)
    """
    if not (0 < d <= 1 and units >= 1 and design_effect > 0 and 0 < judge_quality <= 1):
        raise InputError(
            f"d is {d}, units {units}, design_effect {design_effect}, judge_quality {judge_quality}; expected d and "
            "judge_quality in (0, 1], units >= 1 and design_effect > 0."
        )
    one = discordance_of_means(discordance, stable=stable, samples=1)
    room = units * (d * judge_quality / reach_of(power, alpha)) ** 2 / design_effect
    if room >= one * (1 - 1e-12):
        return 1
    lasting = discordance * stable
    if room <= lasting:
        return None
    return ceil((discordance - lasting) / (room - lasting) * (1 - 1e-12))
