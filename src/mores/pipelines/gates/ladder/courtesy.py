"""Gates on what courtesy alone would reach: norms that it keeps, false statements from nowhere, bold proposals."""

from collections.abc import Iterator

from mores.norms.pack import Pack, parallel
from mores.pipelines.gates.gate import Gate, share_gate
from mores.pipelines.gates.ladder.answers import asked
from mores.pipelines.gates.ladder.spread import norm_item

KEEPS, BREAKS, LIVED = 0.4, 0.3, 0.4
"""Largest share of norms that courtesy keeps, smallest that it breaks, largest that it keeps over the days of live."""
HARMLESS, LOCAL = 1 / 3, 0.4
"""Smallest share of proposals that break no norm, and of those that somebody of the place makes."""


def courtesy_gates(pack: Pack) -> Iterator[Gate]:
    """Whether somebody who is polite, and knows nothing of the place, would do well."""
    yield from _norms(pack)
    yield _lived(pack)
    yield _elsewhere(pack)
    yield from _proposals(pack)


def _norms(pack: Pack) -> Iterator[Gate]:
    norms = [norm_item(entry) for entry in pack.norms]
    told = [entry.norm.courtesy for entry in pack.norms]
    keeps, breaks = "kept by courtesy", "broken by courtesy"
    kept = "somebody polite who knows nothing of the place keeps the norm, or it is not said what they do"
    broken = "politeness leads somebody who knows nothing of the place to break the norm"
    if not any(told):
        yield _not_said(keeps, kept, len(norms))
        yield _not_said(breaks, broken, len(norms))
        return
    yield share_gate(keeps, kept, norms, [each in ("keeps", "") for each in told], most=KEEPS)
    yield share_gate(breaks, broken, norms, [each == "breaks" for each in told], least=BREAKS)


def _lived(pack: Pack) -> Gate:
    """What courtesy leaves open counts as missed: no task names its norm, so that nothing leads to it."""
    name, says = "kept by courtesy, live", "a polite agent that ignores the place keeps a norm of the bundles' days"
    entries = {entry.norm.id: entry for entry in pack.norms}
    held = [entries[norm.id] for bundle in pack.bundles for norm in bundle.norm]
    if not any(entry.norm.courtesy for entry in held):
        return _not_said(name, says, len(held))
    kept = [entry.norm.courtesy in ("keeps", "") for entry in held]
    return share_gate(name, says, [norm_item(entry) for entry in held], kept, most=LIVED)


def _not_said(name: str, says: str, n: int) -> Gate:
    return Gate(name=name, says=says, n=n, why="not applicable: no norm says what courtesy makes of it")


def _elsewhere(pack: Pack) -> Gate:
    name, says = "true elsewhere", "a question has a false statement that is true in another place"
    found = [
        (asked(entry, item), any(option.elsewhere for option in known.options))
        for entry in pack.norms
        for item, known in parallel("know", entry.norm.id, entry.know)
    ]
    if not any(has for _, has in found):
        why = "not applicable: no statement says where else it is true"
        return Gate(name=name, says=says, n=len(found), why=why)
    items, has = zip(*found, strict=True)
    return share_gate(name, says, items, has, least=1.0)


def _proposals(pack: Pack) -> Iterator[Gate]:
    harmless, local = "harmless proposals", "proposals of locals"
    no_harm, of_place = "a proposal breaks no norm", "a proposal is made by somebody of the place"
    talks = [(asked(entry, f"converse-{entry.norm.id}"), entry.converse) for entry in pack.norms if entry.converse]
    if not talks:
        why = "not applicable: no item on converse"
        yield Gate(name=harmless, says=no_harm, why=why)
        yield Gate(name=local, says=of_place, why=why)
        return
    items, found = zip(*talks, strict=True)
    yield share_gate(harmless, no_harm, items, [talk.harmless for talk in found], least=HARMLESS)
    if any(talk.other.local for talk in found):
        yield share_gate(local, of_place, items, [talk.other.local for talk in found], least=LOCAL)
    else:
        yield Gate(name=local, says=of_place, n=len(items), why="not applicable: no proposal says whose it is")
