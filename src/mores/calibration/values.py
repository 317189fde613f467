"""What all of this room share: what some carry and others not, and nouns as plain data."""

from collections.abc import Callable, Iterable
from math import isfinite
from typing import TypeVar

import numpy as np

from mores.blocks.reasons import format_missing, plain_key
from mores.core.errors import InputError
from mores.core.estimate import Missing
from mores.core.fields import field_names, is_noun
from mores.stats import Ceiling, ClassAgreement, LengthBias, Measured, PanelVote, Rival

_One = TypeVar("_One")
_Found = TypeVar("_Found")


def those_that_carry(
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


def to_dict(noun: object) -> dict[str, object]:
    """A noun for programs, by the names of its fields; a figure is one object with its interval, or why it has none.

    What holds more than a program wants says by `to_dict` what is wanted.
    """
    if isinstance(noun, Measured):
        known = noun.missing is None and isfinite(noun.value)
        low, high, method, missing = noun.interval
        return {"value": noun.value if known else None, "low": low, "high": high, "method": method,
                "why": format_missing(noun.missing or missing) or None}  # fmt: skip
    if hasattr(noun, "to_dict"):
        found = noun.to_dict()
    else:
        names = _NAMES.get(type(noun), {})
        found = {names.get(name, name): getattr(noun, name) for name in field_names(noun)}
    return {plain_key(str(name), each): _plain(each) for name, each in found.items()}


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, Missing):
        return format_missing(value)
    if is_noun(value) or isinstance(value, Measured):
        return to_dict(value)
    if isinstance(value, PanelVote):
        return _plain(value._asdict())
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value


_NAMES: dict[type, dict[str, str]] = {
    Ceiling: {"units": "n"},
    ClassAgreement: {"gold": "people", "said": "judge"},
    LengthBias: {"labelled": "n"},
    Rival: {"items": "n"},
}
"""What programs know of statistics by another name here, where one side is people and the other a judge."""
