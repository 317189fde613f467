"""What all of this room share: what some carry and others not, and nouns as plain data."""

from collections.abc import Callable, Iterable
from math import isfinite
from typing import TypeVar

import numpy as np

from mores.blocks.reasons import format_missing, plain_key
from mores.core.codec import field_names, is_noun
from mores.core.errors import InputError
from mores.core.estimate import Estimate, Missing
from mores.stats.cluster_sums import MeasuredFigure

_One = TypeVar("_One")
_Found = TypeVar("_Found")


def with_field(
    things: Iterable[_One], make: Callable[[_One], _Found], *, none: str = ""
) -> tuple[tuple[_Found, ...], tuple[str, ...]]:
    """What is made of each thing, and why nothing is of the others; `none` says why there is nothing to make it of.

    Raises:
        InputError: nothing is made of any; the first reason.
    """
    found, refused = list[_Found](), list[InputError]()
    for thing in things:
        try:
            found.append(make(thing))
        except InputError as error:
            refused.append(error)
    if not found and (refused or none):
        raise refused[0] if refused else InputError(none)
    return tuple(found), tuple(map(str, refused))


def estimate_of(found: MeasuredFigure, metric: str, n: int, asked: int | None = None) -> Estimate:
    """A figure of statistics as one of a report, over `n` units of those that were asked."""
    low, high, method, missing = found.interval
    value = None if found.missing else known(found.value)
    return Estimate(
        metric=metric, value=value, low=low, high=high, asked=n if asked is None else asked, graded=n, method=method,
        missing=found.missing or missing,
    )  # fmt: skip


def known(value: float | None) -> float | None:
    """A number; None for one that is not there."""
    return value if value is not None and isfinite(value) else None


def to_dict(noun: object) -> dict[str, object]:
    """A noun for programs, by the names of its fields; a figure is one object with its interval, or why it has none."""
    if isinstance(noun, MeasuredFigure):
        known = noun.missing is None and isfinite(noun.value)
        low, high, method, missing = noun.interval
        return {"value": noun.value if known else None, "low": low, "high": high, "method": method,
                "why": format_missing(noun.missing or missing) or None}  # fmt: skip
    found = {name: getattr(noun, name) for name in field_names(noun)}
    return {plain_key(name, each): _plain(each) for name, each in found.items()}


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, Missing):
        return format_missing(value)
    if is_noun(value) or isinstance(value, MeasuredFigure):
        return to_dict(value)
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value
