"""Gates on items whose own words answer them: a proposal that denies the norm, a subgroup that stands in an option."""

from collections.abc import Iterator, Sequence

from mores.norms.items import KnowItem
from mores.norms.pack import Pack, PackNorm, parallel
from mores.pipelines.gates.gate import Gate, share_gate
from mores.pipelines.gates.items import Item
from mores.pipelines.gates.ladder.words import about, denies, stems

ON_TOPIC = 0.6
"""Smallest share of neutral scenes that touch their norm."""


def answer_gates(pack: Pack) -> Iterator[Gate]:
    """Whether neutral scenes are near their norm, and whether proposals and subgroups give it away."""
    yield _neutral(pack.norms)
    yield _denied(pack.norms)
    yield _subgroups(pack.norms)


def asked(entry: PackNorm, name: str) -> Item:
    """An item of a norm as gates name it."""
    return Item(id=name, norm=entry.norm.id, place=entry.norm.place, stem="")


def _neutral(entries: Sequence[PackNorm]) -> Gate:
    name, says = "neutrals on topic", "a neutral scene touches its norm and says which condition is not met"
    found = [
        (asked(entry, item), bool(scene.unmet))
        for entry in entries
        for item, scene in parallel("judge", entry.norm.id, entry.judge)
        if scene.label == "neutral"
    ]
    if not found:
        return Gate(name=name, says=says, why="not applicable: no scene is neutral")
    items, met = zip(*found, strict=True)
    return share_gate(name, says, items, met, least=ON_TOPIC)


def _denied(entries: Sequence[PackNorm]) -> Gate:
    name, says = "denying proposals", "a proposal denies what the norm is about, and so states it"
    items = [asked(entry, f"converse-{entry.norm.id}") for entry in entries if entry.converse is not None]
    if not items:
        return Gate(name=name, says=says, why="not applicable: no item on converse")
    has = [
        denies(entry.converse.proposal, entry.norm.statement, entry.norm.place)
        for entry in entries
        if entry.converse is not None
    ]
    return share_gate(name, says, items, has, most=0.0)


def _subgroups(entries: Sequence[PackNorm]) -> Gate:
    name, says = "subgroup in the answer", "a true option has a word of the norm's subgroup that no false one has"
    found = [
        (asked(entry, item), _answers(about(entry.norm.subgroup, entry.norm.place), known))
        for entry in entries
        if entry.norm.subgroup
        for item, known in parallel("know", entry.norm.id, entry.know)
    ]
    if not found:
        return Gate(name=name, says=says, why="not applicable: no norm has a subgroup")
    items, told = zip(*found, strict=True)
    return share_gate(name, says, items, told, most=0.0)


def _answers(subgroup: frozenset[str], known: KnowItem) -> bool:
    false = frozenset().union(*(stems(option.text) for option in known.options if not option.true))
    return any(subgroup & stems(option.text) - false for option in known.options if option.true)
