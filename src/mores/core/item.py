"""What every item of every family has: who it is about and what it counts towards."""

from typing import Protocol

from msgspec import Struct


class ItemMetadata(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """What an item counts towards; carried by each verdict, so that verdicts can be summarised alone.

    `unit` is the headline unit (the question, where its statements are items), `cluster` what is drawn
    together (intervals respect it), `groups` the ways to break figures down besides place. Where one item gets
    verdicts on several units (the norms of an open question), `part` tells them apart.
    """

    item: str
    unit: str
    cluster: str
    place: str | None = None
    groups: dict[str, str] = {}
    part: str = ""


class Item(Protocol):
    """One thing to put to a model; the family defines its further fields."""

    @property
    def about(self) -> ItemMetadata:
        """What the item counts towards."""
        ...
