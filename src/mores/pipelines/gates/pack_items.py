"""Gates on the items of a pack: answers in their own words, courtesy that suffices, inconsistent days, narrow spread.

An item's own words answer it where a proposal denies the norm, or a subgroup stands in a true option. Courtesy alone
must not keep most norms. A bundle's tasks make one day. Norms have several sources, topics, places and items.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from mores.benchmarks.ladder.rung_live import WINDOWS
from mores.norms.items import KnowItem
from mores.norms.pack import ApplyItem, Pack, PackNorm, parallel
from mores.pipelines.gates.gate import Gate, GateItem, item_of, share_gate
from mores.pipelines.gates.pack_texts import about, denies, stems

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


KEEPS, BREAKS, LIVE = 0.4, 0.3, 0.4
"""Largest share of norms that courtesy keeps, smallest that it breaks, largest that it keeps over the days of live."""
HARMLESS, LOCAL = 1 / 3, 0.4
"""Smallest share of proposals that break no norm, and of those that somebody of the place makes."""
UNSAID = "not applicable: no statement says where else it is true"


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
    says = "a question has a false statement that is true in another place"
    asked = [entry for entry in know_items(pack) if not entry[1].boundary]
    holds = [(item, any(option.elsewhere for option in known.options)) for item, known in asked]
    return elsewhere_gate("true elsewhere", says, holds)


def know_items(pack: Pack) -> list[tuple[GateItem, KnowItem]]:
    """The questions of know, of all norms."""
    return [
        (item_of(entry, item), known)
        for entry in pack.norms
        for item, known in parallel("know", entry.norm.id, entry.know)
    ]


def elsewhere_gate(name: str, says: str, holds: Sequence[tuple[GateItem, bool]], *, none: str = UNSAID) -> Gate:
    """Gate on questions that all say where else a false statement is true; it is not applicable where none says it."""
    if holds and not any(has for _, has in holds):
        return Gate(name=name, says=says, n=len(holds), why=UNSAID)
    return share_gate(name, says, holds, least=1.0, none=none)


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


_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
           "december")  # fmt: skip
_ELSEWHEN = r"(?<!last )(?<!next )(?<!every )(?<!each )(?<!since )(?<!until )(?<!by )"
# "Since last Friday" names another day than that of the task.
_DAY = re.compile(rf"{_ELSEWHEN}\b({'|'.join(_WEEKDAYS)})\b", re.IGNORECASE)
# "May I" is no month.
_MONTH = re.compile(rf"(?:\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?)?\b({'|'.join(m.title() for m in _MONTHS)})\b(?! I\b)")
_FEASTS = {
    "christmas": "december", "boxing day": "december", "halloween": "october", "new year's eve": "december",
    "valentine's day": "february", "new year's day": "january",
}  # fmt: skip
_FEAST = re.compile("|".join(_FEASTS), re.IGNORECASE)
_CLOCK = re.compile(r"\b([01]?\d|2[0-3])[:.]([0-5]\d)\b|\b(\d{1,2}) ?(am|pm|o'clock)\b", re.IGNORECASE)
_PARTS = {
    "early in the morning": (5, 9), "this morning": (0, 12), "in the morning": (0, 12),
    "early in the afternoon": (12, 15), "this afternoon": (12, 18), "in the afternoon": (12, 18),
    "this evening": (17, 24), "in the evening": (17, 24), "tonight": (17, 24), "at night": (20, 24),
}  # fmt: skip
"""Parts of a day, and the hours from and to which they last."""


class _Moments(NamedTuple):
    """Weekdays, months and dates that a text names; empty where it names none."""

    weekdays: frozenset[str]
    months: frozenset[str]
    dates: frozenset[str]


def consistent_days(pack: Pack) -> Gate:
    """Gate on days that cannot be one day: two weekdays or dates, or hours outside the windows of their tasks."""
    says = "tasks of one day name dates that contradict each other, or their windows"
    entries = {entry.norm.id: entry for entry in pack.norms}
    found = [
        (GateItem(id=f"live-{bundle.id}", norm=bundle.id, place=entries[bundle.norm[0].id].norm.place),
         _contradicts(bundle, entries))
        for bundle in pack.bundles if bundle.day or any(_task(bundle, entries))
    ]  # fmt: skip
    return share_gate("dates of a day", says, found, most=0.0, none="not applicable: no bundle has a day of its own")


def _task(bundle: ApplyItem, entries: Mapping[str, PackNorm]) -> list[str]:
    """The task of each norm of a bundle, in the order of the day; empty where it has none."""
    live = [entries[norm.id].live for norm in bundle.norm]
    return ["" if each is None else each.task for each in live]


def _contradicts(bundle: ApplyItem, entries: Mapping[str, PackNorm]) -> bool:
    tasks = _task(bundle, entries)
    moments = [_moments(text) for text in (bundle.day, *tasks)]
    several = any(
        len(frozenset().union(*(each[kind] for each in moments))) > 1 for kind in range(len(_Moments._fields))
    )
    return several or any(_outside(text, number) for number, text in enumerate(tasks))


def _moments(text: str) -> _Moments:
    plain = text.replace("’", "'")
    named = _MONTH.findall(plain)
    feasts = frozenset(_FEASTS[found.lower()] for found in _FEAST.findall(plain))
    return _Moments(
        weekdays=frozenset(day.lower() for day in _DAY.findall(plain)),
        # A month that is named goes before that of a feast, which people prepare weeks before.
        months=frozenset(month.lower() for _, month in named) | (frozenset() if named else feasts),
        dates=frozenset(f"{day} {month.lower()}" for day, month in named if day),
    )


def _outside(text: str, number: int) -> bool:
    """True if a task names a time that lies outside its window of the day."""
    start, end = WINDOWS[min(number, len(WINDOWS) - 1)]
    plain = text.lower().replace("’", "'")
    parts = (hours for part, hours in _PARTS.items() if part in plain)
    return any(to * 60 <= start or since * 60 >= end for since, to in parts) or any(
        not start <= minute <= end for minute in _minutes(plain)
    )


def _minutes(text: str) -> Iterator[int]:
    """Times of the clock, in minutes from midnight; nine o'clock is in the morning."""
    for hour, minute, bare, half in _CLOCK.findall(text):
        if hour:
            yield int(hour) * 60 + int(minute)
        else:
            yield (int(bare) % 12 + (12 if half == "pm" else 0)) * 60


NEAR_TO_IT = frozenset(("people", "resident", "scholar", "public"))
FOR_VISITORS = frozenset(("visitor", "commercial"))
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
        ordinary = ([item for item in getattr(entry, rung) if not item.boundary] for entry in pack.norms)
        parallel = [(item_of(entry), len(items) >= 2) for entry, items in zip(pack.norms, ordinary, strict=True)]
        yield share_gate(f"parallel items, {rung}", says, parallel, least=1.0)


def _origins(entries: Sequence[PackNorm]) -> Iterator[Gate]:
    one, other = "a source near to it", "sources for visitors"
    near = "a norm has a source of people or residents of the place, of scholars or of a public body"
    visitors = "a source is of visitors, or a commercial page"
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
