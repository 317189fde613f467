"""An answer chosen among words that were offered: the one that the model gives the greatest log-likelihood."""

from collections.abc import Sequence
from math import isnan
from typing import NamedTuple

TIED = "options equally likely"
NO_NUMBER = "log-likelihoods that are no numbers"
NO_WORDS = "log-likelihoods without the words they are of"


class Chosen(NamedTuple):
    """The likeliest words, or why there are none."""

    words: str
    why_not: str = ""


def likeliest(offered: Sequence[str], weights: Sequence[object]) -> Chosen:
    """The words with the greatest log-likelihood; of two that share it nobody can say which was chosen.

    >>> likeliest([" True", " False"], [-0.3, -1.2])
    Chosen(words=' True', why_not='')
    >>> likeliest([" True", " False"], [-0.3, -0.3]).why_not
    'options equally likely'
    """
    if len(offered) != len(weights) or len(set(offered)) < 2:
        return Chosen("", NO_WORDS)
    numbers = [_number(weight) for weight in weights]
    if any(isnan(number) for number in numbers):
        return Chosen("", NO_NUMBER)
    best = max(numbers)
    first = [words for words, number in zip(offered, numbers, strict=True) if number == best]
    return Chosen(first[0]) if len(first) == 1 else Chosen("", TIED)


def _number(weight: object) -> float:
    """A log-likelihood, as a number or as logs spell it."""
    try:
        return float(weight) if isinstance(weight, int | float | str) and not isinstance(weight, bool) else float("nan")
    except (ValueError, OverflowError):
        return float("nan")
