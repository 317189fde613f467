"""Kinds of arrays, and the checks at the door of the room: no NaN, one dimension, equal lengths."""

import numpy as np
import numpy.typing as npt

from mores.core.arrays import Codes, Floats, Integers
from mores.core.errors import InputError

_CLOSE = 8
"""Whole numbers lie close where their range is less than so many times as wide as there are numbers."""


def numbers(values: npt.ArrayLike, name: str) -> Floats:
    """One-dimensional array of finite numbers.

    Raises:
        InputError: there is a NaN or an infinity, or more than one dimension.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InputError(f"{name} has {array.ndim} dimensions; expected one number a unit in one dimension.")
    bad = int(array.size - np.isfinite(array).sum())
    if bad:
        raise InputError(f"{name} has {array.size} numbers, {bad} of them not finite; leave ungraded units out first.")
    return array


def confident(confidence: float) -> None:
    """Nothing, if the wanted coverage lies strictly between 0 and 1.

    Raises:
        InputError: it does not.
    """
    if not 0 < confidence < 1:
        raise InputError(f"confidence is {confidence}; expected a number between 0 and 1, such as 0.95.")


def same_length(first: npt.NDArray[np.generic], second: npt.NDArray[np.generic], names: str) -> None:
    """Nothing, if two arrays have one entry each per unit.

    Raises:
        InputError: they do not.
    """
    if first.shape != second.shape:
        raise InputError(f"{names} have shapes {first.shape} and {second.shape}; expected one entry each per unit.")


def sums_by(codes: Integers, values: npt.NDArray[np.bool_] | Floats, groups: int = 0) -> Floats:
    """Sum of the values of each code 0, 1, …; at least `groups` of them."""
    return np.bincount(codes, values, minlength=groups).astype(np.float64, copy=False)


def ranks(values: npt.ArrayLike) -> Integers:
    """The place of each value among the distinct ones in their order, from 0.

    Whole numbers that lie close are counted and not sorted, in a tenth of the time and a third of the memory.

    >>> ranks([30, 10, 30, 20]).tolist(), ranks(["b", "a", "b"]).tolist()
    ([2, 0, 2, 1], [1, 0, 1])
    """
    given = np.asarray(values)
    if given.size and given.dtype.kind == "i":
        least, most = int(given.min()), int(given.max())
        # a table of the whole range takes memory by the range, so that it pays for close numbers alone
        if most - least < _CLOSE * given.size:
            from_0 = np.subtract(given, least, dtype=np.int64) if least else given
            there = np.zeros(most - least + 1, dtype=np.bool_)
            there[from_0] = True
            return np.asarray((np.cumsum(there) - 1)[from_0])
    return np.asarray(np.unique(given, return_inverse=True)[1])


def distinct_pairs(one: Codes, other: Codes) -> tuple[Integers, Integers, Integers]:
    """The distinct pairs of two codes in their order, as both codes of each, and which of them each row is.

    Each pair is one number, which sorts many times as fast as columns do. Codes are 0 or more.

    >>> [each.tolist() for each in distinct_pairs(np.array([1, 0, 1, 1]), np.array([2, 0, 0, 2]))]
    [[0, 1, 1], [0, 0, 2], [2, 0, 1, 2]]
    """
    # a pair as one number: first code times the number of second codes, plus the second
    size = int(other.max(initial=0)) + 1
    pairs, of_row = np.unique(one.astype(np.int64) * size + other, return_inverse=True)
    return pairs // size, pairs % size, of_row


def ratio(top: Floats, bottom: Floats, empty: float = float("nan"), least: float = 1e-12) -> Floats:
    """Quotients; `empty` where the divisor is no further from 0 than `least`, as by rounding."""
    shape = np.broadcast_shapes(np.shape(top), np.shape(bottom))
    defined = np.broadcast_to(np.abs(bottom) > least, shape)
    return np.asarray(np.divide(top, bottom, out=np.full(shape, empty), where=defined))


def labels(given: Floats, name: str, classes: int) -> Floats:
    """The labels, if there are two classes or more and each label is a code from 0 to classes - 1, or NaN for none.

    Raises:
        InputError: they are not.
    """
    if classes < 2:
        raise InputError(f"there are {classes} classes; expected at least two.")
    wrong = given[~np.isnan(given) & ((given != np.floor(given)) | (given < 0) | (given >= classes))]
    if wrong.size or 0 in given.shape[1:]:
        came = f"the label {wrong[0]:g}" if wrong.size else "no raters"
        raise InputError(f"{name} has {came}; expected codes 0 to {classes - 1}.")
    return given


def kish(weights: Floats) -> float:
    """Effective number of units: so many that count alike would be worth as much; 0 for none."""
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0
