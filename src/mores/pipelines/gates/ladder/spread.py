"""Gates on what a pack is spread over: sources, topics, domains, regions, and items of one norm."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from mores.norms.pack import Pack, PackNorm
from mores.pipelines.gates.gate import Gate, GateItem, item_of, share_gate

NEAR_TO_IT = frozenset(("people", "scholarly", "public"))
FOR_VISITORS = frozenset(("travel", "commercial"))
VISITORS, TOPIC, DOMAINS, REGIONS, NORMS = 0.15, 0.1, 6, 8, 30
"""Largest share of sources for visitors and of one topic, domains of a place, regions and norms of each."""
SMALL = 10
"""Norms below which a topic is a tenth of a pack by itself."""


def spread_gates(pack: Pack) -> Iterator[Gate]:
    """Gates on norms with few sources, of few topics or places, or with one item only."""
    several = [(item_of(entry), len(entry.norm.sources) >= 2) for entry in pack.norms]
    yield share_gate("two sources", "a norm has two sources or more", several, least=1.0)
    yield from _origins(pack.norms)
    yield _topics(pack.norms)
    yield _domains(pack.norms)
    yield _regions(pack.norms)
    for rung in ("know", "judge"):
        says = f"a norm has two items or more on {rung}, so that norm and item are not one"
        parallel = [(item_of(entry), len(getattr(entry, rung)) >= 2) for entry in pack.norms]
        yield share_gate(f"parallel items, {rung}", says, parallel, least=1.0)


def _origins(entries: Sequence[PackNorm]) -> Iterator[Gate]:
    one, other = "a source near to it", "sources for visitors"
    near = "a norm has a source of people of the place, of scholars or of a public body"
    visitors = "a source is a travel or a commercial page"
    sources = [(item_of(entry), source) for entry in entries for source in entry.norm.sources]
    if not any(source.origin for _, source in sources):
        why = "not applicable: no source says whose it is"
        yield Gate(name=one, says=near, n=len(entries), why=why)
        yield Gate(name=other, says=visitors, n=len(sources), why=why)
        return
    has = [(item_of(e), any(source.origin in NEAR_TO_IT for source in e.norm.sources)) for e in entries]
    yield share_gate(one, near, has, least=1.0)
    for_visitors = [(item, source.origin in FOR_VISITORS) for item, source in sources]
    yield share_gate(other, visitors, for_visitors, most=VISITORS)


def _topics(entries: Sequence[PackNorm]) -> Gate:
    name, says = "largest topic", "norms are of the topic that most are of"
    if len(entries) < SMALL:
        return Gate(name=name, says=says, n=len(entries), why=f"not applicable: fewer than {SMALL} norms")
    topics = [entry.norm.topic.casefold() for entry in entries]
    [(largest, _)] = Counter(topics).most_common(1)
    found = [(item_of(entry), topic == largest) for entry, topic in zip(entries, topics, strict=True)]
    return share_gate(name, says, found, most=TOPIC)


def _domains(entries: Sequence[PackNorm]) -> Gate:
    says = f"a place has norms of {DOMAINS} domains or more"
    of: dict[str, list[str]] = {}
    for entry in entries:
        of.setdefault(entry.norm.place, []).append(entry.norm.domain)
    found = [
        (GateItem(id=place, norm=place, place=place), len(set(domains)) >= DOMAINS)
        for place, domains in sorted(of.items())
        if len(domains) >= DOMAINS
    ]
    none = f"not applicable: no place has {DOMAINS} norms"
    return share_gate("domains of a place", says, found, least=1.0, none=none)


def _regions(entries: Sequence[PackNorm]) -> Gate:
    """Passes with so many regions that have so many norms; it names regions that have fewer."""
    name, says = "norms of a region", f"a region has {NORMS} norms or more, and so have {REGIONS} regions"
    if not any(entry.region for entry in entries):
        return Gate(name=name, says=says, why="not applicable: no place says its region")
    if len(entries) < REGIONS * NORMS:
        why = f"not applicable: fewer than {REGIONS * NORMS} norms, as many as {REGIONS} regions need"
        return Gate(name=name, says=says, why=why)
    size = Counter(entry.region for entry in entries if entry.region)
    enough = [(GateItem(id=region, norm=region, place=""), size[region] >= NORMS) for region in sorted(size)]
    found = share_gate(name, says, enough)
    passed = sum(each for _, each in enough) >= REGIONS
    few = () if passed else tuple(region.id for region, each in enough if not each)
    return replace(found, threshold={"regions_below": float(REGIONS)}, passed=passed, items=few)
