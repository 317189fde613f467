"""Gates on what courtesy alone would reach: norms that it keeps, false statements from nowhere, bold proposals."""

from collections.abc import Iterator

from mores.norms.pack import Pack, parallel
from mores.pipelines.gates.gate import Gate, item_of, share_gate

KEEPS, BREAKS, LIVE = 0.4, 0.3, 0.4
"""Largest share of norms that courtesy keeps, smallest that it breaks, largest that it keeps over the days of live."""
HARMLESS, LOCAL = 1 / 3, 0.4
"""Smallest share of proposals that break no norm, and of those that somebody of the place makes."""


def courtesy_gates(pack: Pack) -> Iterator[Gate]:
    """Gates on the success of somebody who is polite and knows nothing of the place."""
    yield from _norms(pack)
    yield _live(pack)
    yield _elsewhere(pack)
    yield from _proposals(pack)


def _norms(pack: Pack) -> Iterator[Gate]:
    keeps, breaks = "kept by courtesy", "broken by courtesy"
    kept = "somebody polite who knows nothing of the place keeps the norm, or it is not said what they do"
    broken = "politeness leads somebody who knows nothing of the place to break the norm"
    if not any(entry.norm.courtesy for entry in pack.norms):
        yield _not_applicable(keeps, kept, len(pack.norms))
        yield _not_applicable(breaks, broken, len(pack.norms))
        return
    courtesies = [(item_of(entry), entry.norm.courtesy) for entry in pack.norms]
    yield share_gate(keeps, kept, [(item, each in {"keeps", ""}) for item, each in courtesies], most=KEEPS)
    yield share_gate(breaks, broken, [(item, each == "breaks") for item, each in courtesies], least=BREAKS)


def _live(pack: Pack) -> Gate:
    """Gate on the days of live; a norm that courtesy leaves open counts as missed, as no task names it."""
    name, says = "kept by courtesy, live", "a polite agent that ignores the place keeps a norm of the bundles' days"
    entries = {entry.norm.id: entry for entry in pack.norms}
    held = [entries[norm.id] for bundle in pack.bundles for norm in bundle.norm]
    if not any(entry.norm.courtesy for entry in held):
        return _not_applicable(name, says, len(held))
    return share_gate(name, says, [(item_of(each), each.norm.courtesy in {"keeps", ""}) for each in held], most=LIVE)


def _not_applicable(name: str, says: str, n: int) -> Gate:
    return Gate(name=name, says=says, n=n, why="not applicable: no norm says what courtesy makes of it")


def _elsewhere(pack: Pack) -> Gate:
    name, says = "true elsewhere", "a question has a false statement that is true in another place"
    found = [
        (item_of(entry, item), any(option.elsewhere for option in known.options))
        for entry in pack.norms
        for item, known in parallel("know", entry.norm.id, entry.know)
    ]
    if not any(has for _, has in found):
        why = "not applicable: no statement says where else it is true"
        return Gate(name=name, says=says, n=len(found), why=why)
    return share_gate(name, says, found, least=1.0)


def _proposals(pack: Pack) -> Iterator[Gate]:
    local, of_place, none = "proposals of locals", "a proposal is made by somebody of the place", "no item on converse"
    talks = [(item_of(entry, f"converse-{entry.norm.id}"), entry.converse) for entry in pack.norms if entry.converse]
    harmless = [(item, talk.harmless) for item, talk in talks]
    yield share_gate(
        "harmless proposals", "a proposal breaks no norm", harmless, least=HARMLESS, none=f"not applicable: {none}"
    )
    if talks and not any(talk.other.local for _, talk in talks):
        yield Gate(name=local, says=of_place, n=len(talks), why="not applicable: no proposal says whose it is")
        return
    by_locals = [(item, talk.other.local) for item, talk in talks]
    yield share_gate(local, of_place, by_locals, least=LOCAL, none=f"not applicable: {none}")
