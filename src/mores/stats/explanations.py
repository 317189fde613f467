"""Explanations beside the labels they explain: right for the wrong reason, spread over models, length put right.

For how rubrics go together over models, and with accuracy, give `rank_correlations` one row a rubric and one column
a model: with ten models or so a rank correlation is all that can be had, and a weak one.

Source:
    CURE, results on thin and thick evaluation and on the judge. Its length normalisation is not defined; ours takes
    the slope from judge less human, as a slope on raw points would take away what longer answers do better.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from mores.core.arrays import Floats
from mores.core.errors import InputError
from mores.stats.checks import numbers, same_length

_QUARTILES = 4  # values from which there are quartiles
_LABELLED = 10  # answers with human points below which a slope is a guess


class Reasons(NamedTuple):
    """Answers by label, right or wrong, and explanation, good or bad; those with none graded are `ungraded` only."""

    right_good: int
    right_bad: int
    wrong_good: int
    wrong_bad: int
    ungraded: int


class LengthBias(Struct, frozen=True, kw_only=True):
    """Points a judge gives beyond people's for each unit of log length, with its robust standard error.

    `centre` is the mean log length of the labelled answers, where nothing is changed.
    """

    slope: float
    error: float
    centre: float
    labelled: int

    def corrected(self, points: npt.ArrayLike, lengths: npt.ArrayLike) -> Floats:
        """Points less what their length alone is worth; may leave the scale a little at its ends.

        Raises:
            InputError: lengths differ, or an answer has no length.
        """
        given, size = numbers(points, "points"), _log_lengths(lengths)
        same_length(given, size, "points and lengths")
        return given - self.slope * (size - self.centre)


def reasons(right: npt.ArrayLike, points: npt.ArrayLike, *, good: float = 0.5) -> Reasons:
    """Answers by whether their label is right and whether their explanation is good.

    Args:
        right: Whether each label is right.
        points: Of each explanation; NaN where the judge failed.
        good: Points from which an explanation is good.

    Raises:
        InputError: lengths differ.

    >>> reasons([True, True, False], [0.9, 0.2, 0.7])
    Reasons(right_good=1, right_bad=1, wrong_good=1, wrong_bad=0, ungraded=0)
    """
    label, graded = np.asarray(right, dtype=np.bool_), np.asarray(points, dtype=np.float64)
    same_length(label, graded, "right and points")
    known = ~np.isnan(graded)
    # right before wrong and good before bad, as the fields stand
    cells = np.bincount(2 * ~label[known] + ~(graded[known] >= good), minlength=4)
    right_good, right_bad, wrong_good, wrong_bad = cells.tolist()
    return Reasons(right_good, right_bad, wrong_good, wrong_bad, int((~known).sum()))


def quartile_range(values: npt.ArrayLike) -> float:
    """Third quartile less the first, with linear interpolation; NaN under four values, as they have no quartiles.

    Raises:
        InputError: a value is not finite.
    """
    x = numbers(values, "values")
    return float(np.subtract(*np.quantile(x, (0.75, 0.25)))) if x.size >= _QUARTILES else float("nan")


class BoxStats(Struct, frozen=True):
    """Quartiles of values, the ends of the whiskers, and what lies beyond them, in order."""

    low: float
    first: float
    median: float
    third: float
    high: float
    outliers: tuple[float, ...]


def box_of(values: npt.ArrayLike) -> BoxStats | None:
    """Quartiles with whiskers to the last value within 1.5 quartile ranges of them; None under four values.

    Raises:
        InputError: a value is not finite.

    Source:
        Tukey (1977), Exploratory Data Analysis, ch. 2, with linear interpolation of quartiles.

    >>> box_of([1, 2, 3, 4, 20])
    BoxStats(low=1.0, first=2.0, median=3.0, third=4.0, high=4.0, outliers=(20.0,))
    """
    x = np.sort(numbers(values, "values"))
    if x.size < _QUARTILES:
        return None
    first, median, third = np.quantile(x, (0.25, 0.5, 0.75)).tolist()
    reach = 1.5 * (third - first)
    inside = x[(x >= first - reach) & (x <= third + reach)]
    beyond = x[(x < first - reach) | (x > third + reach)]
    return BoxStats(float(inside[0]), first, median, third, float(inside[-1]), tuple(beyond.tolist()))


def spread_reduced(thick: npt.ArrayLike, thin: npt.ArrayLike) -> float:
    """Share by which the quartile range over models is less in the thick form, negative where it is more.

    NaN under four models, or where the thin form has no spread.

    Raises:
        InputError: a value is not finite.
    """
    before, after = quartile_range(thin), quartile_range(thick)
    return 1 - after / before if before > 0 else float("nan")


def length_bias(judge: npt.ArrayLike, human: npt.ArrayLike, lengths: npt.ArrayLike) -> LengthBias:
    """Points that a judge gives to length, found where people have graded the same answers.

    Args:
        judge: Points of the judge on labelled answers.
        human: Points of people, or their mean, on the same.
        lengths: Of the answers, in any one unit.

    Raises:
        InputError: lengths differ, under ten answers, an answer has no length, or all are of one length.

    Source:
        MacKinnon and White (1985), Journal of Econometrics 29 (the standard error, HC3).
    """
    gap, size = numbers(judge, "judge") - _human(human, judge), _log_lengths(lengths)
    same_length(gap, size, "judge and lengths")
    centre = float(size.mean()) if size.size else 0.0
    aside = size - centre
    squares = float(aside @ aside)
    if gap.size < _LABELLED or squares <= 1e-12 * gap.size:
        raise InputError(f"{gap.size} labelled answers; expected at least {_LABELLED}, of more than one length.")
    slope = float(aside @ gap) / squares
    residual = gap - gap.mean() - slope * aside
    leverage = np.minimum(1 / gap.size + aside**2 / squares, 1 - 1e-9)  # 1: one answer alone sets the slope
    error = sqrt(float(np.sum((aside * residual / (1 - leverage)) ** 2))) / squares
    return LengthBias(slope=slope, error=error, centre=centre, labelled=gap.size)


def _human(human: npt.ArrayLike, judge: npt.ArrayLike) -> Floats:
    points = numbers(human, "human")
    same_length(points, np.asarray(judge), "human and judge")
    return points


def _log_lengths(lengths: npt.ArrayLike) -> Floats:
    size = numbers(lengths, "lengths")
    if np.any(size <= 0):
        raise InputError(f"lengths has {size.min()}; expected all above 0. Leave empty answers out.")
    return np.log(size)
