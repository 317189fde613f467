"""Meaning of a label of a cultural group: one place, several, a region, or a group of another kind.

The labels are CultureBank's: free words by which people online are told apart. The one assumption: a label names a
place only if its words name nothing narrower (a faith, a trade, a city) and nothing wider (a diaspora). What is not
understood is `other`: kept under its own label, never forced into a place.
"""

import re
from functools import cache
from typing import Literal

from msgspec import Struct

from mores.core.codec import read_text
from mores.norms.places import DATA, named, roll_up, spelling

GroupKind = Literal["place", "places", "region", "other"]

_REGION = "a region"
_PEOPLE = "people|peoples|persons|residents|citizens|nationals|locals|inhabitants"
_WHOLE = f"{_PEOPLE}|society|societies|culture|cultures|countries|nations|states"
_BEFORE = re.compile(rf"^(?:{_PEOPLE}) (?:living in|in|from|of) (?:the )?")
_AFTER = re.compile(rf" (?:{_WHOLE})$")
_WITHIN = re.compile(r" (?:living in|in|from) ")
_AMBIGUOUS = frozenset({"georgia"})  # the country and the state: these labels speak of both
_LIST = re.compile(r",\s*and\s+|\s+and\s+|,|/|&|;|\(|\)")


class CulturalGroup(Struct, frozen=True, kw_only=True):
    """A label as it came, what kind of thing it names, and the places it names, in its order.

    `places` has one id for a place, several for places, and none for a region or another kind of group.
    """

    kind: GroupKind
    label: str
    places: tuple[str, ...]


@cache
def find_group(label: str) -> CulturalGroup:
    """Group that a label names; every label is some group, so nothing raises.

    A part of a country that has an ISO 3166-2 code in our table is a place (Texans); cities are not, nor are groups
    within a place (Korean women) or away from it (Indian Americans, Filipinos in Canada).

    >>> find_group("Portuguese and Spanish")
    CulturalGroup(kind='places', label='Portuguese and Spanish', places=('PT', 'ES'))
    >>> find_group("Asian American").kind, find_group("Southeast Asians").kind
    ('other', 'region')
    """
    parts = [label] if _one(label) else [part for part in _LIST.split(label) if part.strip()]
    found = [_one(part) for part in parts]
    if not found or None in found:
        return CulturalGroup(kind="other", label=label, places=())
    ids = tuple(dict.fromkeys(name for name in found if name and name != _REGION))
    if _REGION in found:
        return CulturalGroup(kind="region", label=label, places=())
    return CulturalGroup(kind="place" if len(ids) == 1 else "places", label=label, places=ids)


def _one(words: str) -> str | None:
    """Id of the one place that words name, `_REGION` for a region, or None."""
    bare = spelling(words)
    inner = _BEFORE.sub("", bare)
    core = _AFTER.sub("", inner)
    if core in _AMBIGUOUS:
        return None
    # The longest first: "American people" loses its last word only if it means nothing as it stands.
    for name in (bare, inner, core):
        if found := _region(name) or named(name):
            return found
    return _part(words)


def _part(words: str) -> str | None:
    """Id of a part that is named with its country: "Kerala, India", "Americans in Florida"; else None."""
    core = _BEFORE.sub("", spelling(words.replace(",", " in ")))
    ends = [named(end) for end in _WITHIN.split(core)]
    match ends:
        case [str(one), str(other)] if one != other:
            return one if roll_up(one) == other else other if roll_up(other) == one else None
        case _:
            return None


def _region(bare: str) -> str | None:
    return _REGION if bare in _regions() or bare.removesuffix("s") in _regions() else None


@cache
def _regions() -> frozenset[str]:
    return frozenset(read_text(DATA / "regions.txt").splitlines())
