"""Gates on what a pack is spread over: sources, topics, domains, regions, and items of one norm."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from mores.norms.pack import Pack, PackNorm
from mores.pipelines.gates.gate import Gate, share_gate
from mores.pipelines.gates.items import Item

NEAR_TO_IT = frozenset(("people", "scholarly", "public"))
FOR_VISITORS = frozenset(("travel", "commercial"))
VISITORS, TOPIC, DOMAINS, REGIONS, NORMS = 0.15, 0.1, 6, 8, 30
"""Largest share of sources for visitors and of one topic, domains of a place, regions and norms of each."""
SMALL = 10
"""Norms below which a topic is a tenth of a pack by itself."""


def spread_gates(pack: Pack) -> Iterator[Gate]:
    """Whether norms rest on enough, are about enough, and are asked about more than once."""
    norms = [norm_item(entry) for entry in pack.norms]
    yield share_gate(
        "two sources", "a norm has two sources or more", norms,
        [len(entry.norm.sources) >= 2 for entry in pack.norms], least=1.0,
    )  # fmt: skip
    yield from _origins(pack.norms, norms)
    yield _topics(pack.norms, norms)
    yield _domains(pack.norms, norms)
    yield _regions(pack.norms)
    for rung, counts in (("know", [len(e.know) for e in pack.norms]), ("judge", [len(e.judge) for e in pack.norms])):
        says = f"a norm has two items or more on {rung}, so that norm and item are not one"
        yield share_gate(f"parallel items, {rung}", says, norms, [count >= 2 for count in counts], least=1.0)


def norm_item(entry: PackNorm) -> Item:
    """A norm as gates name it."""
    return Item(id=entry.norm.id, norm=entry.norm.id, place=entry.norm.place, stem=entry.norm.statement)


def _origins(entries: Sequence[PackNorm], norms: Sequence[Item]) -> Iterator[Gate]:
    one, other = "a source near to it", "sources for visitors"
    near = "a norm has a source of people of the place, of scholars or of a public body"
    visitors = "a source is a travel or a commercial page"
    sources = [(item, source) for entry, item in zip(entries, norms, strict=True) for source in entry.norm.sources]
    if not any(source.origin for _, source in sources):
        why = "not applicable: no source says whose it is"
        yield Gate(name=one, says=near, n=len(norms), why=why)
        yield Gate(name=other, says=visitors, n=len(sources), why=why)
        return
    has = [any(source.origin in NEAR_TO_IT for source in entry.norm.sources) for entry in entries]
    yield share_gate(one, near, norms, has, least=1.0)
    for_visitors = [source.origin in FOR_VISITORS for _, source in sources]
    yield share_gate(other, visitors, [item for item, _ in sources], for_visitors, most=VISITORS)


def _topics(entries: Sequence[PackNorm], norms: Sequence[Item]) -> Gate:
    name, says = "largest topic", "norms are of the topic that most are of"
    if len(norms) < SMALL:
        return Gate(name=name, says=says, n=len(norms), why=f"not applicable: fewer than {SMALL} norms")
    [(largest, _)] = Counter(entry.norm.topic.casefold() for entry in entries).most_common(1)
    return share_gate(name, says, norms, [entry.norm.topic.casefold() == largest for entry in entries], most=TOPIC)


def _domains(entries: Sequence[PackNorm], norms: Sequence[Item]) -> Gate:
    name, says = "domains of a place", f"a place has norms of {DOMAINS} domains or more"
    size = Counter(item.place for item in norms)
    of = {place: {entry.norm.domain for entry in entries if entry.norm.place == place} for place in size}
    places = [Item(id=place, norm=place, place=place, stem="") for place in sorted(size) if size[place] >= DOMAINS]
    if not places:
        return Gate(name=name, says=says, why=f"not applicable: no place has {DOMAINS} norms")
    return share_gate(name, says, places, [len(of[place.id]) >= DOMAINS for place in places], least=1.0)


def _regions(entries: Sequence[PackNorm]) -> Gate:
    """Passes with so many regions that have so many norms; it names regions that have fewer."""
    name, says = "norms of a region", f"a region has {NORMS} norms or more, and so have {REGIONS} regions"
    if not any(entry.region for entry in entries):
        return Gate(name=name, says=says, why="not applicable: no place says its region")
    if len(entries) < REGIONS * NORMS:
        why = f"not applicable: fewer than {REGIONS * NORMS} norms, as many as {REGIONS} regions need"
        return Gate(name=name, says=says, why=why)
    size = Counter(entry.region for entry in entries if entry.region)
    regions = [Item(id=region, norm=region, place="", stem="") for region in sorted(size)]
    enough = [size[region.id] >= NORMS for region in regions]
    found = share_gate(name, says, regions, enough)
    passed = sum(enough) >= REGIONS
    few = () if passed else tuple(region.id for region, each in zip(regions, enough, strict=True) if not each)
    return replace(found, threshold={"regions_below": float(REGIONS)}, passed=passed, items=few)
