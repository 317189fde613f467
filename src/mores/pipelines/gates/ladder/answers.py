"""Gates on items whose own words answer them: a proposal that denies the norm, a subgroup that stands in an option."""

from collections.abc import Iterator, Sequence

from mores.norms.items import KnowItem
from mores.norms.pack import Pack, PackNorm, parallel
from mores.pipelines.gates.gate import Gate, item_of, share_gate
from mores.pipelines.gates.ladder.words import about, denies, stems

ON_TOPIC = 0.6
"""Smallest share of neutral scenes that touch their norm."""


def answer_gates(pack: Pack) -> Iterator[Gate]:
    """Gates on neutral scenes far from their norm, and on proposals and subgroups that give it away."""
    yield _neutral(pack.norms)
    yield _denied(pack.norms)
    yield _subgroups(pack.norms)


def _neutral(entries: Sequence[PackNorm]) -> Gate:
    says, none = "a neutral scene touches its norm and says which condition is not met", "no scene is neutral"
    found = [
        (item_of(entry, item), bool(scene.unmet))
        for entry in entries
        for item, scene in parallel("judge", entry.norm.id, entry.judge)
        if scene.label == "neutral"
    ]
    return share_gate("neutrals on topic", says, found, least=ON_TOPIC, none=f"not applicable: {none}")


def _denied(entries: Sequence[PackNorm]) -> Gate:
    says = "a proposal denies what the norm is about, and so states it"
    found = [
        (item_of(entry, f"converse-{entry.norm.id}"),
         denies(entry.converse.proposal, entry.norm.statement, entry.norm.place))
        for entry in entries if entry.converse is not None
    ]  # fmt: skip
    return share_gate("denying proposals", says, found, most=0.0, none="not applicable: no item on converse")


def _subgroups(entries: Sequence[PackNorm]) -> Gate:
    says = "a true option has a word of the norm's subgroup that no false one has"
    found = [
        (item_of(entry, item), _answers(about(entry.norm.subgroup, entry.norm.place), known))
        for entry in entries
        if entry.norm.subgroup
        for item, known in parallel("know", entry.norm.id, entry.know)
    ]
    return share_gate("subgroup in the answer", says, found, most=0.0, none="not applicable: no norm has a subgroup")


def _answers(subgroup: frozenset[str], known: KnowItem) -> bool:
    false = frozenset().union(*(stems(option.text) for option in known.options if not option.true))
    return any(subgroup & stems(option.text) - false for option in known.options if option.true)
