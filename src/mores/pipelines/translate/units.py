"""Units of a translation: a norm or an open question of a pack as a table of its file, with what has to stay as it is.

norms of a pack ─▶ their tables, the words that give a place away, and the items whose keys are found again.
"""

from collections.abc import Iterator, Mapping, Sequence
from string import ascii_lowercase
from typing import Any

import msgspec

from mores.norms.items import JudgeItem, KnowItem
from mores.norms.pack import ApplyItem, Pack, PackNorm
from mores.pipelines.translate.texts import PARTS, TextPath, stands_in, texts_of


class TranslationUnit(msgspec.Struct, frozen=True, kw_only=True):
    """A norm of a pack, or an open question, as a table of its file, and the words that give its place away.

    `keys` are its items whose answers the checker finds again, each with the words that it rests on; none of an open
    question. `hides` has what stands for each word in English where the place is hidden.
    """

    id: str
    place: str
    table: dict[str, Any]
    hides: dict[str, str]
    keys: tuple["KeyedItem", ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words that give the place away and stand in some text of the unit."""
        texts = [text.words for part in PARTS for text in texts_of(self.table, part)]
        return tuple(word for word in self.hides if any(stands_in(word, text) for text in texts))


class KeyedItem(msgspec.Struct, frozen=True, kw_only=True):
    """An item of a norm with its key: where it stands in the table, and the words that the key follows from."""

    path: TextPath
    rests_on: str
    right: tuple[str, ...]

    @property
    def part(self) -> str:
        """Part of the norm that it stands in."""
        return "questions" if self.path[0] == "know" else "scenes"


def units_of(pack: Pack, chosen: Sequence[PackNorm]) -> list[TranslationUnit]:
    """Units of some norms of a pack, and of the open questions all of whose norms are among them."""
    known = {entry.norm.id: entry.norm.place for entry in chosen}
    norms = [
        TranslationUnit(
            id=entry.norm.id, place=entry.norm.place, table=_table(entry), hides=entry.masked, keys=tuple(_keys(entry))
        )
        for entry in chosen
    ]
    bundles = [
        TranslationUnit(
            id=each.id, place=known[each.norm[0].id], table=_bundle(each),
            hides={word: instead for norm in chosen for word, instead in norm.masked.items()
                   if norm.norm.id in {held.id for held in each.norm}} | each.masked,
        )
        for each in pack.bundles if all(norm.id in known for norm in each.norm)
    ]  # fmt: skip
    return [*norms, *bundles]


def _table(entry: PackNorm) -> dict[str, Any]:
    """A norm as a table of a pack's file: place and region stand once there, at its head."""
    rungs: dict[str, Any] = msgspec.to_builtins(entry)
    norm = rungs.pop("norm")
    table = {**norm, "source": norm["sources"], **rungs}
    heads = {"place", "sources", "region", "place_name", "language"}
    return _filled({name: value for name, value in table.items() if name not in heads})


def _bundle(each: ApplyItem) -> dict[str, Any]:
    return _filled(msgspec.to_builtins(each))


def _filled(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table without what is left empty in it, and in its tables."""
    return {name: _filled_value(value) for name, value in table.items() if value not in (None, "", {}, ())}


def _filled_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _filled(value)
    return [_filled_value(each) for each in value] if isinstance(value, list | tuple) else value


def _keys(entry: PackNorm) -> Iterator[KeyedItem]:
    """Items of a norm with their keys; one at its boundary rests on the source that says where the norm ends."""
    for number, known in enumerate(entry.know):
        right = tuple(letter for letter, option in zip(ascii_lowercase, known.options, strict=False) if option.true)
        yield KeyedItem(path=("know", number), rests_on=_rests_on(entry, known), right=right)
    for number, scene in enumerate(entry.judge):
        yield KeyedItem(path=("judge", number), rests_on=_rests_on(entry, scene), right=(scene.label,))
    if entry.explain is not None:
        yield KeyedItem(path=("explain",), rests_on=entry.norm.statement, right=(entry.explain.label,))


def _rests_on(entry: PackNorm, item: KnowItem | JudgeItem) -> str:
    of_boundary = (f"{each.found} {each.dissent}".strip() for each in entry.norm.sources if each.url == item.boundary)
    return " ".join((entry.norm.statement, *of_boundary))
