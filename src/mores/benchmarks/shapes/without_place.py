"""Items of published data without their place: by rules, since nobody wrote down what stands for it in their words.

A place that fills a slot of its own becomes `the country`; in all other words that the subject sees its names, people,
languages and larger towns are replaced. A talk between places has two of them, Country A and Country B. Judges see an
item as it is. Items are never swapped: published data do not say what would be right elsewhere.
"""

from collections.abc import Mapping

from msgspec import structs

from mores.benchmarks.shapes.closed_question import ClosedItem
from mores.benchmarks.shapes.dialogues.dialogue import DialogueItem
from mores.benchmarks.shapes.question import OpenQuestion
from mores.norms.remove_place import LOCAL, PLACE, ControlExclusion, PlaceRemoval, hidden

MaskablePublished = ClosedItem | OpenQuestion | DialogueItem
PLACELESS = ControlExclusion("are about no single place")
UNNAMED = ControlExclusion("do not name their place")


def _of(country: str) -> PlaceRemoval:
    return PlaceRemoval(
        country=country, local=country, people=f"people of {country}", person=f"person of {country}",
        language=f"the language of {country}", town=f"a town of {country}",
        region=f"a region of {country}",
    )  # fmt: skip


TWO = (_of("Country A"), _of("Country B"))
"""What stands for the places of a talk."""


def without_place(item: MaskablePublished) -> MaskablePublished | ControlExclusion:
    """An item without its place; left out where it has none, or where its words do not let it be left out."""
    if item.about.place is None:
        return PLACELESS
    if isinstance(item, DialogueItem):
        return _talk(item, item.about.place)
    words = dict(zip(item.form.slots, item.words, strict=True)) if isinstance(item, ClosedItem) else item.words
    found = _masked(words, {item.about.place: LOCAL})
    if isinstance(found, ControlExclusion):
        return found
    filled = tuple(found.values()) if isinstance(item, ClosedItem) else found
    return structs.replace(item, words=filled, control="masked")


def _talk(item: DialogueItem, place: str) -> DialogueItem | ControlExclusion:
    """A talk in which neither of its places is named to either mind."""
    places = dict.fromkeys((place, *(about.place for about in item.metadata_by_task.values() if about.place)))
    instead = dict(zip(places, TWO, strict=False))
    parts = [_masked(part.words, instead) for part in (item.antagonist, item.subject)]
    one, other = parts
    if isinstance(one, ControlExclusion) or isinstance(other, ControlExclusion):
        return next(each for each in parts if isinstance(each, ControlExclusion))
    return structs.replace(
        item,
        antagonist=structs.replace(item.antagonist, words=one),
        subject=structs.replace(item.subject, words=other),
        control="masked",
    )


def _masked(words: Mapping[str, str], instead: Mapping[str, PlaceRemoval]) -> dict[str, str] | ControlExclusion:
    """Words by slot without any of some places; left out where that cannot be, or where none of them was named."""
    found = dict(words)
    if PLACE in words:
        found[PLACE] = next(iter(instead.values())).country
    for slot in words:
        for place, removal in instead.items():
            left = hidden(found[slot], place, removal)
            if isinstance(left, ControlExclusion):
                return left
            found[slot] = left
    return found if found != dict(words) else UNNAMED
