"""What a place offers to whom: the menu of a location by its kind and by what somebody is there."""

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from mores.core.codec import build, read_toml
from mores.worlds.town.streets import KINDS, LocationKind

Standing = Literal["resident", "visitor", "staff", "cook", "student", "patient"]
"""What somebody is at a place: lives there, works there (in the kitchen as a cook), studies there, or comes from
outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuAction:
    """One action that a place offers: its name, to whom, what it is done with, and whether it opens a conversation."""

    name: str
    who: tuple[Standing, ...]
    using: str = ""
    talks: bool = False


@lru_cache(maxsize=64)
def menu(kind: LocationKind, standing: Standing) -> tuple[MenuAction, ...]:
    """What a place of a kind offers to somebody, in the order of the file."""
    return tuple(offer for offer in _menus()[kind] if standing in offer.who)


@cache
def _menus() -> dict[LocationKind, tuple[MenuAction, ...]]:
    path = Path(__file__).with_name("menus.toml")
    table = read_toml(path)
    return {kind: tuple(build(MenuAction, row, where=f"{path}: {kind}") for row in table[kind]) for kind in KINDS}
