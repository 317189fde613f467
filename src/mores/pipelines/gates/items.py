"""A question of any benchmark as gates see it: a stem, options of which some are right, and the norms behind it."""

from dataclasses import dataclass

from mores.norms.pack import Pack, PackNorm


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One question: `right` are the places of its right options, `norm` is what it rests on and `norms` what that says.

    `label` is what a question with a fixed list of answers has for one, empty where options differ by question.
    """

    id: str
    norm: str
    place: str
    stem: str = ""
    options: tuple[str, ...] = ()
    right: tuple[int, ...] = ()
    topic: str = ""
    norms: tuple[str, ...] = ()
    label: str = ""


def item_of(entry: PackNorm, name: str = "") -> Item:
    """A norm of a pack, or one of its items, as gates name it."""
    return Item(id=name or entry.norm.id, norm=entry.norm.id, place=entry.norm.place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What is checked: where it is from, each with a hash, its questions, and the pack that they are of, if any."""

    made_from: dict[str, str]
    items: tuple[Item, ...]
    pack: Pack | None = None
